"""Trees and followers: which link carries which joint, and what joints follow.

Links of a robot are numbered from 1: those of its joints, in order, then those of its followers. 0
is the base.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING, cast

from armdyn.checks import about, checked_mapping, checked_number
from armdyn.errors import InputError, RobotError, shown
from armdyn.robot.joint import LARGEST_NUMBER, Joint

if TYPE_CHECKING:
    from armdyn.robot.model import Robot

# The name of the base as a parent; no joint of a tree can have it.
BASE = "base"


@dataclass(frozen=True, init=False)
class Follower:
    """A joint that follows others: its position is a linear function of theirs.

    Mimic joints of grippers, gears, coupled wrists and the links of a parallelogram are followers.
    A follower has no coordinate, velocity or torque of its own; its friction, its rotor and its
    link load the joints that it follows.

    Attributes:
        joint: the joint and the link it moves; `joint.parent` names the joint that carries it.
        follows: pairs of the name of a joint, or of another follower, and the factor of its
            position.
        offset: position where all of those are at zero [rad or m].

    Examples:
        >>> knuckle = armdyn.Joint(name="knuckle", parent="palm", mass=0.1)
        >>> armdyn.Follower(knuckle, follows={"finger": -1.0}).follows
        (('finger', -1.0),)
    """

    joint: Joint
    follows: tuple[tuple[str, float], ...]
    offset: float = 0.0

    # Written by hand so that argument types can be wider than field types.
    def __init__(
        self,
        joint: Joint,
        follows: Mapping[str, float] | Iterable[tuple[str, float]],
        offset: float = 0.0,
    ) -> None:
        if not isinstance(joint, Joint):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RobotError(f"`joint` is {shown(joint)}, expected a Joint.", argument="joint")
        if not joint.name:
            raise RobotError("a follower needs a name: `joint.name` is empty.", argument="joint")
        error = about(f"follower {joint.name!r}", RobotError)
        what = "a mapping of joint names to factors"
        pairs = cast(
            "Mapping[str, float]",
            checked_mapping(_as_mapping(follows), "follows", what=what, error=error),
        )
        if not pairs:
            raise error(
                "`follows` is empty; name a joint, or make it a joint of its own.",
                argument="follows",
            )
        listed: list[tuple[str, float]] = []
        for name, factor in pairs.items():
            if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise error(f"`follows` has {shown(name)}, expected {what}.", argument="follows")
            number = checked_number(factor, "follows", error=error)
            if abs(number) > LARGEST_NUMBER:
                told = f"follows {name!r} with the factor {number:g}, too large."
                raise error(told, argument="follows")
            listed.append((name, number))
        object.__setattr__(self, "joint", joint)
        object.__setattr__(self, "follows", tuple(listed))
        object.__setattr__(self, "offset", checked_number(offset, "offset", error=error))


def _as_mapping(pairs: object) -> object:
    if isinstance(pairs, Mapping):
        return cast(object, pairs)
    try:
        return dict(cast("Iterable[tuple[str, float]]", pairs))
    except (TypeError, ValueError):
        return pairs  # refused by the caller


# The links of a robot as a tree.


def is_serial(robot: Robot) -> bool:
    """Say whether a robot is a serial arm without followers."""
    return not robot.followers and all(
        joint.parent is None and joint.branch_angle == 0.0 == joint.branch_offset
        for joint in robot.joints
    )


def check_serial(robot: Robot, what: str) -> None:
    """Refuse a tree where only serial arms can be computed.

    Args:
        robot: the robot.
        what: at the beginning of a sentence, in the plural.

    Raises:
        InputError: the robot is a tree, or has followers.
    """
    if not is_serial(robot):
        kind = f"a tree of {len(robot.joints)} joints"
        if robot.followers:
            kind += f" and {len(robot.followers)} followers"
        raise InputError(
            f"{what} are for serial arms, but robot {robot.name!r} is {kind}; `Arm.branch` gives "
            "the serial arm to one of its tips."
        )


def checked_tree(
    joints: Sequence[Joint], followers: Sequence[Follower], robot: str
) -> tuple[Joint, ...]:
    """Return joints of a tree, checked: parents as short as they can be, limits within followers'.

    Raises:
        RobotError: a parent or a leader is unknown, joints carry each other, or limits contradict.
    """
    links = [*joints, *(follower.joint for follower in followers)]
    parents = _parents(links, len(joints), robot)
    joints = tuple(
        replace(joint, parent=None) if joint.parent and parents[k] == k else joint
        for k, joint in enumerate(joints)
    )
    if followers and (loaded := [joint.name for joint in links if joint.load_friction]):
        raise RobotError(
            f"robot {robot!r}: joint {loaded[0]!r} has `load_friction`, which a robot with "
            "followers cannot have: the torque that its gear transmits does not follow from those "
            "of the coordinates. Give `coulomb` in its place.",
            argument="load_friction",
        )
    rows = _rows(joints, followers, robot)
    return _limited(joints, followers, rows, robot)


def link_parents(robot: Robot) -> list[int]:
    """Return the number of the link that carries each joint, then each follower."""
    return _parents(robot.links, robot.n, robot.name)


def ends(robot: Robot) -> list[int]:
    """Return the numbers of the links that carry no joint."""
    carriers = link_parents(robot)
    return [k for k in range(1, len(robot.links) + 1) if k not in carriers]


def link_rows(robot: Robot) -> list[tuple[dict[int, float], float]]:
    """Return what each link's joint follows: factors of the coordinates, and an offset."""
    return _rows(robot.joints, robot.followers, robot.name)


def ordered(parents: Sequence[int]) -> list[int]:
    """Return the numbers of links, each after its parent and otherwise in order.

    Links whose parents lead in a circle are missing.
    """
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for k, parent in enumerate(parents, 1):
        children[parent].append(k)
    found: list[int] = []
    waiting = [0]
    while waiting:
        i = heappop(waiting)
        found.append(i)
        for child in children[i]:
            heappush(waiting, child)
    return found[1:]


def _parents(links: Sequence[Joint], n: int, robot: str) -> list[int]:
    error = about(f"robot {robot!r}", RobotError)
    numbers = {joint.name: k for k, joint in enumerate(links, 1)}
    found: list[int] = []
    for k, joint in enumerate(links, 1):
        parent = k - 1
        if joint.parent == BASE and BASE not in numbers:
            parent = 0
        elif joint.parent is not None:
            if joint.parent not in numbers:
                raise error(
                    f"joint {joint.name!r} has the parent {joint.parent!r}, which is no joint; "
                    f"expected one of {', '.join(numbers)}, or 'base'.",
                    argument="parent",
                )
            parent = numbers[joint.parent]
        if k <= n and k <= parent <= n:
            raise error(
                f"joint {joint.name!r} is listed before its parent {joint.parent!r}; list parents "
                "first.",
                argument="parent",
            )
        found.append(parent)
    if len(ordered(found)) < len(links):
        reached = set(ordered(found))
        lost = next(joint.name for k, joint in enumerate(links, 1) if k not in reached)
        raise error(
            f"the parents of joint {lost!r} lead back to it; expected a tree from the base. A "
            "closed loop is cut at one joint, and `follows` says how the others move.",
            argument="parent",
        )
    return found


def _rows(
    joints: Sequence[Joint], followers: Sequence[Follower], robot: str
) -> list[tuple[dict[int, float], float]]:
    """Return rows of G with offsets; followers may follow others in any order."""
    error = about(f"robot {robot!r}", RobotError)
    rows: dict[str, tuple[dict[int, float], float]] = {
        joint.name: ({k: 1.0}, 0.0) for k, joint in enumerate(joints)
    }
    by_name = {follower.joint.name: follower for follower in followers}

    def resolve(name: str, told: tuple[str, ...]) -> tuple[dict[int, float], float]:
        if name in rows:
            return rows[name]
        if name in told:
            chain = " -> ".join(map(repr, (*told[told.index(name) :], name)))
            raise error(f"followers follow each other in a circle: {chain}.", argument="followers")
        follower = by_name[name]
        factors: dict[int, float] = {}
        offset = follower.offset
        for leader, factor in follower.follows:
            if leader not in rows and leader not in by_name:
                raise error(
                    f"follower {name!r} follows {leader!r}, which is no joint; expected some of "
                    f"{', '.join([*rows, *by_name])}.",
                    argument="followers",
                )
            other, shift = resolve(leader, (*told, name))
            offset += factor * shift
            for k, x in other.items():
                factors[k] = factors.get(k, 0.0) + factor * x
        rows[name] = {k: x for k, x in sorted(factors.items()) if x != 0.0}, offset
        return rows[name]

    if len(by_name) > SHALLOW:
        told = f"{len(by_name)} followers are too many; at most {SHALLOW} are taken."
        raise error(told, argument="followers")
    for follower in followers:
        resolve(follower.joint.name, ())
    return list(rows[joint.name] for joint in (*joints, *(f.joint for f in followers)))


# Followers that a robot may have: each may follow the one before it, one call deeper.
SHALLOW = 300


def _limited(
    joints: Sequence[Joint],
    followers: Sequence[Follower],
    rows: Sequence[tuple[dict[int, float], float]],
    robot: str,
) -> tuple[Joint, ...]:
    """Return joints with limits within which those of followers of one coordinate hold, too."""
    found = list(joints)
    for follower, (factors, offset) in zip(followers, rows[len(joints) :], strict=True):
        if len(factors) != 1:
            continue
        ((k, factor),) = factors.items()
        own, joint = follower.joint, found[k]
        ends = sorted(((own.lower - offset) / factor, (own.upper - offset) / factor))
        lower, upper = max(joint.lower, ends[0]), min(joint.upper, ends[1])
        if not lower < upper:
            raise RobotError(
                f"robot {robot!r}: the limits of follower {own.name!r}, {own.lower:g} to "
                f"{own.upper:g}, leave no range to joint {joint.name!r}, {joint.lower:g} to "
                f"{joint.upper:g}, which it follows with the factor {factor:g} and the offset "
                f"{offset:g}; correct the limits of one of the two.",
                argument="followers",
            )
        velocity = min(joint.velocity, own.velocity / abs(factor))
        limits = {"lower": lower, "upper": upper, "velocity": velocity}
        if any(getattr(joint, name) != value for name, value in limits.items()):
            found[k] = replace(joint, lower=lower, upper=upper, velocity=velocity)
    return tuple(found)
