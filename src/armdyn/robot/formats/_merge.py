"""Links joined into the bodies of an arm: fixed joints merged, side branches frozen."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armdyn.errors import RobotWarning
from armdyn.robot.formats._body import Body, body_of, joined, physical_faults
from armdyn.robot.formats._placement import Array, axis_rotation, place
from armdyn.robot.formats._records import Description, Fault, Solid, TreeJoint, Words, listed
from armdyn.robot.formats._snap import Snap
from armdyn.robot.formats._tree import Path, Tree

# An axis whose length differs from one by more than this gets a note that it was normalised.
UNIT_TOLERANCE = 1e-6

# If following another joint takes a joint beyond this [rad or m], the coupling is wrong.
FARTHEST = 1e6


@dataclass(frozen=True)
class Stage:
    """A moving joint and all links it carries up to the next one.

    Attributes:
        joint: the joint.
        placement: of its frame at q = 0 in the frame of the previous stage (first: in the base).
        axis: its unit axis in its own frame.
        body: all links that it carries, in its own frame.
    """

    joint: TreeJoint
    placement: Array
    axis: Array
    body: Body


@dataclass(frozen=True)
class SerialArm:
    """The stages from base to tip, the placement of the tip in the last one, and notes.

    `faulty` says whether a warning about a link was given. `solids` are those of the base, then of
    every stage, with placements in its frame.
    """

    stages: list[Stage]
    tip: Array
    notes: list[str]
    faulty: bool
    solids: list[list[tuple[Solid, Array]]]


@dataclass(frozen=True)
class _Spine:
    """The path: its moving joints with placements, and (link, stage, placement) of its links.

    Links of stage 0 stand with the base.
    """

    joints: list[tuple[TreeJoint, Array]]
    links: list[tuple[str, int, Array]]


def serial_arm(
    description: Description, tree: Tree, path: Path, snap: Snap, strict: bool
) -> SerialArm:
    """Return the arm along a path; joints off it, and joints that follow others, stand still."""
    words = description.words
    rest = _rest_positions(description)
    spine = _spine(path, rest, snap)
    exact = Snap(False, words)  # notes tell of masses and axes, not of solids
    on_path = {joint.name for joint in path.joints}
    frozen = [joint for joint in path.joints if joint.is_follower]
    bodies: list[list[Body]] = [[] for _ in range(len(spine.joints) + 1)]
    solids: list[list[tuple[Solid, Array]]] = [[] for _ in bodies]
    faults: list[str] = []
    for link, stage, placement in spine.links:
        for name, at, _ in _carried(tree, link, placement, on_path, rest, exact):
            solids[stage].extend(
                (solid, at @ exact.placement(solid.origin))
                for solid in description.links[name].solids
            )
        if stage == 0:  # links on the base do not move
            continue
        for name, T, joint in _carried(tree, link, placement, on_path, rest, snap):
            if joint is not None and joint.moves:
                frozen.append(joint)
            inertial = description.links[name].inertial
            if inertial is not None:
                mover = spine.joints[stage - 1][0].name
                faults.extend(
                    f"link {name!r}, which joint {mover!r} moves: {fault}"
                    for fault in physical_faults(inertial)
                )
                bodies[stage].append(body_of(inertial, T, snap))
    for (joint, _), carried in zip(spine.joints, bodies[1:], strict=True):
        if not carried:
            faults.append(
                f"link {joint.child!r}, which joint {joint.name!r} moves, has no {words.inertial}, "
                "nor has any link fixed to it"
            )
    _refuse_or_warn(faults, strict)
    stages = [
        Stage(joint, placement, snap.axis(joint.axis), joined(carried))
        for (joint, placement), carried in zip(spine.joints, bodies[1:], strict=True)
    ]
    notes = [*_axis_notes(stages), *_frozen_notes(frozen, rest, words)]
    return SerialArm(stages, spine.links[-1][2], notes, bool(faults), solids)


def _spine(path: Path, rest: dict[str, float], snap: Snap) -> _Spine:
    here = np.eye(4)  # of the link the walk has reached, in the frame of the latest stage
    joints: list[tuple[TreeJoint, Array]] = []
    links = [(path.base, 0, here)]
    for joint in path.joints:
        if joint.is_free:
            joints.append((joint, here @ snap.placement(joint.origin)))
            here = np.eye(4)
        else:
            here = here @ _placement_at_rest(joint, rest, snap)
        links.append((joint.child, len(joints), here))
    return _Spine(joints, links)


def _carried(
    tree: Tree, link: str, placement: Array, on_path: set[str], rest: dict[str, float], snap: Snap
) -> Iterator[tuple[str, Array, TreeJoint | None]]:
    """Yield a link of the path and all links of its side branches, with the joints they hang on."""
    found: list[tuple[str, Array, TreeJoint | None]] = [(link, placement, None)]
    while found:
        name, T, joint = found.pop()
        yield name, T, joint
        found.extend(
            (side.child, T @ _placement_at_rest(side, rest, snap), side)
            for side in reversed(tree.leaving[name])
            if side.name not in on_path
        )


def _placement_at_rest(joint: TreeJoint, rest: dict[str, float], snap: Snap) -> Array:
    """Return the placement of a joint's child in its parent when the joint stands still."""
    T = snap.placement(joint.origin)
    value = rest[joint.name]
    if value == 0.0:
        return T
    axis = snap.axis(joint.axis)
    if joint.type == "prismatic":
        return T @ place(np.eye(3), value * axis)
    return T @ place(axis_rotation(axis, value), np.zeros(3))


def _rest_positions(description: Description) -> dict[str, float]:
    """Return the positions of frozen joints: zero, or the coupled position for a leader at zero.

    In some published files a joint follows one that does not exist: it stands still too.
    """
    rest: dict[str, float] = {}
    for first in description.joints.values():
        followed: dict[str, TreeJoint] = {}
        joint = first
        while joint.is_follower and joint.coupling is not None and joint.name not in rest:
            if joint.name in followed:
                raise Fault(f"joint {joint.name!r} mimics itself, directly or through others.")
            followed[joint.name] = joint
            if joint.coupling.leader not in description.joints:
                break
            joint = description.joints[joint.coupling.leader]
        value = rest.get(joint.name, 0.0)
        if joint.name not in followed:
            rest[joint.name] = value
        for follower in reversed(followed.values()):
            assert follower.coupling is not None
            value = follower.coupling.multiplier * value + follower.coupling.offset
            if not abs(value) <= FARTHEST:
                raise Fault(
                    f"{description.words.coupling} of joint {follower.name!r} puts it at "
                    f"{value:g}: too far."
                )
            rest[follower.name] = value
    return rest


def _axis_notes(stages: list[Stage]) -> Iterator[str]:
    for stage in stages:
        length = float(np.linalg.norm(stage.joint.axis))
        if abs(length - 1.0) > UNIT_TOLERANCE:
            yield (
                f"The axis of joint {stage.joint.name!r} has length {length:.7g}; it was made a "
                "unit vector."
            )


def _frozen_notes(frozen: list[TreeJoint], rest: dict[str, float], words: Words) -> Iterator[str]:
    still = [joint.name for joint in frozen if joint.is_free]
    if still:
        yield f"Frozen at zero, with the links they carry merged: joints {listed(still)}."
    positions = [f"{joint.name} at {rest[joint.name]:g}" for joint in frozen if joint.is_follower]
    if positions:
        yield (
            f"{words.followers} do not move here but stand where they are when the joint they "
            f"follow is at zero: {listed(positions)}."
        )


def _refuse_or_warn(faults: list[str], strict: bool) -> None:
    if not faults:
        return
    text = "; ".join(faults)
    if strict:
        raise Fault(f"{text}. Correct it, or pass strict=False to use it all the same.")
    warnings.warn(f"{text}: used all the same, as asked for.", RobotWarning, stacklevel=6)
