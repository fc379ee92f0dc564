"""`Robot` to URDF.

Data that URDF cannot express are written as <armdyn> elements, which other readers skip: the rotor
inertia of a joint, friction other than viscous and Coulomb, and gravity other than (0, 0, -9.81).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from armdyn.errors import RobotError
from armdyn.robot._chain import exact_cos_sin
from armdyn.robot._joint import Joint
from armdyn.robot._robot import IDENTITY, Robot
from armdyn.robot.formats._placement import Array, place, roll_pitch_yaw
from armdyn.robot.formats._records import Description
from armdyn.robot.formats.urdf._parse import DYNAMICS, NO_LIMIT, own_attributes

# XML 1.0 has no way to write these characters, escaped or not.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def urdf_text(robot: Robot) -> str:
    """Return the URDF of a robot: reading it back gives the same torques and poses.

    Links are named after the joints that move them; the first is "base", the last "tip".
    """
    root = Element("robot", name=_name(robot.name or "arm"))
    if robot.gravity != Description.gravity:
        SubElement(root, "armdyn", gravity=_numbers(robot.gravity))
    taken: set[str] = set()
    parent = _new_name("base", taken)
    SubElement(root, "link", name=parent)
    placement = np.array(robot.base)
    for joint in robot.joints:
        child = _new_name(f"{_name(joint.name)}_link", taken)
        _add_joint(root, joint, parent, child, placement @ _placement_at_zero(joint))
        _add_link(root, joint, child)
        parent, placement = child, np.eye(4)
    tip = _new_name("tip", taken)
    joint_names = {joint.name for joint in robot.joints}
    fixed = SubElement(root, "joint", name=_new_name("tip_joint", joint_names), type="fixed")
    _connect(fixed, parent, tip, np.array(robot.tool))
    SubElement(root, "link", name=tip)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _add_link(root: Element, joint: Joint, name: str) -> None:
    link = SubElement(root, "link", name=name)
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=_numbers(joint.com), rpy="0 0 0")
    SubElement(inertial, "mass", value=repr(joint.mass))
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    SubElement(inertial, "inertia", dict(zip(keys, map(repr, joint.inertia), strict=True)))


def _add_joint(root: Element, joint: Joint, parent: str, child: str, T: Array) -> None:
    endless = joint.is_revolute and min(-joint.lower, joint.upper) >= NO_LIMIT
    kind = "continuous" if endless else joint.kind
    element = SubElement(root, "joint", name=_name(joint.name), type=kind)
    _connect(element, parent, child, T)
    SubElement(element, "axis", xyz="0 0 1")
    limit = SubElement(element, "limit")
    if not endless:
        limit.set("lower", repr(max(joint.lower, -NO_LIMIT)))
        limit.set("upper", repr(min(joint.upper, NO_LIMIT)))
    limit.set("effort", repr(min(joint.effort, NO_LIMIT)))
    limit.set("velocity", repr(min(joint.velocity, NO_LIMIT)))
    dynamics = {key: repr(getattr(joint, field)) for field, key in DYNAMICS.items()}
    SubElement(element, "dynamics", dynamics)
    own = {field: value for field in own_attributes() if (value := getattr(joint, field))}
    if own:
        SubElement(element, "armdyn", {field: repr(value) for field, value in own.items()})


def _connect(element: Element, parent: str, child: str, T: Array) -> None:
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    if not np.array_equal(T, IDENTITY):
        rpy = roll_pitch_yaw(T[:3, :3])
        SubElement(element, "origin", xyz=_numbers(T[:3, 3]), rpy=_numbers(rpy))


def _placement_at_zero(joint: Joint) -> Array:
    """Return Rx(beta) Tx(b) Rz(theta) Tz(d)."""
    (cb, sb), (c, s) = exact_cos_sin(joint.beta), exact_cos_sin(joint.theta)
    R = np.array([[c, -s, 0.0], [cb * s, cb * c, -sb], [sb * s, sb * c, cb]])
    return place(R, np.array([joint.b, -sb * joint.d, cb * joint.d]))


def _numbers(values: Iterable[float]) -> str:
    """Return numbers with all their digits; a zero is written without a sign."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def _name(name: str) -> str:
    found = NOT_IN_XML.search(name)
    if found or not name.strip():
        raise RobotError(
            f"the name {name!r} cannot be written to XML; rename it with printable characters."
        )
    return name


def _new_name(wanted: str, taken: set[str]) -> str:
    while wanted in taken:
        wanted += "_"
    taken.add(wanted)
    return wanted
