"""Minimal parameters as notebooks show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.minimal.terms import written
from armdyn.present.tables import Grid, card, number

if TYPE_CHECKING:
    from armdyn.minimal.parameters import MinimalParameters


def minimal_card(found: MinimalParameters) -> str:
    """Return minimal parameters: name, value and combination of each."""
    rows = tuple(
        (name, number(float(value)), unit, written(row, found.parameter_names))
        for name, value, unit, row in zip(
            found.names, found.values, found.units, found.matrix, strict=True
        )
    )
    facts = {"minimal parameters": str(len(found)), "parameters": str(len(found.parameter_names))}
    grid = Grid("", ("name", "value", "unit", "combination"), 1, rows, words_after=2)
    return card("Minimal parameters", facts, grid)
