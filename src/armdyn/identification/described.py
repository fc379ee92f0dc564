"""The described values of the parameters of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.friction import FRICTION_TERMS

if TYPE_CHECKING:
    from armdyn.identification.result import Result


def described_values(result: Result) -> Array:
    """Return the described values ``(p,)``; NaN where the description has none.

    If all masses are zero, they count as not described. So does zero friction.
    """
    joints = result.described.robot.joints
    values = np.full(len(result.values), np.nan)
    if any(joint.mass for joint in joints):
        values[: result.model.k] = result.model.base.values
    for i, column in enumerate(result.model.columns):
        if column.kind in FRICTION_TERMS:
            values[i] = getattr(joints[column.joint], column.kind) or np.nan
    return values
