"""The report of an identification: one HTML page."""

from armdyn.identification.page._page import report_html

__all__ = ["report_html"]
