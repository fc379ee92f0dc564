"""One table, shown on a terminal, in Markdown and in HTML."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from armdyn.cli import console as _console
from armdyn.present.html import Html, document, tag
from armdyn.present.tables import Grid, Toned

GRID = Grid(
    "Errors",
    ("joint", "error", "verdict"),
    1,
    (("a|b", "1.5 %", Toned("good", "good")), ("<c>", "12 %", "bad")),
    words_after=1,
    breaks=frozenset({1}),
)


def test_numbers_are_the_columns_between_the_words() -> None:
    assert [GRID.is_number(k) for k in range(3)] == [False, True, False]


def test_markdown_keeps_bars_inside_their_cells() -> None:
    assert GRID.markdown(3).splitlines() == [
        "### Errors",
        "",
        "| joint | error | verdict |",
        "| --- | ---: | --- |",
        r"| a\|b | 1.5 % | good |",
        "| <c> | 12 % | bad |",
    ]


def test_html_escapes_names_and_colors_cells() -> None:
    html = GRID.html()
    assert "&lt;c&gt;" in html and "<c>" not in html
    assert '<td><span class="good">good</span></td>' in html
    assert html.count('class="number"') == 3  # its head and two cells
    assert "Errors" not in html


def test_text_is_aligned() -> None:
    assert GRID.text().splitlines() == [
        "Errors",
        "joint  error  verdict",
        "a|b    1.5 %  good",
        "<c>     12 %  bad",
    ]


def test_the_terminal_shows_all_cells(capsys: pytest.CaptureFixture[str]) -> None:
    _console.show(GRID)
    out = capsys.readouterr().out
    for word in ("Errors", "joint", "a|b", "<c>", "12 %", "good"):
        assert word in out
    assert len([line for line in out.splitlines() if set(line) <= {"─", " "} and line]) == 2


def test_the_terminal_colors_cells_and_obeys_no_control_characters() -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, width=80, color_system="standard")
    evil = Grid("", ("name",), 1, ((Toned("x\x1b[2Jy", "bad"),),))
    screen.print(_console._renderable(evil))
    shown = screen.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]
    assert "\x1b[2J" not in shown and r"x\x1b[2Jy" in shown
    assert "\x1b[1;31m" in shown


def test_rows_of_another_length_are_refused() -> None:
    short = Grid("", ("a", "b"), 1, (("1",),))
    for show in (short.html, short.text):
        with pytest.raises(ValueError, match=r"zip\(\) argument 2"):
            show()


def test_a_document_is_whole_and_its_title_is_text() -> None:
    page = document("<x>", tag("body", "y", Html("<b>z</b>")), "p { color: red }")
    assert page.startswith("<!DOCTYPE html>\n") and page.endswith("</html>\n")
    assert "<title>&lt;x&gt;</title>" in page and "<body>y<b>z</b></body>" in page
