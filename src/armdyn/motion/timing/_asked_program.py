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


@lru_cache(maxsize=32)
def asked_step(inverse_dynamics: Program, places: int, accelerations: bool) -> Evaluator:
    """Return the evaluator of what is asked: see `Asked`; of `accelerations` only if asked for.

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
        rates = [x * r for x, r in zip(largest[2 * n : 3 * n], inverse[1], strict=True)]
        speeds = [x * r for x, r in zip(largest[3 * n :], inverse[2], strict=True)]
        used, which = _largest(shares + rates if accelerations else shares, shares[0], 0.0, 0)
        beyond = used
        used, which = _largest(speeds, used, which, 2 * n)
        fastest, _ = _largest(speeds, speeds[0], 0.0, 0)
        results = beyond, fastest, used, which, largest[: 2 * n]
        return (*results, largest[2 * n : 3 * n]) if accelerations else results

    sizes = {"polynomial": 4 * n, "left": 1, "along": places, "law": 2, "limits": 5 * n}
    inputs = [Slot(name, (size,)) for name, size in sizes.items()]
    outputs = [Slot(name, ()) for name in ("beyond", "velocity", "used", "which")]
    outputs.append(Slot("over", (2 * n,)))
    if accelerations:
        outputs.append(Slot("acceleration", (n,)))
    return Evaluator(trace(function, inputs, outputs, "time_optimal_asked"))


def _largest(shares: Row, used: Scalar, which: Scalar, first: int) -> tuple[Scalar, Scalar]:
    """Return the largest of shares and of `used`, and which it is, counted from `first`."""
    for k, share in enumerate(shares, first):
        which = select(share - used, float(k), which)
        used = max(share, used)
    return used, which
