"""`Robot` to MJCF.

Each link is a body in the one before, with the frame E_i of its joint. What MJCF has no attribute
for (limits of velocity, friction other than viscous and Coulomb) is kept in numbers of <custom>,
which MuJoCo ignores and armdyn reads again; a comment in the file and a warning say so.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from xml.etree.ElementTree import Comment, Element, SubElement, indent, tostring

import numpy as np

from armdyn.errors import RobotError, RobotWarning
from armdyn.robot._joint import Joint
from armdyn.robot._robot import Robot
from armdyn.robot.formats._placement import Array, at_zero, invert, quaternion_of
from armdyn.robot.formats._records import listed
from armdyn.robot.formats.mjcf._drives import ATTRIBUTES, EXACT, NO_LIMIT, own_fields, own_name
from armdyn.robot.formats.xml import DEEPEST, new_name, numbers_text, xml_name

# MuJoCo refuses moving bodies with smaller masses [kg] and moments [kg m^2] than 1e-15.
SMALLEST = 2e-15

# Bodies break the triangle inequality by less than this, relative, when numbers are rounded.
ROUNDED = 1e-12

# MuJoCo takes at most this many joints in one body.
MOST_JOINTS = 6


def mjcf_text(robot: Robot) -> str:
    """Return the MJCF of a robot: reading it back gives the same torques and poses.

    Bodies are named after the joints that move them; the last is "tip".

    Raises:
        RobotError: a link has an inertia that MuJoCo refuses.
    """
    if robot.n > DEEPEST - 10:
        raise RobotError(
            f"robot {robot.name!r} has {robot.n} joints; MuJoCo reads bodies nested up to "
            f"{DEEPEST - 10} deep."
        )
    root = Element("mujoco", model=xml_name(robot.name or "arm"))
    lost = [*_lost(robot)]
    for text in lost:
        root.append(Comment(f" {text.replace('--', '- -')} "))
    SubElement(root, "compiler", angle="radian", autolimits="true")
    SubElement(root, "option", gravity=numbers_text(robot.gravity))
    _add_custom(root, robot)
    _add_bodies(SubElement(root, "worldbody"), robot)
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


def _lost(robot: Robot) -> Iterator[str]:
    """Yield sentences on what MuJoCo cannot express."""
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


def _add_bodies(world: Element, robot: Robot) -> None:
    parent, placement = world, np.array(robot.base)
    taken = {"world"}
    waiting: list[Joint] = []  # joints whose links have no mass: they move the next body
    for k, joint in enumerate(robot.joints):
        waiting.append(joint)
        bare = joint.mass == 0.0 and not any(joint.inertia)
        if bare and k + 1 < robot.n and len(waiting) < MOST_JOINTS:
            continue
        name = new_name(f"{xml_name(joint.name)}_link", taken)
        frames = [placement]
        for one in waiting:
            frames.append(frames[-1] @ at_zero(one.beta, one.b, one.theta, one.d))
        parent = _add_body(parent, name, frames[-1])
        _add_inertial(parent, joint)
        for one, frame in zip(waiting, frames[1:], strict=True):
            _add_joint(parent, one, invert(frames[-1]) @ frame)
        waiting, placement = [], np.eye(4)
    _add_body(parent, new_name("tip", taken), np.array(robot.tool))


def _add_body(parent: Element, name: str, T: Array) -> Element:
    body = SubElement(parent, "body", name=name)
    if T[:3, 3].any():
        body.set("pos", numbers_text(T[:3, 3]))
    if not np.array_equal(T[:3, :3], np.eye(3)):
        x, y, z, w = quaternion_of(T[:3, :3])
        body.set("quat", numbers_text((w, x, y, z)))
    return body


def _add_inertial(body: Element, joint: Joint) -> None:
    moments, turn = principal(joint)
    inertial = SubElement(
        body, "inertial", pos=numbers_text(joint.com), mass=repr(max(joint.mass, SMALLEST))
    )
    if turn is not None:
        x, y, z, w = turn
        inertial.set("quat", numbers_text((w, x, y, z)))
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
        moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        axes[:, 2] *= np.sign(np.linalg.det(axes))
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


def _add_joint(body: Element, joint: Joint, T: Array) -> None:
    kind = "hinge" if joint.is_revolute else "slide"
    element = SubElement(body, "joint", name=xml_name(joint.name), type=kind)
    if T[:3, 3].any():
        element.set("pos", numbers_text(T[:3, 3]))
    element.set("axis", numbers_text(T[:3, 2]))
    if min(-joint.lower, joint.upper) < NO_LIMIT or max(-joint.lower, joint.upper) < NO_LIMIT:
        limits = (max(joint.lower, -NO_LIMIT), min(joint.upper, NO_LIMIT))
        element.set("range", numbers_text(limits))
    attributes = {"armature": joint.rotor_inertia}
    attributes |= {key: getattr(joint, field) for field, key in ATTRIBUTES.items()}
    for key, value in attributes.items():
        if value:
            element.set(key, repr(value))
