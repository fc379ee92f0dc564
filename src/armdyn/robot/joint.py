"""`Joint`: one joint, the link it moves, and the checks that the link is physically possible."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol, cast, get_args

import numpy as np
from numpy.typing import NDArray

from armdyn.checks import (
    LONGEST_NAME,
    Raises,
    about,
    checked_array,
    checked_choice,
    checked_items,
    checked_number,
    checked_text,
)
from armdyn.errors import RobotError
from armdyn.robot.friction import FRICTION_TERMS
from armdyn.robot.leniency import PhysicalFault

Kind = Literal["revolute", "prismatic"]
KINDS: tuple[str, ...] = get_args(Kind)

# A rigid body's principal moments obey the triangle inequality. Published tables are rounded to a
# few digits and zero-thickness bodies lie on the bound, so rounding is tolerated.
TRIANGLE_TOLERANCE = 1e-9

# Moments below this times the mass [m^2] are rounding of a point mass: the radius is 10 nm.
POINT_MASS = 1e-16

# Larger masses, lengths or inertias (SI) do not occur. Below it no computed constant overflows.
LARGEST_NUMBER = 1e12


# Half a degree: tables in degrees have such numbers. Beyond a turn, tables in radians never do.
ROUND_ANGLE = 0.5

NO_LIMITS = {"lower": -math.inf, "upper": math.inf, "velocity": math.inf, "effort": math.inf}


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A joint in normal driving-axis (Craig's modified DH) form, with the link it moves.

    The placement of frame E_i in E_{i-1} is ``Rx(beta) Tx(b) Rz(theta) Tz(d)``; the joint variable
    q adds to `theta` of a revolute joint or to `d` of a prismatic one. SI units, radians. With a
    `tilt` it is ``Tx(b) Rx(beta) Ry(tilt) Rz(theta) Tz(d)``. A branch of a
    tree begins with ``Rz(branch_angle) Tz(branch_offset)``.

    Attributes:
        kind: "revolute" or "prismatic".
        beta: twist about x_{i-1} [rad] (Craig's alpha_{i-1}).
        b: length along x_{i-1} [m] (Craig's a_{i-1}).
        theta: angle about z_i [rad]; for a revolute joint its value at q = 0.
        d: offset along z_i [m]; for a prismatic joint its value at q = 0.
        tilt: angle about y_{i-1}, after beta [rad]. Only axes that are nearly parallel, but not
            quite, need one: their common normal may be kilometres away. Methods that rely on
            common normals do not take such an arm.
        mass: mass of link i [kg].
        com: centre of mass of link i in E_i [m].
        inertia: (xx, xy, xz, yy, yz, zz) of the inertia tensor about the centre of mass, in axes
            of E_i [kg m^2]; off-diagonal entries are tensor entries (xy = -integral x y dm).
        rotor_inertia: inertia of the drive reflected to the joint [kg m^2] or [kg].
        viscous: viscous friction [N m s] or [N s/m].
        coulomb: Coulomb friction [N m] or [N].
        offset: constant friction torque [N m] or force [N].
        load_friction: friction per transmitted torque, from 0 to below 1.
        stribeck: dry friction at rest in addition to Coulomb friction [N m] or [N]; it fades with
            the speed, and may be negative.
        stribeck_velocity: the speed at which half of it is left [rad/s] or [m/s].
        root_friction: friction that grows with the square root of the speed [N m (s/rad)^0.5] or
            [N (s/m)^0.5]; it may be negative.
        lower, upper: limits of q [rad] or [m].
        velocity: limit of |qd| [rad/s] or [m/s].
        effort: limit of |tau| [N m] or [N].
        name: name of the joint; `Robot` names unnamed joints by number.
        parent: name of the joint whose link carries this one, or "base"; None for the joint before.
        branch_angle: angle about z of the parent, before beta [rad]: where several joints hang on
            one link, only one of them lies on its x axis.
        branch_offset: offset along z of the parent, before b [m].

    Examples:
        >>> elbow = armdyn.Joint(b=0.4, mass=2.0, com=(0.2, 0, 0), inertia=(0, 0, 0, 0.03, 0, 0.03))
        >>> elbow.kind, elbow.is_revolute
        ('revolute', True)
    """

    kind: Kind = "revolute"
    beta: float = 0.0
    b: float = 0.0
    theta: float = 0.0
    d: float = 0.0
    tilt: float = 0.0
    mass: float = 0.0
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    rotor_inertia: float = 0.0
    viscous: float = 0.0
    coulomb: float = 0.0
    offset: float = 0.0
    load_friction: float = 0.0
    stribeck: float = 0.0
    stribeck_velocity: float = 0.0
    root_friction: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    name: str = ""
    parent: str | None = None
    branch_angle: float = 0.0
    branch_offset: float = 0.0

    def __post_init__(self) -> None:
        checked_text(
            self.name, "name", empty=True, longest=LONGEST_NAME, error=about("joint", RobotError)
        )
        error = about(f"joint {self.name!r}" if self.name else "joint", RobotError)
        if self.parent is not None:
            checked_text(self.parent, "parent", longest=LONGEST_NAME, error=error)
        checked_choice(self.kind, "kind", KINDS, error=error)
        for field in fields(self):
            if field.name in ("kind", "name", "parent"):
                continue
            size = {"com": 3, "inertia": 6}.get(field.name)
            value = getattr(self, field.name)
            if size is None:
                clean: object = checked_entry(value, field.name, error=error)
            else:
                clean = _numbers(value, field.name, size, error)
            object.__setattr__(self, field.name, clean)
        unsigned = (field for field, term in FRICTION_TERMS.items() if not term.signed)
        for field_name in ("mass", "rotor_inertia", *unsigned):
            value = getattr(self, field_name)
            if value < 0:
                raise error(
                    f"`{field_name}` is {value:g}; it cannot be negative.", argument=field_name
                )
        for name, term in FRICTION_TERMS.items():
            if not getattr(self, name) < term.below:
                raise error(
                    f"`{name}` is {getattr(self, name):g}; it must be below {term.below:g}.",
                    argument=name,
                )
            for field_name in term.shape:
                value = getattr(self, field_name)
                if value < 0 or (value == 0 and getattr(self, name)):
                    raise error(
                        f"`{field_name}` is {value:g}; it must be positive where there is "
                        f"`{name}`.",
                        argument=field_name,
                    )
        if self.coulomb + self.stribeck < 0:
            raise error(
                f"`stribeck` is {self.stribeck:g} and `coulomb` is {self.coulomb:g}; their sum, "
                "the dry friction of a joint that begins to slide, cannot be negative.",
                argument="stribeck",
            )
        for names, text in limit_faults(self.lower, self.upper, self.velocity, self.effort):
            raise error(text, argument=names[0])

    @property
    def is_revolute(self) -> bool:
        """Whether q turns about z_i; else it slides along z_i."""
        return self.kind == "revolute"

    def physical_faults(self) -> list[str]:
        """Return why mass and inertia are physically inconsistent.

        Returns:
            A sentence for each fault; empty if they are consistent.

        Examples:
            >>> armdyn.Joint(mass=1.0, inertia=(1, 0, 0, 1, 0, 3)).physical_faults()
            ['`inertia` has principal moments (1, 1, 3) kg m^2: the largest exceeds the sum ...']
        """
        return [fault.text for fault in link_faults(self)]


class HasInertia(Protocol):
    """What has a mass and the inertia (xx, xy, xz, yy, yz, zz) about its centre."""

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        ...

    @property
    def inertia(self) -> tuple[float, float, float, float, float, float]:
        """Moments xx, xy, xz, yy, yz, zz about the centre of mass [kg m2]."""
        ...


def link_faults(link: HasInertia) -> list[PhysicalFault]:
    """Return the `physical_faults` of a link with the names of the checks that found them."""
    xx, xy, xz, yy, yz, zz = link.inertia
    if link.mass == 0.0:
        text = (
            "`mass` is zero but `inertia` is not: a link without mass has no inertia (an inertia "
            "known only about the joint axis can be given as `rotor_inertia`)"
        )
        return [PhysicalFault(text)] if any(link.inertia) else []
    tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    moments = [float(moment) for moment in np.linalg.eigvalsh(tensor)]
    slack = TRIANGLE_TOLERANCE * max(abs(moments[0]), moments[2]) + POINT_MASS * link.mass
    excess = moments[2] - moments[0] - moments[1]
    if moments[0] >= -slack and excess <= slack:
        return []
    listed = ", ".join(f"{m:.6g}" for m in moments)
    told = f"`inertia` has principal moments ({listed}) kg m^2"
    if moments[0] < -slack:
        why = (
            "they cannot be negative (check signs and that the tensor is about the centre of mass)"
        )
        return [PhysicalFault(f"{told}: {why}")]
    why = (
        f"the largest exceeds the sum of the other two by {100 * excess / moments[2]:.2g} % of "
        "itself (triangle inequality), which no mass distribution can do"
    )
    return [PhysicalFault(f"{told}: {why}", "triangle")]


def in_degrees(angle: float) -> bool:
    """Whether an angle, which should be in radians, is one in degrees.

    It is if it is more than a full turn and a multiple of half a degree: 90 and -22.5, not 1.57.
    """
    return abs(angle) > math.tau and math.remainder(angle, ROUND_ANGLE) == 0.0


def angle_faults(joint: Joint) -> list[PhysicalFault]:
    """Return which angles of a joint are in degrees."""
    return [
        PhysicalFault(
            f"`{name}` is {angle:g}, which is math.radians({angle:g}) if degrees are meant"
        )
        for name in ("beta", "theta", "tilt", "branch_angle")
        if in_degrees(angle := getattr(joint, name))
    ]


def limit_faults(
    lower: float, upper: float, velocity: float, effort: float
) -> list[tuple[tuple[str, ...], str]]:
    """Return which limits no joint can have, by their names, and why."""
    found: list[tuple[tuple[str, ...], str]] = []
    for name, value in (("velocity", velocity), ("effort", effort)):
        if not value > 0:
            told = (
                f"the limit `{name}` is {value:g}; it must be positive (leave it out for no limit)."
            )
            found.append(((name,), told))
    if not lower < upper:
        told = (
            f"`lower` is {lower:g} and `upper` is {upper:g}; `lower` must be the smaller one "
            "(leave both out for no limits)."
        )
        found.append((("lower", "upper"), told))
    return found


def checked_entry(value: object, name: str, *, error: Raises) -> float:
    """Return a number of a description, checked; only limits may be infinite."""
    if name in NO_LIMITS:
        return checked_number(value, name, infinite=True, error=error)
    number = checked_number(value, name, error=error)
    if abs(number) > LARGEST_NUMBER:
        raise error(
            f"`{name}` is {number:g}, expected a number of at most {LARGEST_NUMBER:g} in size (SI "
            "units).",
            argument=name,
        )
    return number


def _numbers(value: object, name: str, size: int, error: Raises) -> tuple[float, ...]:
    if isinstance(value, np.ndarray):
        given = cast("NDArray[Any]", value)
        array = checked_array(given, name, finite=False, what=f"{size} numbers", error=error)
        value = array.tolist()
    items = checked_items(value, name, what=f"{size} numbers", error=error)
    if len(items) != size:
        order = " (xx, xy, xz, yy, yz, zz)" if size == 6 else ""
        raise error(f"`{name}` has {len(items)} entries, expected {size}{order}.", argument=name)
    return tuple(checked_entry(item, name, error=error) for item in items)
