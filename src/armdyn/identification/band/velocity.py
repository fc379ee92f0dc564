"""Whether velocities are the measured ones or the slopes of positions, by prediction.

Measured velocities may be noisy or late, and so may positions. In the band of the fit a model
explains the torques better with the better of both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.band.quick_fit import products, quick_fit, quick_model
from armdyn.identification.band.windows import POSITIONS, prepared_windows
from armdyn.identification.fit.columns import Column
from armdyn.log.log import Log


def slopes_are_better(
    arm: Arm,
    parts: Sequence[Log],
    cutoff: float,
    delay: float,
    coupling: Array | None,
    extra: Sequence[Column],
) -> bool:
    """Return whether a model explains torques better with slopes of positions.

    The mean logarithm of the joints' residuals decides. Windows that are too short tell nothing.

    Args:
        arm: the arm.
        parts: windows of logs with measured velocities.
        cutoff: of positions [Hz].
        delay: of torques [s].
        coupling: of the drives.
        extra: columns that the user supplies.
    """
    sizes: list[Array] = []
    for velocity in ("measured", "differentiated"):
        prepared = prepared_windows(parts, cutoff, delay, velocity)
        if not prepared:
            return False
        model, top = quick_model(arm, prepared, coupling, extra)
        sizes.append(quick_fit(model, products(model, prepared, cutoff / POSITIONS, top)).noise)
    measured, slopes = sizes
    known = np.isfinite(measured) & np.isfinite(slopes)
    return bool(np.sum(np.log(slopes[known] / measured[known])) < 0.0)
