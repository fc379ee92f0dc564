"""Presentation for reports, studies, runs and the command line: tables, pages, drawings, pictures.

`armdyn.present.svg` has the lines and scales of drawings within pages, `armdyn.present.curves` the
curves over time that can be zoomed.
"""

from armdyn.present._card import card
from armdyn.present._grid import Grid, Tone, Toned
from armdyn.present._html import Html, document, joined, listed, section, sentence, tag
from armdyn.present._numbers import number, percent, with_deviation
from armdyn.present._packed import UNPACK, Packed, packed_column
from armdyn.present._pages import check_page, filled
from armdyn.present._pictures import (
    JOINT_COLOURS,
    PICTURES_IN_WORDS,
    check_picture,
    matplotlib,
    new_figure,
    plain_text,
    write_picture,
)
from armdyn.present._script import SCRIPT
from armdyn.present._style import PALETTE, STYLE

__all__ = [
    "JOINT_COLOURS",
    "PALETTE",
    "PICTURES_IN_WORDS",
    "SCRIPT",
    "STYLE",
    "UNPACK",
    "Grid",
    "Html",
    "Packed",
    "Tone",
    "Toned",
    "card",
    "check_page",
    "check_picture",
    "document",
    "filled",
    "joined",
    "listed",
    "matplotlib",
    "new_figure",
    "number",
    "packed_column",
    "percent",
    "plain_text",
    "section",
    "sentence",
    "tag",
    "with_deviation",
    "write_picture",
]
