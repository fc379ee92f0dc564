"""The law of adaptive control as a program: torques, and the parameters a period later.

[SlotineLi1987]: with a reference velocity qdr = qd* + L (q* - q) and s = qd - qdr,

    tau = Y(q, qd, qdr, qddr) w - K s,        dw/dt = -A Y^T s,

V = s . M s / 2 + (w - w0) . A^-1 (w - w0) / 2 never grows, because dM/dt - 2C is skew. Between
samples the torques are constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.control.adaptive._physical_state import PhysicalState
from armdyn.control.adaptive._start import Start
from armdyn.graph import Program, Slot, trace
from armdyn.scalar import Scalar, sign, sqrt
from armdyn.simulation._inline import inlined

Array = NDArray[np.float64]
Row = Sequence[Scalar]

MEASURED = ("q", "qd")
WANTED = ("q_wanted", "qd_wanted", "qdd_wanted")
STATE, AFTER, VALUES = "state", "state_after", "w"


@dataclass(frozen=True)
class Gains:
    """The gains of a law, checked.

    Attributes:
        slope: L ``(n, n)`` [1/s].
        damping: K ``(n, n)`` [N m s].
        limit: largest torques ``(n,)``, infinite where there is no limit.
        period: time between samples [s].
    """

    slope: Array
    damping: Array
    limit: Array
    period: float


@dataclass(frozen=True)
class Law:
    """A law of adaptation, for one arm.

    Attributes:
        start: the state at the beginning.
        values: returns minimal values of a state.
        advanced: returns the state after a period, from the state and Y^T s.
    """

    start: Array
    values: Callable[[Row], list[Scalar]]
    advanced: Callable[[Row, Row], list[Scalar]]


def minimal_law(
    start: Start, adaptation: Array, period: float, rate: float | None, fastest: float
) -> Law:
    """Return the law whose state is the minimal values.

    Args:
        start: the parameters at the beginning.
        adaptation: A ``(k, k)``.
        period: time between samples [s].
        rate: r if A is r times the natural metric, in which changes are then limited.
        fastest: the fastest relative change of parameters [1/s].
    """
    w = start.base.matrix @ start.parameters
    A, most = period * adaptation, min(period * fastest, 1.0)

    def advanced(state: Row, b: Row) -> list[Scalar]:
        change = _times(A, b)
        share: Scalar = 1.0
        if rate is not None:
            share = 1.0 / (1.0 + sqrt((rate * period / most**2) * _sum(b, change)))
        return [x - share * y for x, y in zip(state, change, strict=True)]

    return Law(w, list, advanced)


def physical_law(start: Start, rates: Array, period: float, fastest: float) -> Law:
    """Return the law whose links can exist at all times.

    Args:
        start: the parameters at the beginning.
        rates: r of links, then of drives [1/J].
        period: time between samples [s].
        fastest: the fastest relative change of parameters [1/s].
    """
    P, n = start.base.matrix, len(start.roots)
    most = min(period * fastest, 1.0)
    how = PhysicalState(n, period * rates, start.scales, start.signed, most)

    def values(state: Row) -> list[Scalar]:
        return _times(P, how.parameters(state))

    def advanced(state: Row, b: Row) -> list[Scalar]:
        return how.advanced(state, _times(P.T, b))

    return Law(start.state, values, advanced)


def law_program(regressor: Program, law: Law, gains: Gains, name: str) -> Program:
    """Return a sample of the controller as a program.

    Inputs are measured and desired motion and the state; outputs are torques, the next state and
    the minimal values of the torques.

    Args:
        regressor: of adaptive control, for the minimal set of the law.
        law: of adaptation.
        gains: of the controller.
        name: of the program.
    """
    n, k = regressor.outputs[0].shape

    def sample(q: Row, qd: Row, q_w: Row, qd_w: Row, qdd_w: Row, state: Row) -> object:
        def reference(first: Row, wanted: Row, measured: Row) -> list[Scalar]:
            off = [a - b for a, b in zip(wanted, measured, strict=True)]
            return [a + b for a, b in zip(first, _times(gains.slope, off), strict=True)]

        qdr, qddr = reference(qd_w, q_w, q), reference(qdd_w, qd_w, qd)
        s = [a - b for a, b in zip(qd, qdr, strict=True)]
        flat = inlined(regressor, [q, qd, qdr, qddr])
        Y = [flat[k * i : k * i + k] for i in range(n)]
        w = law.values(state)
        damped = _times(gains.damping, s)
        tau = [_sum(row, w) - x for row, x in zip(Y, damped, strict=True)]
        b = [_sum([row[j] for row in Y], s) for j in range(k)]
        limited = [_limited(x, float(most)) for x, most in zip(tau, gains.limit, strict=True)]
        return limited, law.advanced(state, b), w

    inputs = [Slot(x, (n,)) for x in (*MEASURED, *WANTED)]
    size = (len(law.start),)
    outputs = [Slot("tau", (n,)), Slot(AFTER, size), Slot(VALUES, (k,))]
    return trace(sample, [*inputs, Slot(STATE, size)], outputs, name=name)


def _limited(x: Scalar, most: float) -> Scalar:
    """Return x within +-most; arithmetic only, as programs have no branches."""
    if not np.isfinite(most):
        return x
    inside = 0.5 + 0.5 * sign(most - x * sign(x))  # 1, at the limit 1/2, beyond it 0
    return inside * x + (1.0 - inside) * (most * sign(x))


def _times(A: Array, x: Row) -> list[Scalar]:
    rows: list[Scalar] = []
    for row in A:
        at = np.flatnonzero(row)
        rows.append(_sum([float(v) for v in row[at]], [x[int(j)] for j in at]))
    return rows


def _sum(u: Row, v: Row) -> Scalar:
    total: Scalar = 0.0
    for a, b in zip(u, v, strict=True):
        total = total + a * b
    return total
