"""Make a `Robot` from a kinematic tree: choose the chain, merge, convert to DH, note changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.formats.axes import Axis, Row, Snap, normal_frames
from armdyn.robot.formats.bodies import (
    Stage,
    limit_notes,
    limits_of,
    moving_bodies,
    remarks_on,
    seen_from,
    six_of,
)
from armdyn.robot.formats.branches import tree_frames
from armdyn.robot.formats.geometry import invert, product, without_residues
from armdyn.robot.formats.records import (
    FREE_TYPES,
    MOVE,
    ArmOptions,
    Coupling,
    Description,
    Solid,
    Triple,
    listed,
)
from armdyn.robot.formats.tree import Path, Tree, choose_path, tree_of
from armdyn.robot.joint import Joint
from armdyn.robot.leniency import Leniency
from armdyn.robot.mechanism import Follower
from armdyn.robot.model import NamedFrame, Robot, Rows, Shape

# The named frames of a tree, placed on the links of the arm.
#
# A link has a frame of its name; a joint has the frame of its child, as a joint of a URDF does.
# Side branches stand still, so their frames are fixed to the link of the arm that carries them.
# Links between the root and the base belong to the base as far as fixed joints join them.

# The name of the end of an arm; no other frame of a file can have it.
TIP = "tip"


def named_frames(
    description: Description,
    placed: Iterable[tuple[str, int, Array]],
    frames: Sequence[Array],
    tips: tuple[str, ...],
    snap: Snap,
) -> list[NamedFrame]:
    """Return the frames that the names of links, joints and sites stand for.

    Where names are the same, that of a link counts, then that of a joint.

    Args:
        description: the tree as read.
        placed: every link of the arm, the stage it belongs to, and its placement there.
        frames: the placements of E_i in the frames of the stages i = 1..n.
        tips: links at the ends.
        snap: takes nearly right angles of sites as right.
    """
    back = [np.eye(4), *(invert(frame) for frame in frames)]
    at = {name: (stage, product(back[stage], T)) for name, stage, T in placed}
    found: dict[str, tuple[int, Array]] = dict(at)
    for joint in description.joints.values():
        if joint.child in at:
            found.setdefault(joint.name, at[joint.child])
    for site in description.sites:
        if site.link in at:
            stage, T = at[site.link]
            found.setdefault(site.name, (stage, product(T, snap.placement(site.origin))))
    for name in (*description.unnamed, *([] if TIP in tips else [TIP])):
        found.pop(name, None)
    return [NamedFrame(name, stage, rows_of(T)) for name, (stage, T) in found.items()]


def fixed_above(tree: Tree, base: str, snap: Snap) -> Iterator[tuple[str, Array]]:
    """Yield the links that fixed joints join to the base from above, with their placements."""
    here = np.eye(4)
    for joint in reversed(tree.above(base)):
        if joint.moves:
            return
        here = product(here, invert(snap.placement(joint.origin)))
        yield joint.parent, here


def rows_of(T: Array) -> Rows:
    """Return a placement as rows."""
    (a, b, c, d), (e, f, g, h), (i, j, k, l), _ = T.tolist()
    return ((a, b, c, d), (e, f, g, h), (i, j, k, l), (0.0, 0.0, 0.0, 1.0))


# Rounding residues of a shift are judged relative to its largest component, at least this [m].
SMALLEST_SIZE = 1e-3


def assembled(description: Description, options: ArmOptions) -> Robot:
    """Return the arm or the tree that a description holds.

    Raises:
        Fault: the tree holds no such arm.
    """
    base, tip = options.base, options.tip
    leniency = Leniency(options.strict, options.waive)
    snap = Snap(options.snap and not description.exact, description.words)
    tree = tree_of(description)
    if tip is None and base is None and description.tip in description.links:
        tip = description.tip
    tips, moves = options.tips, options.followers == MOVE
    if tip is None and base is None and tips is None and description.tips is not None:
        tips, moves = description.tips, True
    path = choose_path(tree, base, tip, tips, moves)
    following = _following(description, path) if moves else {}
    arm = moving_bodies(description, tree, path, snap, leniency, following=following)
    axes = [
        Axis(s.joint.name, s.placement, s.axis, s.joint.type != "prismatic") for s in arm.stages
    ]
    parents = [stage.parent - 1 for stage in arm.stages]
    serial = not following and parents == list(range(-1, len(parents) - 1))
    geometry = normal_frames(axes, snap) if serial else tree_frames(axes, parents, snap)
    names = ["base", *(stage.joint.name for stage in arm.stages)]
    links = [
        _joint(stage, row, frame, None if serial else names[stage.parent])
        for stage, row, frame in zip(arm.stages, geometry.rows, geometry.frames, strict=True)
    ]
    joints = [joint for joint in links if joint.name not in following]
    followers = [
        _follower(joint, following[joint.name]) for joint in links if joint.name in following
    ]
    numbers = _numbers(links, following)
    gravity, told = _gravity(description, tree, path.base, snap)
    above = ((name, 0, T) for name, T in fixed_above(tree, path.base, snap))
    placed = [*arm.links, *above]
    frames = [
        replace(frame, link=numbers[frame.link])
        for frame in named_frames(description, placed, geometry.frames, path.tips, snap)
    ]
    notes = [
        *description.notes, *path.notes, *told, *arm.notes, *remarks_on(description, arm),
        *geometry.notes, *snap.notes(),
        *limit_notes([stage.joint for stage in arm.stages], description.words),
    ]  # fmt: skip
    first = geometry.first
    base_placement = _clean(product(arm.stages[first].placement, geometry.frames[first]))
    tool = _clean(product(invert(geometry.frames[-1]), arm.tip)) if serial else None
    make = Robot.of_known_faults if arm.faulty else Robot
    return make(
        joints,
        gravity=gravity,
        base=base_placement,
        tool=np.eye(4) if tool is None else tool,
        name=description.name,
        notes=notes,
        shapes=list(_shapes(arm.solids, geometry.frames, numbers)),
        visuals=list(_shapes(arm.visuals, geometry.frames, numbers)),
        frames=frames,
        followers=followers,
        tips=() if serial else path.tips,
        strict=leniency.strict,
        waive=leniency.waive,
    )


def _following(description: Description, path: Path) -> dict[str, Coupling]:
    """Return the couplings of the joints on the way to the tips that move as others do.

    A joint whose leader does not move, or does not exist, stands still as well, and so does one
    that does not follow it linearly.
    """
    on_way = {joint.name: joint for joint in path.joints}

    def moves(name: str) -> bool:
        told: set[str] = set()
        while name in on_way and name not in told:
            told.add(name)
            joint = on_way[name]
            if joint.is_free:
                return True
            if joint.coupling is None or joint.coupling.rule is None:
                return False
            if joint.type not in FREE_TYPES:
                return False
            name = joint.coupling.leader
        return False

    return {
        joint.name: joint.coupling
        for joint in path.joints
        if joint.coupling is not None and joint.is_follower and moves(joint.name)
    }


def _follower(joint: Joint, coupling: Coupling) -> Follower:
    assert coupling.rule is not None  # of those that move
    return Follower(joint, {coupling.leader: coupling.rule.multiplier}, coupling.rule.offset)


def _numbers(links: Sequence[Joint], following: Mapping[str, Coupling]) -> list[int]:
    """Return the numbers of the links of the robot by those of the stages: followers come last."""
    ordered = [k for k, joint in enumerate(links, 1) if joint.name not in following]
    ordered += [k for k, joint in enumerate(links, 1) if joint.name in following]
    numbers = [0] * (len(links) + 1)
    for number, stage in enumerate(ordered, 1):
        numbers[stage] = number
    return numbers


def _gravity(
    description: Description, tree: Tree, base: str, snap: Snap
) -> tuple[Triple, list[str]]:
    """Return gravity in the frame of the base, and a note if the base is not the root.

    Fixed joints carry it from the root. Where joints between them move, nobody knows how the base
    stands: it is taken to stand upright.
    """
    if base == tree.root:
        return description.gravity, []
    above = tree.above(base)
    moving = [joint.name for joint in above if joint.moves]
    if moving:
        return description.gravity, [
            f"Gravity is given in the frame of link {base!r}, the chosen base: joints "
            f"{listed(moving)} lie between it and the root."
        ]
    g = np.array(description.gravity)
    for joint in above:
        g = product(snap.placement(joint.origin)[:3, :3].T, g)
    x, y, z = (float(v) for v in without_residues(g, max(map(abs, description.gravity))))
    return (x, y, z), [
        f"Gravity is carried from the root {tree.root!r} to the chosen base {base!r} through fixed "
        "joints."
    ]


def _shapes(
    solids: list[list[tuple[Solid, Array]]], frames: list[Array], numbers: list[int]
) -> Iterator[Shape]:
    """Yield the solids of the base, then those of every link in its normal frame."""
    back = [np.eye(4), *(invert(frame) for frame in frames)]
    for link, (T, found) in enumerate(zip(back, solids, strict=True)):
        for solid, placement in found:
            rows = rows_of(product(T, placement))
            yield Shape(
                numbers[link], solid.kind, solid.size, rows, solid.file, solid.folder,
                solid.colour,
            )  # fmt: skip


def _joint(stage: Stage, row: Row, frame: Array, parent: str | None) -> Joint:
    body = seen_from(stage.body, frame)
    x, y, z = (float(v) for v in body.com)
    joint = stage.joint
    numbers: dict[str, Any] = {**joint.friction, **limits_of(joint)[0]}
    return Joint(
        kind="prismatic" if joint.type == "prismatic" else "revolute",
        beta=row.beta, b=row.b, theta=row.theta, d=row.d, tilt=row.tilt,
        mass=body.mass, com=(x, y, z), inertia=six_of(body.inertia),
        rotor_inertia=joint.rotor_inertia, name=joint.name, parent=parent,
        branch_angle=row.branch_angle, branch_offset=row.branch_offset, **numbers,
    )  # fmt: skip


def _clean(T: Array) -> Array:
    """Return a placement without rounding residues."""
    cleaned = T.copy()
    size = float(np.abs(T[:3, 3]).max(initial=SMALLEST_SIZE))
    cleaned[:3, :3] = without_residues(T[:3, :3], 1.0)
    cleaned[:3, 3] = without_residues(T[:3, 3], size)
    return cleaned
