"""The dynamics of arms of which joints are held, and steps of them, as programs.

Which joints are held is an input: `free` is 1 for those that are not and 0 for those that are. So
one program serves all arms of a batch, whatever they hold.
"""

from __future__ import annotations

from functools import lru_cache

from armdyn.graph import Program, Slot, trace
from armdyn.scalar import Scalar
from armdyn.simulation.steppers._compose import (
    Row,
    constant_names,
    constant_slots,
    inlined,
    moved,
    solved,
    weighted,
)

# What acts on a joint besides its weight: torque, dry friction, whether it is free, and the rest of
# friction.
ACTING = ("tau", "dry", "free", "viscous", "offset")


@lru_cache(maxsize=16)
def held_program(mass_matrix: Program, bias: Program) -> Program:
    """Return accelerations, and what presses on joints.

    Inputs q, qd, tau, dry (the dry friction of joints that slide), free, viscous, offset; outputs
    qdd, zero of held joints, and press, the torque that a hold withstands.
    """

    def both(q: Row, qd: Row, *given: Row) -> tuple[Row, Row]:
        return _accelerations(mass_matrix, bias, q, qd, *given)

    n = bias.inputs[0].shape
    outputs = [Slot("qdd", n), Slot("press", n)]
    inputs = [Slot(name, n) for name in ("q", "qd", *ACTING)]
    return trace(both, [*inputs, *_constants(mass_matrix, bias)], outputs, "held")


@lru_cache(maxsize=16)
def held_rk4_program(mass_matrix: Program, bias: Program) -> Program:
    """Return a step of the classical Runge-Kutta method under constant torques.

    Inputs as of `held_program`, and h behind offset; outputs are q and qd after the step, qdd and
    press before it.
    """

    def step(q: Row, qd: Row, *given: Row) -> object:
        acting, (h, *constants) = given[: len(ACTING)], given[len(ACTING) :]

        def a(q: Row, qd: Row) -> tuple[Row, Row]:
            return _accelerations(mass_matrix, bias, q, qd, *acting, *constants)

        whole, half = h[0], 0.5 * h[0]
        a1, press = a(q, qd)
        v2 = moved(qd, half, a1)
        a2, _ = a(moved(q, half, qd), v2)
        v3 = moved(qd, half, a2)
        a3, _ = a(moved(q, half, v2), v3)
        v4 = moved(qd, whole, a3)
        a4, _ = a(moved(q, whole, v3), v4)
        return (
            moved(q, whole / 6.0, weighted(qd, v2, v3, v4)),
            moved(qd, whole / 6.0, weighted(a1, a2, a3, a4)),
            a1,
            press,
        )

    n = bias.inputs[0].shape
    inputs = [*(Slot(name, n) for name in ("q", "qd", *ACTING)), Slot("h", (1,))]
    outputs = [Slot(name, n) for name in ("q_after", "qd_after", "qdd", "press")]
    return trace(step, [*inputs, *_constants(mass_matrix, bias)], outputs, "held_rk4")


def _accelerations(
    mass_matrix: Program,
    bias: Program,
    q: Row,
    qd: Row,
    tau: Row,
    dry: Row,
    free: Row,
    viscous: Row,
    offset: Row,
    *constants: Row,
) -> tuple[Row, Row]:
    n = len(q)
    slots = _constants(mass_matrix, bias)
    named = {slot.name: row for slot, row in zip(slots, constants, strict=True)}
    M = inlined(mass_matrix, [q, *(named[name] for name in constant_names(mass_matrix))])
    c = inlined(bias, [q, qd, *(named[name] for name in constant_names(bias))])
    left = [tau[i] - c[i] - (viscous[i] * qd[i] + offset[i]) for i in range(n)]
    qdd = solved(M, [left[i] - dry[i] for i in range(n)], free)
    press: list[Scalar] = []
    for i in range(n):
        rest = left[i]
        for j in range(n):
            rest = rest - M[n * i + j] * qdd[j]
        press.append(rest)
    return qdd, press


def _constants(mass_matrix: Program, bias: Program) -> list[Slot]:
    """Return the constants that either program takes, in the order of `Plant.constants`."""
    both = {slot.name: slot for p in (mass_matrix, bias) for slot in constant_slots(p)}
    order = [*constant_names(bias), *constant_names(mass_matrix)]
    return [both[name] for name in dict.fromkeys(order)]
