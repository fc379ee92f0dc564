"""Measurements of a simulated motion: noise, encoders of finite resolution, unsteady clocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_number, checked_per_joint, checked_positive, checked_seed
from armdyn.errors import InputError
from armdyn.log import Log
from armdyn.simulation._interpolation import positions_at, torques_at
from armdyn.simulation._run import Run
from armdyn.simulation._tolerances import SAME_TIME

Array = NDArray[np.float64]

# A larger standard deviation, as a share of a step, would make samples overtake each other.
LARGEST_JITTER = 0.3
# Samples of the run must not be farther apart than this many measured steps.
COARSEST = 1.5
MOST_SAMPLES = 10_000_000
# Jitter is limited to this share of a step; beyond it, a sample could overtake the next one.
FARTHEST_OFF = 0.45


def measured(
    run: Run,
    noise_q: object,
    noise_tau: object,
    quantisation: object,
    jitter: object,
    rate: object,
    seed: object,
) -> Log:
    """Return the log of the measurements; for the arguments, see `Run.measured`."""
    n = run.arm.n
    sigma_q = checked_per_joint(noise_q, "noise_q", n, least=0.0)
    sigma_tau = checked_per_joint(noise_tau, "noise_tau", n, least=0.0)
    resolution = checked_per_joint(quantisation, "quantisation", n, least=0.0)
    share = checked_number(jitter, "jitter", least=0.0, below=LARGEST_JITTER)
    rng = np.random.default_rng(checked_seed(seed))
    t = run.t
    if rate is not None:
        t = _times(run, checked_positive(rate, "rate", what="samples a second"))
    q, tau = run.q, run.tau
    if share > 0.0:
        steps = np.diff(t, append=2 * t[-1] - t[-2]) if len(t) > 1 else np.zeros(1)
        off = np.clip(rng.normal(0.0, share, len(t)), -FARTHEST_OFF, FARTHEST_OFF)
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
        raise InputError("the run has a single sample, which has no rate.", argument="rate")
    widest = float(np.diff(run.t).max())
    if widest > COARSEST / rate:
        raise InputError(
            f"`rate` is {rate:g} a second, but samples of the run are up to {widest:.3g} s apart: "
            f"simulate with samples={round(rate * run.t[-1]) + 1} or more.",
            argument="rate",
        )
    count = (run.t[-1] - run.t[0]) * rate
    if count > MOST_SAMPLES:
        raise InputError(
            f"`rate` is {rate:g} a second: that makes {count:.3g} samples, too many.",
            argument="rate",
        )
    return run.t[0] + np.arange(int(count * (1 + SAME_TIME)) + 1) / rate
