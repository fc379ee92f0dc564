"""An XML tree to plain records: every number, name and reference is checked here, once."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from armdyn.errors import RobotWarning
from armdyn.robot._joint import LARGEST_NUMBER
from armdyn.robot.formats.urdf._records import (
    JOINT_TYPES,
    Document,
    Fault,
    Inertial,
    Mimic,
    Origin,
    Triple,
    UrdfJoint,
    UrdfLink,
)
from armdyn.robot.formats.urdf._xml import local_name, parse_xml

MOST_LINKS = 10_000
LONGEST_TEXT = 1000


def parse_document(text: str | bytes, strict: bool = True) -> Document:
    """Return what the text of a URDF says.

    Args:
        text: of the URDF.
        strict: refuse an element that is there twice; False warns and takes the first of them, as
            other readers do.
    """
    root = parse_xml(text)
    reader = _Reader(root, strict)
    name = _text(root, "name", "<robot>")
    links: dict[str, UrdfLink] = {}
    joints: dict[str, UrdfJoint] = {}
    for element in reader.children(root, "link"):
        link = reader.link(element)
        if link.name in links:
            raise Fault(f"link {link.name!r} is there twice; names of links must differ.")
        links[link.name] = link
    for element in reader.children(root, "joint"):
        joint = reader.joint(element)
        if joint.name in joints:
            raise Fault(f"joint {joint.name!r} is there twice; names of joints must differ.")
        joints[joint.name] = joint
    if not links:
        raise Fault(f"robot {name!r} has no <link>; expected links and joints.")
    if len(links) > MOST_LINKS:
        raise Fault(f"robot {name!r} has {len(links)} links; at most {MOST_LINKS} are read.")
    extension = reader.child(root, "armdyn", "<robot>")
    if extension is None:
        return Document(name, links, joints)
    where = "<armdyn> of <robot>"
    _only_attributes(extension, ("gravity",), where)
    return Document(name, links, joints, _triple(extension, "gravity", where))


class _Reader:
    """Reads elements of the namespace of the root only."""

    def __init__(self, root: Element, strict: bool) -> None:
        self.root = root
        self._strict = strict

    def children(self, element: Element, tag: str) -> Iterator[Element]:
        """Yield the children called `tag`."""
        return (child for child in element if local_name(child, self.root) == tag)

    def child(self, element: Element, tag: str, where: str) -> Element | None:
        """Return the one child called `tag`, or None."""
        found = list(self.children(element, tag))
        if len(found) > 1:
            told = f"{where} has {len(found)} <{tag}> elements, expected at most one"
            if self._strict:
                raise Fault(f"{told}. Correct it, or pass strict=False to use the first.")
            warnings.warn(f"{told}: the first was used.", RobotWarning, stacklevel=7)
        return found[0] if found else None

    def needed(self, element: Element, tag: str, where: str) -> Element:
        """Return the one child called `tag`."""
        found = self.child(element, tag, where)
        if found is None:
            raise Fault(f"{where} has no <{tag}>, which it needs.")
        return found

    def link(self, element: Element) -> UrdfLink:
        name = _text(element, "name", "a <link>")
        where = f"link {name!r}"
        inertial = self.child(element, "inertial", where)
        if inertial is None:
            return UrdfLink(name)
        where = f"<inertial> of link {name!r}"
        mass = _number(self.needed(inertial, "mass", where), "value", f"<mass> of link {name!r}")
        if mass < 0:
            raise Fault(f"link {name!r} has a mass of {mass:g} kg; it cannot be negative.")
        tensor = self.needed(inertial, "inertia", where)
        where = f"<inertia> of link {name!r}"
        xx, xy, xz, yy, yz, zz = (
            _number(tensor, key, where) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        origin = self.origin(inertial, f"<inertial> of link {name!r}")
        return UrdfLink(name, Inertial(origin, mass, (xx, xy, xz, yy, yz, zz)))

    def joint(self, element: Element) -> UrdfJoint:
        name = _text(element, "name", "a <joint>")
        where = f"joint {name!r}"
        kind = _text(element, "type", where)
        if kind not in JOINT_TYPES:
            raise Fault(f"{where} is of type {kind!r}, expected one of {', '.join(JOINT_TYPES)}.")
        parent = _text(self.needed(element, "parent", where), "link", f"<parent> of {where}")
        child = _text(self.needed(element, "child", where), "link", f"<child> of {where}")
        origin = self.origin(element, where)
        if kind == "fixed":  # it may carry left-over axes and limits of any kind: none matters
            return UrdfJoint(name, kind, parent, child, origin)

        axis_element = self.child(element, "axis", where)
        axis = (1.0, 0.0, 0.0)  # the default of the format
        if axis_element is not None:
            axis = _triple(axis_element, "xyz", f"<axis> of {where}")
        if kind != "floating" and not math.hypot(*axis) > 1e-9:
            raise Fault(f"<axis> of {where} is zero, expected a direction such as '0 0 1'.")
        limit = self.child(element, "limit", where)
        lower, upper, velocity, effort = (
            _optional(limit, key, f"<limit> of {where}", math.inf)
            for key in ("lower", "upper", "velocity", "effort")
        )
        dynamics = self.child(element, "dynamics", where)
        damping, friction = (
            _optional(dynamics, key, f"<dynamics> of {where}") or 0.0
            for key in ("damping", "friction")
        )
        extension = self.child(element, "armdyn", where)
        if extension is not None:
            _only_attributes(extension, ("rotor_inertia", "offset"), f"<armdyn> of {where}")
        rotor_inertia, offset = (
            _optional(extension, key, f"<armdyn> of {where}") or 0.0
            for key in ("rotor_inertia", "offset")
        )
        return UrdfJoint(
            name, kind, parent, child, origin, axis, lower, upper, velocity, effort,
            damping, friction, self.mimic(element, where), rotor_inertia, offset,
        )  # fmt: skip

    def mimic(self, element: Element, where: str) -> Mimic | None:
        found = self.child(element, "mimic", where)
        if found is None:
            return None
        where = f"<mimic> of {where}"
        multiplier = _optional(found, "multiplier", where)
        offset = _optional(found, "offset", where)
        return Mimic(
            _text(found, "joint", where), 1.0 if multiplier is None else multiplier, offset or 0.0
        )

    def origin(self, element: Element, where: str) -> Origin:
        found = self.child(element, "origin", where)
        where = f"<origin> of {where}"
        if found is None:
            return Origin()
        xyz = _triple(found, "xyz", where) if "xyz" in found.attrib else (0.0, 0.0, 0.0)
        if "quat_xyzw" not in found.attrib:
            rpy = _triple(found, "rpy", where) if "rpy" in found.attrib else (0.0, 0.0, 0.0)
            return Origin(xyz, rpy)
        if "rpy" in found.attrib:
            raise Fault(f"{where} has both `rpy` and `quat_xyzw`; remove one.")
        x, y, z, w = _numbers(found, "quat_xyzw", where, 4)
        if not math.hypot(x, y, z, w) > 1e-9:
            raise Fault(f"`quat_xyzw` in {where} is zero, expected a unit quaternion.")
        return Origin(xyz, quaternion=(x, y, z, w))


def _text(element: Element, key: str, where: str) -> str:
    value = element.get(key)
    if value is None or not value.strip():
        raise Fault(f"{where} has no attribute `{key}`, which it needs.")
    if len(value) > LONGEST_TEXT:
        raise Fault(
            f"`{key}` of {where} has {len(value)} characters, expected at most {LONGEST_TEXT}."
        )
    return value


def _number(element: Element, key: str, where: str, most: float = LARGEST_NUMBER) -> float:
    return _float(_text(element, key, where), key, where, most)


def _optional(
    element: Element | None, key: str, where: str, most: float = LARGEST_NUMBER
) -> float | None:
    if element is None or key not in element.attrib:
        return None
    return _number(element, key, where, most)


def _triple(element: Element, key: str, where: str) -> Triple:
    x, y, z = _numbers(element, key, where, 3)
    return (x, y, z)


def _numbers(element: Element, key: str, where: str, size: int) -> list[float]:
    words = _text(element, key, where).split()
    if len(words) != size:
        raise Fault(f"`{key}` in {where} has {len(words)} numbers, expected {size}.")
    return [_float(word, key, where, LARGEST_NUMBER) for word in words]


def _float(word: str, key: str, where: str, most: float) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if math.isnan(value) or "_" in word:  # Python reads 1_000, which no other reader does
        raise Fault(f"`{key}` in {where} is {word.strip()[:40]!r}, expected a number.")
    if abs(value) > most:
        raise Fault(
            f"`{key}` in {where} is {value:g}, expected a number of at most {most:g} in size."
        )
    return value


def _only_attributes(element: Element, known: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(element.attrib) - set(known))
    if unknown:
        raise Fault(
            f"{where} has an attribute `{unknown[0][:40]}`, expected only "
            f"{', '.join(f'`{key}`' for key in known)}."
        )
