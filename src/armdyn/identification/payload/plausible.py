"""Whether the torques of single joints can be right: their sign, their unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.log.signals import Prepared
from armdyn.numerics import ratio, scaled_solve

# No drive is off by more: outside of this range a sign, a unit or a joint is wrong.
POSSIBLE = 0.5, 1.6

# A gain counts if its standard deviation (of twenty blocks of time) is below this share of it.
SHOWN = 0.15
BLOCKS = 20

# The largest condition of normal equations of four unknowns.
WORST = 1e10

# Slower rows [rad/s or m/s] do not count: at rest, friction may be anything.
MOVING = 0.02


def model_gains(arm: Arm, log: Prepared) -> tuple[Array, Array]:
    """Return measured torque per torque of the model, and its standard deviation, ``(n,)`` each.

    Friction is fitted beside it. The deviation is infinite where the log does not show the gain.
    """
    assert log.tau is not None
    rigid = arm.inverse_dynamics(log.q, log.qd, log.qdd, friction=False)
    gains, std = np.ones(arm.n), np.full(arm.n, np.inf)
    for j in range(arm.n):
        v = log.qd[:, j]
        use = np.abs(v) > MOVING
        A = np.column_stack([rigid[:, j], np.ones(len(v)), np.sign(v), v])[use]
        if len(A) < 10 * BLOCKS or not np.ptp(A[:, 0]) > 0.0:
            continue
        parts = np.array_split(np.column_stack([A, log.tau[use, j]]), BLOCKS)
        grams = [part.T @ part for part in parts]
        total = np.sum(grams, axis=0)
        size = np.sqrt(np.diag(total)[:4])
        if np.linalg.cond(ratio(total[:4, :4], np.outer(size, size), 0.0)) > WORST:
            continue
        found = np.array([_first(total - one) for one in grams])
        gains[j] = _first(total)
        std[j] = np.sqrt((BLOCKS - 1) / BLOCKS * np.sum((found - found.mean()) ** 2))
    return gains, std


def _first(gram: Array) -> float:
    """Return the first unknown of normal equations."""
    return float(scaled_solve(gram[:-1, :-1], gram[:-1, -1])[0])


def impossible_gains(names: Sequence[str], gains: Array, std: Array, than: str) -> list[str]:
    """Return a sentence on every joint whose torques cannot be right.

    Args:
        names: of the joints.
        gains: measured torque per expected torque ``(n,)``.
        std: their standard deviations ``(n,)``.
        than: what the torques are compared with, in words.
    """
    said: list[str] = []
    low, high = POSSIBLE
    for name, gain, bar in zip(names, gains.tolist(), std.tolist(), strict=True):
        if low <= gain <= high or not bar < SHOWN * max(abs(gain), 1.0):
            continue
        why = "their sign is wrong" if gain < 0.0 else "their unit, or the drive's gain, is wrong"
        said.append(
            f"the torques of {name} are {gain:.2f} +- {bar:.2g} times {than}: {why}, or they are "
            "of another joint."
        )
    return said
