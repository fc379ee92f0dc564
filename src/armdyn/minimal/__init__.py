"""Minimal parameters: what torques can tell about the masses and inertias of an arm."""

from armdyn.minimal._closed_form import LinearSet, closed_form
from armdyn.minimal._last_link import moved_last_link
from armdyn.minimal._parameters import MinimalParameters, Workshop
from armdyn.minimal._programs import VALUES, folded, from_minimal
from armdyn.minimal._words import written

__all__ = [
    "VALUES",
    "LinearSet",
    "MinimalParameters",
    "Workshop",
    "closed_form",
    "folded",
    "from_minimal",
    "moved_last_link",
    "written",
]
