"""Objects in notebooks: a title, some facts and a table, in the colours of the notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from armdyn.present._grid import Grid
from armdyn.present._html import Html, joined, tag

# Colours are those of the notebook, light or dark; tones are readable on both.
STYLE = """\
.armdyn-card{font:13px/1.45 system-ui,sans-serif;color:inherit;max-width:60em;margin:.3em 0}
.armdyn-card .title{font-weight:600}
.armdyn-card .facts{opacity:.75;margin:.1em 0 .4em}
.armdyn-card .facts b{font-weight:600}
.armdyn-card .scroll{overflow:auto;max-height:24em}
.armdyn-card table{color:inherit;font:inherit;border-collapse:collapse;margin:0;
 font-variant-numeric:tabular-nums}
.armdyn-card th,.armdyn-card td{padding:.15em .8em .15em 0;text-align:left;color:inherit;
 background:none;border:0;border-bottom:1px solid rgba(128,128,128,.3);white-space:nowrap}
.armdyn-card th{font-weight:600;opacity:.75}
.armdyn-card .number{text-align:right}
.armdyn-card .good{color:#1a9641}.armdyn-card .fair{color:#d08700}.armdyn-card .bad{color:#d7301f}
.armdyn-card .faint{opacity:.6}.armdyn-card .strong{font-weight:600}
"""
STYLE_OF_CARDS = Html(f"<style>{STYLE}</style>")

# Longer tables are cut: a card is a glance.
ROWS = 40


def card(
    title: str, facts: Mapping[str, str], grid: Grid | None = None, notes: Iterable[str] = ()
) -> str:
    """Return an object as HTML for a notebook.

    Args:
        title: what it is.
        facts: short values by their names.
        grid: a table; of long ones the first rows are shown.
        notes: sentences below.
    """
    told = joined([Html(f"{tag('b', value)} {tag('span', name)}") for name, value in facts.items()],
                  between=" · ")  # fmt: skip
    parts = [tag("div", title, class_="title"), tag("div", told, class_="facts")]
    if grid is not None:
        shown = Grid("", grid.heads, grid.words, grid.rows[:ROWS], grid.words_after)
        parts.append(shown.html())
        if len(grid.rows) > ROWS:
            parts.append(tag("div", f"and {len(grid.rows) - ROWS} more", class_="faint"))
    parts += [tag("div", note, class_="faint") for note in notes]
    return joined([STYLE_OF_CARDS, tag("div", *parts, class_="armdyn-card")])
