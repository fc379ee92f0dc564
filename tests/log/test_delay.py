"""Torques that lag behind positions, shifted back."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn import Log
from armdyn.log.signals import prepare


@pytest.mark.parametrize("delay", [0.0035, -0.002])
@pytest.mark.parametrize("jitter", [0.0, 2e-4])
def test_late_torques_are_shifted_back(delay: float, jitter: float) -> None:
    rng = np.random.default_rng(0)
    t = np.arange(4000) / 500.0 + jitter * rng.uniform(-1, 1, 4000)
    q = np.sin(np.outer(t, [2.0, 3.0]))
    tau = np.cos(np.outer(t - delay, [5.0, 9.0]))
    ready = prepare(Log(t=t, q=q, tau=tau), cutoff=20.0, delay=delay)
    assert ready.tau is not None
    np.testing.assert_allclose(ready.tau, np.cos(np.outer(ready.t, [5.0, 9.0])), atol=1e-6)
    assert len(ready) == len(prepare(Log(t=t, q=q, tau=tau), cutoff=20.0))
