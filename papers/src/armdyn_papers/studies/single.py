"""Algorithms in single precision: every number and every operation, constants of the arm included.

A traced program folds the constants of an arm in double precision; a usual program in single
precision would compute with them in single precision. So here the constants of the links are
inputs, the program is recorded and not simplified, and it is evaluated on float32 arrays: each
operation rounds once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armdyn.graph.interpret import ARITHMETIC, evaluate
from armdyn.graph.program import Slot
from armdyn.graph.trace import record
from armdyn.robot.chain import Chain
from armdyn.scalar import Node, Op, Scalar, symbol

Array: TypeAlias = NDArray[np.floating[Any]]

# Forward dynamics: ``run(chain, q, qd, tau)`` on lists of scalars.
Algorithm: TypeAlias = Callable[..., Any]

RULES = {**ARITHMETIC, Op.SIN: np.sin, Op.COS: np.cos, Op.SQRT: np.sqrt}


def falling(run: Algorithm, chain: Chain, q: Array, precision: type[Any]) -> Array:
    """Return the accelerations of an arm released at rest, ``(states, n)``.

    Args:
        run: forward dynamics.
        chain: the arm.
        q: positions ``(states, n)``.
        precision: np.float32 or np.float64, for all computations.
    """
    arm, nodes, values = _with_unknown_links(chain)
    n = chain.n
    slots = [Slot(name, (n,)) for name in ("q", "qd", "tau")]
    program = record(lambda *state: run(arm, *state), slots, [Slot("qdd", (n,))], constants=nodes)
    nothing = [np.zeros(len(q), precision)] * (2 * n)
    columns = [*map(precision, values), *np.ascontiguousarray(q.T, precision), *nothing]
    found = evaluate(program, columns, RULES)
    assert all(column.dtype == precision for column in found), "something was not rounded"
    return np.stack(found, axis=1)


def _with_unknown_links(chain: Chain) -> tuple[Chain, list[Node], list[float]]:
    """Return the arm with unknown lengths, masses and inertias; the unknowns; and their values.

    Zeros stay zero: no algorithm computes with them.
    """
    nodes: list[Node] = []
    values: list[float] = []

    def unknown(value: Scalar) -> Scalar:
        if value == 0.0 or isinstance(value, Node):
            return value
        nodes.append(symbol(f"constant {len(nodes) + 1}"))
        values.append(value)
        return nodes[-1]

    links = [
        replace(
            link,
            b=unknown(link.b), d=unknown(link.d), m=unknown(link.m), Jm=unknown(link.Jm),
            c=tuple(map(unknown, link.c)), I=tuple(map(unknown, link.I)),
        )
        for link in chain.links
    ]  # fmt: skip
    return replace(chain, links=tuple(links)), nodes, values
