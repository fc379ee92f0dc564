"""The friction law: one table of terms, which all other friction code reads.

    f(v) = Fv v + Fc sign(v) + Fo

Friction adds f to the torque that drives a joint at speed v. A term is a coefficient times a
column. The coefficient is a field of `Joint`, zero by default. The column is plain arithmetic on v
and the direction of motion s. A column may have a shape: further fields of `Joint` on which it
depends nonlinearly, such as a speed at which it fades.

s = sign(v) is 0 at rest, so f has no dry friction there: the torque that holds a joint at rest is
unknown, and at most the dry friction of a joint that begins to slide. Simulation knows in which
direction a joint is about to slide, and passes that direction instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Concatenate, TypeAlias

from armdyn.scalar import Scalar

Column: TypeAlias = Callable[Concatenate[Scalar, Scalar, ...], Scalar]
"""A function of the speed v, the direction s and the numbers of the shape."""


@dataclass(frozen=True)
class FrictionTerm:
    """One term of the law.

    Attributes:
        symbol: of the coefficient.
        words: the adjective before the word "friction".
        units: of the coefficient, for a revolute and for a prismatic joint.
        column: the torque for a coefficient of 1.
        slope: its derivative by v, at constant s.
        signed: whether the coefficient may be negative.
        shape: further fields of `Joint`, positive where the coefficient is not zero.
    """

    symbol: str
    words: str
    units: tuple[str, str]
    column: Column
    slope: Column
    signed: bool = False
    shape: tuple[str, ...] = ()

    @property
    def dry(self) -> bool:
        """Whether it can hold a joint at rest: its torque at v = 0 depends on the direction."""
        shape = (1.0,) * len(self.shape)
        return self.column(0.0, 1.0, *shape) != self.column(0.0, -1.0, *shape)

    def unit(self, revolute: bool) -> str:
        """Return the unit of the coefficient."""
        return self.units[0] if revolute else self.units[1]


FRICTION_TERMS: dict[str, FrictionTerm] = {
    "viscous": FrictionTerm(
        "Fv", "viscous", ("N m s", "N s/m"), lambda v, s: v, lambda v, s: 1.0
    ),
    "coulomb": FrictionTerm("Fc", "Coulomb", ("N m", "N"), lambda v, s: s, lambda v, s: 0.0),
    "offset": FrictionTerm(
        "Fo", "constant", ("N m", "N"), lambda v, s: 1.0, lambda v, s: 0.0, signed=True
    ),
}  # fmt: skip
"""The terms by the fields of `Joint` that hold their coefficients."""


def coefficients(joint: object) -> tuple[float, ...]:
    """Return the coefficients of a joint in the order of the table."""
    return tuple(getattr(joint, field) for field in FRICTION_TERMS)


def shape_fields() -> tuple[str, ...]:
    """Return the fields of `Joint` that are shapes of columns, in the order of the table."""
    return tuple(field for term in FRICTION_TERMS.values() for field in term.shape)


def shapes(joint: object) -> tuple[float, ...]:
    """Return the shapes of a joint's columns; 1 instead of 0, which only absent terms have."""
    return tuple(getattr(joint, field) or 1.0 for field in shape_fields())
