"""The critical path of programs, straight and rolled."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import armdyn
from armdyn.graph.depth import depth, depth_rolled
from armdyn.graph.interpret import ARITHMETIC, Values
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.scalar import Node, Op, constant, cos, sin, sqrt, symbol


@pytest.mark.parametrize(
    ("function", "steps"),
    [
        (lambda x: [x[0]], 0),
        (lambda x: [sin(x[0])], 0),
        (lambda x: [-x[0] * x[1]], 1),
        (lambda x: [(x[0] * x[1]) + (x[2] * x[3])], 2),
        (lambda x: [((x[0] * x[1]) * x[2]) * x[3]], 3),
        (lambda x: [sqrt(x[0] + x[1]) / cos(x[2] * x[3])], 3),
    ],
)
def test_depth_of_small_programs(function: Any, steps: int) -> None:
    program = trace(function, [Slot("x", (4,))], [Slot("y", (1,))])
    assert depth(program) == steps


def test_depth_lies_between_the_bounds_of_any_program() -> None:
    """No operation reads more than two values, and none is more than once on a path."""
    for quantity in ("mass_matrix", "inverse_dynamics", "forward_dynamics"):
        found = armdyn.load("puma560").function(quantity)
        counted = found.operations
        work = counted.multiplications + counted.additions + counted.sqrt
        assert 2 < found.depth < work


def longest(node: Node) -> int:
    @cache
    def at(node: Node) -> int:
        steps = node.op in (Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.SQRT)
        return steps + max((at(arg) for arg in node.args), default=0)

    return at(node)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix", "forward_dynamics"])
def test_sweeps_are_as_deep_as_their_unrolled_program(quantity: str) -> None:
    found = armdyn.Arm(armdyn.generic(3)).function(quantity, method="rolled")
    rolled: Any = found.program
    inputs = {s.name: [symbol(f"{s.name}{i}") for i in range(s.size)] for s in rolled.inputs}
    rules = {**ARITHMETIC, Op.SIN: sin, Op.COS: cos, Op.SQRT: sqrt}
    table = {
        name: tuple(tuple(map(constant, row)) for row in rows)  # read at run time, not folded
        for name, rows in rolled.constants.items()
    }
    values = Values(replace(rolled, constants=table), inputs, rules)
    for sweep in rolled.sweeps:
        start = {name: tuple(map(constant, row)) for name, row in sweep.start.items()}
        values.sweep(replace(sweep, start=start))
    written = [x for entries in values.written.values() for x in entries.values()]
    wanted = max(longest(x) for x in written if isinstance(x, Node))
    assert depth_rolled(rolled) == found.depth == wanted > 0
