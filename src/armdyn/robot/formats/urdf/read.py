"""URDF files to `Robot`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from armdyn.robot.formats.assemble import assembled
from armdyn.robot.formats.records import (
    JOINT_TYPES,
    ArmOptions,
    Coupling,
    Description,
    Fault,
    Inertial,
    Origin,
    Rule,
    TreeJoint,
    TreeLink,
    Words,
    file_bytes,
    listed,
    naming,
)
from armdyn.robot.formats.tree import left_out
from armdyn.robot.formats.urdf.elements import (
    Elements,
    Solids,
    attribute,
    flag,
    number,
    numbers,
    only_attributes,
    optional,
    rotor_inertias,
    rotor_notes,
    text,
    triple,
)
from armdyn.robot.formats.urdf.xml import LARGEST_FILE, parse_xml
from armdyn.robot.friction import FRICTION_TERMS, shape_fields
from armdyn.robot.model import Robot

# Convert URDF XML to records of a kinematic tree; check numbers, names and references.

WORDS = Words(
    inertial="<inertial>",
    coupling="<mimic>",
    followers="Mimic joints",
    angles="angles of <origin rpy> [rad]",
    axis="components of <axis xyz>",
    no_range="the file gives none, or a lower limit equal to the upper one",
    no_limit=", or zero, which counts as none",
)

# The attributes of <dynamics> by the fields of `Joint`; <armdyn> has the rest of friction.
DYNAMICS = {"viscous": "damping", "coulomb": "friction"}

# Versions of the format: 1.1 adds quaternions and capsules, 1.2 limits of acceleration and jerk.
VERSIONS = ("1.0", "1.1", "1.2")
QUATERNION_VERSION = "1.1"

# A guard against endless work on damaged files: humanoids have some hundred links.
MOST_LINKS = 10_000

# URDF requires limits for a sliding joint; by our convention a limit of at least this value [rad,
# m, rad/s, m/s, N m or N] means no limit.
NO_LIMIT = 1e9

# Between the names of tips in an attribute.
TIPS_APART = "|"

# Axes and quaternions shorter than this have no direction: far less than rounding of units.
SHORTEST = 1e-9


def own_attributes() -> tuple[str, ...]:
    """Return the fields of `Joint` that are attributes of <armdyn>."""
    friction = [field for field in (*FRICTION_TERMS, *shape_fields()) if field not in DYNAMICS]
    return ("rotor_inertia", *friction)


def parse_description(
    xml: str | bytes, strict: bool = True, folder: str = "", without: Sequence[str] = ()
) -> Description:
    """Return the records of a URDF text.

    Args:
        xml: of the URDF.
        strict: refuse a duplicate element; False warns and takes the first, as other readers do.
        folder: in which the file is, for paths of meshes; none is opened.
        without: links to leave out with all that they carry; nothing in them is read.
    """
    document = parse_xml(xml)
    root = document.root
    name = text(root, "name", "<robot>")
    reader = _Reader(root, strict, folder)
    link_elements = reader.named(root, "link")
    joint_elements = reader.named(root, "joint")
    if not link_elements:
        raise Fault(f"robot {name!r} has no <link>; expected links and joints.")
    if len(link_elements) > MOST_LINKS:
        raise Fault(
            f"robot {name!r} has {len(link_elements)} links; at most {MOST_LINKS} are read."
        )
    notes = list(document.notes)
    gone: set[str] = set()
    if without:
        gone, joint_elements = reader.pruned(link_elements, joint_elements, without)
        notes.append(f"Left out, with all that they carry: links {listed(list(without))}.")
    links = {k: reader.link(k, found) for k, found in link_elements.items() if k not in gone}
    drives, told = _rotors(root)
    notes += told
    joints = {k: reader.joint(k, found, drives) for k, found in joint_elements.items()}
    extension = reader.elements.child(root, "armdyn", "<robot>")
    gravity, exact, tip, tips = Description.gravity, False, None, None
    if extension is not None:
        where = "<armdyn> of <robot>"
        only_attributes(extension, ("gravity", "exact", "tip", "tips", "followers"), where)
        if attribute(extension, "gravity", where) is not None:
            gravity = triple(extension, "gravity", where)
        exact = flag(extension, "exact", where)
        tip = attribute(extension, "tip", where)
        listed_tips = attribute(extension, "tips", where)
        tips = None if listed_tips is None else tuple(listed_tips.split(TIPS_APART))
    return Description(
        name, links, joints, WORDS, gravity, frozenset(gone), exact, tuple(notes), tip=tip,
        tips=tips,
    )  # fmt: skip


def _rotors(root: Element) -> tuple[dict[str, float], list[str]]:
    """Return the rotor inertias of <transmission> elements by joint, and notes on them."""
    if not any(element.tag.endswith("transmission") for element in root):
        return {}, []
    found = rotor_inertias(root)
    return found, rotor_notes(found)


class _Reader:
    """Reads links and joints."""

    def __init__(self, root: Element, strict: bool, folder: str) -> None:
        self.elements = Elements(root, strict)
        self._solids = Solids(root, folder, self.origin)
        self._version = _version(root)

    def named(self, root: Element, tag: str) -> dict[str, Element]:
        """Return the links or joints of the robot by name."""
        found: dict[str, Element] = {}
        for element in self.elements.children(root, tag, "<robot>"):
            name = text(element, "name", f"a <{tag}>")
            if name in found:
                raise Fault(f"{tag} {name!r} is there twice; names of {tag}s must differ.")
            found[name] = element
        return found

    def pruned(
        self, links: dict[str, Element], joints: dict[str, Element], without: Sequence[str]
    ) -> tuple[set[str], dict[str, Element]]:
        """Return the links that are left out, and the joints that stay."""
        leaving: dict[str, list[str]] = {name: [] for name in links}
        children: dict[str, str] = {}
        for name, element in joints.items():
            parent, children[name] = self._connects(element, f"joint {name!r}")
            leaving.setdefault(parent, []).append(children[name])
        gone = left_out(leaving, without)
        return gone, {name: e for name, e in joints.items() if children[name] not in gone}

    def _connects(self, element: Element, where: str) -> tuple[str, str]:
        """Return the parent and the child of a joint."""
        needed = self.elements.needed
        parent = text(needed(element, "parent", where), "link", f"<parent> of {where}")
        return parent, text(needed(element, "child", where), "link", f"<child> of {where}")

    def link(self, name: str, element: Element) -> TreeLink:
        inertial = self.elements.child(element, "inertial", f"link {name!r}")
        solids, visuals = (
            self._solids.of(element, f"link {name!r}", kind) for kind in ("collision", "visual")
        )
        if inertial is None:
            return TreeLink(name, None, solids, visuals=visuals)
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
        known = Inertial(origin, mass, (xx, xy, xz, yy, yz, zz))
        return TreeLink(name, known, solids, visuals=visuals)

    def joint(self, name: str, element: Element, drives: Mapping[str, float]) -> TreeJoint:
        where = f"joint {name!r}"
        kind = text(element, "type", where)
        if kind not in JOINT_TYPES:
            raise Fault(f"{where} is of type {kind!r}, expected one of {', '.join(JOINT_TYPES)}.")
        child_of = self.elements.child
        parent, child = self._connects(element, where)
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
            drive.pop("rotor_inertia") or drives.get(name, 0.0), drive,
        )  # fmt: skip

    def coupling(self, element: Element, where: str) -> Coupling | None:
        found = self.elements.child(element, "mimic", where)
        if found is None:
            return None
        where = f"<mimic> of {where}"
        multiplier = optional(found, "multiplier", where)
        offset = optional(found, "offset", where)
        leader = text(found, "joint", where)
        rule = Rule(1.0 if multiplier is None else multiplier, offset or 0.0)
        return Coupling(leader, *rule, rule)

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


def read_urdf(path: str | os.PathLike[str], **options: Any) -> Robot:
    """Return the serial arm that a URDF file describes.

    The joints keep the URDF's zero, sign and names. Joints off the chain and mimic joints stand
    still, and the links they carry are merged; ``Robot.notes`` says what was done.

    Args:
        path: of the file; nothing else is opened.
        options: fields of `ArmOptions`.

    Raises:
        RobotFileError: the file does not describe a serial arm; the message names the element.
    """
    with naming(path):
        text = file_bytes(path, LARGEST_FILE, "a URDF without its meshes")
    return parse_urdf(text, path, **options)


def parse_urdf(
    text: str | bytes, source: str | os.PathLike[str] = "<URDF text>", **options: Any
) -> Robot:
    """Return the serial arm that the text of a URDF describes.

    Args:
        text: of the URDF.
        source: what errors call the text.
        options: fields of `ArmOptions`.
    """
    wanted = ArmOptions(**options)
    folder = os.path.dirname(os.path.abspath(source))
    with naming(source):
        return assembled(parse_description(text, wanted.strict, folder, wanted.without), wanted)
