"""`Robot`: the frozen description of an arm or a tree of joints, with named frames and solids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.checks import LONGEST_NAME, about, checked_array, checked_items, checked_text
from armdyn.errors import RobotError, shown
from armdyn.robot.joint import LARGEST_NUMBER, Joint, angle_faults, link_faults
from armdyn.robot.leniency import Leniency, PhysicalFault, checked_leniency
from armdyn.robot.mechanism import Follower, checked_tree, ends, is_serial

# `Shape`: a solid of a link, as the file of a robot describes it for collisions or for the eye.

ShapeKind = Literal["box", "cylinder", "sphere", "capsule", "mesh", "unknown"]

Colour: TypeAlias = tuple[float, float, float, float]
Rows: TypeAlias = tuple[tuple[float, float, float, float], ...]


@dataclass(frozen=True)
class Shape:
    """A solid fixed to a link. Dynamics do not use it; a mesh is opened only when it is needed.

    Attributes:
        link: 0 for the base, i for the link that joint i moves.
        kind: "box", "cylinder", "sphere", "capsule" or "mesh"; "unknown" if the file has a solid
            that could not be understood.
        size: edges of a box; radius and length of a cylinder, and of a capsule without its ends;
            radius of a sphere; three scales of a mesh [m].
        placement: 4x4, of its frame in E_i, or in the base frame for link 0, as rows; cylinders and
            capsules lie along its z.
        file: name of the mesh, as written in the file of the robot.
        folder: in which the file of the robot is.
        colour: red, green, blue and opacity from 0 to 1; None if the file says nothing.

    Examples:
        >>> from armdyn.robot.model import IDENTITY, Shape
        >>> Shape(1, "sphere", (0.1,), IDENTITY).kind
        'sphere'
    """

    link: int
    kind: ShapeKind
    size: tuple[float, ...]
    placement: Rows
    file: str = ""
    folder: str = ""
    colour: Colour | None = None


# `NamedFrame`: a frame of a robot's file, fixed to a link of the arm.


@dataclass(frozen=True)
class NamedFrame:
    """A frame that the file of a robot names: of a link, a joint, a body or a site.

    Dynamics do not use it. `Arm.pose`, `Arm.jacobian` and `Arm.inverse_kinematics` take its name.

    Attributes:
        name: as in the file.
        link: 0 for the base, i for the link that joint i moves.
        placement: 4x4, in E_i, or in the base frame for link 0, as rows.

    Examples:
        >>> from armdyn.robot.model import IDENTITY, NamedFrame
        >>> NamedFrame("camera", 2, IDENTITY).link
        2
    """

    name: str
    link: int
    placement: Rows


# `Robot`: the frozen description.

# A 4x4 homogeneous placement, as rows.
Placement: TypeAlias = tuple[tuple[float, float, float, float], ...]

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
    """An arm or a tree: its joints from the base to the tips, and where it stands.

    Attributes:
        joints: the joints and links, base first. A joint hangs on the one before it unless
            `Joint.parent` names another.
        gravity: gravitational acceleration in the base frame [m/s^2].
        base: 4x4 placement of E_0 in the base frame; None for the identity.
        tool: 4x4 placement of the tip in E_n; None for the identity.
        name: name of the arm.
        strict: refuse masses and inertias that no rigid body can have, and angles that are degrees;
            False turns the refusal into a `RobotWarning` that names the link.
        notes: what a reader did to the description (snapped, merged, frozen), one sentence each.
        shapes: solids that the links occupy, if the file has any; `excite` keeps them apart.
        frames: the frames that the file names, fixed to links of the arm.
        visuals: solids that are seen of the links, if the file has any: meshes for a picture.
        waive: checks whose refusal is a `RobotWarning` too, by name: "triangle".
        followers: joints that follow others; they have no coordinate of their own.
        tips: names of the `frames` at the ends of a tree.

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
    frames: tuple[NamedFrame, ...] = field(default=(), compare=False, repr=False)
    waive: tuple[str, ...] = field(default=(), compare=False)
    visuals: tuple[Shape, ...] = field(default=(), compare=False, repr=False)
    followers: tuple[Follower, ...] = ()
    tips: tuple[str, ...] = ()

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
        frames: Iterable[NamedFrame] = (),
        waive: Sequence[str] = (),
        visuals: Iterable[Shape] = (),
        followers: Iterable[Follower] = (),
        tips: Iterable[str] = (),
    ) -> None:
        leniency = checked_leniency(strict, waive, error=RobotError)
        self._describe(
            joints, gravity, base, tool, name, notes, shapes, frames, leniency, visuals, followers,
            tips,
        )  # fmt: skip
        self._check(leniency, angle_faults, "an angle in degrees, expected radians")
        self._check(leniency, link_faults, "a physically inconsistent link")

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
        frames: Iterable[NamedFrame] = (),
        strict: bool = False,
        waive: Sequence[str] = (),
        visuals: Iterable[Shape] = (),
        followers: Iterable[Follower] = (),
        tips: Iterable[str] = (),
    ) -> Robot:
        """Return a robot with physically inconsistent links; the caller has warned of them.

        Args:
            joints: the joints, base first.
            gravity: gravity ``(3,)`` in the base frame [m/s^2].
            base: pose ``(4, 4)`` of E_0 in the base frame [m].
            tool: pose ``(4, 4)`` of the tip in E_n [m].
            name: name of the robot.
            notes: remarks of the reader of the file.
            shapes: collision shapes of the links.
            frames: named frames of the file.
            strict: as for `Robot`.
            waive: as for `Robot`.
            visuals: visual shapes of the links.
            followers: joints that follow others.
            tips: names of the frames at the ends of a tree.

        Returns:
            The robot.

        Examples:
            >>> joints = [armdyn.Joint(mass=1.0, inertia=(1, 0, 0, 1, 0, 3))]
            >>> at = np.eye(4)
            >>> armdyn.Robot.of_known_faults(joints, (0, 0, 0), at, at, "odd", []).strict
            False
        """
        robot = object.__new__(cls)
        leniency = checked_leniency(strict, waive, error=RobotError)
        robot._describe(
            joints, gravity, base, tool, name, notes, shapes, frames, leniency, visuals, followers,
            tips,
        )  # fmt: skip
        return robot

    def with_joints(
        self, joints: Iterable[Joint], *, gravity: Sequence[float] | None = None
    ) -> Robot:
        """Return the robot with other joint data, without checks and warnings.

        Args:
            joints: as many joints as before.
            gravity: gravity ``(3,)`` in the base frame [m/s^2], if it changes too.

        Returns:
            The robot.

        Examples:
            >>> from dataclasses import replace
            >>> robot = armdyn.load("planar2").robot
            >>> heavier = [replace(joint, mass=2.0) for joint in robot.joints]
            >>> [joint.mass for joint in robot.with_joints(heavier).joints]
            [2.0, 2.0]
        """
        return Robot.of_known_faults(
            joints, self.gravity if gravity is None else gravity, self.base, self.tool, self.name,
            self.notes, self.shapes, self.frames, visuals=self.visuals, followers=self.followers,
            tips=self.tips,
        )  # fmt: skip

    def _describe(
        self,
        joints: Iterable[Joint],
        gravity: Sequence[float],
        base: ArrayLike | None,
        tool: ArrayLike | None,
        name: str,
        notes: Iterable[str],
        shapes: Iterable[Shape],
        frames: Iterable[NamedFrame],
        leniency: Leniency,
        visuals: Iterable[Shape],
        followers: Iterable[Follower],
        tips: Iterable[str],
    ) -> None:
        checked_text(
            name, "name", empty=True, longest=LONGEST_NAME, error=about("robot", RobotError)
        )
        put = object.__setattr__
        put(self, "followers", _followers(followers, name))
        put(self, "joints", _named(joints, [one.joint.name for one in self.followers], name))
        if not is_serial(self):
            put(self, "joints", checked_tree(self.joints, self.followers, name))
        put(self, "gravity", _gravity(gravity))
        put(self, "base", placement_of(base, "base"))
        put(self, "tool", placement_of(tool, "tool"))
        if self.tool != IDENTITY and not is_serial(self) and len(ends(self)) > 1:
            raise RobotError(
                f"robot {name!r} has several tips, but `tool` places one; name the ends of a tree "
                "as `frames`, and list them as `tips`.",
                argument="tool",
            )
        put(self, "name", name)
        put(self, "strict", leniency.strict)
        put(self, "waive", leniency.waive)
        put(self, "notes", _sentences(notes))
        put(self, "shapes", _on_links(shapes, "shapes", Shape, len(self.links)))
        put(self, "visuals", _on_links(visuals, "visuals", Shape, len(self.links)))
        put(self, "frames", _frames(frames, len(self.links)))
        put(self, "tips", _tips(tips, self))

    @property
    def n(self) -> int:
        """Number of joints; followers are not among them."""
        return len(self.joints)

    @property
    def links(self) -> tuple[Joint, ...]:
        """The joints and links that the robot has: `joints`, then those of `followers`."""
        if not self.followers:
            return self.joints
        return (*self.joints, *(follower.joint for follower in self.followers))

    @property
    def is_serial(self) -> bool:
        """Whether every joint hangs on the one before it, and none follows others."""
        return is_serial(self)

    def _check(
        self, leniency: Leniency, find: Callable[[Joint], list[PhysicalFault]], has: str
    ) -> None:
        faults = [
            PhysicalFault(f"joint {joint.name!r}: {fault.text}", fault.check)
            for joint in self.links
            for fault in find(joint)
        ]
        leniency.judge(faults, RobotError, about=f"robot {self.name!r} has {has}: ", stacklevel=3)


def _named(joints: Iterable[Joint], followers: Sequence[str], robot: str) -> tuple[Joint, ...]:
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
    names = [*(j.name for j in listed), *followers]
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise error(f": joint names must differ; twice: {', '.join(twice)}.")
    return listed


def _followers(followers: Iterable[Follower], robot: str) -> tuple[Follower, ...]:
    error = about(f"robot {robot!r}", RobotError)
    what = "armdyn.Follower objects"
    listed = checked_items(followers, "followers", what=what, error=error)
    for follower in listed:
        if not isinstance(follower, Follower):
            raise error(
                f"`followers` has {shown(follower)}, expected {what}.", argument="followers"
            )
    return cast("tuple[Follower, ...]", tuple(listed))


def _tips(tips: Iterable[str], robot: Robot) -> tuple[str, ...]:
    known = [frame.name for frame in robot.frames]
    listed = checked_items(tips, "tips", what="names of frames", error=RobotError)
    for name in listed:
        if name not in known:
            raise RobotError(
                f"`tips` has {shown(name)}, which is none of the frames {', '.join(known) or 'of '}"
                f"{'' if known else robot.name}.",
                argument="tips",
            )
    return cast("tuple[str, ...]", tuple(listed))


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


OnLink = TypeVar("OnLink", Shape, NamedFrame)


def _on_links(items: Iterable[OnLink], name: str, kind: type[OnLink], n: int) -> tuple[OnLink, ...]:
    what = f"armdyn.robot.{kind.__name__} objects of links 0 to {n}"
    listed = checked_items(items, name, what=what, error=RobotError)
    for item in listed:
        if not isinstance(item, kind) or not 0 <= item.link <= n:
            raise RobotError(f"`{name}` has {shown(item)}, expected {what}.", argument=name)
    return cast("tuple[OnLink, ...]", listed)


def _frames(frames: Iterable[NamedFrame], n: int) -> tuple[NamedFrame, ...]:
    listed = _on_links(frames, "frames", NamedFrame, n)
    names = [frame.name for frame in listed]
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise RobotError(
            f"`frames` has {twice!r} twice; names of frames must differ.", argument="frames"
        )
    return listed


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
