"""The program: what an algorithm becomes when it is run on unknown numbers."""

from armdyn.graph._count import Operations, count
from armdyn.graph._derive import MODES, Mode, directional_at, jacobian_at
from armdyn.graph._interpret import ARITHMETIC, FLOATS, evaluate, interpret
from armdyn.graph._program import Instruction, Program, Slot
from armdyn.graph._roll import roll
from armdyn.graph._rolled import Rolled, Walk, place_and_name
from armdyn.graph._rolled_interpret import evaluate_rolled
from armdyn.graph._rolled_verify import count_rolled, verify_rolled
from armdyn.graph._show import show, statements
from armdyn.graph._simplify import simplify
from armdyn.graph._trace import record, trace, unknowns
from armdyn.graph._verify import verify

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
    "Walk",
    "count",
    "count_rolled",
    "directional_at",
    "evaluate",
    "evaluate_rolled",
    "interpret",
    "jacobian_at",
    "place_and_name",
    "record",
    "roll",
    "show",
    "simplify",
    "statements",
    "trace",
    "unknowns",
    "verify",
    "verify_rolled",
]
