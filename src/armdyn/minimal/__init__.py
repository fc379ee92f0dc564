"""Minimal parameters: what torques can tell about the masses and inertias of an arm."""

from armdyn.minimal._closed_form import LinearSet, closed_form
from armdyn.minimal._factory import FunctionFactory
from armdyn.minimal._formatting import written
from armdyn.minimal._geometry import axes_at_zero
from armdyn.minimal._last_link import moved_last_link
from armdyn.minimal._other_sets import OtherSet
from armdyn.minimal._parameters import MinimalParameters
from armdyn.minimal._programs import VALUES, folded, from_minimal

__all__ = [
    "VALUES",
    "FunctionFactory",
    "LinearSet",
    "MinimalParameters",
    "OtherSet",
    "axes_at_zero",
    "closed_form",
    "folded",
    "from_minimal",
    "moved_last_link",
    "written",
]
