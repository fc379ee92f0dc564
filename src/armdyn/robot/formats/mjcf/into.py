"""Write the numbers of an arm into the MJCF it came from; every other byte stays.

Changed are <inertial> elements, `armature`, `damping` and `frictionloss` of joints, and numbers of
<custom> for friction that MuJoCo does not have. A value that a class of defaults supplies is
written at the element itself. The new text is read again: what settings of the compiler make of the
numbers must be the arm.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.robot.formats.bodies import Body, six_of
from armdyn.robot.formats.geometry import product, quaternion_rotation, wxyz, xyzw
from armdyn.robot.formats.into import EQUAL_NUMBER_TOLERANCE, NewInertial, new_inertials
from armdyn.robot.formats.mjcf.model import ATTRIBUTES, Drives, own_fields, own_name
from armdyn.robot.formats.mjcf.read import Read, read_description
from armdyn.robot.formats.mjcf.source import LARGEST_TEXT
from armdyn.robot.formats.mjcf.write import principal
from armdyn.robot.formats.records import Description, Fault, file_bytes, listed, naming
from armdyn.robot.formats.xml import XmlElement, XmlSource, number_text, numbers_text
from armdyn.robot.joint import Joint
from armdyn.robot.model import Robot

# The ways to write the orientation of an <inertial>.
TURNS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")

# Numbers that come back from MuJoCo this close are the numbers that were written.
READ_BACK = 1e-9


def mjcf_into(
    robot: Robot,
    original: str | os.PathLike[str],
    *,
    merge_branches: bool = False,
    packages: Sequence[str | os.PathLike[str]] = (),
) -> bytes:
    """Return the bytes of an MJCF file with the numbers of an arm in it.

    Args:
        robot: the arm.
        original: path of the file that the arm was read from.
        merge_branches: give all inertia of a changed link to one body of the file.
        packages: more folders that files may be included from.

    Raises:
        RobotFileError: the file cannot be read, describes another arm, or cannot take the change.
    """
    path = Path(original)
    with naming(path):
        data = file_bytes(path, LARGEST_TEXT, "a model without its meshes")
        read = read_description(path, packages=packages, data=data)
        source = XmlSource(data)
        editor = _Editor(source, read)
        for new in new_inertials(robot, read.description, merge_branches=merge_branches):
            editor.inertial(new)
        for joint in robot.joints:
            editor.drive(joint, _changed(joint, read.description))
        edited = source.edited()
        if edited != data:
            again = read_description(path, packages=packages, data=edited)
            _check_read_back(robot, again.description)
        return edited


def _changed(joint: Joint, description: Description) -> dict[str, float]:
    """Return the numbers of a drive that differ from the file, by the fields of `Joint`."""
    told = description.joints[joint.name]
    was = {"rotor_inertia": told.rotor_inertia, **told.friction}
    return {field: getattr(joint, field) for field in was if getattr(joint, field) != was[field]}


def _check_read_back(robot: Robot, description: Description) -> None:
    """Refuse a text from which MuJoCo reads other numbers than were written."""
    wrong = [f"body {new.link.name!r}" for new in new_inertials(robot, description, same=READ_BACK)]
    for joint in robot.joints:
        for field, value in _changed(joint, description).items():
            told = description.joints[joint.name]
            was = {"rotor_inertia": told.rotor_inertia, **told.friction}[field]
            if abs(value - was) > READ_BACK * max(abs(value), abs(was)):
                wrong.append(f"`{field}` of joint {joint.name!r}")
    if wrong:
        raise Fault(
            "MuJoCo reads other numbers than were written, because of settings such as "
            "`inertiafromgeom`, `settotalmass`, `boundmass`, `balanceinertia` of <compiler>, "
            f"`springdamper` of a joint or a <flag>: {', '.join(wrong[:6])}. Remove the settings, "
            "or save the arm as a file of its own."
        )


class _Editor:
    """Finds bodies and joints in the text, and sets their numbers."""

    def __init__(self, source: XmlSource, read: Read) -> None:
        self._source, self._read = source, read
        self._bodies: dict[str, XmlElement] = {}
        self._joints: dict[str, XmlElement] = {}
        bodies: list[XmlElement] = []
        joints: list[XmlElement] = []
        sections = [one for one in source.root.children if one.tag == "worldbody"]
        tags = {element.tag for element in source.root.walk()}
        for element in (one for section in sections for one in section.walk()):
            if element.tag == "body":
                bodies.append(element)
            elif element.tag in ("joint", "freejoint"):
                joints.append(element)
        if not tags & {"include", "replicate", "attach"}:
            # the elements are all there, in MuJoCo's order: those without a name are found too
            self._bodies = dict(zip(read.bodies[1:], bodies, strict=False))
            self._joints = dict(zip(read.joints, _ordered(bodies), strict=False))
        self._bodies |= {one.attributes["name"]: one for one in bodies if "name" in one.attributes}
        self._joints |= {one.attributes["name"]: one for one in joints if "name" in one.attributes}

    def inertial(self, new: NewInertial) -> None:
        """Set the inertia of a body."""
        name = new.link.name
        body = self._found(self._bodies, name, "body")
        found = body.child("inertial")
        made = new.body or Body(0.0, np.zeros(3), np.zeros((3, 3)))
        if found is None:
            moments, turn = _moments(name, made)
            values = {"pos": numbers_text(made.com), "mass": number_text(made.mass)}
            values["diaginertia"] = numbers_text(moments)
            if turn is not None:
                values["quat"] = numbers_text(wxyz(turn))
            self._source.add(body, "inertial", values)
            return
        old = new.link.inertial
        if old is None or _differ(old.mass, made.mass, old.mass):
            self._source.set(found, "mass", number_text(made.mass))
        size = max(float(np.abs(made.com).max()), 1e-3)
        if old is None or _differ(old.origin.xyz, made.com, size):
            self._source.set(found, "pos", numbers_text(made.com))
        moment = float(np.abs(made.inertia).max())
        if old is None or _differ(old.inertia, six_of(made.inertia), moment):
            self._tensor(found, name, made)

    def _tensor(self, inertial: XmlElement, name: str, body: Body) -> None:
        """Set the tensor of an <inertial>, in the notation it has if possible."""
        moments, turn = _moments(name, body)
        if "fullinertia" in inertial.attributes:
            xx, xy, xz, yy, yz, zz = six_of(body.inertia)
            self._source.set(inertial, "fullinertia", numbers_text((xx, yy, zz, xy, xz, yz)))
            return
        quaternion = self._read.answer["body_iquat"][self._read.bodies.index(name)]
        R = quaternion_rotation(xyzw(quaternion))
        tensor = product(R.T, body.inertia, R)
        off = np.abs(tensor - np.diag(np.diag(tensor))).max()
        if off <= EQUAL_NUMBER_TOLERANCE * np.abs(tensor).max(initial=0.0):
            self._source.set(inertial, "diaginertia", numbers_text(np.diag(tensor)))
            return
        self._source.set(inertial, "diaginertia", numbers_text(moments))
        written = [key for key in TURNS if key in inertial.attributes]
        if written and written[0] != "quat":
            self._source.remove(inertial, written[0])
        self._source.set(inertial, "quat", numbers_text(wxyz(turn or (0.0, 0.0, 0.0, 1.0))))

    def drive(self, joint: Joint, changed: Mapping[str, float]) -> None:
        """Set numbers of a joint, by the fields of `Joint`."""
        if not changed:
            return
        element = self._found(self._joints, joint.name, "joint")
        number = self._read.joints.index(joint.name)
        drives = Drives(self._read.answer)
        added = {
            "armature": drives.reflected_inertia(number),
            "damping": drives.reflected_damping(number)[0],
        }
        powers = drives.own_damping(number)[1:]
        for field, value in changed.items():
            if field not in ("rotor_inertia", *ATTRIBUTES):
                continue
            key = "armature" if field == "rotor_inertia" else ATTRIBUTES[field]
            own = value - added.get(key, 0.0)
            if own < 0.0:
                raise Fault(
                    f"`{field}` of joint {joint.name!r} is {value:g}, less than the "
                    f"{added[key]:g} that its actuators have: change the actuators first."
                )
            text = number_text(own)
            if key == "damping" and any(powers):
                text = numbers_text((own, *powers))
            self._source.set(element, key, text)
        self._customs({f: v for f, v in changed.items() if f in own_fields()}, joint.name)

    def _customs(self, numbers: Mapping[str, float], joint: str) -> None:
        """Set numbers of <custom>."""
        sections = [one for one in self._source.root.children if one.tag == "custom"]
        there = {
            one.attributes.get("name", ""): one
            for section in sections
            for one in section.children
            if one.tag == "numeric"
        }
        new: list[dict[str, str]] = []
        for field, value in numbers.items():
            name = own_name(joint, field)
            if name in there:
                self._source.set(there[name], "data", number_text(value))
            else:
                new.append({"name": name, "data": number_text(value)})
        if sections:
            for values in new:
                self._source.add(sections[-1], "numeric", values)
        elif new:
            self._source.add(
                self._source.root, "custom", {}, [("numeric", values) for values in new]
            )

    def _found(self, elements: Mapping[str, XmlElement], name: str, what: str) -> XmlElement:
        found = elements.get(name)
        if found is None:
            files = listed(self._read.includes) or "a <replicate> or <attach>"
            raise Fault(
                f"{what} {name!r} is not in the file itself but in {files}: numbers are written "
                "into one file only. Write into that file, or save the arm as a file of its own."
            )
        return found


def _differ(old: ArrayLike, new: ArrayLike, size: float) -> bool:
    """Whether numbers differ by more than rounding, relative to a size."""
    return bool(np.abs(np.subtract(old, new)).max() > EQUAL_NUMBER_TOLERANCE * size)


def _ordered(bodies: Sequence[XmlElement]) -> list[XmlElement]:
    """Return the joints of bodies, body by body."""
    found: list[XmlElement] = []
    for body in bodies:
        stack = body.children[::-1]
        while stack:
            element = stack.pop()
            if element.tag in ("joint", "freejoint"):
                found.append(element)
            elif element.tag == "frame":
                stack.extend(element.children[::-1])
    return found


def _moments(name: str, body: Body) -> Any:
    """Return principal moments that MuJoCo takes, and the quaternion of their axes."""
    return principal(Joint(mass=body.mass, inertia=six_of(body.inertia), name=name))
