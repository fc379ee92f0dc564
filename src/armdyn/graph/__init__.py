"""The program: what an algorithm becomes when it is run on unknown numbers."""

from armdyn.graph._count import Operations, count
from armdyn.graph._interpret import evaluate, interpret
from armdyn.graph._program import Program, Slot
from armdyn.graph._show import show
from armdyn.graph._simplify import simplify
from armdyn.graph._trace import record, trace
from armdyn.graph._verify import verify

__all__ = [
    "Operations",
    "Program",
    "Slot",
    "count",
    "evaluate",
    "interpret",
    "record",
    "show",
    "simplify",
    "trace",
    "verify",
]
