"""Links joined into the bodies of an arm: fixed joints merged, side branches frozen."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import RobotWarning
from armdyn.robot.formats.axes import Snap
from armdyn.robot.formats.geometry import (
    axis_rotation,
    invert,
    norm,
    place,
    product,
    without_residues,
)
from armdyn.robot.formats.records import (
    Description,
    Fault,
    Inertial,
    Solid,
    TreeJoint,
    Triple,
    Words,
    listed,
)
from armdyn.robot.formats.tree import Path, Tree
from armdyn.robot.joint import NO_LIMITS, limit_faults, link_faults
from armdyn.robot.leniency import Leniency, PhysicalFault

# Rigid bodies: made from the inertials of links, joined, and expressed in another frame.
#
# Bodies are joined about their common centre of mass, where only positive terms add up. Shifting to
# a distant origin and back would lose digits, and could break the triangle inequality.

# Products of inertia that are smaller, relative to the moments, change no digit of them.
ZERO = 1e-18


@dataclass(frozen=True)
class Body:
    """Mass [kg], centre of mass [m] and inertia about it [kg m^2] of a body, in some frame."""

    mass: float
    com: Array
    inertia: Array


def body_of(inertial: Inertial, T: Array, snap: Snap) -> Body:
    """Return the body of a link whose frame is placed at T."""
    own = body_in((0.0, 0.0, 0.0), inertial.inertia, inertial.mass)
    return placed(own, product(T, snap.placement(inertial.origin)))


def placed(body: Body, T: Array) -> Body:
    """Return a body given in a frame that is placed at T."""
    R = T[:3, :3]
    return Body(body.mass, product(R, body.com) + T[:3, 3], product(R, body.inertia, R.T))


def joined(bodies: Sequence[Body]) -> Body:
    """Return bodies, given in one frame, as one rigid body."""
    if len(bodies) == 1:
        return bodies[0]
    mass, com = 0.0, np.zeros(3)
    for body in bodies:
        mass, com = mass + body.mass, com + body.mass * body.com
    if mass > 0:
        com = com / mass
    inertia = np.zeros((3, 3))
    for body in bodies:
        inertia = inertia + body.inertia + _shift(body.mass, body.com - com)
    return Body(mass, com, inertia)


def without(body: Body, parts: Sequence[Body]) -> Body:
    """Return what is left of a body if some parts of it are taken away; all in one frame."""
    mass, moment = body.mass, body.mass * body.com
    for part in parts:
        mass, moment = mass - part.mass, moment - part.mass * part.com
    com = moment / mass if mass != 0.0 else np.zeros(3)
    inertia = body.inertia + _shift(body.mass, body.com - com)
    for part in parts:
        inertia = inertia - part.inertia - _shift(part.mass, part.com - com)
    return Body(mass, com, inertia)


def _shift(mass: float, r: Array) -> Array:
    """Return the inertia of a point mass about a point from which it is at r."""
    return mass * (product(r, r) * np.eye(3) - np.outer(r, r))


def seen_from(body: Body, T: Array) -> Body:
    """Return a body as seen from a frame that is placed at T, without rounding residues."""
    there = placed(body, invert(T))
    size = float(max(np.abs(body.com).max(), np.abs(T[:3, 3]).max()))
    com = without_residues(there.com, size)
    inertia = without_residues(there.inertia, float(np.abs(body.inertia).max()))
    return Body(body.mass, com, (inertia + inertia.T) / 2)


def principal_axes(inertia: Array) -> tuple[Array, Array]:
    """Return the principal moments of an inertia, and their axes as columns of a rotation.

    By Jacobi's rotations, each of which makes one product of inertia zero.
    """
    tensor, axes = inertia.copy(), np.eye(3)
    while np.abs(tensor[np.triu_indices(3, 1)]).max() > ZERO * np.abs(tensor).max():
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if tensor[i, j] == 0.0:
                continue
            cot = float(tensor[j, j] - tensor[i, i]) / (2.0 * float(tensor[i, j]))
            tan = math.copysign(1.0, cot) / (abs(cot) + math.sqrt(cot * cot + 1.0))
            cos = 1.0 / math.sqrt(tan * tan + 1.0)
            turn = np.eye(3)
            turn[i, i] = turn[j, j] = cos
            turn[i, j], turn[j, i] = tan * cos, -tan * cos
            tensor, axes = product(turn.T, tensor, turn), product(axes, turn)
            tensor[i, j] = tensor[j, i] = 0.0
    return np.diag(tensor).copy(), axes


Six: TypeAlias = tuple[float, float, float, float, float, float]


def body_in(com: Sequence[float], inertia: Six, mass: float = 1.0) -> Body:
    """Return the body of a centre of mass and the inertia (xx, xy, xz, yy, yz, zz) about it."""
    xx, xy, xz, yy, yz, zz = inertia
    return Body(mass, np.array(com), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def six_of(inertia: Array) -> Six:
    """Return the entries (xx, xy, xz, yy, yz, zz) of a symmetric matrix."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tolist()
    return (xx, xy, xz, yy, yz, zz)


def seen_in(T: Array, com: Triple, inertia: Six) -> tuple[Triple, Six]:
    """Return a centre of mass and an inertia as seen from a frame that is placed at T."""
    body = seen_from(body_in(com, inertia), T)
    x, y, z = (float(v) for v in body.com)
    return (x, y, z), six_of(body.inertia)


# The limits of a joint of the tree as limits of `Joint`, and notes on those that are missing.


def limits_of(joint: TreeJoint) -> tuple[dict[str, float], list[PhysicalFault]]:
    """Return the consistent limits of a joint, and the faults of the others."""
    found = dict(NO_LIMITS)
    if joint.lower is not None and joint.upper is not None:
        found["lower"], found["upper"] = joint.lower, joint.upper
    if joint.velocity is not None:
        found["velocity"] = joint.velocity
    if joint.effort is not None:
        found["effort"] = joint.effort
    faults: list[PhysicalFault] = []
    for names, text in limit_faults(**found):
        faults.append(PhysicalFault(f"joint {joint.name!r}: {text.removesuffix('.')}", "limits"))
        found |= {name: NO_LIMITS[name] for name in names}
    return found, faults


def limit_notes(joints: list[TreeJoint], words: Words) -> Iterator[str]:
    """Yield a sentence for each kind of limit that joints lack."""
    endless = [j.name for j in joints if j.type != "continuous" and j.lower is None]
    if endless:
        yield f"No position limits are used where {words.no_range}: joints {listed(endless)}."
    for what in ("velocity", "effort"):
        without = [j.name for j in joints if getattr(j, what) is None]
        if without:
            yield f"No {what} limit{words.no_limit}: joints {listed(without)}."


# An axis whose length differs from one by more than this gets a note that it was normalised.
UNIT_TOLERANCE = 1e-6

# If following another joint takes a joint beyond this [rad or m], the coupling is wrong.
MAX_FOLLOWER_POSITION = 1e6

# Joints that a warning names.
MOST_TOLD = 6


@dataclass(frozen=True)
class Stage:
    """A moving joint and all links it carries up to the next one.

    Attributes:
        joint: the joint.
        placement: of its frame at q = 0 in the frame of the previous stage (first: in the base).
        axis: its unit axis in its own frame.
        body: all links that it carries, in its own frame.
        parent: number of the previous stage; 0 is the base.
    """

    joint: TreeJoint
    placement: Array
    axis: Array
    body: Body
    parent: int


@dataclass(frozen=True)
class Bodies:
    """The moving bodies of an arm or a tree.

    Attributes:
        stages: each after the one that carries it.
        tip: placement of the last link in the last stage.
        notes: what was done.
        faulty: whether a warning about a link was given.
        solids: of the base, then of every stage, with placements in its frame.
        visuals: the solids that are seen, in the same way.
        links: every link that stands on the base or moves with a stage: its name, the stage
            (0: the base) and its placement there.
    """

    stages: list[Stage]
    tip: Array
    notes: list[str]
    faulty: bool
    solids: list[list[tuple[Solid, Array]]]
    visuals: list[list[tuple[Solid, Array]]]
    links: list[tuple[str, int, Array]]


@dataclass(frozen=True)
class _Spine:
    """The path: its moving joints with placements, and (link, stage, placement) of its links.

    A joint comes with the number of the stage that carries it; links of stage 0 stand with the
    base.
    """

    joints: list[tuple[TreeJoint, Array, int]]
    links: list[tuple[str, int, Array]]


def moving_bodies(
    description: Description,
    tree: Tree,
    path: Path,
    snap: Snap,
    leniency: Leniency,
    *,
    following: Collection[str] = (),
) -> Bodies:
    """Return what moves on the way to the tips; joints off it stand still.

    So do joints that follow others, but for those of `following`.
    """
    words = description.words
    rest = _rest_positions(description)
    spine = _spine(path, rest, snap, following)
    exact = Snap(False, words)  # notes tell of masses and axes, not of solids
    on_path = {joint.name for joint in path.joints}
    followers = [one for one in path.joints if one.is_follower and one.name not in following]
    frozen = list(followers)
    bodies: list[list[Body]] = [[] for _ in range(len(spine.joints) + 1)]
    solids: list[list[tuple[Solid, Array]]] = [[] for _ in bodies]
    visuals: list[list[tuple[Solid, Array]]] = [[] for _ in bodies]
    links: list[tuple[str, int, Array]] = []
    faults: list[PhysicalFault] = []
    for link, stage, placement in spine.links:
        # links on the base do not move: nothing in them matters but where they are
        side = snap if stage else exact
        for name, T, joint in _carried(tree, link, placement, on_path, rest, side):
            links.append((name, stage, T))
            found = description.links[name]
            for placed, given in ((solids, found.solids), (visuals, found.visuals)):
                placed[stage].extend(
                    (solid, product(T, exact.placement(solid.origin))) for solid in given
                )
            if stage == 0:
                continue
            if joint is not None and joint.moves:
                frozen.append(joint)
            if found.unknown:
                faults.append(
                    PhysicalFault(f"the mass of link {name!r} is unknown: it {found.unknown}")
                )
            if found.inertial is not None:
                mover = spine.joints[stage - 1][0].name
                faults.extend(
                    PhysicalFault(
                        f"link {name!r}, which joint {mover!r} moves: {fault.text}", fault.check
                    )
                    for fault in link_faults(found.inertial)
                )
                bodies[stage].append(body_of(found.inertial, T, snap))
    described = any(bodies[1:])  # else it is an arm without masses, to be identified
    for (joint, *_), carried in zip(spine.joints, bodies[1:], strict=True):
        if described and not carried:
            faults.append(
                PhysicalFault(
                    f"link {joint.child!r}, which joint {joint.name!r} moves, has no "
                    f"{words.inertial}, nor has any link fixed to it"
                )
            )
        faults.extend(limits_of(joint)[1])
    faulty = leniency.judge(faults, Fault, stacklevel=6)
    _warn_of_followers(followers, rest, words)
    stages = [
        Stage(joint, placement, snap.axis(joint.axis), joined(carried), parent)
        for (joint, placement, parent), carried in zip(spine.joints, bodies[1:], strict=True)
    ]
    notes = [*_axis_notes(stages), *_frozen_notes(frozen, rest, words)]
    return Bodies(stages, spine.links[-1][2], notes, faulty, solids, visuals, links)


def _spine(path: Path, rest: dict[str, float], snap: Snap, following: Collection[str]) -> _Spine:
    joints: list[tuple[TreeJoint, Array, int]] = []
    links = [(path.base, 0, np.eye(4))]
    reached = {path.base: (0, np.eye(4))}  # stages of links, and placements there
    for joint in path.joints:
        stage, here = reached[joint.parent]
        if joint.is_free or joint.name in following:
            joints.append((joint, product(here, snap.placement(joint.origin)), stage))
            stage, here = len(joints), np.eye(4)
        else:
            here = product(here, _placement_at_rest(joint, rest, snap))
        reached[joint.child] = stage, here
        links.append((joint.child, stage, here))
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
            (side.child, product(T, _placement_at_rest(side, rest, snap)), side)
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
        return product(T, place(np.eye(3), value * axis))
    return product(T, place(axis_rotation(axis, value), np.zeros(3)))


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
        value = rest.get(joint.name, joint.rest)
        if joint.name not in followed:
            rest[joint.name] = value
        for follower in reversed(followed.values()):
            assert follower.coupling is not None
            value = follower.coupling.multiplier * value + follower.coupling.offset
            if not abs(value) <= MAX_FOLLOWER_POSITION:
                raise Fault(
                    f"{description.words.coupling} of joint {follower.name!r} puts it at "
                    f"{value:g}: too far."
                )
            rest[follower.name] = value
    return rest


def _axis_notes(stages: list[Stage]) -> Iterator[str]:
    for stage in stages:
        length = norm(np.array(stage.joint.axis))
        if abs(length - 1.0) > UNIT_TOLERANCE:
            yield (
                f"The axis of joint {stage.joint.name!r} has length {length:.7g}; it was made a "
                "unit vector."
            )


def _frozen_notes(frozen: list[TreeJoint], rest: dict[str, float], words: Words) -> Iterator[str]:
    still = [joint.name for joint in frozen if joint.is_free]
    if still:
        yield f"Frozen at {words.rest}, with the links they carry merged: joints {listed(still)}."
    positions = [f"{joint.name} at {rest[joint.name]:g}" for joint in frozen if joint.is_follower]
    if positions:
        yield (
            f"{words.followers} do not move here but stand {words.followed}: {listed(positions)}."
        )


def _warn_of_followers(followers: list[TreeJoint], rest: dict[str, float], words: Words) -> None:
    """Warn of joints of the arm itself that follow others: the model lacks their motion."""
    if not followers:
        return
    told = [
        f"{joint.name!r} follows {joint.coupling.leader!r} and stands still at {rest[joint.name]:g}"
        for joint in followers[:MOST_TOLD]
        if joint.coupling is not None
    ]
    more = f"; and {len(followers) - MOST_TOLD} more" if len(followers) > MOST_TOLD else ""
    warnings.warn(
        f"joints of the arm itself have a {words.coupling}: {'; '.join(told)}{more}. Poses and "
        'torques are wrong where they would move; let them move with `followers="move"`, end the '
        "arm before them with `tip`, or begin it after them with `base`.",
        RobotWarning,
        stacklevel=6,
    )


def remarks_on(description: Description, arm: Bodies) -> list[str]:
    """Return the sentences that concern an arm; warn of those on missing forces."""
    notes: list[str] = []
    for text, warn in (*_remarks(description, arm), *_loops(description, arm)):
        notes.append(text)
        if warn:
            warnings.warn(text, RobotWarning, stacklevel=6)
    return notes


def _remarks(description: Description, arm: Bodies) -> Iterator[tuple[str, bool]]:
    parts = {name for name, stage, _ in arm.links if stage > 0}
    moving = {stage.joint.name for stage in arm.stages}
    for remark in description.remarks:
        names = [name for name in remark.links if name in parts]
        names += [name for name in remark.joints if name in moving]
        if names:
            yield remark.text.format(listed(names)), remark.warn


def _loops(description: Description, arm: Bodies) -> Iterator[tuple[str, bool]]:
    """Yield a sentence for loops between links that move differently; others hold what holds."""
    stage = {name: number for name, number, _ in arm.links}
    told = [
        f"{loop.what} of {loop.first} and {loop.second}"
        for loop in description.loops
        if loop.first in stage and loop.second in stage and stage[loop.first] != stage[loop.second]
    ]
    if told:
        yield f"Closed loops are left open, a serial arm has none: {listed(told)}.", True
