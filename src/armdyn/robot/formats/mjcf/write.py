"""`Robot` to MJCF.

Each link is a body in the one before. An arm that was read from a file keeps the frames and names
of that file, others have the frames E_i. Links without mass are no bodies: MuJoCo has several
joints in one body instead, and the frames of such links are lost. What MJCF has no attribute for
(limits of velocity, friction other than viscous and Coulomb) is kept in numbers of <custom>, which
MuJoCo ignores and armdyn reads again; a comment in the file and a warning say so.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from xml.etree.ElementTree import Comment, Element, SubElement, indent, tostring

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import RobotError, RobotWarning
from armdyn.robot.formats.bodies import body_in, principal_axes, seen_in
from armdyn.robot.formats.geometry import (
    at_zero,
    invert,
    product,
    quaternion_of,
    without_residues,
    wxyz,
)
from armdyn.robot.formats.into import Skeleton, skeleton
from armdyn.robot.formats.mjcf.model import ATTRIBUTES, EXACT, NO_LIMIT, own_fields, own_name
from armdyn.robot.formats.records import listed
from armdyn.robot.formats.xml import DEEPEST, numbers_text, xml_name
from armdyn.robot.joint import Joint
from armdyn.robot.mechanism import check_serial
from armdyn.robot.model import Robot

# MuJoCo refuses moving bodies with smaller masses [kg] and moments [kg m^2] than 1e-15.
SMALLEST = 2e-15

# Bodies break the triangle inequality by less than this, relative, when numbers are rounded.
ROUNDED = 1e-12

# The name of MuJoCo's outermost body.
WORLD = "world"

# MuJoCo takes at most this many joints in one body.
MOST_JOINTS = 6


def mjcf_text(robot: Robot) -> str:
    """Return the MJCF of a robot: reading it back gives the same torques and poses.

    Raises:
        RobotError: a link has an inertia that MuJoCo refuses.
    """
    check_serial(robot, "Files of this format")
    if robot.n > DEEPEST - 10:
        raise RobotError(
            f"robot {robot.name!r} has {robot.n} joints; MuJoCo reads bodies nested up to "
            f"{DEEPEST - 10} deep."
        )
    root = Element("mujoco", model=xml_name(robot.name or "arm"))
    lost = lost_in_mjcf(robot)
    for text in lost:
        root.append(Comment(f" {text.replace('--', '- -')} "))
    SubElement(root, "compiler", angle="radian", autolimits="true")
    SubElement(root, "option", gravity=numbers_text(robot.gravity))
    _add_custom(root, robot)
    _add_bodies(SubElement(root, "worldbody"), robot, skeleton(robot))
    actuator = SubElement(root, "actuator")
    for joint in robot.joints:
        motor = SubElement(actuator, "motor", name=joint.name, joint=joint.name)
        if math.isfinite(joint.effort):
            force = numbers_text((-joint.effort, joint.effort))
            motor.set("ctrlrange", force)
            motor.set("forcerange", force)
    indent(root)
    if lost:
        warnings.warn(f"{' '.join(lost)}", RobotWarning, stacklevel=4)
    return tostring(root, encoding="unicode") + "\n"


def lost_in_mjcf(robot: Robot) -> list[str]:
    """Return what MuJoCo does not see in the file of a robot."""
    return list(_lost(robot))


def _lost(robot: Robot) -> Iterator[str]:
    for field in own_fields():
        joints = [joint.name for joint in robot.joints if _own(joint, field)]
        if joints and field != "velocity":
            yield (
                f"MuJoCo has nothing for `{field}`: it is kept in <custom>, which MuJoCo ignores, "
                f"for joints {listed(joints)}."
            )


def _own(joint: Joint, field: str) -> float:
    """Return a number for <custom>; 0 if there is none to keep."""
    value: float = getattr(joint, field)
    return value if math.isfinite(value) else 0.0


def _add_custom(root: Element, robot: Robot) -> None:
    custom = SubElement(root, "custom")
    SubElement(custom, "numeric", name=EXACT, data="1")
    for joint in robot.joints:
        for field in own_fields():
            value = _own(joint, field)
            if value:
                SubElement(custom, "numeric", name=own_name(joint.name, field), data=repr(value))


def _add_bodies(world: Element, robot: Robot, made: Skeleton) -> None:
    parent, before = world, np.array(robot.base)
    if robot.frames and made.links[0] != WORLD:
        SubElement(world, "site", name=xml_name(made.links[0]))
    _add_sites(world, robot, made, 0)
    waiting: list[tuple[Joint, Array]] = []  # joints that move the next body, and their frames
    for k, joint in enumerate(robot.joints, 1):
        frame = product(before, at_zero(joint), made.frames[k])
        waiting.append((joint, frame))
        before = product(frame, invert(made.frames[k]))
        bare = joint.mass == 0.0 and not any(joint.inertia)
        if bare and k < robot.n and len(waiting) < MOST_JOINTS:
            continue
        parent = _add_body(parent, made.links[k], frame)
        _add_inertial(parent, joint, made.frames[k])
        for (one, there), number in zip(waiting, range(k - len(waiting) + 1, k + 1), strict=True):
            axis = product(there[:3, :3], invert(made.frames[number])[:3, 2])
            at = product(invert(frame), there)[:3, 3]
            _add_joint(parent, one, at, product(frame[:3, :3].T, axis))
        _add_sites(parent, robot, made, k)
        waiting, before = [], invert(made.frames[k])
    for one in made.fixed:
        if one.name == made.tip:
            _add_body(parent, one.name, product(invert(made.frames[-1]), one.placement))


def _add_sites(body: Element, robot: Robot, made: Skeleton, link: int) -> None:
    """Add the frames that are fixed to a link, by the names they have in a file; not the tip."""
    named = {frame.name for frame in robot.frames}
    for one in made.fixed:
        if one.link == link:
            T = product(invert(made.frames[link]), one.placement)
            for name in dict.fromkeys((one.name, one.joint)):
                if name in named and name not in (made.tip, WORLD):
                    _place(SubElement(body, "site", name=xml_name(name)), T)


def _add_body(parent: Element, name: str, T: Array) -> Element:
    body = SubElement(parent, "body", name=xml_name(name))
    _place(body, T)
    return body


def _place(element: Element, T: Array) -> None:
    if T[:3, 3].any():
        element.set("pos", numbers_text(without_residues(T[:3, 3], np.abs(T[:3, 3]).max())))
    R = without_residues(T[:3, :3], 1.0)
    if not np.array_equal(R, np.eye(3)):
        element.set("quat", numbers_text(wxyz(quaternion_of(R))))


def _add_inertial(body: Element, joint: Joint, at: Array) -> None:
    if not np.array_equal(at, np.eye(4)):
        com, inertia = seen_in(at, joint.com, joint.inertia)
        joint = replace(joint, com=com, inertia=inertia)
    moments, turn = principal(joint)
    inertial = SubElement(
        body, "inertial", pos=numbers_text(joint.com), mass=repr(max(joint.mass, SMALLEST))
    )
    if turn is not None:
        inertial.set("quat", numbers_text(wxyz(turn)))
    inertial.set("diaginertia", numbers_text(moments))


def principal(
    joint: Joint,
) -> tuple[tuple[float, float, float], tuple[float, float, float, float] | None]:
    """Return moments that MuJoCo takes, and the quaternion of their axes if they are turned.

    Moments that break the triangle inequality by a rounding are raised by that much.

    Raises:
        RobotError: no body has this inertia, and MuJoCo refuses it.
    """
    xx, xy, xz, yy, yz, zz = joint.inertia
    turn = None
    moments = np.array([xx, yy, zz])
    if xy or xz or yz:
        moments, axes = principal_axes(body_in(joint.com, joint.inertia).inertia)
        turn = quaternion_of(axes)
    given = moments.copy()
    low, middle, high = np.argsort(moments)
    moments = np.maximum(moments, SMALLEST)
    while moments[low] + moments[middle] < moments[high]:
        moments[low] = np.nextafter(max(moments[low], moments[high] - moments[middle]), np.inf)
    raised = float(np.abs(moments - given).max())
    allowed = max(float(moments.max()), SMALLEST)
    if raised > 1e-9 * allowed + SMALLEST:
        raise RobotError(
            f"the link of joint {joint.name!r} cannot be written as MJCF: "
            f"{'; '.join(joint.physical_faults())}. MuJoCo refuses such a body."
        )
    if raised > ROUNDED * allowed + SMALLEST:
        warnings.warn(
            f"the link of joint {joint.name!r} breaks the triangle inequality by "
            f"{raised / allowed:.1e}: a moment was raised by that much, or MuJoCo refuses it.",
            RobotWarning,
            stacklevel=6,
        )
    a, b, c = (float(moment) for moment in moments)
    return (a, b, c), turn


def _add_joint(body: Element, joint: Joint, at: Array, axis: Array) -> None:
    kind = "hinge" if joint.is_revolute else "slide"
    element = SubElement(body, "joint", name=xml_name(joint.name), type=kind)
    at = np.where(np.abs(at) <= ROUNDED, 0.0, at)
    if at.any():
        element.set("pos", numbers_text(at))
    element.set("axis", numbers_text(without_residues(axis, 1.0)))
    if min(-joint.lower, joint.upper) < NO_LIMIT or max(-joint.lower, joint.upper) < NO_LIMIT:
        limits = (max(joint.lower, -NO_LIMIT), min(joint.upper, NO_LIMIT))
        element.set("range", numbers_text(limits))
    attributes = {"armature": joint.rotor_inertia}
    attributes |= {key: getattr(joint, field) for field, key in ATTRIBUTES.items()}
    for key, value in attributes.items():
        if value:
            element.set(key, repr(value))
