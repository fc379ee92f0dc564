"""The numbers of a compiled model: all finite, and of a size that an arm can have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from armdyn.robot._joint import LARGEST_NUMBER
from armdyn.robot.formats._records import Fault

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
