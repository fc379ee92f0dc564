"""A simulation reports its progress: one signature, about once a percent."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn.simulation.integrators import integrator_names

ARM = armdyn.load("planar2")


@pytest.mark.parametrize("name", integrator_names())
@pytest.mark.parametrize("q0", [[0.3, 0.2], np.full((3, 2), 0.3)], ids=["one", "batch"])
def test_every_integrator_reports(name: str, q0: object) -> None:
    told: list[tuple[float, float, str]] = []

    def progress(done: float, total: float, what: str) -> None:
        told.append((done, total, what))

    options = dict(until=1.0, integrator=name, step=1e-3, samples=5)
    run = armdyn.simulate(ARM, q0, progress=progress, **options)
    done = [row[0] for row in told]
    assert done == sorted(set(done))
    assert told[-1][0] == told[-1][1]
    assert {row[2] for row in told} == {"simulating"}
    assert 3 <= len(told) <= 300
    same = armdyn.simulate(ARM, q0, **options)
    np.testing.assert_array_equal(run.q, same.q)


def test_progress_that_is_no_function_is_refused() -> None:
    with pytest.raises(armdyn.InputError, match="`progress` is 3") as caught:
        armdyn.simulate(ARM, progress=3)  # type: ignore[arg-type]
    assert caught.value.argument == "progress"
