"""Windows of logs, at equal steps: a sample that represents logs of any length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.band.quick_fit import products, quick_fit, quick_model
from armdyn.identification.fit.columns import Column
from armdyn.log.log import Log
from armdyn.log.rows import is_in_file, runs
from armdyn.log.signals import Prepared, prepare

# All windows together have at most about this many samples, and come from at most this many logs.
SAMPLES = 1 << 16
LOGS = 16

# Positions of a quick fit have a band of this many times that of its rows.
POSITIONS = 2.5

# Length of a window of a long log [s], within these numbers of samples.
SECONDS = 16.0
SHORTEST, LONGEST = 1 << 12, 1 << 15


def windows(logs: Sequence[Log]) -> list[Log]:
    """Return evenly spread windows of logs; short logs whole."""
    step = -(-len(logs) // LOGS)
    picked = logs[::step]
    total = sum(len(log) for log in picked)
    found: list[Log] = []
    for log in picked:
        length = int(np.clip(SECONDS * log.rate, SHORTEST, LONGEST))
        most = max(SAMPLES * len(log) // (total * length), 1)
        found += [_in_memory(log, a, b) for a, b in runs(len(log), most, length)]
    return found


def _in_memory(log: Log, a: int, b: int) -> Log:
    if not is_in_file(log.q):
        return log.part(a, b)
    assert log.tau is not None
    qd = None if log.qd is None else log.qd[a:b]
    return Log(log.t[a:b], log.q[a:b], qd, tau=log.tau[a:b], joint_names=log.joint_names)


def prepared_windows(
    parts: Sequence[Log], cutoff: float, delay: float = 0.0, velocity: str = "differentiated"
) -> list[Prepared]:
    """Return windows with positions low-passed at a cut-off, without those that are too short."""
    found: list[Prepared] = []
    for part in parts:
        try:
            found.append(prepare(part, cutoff=cutoff, delay=delay, velocity=velocity))
        except InputError:
            continue
    return found


def highest_motion(parts: Sequence[Log], share: float) -> float:
    """Return the frequency [Hz] below which this share of the power of any joint's position lies.

    Positions have far more power than the noise of encoders, unlike velocities.
    """
    found = 0.0
    for part in parts:
        q = part.q
        wide = np.ptp(q, axis=0)
        q = q[:, wide > 1e-2 * max(float(wide.max()), 1e-12)]
        if len(q) < 8 or not q.shape[1]:
            continue
        ramp = np.linspace(0.0, 1.0, len(q))[:, None]
        q = q - q[0] - ramp * (q[-1] - q[0])
        power = np.abs(np.fft.rfft((q - q.mean(axis=0)) * np.hanning(len(q))[:, None], axis=0)) ** 2
        reached = np.cumsum(power, axis=0) >= share * power.sum(axis=0)
        found = max(found, float(np.argmax(reached, axis=0).max()) * part.rate / len(q))
    return found


# Whether velocities are the measured ones or the slopes of positions, by prediction.
#
# Measured velocities may be noisy or late, and so may positions. In the band of the fit a model
# explains the torques better with the better of both.


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
