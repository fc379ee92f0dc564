"""Work on real worker processes: the bits of one process, also after a worker is lost."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.identification.fit import _groups
from support.cluster import lose_a_worker, two_workers
from support.identification import recorded

ARM = armdyn.load("planar2")

# What a foreign library does at the end of its processes is no fault of ours.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def client() -> Generator[Any]:
    with two_workers() as made:
        yield made


def same(one: armdyn.Result, other: armdyn.Result) -> bool:
    names = ("values", "std", "covariance", "parameters", "sigma", "torque_error", "correlation")
    return (
        all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
        and one.notes == other.notes
        and repr(one.findings) == repr(other.findings)
        and one.verdict == other.verdict
    )


def test_identification_has_the_same_bits_also_after_losing_a_worker(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_groups, "GROUP", 1)  # several groups of a short log
    log = recorded(ARM, duration=80.0, rate=300.0)
    quick = {"physical": False, "rotor": False, "tilt": False, "delay": 0.0, "cutoff": 10.0}
    local = armdyn.identify(ARM, log, **quick)
    assert same(armdyn.identify(ARM, log, **quick, client=client), local)
    before, killed = set(client.run(os.getpid).values()), list[int]()

    def progress(done: int, total: int, what: str) -> None:
        if what == "regressor" and 0 < done < total and not killed:
            killed.append(lose_a_worker(client))

    again = armdyn.identify(ARM, log, **quick, client=client, progress=progress)
    assert killed and killed[0] in before
    assert same(again, local)
