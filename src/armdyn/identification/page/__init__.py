"""The report of an identification: one HTML page that a person wants to read."""

from armdyn.identification.page._html import Html, joined, section, sentence, table, tag
from armdyn.identification.page._page import report_html
from armdyn.identification.page._style import STYLE

__all__ = ["STYLE", "Html", "joined", "report_html", "section", "sentence", "table", "tag"]
