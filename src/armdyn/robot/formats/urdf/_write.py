"""`Robot` to URDF.

Data that URDF cannot express are written as <armdyn> elements, which other readers skip: the rotor
inertia of a joint, friction other than viscous and Coulomb, gravity other than (0, 0, -9.81), the
tip of an arm that keeps the links of its file, and that numbers are exact and must not be snapped.
"""

from __future__ import annotations

import warnings
from xml.etree.ElementTree import Comment, Element, SubElement, indent, tostring

import numpy as np

from armdyn.errors import RobotError
from armdyn.robot._joint import Joint
from armdyn.robot._robot import IDENTITY, Robot
from armdyn.robot.formats._body import seen_in
from armdyn.robot.formats._placement import (
    Array,
    at_zero,
    invert,
    product,
    roll_pitch_yaw,
    without_residues,
)
from armdyn.robot.formats._records import Description
from armdyn.robot.formats.urdf._elements import is_expression
from armdyn.robot.formats.urdf._parse import DYNAMICS, NO_LIMIT, own_attributes
from armdyn.robot.formats.urdf._read import parse_urdf
from armdyn.robot.formats.xml import number_text, numbers_text, skeleton, xml_name


def urdf_text(robot: Robot) -> str:
    """Return the URDF of a robot: reading it back gives the same torques and poses."""
    text = _text(robot, exact=False)
    return text if _is_kept(text) else _text(robot, exact=True)


def lost_in_urdf(robot: Robot) -> list[str]:
    """Return what other programs that read the URDF of a robot do not see."""
    fields = [field for field in own_attributes() if any(getattr(j, field) for j in robot.joints)]
    if not fields:
        return []
    words = ", ".join(field.replace("_", " ") for field in fields)
    return [
        f"URDF has no element for {words}: written as <armdyn>, which other programs skip. Give "
        "them to Pinocchio as `model.armature`, to MuJoCo as `armature`, or save as .xml (MJCF)."
    ]


def _text(robot: Robot, *, exact: bool) -> str:
    root = Element("robot", name=_name(robot.name or "arm"))
    made = skeleton(robot)
    own = {"gravity": numbers_text(robot.gravity)} if robot.gravity != Description.gravity else {}
    if robot.frames:
        own["tip"] = _name(made.tip)
    if exact:
        own["exact"] = "true"
    if own:
        SubElement(root, "armdyn", own)
    for told in lost_in_urdf(robot):
        root.append(Comment(f" {told} "))
    SubElement(root, "link", name=_name(made.links[0]))
    # links in the place of the first one carry each other and the arm: it may begin at any of them
    bases = [one for one in made.fixed if one.link == 0 and np.array_equal(one.placement, IDENTITY)]
    carriers = [made.links[0], *(one.name for one in bases)]
    above = {one.name: carrier for one, carrier in zip(bases, carriers, strict=False)}
    before = np.array(robot.base)
    for i, joint in enumerate(robot.joints, 1):
        parent = carriers[-1] if i == 1 else made.links[i - 1]
        child, at = made.links[i], made.frames[i]
        zero = product(before, at_zero(joint))
        _add_joint(root, joint, parent, child, product(zero, at), at)
        _add_link(root, joint, child, at)
        before = invert(at)
    for one in made.fixed:
        fixed = SubElement(root, "joint", name=_name(one.joint), type="fixed")
        parent = above.get(one.name, made.links[one.link])
        _connect(fixed, parent, one.name, product(invert(made.frames[one.link]), one.placement))
        SubElement(root, "link", name=_name(one.name))
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _name(name: str) -> str:
    """Return a name, or refuse one that would be read as something else."""
    if is_expression(name):
        raise RobotError(
            f"the name {name!r} cannot be written to a URDF, where it is an expression of xacro; "
            "rename it without `${` and `$(`."
        )
    return xml_name(name)


def _is_kept(text: str) -> bool:
    """Whether a reader that snaps reads the same numbers as one that does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return parse_urdf(text, strict=False) == parse_urdf(text, strict=False, snap=False)
        except RobotError:
            return False


def _add_link(root: Element, joint: Joint, name: str, at: Array) -> None:
    link = SubElement(root, "link", name=_name(name))
    inertial = SubElement(link, "inertial")
    com, inertia = joint.com, joint.inertia
    if not np.array_equal(at, IDENTITY):
        com, inertia = seen_in(at, com, inertia)
    SubElement(inertial, "origin", xyz=numbers_text(com), rpy="0 0 0")
    SubElement(inertial, "mass", value=repr(joint.mass))
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    SubElement(inertial, "inertia", dict(zip(keys, map(number_text, inertia), strict=True)))


def _add_joint(root: Element, joint: Joint, parent: str, child: str, T: Array, at: Array) -> None:
    endless = joint.is_revolute and min(-joint.lower, joint.upper) >= NO_LIMIT
    kind = "continuous" if endless else joint.kind
    element = SubElement(root, "joint", name=_name(joint.name), type=kind)
    _connect(element, parent, child, T)
    SubElement(element, "axis", xyz=numbers_text(without_residues(at[2, :3], 1.0)))
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
        SubElement(element, "origin", xyz=numbers_text(T[:3, 3]), rpy=numbers_text(rpy))
