"""What the rows need of the nodes of splines, as a program.

The inverse dynamics three times, with the sines they share: nothing but the coefficients is written
to memory.
"""

from __future__ import annotations

from functools import lru_cache

from armdyn.arm import Evaluator
from armdyn.graph import NODES, Program, Slot, evaluate, trace
from armdyn.motion.timing._paths import cubic
from armdyn.motion.timing._rows import Row
from armdyn.scalar import Scalar, max, sign

# Largest speed along a path [1/s]; more means that no limit holds.
FASTEST = 1e8


@lru_cache(maxsize=32)
def node_step(inverse_dynamics: Program) -> Evaluator:
    """Return the evaluator of dq/ds, d2q/ds2, a, b and g at a node; of signs; of the largest speed.

    Inputs are the coefficients of the polynomial, s of the node and of the middle of its piece,
    both from the knot, and the inverses of the limits of velocity, 0 if there is none.

    Args:
        inverse_dynamics: the program, without friction.
    """
    n = inverse_dynamics.inputs[0].size
    rest: list[Scalar] = [0.0] * n

    def torques(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> list[Scalar]:
        return evaluate(inverse_dynamics, [*q, *qd, *qdd], NODES)

    def function(polynomial: Row, places: Row, inverse: Row) -> object:
        q, by_s, by_ss = cubic(polynomial, places[0])
        g = torques(q, rest, rest)
        a, b = (
            [x - y for x, y in zip(found, g, strict=True)]
            for found in (torques(q, rest, by_s), torques(q, by_s, by_ss))
        )
        rate: Scalar = 1.0 / FASTEST
        for x, r in zip(by_s, inverse, strict=True):
            rate = max(rate, abs(x) * r)
        signs = [sign(x) for x in cubic(polynomial, places[1])[1]]
        return [*by_s, *by_ss, *a, *b, *g], signs, 1.0 / rate

    inputs = [Slot("polynomial", (4 * n,)), Slot("places", (2,)), Slot("inverse", (n,))]
    outputs = [Slot("node", (5 * n,)), Slot("signs", (n,)), Slot("fastest", ())]
    return Evaluator(trace(function, inputs, outputs, "time_optimal_node"))
