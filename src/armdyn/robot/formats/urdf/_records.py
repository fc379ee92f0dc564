"""What a URDF file says, as plain records, and the fault of a file that says it wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Triple: TypeAlias = tuple[float, float, float]

FREE_TYPES = ("revolute", "continuous", "prismatic")
JOINT_TYPES = (*FREE_TYPES, "fixed", "floating", "planar")

# URDF cannot leave a limit of a sliding joint out: from this value on a limit is none.
NO_LIMIT = 1e9


class Fault(Exception):
    """What is wrong with a URDF; the door of this package adds the name of the file."""


@dataclass(frozen=True)
class Origin:
    """An <origin>: a shift [m], then roll, pitch, yaw [rad] or a quaternion (x, y, z, w)."""

    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)
    quaternion: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class Inertial:
    """An <inertial>: mass [kg], (xx, xy, xz, yy, yz, zz) [kg m^2] about `origin` in its axes."""

    origin: Origin
    mass: float
    inertia: tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class UrdfLink:
    """A <link>, less its shapes."""

    name: str
    inertial: Inertial | None = None


@dataclass(frozen=True)
class Mimic:
    """A <mimic>: this joint is at multiplier * leader + offset."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class UrdfJoint:
    """A <joint>; a limit of None was not given, `axis` is as written.

    `rotor_inertia` and `offset` (constant friction) come from armdyn's own element.
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
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    rotor_inertia: float = 0.0
    offset: float = 0.0

    @property
    def moves(self) -> bool:
        """Whether the joint moves at all, by itself or by following another."""
        return self.type != "fixed"

    @property
    def is_free(self) -> bool:
        """Whether the joint moves by itself."""
        return self.moves and self.mimic is None

    @property
    def is_follower(self) -> bool:
        """Whether the joint moves by following another."""
        return self.moves and self.mimic is not None


@dataclass(frozen=True)
class Document:
    """A <robot>: links and joints by name, in the order of the file."""

    name: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]
    gravity: Triple = (0.0, 0.0, -9.81)


def listed(names: list[str], most: int = 12) -> str:
    """Return names for a sentence, cut where there are too many to read."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
