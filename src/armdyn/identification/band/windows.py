"""Windows of logs, at equal steps: a sample that represents logs of any length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.errors import InputError
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
