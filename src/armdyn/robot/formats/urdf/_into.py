"""Write the numbers of an arm into the URDF it came from; every other byte stays.

Changed are <inertial> elements of the links the arm is made of, <dynamics>, and what URDF has no
element for: rotor inertias, by Drake's tags if the file has them, else by <armdyn>, and friction
other than viscous and Coulomb, by <armdyn>.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from armdyn.errors import RobotFileError
from armdyn.robot._robot import Robot
from armdyn.robot.formats._body import Body, six_of
from armdyn.robot.formats._into import SAME, NewInertial, new_inertials
from armdyn.robot.formats._placement import invert, product
from armdyn.robot.formats._records import Fault, Origin
from armdyn.robot.formats.urdf._parse import DYNAMICS, own_attributes, parse_description
from armdyn.robot.formats.urdf._read import read_text
from armdyn.robot.formats.xml import XmlElement, XmlSource, number_text, numbers_text

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
    try:
        return into_text(robot, read_text(original), merge_branches=merge_branches)
    except Fault as fault:
        raise RobotFileError(Path(original), str(fault)) from None


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
        if all(abs(a - b) <= SAME * size for a, b in zip(old, new, strict=True)):
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
