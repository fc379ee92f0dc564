"""Values that are hard to believe: remarks with numbers, beside the description."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.judge.box import Box
from armdyn.numerics import ratio

# Masses of links, and rigid-body torques of the whole arm, beyond these factors of the described
# ones are remarked. Lighter links than this share of the arm are not.
MASS = 5.0
TORQUE = 1.8
LIGHT = 0.05

# A joint's torque counts at least as this share of the largest joint's.
SMALL = 0.1

STATES = 200


def remarks(
    described: Arm, model: Model, values: Array, parameters: Array, mean: Array, box: Box
) -> Iterator[str]:
    """Yield a sentence for every value that is hard to believe.

    Args:
        described: the arm before identification.
        model: the columns.
        values: their delivered values ``(p,)``.
        parameters: delivered natural parameters ``(10n,)``.
        mean: the described values of the columns ``(p,)``.
        box: the motions.
    """
    yield from _masses(described, parameters)
    yield from _whole(described, model, values, mean, box)
    yield from _friction(described, model, values, box)


def _masses(arm: Arm, parameters: Array) -> Iterator[str]:
    told = np.array([joint.mass for joint in arm.robot.joints])
    found = parameters[: 10 * arm.n : 10]
    if told.sum() <= 0.0:
        return
    for joint, x, y in zip(arm.robot.joints, found.tolist(), told.tolist(), strict=True):
        if max(x, y) < LIGHT * told.sum() or y <= 0.0:
            continue
        if not y / MASS < x < y * MASS:
            yield (
                f"the link of {joint.name} has a mass of {x:.3g} kg, described are {y:.3g} kg: are "
                "the torques in N m at the joints, and is there a load?"
            )


def _whole(arm: Arm, model: Model, values: Array, mean: Array, box: Box) -> Iterator[str]:
    if not any(joint.mass for joint in arm.robot.joints):
        return
    rows = model.rows(*box.states(STATES))
    inner = np.arange(len(values)) < model.k
    ours, told = (model.torques(np.where(inner, x, 0.0), rows) for x in (values, mean))
    size = np.sqrt(np.mean(told**2, axis=0))
    ours, told = (ratio(x, np.maximum(size, SMALL * size.max()), 0.0) for x in (ours, told))
    times = float(ratio(np.sum(ours * told), np.sum(told**2), 1.0))
    if not 1.0 / TORQUE < times < TORQUE:
        yield (
            f"torques of the links are {times:.2g} times those of the description: are the torques "
            "in N m at the joints, or currents, or torques of motors before their gears?"
        )


def _friction(arm: Arm, model: Model, values: Array, box: Box) -> Iterator[str]:
    for j, joint in enumerate(arm.robot.joints):
        own = [i for i in model.indices("viscous", "coulomb") if model.columns[i].joint == j]
        rates = {"viscous": float(box.speed[j]), "coulomb": 1.0}
        total = sum(float(values[i]) * rates[model.columns[i].kind] for i in own)
        if np.isfinite(joint.effort) and 0.0 < joint.effort < total:
            yield (
                f"friction of {joint.name} reaches {total:.3g}, more than its limit of effort, "
                f"{joint.effort:.3g}."
            )
