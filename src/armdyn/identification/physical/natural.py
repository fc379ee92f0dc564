"""From fitted columns back to an arm: natural parameters, rotors and friction of a robot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model, highest
from armdyn.identification.physical.pseudo_inertia import link_fields
from armdyn.robot.friction import FRICTION_TERMS, shape_fields
from armdyn.robot.joint import Joint

# A smaller negative value (SI) is a zero that was rounded.
ROUNDED = 1e-9


def arm_with(model: Model, values: Array, parameters: Array) -> tuple[Arm, tuple[str, ...]]:
    """Return the arm of fitted columns, and notes on values that it cannot hold, a sentence each.

    Args:
        model: the columns.
        values: of the columns.
        parameters: natural parameters ``(N,)``: of links and, if they were fitted, rotors.
    """
    robot, n, notes = model.arm.robot, model.n, list[str]()
    joints: list[Joint] = []
    for j, joint in enumerate(robot.joints):
        given = {"rotor_inertia": float(parameters[10 * n + j])} if model.base.rotor else {}
        if model.coupling is not None:  # of the drives, which an arm cannot describe
            given = dict.fromkeys((*FRICTION_TERMS, "rotor_inertia"), 0.0)
        else:
            given |= _friction_fields(model, values, j)
        for key, value in given.items():
            signed = key in FRICTION_TERMS and FRICTION_TERMS[key].signed
            if value < 0.0 and not signed:
                if value < -ROUNDED:
                    notes.append(f"{key} of {joint.name} came out as {value:.3g}; the arm has 0.")
                given[key] = 0.0
            elif value > highest(key):
                notes.append(
                    f"{key} of {joint.name} came out as {value:.3g}; the arm has {highest(key):g}."
                )
                given[key] = highest(key)
        joints.append(replace(joint, **link_fields(parameters[10 * j : 10 * j + 10]), **given))  # pyright: ignore[reportArgumentType]
    if model.coupling is not None:
        notes.append(
            "friction and rotors belong to the coupled drives; the arm has none: its torques are "
            "those of the joints. `predict` has everything."
        )
    if len(model.indices("extra")):
        notes.append("extra columns are no part of the arm; `predict` has them.")
    gravity = np.asarray(robot.gravity, dtype=np.float64)
    if model.turned is not None:
        gravity = gravity + model.turned.change
    return Arm(robot.with_joints(joints, gravity=gravity.tolist())), tuple(notes)


def _friction_fields(model: Model, values: Array, j: int) -> dict[str, float]:
    """Return the fields of `Joint` of fitted friction; none if friction is not fitted."""
    own = [i for i in model.indices(*FRICTION_TERMS) if model.columns[i].joint == j]
    if not own:
        return {}
    fields = dict.fromkeys((*FRICTION_TERMS, *shape_fields()), 0.0)
    for i in own:
        column = model.columns[i]
        fields[column.kind] = float(values[i])
        fields |= dict(zip(FRICTION_TERMS[column.kind].shape, column.shape, strict=True))
    # Rounding of the solver must not make the dry friction at rest negative.
    fields["stribeck"] = max(fields["stribeck"], -max(fields["coulomb"], 0.0))
    return fields


def impossible_links(arm: Arm) -> tuple[str, ...]:
    """Return the names of joints whose links are not physically possible."""
    return tuple(joint.name for joint in arm.robot.joints if joint.physical_faults())
