"""What a time law asks of the drives in one piece of a spline, as a program.

Positions, the arm's inverse dynamics and the comparison with limits are one program, at all places
of a piece: of the thousands of states of a path, nothing is written to memory but the largest.
"""

from __future__ import annotations

from functools import lru_cache

from armdyn.arm import Evaluator
from armdyn.graph import NODES, Program, Slot, evaluate, trace
from armdyn.motion.timing._paths import cubic
from armdyn.motion.timing._rows import Row
from armdyn.scalar import Scalar, max, select, sqrt

OUTPUTS = ("above", "below", "acceleration", "velocity")


@lru_cache(maxsize=32)
def asked_step(inverse_dynamics: Program, places: int) -> Evaluator:
    """Return the evaluator of what is asked: see `Asked`.

    Inputs are the coefficients of the polynomial, s at the left end of the piece from its knot,
    the places from there, x at the left end and u, and of each joint the limit of effort, the
    inverses of the limits of effort, acceleration and velocity, 0 if there is none, and the loss
    of effort.
    """
    n = inverse_dynamics.inputs[0].size

    def function(polynomial: Row, left: Row, along: Row, law: Row, limits: Row) -> object:
        effort, *inverse, loss = (limits[k * n : (k + 1) * n] for k in range(5))
        found: list[list[Scalar]] = []
        for place in along:
            q, by_s, by_ss = cubic(polynomial, left[0] + place)
            x = max(law[0] + 2.0 * law[1] * place, 0.0)
            y = sqrt(x)
            qd = [a * y for a in by_s]
            qdd = [a * law[1] + b * x for a, b in zip(by_s, by_ss, strict=True)]
            tau = evaluate(inverse_dynamics, [*q, *qd, *qdd], NODES)
            most = [effort[j] - loss[j] * abs(qd[j]) for j in range(n)]
            above, below = ([s * t - m for t, m in zip(tau, most, strict=True)] for s in (1, -1))
            found.append([*above, *below, *map(abs, qdd), *map(abs, qd)])
        largest = found[0]
        for values in found[1:]:
            largest = [max(a, b) for a, b in zip(values, largest, strict=True)]
        over = [max(largest[j], largest[n + j]) for j in range(n)]
        shares = [select(r, 1.0 + x * r, 0.0) for x, r in zip(over, inverse[0], strict=True)]
        rates = zip(largest[2 * n :], [*inverse[1], *inverse[2]], strict=True)
        shares += [x * r for x, r in rates]
        used, which = shares[0], 0.0
        for k, share in enumerate(shares[1:], 1):
            which = select(share - used, float(k), which)
            used = max(share, used)
        return *(largest[k * n : (k + 1) * n] for k in range(4)), used, which

    sizes = {"polynomial": 4 * n, "left": 1, "along": places, "law": 2, "limits": 5 * n}
    outputs = [*(Slot(name, (n,)) for name in OUTPUTS), Slot("used", ()), Slot("which", ())]
    inputs = [Slot(name, (size,)) for name, size in sizes.items()]
    return Evaluator(trace(function, inputs, outputs, "time_optimal_asked"))
