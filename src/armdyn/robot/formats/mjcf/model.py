"""Numbers of MuJoCo's compiled model: checked, with its geoms and drives."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from armdyn.robot.formats.geometry import (
    invert,
    place,
    product,
    quaternion_of,
    quaternion_rotation,
    xyzw,
)
from armdyn.robot.formats.records import Fault, Origin, Solid
from armdyn.robot.friction import FRICTION_TERMS, shape_fields
from armdyn.robot.joint import LARGEST_NUMBER
from armdyn.robot.model import Colour

# The numbers of a compiled model: all finite, and of a size that an arm can have.

BODIES = ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia")
JOINTS = ("jnt_pos", "jnt_axis", "jnt_range", "jnt_actfrcrange")
SITES = ("site_pos", "site_quat")
PER_DOF = ("dof_armature", "dof_damping", "dof_dampingpoly", "dof_frictionloss")
# Units are longer or shorter than 1 by rounding alone.
UNIT_TOLERANCE = 1e-6

ACTUATORS = ("gear", "armature", "damping", "force")


def check_numbers(answer: Mapping[str, Any]) -> None:
    """Refuse a model with a number that no arm has.

    Raises:
        Fault: a number is not one, or is too large.
    """
    for key, values, owners in _columns(answer):
        array = np.array(values, dtype=float)
        wrong = ~(np.abs(array) <= LARGEST_NUMBER)
        if wrong.any():
            row = int(np.argwhere(wrong)[0, 0])
            raise Fault(
                f"`{key}` of {owners[row]} is {float(array[wrong][0]):g}, expected a number of at "
                f"most {LARGEST_NUMBER:g} in size."
            )
    _check_lengths(answer)


def _check_lengths(answer: Mapping[str, Any]) -> None:
    """Refuse axes and quaternions that MuJoCo could not make units of."""
    axes = [
        axis if kind in ("hinge", "slide") else (1.0, 0.0, 0.0)
        for axis, kind in zip(answer["jnt_axis"], answer["jnt_type"], strict=True)
    ]
    for what, key, units, kind in (
        ("body", "quat", answer["body_quat"], "body"),
        ("body", "iquat", answer["body_iquat"], "body"),
        ("site", "quat", answer["site_quat"], "site"),
        ("joint", "axis", axes, "jnt"),
    ):
        for name, unit in zip(answer[f"{kind}_names"], units, strict=True):
            if not abs(math.hypot(*unit) - 1.0) < UNIT_TOLERANCE:
                raise Fault(f"`{key}` of {what} {name!r} has no direction, or is out of all size.")


def _columns(answer: Mapping[str, Any]) -> Iterator[tuple[str, Any, list[str]]]:
    """Yield the name of a number, its value for all that have it, and who they are."""
    for keys, kind, what in (
        (BODIES, "body", "body"), (JOINTS, "jnt", "joint"), (SITES, "site", "site"),
    ):  # fmt: skip
        owners = [f"{what} {name!r}" for name in answer[f"{kind}_names"]]
        yield from ((key.partition("_")[2], answer[key], owners) for key in keys)
    joints = [f"joint {name!r}" for name in answer["jnt_names"]]
    owners = [""] * len(answer["dof_armature"])
    for joint, dof in zip(joints, answer["jnt_dofadr"], strict=True):
        owners[dof:] = [joint] * len(owners[dof:])
    yield from ((key.partition("_")[2], answer[key], owners) for key in PER_DOF)
    places = answer["jnt_qposadr"]
    yield "ref", [answer["qpos0"][place] for place in places], joints
    for actuator in answer["actuators"]:
        owner = [f"an actuator of {joints[actuator['joint']]}"]
        yield from ((key, [actuator[key] or 0.0], owner) for key in ACTUATORS)
    yield "gravity", [answer["gravity"]], ["<option>"]


# Geoms of a compiled model as the solids that are seen of its bodies.


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
    inside = _reference(geom) if geom["kind"] == "mesh" else np.eye(4)
    T = product(place(quaternion_rotation(xyzw(geom["quat"])), np.array(geom["pos"])), inside)
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
    at, quaternion = np.array(geom["refpos"]), xyzw(geom["refquat"])
    if quaternion == (0.0, 0.0, 0.0, 1.0):
        return place(np.eye(3), -np.array(geom["scale"]) * at)
    return invert(place(quaternion_rotation(quaternion), geom["scale"][0] * at))


# What drives and brakes the joints of a compiled model: inertia, friction and limits of effort.

# Numbers of <custom> called "armdyn:<joint>:<field>" hold what MJCF has no attribute for.
OWN = "armdyn"

# The number of <custom> that says that all numbers are exact: none is snapped.
EXACT = f"{OWN}:exact"

# A limit needs two sides: one of at least this size means that there is none.
NO_LIMIT = 1e9

# The attributes of <joint> by the fields of `Joint`.
ATTRIBUTES = {"viscous": "damping", "coulomb": "frictionloss"}


def own_fields() -> tuple[str, ...]:
    """Return the fields of `Joint` that <custom> holds."""
    friction = [field for field in (*FRICTION_TERMS, *shape_fields()) if field not in ATTRIBUTES]
    return ("velocity", *friction)


def own_name(joint: str, field: str) -> str:
    """Return the name of a number of <custom>."""
    return f"{OWN}:{joint}:{field}"


class Drives:
    """Reads the drives of joints, by the number of the joint in the model."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        """Take what MuJoCo's process sent."""
        self._answer = answer
        self._actuators: dict[int, list[dict[str, Any]]] = {}
        for actuator in answer["actuators"]:
            self._actuators.setdefault(actuator["joint"], []).append(actuator)
        self._own = _own_numbers(answer)
        self.exact = EXACT in answer["numeric_names"]
        self.uneven: set[int] = set()
        """Joints whose two limits of effort differ."""

    def has_actuator(self, joint: int) -> bool:
        """Whether an actuator acts on a joint."""
        return joint in self._actuators

    def rotor_inertia(self, joint: int) -> float:
        """Return the armature of a joint and, reflected by their gears, of its actuators."""
        own = self._answer["dof_armature"][self._answer["jnt_dofadr"][joint]]
        return own + self.reflected_inertia(joint)

    def reflected_inertia(self, joint: int) -> float:
        """Return the armature of a joint's actuators, reflected by their gears."""
        return sum(one["armature"] * one["gear"] ** 2 for one in self._actuators.get(joint, ()))

    def damping(self, joint: int) -> list[float]:
        """Return the coefficients of v, v|v| and v^3."""
        own, reflected = self.own_damping(joint), self.reflected_damping(joint)
        return [a + b for a, b in zip(own, reflected, strict=True)]

    def own_damping(self, joint: int) -> list[float]:
        """Return the coefficients of v, v|v| and v^3 that the joint itself has."""
        dof = self._answer["jnt_dofadr"][joint]
        return [self._answer["dof_damping"][dof], *self._answer["dof_dampingpoly"][dof]]

    def reflected_damping(self, joint: int) -> list[float]:
        """Return the coefficients that the actuators of a joint add, reflected by their gears."""
        sums = [0.0, 0.0, 0.0]
        for one in self._actuators.get(joint, ()):
            for power, coefficient in enumerate(one["damping"]):
                sums[power] += coefficient * abs(one["gear"]) ** (power + 2)
        return sums

    def friction(self, joint: int, name: str) -> dict[str, float]:
        """Return the coefficients of friction by the fields of `Joint`."""
        disabled = self._answer["disabled"]
        loss = self._answer["dof_frictionloss"][self._answer["jnt_dofadr"][joint]]
        found = {
            "viscous": 0.0 if "damping" in disabled else self.damping(joint)[0],
            "coulomb": 0.0 if "frictionloss" in disabled else loss,
        }
        own = {field: self._own.get((name, field), 0.0) for field in own_fields()}
        own.pop("velocity")
        return found | own

    def velocity(self, name: str) -> float | None:
        """Return the limit of velocity that armdyn wrote."""
        return self._own.get((name, "velocity"))

    def effort(self, joint: int) -> float | None:
        """Return the limit of effort, or None: the smaller one where the two directions differ."""
        low, high = -float("inf"), float("inf")
        acting = self._actuators.get(joint, [])
        ranges = [_scaled(one["force"], one["gear"]) for one in acting if one["force"] is not None]
        if acting and len(ranges) == len(acting):
            low, high = sum(one[0] for one in ranges), sum(one[1] for one in ranges)
        if self._answer["jnt_actfrclimited"][joint]:
            least, most = self._answer["jnt_actfrcrange"][joint]
            low, high = max(low, least), min(high, most)
        sizes = sorted((abs(low), abs(high)))
        if sizes[1] == float("inf") and sizes[0] == float("inf"):
            return None
        if sizes[0] != sizes[1]:
            self.uneven.add(joint)
        return (sizes[0] or sizes[1]) or None


def _scaled(force: Sequence[float], gear: float) -> tuple[float, float]:
    a, b = sorted(gear * one for one in force)
    return a, b


def _own_numbers(answer: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for name, at, size in zip(
        answer["numeric_names"], answer["numeric_adr"], answer["numeric_size"], strict=True
    ):
        if not name.startswith(f"{OWN}:") or name == EXACT:
            continue
        joint, _, field = name.removeprefix(f"{OWN}:").rpartition(":")
        if field not in own_fields() or size != 1:
            raise Fault(
                f"<numeric name={name[:80]!r}> of <custom> is not one of armdyn's: expected one "
                f"number called {OWN}:<joint>:<field> with a field of {', '.join(own_fields())}."
            )
        if joint not in answer["jnt_names"]:
            raise Fault(f"<numeric name={name[:80]!r}> of <custom>: there is no such joint.")
        found[joint, field] = answer["numeric_data"][at]
    return found
