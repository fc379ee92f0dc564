"""URDF to `Robot`: parse, choose the chain, merge, convert, and tell what was done."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path as FilePath
from typing import TypedDict

import numpy as np

from armdyn.errors import RobotError, RobotFileError
from armdyn.robot._joint import Joint
from armdyn.robot._robot import Robot
from armdyn.robot.formats._axes import Axis, Row, normal_frames
from armdyn.robot.formats._body import seen_from
from armdyn.robot.formats._merge import Stage, serial_arm
from armdyn.robot.formats._placement import Array, invert, without_residues
from armdyn.robot.formats._snap import Snap
from armdyn.robot.formats._tree import choose_path, tree_of
from armdyn.robot.formats.urdf._parse import parse_document
from armdyn.robot.formats.urdf._records import NO_LIMIT, Fault, UrdfJoint, listed
from armdyn.robot.formats.urdf._xml import LARGEST_FILE, too_large


def read_urdf(
    path: str | os.PathLike[str],
    base: str | None = None,
    tip: str | None = None,
    strict: bool = True,
    snap: bool = True,
) -> Robot:
    """Return the serial arm that a URDF file describes.

    The joints keep the URDF's zero, sign and names. Joints off the chain and mimic joints stand
    still, and the links they carry are merged; ``Robot.notes`` says what was done.

    Args:
        path: of the file; nothing else is opened.
        base: link the arm stands on; default the root. Gravity is along its -z.
        tip: link at the end; default as far as the way on is unique, which is the gripper's base.
        strict: refuse links that cannot exist or lack an <inertial>, and elements that are there
            twice; False makes it a warning.
        snap: take right angles and zeros that are written with few digits as exact.

    Raises:
        RobotFileError: the file does not describe a serial arm; the message names the element.
    """
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST_FILE + 1)
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RobotFileError(os.fspath(path), f"cannot be read: {reason}.") from None
    if len(text) > LARGEST_FILE:
        raise RobotFileError(os.fspath(path), too_large(size))
    return parse_urdf(text, base, tip, strict, snap, source=path)


def parse_urdf(
    text: str | bytes,
    base: str | None = None,
    tip: str | None = None,
    strict: bool = True,
    snap: bool = True,
    source: str | os.PathLike[str] = "<URDF text>",
) -> Robot:
    """Return the serial arm that the text of a URDF describes; arguments as of `read_urdf`.

    Args:
        text: of the URDF.
        base: link the arm stands on.
        tip: link at the end.
        strict: refuse links that cannot exist.
        snap: take nearly right angles as right.
        source: what errors call the text.
    """
    try:
        return _robot(text, base, tip, strict, snap)
    except Fault as fault:
        raise RobotFileError(FilePath(source), str(fault)) from None
    except RobotError as error:
        raise RobotFileError(FilePath(source), str(error)) from error


def _robot(
    text: str | bytes, base: str | None, tip: str | None, strict: bool, snapping: bool
) -> Robot:
    snap = Snap(snapping)
    document = parse_document(text, strict)
    tree = tree_of(document)
    path = choose_path(tree, base, tip)
    arm = serial_arm(document, tree, path, snap, strict)
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
        *_limit_notes([stage.joint for stage in arm.stages]),
    ]  # fmt: skip
    base_placement = _clean(arm.stages[0].placement @ geometry.frames[0])
    tool = _clean(invert(geometry.frames[-1]) @ arm.tip)
    make = Robot.of_known_faults if arm.faulty else partial(Robot, strict=strict)
    return make(
        joints,
        gravity=document.gravity,
        base=base_placement,
        tool=tool,
        name=document.name,
        notes=notes,
    )


def _joint(stage: Stage, row: Row, frame: Array) -> Joint:
    body = seen_from(stage.body, frame)
    x, y, z = (float(v) for v in body.com)
    xx, xy, xz, yy, yz, zz = (float(body.inertia[k]) for k in zip(*np.triu_indices(3), strict=True))
    joint = stage.joint
    return Joint(
        kind="prismatic" if joint.type == "prismatic" else "revolute",
        beta=row.beta, b=row.b, theta=row.theta, d=row.d,
        mass=body.mass, com=(x, y, z), inertia=(xx, xy, xz, yy, yz, zz),
        rotor_inertia=joint.rotor_inertia, viscous=joint.damping, coulomb=joint.friction,
        offset=joint.offset, name=joint.name, **_limits(joint),
    )  # fmt: skip


class _Limits(TypedDict, total=False):
    lower: float
    upper: float
    velocity: float
    effort: float


def _limits(joint: UrdfJoint) -> _Limits:
    """Return the limits that limit something."""
    found: _Limits = {}
    if joint.type != "continuous" and not _has_no_range(joint):
        lower, upper = joint.lower or 0.0, joint.upper or 0.0  # the format's default is zero
        found["lower"] = lower if lower > -NO_LIMIT else -math.inf
        found["upper"] = upper if upper < NO_LIMIT else math.inf
    if joint.velocity and joint.velocity < NO_LIMIT:
        found["velocity"] = joint.velocity
    if joint.effort and joint.effort < NO_LIMIT:
        found["effort"] = joint.effort
    return found


def _has_no_range(joint: UrdfJoint) -> bool:
    return (joint.lower or 0.0) == (joint.upper or 0.0)


def _limit_notes(joints: list[UrdfJoint]) -> Iterator[str]:
    fixed_range = [j.name for j in joints if j.type != "continuous" and _has_no_range(j)]
    if fixed_range:
        yield (
            "No position limits are used where the file gives none, or a lower limit equal to the "
            f"upper one: joints {listed(fixed_range)}."
        )
    for what in ("velocity", "effort"):
        without = [j.name for j in joints if not getattr(j, what)]
        if without:
            yield f"No {what} limit, or zero, which counts as none: joints {listed(without)}."


def _clean(T: Array) -> Array:
    """Return a placement without the residues of rounding."""
    cleaned = T.copy()
    cleaned[:3, :3] = without_residues(T[:3, :3], 1.0)
    cleaned[:3, 3] = without_residues(T[:3, 3], float(np.abs(T[:3, 3]).max(initial=1e-3)))
    return cleaned
