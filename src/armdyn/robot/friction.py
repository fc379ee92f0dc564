"""The friction law: one table of terms, which all other friction code reads.

    f(v, L) = Fo + Fv v + [Fc + Fl |L| + Fs / (1 + (v/vs)^2)] sign(v) + Fq sqrt|v| sign(v)

Friction adds f to the torque that drives a joint at speed v. A term is a coefficient times a
column. The coefficient is a field of `Joint`, zero by default. The column is plain arithmetic on v
and the direction of motion s. A column may have a shape: further fields of `Joint` on which it
depends nonlinearly, such as a speed at which it fades. A term of the load is also multiplied by
|L|, where L is the torque that the gear transmits to the links: inverse dynamics without friction
and without the rotor's own inertia.

s = sign(v) is 0 at rest, so f has no dry friction there: the torque that holds a joint at rest is
unknown, and at most the dry friction of a joint that begins to slide. Simulation knows in which
direction a joint is about to slide, and passes that direction instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Concatenate, TypeAlias

from armdyn.scalar import Scalar, sign, sqrt

# A function of the speed v, the direction s and the numbers of the shape.
Column: TypeAlias = Callable[Concatenate[Scalar, Scalar, ...], Scalar]


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
        load: whether the column is multiplied by |L|, the size of the torque that the gear
            transmits.
        below: the coefficient is below this.
        common: whether every joint has the term as a parameter, even if it is zero. A term that is
            not common is a parameter only of the joints whose description has it.
    """

    symbol: str
    words: str
    units: tuple[str, str]
    column: Column
    slope: Column
    signed: bool = False
    shape: tuple[str, ...] = ()
    load: bool = False
    below: float = math.inf
    common: bool = True

    @property
    def dry(self) -> bool:
        """Whether it can hold a joint at rest: its torque at v = 0 depends on the direction."""
        shape = (1.0,) * len(self.shape)
        return self.column(0.0, 1.0, *shape) != self.column(0.0, -1.0, *shape)

    @property
    def drags(self) -> bool:
        """Whether it brakes in both directions, for a positive coefficient."""
        shape = (1.0,) * len(self.shape)
        ahead, back = self.column(1.0, 1.0, *shape), self.column(-1.0, -1.0, *shape)
        return sign(ahead) != -1.0 and sign(back) != 1.0

    def unit(self, revolute: bool) -> str:
        """Return the unit of the coefficient."""
        return self.units[0] if revolute else self.units[1]


def _fading(v: Scalar, s: Scalar, vs: Scalar) -> Scalar:
    return s / (1.0 + (v / vs) * (v / vs))


def _fading_slope(v: Scalar, s: Scalar, vs: Scalar) -> Scalar:
    faded = 1.0 + (v / vs) * (v / vs)
    return -2.0 * s * (v / (vs * vs)) / (faded * faded)


# The terms by the fields of `Joint` that hold their coefficients.
FRICTION_TERMS: dict[str, FrictionTerm] = {
    "viscous": FrictionTerm(
        "Fv", "viscous", ("N m s", "N s/m"), lambda v, s: v, lambda v, s: 1.0
    ),
    "coulomb": FrictionTerm("Fc", "Coulomb", ("N m", "N"), lambda v, s: s, lambda v, s: 0.0),
    "offset": FrictionTerm(
        "Fo", "constant", ("N m", "N"), lambda v, s: 1.0, lambda v, s: 0.0, signed=True
    ),
    "load_friction": FrictionTerm(
        "Fl", "load", ("1", "1"), lambda v, s: s, lambda v, s: 0.0, load=True, below=1.0,
        common=False,
    ),
    "stribeck": FrictionTerm(
        "Fs", "Stribeck", ("N m", "N"), _fading, _fading_slope, signed=True,
        shape=("stribeck_velocity",), common=False,
    ),
    "root_friction": FrictionTerm(
        "Fq", "square-root", ("N m s^0.5", "N s^0.5/m^0.5"), lambda v, s: s * sqrt(v * s),
        # at rest, where s is 0, the slope is infinite; 0 stands for it, as for dry friction
        lambda v, s: s * s / (2.0 * sqrt(v * s) + (1.0 - s * s)), signed=True, common=False,
    ),
}  # fmt: skip


def coefficients(joint: object) -> tuple[float, ...]:
    """Return the coefficients of a joint in the order of the table."""
    return tuple(getattr(joint, field) for field in FRICTION_TERMS)


def shape_fields(names: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the fields of `Joint` that are shapes of columns: of all terms, or of some."""
    chosen = FRICTION_TERMS if names is None else names
    return tuple(field for name in chosen for field in FRICTION_TERMS[name].shape)


def shapes(joint: object) -> tuple[float, ...]:
    """Return the shapes of a joint's columns; 1 instead of 0, which only absent terms have."""
    return tuple(getattr(joint, field) or 1.0 for field in shape_fields())


def parameter_terms(joints: Iterable[Sequence[Scalar]]) -> tuple[str, ...]:
    """Return the terms that are parameters of an arm: common ones, and those that a joint has.

    Args:
        joints: the coefficients of each joint in the order of the table; one that is not a float
            is unknown, and counts as present.
    """
    present = [any(not isinstance(F, float) or F for F in row) for row in zip(*joints, strict=True)]
    return tuple(
        name
        for (name, term), has in zip(FRICTION_TERMS.items(), present, strict=True)
        if term.common or has
    )


def has_load_terms(joints: Iterable[Sequence[Scalar]]) -> bool:
    """Return whether friction of some joint depends on its load; for `joints` see above."""
    return any(FRICTION_TERMS[name].load for name in parameter_terms(joints))


def in_table(
    names: Sequence[str], coefficients: Sequence[Scalar], shapes: Sequence[Scalar] = ()
) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
    """Return coefficients and shapes of some terms as those of the whole table.

    Args:
        names: the terms.
        coefficients: of them.
        shapes: of their columns.
    """
    given = dict(zip(names, coefficients, strict=True))
    shaped = dict(zip(shape_fields(names), shapes, strict=True)) if shapes else {}
    return (
        tuple(given.get(name, 0.0) for name in FRICTION_TERMS),
        tuple(shaped.get(field, 1.0) for field in shape_fields()),
    )


def out_of_table(names: Sequence[str], coefficients: Sequence[Scalar]) -> list[Scalar]:
    """Return the coefficients of some terms out of those of the whole table."""
    return [F for name, F in zip(FRICTION_TERMS, coefficients, strict=True) if name in names]
