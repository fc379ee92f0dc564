"""Torques at rest, judged by the stiction band.

The torque that holds a joint at rest is unknown: friction takes any value between minus and plus
its dry friction. So at rest a model can only be wrong by the distance of the measured torque from
the band of torques between "about to slide backward" and "about to slide forward".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.rows import FilteredSegment, Rows

# A joint moves where it is faster than this share of its greatest speed ...
MOVING = 0.02
# ... and never moves if that is below this share of the greatest speed of any joint, or of its own
# in other logs.
HELD = 1e-2

# The speed of a joint that is about to slide [rad/s or m/s]: all but dry friction vanishes.
SLIDING = 1e-12

# At most about this many blocks of a long log are looked at.
BLOCKS = 64


def slowest_moving(speeds: Sequence[Array], elsewhere: Array | float = 0.0) -> Array:
    """Return the speed of every joint above which it moves, ``(n,)``; infinite if it never does.

    Args:
        speeds: of the joints, or of their drives if these are coupled, ``(N, n)`` each.
        elsewhere: their greatest speeds in other logs, ``(n,)``.
    """
    top = np.max([v.max(axis=0) for v in speeds if len(v)], axis=0)
    held = (top <= HELD * np.maximum(top.max(), elsewhere)) | (top == 0.0)
    return np.where(held, np.inf, MOVING * top)


def beyond_stiction(rows: Rows, values: Array, least: Array) -> tuple[Array, Array]:
    """Return the sums of squares of distances from the band at rest, and the rows, of every joint.

    Args:
        rows: the rows to judge.
        values: of the parameters, ``(p,)``.
        least: speed of every joint above which it moves, ``(n,)``.
    """
    wrong, count = np.zeros(len(least)), np.zeros(len(least))
    total = sum(len(list(part.blocks())) for part in rows.parts)
    step = max(total // BLOCKS, 1)
    for part in rows.parts:
        velocity = rows.model.of_drives(part.at_centres(part.qd))
        for a, b, at in list(part.blocks())[::step]:
            rest = np.abs(velocity[at]) <= least
            if not rest.any():
                continue
            low, high = _band(rows.model, part, values, least, a, b)
            tau = part.band.rows(part.tau[a:b])
            off = np.maximum(low - tau, 0.0) + np.maximum(tau - high, 0.0)
            wrong += np.sum(np.where(rest, off, 0.0) ** 2, axis=0)
            count += rest.sum(axis=0)
    return wrong, count


def _band(
    model: Model, part: FilteredSegment, values: Array, least: Array, a: int, b: int
) -> tuple[Array, Array]:
    """Return the filtered lowest and highest torques, where joints at rest may slide either way."""
    q, qd, qdd, _ = part.samples(a, b)
    drives = model.of_drives(qd)
    rest = np.abs(drives) <= least
    ends: list[Array] = []
    for direction in (-SLIDING, SLIDING):
        v = np.where(rest, direction, drives)
        v = v if model.coupling is None else v @ model.coupling
        torque = model.predicted(values, q, v, qdd)
        if model.knows:
            # The torques of a part are without what is known of the measured motion.
            torque = torque + model.known(q, v, qdd) - model.known(q, qd, qdd)
        ends.append(part.band.rows(torque))
    # The filter has negative weights, so the ends may swap.
    return np.minimum(*ends), np.maximum(*ends)
