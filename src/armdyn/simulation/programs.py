"""Programs that steps are made of: dynamics with held joints, and the friction law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from armdyn.algorithms.friction import share, sliding, smooth
from armdyn.algorithms.load_friction import factors, signs_of_load
from armdyn.graph.interpret import NODES, evaluate
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import Link
from armdyn.robot.friction import (
    FRICTION_TERMS,
    FrictionTerm,
    in_table,
    parameter_terms,
    shape_fields,
)
from armdyn.scalar import Scalar

# Programs as parts of other programs.
#
# An integration step is compiled as a whole: the dynamics of its stages are inlined into one
# program. Between the stages nothing is written to memory, and no new loop over states begins.

Row = Sequence[Scalar]


def inlined(program: Program, inputs: Sequence[Row]) -> Row:
    """Return the results of a program as part of another."""
    return evaluate(program, [x for row in inputs for x in row], NODES)


def constant_slots(program: Program) -> list[Slot]:
    """Return the inputs of a quantity that are not states."""
    return [slot for slot in program.inputs if slot.name not in ("q", "qd", "tau")]


def constant_names(program: Program) -> list[str]:
    """Return the names of `constant_slots`."""
    return [slot.name for slot in constant_slots(program)]


# `FrictionLaw`: the terms of friction that an arm has, and how programs of steps read them.


@dataclass(frozen=True)
class FrictionLaw:
    """The terms of friction of an arm; it decides programs, so it belongs to their keys.

    Attributes:
        names: the fields of `Joint` with the coefficients.
        terms: the terms themselves.
        has_load_terms: whether friction depends on the torques that gears transmit.
    """

    names: tuple[str, ...]
    terms: tuple[FrictionTerm, ...]
    has_load_terms: bool

    @classmethod
    def of(cls, links: Sequence[Link]) -> FrictionLaw:
        """Return the law of joints, a link for each."""
        names = parameter_terms(link.friction for link in links)
        terms = tuple(FRICTION_TERMS[name] for name in names)
        return cls(names, terms, any(term.load for term in terms))

    @property
    def shapes(self) -> tuple[str, ...]:
        """The fields of `Joint` with the shapes of columns."""
        return shape_fields(self.names)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the constants of friction as inputs of programs, each of n numbers."""
        return (*self.names, *self.shapes, *(["Jm"] if self.has_load_terms else []))

    def constants(self, links: Sequence[Link]) -> list[Sequence[Scalar]]:
        """Return the values of `inputs`, a row for each."""
        table = list(FRICTION_TERMS)
        rows: list[Sequence[Scalar]] = [
            [link.friction[table.index(name)] for link in links] for name in self.names
        ]
        fields = shape_fields()
        rows += [[link.shapes[fields.index(name)] for link in links] for name in self.shapes]
        if self.has_load_terms:
            rows.append([link.Jm for link in links])
        return rows

    def joints(self, rows: Sequence[Row]) -> list[JointFriction]:
        """Return the friction of each joint from the rows of `inputs`."""
        terms, end = len(self.names), len(self.names) + len(self.shapes)
        found: list[JointFriction] = []
        for column in zip(*rows, strict=True):
            coefficients, shapes = in_table(self.names, column[:terms], column[terms:end])
            found.append(JointFriction(coefficients, shapes, column[-1]))
        return found


@dataclass(frozen=True)
class JointFriction:
    """The constants of a joint's friction, in the order of the table, and its rotor inertia."""

    coefficients: Row
    shapes: Row
    Jm: Scalar

    def smooth(self, v: Scalar) -> Scalar:
        """Return friction that is not dry."""
        return smooth(self.coefficients, self.shapes, v)

    def sliding(self, v: Scalar, s: Scalar) -> Scalar:
        """Return dry friction in the direction s, without that of the load."""
        return sliding(self.coefficients, self.shapes, v, s)

    def share(self, v: Scalar, s: Scalar) -> Scalar:
        """Return friction per transmitted torque in the direction s."""
        return share(self.coefficients, self.shapes, v, s)


@lru_cache(maxsize=8)
def friction_programs(law: FrictionLaw) -> tuple[Program, ...]:
    """Return the programs of a joint's smooth friction, dry friction, and share of the load.

    Inputs are the speed, the direction of sliding but for the first, and the constants of the law.
    """
    constants = [Slot(name, (1,)) for name in law.inputs]

    def traced(part: Callable[..., Scalar], *states: str) -> Program:
        def function(*given: Row) -> Row:
            (joint,) = law.joints(given[len(states) :])
            return [part(joint, *(x[0] for x in given[: len(states)]))]

        inputs = [Slot(name, (1,)) for name in states]
        return trace(function, [*inputs, *constants], [Slot("f", (1,))], part.__name__)

    each = JointFriction
    return traced(each.smooth, "v"), traced(each.sliding, "v", "s"), traced(each.share, "v", "s")


# Programs made from the mass matrix: dynamics with held joints, velocities, kinetic energy.
#
# The held joints are an input: `free` is 1 for a free joint and 0 for a held one. So one program
# serves all arms of a batch.


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
