"""The program: the record of an algorithm that ran on symbolic numbers.

Names are imported on first access.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.graph._count import Operations, count
    from armdyn.graph._depth import depth
    from armdyn.graph._derive import (
        MODES,
        Mode,
        directional_at,
        jacobian_at,
        jvp_program,
        vjp_program,
    )
    from armdyn.graph._free_symbols import free_symbols
    from armdyn.graph._interpret import (
        ARITHMETIC,
        ARRAYS,
        FLOATS,
        NODES,
        Rules,
        evaluate,
        interpret,
    )
    from armdyn.graph._program import JVP, VJP, Instruction, Program, Slot
    from armdyn.graph._show import show, statements
    from armdyn.graph._simplify import simplify
    from armdyn.graph._trace import record, trace
    from armdyn.graph._verify import verify
    from armdyn.graph.rolled._depth import depth_rolled
    from armdyn.graph.rolled._interpret import evaluate_rolled
    from armdyn.graph.rolled._roll import roll
    from armdyn.graph.rolled._rolled import Rolled, Sweep, place_and_name
    from armdyn.graph.rolled._verify import count_rolled, verify_rolled

__all__ = [
    "ARITHMETIC",
    "ARRAYS",
    "FLOATS",
    "JVP",
    "MODES",
    "NODES",
    "VJP",
    "Instruction",
    "Mode",
    "Operations",
    "Program",
    "Rolled",
    "Rules",
    "Slot",
    "Sweep",
    "count",
    "count_rolled",
    "depth",
    "depth_rolled",
    "directional_at",
    "evaluate",
    "evaluate_rolled",
    "free_symbols",
    "interpret",
    "jacobian_at",
    "jvp_program",
    "place_and_name",
    "record",
    "roll",
    "show",
    "simplify",
    "statements",
    "trace",
    "verify",
    "verify_rolled",
    "vjp_program",
]

__getattr__ = lazy_names(
    __name__,
    {
        "ARITHMETIC": "_interpret",
        "ARRAYS": "_interpret",
        "FLOATS": "_interpret",
        "Instruction": "_program",
        "JVP": "_program",
        "MODES": "_derive",
        "Mode": "_derive",
        "NODES": "_interpret",
        "Operations": "_count",
        "Program": "_program",
        "Rolled": "rolled._rolled",
        "Rules": "_interpret",
        "Slot": "_program",
        "Sweep": "rolled._rolled",
        "VJP": "_program",
        "count": "_count",
        "count_rolled": "rolled._verify",
        "depth": "_depth",
        "depth_rolled": "rolled._depth",
        "directional_at": "_derive",
        "evaluate": "_interpret",
        "evaluate_rolled": "rolled._interpret",
        "free_symbols": "_free_symbols",
        "interpret": "_interpret",
        "jacobian_at": "_derive",
        "jvp_program": "_derive",
        "place_and_name": "rolled._rolled",
        "record": "_trace",
        "roll": "rolled._roll",
        "show": "_show",
        "simplify": "_simplify",
        "statements": "_show",
        "trace": "_trace",
        "verify": "_verify",
        "verify_rolled": "rolled._verify",
        "vjp_program": "_derive",
    },
)
