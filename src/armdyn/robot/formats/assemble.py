"""Make a `Robot` from a kinematic tree: choose the chain, merge, convert to DH, note changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.formats.axes import Axis, Row, Snap, normal_frames
from armdyn.robot.formats.bodies import (
    Stage,
    limit_notes,
    limits_of,
    remarks_on,
    seen_from,
    serial_arm,
    six_of,
)
from armdyn.robot.formats.geometry import invert, product, without_residues
from armdyn.robot.formats.records import ArmOptions, Description, Solid, Triple, listed
from armdyn.robot.formats.tree import Tree, choose_path, tree_of
from armdyn.robot.joint import Joint
from armdyn.robot.leniency import Leniency
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
    tip: str,
    snap: Snap,
) -> list[NamedFrame]:
    """Return the frames that the names of links, joints and sites stand for.

    Where names are the same, that of a link counts, then that of a joint.

    Args:
        description: the tree as read.
        placed: every link of the arm, the stage it belongs to, and its placement there.
        frames: the placements of E_i in the frames of the stages i = 1..n.
        tip: link at the end of the arm.
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
    for name in (*description.unnamed, *([TIP] if tip != TIP else [])):
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
    """Return the serial arm of a kinematic tree.

    Raises:
        Fault: the tree holds no such arm.
    """
    base, tip = options.base, options.tip
    leniency = Leniency(options.strict, options.waive)
    snap = Snap(options.snap and not description.exact, description.words)
    tree = tree_of(description)
    if tip is None and base is None and description.tip in description.links:
        tip = description.tip
    path = choose_path(tree, base, tip)
    arm = serial_arm(description, tree, path, snap, leniency)
    axes = [
        Axis(s.joint.name, s.placement, s.axis, s.joint.type != "prismatic") for s in arm.stages
    ]
    geometry = normal_frames(axes, snap)
    joints = [
        _joint(stage, row, frame)
        for stage, row, frame in zip(arm.stages, geometry.rows, geometry.frames, strict=True)
    ]
    gravity, told = _gravity(description, tree, path.base, snap)
    above = ((name, 0, T) for name, T in fixed_above(tree, path.base, snap))
    links = [*arm.links, *above]
    frames = named_frames(description, links, geometry.frames, path.tip, snap)
    notes = [
        *description.notes, *path.notes, *told, *arm.notes, *remarks_on(description, arm),
        *geometry.notes, *snap.notes(),
        *limit_notes([stage.joint for stage in arm.stages], description.words),
    ]  # fmt: skip
    base_placement = _clean(product(arm.stages[0].placement, geometry.frames[0]))
    tool = _clean(product(invert(geometry.frames[-1]), arm.tip))
    make = Robot.of_known_faults if arm.faulty else Robot
    return make(
        joints,
        gravity=gravity,
        base=base_placement,
        tool=tool,
        name=description.name,
        notes=notes,
        shapes=list(_shapes(arm.solids, geometry.frames)),
        visuals=list(_shapes(arm.visuals, geometry.frames)),
        frames=frames,
        strict=leniency.strict,
        waive=leniency.waive,
    )


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


def _shapes(solids: list[list[tuple[Solid, Array]]], frames: list[Array]) -> Iterator[Shape]:
    """Yield the solids of the base, then those of every link in its normal frame."""
    back = [np.eye(4), *(invert(frame) for frame in frames)]
    for link, (T, found) in enumerate(zip(back, solids, strict=True)):
        for solid, placement in found:
            rows = rows_of(product(T, placement))
            yield Shape(link, solid.kind, solid.size, rows, solid.file, solid.folder, solid.colour)


def _joint(stage: Stage, row: Row, frame: Array) -> Joint:
    body = seen_from(stage.body, frame)
    x, y, z = (float(v) for v in body.com)
    joint = stage.joint
    return Joint(
        kind="prismatic" if joint.type == "prismatic" else "revolute",
        beta=row.beta, b=row.b, theta=row.theta, d=row.d, tilt=row.tilt,
        mass=body.mass, com=(x, y, z), inertia=six_of(body.inertia),
        rotor_inertia=joint.rotor_inertia, name=joint.name, **joint.friction, **limits_of(joint)[0],
    )  # fmt: skip


def _clean(T: Array) -> Array:
    """Return a placement without rounding residues."""
    cleaned = T.copy()
    size = float(np.abs(T[:3, 3]).max(initial=SMALLEST_SIZE))
    cleaned[:3, :3] = without_residues(T[:3, :3], 1.0)
    cleaned[:3, 3] = without_residues(T[:3, 3], size)
    return cleaned
