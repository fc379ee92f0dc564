"""`Robot`: the frozen description of a serial arm."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn._checks import about, checked_array, checked_flag, checked_items, checked_text
from armdyn.errors import RobotError, RobotWarning, shown
from armdyn.robot._joint import LARGEST_NUMBER, Joint
from armdyn.robot._shape import Shape

Placement: TypeAlias = tuple[tuple[float, float, float, float], ...]
"""A 4x4 homogeneous placement, as rows."""

IDENTITY: Placement = (
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
)

# A placement is refused if R^T R differs from the identity by more than this.
ROTATION_TOLERANCE = 1e-9


@dataclass(frozen=True, init=False)
class Robot:
    """A serial arm: its joints from base to tip, and where it stands.

    Attributes:
        joints: the joints and links, base first.
        gravity: gravitational acceleration in the base frame [m/s^2].
        base: 4x4 placement of E_0 in the base frame; None for the identity.
        tool: 4x4 placement of the tip in E_n; None for the identity.
        name: name of the arm.
        strict: refuse masses and inertias that no rigid body can have; False turns the refusal into
            a `RobotWarning` that names the link.
        notes: what a reader did to the description (snapped, merged, frozen), one sentence each.
        shapes: solids that the links occupy, if the file has any; `excite` keeps them apart.

    Examples:
        >>> link = dict(mass=1.0, com=(0.25, 0, 0), inertia=(0, 0, 0, 0.02, 0, 0.02))
        >>> joints = [armdyn.Joint(**link), armdyn.Joint(b=0.5, **link)]
        >>> robot = armdyn.Robot(joints, gravity=(0, -9.81, 0), name="pendulum")
        >>> [joint.name for joint in robot.joints]
        ['joint1', 'joint2']
        >>> armdyn.Arm(robot).gravity([0.0, 0.0])
        array([9.81  , 2.4525])
    """

    joints: tuple[Joint, ...]
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    base: Placement = IDENTITY
    tool: Placement = IDENTITY
    name: str = "arm"
    strict: bool = field(default=True, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    shapes: tuple[Shape, ...] = field(default=(), compare=False, repr=False)

    # Written by hand so that argument types can be wider than field types.
    def __init__(
        self,
        joints: Iterable[Joint],
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        base: ArrayLike | None = None,
        tool: ArrayLike | None = None,
        name: str = "arm",
        strict: bool = True,
        notes: Iterable[str] = (),
        shapes: Iterable[Shape] = (),
    ) -> None:
        self._describe(joints, gravity, base, tool, name, strict, notes, shapes)
        self._check_physics()

    @classmethod
    def of_known_faults(
        cls,
        joints: Iterable[Joint],
        gravity: Sequence[float],
        base: ArrayLike,
        tool: ArrayLike,
        name: str,
        notes: Iterable[str],
        shapes: Iterable[Shape] = (),
    ) -> Robot:
        """Return a robot with impossible links; the caller has warned of them.

        Examples:
            >>> joints = [armdyn.Joint(mass=1.0, inertia=(1, 0, 0, 1, 0, 3))]
            >>> at = np.eye(4)
            >>> armdyn.Robot.of_known_faults(joints, (0, 0, 0), at, at, "odd", []).strict
            False
        """
        robot = object.__new__(cls)
        robot._describe(joints, gravity, base, tool, name, False, notes, shapes)
        return robot

    def _describe(
        self,
        joints: Iterable[Joint],
        gravity: Sequence[float],
        base: ArrayLike | None,
        tool: ArrayLike | None,
        name: str,
        strict: bool,
        notes: Iterable[str],
        shapes: Iterable[Shape],
    ) -> None:
        checked_text(name, "name", empty=True, error=about("robot", RobotError))
        strict = checked_flag(strict, "strict", error=RobotError)
        put = object.__setattr__
        put(self, "joints", _named(joints, name))
        put(self, "gravity", _gravity(gravity))
        put(self, "base", placement_of(base, "base"))
        put(self, "tool", placement_of(tool, "tool"))
        put(self, "name", name)
        put(self, "strict", strict)
        put(self, "notes", _sentences(notes))
        put(self, "shapes", _shapes(shapes, len(self.joints)))

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    def _check_physics(self) -> None:
        faults = [f"joint {j.name!r}: {f}" for j in self.joints for f in j.physical_faults()]
        if not faults:
            return
        text = f"robot {self.name!r} has a link that cannot exist: " + "; ".join(faults) + "."
        if self.strict:
            raise RobotError(text + " Correct it, or pass strict=False to use it all the same.")
        warnings.warn(text, RobotWarning, stacklevel=3)


def _named(joints: Iterable[Joint], robot: str) -> tuple[Joint, ...]:
    def error(words: str) -> RobotError:
        return RobotError(f"robot {robot!r}{words}", argument="joints")

    try:
        listed = tuple(joints)
    except TypeError:
        raise error(": `joints` must be a sequence of Joint.") from None
    if not listed:
        raise error(" has no joints; an arm needs at least one.")
    for k, joint in enumerate(listed, 1):
        if not isinstance(joint, Joint):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise error(f": `joints[{k - 1}]` is {shown(joint)}, expected a Joint.")
    listed = tuple(j if j.name else replace(j, name=f"joint{k}") for k, j in enumerate(listed, 1))
    twice = sorted(name for name, count in Counter(j.name for j in listed).items() if count > 1)
    if twice:
        raise error(f": joint names must differ; twice: {', '.join(twice)}.")
    return listed


def _sentences(notes: Iterable[str]) -> tuple[str, ...]:
    try:
        sentences = (notes,) if isinstance(notes, str) else tuple(notes)
    except TypeError:
        raise RobotError(
            f"`notes` is {shown(notes)}, expected sentences.", argument="notes"
        ) from None
    for note in sentences:
        if not isinstance(note, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RobotError(f"`notes` has {shown(note)}, expected sentences.", argument="notes")
    return sentences


def _shapes(shapes: Iterable[Shape], n: int) -> tuple[Shape, ...]:
    what = f"armdyn.robot.Shape objects of links 0 to {n}"
    listed = checked_items(shapes, "shapes", what=what, error=RobotError)
    for shape in listed:
        if not isinstance(shape, Shape) or not 0 <= shape.link <= n:
            raise RobotError(f"`shapes` has {shown(shape)}, expected {what}.", argument="shapes")
    return cast("tuple[Shape, ...]", tuple(listed))


def _gravity(value: Sequence[float]) -> tuple[float, float, float]:
    what = "three finite numbers [m/s^2]"
    g = checked_array(value, "gravity", (3,), what=what, error=RobotError)
    if not (np.abs(g) <= LARGEST_NUMBER).all():
        raise RobotError(f"`gravity` is {shown(value)}, expected {what}.", argument="gravity")
    return (float(g[0]), float(g[1]), float(g[2]))


def placement_of(value: ArrayLike | None, name: str) -> Placement:
    """Return a 4x4 placement, checked; None is the identity."""
    if value is None:
        return IDENTITY
    T = checked_array(value, name, (4, 4), what="a 4x4 placement", error=RobotError)
    if (np.abs(T[:3, 3]) > LARGEST_NUMBER).any():
        raise RobotError(
            f"`{name}` is more than {LARGEST_NUMBER:g} m away, expected metres.", argument=name
        )
    R = T[:3, :3]
    with np.errstate(all="ignore"):  # huge entries overflow, and are refused just below
        wrong = float(np.abs(R.T @ R - np.eye(3)).max())
        right = wrong <= ROTATION_TOLERANCE and np.linalg.det(R) > 0
    if not right or (T[3] != (0.0, 0.0, 0.0, 1.0)).any():
        raise RobotError(
            f"`{name}` is not a placement: its 3x3 block must be a rotation (R^T R is {wrong:.1e} "
            "from the identity, determinant must be +1) and its last row 0 0 0 1.",
            argument=name,
        )
    return cast(Placement, tuple(tuple(float(x) for x in row) for row in T))
