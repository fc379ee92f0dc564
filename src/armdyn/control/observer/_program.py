"""The momentum observer as programs.

[DeLuca2006]: the momentum p = M qd changes by dp/dt = u + tau_ext, where

    u = tau - friction - g + C^T qd = tau - inverse_dynamics(q, qd, 0) + (C + C^T) qd

needs no acceleration: C holds Christoffel symbols, so dM/dt = C + C^T. The residual
r = K (p - integral of (u + r)) follows tau_ext as a low-pass of the first order. A step of the
length h, stable for any K and h, u between samples by the trapezoid:

    r' = (r + K (p' - p - h (u + u') / 2)) / (1 + K h)

Friction of the load is that of an arm without acceleration.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.arm import Arm
from armdyn.errors import InputError
from armdyn.graph import Program, Slot, trace
from armdyn.scalar import Scalar
from armdyn.simulation._inline import inlined

Row = Sequence[Scalar]

STATE, AFTER = "state", "state_after"
TORQUES = "inverse_dynamics"


def momentum_program(arm: Arm) -> Program:
    """Return p and u of q, qd and tau as a program."""
    n = arm.n
    M, C, torques = (_straight(arm, x) for x in ("mass_matrix", "coriolis_matrix", TORQUES))

    def function(q: Row, qd: Row, tau: Row) -> object:
        mass, coriolis = inlined(M, [q]), inlined(C, [q, qd])
        bias = inlined(torques, [q, qd, [0.0] * n])
        p = [_dot(mass[n * i : n * i + n], qd) for i in range(n)]
        ahead = [_dot(coriolis[n * i : n * i + n], qd) for i in range(n)]
        across = [_dot(coriolis[i::n], qd) for i in range(n)]
        u = [tau[i] - bias[i] + ahead[i] + across[i] for i in range(n)]
        return p, u

    inputs = [Slot(x, (n,)) for x in ("q", "qd", "tau")]
    return trace(function, inputs, [Slot("p", (n,)), Slot("u", (n,))], name="momentum")


def first_program(momentum: Program) -> Program:
    """Return the state at the first sample as a program: p, u, and a residual of zero."""
    n = momentum.inputs[0].size

    def function(q: Row, qd: Row, tau: Row) -> object:
        return [*inlined(momentum, [q, qd, tau]), *[0.0] * n]

    return trace(function, list(momentum.inputs), [Slot(AFTER, (3 * n,))], name="observer_start")


def step_program(momentum: Program, gain: float) -> Program:
    """Return the residual and the state at the next sample as a program.

    Inputs are q, qd and tau of the sample, the time h since the last one, and the state.
    """
    n = momentum.inputs[0].size

    def function(q: Row, qd: Row, tau: Row, h: Row, state: Row) -> object:
        now = inlined(momentum, [q, qd, tau])
        p, u, r = state[:n], state[n : 2 * n], state[2 * n :]
        share, half = 1.0 / (1.0 + gain * h[0]), 0.5 * h[0]
        after = [
            (r[i] + gain * (now[i] - p[i] - half * (u[i] + now[n + i]))) * share for i in range(n)
        ]
        return after, [*now, *after]

    inputs = [*momentum.inputs, Slot("h", (1,)), Slot(STATE, (3 * n,))]
    outputs = [Slot("residual", (n,)), Slot(AFTER, (3 * n,))]
    return trace(function, inputs, outputs, name="observer_step")


def _straight(arm: Arm, quantity: str) -> Program:
    program = arm.function(quantity).program
    if not isinstance(program, Program):
        raise InputError(
            f"the arm {arm.name!r} has {arm.n} joints, too many for an observer.", argument="model"
        )
    return program


def _dot(u: Row, v: Row) -> Scalar:
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total
