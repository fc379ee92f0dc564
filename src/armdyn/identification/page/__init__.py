"""The report of an identification: one HTML page that a person wants to read."""

from armdyn.identification.page._page import report_html

__all__ = ["report_html"]
