"""Programs made from the mass matrix: dynamics with held joints, velocities, kinetic energy.

The held joints are an input: `free` is 1 for a free joint and 0 for a held one. So one program
serves all arms of a batch.
"""

from __future__ import annotations

from functools import lru_cache

from armdyn.algorithms.load_friction import factors, signs_of_load
from armdyn.graph import Program, Slot, trace
from armdyn.scalar import Scalar
from armdyn.simulation._friction_law import FrictionLaw
from armdyn.simulation._inline import Row, constant_names, constant_slots, inlined


@lru_cache(maxsize=16)
def held_program(mass_matrix: Program, bias: Program, law: FrictionLaw) -> Program:
    """Return the program for the accelerations, and for the torques on the holds.

    Inputs are q, qd, the inputs of `acting`, and the constants.
    Outputs are qdd, which is zero for held joints, and press, the torque on each hold.
    """

    def both(q: Row, qd: Row, *given: Row) -> tuple[Row, Row]:
        return held_accelerations(mass_matrix, bias, law, q, qd, *given)

    n = bias.inputs[0].shape
    outputs = [Slot("qdd", n), Slot("press", n)]
    inputs = [Slot(name, n) for name in ("q", "qd", *acting(law))]
    return trace(both, [*inputs, *held_constants(mass_matrix, bias)], outputs, "held")


def acting(law: FrictionLaw) -> tuple[str, ...]:
    """Return the names of the inputs that act on joints, in addition to gravity.

    They are the torque, the direction in which a joint slides, whether it is free, and the
    constants of friction.
    """
    return ("tau", "slide", "free", *law.inputs)


def held_accelerations(
    mass_matrix: Program,
    bias: Program,
    law: FrictionLaw,
    q: Row,
    qd: Row,
    tau: Row,
    slide: Row,
    free: Row,
    *more: Row,
) -> tuple[Row, Row]:
    """Return qdd and press; for the arguments, see `held_program`."""
    n, end = len(q), len(law.inputs)
    friction, constants = law.joints(more[:end]), more[end:]
    slots = held_constants(mass_matrix, bias)
    named = {slot.name: row for slot, row in zip(slots, constants, strict=True)}
    M = inlined(mass_matrix, [q, *(named[name] for name in constant_names(mass_matrix))])
    c = inlined(bias, [q, qd, *(named[name] for name in constant_names(bias))])
    left = [tau[i] - c[i] - friction[i].smooth(qd[i]) for i in range(n)]
    dry = [friction[i].sliding(qd[i], slide[i]) for i in range(n)]
    if law.has_load_terms:
        s = [tau[i] - friction[i].smooth(qd[i]) - dry[i] for i in range(n)]
        share = [friction[i].share(qd[i], slide[i]) for i in range(n)]
        qdd = _under_load(M, c, s, share, [joint.Jm for joint in friction], free)
    else:
        qdd = solved(M, [left[i] - dry[i] for i in range(n)], free)
    press: list[Scalar] = []
    for i in range(n):
        rest = left[i]
        for j in range(n):
            rest = rest - M[n * i + j] * qdd[j]
        press.append(rest)
    return qdd, press


def _under_load(M: Row, c: Row, s: Row, share: Row, Jm: Row, free: Row) -> Row:
    """Return qdd where friction depends on the load; see `armdyn.algorithms.load_friction`.

    Args:
        M: mass matrix with rotors.
        c: bias.
        s: torques less friction other than that of the load.
        share: friction per transmitted torque.
        Jm: rotor inertias.
        free: 1 for a free joint, 0 for a held one.
    """
    n = len(c)

    def solve(rotors: Row, torques: Row) -> Row:
        eased = list(M)
        for i in range(n):
            eased[n * i + i] = M[n * i + i] + (rotors[i] - Jm[i])
        return solved(eased, [torques[i] - c[i] for i in range(n)], free)

    signs, agreed = signs_of_load(s, share, Jm, solve)
    d = factors(share, signs)
    return solve(
        [J / x for J, x in zip(Jm, d, strict=True)],
        [t / (x * agreed) for t, x in zip(s, d, strict=True)],
    )


def held_constants(mass_matrix: Program, bias: Program) -> list[Slot]:
    """Return the constants of both programs, in the order of `Plant.constants`."""
    both = {slot.name: slot for p in (mass_matrix, bias) for slot in constant_slots(p)}
    order = [*constant_names(bias), *constant_names(mass_matrix)]
    return [both[name] for name in dict.fromkeys(order)]


@lru_cache(maxsize=16)
def held_velocity_program(mass_matrix: Program) -> Program:
    """Return the program from momenta to velocities: inputs q, p, free; output qd."""

    def velocity(q: Row, p: Row, free: Row, *constants: Row) -> Row:
        return solved(inlined(mass_matrix, [q, *constants]), p, free)

    n = mass_matrix.inputs[0].shape
    inputs = [*(Slot(name, n) for name in ("q", "p", "free")), *constant_slots(mass_matrix)]
    return trace(velocity, inputs, [Slot("qd", n)], "held_velocity")


@lru_cache(maxsize=16)
def kinetic_program(mass_matrix: Program) -> Program:
    """Return the program of qd . M qd / 2: inputs q, qd and the constants of the mass matrix."""

    def kinetic(q: Row, qd: Row, *constants: Row) -> Scalar:
        M = inlined(mass_matrix, [q, *constants])
        n = len(qd)
        twice: Scalar = 0.0
        for i in range(n):
            row: Scalar = M[n * i + i] * qd[i]
            for j in range(i):  # M is symmetric: once for both entries
                row = row + 2.0 * M[n * i + j] * qd[j]
            twice = twice + row * qd[i]
        return 0.5 * twice

    n = mass_matrix.inputs[0].shape
    inputs = [Slot("q", n), Slot("qd", n), *constant_slots(mass_matrix)]
    return trace(kinetic, inputs, [Slot("T", ())], "kinetic_energy")


def solved(M: Row, right: Row, free: Row) -> list[Scalar]:
    """Solve M x = right for the free joints; x of held joints is zero.

    The rows and columns of held joints are replaced by those of the identity matrix, so the
    program has no branches. The method is the factorisation M = L D L^T.
    """
    n = len(right)
    lower: list[list[Scalar]] = []
    diagonal: list[Scalar] = []
    x: list[Scalar] = []
    for i in range(n):
        row: list[Scalar] = []  # of L D, until it is divided by D
        for j in range(i):
            entry: Scalar = free[i] * free[j] * M[n * i + j]
            for k in range(j):
                entry = entry - row[k] * lower[j][k]
            row.append(entry)
        pivot: Scalar = free[i] * M[n * i + i] + (1.0 - free[i])
        known: Scalar = free[i] * right[i]
        lower.append([])
        for j in range(i):
            lower[i].append(row[j] / diagonal[j])
            pivot = pivot - row[j] * lower[i][j]
            known = known - lower[i][j] * x[j]
        diagonal.append(pivot)
        x.append(known)
    x = [a / d for a, d in zip(x, diagonal, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - lower[k][i] * x[k]
    return x
