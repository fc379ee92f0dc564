"""The solids of a link: <collision> of a URDF.

Dynamics need none of them, so a solid that cannot be understood is no error here. It is recorded as
unknown, and whoever needs the solids is told.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from armdyn.robot.formats._records import Fault, Origin, Solid
from armdyn.robot.formats.urdf._elements import attribute, number, text, triple

SOLIDS = ("box", "cylinder", "sphere", "capsule", "mesh")


def solids_of(
    link: Element, where: str, folder: str, origin: Callable[[Element, str], Origin]
) -> tuple[Solid, ...]:
    """Return the solids of a <link>.

    Args:
        link: the element.
        where: how messages call it.
        folder: in which the file of the robot is: paths of meshes begin there.
        origin: reads the <origin> of an element.
    """
    found: list[Solid] = []
    for element in link:
        if _tag(element) != "collision":
            continue
        try:
            found.append(_solid(element, f"<collision> of {where}", folder, origin))
        except Fault:
            found.append(Solid(Origin(), "unknown"))
    return tuple(found)


def _solid(
    element: Element, where: str, folder: str, origin: Callable[[Element, str], Origin]
) -> Solid:
    at = origin(element, where)
    inside = [x for part in element if _tag(part) == "geometry" for x in part if _tag(x) in SOLIDS]
    if len(inside) != 1:
        raise Fault(f"{where} has {len(inside)} solids that are known, expected one.")
    geometry = inside[0]
    match _tag(geometry):
        case "box":
            solid = Solid(at, "box", triple(geometry, "size", where))
        case "sphere":
            solid = Solid(at, "sphere", (number(geometry, "radius", where),))
        case "cylinder":
            solid = Solid(at, "cylinder", _round(geometry, where))
        case "capsule":
            solid = Solid(at, "capsule", _round(geometry, where))
        case _:
            scaled = attribute(geometry, "scale", where) is not None
            scale = triple(geometry, "scale", where) if scaled else (1.0, 1.0, 1.0)
            return Solid(at, "mesh", scale, text(geometry, "filename", where), folder)
    if min(solid.size) < 0.0:
        raise Fault(f"{where} has a negative size.")
    return solid


def _round(geometry: Element, where: str) -> tuple[float, float]:
    return number(geometry, "radius", where), number(geometry, "length", where)


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]
