"""Normal driving-axis frames of trees: one branch after another, each on a frame of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.chain import rounded_atan2
from armdyn.robot.formats.axes import Axis, Geometry, Row, Snap, Stem, normal_frames
from armdyn.robot.formats.geometry import Line, invert, product, without_residues


def tree_frames(axes: Sequence[Axis], parents: Sequence[int], snap: Snap) -> Geometry:
    """Return the description of the joint axes of a tree.

    The x axis of a link lies on the common normal to the child with the largest subtree. Other
    children hang on a frame turned about z by `branch_angle` and shifted along it by
    `branch_offset`, the two further parameters of [KhalilKleinfinger1986].

    Args:
        axes: of the joints, parents first.
        parents: index of the joint that carries each; -1 is the base.
        snap: rounds to nominal geometry.
    """
    branches = main_branches(parents)
    (first, *_) = branches[0][1]
    rows: dict[int, Row] = {}
    frames: dict[int, Array] = {}
    lines: dict[int, Line] = {}
    notes: list[str] = []
    base_axis = Axis("base", np.eye(4), axes[first].direction, True)
    for stem, joints in branches:
        on_base = stem < 0
        if joints[0] == first:
            found = normal_frames([axes[k] for k in joints], snap)
            own = found.rows, found.frames, found.lines
        else:
            at = axes[first].placement if on_base else np.eye(4)
            carrier = first if on_base else stem
            before = Stem(lines[carrier].moved(at), product(at, frames[carrier]))
            sequence = [base_axis if on_base else axes[stem], *(axes[k] for k in joints)]
            found = normal_frames(sequence, snap, before)
            turned = product(invert(before.frame), found.frames[0])
            R, p = without_residues(turned[:3, :3], 1.0), turned[:3, 3]
            angle = snap.angle(rounded_atan2(R[1, 0], R[0, 0]), "branch angles [rad]")
            offset = snap.length(float(p[2]), "branch offsets [m]")
            leading = replace(found.rows[1], branch_angle=angle, branch_offset=offset)
            own = [leading, *found.rows[2:]], found.frames[1:], found.lines[1:]
        for k, row, frame, line in zip(joints, *own, strict=True):
            rows[k], frames[k], lines[k] = row, frame, line
        notes += found.notes
    order = range(len(axes))
    return Geometry(
        [rows[k] for k in order],
        [frames[k] for k in order],
        notes,
        [lines[k] for k in order],
        first,
    )


def main_branches(parents: Sequence[int]) -> list[tuple[int, list[int]]]:
    """Return the branches of a tree, each with the index of what it hangs on, -1 for the base.

    A branch goes on with the child that has the largest subtree; those behind the earliest joints
    come first. So what a branch hangs on belongs to an earlier one.
    """
    children: dict[int, list[int]] = {k: [] for k in range(-1, len(parents))}
    for k, parent in enumerate(parents):
        children[parent].append(k)
    size = [1] * len(parents)
    for k in range(len(parents) - 1, -1, -1):
        if parents[k] >= 0:
            size[parents[k]] += size[k]
    found: list[tuple[int, list[int]]] = []
    waiting = [(-1, k) for k in sorted(children[-1], key=lambda k: -size[k])]
    for stem, k in waiting:  # the loop extends the list
        branch = [k]
        while behind := children[branch[-1]]:
            main = max(behind, key=lambda k: size[k])
            waiting += [(branch[-1], other) for other in behind if other != main]
            branch.append(main)
        found.append((stem, branch))
    return found
