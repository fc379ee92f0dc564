"""`FrictionLaw`: the terms of friction that an arm has, and how programs of steps read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.friction import share, sliding, smooth
from armdyn.graph import Program, Slot, trace
from armdyn.robot import FRICTION_TERMS, Chain, FrictionTerm
from armdyn.robot.friction import in_table, parameter_terms, shape_fields
from armdyn.scalar import Scalar
from armdyn.simulation._inline import Row


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
    def of(cls, chain: Chain) -> FrictionLaw:
        """Return the law of an arm."""
        names = parameter_terms(link.friction for link in chain.links)
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

    def constants(self, chain: Chain) -> list[Sequence[Scalar]]:
        """Return the values of `inputs`, a row for each."""
        table = list(FRICTION_TERMS)
        rows: list[Sequence[Scalar]] = [
            [link.friction[table.index(name)] for link in chain.links] for name in self.names
        ]
        fields = shape_fields()
        rows += [[link.shapes[fields.index(name)] for link in chain.links] for name in self.shapes]
        if self.has_load_terms:
            rows.append([link.Jm for link in chain.links])
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


def friction_programs(law: FrictionLaw) -> tuple[Program, Program, Program]:
    """Return the programs of a joint's smooth friction, dry friction, and share of the load.

    Inputs are the speed, the direction of sliding but for the first, and the constants of the law.
    """
    speed, way, out = Slot("v", (1,)), Slot("s", (1,)), [Slot("f", (1,))]
    constants = [Slot(name, (1,)) for name in law.inputs]

    def smoothly(v: Row, *rows: Row) -> Row:
        return [law.joints(rows)[0].smooth(v[0])]

    def dry(v: Row, s: Row, *rows: Row) -> Row:
        return [law.joints(rows)[0].sliding(v[0], s[0])]

    def of_load(v: Row, s: Row, *rows: Row) -> Row:
        return [law.joints(rows)[0].share(v[0], s[0])]

    return (
        trace(smoothly, [speed, *constants], out, "smooth"),
        trace(dry, [speed, way, *constants], out, "dry"),
        trace(of_load, [speed, way, *constants], out, "share"),
    )
