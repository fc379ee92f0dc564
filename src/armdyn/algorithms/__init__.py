"""The mathematics: one file a method, in its paper's symbols, as plain arithmetic on numbers."""

from armdyn.algorithms.table import KINDS, Kind, Method

__all__ = ["KINDS", "Kind", "Method"]
