"""Measurements of a simulated motion: noise, encoders of finite resolution, unsteady clocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, shown
from armdyn.log import Log
from armdyn.simulation._arguments import positive
from armdyn.simulation._between import positions_at, torques_at
from armdyn.simulation._run import Run

Array = NDArray[np.float64]

# Beyond this share of a step samples would overtake each other.
LARGEST_JITTER = 0.3
# Samples of the run that are further apart than this many measured steps say too little.
COARSEST = 1.5
MOST_SAMPLES = 10_000_000


def measured(
    run: Run,
    noise_q: object,
    noise_tau: object,
    quantisation: object,
    jitter: object,
    rate: object,
    seed: int,
) -> Log:
    """Return what would have been measured; arguments as of `Run.measured`."""
    n = run.arm.n
    sigma_q = _sizes("noise_q", noise_q, n)
    sigma_tau = _sizes("noise_tau", noise_tau, n)
    resolution = _sizes("quantisation", quantisation, n)
    share = float(_sizes("jitter", jitter, 1)[0])
    if share >= LARGEST_JITTER:
        raise InputError(f"`jitter` is {shown(jitter)}, expected a share below {LARGEST_JITTER}.")
    rng = np.random.default_rng(seed)
    t = run.t if rate is None else _times(run, positive("rate", rate, "samples a second"))
    q, tau = run.q, run.tau
    if share > 0.0:
        steps = np.diff(t, append=2 * t[-1] - t[-2]) if len(t) > 1 else np.zeros(1)
        # no sample is drawn further off than where it could overtake the next
        off = np.clip(rng.normal(0.0, share, len(t)), -0.45, 0.45)
        t = np.clip(t + steps * off, run.t[0], run.t[-1])
        t, _ = np.unique(t, return_index=True)
    if share > 0.0 or rate is not None:
        q, tau = positions_at(run, t), torques_at(run, t)
    q = q + rng.normal(size=q.shape) * sigma_q
    tau = tau + rng.normal(size=tau.shape) * sigma_tau
    coarse = resolution > 0.0
    q[:, coarse] = np.round(q[:, coarse] / resolution[coarse]) * resolution[coarse]
    return Log(
        t=t, q=q, tau=tau, joint_names=run.arm.joint_names,
        source=f"simulated measurements of {run.arm.name}", notes=run.notes,
    )  # fmt: skip


def _times(run: Run, rate: float) -> Array:
    if len(run) < 2:
        raise InputError("the run has a single sample, which has no rate.")
    widest = float(np.diff(run.t).max())
    if widest > COARSEST / rate:
        raise InputError(
            f"`rate` is {rate:g} a second, but samples of the run are up to {widest:.3g} s apart: "
            f"simulate with samples={round(rate * run.t[-1]) + 1} or more."
        )
    count = (run.t[-1] - run.t[0]) * rate
    if count > MOST_SAMPLES:
        raise InputError(f"`rate` is {rate:g} a second: that makes {count:.3g} samples, too many.")
    return run.t[0] + np.arange(int(count * (1 + 1e-12)) + 1) / rate


def _sizes(name: str, value: object, n: int) -> Array:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if array.shape not in ((), (n,)) or not ((array >= 0.0) & (array < np.inf)).all():
        many = f" or {n} of them, one a joint" if n > 1 else ""
        raise InputError(f"`{name}` is {shown(value)}, expected a number from 0{many}.")
    return np.broadcast_to(array, (n,)).copy()
