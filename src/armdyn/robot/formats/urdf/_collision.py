"""The solids of a link: <collision> and <visual> of a URDF.

Dynamics need none of them, so a solid that cannot be understood is no error here. It is recorded as
unknown, and whoever needs the solids is told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast
from xml.etree.ElementTree import Element

from armdyn.files import number_in
from armdyn.robot._shape import Colour
from armdyn.robot.formats._records import Fault, Origin, Solid
from armdyn.robot.formats.urdf._elements import attribute, number, text, triple

SOLIDS = ("box", "cylinder", "sphere", "capsule", "mesh")


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
        match _tag(geometry):
            case "box":
                solid = Solid(at, "box", triple(geometry, "size", where), colour=colour)
            case "sphere":
                radius = number(geometry, "radius", where)
                solid = Solid(at, "sphere", (radius,), colour=colour)
            case "cylinder":
                solid = Solid(at, "cylinder", _round(geometry, where), colour=colour)
            case "capsule":
                solid = Solid(at, "capsule", _round(geometry, where), colour=colour)
            case _:
                scaled = attribute(geometry, "scale", where) is not None
                scale = triple(geometry, "scale", where) if scaled else (1.0, 1.0, 1.0)
                file = text(geometry, "filename", where)
                return Solid(at, "mesh", scale, file, self._folder, colour)
        if min(solid.size) < 0.0:
            raise Fault(f"{where} has a negative size.")
        return solid

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


def _round(geometry: Element, where: str) -> tuple[float, float]:
    return number(geometry, "radius", where), number(geometry, "length", where)


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]
