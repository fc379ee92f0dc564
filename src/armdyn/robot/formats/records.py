"""Records of a kinematic tree: readers fill them, the stages shared by all formats use them."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from armdyn.errors import RobotError, RobotFileError
from armdyn.robot.model import Colour, ShapeKind

Triple: TypeAlias = tuple[float, float, float]

# Types of the moving joints of an arm, and all joint types that a tree may have.
FREE_TYPES = ("revolute", "continuous", "prismatic")
JOINT_TYPES = (*FREE_TYPES, "fixed", "floating", "planar")


# What joints that follow others do.
MOVE, FREEZE = FOLLOWERS = ("move", "freeze")


class Fault(Exception):
    """An error in a description; `naming` adds the name of the file."""


@contextmanager
def naming(path: str | os.PathLike[str]) -> Generator[None]:
    """Turn errors in a description into a `RobotFileError` that names the file."""
    try:
        yield
    except RobotFileError:
        raise
    except Fault as fault:
        raise RobotFileError(Path(path), str(fault)) from None
    except RobotError as error:
        raise RobotFileError(Path(path), str(error)) from error


def file_bytes(path: str | os.PathLike[str], most: int, what: str) -> bytes:
    """Return the bytes of a file.

    Args:
        path: of the file.
        most: bytes that it may have.
        what: what has no more, for the message.

    Raises:
        Fault: it cannot be read, or is too large.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        raise Fault(f"cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > most:
        raise Fault(too_large(size, most, what))
    return data


def too_large(size: int, most: int, what: str) -> str:
    """Return the sentence about a file of `size` bytes."""
    return f"the file has {size / 1e6:.0f} MB; {what} has no more than {most / 1e6:.0f} MB."


@dataclass(frozen=True)
class ArmOptions:
    """Which arm of a tree is read, and how.

    Attributes:
        base: link the arm stands on; default the root. Gravity is along -z of the root, and fixed
            joints carry it to the base.
        tip: link at the end; default: as far as the path is unique, to the gripper's base.
        strict: refuse physically inconsistent links, links of unknown mass, and duplicate elements;
            False warns instead.
        snap: take right angles and zeros that are written with few digits as exact.
        without: links to leave out with everything attached to them; nothing in them is checked.
        waive: names of checks that only warn.
        tips: links at the ends of a tree, in place of `tip`; "all" for every end that moves.
        followers: whether joints that follow others "move" with them or "freeze".
    """

    base: str | None = None
    tip: str | None = None
    strict: bool = True
    snap: bool = True
    without: Sequence[str] = ()
    waive: tuple[str, ...] = ()
    tips: tuple[str, ...] | Literal["all"] | None = None
    followers: str = FREEZE


@dataclass(frozen=True)
class Words:
    """The terms of a format, for notes and errors.

    Attributes:
        inertial: the element with mass and inertia of a link.
        coupling: the element that makes a joint follow another.
        followers: joints that follow others, at the beginning of a sentence.
        angles: the angles of an `Origin`.
        axis: the components of a joint axis.
        no_range: when a joint has no position limits, after "where".
        no_limit: what else counts as no velocity or effort limit, after "No velocity limit".
        rest: where joints that do not move independently stand, after "at".
        followed: where joints that follow others stand, after "stand".
    """

    inertial: str
    coupling: str
    followers: str
    angles: str
    axis: str
    no_range: str
    no_limit: str
    rest: str = "zero"
    followed: str = "where they are when the joint they follow is at zero"


@dataclass(frozen=True)
class Origin:
    """The placement of a frame: a shift [m], then roll, pitch, yaw [rad] or a quaternion.

    A quaternion is (x, y, z, w) of any length but zero; it replaces `rpy`.
    """

    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)
    quaternion: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class Inertial:
    """Mass [kg] and inertia (xx, xy, xz, yy, yz, zz) [kg m^2] about `origin`, in its axes."""

    origin: Origin
    mass: float
    inertia: tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class Solid:
    """A solid of a link; `kind`, `size`, `file`, `folder` and `colour` as in `Shape`."""

    origin: Origin
    kind: ShapeKind
    size: tuple[float, ...] = ()
    file: str = ""
    folder: str = ""
    colour: Colour | None = None


@dataclass(frozen=True)
class TreeLink:
    """A link of the tree, with the solids it occupies, and those that are seen of it.

    `unknown` says, after the name of the link, why its mass is not known, if it has one.
    """

    name: str
    inertial: Inertial | None = None
    solids: tuple[Solid, ...] = ()
    unknown: str = ""
    visuals: tuple[Solid, ...] = ()


class Rule(NamedTuple):
    """A joint that follows another is at multiplier * leader + offset."""

    multiplier: float
    offset: float


@dataclass(frozen=True)
class Coupling:
    """A joint follows another, and is at multiplier * leader + offset if it stands still.

    `rule` says how it moves with its leader; None if not linearly, so that it cannot.
    """

    leader: str
    multiplier: float
    offset: float
    rule: Rule | None = None


@dataclass(frozen=True)
class TreeJoint:
    """A joint of the tree; `axis` is as written, of any length but zero.

    Position limits of None are not given; a side without a limit is infinite. Velocity and effort
    limits of None are not given. `friction` holds coefficients by the fields of `Joint`,
    `rotor_inertia` is the drive's on the joint side. A joint off the arm stands at `rest`.
    """

    name: str
    type: str
    parent: str
    child: str
    origin: Origin = Origin()
    axis: Triple = (1.0, 0.0, 0.0)
    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None
    coupling: Coupling | None = None
    rotor_inertia: float = 0.0
    friction: Mapping[str, float] = field(default_factory=dict[str, float])
    rest: float = 0.0

    @property
    def moves(self) -> bool:
        """Whether the joint moves, independently or by following another."""
        return self.type != "fixed"

    @property
    def is_free(self) -> bool:
        """Whether the joint moves independently."""
        return self.moves and self.coupling is None

    @property
    def is_follower(self) -> bool:
        """Whether the joint moves by following another."""
        return self.moves and self.coupling is not None


@dataclass(frozen=True)
class Site:
    """A frame with a name that is fixed to a link."""

    name: str
    link: str
    origin: Origin


@dataclass(frozen=True)
class Remark:
    """A sentence on links or joints, for an arm that has some of them: `{}` stands for their names.

    With `warn` it is a warning too: the arm lacks forces that the file describes.
    """

    text: str
    links: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    warn: bool = False


@dataclass(frozen=True)
class Loop:
    """Two links that something other than a joint holds together."""

    first: str
    second: str
    what: str


@dataclass(frozen=True)
class Description:
    """A kinematic tree: links and joints by name, in the order of the file.

    Attributes:
        name: of the robot.
        links: links by name.
        joints: joints by name.
        words: what the format calls things.
        gravity: in the frame of the root link [m/s^2].
        gone: names of links that were left out, see `left_out`.
        exact: the numbers are exact, so that none is snapped.
        notes: what the reader of the format has to say.
        sites: further named frames of links.
        tip: the link at which the arm ends unless another is chosen; None if the file says nothing.
        tips: those at which a tree ends unless others are chosen; its followers move.
        remarks: what the format describes and an arm cannot have, by link or joint.
        loops: links that are held together by more than joints.
        unnamed: names of links and joints that are not in the file.
    """

    name: str
    links: dict[str, TreeLink]
    joints: dict[str, TreeJoint]
    words: Words
    gravity: Triple = (0.0, 0.0, -9.81)
    gone: frozenset[str] = frozenset()
    exact: bool = False
    notes: tuple[str, ...] = ()
    sites: tuple[Site, ...] = ()
    tip: str | None = None
    tips: tuple[str, ...] | None = None
    remarks: tuple[Remark, ...] = ()
    loops: tuple[Loop, ...] = ()
    unnamed: frozenset[str] = frozenset()

    def moved_link(self, joint: str) -> str | None:
        """Return the link of the file that a joint moves; None if others move it too.

        A joint of a file may move a frame that the file does not name, with the link fixed to it.
        """
        child = self.joints[joint].child
        if child not in self.unnamed:
            return child
        behind = [one for one in self.joints.values() if one.parent == child]
        return behind[0].child if behind and behind[0].type == "fixed" else None


def listed(names: list[str], most: int = 12) -> str:
    """Return names for a sentence, cut where there are too many to read."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
