"""Elements and attributes of a URDF: solids, rotors, and checked numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import cast
from xml.etree.ElementTree import Element

from armdyn.checks import LONGEST_NAME
from armdyn.errors import RobotWarning
from armdyn.files import number_in
from armdyn.robot.formats.records import Fault, Origin, Solid, Triple, listed
from armdyn.robot.joint import LARGEST_NUMBER
from armdyn.robot.model import Colour, ShapeKind

# Elements and attributes of a URDF: found by name, numbers checked, look-alikes refused.
#
# URDF readers skip unknown elements. An element that differs from a known one only by case or
# namespace would be skipped too, and an axis or a placement lost; so it is an error here.

# Characters of an attribute: a guard against damaged files; names and triples have some ten.
LONGEST_TEXT = 2 * LONGEST_NAME
# Characters of a wrong name or number that a message shows, so that it stays one line.
LONGEST_SHOWN = 40

XACRO = (
    "an expression of xacro, which is not evaluated in a URDF; run `xacro robot.urdf.xacro > "
    "robot.urdf` first and read its output, or name the file .xacro."
)


def is_expression(text: str) -> bool:
    """Whether a text has an expression of xacro in it."""
    return "${" in text or "$(" in text


class Elements:
    """Finds children of the root's namespace."""

    def __init__(self, root: Element, strict: bool) -> None:
        """Look at a document.

        Args:
            root: its outermost element.
            strict: refuse a duplicate element; False warns and takes the first.
        """
        self._root = root
        self._namespace = root.tag.rpartition("}")[0]
        self._strict = strict

    def children(self, element: Element, tag: str, where: str) -> list[Element]:
        """Return the children called `tag`."""
        found: list[Element] = []
        for child in element:
            namespace, _, name = child.tag.rpartition("}")
            if name == tag and namespace == self._namespace:
                found.append(child)
            elif name.lower() == tag and not (element is self._root and name == tag):
                # Links and joints of other namespaces may stand beside ours: none of ours is lost.
                raise Fault(self._look_alike(namespace, name, tag, where))
        return found

    def child(self, element: Element, tag: str, where: str) -> Element | None:
        """Return the one child called `tag`, or None."""
        found = self.children(element, tag, where)
        if len(found) > 1:
            told = f"{where} has {len(found)} <{tag}> elements, expected at most one"
            if self._strict:
                raise Fault(f"{told}. Correct it, or pass strict=False to use the first.")
            warnings.warn(f"{told}: the first was used.", RobotWarning, stacklevel=6)
        return found[0] if found else None

    def needed(self, element: Element, tag: str, where: str) -> Element:
        """Return the one child called `tag`."""
        found = self.child(element, tag, where)
        if found is None:
            raise Fault(f"{where} has no <{tag}>, which it needs.")
        return found

    def _look_alike(self, namespace: str, name: str, tag: str, where: str) -> str:
        if name != tag:
            return f"{where} has a <{name}>, which no reader knows; the element is called <{tag}>."
        space = f"the namespace {namespace[1:][:LONGEST_SHOWN]!r}" if namespace else "no namespace"
        return (
            f"{where} has a <{tag}> of {space}, which URDF readers skip; give it the namespace of "
            "<robot>, or remove it."
        )


def attribute(element: Element, key: str, where: str) -> str | None:
    """Return an attribute, or None; refuse one that differs by case or namespace alone."""
    for name in element.attrib:
        if name != key and name.rpartition("}")[2].lower() == key:
            shown = name.rpartition("}")[2]
            raise Fault(
                f"{where} has an attribute `{shown}`{' of another namespace' * ('}' in name)}, "
                f"which no reader knows; it is called `{key}`."
            )
    return element.get(key)


def text(element: Element, key: str, where: str) -> str:
    """Return an attribute that must be there."""
    value = attribute(element, key, where)
    if value is None or not value.strip():
        raise Fault(f"{where} has no attribute `{key}`, which it needs.")
    if len(value) > LONGEST_TEXT:
        raise Fault(
            f"`{key}` of {where} has {len(value)} characters, expected at most {LONGEST_TEXT}."
        )
    if key != "filename" and is_expression(value):
        raise Fault(f"`{key}` of {where} is {value[:LONGEST_SHOWN]!r}: {XACRO}")
    return value


def flag(element: Element, key: str, where: str) -> bool:
    """Return whether an attribute is "true"; one that is not there is not."""
    value = attribute(element, key, where)
    if value is None or value == "false":
        return False
    if value != "true":
        raise Fault(f"`{key}` of {where} is {value[:LONGEST_SHOWN]!r}, expected true or false.")
    return True


def number(element: Element, key: str, where: str, most: float = LARGEST_NUMBER) -> float:
    """Return the number of an attribute that must be there."""
    return _float(text(element, key, where), key, where, most)


def optional(
    element: Element | None, key: str, where: str, most: float = LARGEST_NUMBER
) -> float | None:
    """Return the number of an attribute, or None."""
    if element is None or attribute(element, key, where) is None:
        return None
    return number(element, key, where, most)


def triple(element: Element, key: str, where: str) -> Triple:
    """Return the three numbers of an attribute that must be there."""
    x, y, z = numbers(element, key, where, 3)
    return (x, y, z)


def numbers(element: Element, key: str, where: str, size: int) -> list[float]:
    """Return the numbers of an attribute that must be there."""
    words = text(element, key, where).split()
    if len(words) != size:
        raise Fault(f"`{key}` in {where} has {len(words)} numbers, expected {size}.")
    return [_float(word, key, where, LARGEST_NUMBER) for word in words]


def only_attributes(element: Element, known: tuple[str, ...], where: str) -> None:
    """Refuse attributes that are not known."""
    unknown = sorted(set(element.attrib) - set(known))
    if unknown:
        raise Fault(
            f"{where} has an attribute `{unknown[0][:LONGEST_SHOWN]}`, expected only "
            f"{', '.join(f'`{key}`' for key in known)}."
        )


def _float(word: str, key: str, where: str, most: float) -> float:
    value = number_in(word)
    if value is None or math.isnan(value):
        raise Fault(f"`{key}` in {where} is {word.strip()[:LONGEST_SHOWN]!r}, expected a number.")
    if abs(value) > most:
        raise Fault(
            f"`{key}` in {where} is {value:g}, expected a number of at most {most:g} in size."
        )
    return value


# The solids of a link: <collision> and <visual> of a URDF.
#
# Dynamics need none of them, so a solid that cannot be understood is no error here. It is recorded
# as unknown, and code that needs the solids reports it.

# The attributes that are the sizes of round solids.
SIZES = {
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
}
SOLIDS = ("box", "mesh", *SIZES)


class Solids:
    """Reads the solids of links."""

    def __init__(
        self, root: Element, folder: str, origin: Callable[[Element, str], Origin]
    ) -> None:
        """Find the colours that the file names.

        Args:
            root: the <robot>.
            folder: in which the file of the robot is: paths of meshes begin there.
            origin: reads the <origin> of an element.
        """
        self._folder, self._origin = folder, origin
        self._colours: dict[str, Colour] = {}
        for element in root.iter():
            if _tag(element) == "material":
                colour = _colour_in(element)
                if colour is not None:
                    self._colours.setdefault(element.get("name", ""), colour)

    def of(self, link: Element, where: str, kind: str) -> tuple[Solid, ...]:
        """Return the solids of a <link>.

        Args:
            link: the element.
            where: how messages call it.
            kind: "collision" or "visual".
        """
        found: list[Solid] = []
        for element in link:
            if _tag(element) != kind:
                continue
            try:
                found.append(self._solid(element, f"<{kind}> of {where}"))
            except Fault:
                found.append(Solid(Origin(), "unknown"))
        return tuple(found)

    def _solid(self, element: Element, where: str) -> Solid:
        at = self._origin(element, where)
        inside = [
            x for part in element if _tag(part) == "geometry" for x in part if _tag(x) in SOLIDS
        ]
        if len(inside) != 1:
            raise Fault(f"{where} has {len(inside)} solids that are known, expected one.")
        geometry, colour = inside[0], self._colour(element)
        kind = _tag(geometry)
        if kind == "mesh":
            scaled = attribute(geometry, "scale", where) is not None
            scale = triple(geometry, "scale", where) if scaled else (1.0, 1.0, 1.0)
            file = text(geometry, "filename", where)
            return Solid(at, kind, scale, file, self._folder, colour)
        if kind == "box":
            size = triple(geometry, "size", where)
        else:
            size = tuple(number(geometry, key, where) for key in SIZES[kind])
        if min(size) < 0.0:
            raise Fault(f"{where} has a negative size.")
        return Solid(at, cast(ShapeKind, kind), size, colour=colour)

    def _colour(self, element: Element) -> Colour | None:
        material = next((part for part in element if _tag(part) == "material"), None)
        if material is None:
            return None
        return _colour_in(material) or self._colours.get(material.get("name", ""))


def _colour_in(material: Element) -> Colour | None:
    """Return the colour of a <material>; None if it has none that can be understood."""
    for part in material:
        if _tag(part) == "color":
            values = [number_in(word) for word in part.get("rgba", "").split()]
            if len(values) == 4 and all(x is not None and 0.0 <= x <= 1.0 for x in values):
                return cast(Colour, tuple(values))
    return None


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


# Rotor inertias that a URDF has by Drake's tags, in <transmission>.
#
#     <transmission>
#       <joint name="elbow"/>
#       <actuator name="motor">
#         <drake:rotor_inertia value="1.2e-4"/>  <drake:gear_ratio value="100"/>
#
# The inertia is the rotor's own; the joint feels it times the gear ratio squared. Other readers
# skip these tags, so that their mass matrices lack it.

INERTIA, RATIO = "rotor_inertia", "gear_ratio"
DRAKE = "drake"


def rotor_inertias(root: Element) -> dict[str, float]:
    """Return the inertias that joints feel from the rotors of their drives, by joint."""
    found: dict[str, float] = {}
    for transmission in root:
        if _tag(transmission) != "transmission":
            continue
        values: dict[str, float] = {}
        joints: list[str] = []
        for element in transmission.iter():
            tag = _tag(element)
            if tag == "joint" and (name := element.get("name")):
                joints.append(name)
            if tag in (INERTIA, RATIO) and DRAKE in element.tag.rpartition("}")[0]:
                who = f"joint {listed(joints) or 'no name'}"
                if tag in values:
                    raise Fault(
                        f"<transmission> of {who} has several <{tag}>, expected one drive for a "
                        "joint."
                    )
                values[tag] = number(element, "value", f"<{tag}> of {who}")
        ratio = values.get(RATIO, 1.0)
        felt = values.get(INERTIA, 0.0) * (ratio * ratio)
        if felt == 0.0:
            continue
        if felt < 0.0:
            raise Fault(f"<{INERTIA}> of joint {listed(joints) or 'no name'} is negative.")
        if len(joints) != 1:
            raise Fault(
                f"a <transmission> with <{INERTIA}> drives {len(joints)} joints, expected one."
            )
        found[joints[0]] = found.get(joints[0], 0.0) + felt
    return found


def rotor_notes(drives: Mapping[str, float]) -> list[str]:
    """Return a sentence about joints that have a rotor by these tags."""
    if not drives:
        return []
    named = [f"{name} {value:.4g}" for name, value in drives.items()]
    return [
        f"Rotor inertias are those of <drake:{INERTIA}> times <drake:{RATIO}> squared, which most "
        f"other readers skip: {listed(named)}."
    ]
