"""What pictures, pages and tables are drawn with."""

from armdyn.present._html import Html, joined, section, sentence, table, tag
from armdyn.present._pictures import (
    check_picture,
    matplotlib,
    new_figure,
    plain_text,
    write_picture,
)
from armdyn.present._style import STYLE

__all__ = [
    "STYLE",
    "Html",
    "check_picture",
    "joined",
    "matplotlib",
    "new_figure",
    "plain_text",
    "section",
    "sentence",
    "table",
    "tag",
    "write_picture",
]
