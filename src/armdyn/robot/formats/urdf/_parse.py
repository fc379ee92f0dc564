"""Convert URDF XML to records of a kinematic tree; check numbers, names and references."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

from armdyn.robot.formats._records import (
    JOINT_TYPES,
    Coupling,
    Description,
    Fault,
    Inertial,
    Origin,
    TreeJoint,
    TreeLink,
    Words,
)
from armdyn.robot.formats.urdf._collision import solids_of
from armdyn.robot.formats.urdf._elements import (
    Elements,
    attribute,
    number,
    numbers,
    only_attributes,
    optional,
    text,
    triple,
)
from armdyn.robot.formats.urdf._xml import parse_xml
from armdyn.robot.friction import FRICTION_TERMS, shape_fields

WORDS = Words(
    inertial="<inertial>",
    coupling="<mimic>",
    followers="Mimic joints",
    angles="angles of <origin rpy> [rad]",
    axis="components of <axis xyz>",
    no_range="the file gives none, or a lower limit equal to the upper one",
    no_limit=", or zero, which counts as none",
)

DYNAMICS = {"viscous": "damping", "coulomb": "friction"}
"""The attributes of <dynamics> by the fields of `Joint`; <armdyn> has the rest of friction."""

# Versions of the format: 1.1 adds quaternions and capsules, 1.2 limits of acceleration and jerk.
VERSIONS = ("1.0", "1.1", "1.2")
QUATERNION_VERSION = "1.1"

MOST_LINKS = 10_000

# URDF requires limits for a sliding joint; a limit of at least this value means no limit.
NO_LIMIT = 1e9

# Axes and quaternions shorter than this have no direction.
SHORTEST = 1e-9


def own_attributes() -> tuple[str, ...]:
    """Return the fields of `Joint` that are attributes of <armdyn>."""
    friction = [field for field in (*FRICTION_TERMS, *shape_fields()) if field not in DYNAMICS]
    return ("rotor_inertia", *friction)


def parse_description(xml: str | bytes, strict: bool = True, folder: str = "") -> Description:
    """Return the records of a URDF text.

    Args:
        xml: of the URDF.
        strict: refuse a duplicate element; False warns and takes the first, as other readers do.
        folder: in which the file is, for paths of meshes; none is opened.
    """
    root = parse_xml(xml)
    name = text(root, "name", "<robot>")
    reader = _Reader(root, strict, folder)
    links: dict[str, TreeLink] = {}
    joints: dict[str, TreeJoint] = {}
    for element in reader.elements.children(root, "link", "<robot>"):
        link = reader.link(element)
        if link.name in links:
            raise Fault(f"link {link.name!r} is there twice; names of links must differ.")
        links[link.name] = link
    for element in reader.elements.children(root, "joint", "<robot>"):
        joint = reader.joint(element)
        if joint.name in joints:
            raise Fault(f"joint {joint.name!r} is there twice; names of joints must differ.")
        joints[joint.name] = joint
    if not links:
        raise Fault(f"robot {name!r} has no <link>; expected links and joints.")
    if len(links) > MOST_LINKS:
        raise Fault(f"robot {name!r} has {len(links)} links; at most {MOST_LINKS} are read.")
    extension = reader.elements.child(root, "armdyn", "<robot>")
    if extension is None:
        return Description(name, links, joints, WORDS)
    where = "<armdyn> of <robot>"
    only_attributes(extension, ("gravity",), where)
    return Description(name, links, joints, WORDS, triple(extension, "gravity", where))


class _Reader:
    """Reads links and joints."""

    def __init__(self, root: Element, strict: bool, folder: str) -> None:
        self._folder = folder
        self.elements = Elements(root, strict)
        self._version = _version(root)

    def link(self, element: Element) -> TreeLink:
        name = text(element, "name", "a <link>")
        inertial = self.elements.child(element, "inertial", f"link {name!r}")
        solids = solids_of(element, f"link {name!r}", self._folder, self.origin)
        if inertial is None:
            return TreeLink(name, None, solids)
        where = f"<inertial> of link {name!r}"
        mass_element = self.elements.needed(inertial, "mass", where)
        mass = number(mass_element, "value", f"<mass> of link {name!r}")
        if mass < 0:
            raise Fault(f"link {name!r} has a mass of {mass:g} kg; it cannot be negative.")
        tensor = self.elements.needed(inertial, "inertia", where)
        xx, xy, xz, yy, yz, zz = (
            number(tensor, key, f"<inertia> of link {name!r}")
            for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        origin = self.origin(inertial, where)
        return TreeLink(name, Inertial(origin, mass, (xx, xy, xz, yy, yz, zz)), solids)

    def joint(self, element: Element) -> TreeJoint:
        name = text(element, "name", "a <joint>")
        where = f"joint {name!r}"
        kind = text(element, "type", where)
        if kind not in JOINT_TYPES:
            raise Fault(f"{where} is of type {kind!r}, expected one of {', '.join(JOINT_TYPES)}.")
        needed, child_of = self.elements.needed, self.elements.child
        parent = text(needed(element, "parent", where), "link", f"<parent> of {where}")
        child = text(needed(element, "child", where), "link", f"<child> of {where}")
        origin = self.origin(element, where)
        if kind == "fixed":  # unused axes and limits do not matter
            return TreeJoint(name, kind, parent, child, origin)

        axis_element = child_of(element, "axis", where)
        axis = (1.0, 0.0, 0.0)  # the default of the format
        if axis_element is not None:
            axis = triple(axis_element, "xyz", f"<axis> of {where}")
        if kind != "floating" and not math.hypot(*axis) > SHORTEST:
            raise Fault(f"<axis> of {where} is zero, expected a direction such as '0 0 1'.")
        limit = child_of(element, "limit", where)
        lower, upper, velocity, effort = (
            optional(limit, key, f"<limit> of {where}", math.inf)
            for key in ("lower", "upper", "velocity", "effort")
        )
        dynamics = child_of(element, "dynamics", where)
        drive = {
            field: optional(dynamics, key, f"<dynamics> of {where}") or 0.0
            for field, key in DYNAMICS.items()
        }
        extension = child_of(element, "armdyn", where)
        if extension is not None:
            only_attributes(extension, own_attributes(), f"<armdyn> of {where}")
        drive |= {
            field: optional(extension, field, f"<armdyn> of {where}") or 0.0
            for field in own_attributes()
        }
        return TreeJoint(
            name, kind, parent, child, origin, axis, *_range(kind, lower, upper),
            _limit(velocity), _limit(effort), self.coupling(element, where),
            drive.pop("rotor_inertia"), drive,
        )  # fmt: skip

    def coupling(self, element: Element, where: str) -> Coupling | None:
        found = self.elements.child(element, "mimic", where)
        if found is None:
            return None
        where = f"<mimic> of {where}"
        multiplier = optional(found, "multiplier", where)
        offset = optional(found, "offset", where)
        leader = text(found, "joint", where)
        return Coupling(leader, 1.0 if multiplier is None else multiplier, offset or 0.0)

    def origin(self, element: Element, where: str) -> Origin:
        found = self.elements.child(element, "origin", where)
        where = f"<origin> of {where}"
        if found is None:
            return Origin()
        zero = (0.0, 0.0, 0.0)
        given = {key: attribute(found, key, where) for key in ("xyz", "rpy", "quat_xyzw")}
        xyz = zero if given["xyz"] is None else triple(found, "xyz", where)
        if given["quat_xyzw"] is None:
            return Origin(xyz, zero if given["rpy"] is None else triple(found, "rpy", where))
        if self._version < QUATERNION_VERSION:
            raise Fault(
                f"{where} has `quat_xyzw`, which readers of version {self._version} skip; give "
                f'`rpy`, or declare <robot version="{QUATERNION_VERSION}">.'
            )
        if given["rpy"] is not None:
            raise Fault(f"{where} has both `rpy` and `quat_xyzw`; remove one.")
        x, y, z, w = numbers(found, "quat_xyzw", where, 4)
        if not math.hypot(x, y, z, w) > SHORTEST:
            raise Fault(f"`quat_xyzw` in {where} is zero, expected a unit quaternion.")
        return Origin(xyz, quaternion=(x, y, z, w))


def _version(root: Element) -> str:
    """Return the version of URDF that a document declares."""
    version = attribute(root, "version", "<robot>")
    if version is None:
        return VERSIONS[0]
    if version.strip() not in VERSIONS:
        raise Fault(
            f"<robot> declares URDF version {version[:40]!r}; known are {', '.join(VERSIONS)}."
        )
    return version.strip()


def _range(
    kind: str, lower: float | None, upper: float | None
) -> tuple[float, float] | tuple[None, None]:
    """Return position limits; a missing side is zero, and an empty range means no limits."""
    low, high = lower or 0.0, upper or 0.0
    if kind == "continuous" or low == high:
        return None, None
    return low if low > -NO_LIMIT else -math.inf, high if high < NO_LIMIT else math.inf


def _limit(value: float | None) -> float | None:
    """Return a velocity or effort limit; zero means no limit."""
    if not value:
        return None
    return value if value < NO_LIMIT else math.inf
