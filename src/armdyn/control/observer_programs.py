"""The momentum observer as programs, and as C."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from armdyn.algorithms.vector import inner
from armdyn.arm.arm import Arm
from armdyn.checks import checked_path
from armdyn.control.levels import Levels
from armdyn.errors import InputError
from armdyn.export.c import prefix_of
from armdyn.export.c_package import MARK, CFunction, CTable, c_package
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.scalar import Scalar
from armdyn.simulation.programs import inlined
from armdyn.writing import write_together

# The momentum observer as programs.
#
# [DeLuca2006]: the momentum p = M qd changes by dp/dt = u + tau_ext, where
#
#     u = tau - friction - g + C^T qd = tau - inverse_dynamics(q, qd, 0) + (C + C^T) qd
#
# needs no acceleration: C holds Christoffel symbols, so dM/dt = C + C^T. The residual
# r = K (p - integral of (u + r)) follows tau_ext as a low-pass of the first order. A step of the
# length h, stable for any K and h, u between samples by the trapezoid:
#
#     r' = (r + K (p' - p - h (u + u') / 2)) / (1 + K h)
#
# Friction of the load is that of an arm without acceleration.

Row = Sequence[Scalar]

STATE, AFTER = "state", "state_after"
TORQUES = "inverse_dynamics"


def momentum_program(arm: Arm, friction: bool = True) -> Program:
    """Return p and u of q, qd and tau as a program, with or without friction in u."""
    n = arm.n
    M, C = (straight(arm, x) for x in ("mass_matrix", "coriolis_matrix"))
    torques = straight(arm, TORQUES, friction)

    def function(q: Row, qd: Row, tau: Row) -> object:
        mass, coriolis = inlined(M, [q]), inlined(C, [q, qd])
        bias = inlined(torques, [q, qd, [0.0] * n])
        p = [inner(mass[n * i : n * i + n], qd) for i in range(n)]
        ahead = [inner(coriolis[n * i : n * i + n], qd) for i in range(n)]
        across = [inner(coriolis[i::n], qd) for i in range(n)]
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


def straight(arm: Arm, quantity: str, friction: bool = True) -> Program:
    """Return a quantity as straight-line code; refuse an arm that is too long for it."""
    program = arm.function(quantity, friction=friction).program
    if not isinstance(program, Program):
        raise InputError(
            f"the arm {arm.name!r} has {arm.n} joints: the program of its {quantity} is too long "
            "for observers and controllers.",
            argument="model",
        )
    return program


# The momentum observer as C: the first sample, and every further one.


def export_observer(
    arm: Arm,
    programs: tuple[Program, Program],
    levels: Levels | None,
    folder: str | os.PathLike[str],
    single: bool,
    force: bool,
) -> tuple[Path, ...]:
    """Write the observer; see `MomentumObserver.export_c`."""
    target = checked_path(folder, "folder", what="the path of a folder")
    prefix = f"{prefix_of(arm.name)}_observer"
    first, step = programs
    measured = "  in   q, qd: measured; tau: torques of the drives"
    begin = (f"{prefix}_start: the state at the first sample.", measured, f"  out  {AFTER}")
    go_on = (
        f"{prefix}_step: torques from outside at the next sample.",
        measured,
        "  in   h: time since the last sample [s]; after a gap, start anew",
        f"  in   {STATE}: of the last sample",
        "  out  residual: torques from outside [N m] or [N]",
        f"  out  {AFTER}: may be the array {STATE}, which is then updated in place",
    )
    functions = [
        CFunction(f"{prefix}_start", first, begin),
        CFunction(f"{prefix}_step", step, go_on),
    ]
    tables: list[CTable] = []
    if levels is not None:
        words = {
            "moving": "Residuals beyond these are contacts, at usual speeds.",
            "slow": "The same while a joint is slower than the next table, and soon after.",
            "slow_speed": "Speeds [rad/s] or [m/s].",
            "resting": "The same while a joint is slower than the next table, and soon after.",
            "resting_speed": "Speeds [rad/s] or [m/s].",
        }
        tables = [
            CTable(f"{prefix}_{x}", "", tuple(map(float, getattr(levels, x))), (said,))
            for x, said in words.items()
        ]
    about = [
        f"Momentum observer of the arm {arm.name!r}, {arm.n} joints, in "
        f"{'float' if single else 'double'} precision.",
        "",
        "SI units, angles in radians. The functions are C99, need only math.h, allocate nothing "
        "and keep no state. They read all inputs before they write.",
    ]
    texts = c_package(
        prefix, functions, about=about, tables=tables, single=single, version=version("armdyn")
    )
    return write_together(target, texts, None if force else MARK)
