"""`Joint`: one joint, the link it moves, and the checks that a possible link passes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, get_args

import numpy as np

from armdyn.errors import RobotError, shown

Kind = Literal["revolute", "prismatic"]
KINDS: tuple[str, ...] = get_args(Kind)

# A rigid body's principal moments obey the triangle inequality; published tables are rounded to a
# few digits and zero-thickness bodies sit on the bound, so rounding noise is forgiven.
TRIANGLE_TOLERANCE = 1e-9

# Moments below this share of the mass [m^2] are rounding of a point mass: the radius is 10 nm.
POINT_MASS = 1e-16

# Beyond this no mass, length or inertia of a machine lies, and what is made of it cannot overflow.
LARGEST_NUMBER = 1e12


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A joint in normal driving-axis (Craig's modified DH) form, with the link behind it.

    The placement of frame E_i in E_{i-1} is ``Rx(beta) Tx(b) Rz(theta) Tz(d)``; the joint variable
    q adds to `theta` of a revolute joint or to `d` of a prismatic one. SI units, radians.

    Attributes:
        kind: "revolute" or "prismatic".
        beta: twist about x_{i-1} [rad] (Craig's alpha_{i-1}).
        b: length along x_{i-1} [m] (Craig's a_{i-1}).
        theta: angle about z_i [rad]; for a revolute joint its value at q = 0.
        d: offset along z_i [m]; for a prismatic joint its value at q = 0.
        mass: mass of link i [kg].
        com: centre of mass of link i in E_i [m].
        inertia: (xx, xy, xz, yy, yz, zz) of the inertia tensor about the centre of mass, in axes
            of E_i [kg m^2]; off-diagonal entries are tensor entries (xy = -integral x y dm).
        rotor_inertia: inertia of the drive reflected to the joint [kg m^2] or [kg].
        viscous: viscous friction [N m s] or [N s/m].
        coulomb: Coulomb friction [N m] or [N].
        offset: constant friction torque [N m] or force [N].
        lower, upper: limits of q [rad] or [m].
        velocity: limit of |qd| [rad/s] or [m/s].
        effort: limit of |tau| [N m] or [N].
        name: name of the joint; the robot numbers the unnamed.
    """

    kind: Kind = "revolute"
    beta: float = 0.0
    b: float = 0.0
    theta: float = 0.0
    d: float = 0.0
    mass: float = 0.0
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    rotor_inertia: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    offset: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RobotError(f"joint: `name` is {shown(self.name)}, expected a string.")
        who = f"joint {self.name!r}" if self.name else "joint"
        if self.kind not in KINDS:
            raise RobotError(
                f"{who}: `kind` is {shown(self.kind)}, expected one of "
                f"{', '.join(map(repr, KINDS))}."
            )
        for field in fields(self):
            if field.name in ("kind", "name"):
                continue
            size = {"com": 3, "inertia": 6}.get(field.name)
            value = getattr(self, field.name)
            if size is None:
                clean: object = checked_number(value, who, field.name)
            else:
                clean = _numbers(value, size, who, field.name)
            object.__setattr__(self, field.name, clean)
        for field_name in ("mass", "rotor_inertia", "viscous", "coulomb"):
            value = getattr(self, field_name)
            if value < 0:
                raise RobotError(f"{who}: `{field_name}` is {value:g}; it cannot be negative.")
        for field_name in ("velocity", "effort"):
            if not getattr(self, field_name) > 0:
                raise RobotError(
                    f"{who}: the limit `{field_name}` is {getattr(self, field_name):g}; it must be "
                    "positive (leave it out for no limit)."
                )
        if not self.lower < self.upper:
            raise RobotError(
                f"{who}: `lower` is {self.lower:g} and `upper` is {self.upper:g}; `lower` must be "
                "the smaller one (leave both out for no limits)."
            )

    @property
    def is_revolute(self) -> bool:
        """Whether q turns about z_i; else it slides along z_i."""
        return self.kind == "revolute"

    def physical_faults(self) -> list[str]:
        """Say what about mass and inertia no rigid body can have; empty for a possible link."""
        xx, xy, xz, yy, yz, zz = self.inertia
        if self.mass == 0.0:
            if any(self.inertia):
                return [
                    "`mass` is zero but `inertia` is not: a link without mass has no inertia "
                    "(an inertia known only about the joint axis can be given as `rotor_inertia`)"
                ]
            return []
        tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        moments = [float(moment) for moment in np.linalg.eigvalsh(tensor)]
        slack = TRIANGLE_TOLERANCE * max(abs(moments[0]), moments[2]) + POINT_MASS * self.mass
        listed = ", ".join(f"{m:.6g}" for m in moments)
        if moments[0] < -slack:
            return [
                f"`inertia` has principal moments ({listed}) kg m^2: they cannot be negative "
                "(check signs and that the tensor is about the centre of mass)"
            ]
        if moments[2] > moments[0] + moments[1] + slack:
            return [
                f"`inertia` has principal moments ({listed}) kg m^2: the largest exceeds the sum "
                "of the other two (triangle inequality), which no mass distribution can do"
            ]
        return []


def checked_number(value: object, who: str, name: str) -> float:
    """Return a number as a float; refuse what is none, NaN and (except for limits) infinity."""
    limit = name in ("lower", "upper", "velocity", "effort")
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise RobotError(f"{who}: `{name}` is {shown(value)}, expected a number.")
    try:
        number = float(value)  # pyright: ignore[reportUnknownArgumentType]
    except OverflowError:
        raise RobotError(
            f"{who}: `{name}` is an integer beyond the range of floats, expected a finite number."
        ) from None
    if math.isnan(number) or (math.isinf(number) and not limit):
        raise RobotError(f"{who}: `{name}` is {number}, expected a finite number.")
    if abs(number) > LARGEST_NUMBER and not limit:
        raise RobotError(
            f"{who}: `{name}` is {number:g}, expected a number of at most {LARGEST_NUMBER:g} in "
            "size (SI units)."
        )
    return number


def _numbers(value: object, size: int, who: str, name: str) -> tuple[float, ...]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise RobotError(f"{who}: `{name}` is {shown(value)}, expected {size} numbers.")
    items: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
    if len(items) != size:
        order = " (xx, xy, xz, yy, yz, zz)" if size == 6 else ""
        raise RobotError(f"{who}: `{name}` has {len(items)} entries, expected {size}{order}.")
    return tuple(checked_number(item, who, name) for item in items)
