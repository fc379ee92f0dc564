"""Geoms of a compiled model as the solids that are seen of its bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from armdyn.robot._shape import Colour
from armdyn.robot.formats._placement import (
    invert,
    place,
    product,
    quaternion_of,
    quaternion_rotation,
)
from armdyn.robot.formats._records import Origin, Solid


def visuals_of(
    answer: Mapping[str, Any], bodies: Sequence[str], folder: str
) -> dict[str, list[Solid]]:
    """Return the solids that are seen of bodies, by their names.

    Args:
        answer: what MuJoCo's process sent.
        bodies: names of the bodies that the compiled model has.
        folder: in which the file is: paths of meshes begin there.
    """
    drawn = answer["drawn"]
    same = drawn["bodies"] == list(answer["body_names"])
    found: dict[str, list[Solid]] = {}
    for geom in drawn["geoms"]:
        # a body that was left out has none, and one without a name is known by its number alone
        number = int(geom["body"])
        name: str = bodies[number] if same else drawn["bodies"][number]
        if name:
            found.setdefault(name, []).append(_solid(geom, folder))
    return found


def _solid(geom: Mapping[str, Any], folder: str) -> Solid:
    w, x, y, z = geom["quat"]
    inside = _reference(geom) if geom["kind"] == "mesh" else np.eye(4)
    T = product(place(quaternion_rotation((x, y, z, w)), np.array(geom["pos"])), inside)
    a, b, c = (float(v) for v in T[:3, 3])
    colour = geom["colour"]
    return Solid(
        Origin((a, b, c), quaternion=quaternion_of(T[:3, :3])),
        geom["kind"],
        tuple(geom["size"]),
        geom.get("file", ""),
        folder if geom["kind"] == "mesh" else "",
        None if colour is None else cast(Colour, tuple(min(max(v, 0.0), 1.0) for v in colour)),
    )


def _reference(geom: Mapping[str, Any]) -> np.ndarray:
    """Return the placement of the corners of a mesh, scaled, in the frame of its geom.

    MuJoCo moves corners by -refpos, turns them back by refquat, then scales them.
    """
    w, x, y, z = geom["refquat"]
    at = np.array(geom["refpos"])
    if (w, x, y, z) == (1.0, 0.0, 0.0, 0.0):
        return place(np.eye(3), -np.array(geom["scale"]) * at)
    return invert(place(quaternion_rotation((x, y, z, w)), geom["scale"][0] * at))
