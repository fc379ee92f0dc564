"""Make a `Robot` from a kinematic tree: choose the chain, merge, convert to DH, note changes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TypedDict

import numpy as np

from armdyn.robot._joint import Joint
from armdyn.robot._robot import Robot, placement_of
from armdyn.robot._shape import Shape
from armdyn.robot.formats._axes import Axis, Row, normal_frames
from armdyn.robot.formats._body import seen_from
from armdyn.robot.formats._merge import Stage, serial_arm
from armdyn.robot.formats._placement import Array, invert, without_residues
from armdyn.robot.formats._records import Description, Solid, TreeJoint, Words, listed
from armdyn.robot.formats._snap import Snap
from armdyn.robot.formats._tree import choose_path, tree_of

# Rounding residues of a shift are judged relative to its largest component, at least this [m].
SMALLEST_SIZE = 1e-3


def assembled(
    description: Description, base: str | None, tip: str | None, strict: bool, snapping: bool
) -> Robot:
    """Return the serial arm from `base` to `tip` of a kinematic tree.

    Args:
        description: the tree.
        base: link the arm stands on; default the root.
        tip: link at the end; default: as far as the path is unique.
        strict: refuse links that cannot exist; False warns.
        snapping: take right angles and zeros that are written with few digits as exact.

    Raises:
        Fault: the tree holds no such arm.
    """
    snap = Snap(snapping, description.words)
    tree = tree_of(description)
    path = choose_path(tree, base, tip)
    arm = serial_arm(description, tree, path, snap, strict)
    axes = [
        Axis(s.joint.name, s.placement, s.axis, s.joint.type != "prismatic") for s in arm.stages
    ]
    geometry = normal_frames(axes, snap)
    joints = [
        _joint(stage, row, frame)
        for stage, row, frame in zip(arm.stages, geometry.rows, geometry.frames, strict=True)
    ]
    notes = [
        *path.notes, *arm.notes, *geometry.notes, *snap.notes(),
        *_limit_notes([stage.joint for stage in arm.stages], description.words),
    ]  # fmt: skip
    base_placement = _clean(arm.stages[0].placement @ geometry.frames[0])
    tool = _clean(invert(geometry.frames[-1]) @ arm.tip)
    make = Robot.of_known_faults if arm.faulty else partial(Robot, strict=strict)
    return make(
        joints,
        gravity=description.gravity,
        base=base_placement,
        tool=tool,
        name=description.name,
        notes=notes,
        shapes=list(_shapes(arm.solids, geometry.frames)),
    )


def _shapes(solids: list[list[tuple[Solid, Array]]], frames: list[Array]) -> Iterator[Shape]:
    """Yield the solids of the base, then those of every link in its normal frame."""
    back = [np.eye(4), *(invert(frame) for frame in frames)]
    for link, (T, found) in enumerate(zip(back, solids, strict=True)):
        for solid, placement in found:
            rows = placement_of(T @ placement, "placement")
            yield Shape(link, solid.kind, solid.size, rows, solid.file, solid.folder)


def _joint(stage: Stage, row: Row, frame: Array) -> Joint:
    body = seen_from(stage.body, frame)
    x, y, z = (float(v) for v in body.com)
    xx, xy, xz, yy, yz, zz = (float(body.inertia[k]) for k in zip(*np.triu_indices(3), strict=True))
    joint = stage.joint
    return Joint(
        kind="prismatic" if joint.type == "prismatic" else "revolute",
        beta=row.beta, b=row.b, theta=row.theta, d=row.d,
        mass=body.mass, com=(x, y, z), inertia=(xx, xy, xz, yy, yz, zz),
        rotor_inertia=joint.rotor_inertia, name=joint.name, **joint.friction, **_limits(joint),
    )  # fmt: skip


class _Limits(TypedDict, total=False):
    lower: float
    upper: float
    velocity: float
    effort: float


def _limits(joint: TreeJoint) -> _Limits:
    """Return the limits that the joint has."""
    found: _Limits = {}
    if joint.lower is not None and joint.upper is not None:
        found["lower"], found["upper"] = joint.lower, joint.upper
    if joint.velocity is not None:
        found["velocity"] = joint.velocity
    if joint.effort is not None:
        found["effort"] = joint.effort
    return found


def _limit_notes(joints: list[TreeJoint], words: Words) -> Iterator[str]:
    endless = [j.name for j in joints if j.type != "continuous" and j.lower is None]
    if endless:
        yield f"No position limits are used where {words.no_range}: joints {listed(endless)}."
    for what in ("velocity", "effort"):
        without = [j.name for j in joints if getattr(j, what) is None]
        if without:
            yield f"No {what} limit{words.no_limit}: joints {listed(without)}."


def _clean(T: Array) -> Array:
    """Return a placement without rounding residues."""
    cleaned = T.copy()
    size = float(np.abs(T[:3, 3]).max(initial=SMALLEST_SIZE))
    cleaned[:3, :3] = without_residues(T[:3, :3], 1.0)
    cleaned[:3, 3] = without_residues(T[:3, 3], size)
    return cleaned
