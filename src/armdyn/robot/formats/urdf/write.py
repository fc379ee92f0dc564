"""`Robot` to URDF: a new file, or the numbers of an arm written into the file it came from."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from xml.etree.ElementTree import Comment, Element, SubElement, indent, tostring

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import RobotError
from armdyn.robot.formats.bodies import Body, seen_in, six_of
from armdyn.robot.formats.geometry import at_zero, invert, product, roll_pitch_yaw, without_residues
from armdyn.robot.formats.into import (
    EQUAL_NUMBER_TOLERANCE,
    NewInertial,
    Skeleton,
    new_inertials,
    skeleton,
)
from armdyn.robot.formats.records import MOVE, Description, Origin, file_bytes, naming
from armdyn.robot.formats.urdf.elements import is_expression
from armdyn.robot.formats.urdf.read import (
    DYNAMICS,
    NO_LIMIT,
    TIPS_APART,
    own_attributes,
    parse_description,
    parse_urdf,
)
from armdyn.robot.formats.urdf.xml import LARGEST_FILE
from armdyn.robot.formats.xml import XmlElement, XmlSource, number_text, numbers_text, xml_name
from armdyn.robot.joint import Joint
from armdyn.robot.mechanism import Follower, ends, link_parents
from armdyn.robot.model import IDENTITY, Robot

# `Robot` to URDF.
#
# Data that URDF cannot express are written as <armdyn> elements, which other readers skip: the
# rotor inertia of a joint, friction other than viscous and Coulomb, gravity other than (0, 0,
# -9.81), the tip of an arm that keeps the links of its file, and that numbers are exact and must
# not be snapped.


def urdf_text(robot: Robot) -> str:
    """Return the URDF of a robot: reading it back gives the same torques and poses."""
    text = _text(robot, exact=False)
    return text if _is_kept(text) else _text(robot, exact=True)


def description_of(robot: Robot) -> Description:
    """Return a robot as the records of its file, with exact numbers."""
    return parse_description(_text(robot, exact=True), strict=False)


def lost_in_urdf(robot: Robot) -> list[str]:
    """Return what other programs that read the URDF of a robot do not see."""
    fields = [field for field in own_attributes() if any(getattr(j, field) for j in robot.links)]
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
    if not robot.is_serial:
        own |= {"tips": _listed(robot, made), "followers": MOVE}
    elif robot.frames:
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
    rules = {one.joint.name: one for one in robot.followers}
    for i, (joint, above_it) in enumerate(zip(robot.links, link_parents(robot), strict=True), 1):
        parent = made.links[above_it] if above_it else carriers[-1]
        child, at = made.links[i], made.frames[i]
        before = invert(made.frames[above_it]) if above_it else np.array(robot.base)
        zero = product(before, at_zero(joint))
        rule = rules.get(joint.name)
        _add_joint(root, joint, parent, child, product(zero, at), at, rule)
        _add_link(root, joint, child, at)
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


def _listed(robot: Robot, made: Skeleton) -> str:
    """Return the names of the links at the tips of a tree, as an attribute has them."""
    tips = robot.tips
    if not tips:
        tips = [made.tip] if made.tip else [made.links[i] for i in ends(robot)]
    names = [_name(tip) for tip in tips]
    if odd := [name for name in names if TIPS_APART in name]:
        raise RobotError(
            f"the tip {odd[0]!r} has {TIPS_APART!r} in its name, which separates tips in the "
            "file; rename it."
        )
    return TIPS_APART.join(names)


def _add_joint(
    root: Element,
    joint: Joint,
    parent: str,
    child: str,
    T: Array,
    at: Array,
    rule: Follower | None,
) -> None:
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
    if rule is not None:
        _add_mimic(element, rule)
    own = {field: value for field in own_attributes() if (value := getattr(joint, field))}
    if own:
        SubElement(element, "armdyn", {field: repr(value) for field, value in own.items()})


def _add_mimic(element: Element, rule: Follower) -> None:
    if len(rule.follows) > 1:
        leaders = ", ".join(repr(name) for name, _ in rule.follows)
        raise RobotError(
            f"joint {rule.joint.name!r} follows {leaders}: a <mimic> of URDF follows one joint. "
            "Save the robot as TOML."
        )
    leader, factor = next(iter(rule.follows))
    SubElement(
        element, "mimic", joint=_name(leader), multiplier=repr(factor), offset=repr(rule.offset)
    )


def _connect(element: Element, parent: str, child: str, T: Array) -> None:
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    if not np.array_equal(T, IDENTITY):
        rpy = roll_pitch_yaw(T[:3, :3])
        SubElement(element, "origin", xyz=numbers_text(T[:3, 3]), rpy=numbers_text(rpy))


# Write the numbers of an arm into the URDF it came from; every other byte stays.
#
# Changed are <inertial> elements of the links the arm is made of, <dynamics>, and what URDF has no
# element for: rotor inertias, by Drake's tags if the file has them, else by <armdyn>, and friction
# other than viscous and Coulomb, by <armdyn>.

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def urdf_into(
    robot: Robot, original: str | os.PathLike[str], *, merge_branches: bool = False
) -> bytes:
    """Return the bytes of a URDF file with the numbers of an arm in it.

    Args:
        robot: the arm.
        original: path of the file that the arm was read from.
        merge_branches: give all inertia of a changed link to one link of the file.

    Raises:
        RobotFileError: the file cannot be read, describes another arm, or cannot take the change.
    """
    with naming(original):
        data = file_bytes(original, LARGEST_FILE, "a URDF without its meshes")
        return into_text(robot, data, merge_branches=merge_branches)


def into_text(robot: Robot, data: bytes, *, merge_branches: bool = False) -> bytes:
    """Return the bytes of a URDF text with the numbers of an arm in it."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # reading the arm has warned
        description = parse_description(data, strict=False)
    source = XmlSource(data)
    editor = _Editor(source)
    for new in new_inertials(robot, description, merge_branches=merge_branches):
        editor.inertial(new)
    for joint in robot.joints:
        old = description.joints[joint.name]
        fields = (*DYNAMICS, *own_attributes())
        was = {**dict.fromkeys(fields, 0.0), **old.friction, "rotor_inertia": old.rotor_inertia}
        changed = {f: getattr(joint, f) for f in fields if getattr(joint, f) != was[f]}
        editor.drive(joint.name, changed)
    return source.edited()


class _Editor:
    """Finds links and joints of a URDF, and sets their numbers."""

    def __init__(self, source: XmlSource) -> None:
        self._source = source
        prefix, colon, _ = source.root.tag.rpartition(":")
        self._prefix = prefix + colon
        self._named: dict[tuple[str, str], XmlElement] = {}
        for element in source.root.children:
            key = (element.tag, element.attributes.get("name", ""))
            self._named.setdefault(key, element)

    def inertial(self, new: NewInertial) -> None:
        """Set the inertia of a link."""
        link = self._named[self._tag("link"), new.link.name]
        found = link.child(self._tag("inertial"))
        old = new.link.inertial
        if found is None or old is None:
            assert new.body is not None
            values = _inertial_values(new.body, Origin(), new)
            origin = {"xyz": numbers_text(values["xyz"]), "rpy": "0 0 0"}
            parts: dict[str, dict[str, str]] = {
                self._tag("origin"): origin,
                self._tag("mass"): {"value": number_text(values["mass"][0])},
                self._tag("inertia"): {},
            }
            for key, value in zip(MOMENTS, values["inertia"], strict=True):
                parts[self._tag("inertia")][key] = number_text(value)
            self._source.add(link, self._tag("inertial"), {}, parts.items())
            return
        body = new.body or Body(0.0, np.array(old.origin.xyz), np.zeros((3, 3)))
        values = _inertial_values(body, old.origin, new)
        size = max(np.abs(old.inertia).max(), np.abs(values["inertia"]).max())
        self._put(found, "mass", "value", (old.mass,), values["mass"], old.mass)
        for key, a, b in zip(MOMENTS, old.inertia, values["inertia"], strict=True):
            self._put(found, "inertia", key, (a,), (b,), float(size))
        far = float(max(np.abs(old.origin.xyz).max(), np.abs(values["xyz"]).max(), 1e-3))
        self._put(found, "origin", "xyz", old.origin.xyz, values["xyz"], far)

    def drive(self, name: str, changed: Mapping[str, float]) -> None:
        """Set numbers of <dynamics> and <armdyn> of a joint, by the fields of `Joint`."""
        joint = self._named[self._tag("joint"), name]
        own: dict[str, str] = {}
        for field, value in changed.items():
            if field in DYNAMICS:
                continue
            if field == "rotor_inertia" and self._drake(name, value):
                continue
            own[field] = number_text(value)
        known = {key: number_text(changed[f]) for f, key in DYNAMICS.items() if f in changed}
        for tag, values in (("dynamics", known), ("armdyn", own)):
            found = joint.child(self._tag(tag))
            if found is None and values:
                self._source.add(joint, self._tag(tag), values)
            elif found is not None:
                for key, value in values.items():
                    self._source.set(found, key, value)

    def _drake(self, name: str, value: float) -> bool:
        """Set the rotor inertia of a joint by Drake's tags, if the file has them."""
        own = self._named[self._tag("joint"), name].child(self._tag("armdyn"))
        if own is not None and "rotor_inertia" in own.attributes:
            return False
        for transmission in self._source.root.children:
            if transmission.tag != self._tag("transmission"):
                continue
            inside = list(transmission.walk())
            if not any(
                e.tag == self._tag("joint") and e.attributes.get("name") == name for e in inside
            ):
                continue
            ratio = 1.0
            for element in inside:
                if element.tag.endswith(":gear_ratio"):
                    ratio = float(element.attributes["value"])
            for element in inside:
                if element.tag.endswith(":rotor_inertia"):
                    self._source.set(element, "value", number_text(value / (ratio * ratio)))
                    return True
        return False

    def _put(
        self,
        inertial: XmlElement,
        tag: str,
        key: str,
        old: tuple[float, ...],
        new: tuple[float, ...],
        size: float,
    ) -> None:
        """Set an attribute of an element of an <inertial>, if its numbers have changed."""
        if all(abs(a - b) <= EQUAL_NUMBER_TOLERANCE * size for a, b in zip(old, new, strict=True)):
            return
        found = inertial.child(self._tag(tag))
        if found is None:
            self._source.add(inertial, self._tag(tag), {key: numbers_text(new)})
        else:
            self._source.set(found, key, numbers_text(new))

    def _tag(self, name: str) -> str:
        return self._prefix + name


def _inertial_values(body: Body, origin: Origin, new: NewInertial) -> dict[str, tuple[float, ...]]:
    """Return the numbers of an <inertial> whose axes are those of `origin`."""
    R = invert(new.snap.placement(origin))[:3, :3]
    tensor = product(R, body.inertia, R.T)
    clean = np.where(np.abs(tensor) <= 1e-14 * np.abs(tensor).max(initial=0.0), 0.0, tensor)
    x, y, z = (float(v) for v in body.com)
    return {
        "mass": (body.mass,),
        "xyz": (x, y, z),
        "inertia": six_of(clean),
    }
