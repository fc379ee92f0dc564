"""Run MuJoCo's parser and compiler, in a confined process.

A file can make the parser crash (a class called "%n", a model that attaches itself), take all
memory (a billion replicas) or never end. In a confined process that does no harm. It gets the
meshes that a request lists by path, and opens no file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from typing import Any

import mujoco as _mujoco  # pyright: ignore[reportMissingTypeStubs]

from armdyn.robot.formats.isolated.serve import Refused

# What is seen of a model: the placements of its geoms, from MuJoCo's compiler, without its meshes.
#
# The compiler knows defaults, units, frames and all ways to write a rotation. Meshes need not be
# there for that: each one is replaced by a small ball at the same place. Runs in MuJoCo's process.

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


mujoco: Any = _mujoco  # its types are not complete

# Attributes of the compiled model that are sent, whole.
ARRAYS = (
    "body_parentid", "body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass",
    "body_inertia", "body_gravcomp", "body_mocapid", "body_jntnum", "body_jntadr",
    "jnt_pos", "jnt_axis", "jnt_limited", "jnt_range", "jnt_stiffness",
    "jnt_stiffnesspoly", "jnt_actfrclimited", "jnt_actfrcrange", "jnt_qposadr", "jnt_dofadr",
    "qpos0", "dof_armature", "dof_damping", "dof_dampingpoly", "dof_frictionloss",
    "site_bodyid", "site_pos", "site_quat",
    "numeric_adr", "numeric_size", "numeric_data",
)  # fmt: skip

# Bytes of a mesh that decides the mass of a body.
LARGEST_MESH = 50_000_000

NAMES = ("body", "jnt", "site", "numeric")


# MuJoCo would print warnings, and write them to a file in the current folder.
mujoco.set_mju_user_warning(str)


def provide(request: dict[str, Any], query: dict[str, Any]) -> bytes:
    """Return the bytes of a mesh.

    Raises:
        OSError: it cannot be read.
        Refused: the request does not list it.
    """
    if query["mesh"] not in request["meshes"].values():
        raise Refused(f"it names the file {query['mesh']!r}, which is none of its meshes")
    with open(query["mesh"], "rb") as file:
        data = file.read(LARGEST_MESH + 1)
    if len(data) > LARGEST_MESH:
        raise Refused(f"the mesh {query['mesh']!r} has more than {LARGEST_MESH / 1e6:.0f} MB")
    return data


def answer(request: dict[str, Any], ask: Callable[[dict[str, Any]], bytes]) -> dict[str, Any]:
    """Return the compiled model of a request, or the error of MuJoCo.

    The whole file is only parsed: that finds what MuJoCo refuses. The model is compiled from the
    part that dynamics need, which lacks most geoms, so that no mesh has to be there.
    """
    try:
        whole = _spec(request, "whole")
        needed = _spec(request, "needed")
        unknown = _without_unknown_geoms(needed, request["meshes"])
        assets = {}
        for mesh in needed.meshes:
            path = request["meshes"].get(mesh.file)
            if path is not None:
                assets[mesh.file] = ask({"mesh": path})
        needed.assets = assets
        model = needed.compile()
        couplings = _couplings(whole)
    except MemoryError:
        return {"error": "it needs more memory than there is"}
    except Exception as error:  # MuJoCo raises ValueError, FatalError, RuntimeError
        return {"error": str(error)}
    found = _model(model) | couplings
    found["name"] = whole.modelname
    found["unknown"] = {body.id: names for body, names in unknown}
    found["drawn"] = drawn_geoms(whole)
    return found


def _spec(request: dict[str, Any], part: str) -> Any:
    models = {name: text.encode() for name, text in request["models"][part].items()}
    return mujoco.MjSpec.from_string(request[part], include=models)


def _without_unknown_geoms(spec: Any, meshes: dict[str, str]) -> list[tuple[Any, list[str]]]:
    """Remove mesh geoms that say nothing of masses; return bodies whose masses are unknown.

    Returns:
        The bodies, and the names of the missing meshes that they get their mass from.
    """
    unknown: list[tuple[Any, list[str]]] = []
    for geom in list(spec.geoms):
        if not geom.meshname:
            continue
        mesh = spec.mesh(geom.meshname)
        missing = mesh is None or bool(mesh.file and mesh.file not in meshes)
        weighs = _has_mass(geom)
        if weighs and not missing:
            continue
        if weighs:
            body = geom.parent
            if not unknown or unknown[-1][0] != body:
                unknown.append((body, []))
                # some mass, or the model does not compile
                body.mass, body.ipos, body.inertia = 1.0, [0.0] * 3, [1.0] * 3
                body.explicitinertial = True
            unknown[-1][1].append(geom.meshname)
        spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)
    if unknown and spec.compiler.settotalmass > 0:
        name = unknown[0][1][0]
        raise ValueError(f"the mesh '{name}' is not there, which `settotalmass` needs")
    return unknown


def _has_mass(geom: Any) -> bool:
    """Whether a geom counts in the mass of its body."""
    low, high = geom.compiler.inertiagrouprange
    if not low <= geom.group <= high:
        return False
    return bool(geom.mass > 0) if geom.mass == geom.mass else bool(geom.density > 0)


def _model(model: Any) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(model, name).tolist() for name in ARRAYS}
    for kind in NAMES:
        starts = getattr(model, f"name_{kind}adr").tolist()
        found[f"{kind}_names"] = [
            model.names[start : model.names.index(b"\0", start)].decode("utf-8", "replace")
            for start in starts
        ]
    types = [mujoco.mjtJoint(kind).name for kind in model.jnt_type.tolist()]
    found["jnt_type"] = [name.removeprefix("mjJNT_").lower() for name in types]
    found["actuators"] = list(_actuators(model))
    option = model.opt
    found["gravity"] = option.gravity.tolist()
    found["medium"] = [option.density, option.viscosity]
    found["disabled"] = [
        name
        for name, flag in (
            ("gravity", mujoco.mjtDisableBit.mjDSBL_GRAVITY),
            ("damping", mujoco.mjtDisableBit.mjDSBL_DAMPER),
            ("frictionloss", mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS),
        )
        if option.disableflags & flag
    ]
    return found


def _actuators(model: Any) -> Iterator[dict[str, Any]]:
    """Yield the actuators of joints: what they add to the joint, and their range of force."""
    kinds = mujoco.mjtDyn
    direct = [int(kind) for kind in (kinds.mjDYN_NONE, kinds.mjDYN_FILTER, kinds.mjDYN_FILTEREXACT)]
    for k in range(model.nactuator):
        force = None
        if model.actuator_forcelimited[k]:
            force = model.actuator_forcerange[k].tolist()
        elif (
            model.actuator_ctrllimited[model.actuator_ctrladr[k]]
            and model.actuator_gaintype[k] == mujoco.mjtGain.mjGAIN_FIXED
            and model.actuator_biastype[k] == mujoco.mjtBias.mjBIAS_NONE
            and int(model.actuator_dyntype[k]) in direct
        ):
            range_ = model.actuator_ctrlrange[model.actuator_ctrladr[k]]
            force = (model.actuator_gainprm[k, 0] * range_).tolist()
        yield {
            "joint": int(model.actuator_trnid[k, 0]),
            "gear": float(model.actuator_gear[model.actuator_outadr[k], 0]),
            "armature": float(model.actuator_armature[k]),
            "damping": [float(model.actuator_damping[k]), *model.actuator_dampingpoly[k].tolist()],
            "force": force,
        }


def _couplings(spec: Any) -> dict[str, Any]:
    """Return equalities and tendons, which are left out of the compiled model."""
    kinds = {
        mujoco.mjtEq.mjEQ_JOINT: "joint",
        mujoco.mjtEq.mjEQ_CONNECT: "connect",
        mujoco.mjtEq.mjEQ_WELD: "weld",
    }
    equalities = [
        {
            "type": kinds[one.type],
            "sites": one.objtype == mujoco.mjtObj.mjOBJ_SITE,
            "first": one.name1,
            "second": one.name2,
            "polynomial": [float(x) for x in one.data[:5]],
        }
        for one in spec.equalities
        if one.active and one.type in kinds
    ]
    _check_ends(spec, equalities)
    driven = [one.target for one in spec.actuators if one.trntype == mujoco.mjtTrn.mjTRN_TENDON]
    on_joints = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    return {
        "equalities": equalities,
        "tendons": [_tendon(tendon, driven) for tendon in spec.tendons],
        "elsewhere": [one.name for one in spec.actuators if one.trntype not in on_joints],
    }


def _check_ends(spec: Any, equalities: list[dict[str, Any]]) -> None:
    """Refuse equalities of what is not there, as the compiler does."""
    parts: dict[str, set[str]] = {}
    for one in equalities:
        kind = "joints" if one["type"] == "joint" else "sites" if one["sites"] else "bodies"
        if kind not in parts:
            parts[kind] = {"", *(part.name for part in getattr(spec, kind))}
        for name in (one["first"], one["second"]):
            if name not in parts[kind]:
                raise ValueError(f"an equality names {name!r}, which is not one of the {kind}")


def _tendon(tendon: Any, driven: list[str]) -> dict[str, Any]:
    joints: list[str] = []
    for wrap in tendon.path:
        if wrap.type == mujoco.mjtWrap.mjWRAP_JOINT:
            if wrap.target is None:
                raise ValueError(f"tendon {tendon.name!r} names a joint that is not there")
            joints.append(wrap.target.name)
    return {
        "name": tendon.name,
        "joints": joints,
        "driven": tendon.name in driven,
        "armature": float(tendon.armature),
        "passive": bool(any(tendon.stiffness) or any(tendon.damping) or tendon.frictionloss),
    }
