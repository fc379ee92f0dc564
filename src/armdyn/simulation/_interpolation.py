"""The motion between the samples of a run."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.simulation._run import Run

Array = NDArray[np.float64]


def positions_at(run: Run, t: Array) -> Array:
    """Return the positions of one arm at times within its run, ``(len(t), n)``.

    Between two samples it is the quintic polynomial with the positions, velocities and
    accelerations of both samples.
    """
    if len(run) < 2:
        return np.repeat(run.q, len(t), axis=0)
    k = np.clip(np.searchsorted(run.t, t, side="right") - 1, 0, len(run) - 2)
    h = (run.t[k + 1] - run.t[k])[:, None]
    s = (t - run.t[k])[:, None] / h
    r = 1.0 - s
    return _towards(s, h, run.q[k], run.qd[k], run.qdd[k]) + _towards(
        r, -h, run.q[k + 1], run.qd[k + 1], run.qdd[k + 1]
    )


def _towards(s: Array, h: Array, q: Array, qd: Array, qdd: Array) -> Array:
    """Return one end's part of the polynomial, at the share s of the step h from that end."""
    r3 = (1.0 - s) ** 3
    value = r3 * (1.0 + s * (3.0 + 6.0 * s))
    return value * q + r3 * s * (1.0 + 3.0 * s) * h * qd + 0.5 * r3 * s**2 * h**2 * qdd


def velocities_at(run: Run, t: Array) -> Array:
    """Return the velocities of one arm at times within its run, ``(len(t), n)``.

    Between two samples it is the cubic with the velocities and accelerations of both.
    """
    if len(run) < 2:
        return np.repeat(run.qd, len(t), axis=0)
    scipy: Any = import_module("scipy.interpolate")
    return np.asarray(scipy.CubicHermiteSpline(run.t, run.qd, run.qdd)(t))


def torques_at(run: Run, t: Array) -> Array:
    """Return the drive torques of one arm at times, by linear interpolation between samples."""
    return on_lines(run, run.tau, t)


def on_lines(run: Run, values: Array, t: Array) -> Array:
    """Return values ``(N, n)`` of the samples at times, on the lines between samples."""
    columns: list[Array] = [np.interp(t, run.t, column) for column in values.T]
    return np.stack(columns, axis=1)
