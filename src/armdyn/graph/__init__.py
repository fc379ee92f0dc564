"""The program: what an algorithm becomes when it is run on unknown numbers."""

from armdyn.graph._count import Operations, count
from armdyn.graph._derive import MODES, Mode, directional_at, jacobian_at
from armdyn.graph._interpret import ARITHMETIC, FLOATS, evaluate, interpret
from armdyn.graph._program import Instruction, Program, Slot
from armdyn.graph._show import show, statements
from armdyn.graph._simplify import simplify
from armdyn.graph._trace import free_symbols, record, trace
from armdyn.graph._verify import verify
from armdyn.graph.rolled._interpret import evaluate_rolled
from armdyn.graph.rolled._roll import roll
from armdyn.graph.rolled._rolled import Rolled, Sweep, place_and_name
from armdyn.graph.rolled._verify import count_rolled, verify_rolled

__all__ = [
    "ARITHMETIC",
    "FLOATS",
    "MODES",
    "Instruction",
    "Mode",
    "Operations",
    "Program",
    "Rolled",
    "Slot",
    "Sweep",
    "count",
    "count_rolled",
    "directional_at",
    "evaluate",
    "evaluate_rolled",
    "free_symbols",
    "interpret",
    "jacobian_at",
    "place_and_name",
    "record",
    "roll",
    "show",
    "simplify",
    "statements",
    "trace",
    "verify",
    "verify_rolled",
]
