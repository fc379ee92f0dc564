"""Elements and attributes of a URDF: found by name, numbers checked, look-alikes refused.

URDF readers skip unknown elements. An element that differs from a known one only by case or
namespace would be skipped too, and an axis or a placement lost; so it is an error here.
"""

from __future__ import annotations

import math
import warnings
from xml.etree.ElementTree import Element

from armdyn.errors import RobotWarning
from armdyn.files import number_in
from armdyn.robot._joint import LARGEST_NUMBER
from armdyn.robot.formats._records import Fault, Triple

LONGEST_TEXT = 1000
# How much of a wrong name or number a message shows.
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
