"""Work on real worker processes: the bits of one process, also after a worker is lost."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.identification.fit import rows as _rows
from armdyn.identification.signals import prepared as _prepared
from armdyn.simulation import blocks as _blocks
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
    monkeypatch.setattr(_rows, "GROUP_BLOCKS", 1)  # several groups of a short log
    log = recorded(ARM, duration=80.0, rate=300.0)
    quick = {"physical": False, "rotor": False, "tilt": False, "delay": 0.0, "cutoff": 10.0}
    local = armdyn.identify(ARM, log, **quick)
    before, killed = set(client.run(os.getpid).values()), list[int]()

    def progress(done: int, total: int, what: str) -> None:
        if what == "regressor" and 0 < done < total and not killed:
            killed.append(lose_a_worker(client))

    again = armdyn.identify(ARM, log, **quick, client=client, progress=progress)
    assert killed and killed[0] in before
    assert same(again, local)


def test_a_monte_carlo_study_has_the_same_bits_also_after_losing_a_worker(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_blocks, "ARMS", 8)
    study: dict[str, Any] = {
        "q0": lambda rng, count: rng.normal(0.0, 0.3, (count, 2)),
        "parameters": lambda rng, count: ARM.parameters * rng.uniform(0.9, 1.1, (count, 20)),
        "arms": 30, "seed": 3, "until": 0.2, "integrator": "rk4", "step": 0.01, "samples": 3,
    }  # fmt: skip
    local = armdyn.simulate(ARM, **study)
    # draws depend on the seed and on the number of the block
    last = np.random.default_rng([3, 3]).normal(0.0, 0.3, (6, 2))
    assert np.array_equal(local.q[0, 24:], last)
    killed: list[int] = []

    def progress(done: int, total: int, what: str) -> None:
        if 0 < done < total and not killed:
            killed.append(lose_a_worker(client))

    assert same_run(armdyn.simulate(ARM, **study, client=client, progress=progress), local)
    assert killed


def same_run(one: armdyn.Run, other: armdyn.Run) -> bool:
    names = ("t", "q", "qd", "qdd", "tau", "energy")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names) and (
        (one.events, one.notes, one.evaluations, one.complete)
        == (other.events, other.notes, other.evaluations, other.complete)
    )


def test_batches_with_torques_limits_and_friction_are_put_together(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_blocks, "ARMS", 5)
    rng = np.random.default_rng(1)
    joints = [
        replace(joint, lower=-0.6, upper=0.6, coulomb=0.2, viscous=0.1)
        for joint in ARM.robot.joints
    ]
    arm = armdyn.Arm(armdyn.Robot(joints, name="stiff"))
    q0 = rng.uniform(-0.5, 0.5, (12, 2))
    common = {"q0": q0, "until": 0.3, "integrator": "rk4", "step": 0.01}
    for options in (
        {"torque": rng.normal(0.0, 5.0, (12, 2)), "limits": "stop"},
        {"torque": armdyn.PD(50.0, 5.0, rng.uniform(-0.3, 0.3, (12, 2)))},
        {"limits": "spring", "wrench": [1.0, 2.0, 0.0, 0.0, 0.0, 0.5]},
        {"integrator": "rk45", "step": 1e-3},
    ):
        given: dict[str, Any] = {**common, **options}
        assert same_run(armdyn.simulate(arm, **given, client=client), armdyn.simulate(arm, **given))


def test_an_error_in_a_block_says_which_arms(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blocks, "ARMS", 5)
    q0 = lambda rng, count: np.full((count, 2), np.nan if count == 2 else 0.1)  # noqa: E731
    with pytest.raises(armdyn.InputError) as caught:
        armdyn.simulate(ARM, q0, arms=7, until=0.1, integrator="rk4", client=client)
    assert str(caught.value).startswith("arms 5 to 6, where arm 0 is the first of them: `q0` has")


def test_restarts_of_a_search_give_the_same_motion(client: Any) -> None:
    options: dict[str, Any] = {
        "duration": 4.0, "harmonics": 2, "position": (-1, 1), "velocity": 2, "acceleration": 8,
        "torque": 50, "evaluations": 200, "seed": 5,
    }  # fmt: skip
    one = armdyn.excite(ARM, **options)
    best = armdyn.excite(ARM, **options, restarts=3)
    there = armdyn.excite(ARM, **options, restarts=3, client=client)
    assert best.log_det >= one.log_det
    assert np.array_equal(best.trajectory.sines, there.trajectory.sines)
    assert best.log_det == there.log_det


def _refuse(*_: object, **__: object) -> None:
    raise AssertionError("a log was filtered by the client")


def test_files_are_read_and_filtered_on_workers(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in range(2):
        recorded(ARM, duration=12.0, rate=100.0, seed=k).save(tmp_path / f"run{k}.parquet")
    quick = {"physical": False, "rotor": False, "tilt": False, "delay": 0.0, "cutoff": 10.0}
    paths = sorted(tmp_path.iterdir())
    local = armdyn.identify(ARM, [armdyn.Log.read(path, joints=ARM) for path in paths], **quick)
    assert same(armdyn.identify(ARM, tmp_path, **quick), local)
    monkeypatch.setattr(_prepared, "prepare", _refuse)  # of the client; workers have their own
    assert same(armdyn.identify(ARM, f"{tmp_path}/*.parquet", **quick, client=client), local)
    monkeypatch.undo()
    with pytest.raises(armdyn.LogError) as caught:
        armdyn.identify(ARM, tmp_path / "none.csv", client=client)
    assert "none.csv: " in str(caught.value)
    assert "It was looked for on a worker: all of them need the same folders." in str(caught.value)
    for path, text in (
        (tmp_path / "*.csv", "is a pattern that no file matches."),
        (tmp_path.parent / "empty", "is a folder without logs. Logs are"),
    ):
        (tmp_path.parent / "empty").mkdir(exist_ok=True)
        with pytest.raises(armdyn.LogError) as caught:
            armdyn.identify(ARM, path)
        assert text in str(caught.value)


def test_logs_larger_than_memory_stay_in_files_that_workers_read(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armdyn.log.many.LARGE", 1000)
    monkeypatch.setattr(_rows, "GROUP_BLOCKS", 1)
    for k in range(3):
        recorded(ARM, duration=40.0, rate=300.0, seed=k).save(tmp_path / f"run{k}.npz")
    quick = {"physical": False, "rotor": False, "tilt": False, "delay": 0.0, "cutoff": 10.0}
    local = armdyn.identify(ARM, tmp_path, **quick)
    before = set(Path(tempfile.gettempdir()).glob(".armdyn-*"))
    killed: list[int] = []

    def progress(done: int, total: int, what: str) -> None:
        if what == "regressor" and 0 < done < total and not killed:
            killed.append(lose_a_worker(client))

    monkeypatch.setattr(_prepared, "prepare", _refuse)  # of the client; workers have their own
    monkeypatch.setattr(_rows, "_sent", None)  # no samples are sent
    again = armdyn.identify(ARM, tmp_path, **quick, client=client, progress=progress)
    assert killed and same(again, local)
    assert not again.signals
    assert set(Path(tempfile.gettempdir()).glob(".armdyn-*")) <= before
