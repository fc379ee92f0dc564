"""What is seen of a model: the placements of its geoms, from MuJoCo's compiler, without its meshes.

The compiler knows defaults, units, frames and all ways to write a rotation. Meshes need not be
there for that: each one is replaced by a small ball at the same place. Runs in MuJoCo's process.
"""

from __future__ import annotations

import math
import os
from typing import Any

import mujoco as _mujoco  # pyright: ignore[reportMissingTypeStubs]

mujoco: Any = _mujoco  # its types are not complete

# Geoms of higher groups are hidden by default, in MuJoCo's own viewer too.
LAST_GROUP = 2
# More geoms are no arm.
MOST_GEOMS = 5000
# The colour of geoms that have none.
DEFAULT = [0.5, 0.5, 0.5, 1.0]
# What a picture does not need, and what may name files or other parts.
LEFT_OUT = (
    "keys", "sensors", "actuators", "equalities", "tendons", "pairs", "excludes", "skins",
    "flexes", "tuples", "cameras", "lights", "hfields", "textures", "materials", "meshes",
)  # fmt: skip


def drawn_geoms(spec: Any) -> dict[str, Any]:
    """Return what is seen of a model that is parsed; the model is changed.

    Returns:
        `bodies`: names of all bodies; `geoms`: for each geom the number of its body, kind, size,
        place, rotation, colour, and of a mesh its file and folder. Empty if that cannot be found.
    """
    try:
        return _drawn(spec)
    except Exception:  # what is seen decides nothing: links without it are capsules
        return {"bodies": [], "geoms": []}


def _drawn(spec: Any) -> dict[str, Any]:
    kinds = {
        mujoco.mjtGeom.mjGEOM_BOX: "box",
        mujoco.mjtGeom.mjGEOM_SPHERE: "sphere",
        mujoco.mjtGeom.mjGEOM_CYLINDER: "cylinder",
        mujoco.mjtGeom.mjGEOM_CAPSULE: "capsule",
        mujoco.mjtGeom.mjGEOM_MESH: "mesh",
    }
    kept: list[tuple[Any, dict[str, Any]]] = []
    for geom in list(spec.geoms):
        told = _described(spec, geom, kinds)
        if told is None:
            spec.delete(geom)
        else:
            kept.append((geom, told))
    if len(kept) > MOST_GEOMS:
        return {"bodies": [], "geoms": []}
    for geom, told in kept:
        geom.material = ""
        if told["kind"] == "mesh":
            geom.type, geom.meshname, geom.size = mujoco.mjtGeom.mjGEOM_SPHERE, "", [1e-2, 0, 0]
    for site in spec.sites:
        site.material = ""
    for section in LEFT_OUT:
        for part in list(getattr(spec, section)):
            spec.delete(part)
    for body in spec.bodies[1:]:
        if not body.explicitinertial:  # some mass, or the model does not compile
            body.mass, body.ipos, body.inertia = 1.0, [0.0] * 3, [1.0] * 3
            body.explicitinertial = True
    spec.compiler.discardvisual = False
    model = spec.compile()
    names = [model.body(k).name for k in range(model.nbody)]
    return {"bodies": names, "geoms": [_placed(model, geom.id, told) for geom, told in kept]}


def _described(spec: Any, geom: Any, kinds: dict[Any, str]) -> dict[str, Any] | None:
    """Return what is said of a geom before it is placed; None if it is not seen."""
    kind = kinds.get(geom.type)
    if kind is None or geom.group > LAST_GROUP or (kind != "mesh" and geom.meshname):
        return None
    rgba = [float(x) for x in geom.rgba]
    colour: list[float] | None = rgba
    if rgba == DEFAULT:
        material = spec.material(geom.material) if geom.material else None
        colour = None if material is None else [float(x) for x in material.rgba]
    if colour is not None and colour[3] <= 0.0:
        return None
    told: dict[str, Any] = {"kind": kind, "colour": colour}
    if kind == "mesh":
        mesh = spec.mesh(geom.meshname)
        if mesh is None or not mesh.file:
            return None
        strip = spec.strippath
        file = os.path.basename(mesh.file.replace("\\", "/")) if strip else mesh.file
        told["file"] = os.path.join(mesh.compiler.meshdir or "", file)
        told["scale"] = [float(x) for x in mesh.scale]
        told["refpos"] = [float(x) for x in mesh.refpos]
        told["refquat"] = [float(x) for x in mesh.refquat]
        even = len(set(map(abs, told["scale"]))) == 1 and min(told["scale"]) > 0.0
        if told["refquat"] != [1.0, 0.0, 0.0, 0.0] and not even:
            return None  # turned, then scaled along other axes: no placement
    return told


def _placed(model: Any, number: int, told: dict[str, Any]) -> dict[str, Any]:
    size = [float(x) for x in model.geom_size[number]]
    found: dict[str, Any] = {
        "body": int(model.geom_bodyid[number]),
        "pos": [float(x) for x in model.geom_pos[number]],
        "quat": [float(x) for x in model.geom_quat[number]],
    }
    match told["kind"]:
        case "box":
            found["size"] = [2.0 * x for x in size]
        case "sphere":
            found["size"] = size[:1]
        case "mesh":
            found["size"] = told["scale"]
        case _:
            found["size"] = [size[0], 2.0 * size[1]]
    numbers = [*found["pos"], *found["quat"], *found["size"], *told.get("refpos", ())]
    if not all(math.isfinite(x) for x in numbers):
        raise ValueError("a number of a geom is not finite")
    return {**told, **found}
