"""The report of an identification: one HTML page."""

from armdyn.identification.page._page import report_html
from armdyn.identification.page._player import played

__all__ = ["played", "report_html"]
