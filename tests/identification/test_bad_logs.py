"""Logs that no model can come from: a clear error or verdict, and nothing half-written."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Arm, InputError, Log, Result, identify
from armdyn.cli.app import main
from support.identification import motion, recorded, small_arm


def run(monkeypatch, capsys, *words: object) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", "identify", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), " ".join(out.split()), " ".join(err.split())


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    armdyn.save(small_arm(), path)
    return path


def at_rest() -> Log:
    """Ten seconds of an arm that holds still."""
    rng = np.random.default_rng(0)
    t = np.arange(2000) / 200.0
    q = np.tile([0.3, -0.5, 0.4], (2000, 1)) + 1e-5 * rng.normal(size=(2000, 3))
    tau = small_arm().gravity(np.array([0.3, -0.5, 0.4])) + 0.05 * rng.normal(size=(2000, 3))
    return Log(t=t, q=q, tau=tau, joint_names=small_arm().joint_names)


def one_joint_still() -> Log:
    t = np.arange(4000) / 200.0
    q, qd, qdd = motion(3, t, seed=0)
    q[:, 2], qd[:, 2], qdd[:, 2] = 0.3, 0.0, 0.0
    tau = small_arm().inverse_dynamics(q, qd, qdd)
    tau += 0.05 * np.random.default_rng(0).normal(size=tau.shape)
    return Log(t=t, q=q, tau=tau, joint_names=small_arm().joint_names)


def no_torques() -> Log:
    log = recorded(small_arm())
    return replace(log, tau=np.zeros_like(log.q))


def saturated() -> Log:
    log = recorded(small_arm())
    assert log.tau is not None
    most = 0.5 * np.abs(log.tau).max(axis=0)
    return replace(log, tau=np.clip(log.tau, -most, most))


def written(log: Log, path: Path, change: Callable[[np.ndarray], np.ndarray] | None = None) -> Path:
    """The log as text; `change` gets all rows."""
    assert log.tau is not None
    rows = np.column_stack([log.t, log.q, log.tau])
    rows = rows if change is None else change(rows)
    names = ["t", *(f"{w}_{j}" for w in ("q", "tau") for j in log.joint_names)]
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    return path


def told(result: Result) -> str:
    return " ".join((result.verdict_text, *result.reasons, *result.reservations))


@pytest.mark.parametrize(
    ("make", "words"),
    [(at_rest, "never moves"), (one_joint_still, "joint3 never"), (saturated, "is cut off")],
    ids=["rest", "still joint", "saturated"],
)
def test_a_verdict_or_an_error_says_what_is_wrong(
    monkeypatch, capsys, robot, tmp_path, make: Callable[[], Log], words: str
) -> None:
    try:
        result = identify(small_arm(), make())
    except InputError as error:
        assert words in str(error)
    else:
        assert not result.passed, told(result)
        assert words in told(result)
    out = tmp_path / "out"
    status, said, err = run(
        monkeypatch,
        capsys,
        robot,
        written(make(), tmp_path / "log.csv"),
        "-o",
        out,
        "--require-passed",
    )
    assert status in (1, 2) and words in f"{said} {err}"
    if status == 2:
        assert not out.exists()
    else:
        assert json.loads((out / "result.json").read_text())["passed"] is False


def test_torques_that_are_all_zero_are_refused(monkeypatch, capsys, robot, tmp_path) -> None:
    with pytest.raises(InputError, match="are zero; they were not measured"):
        identify(small_arm(), no_torques())
    out = tmp_path / "out"
    status, _, err = run(
        monkeypatch, capsys, robot, written(no_torques(), tmp_path / "log.csv"), "-o", out
    )
    assert status == 2 and "are zero; they were not measured" in err and not out.exists()


def test_runs_without_numbers_are_refused(monkeypatch, capsys, robot, tmp_path) -> None:
    def holes(rows: np.ndarray) -> np.ndarray:
        rows = rows.copy()
        rows[500:800, 2] = np.nan
        return rows

    path = written(recorded(small_arm()), tmp_path / "log.csv", holes)
    out = tmp_path / "out"
    status, _, err = run(monkeypatch, capsys, robot, path, "-o", out)
    assert status == 2 and "--drop-missing" in err and not out.exists()
    log = recorded(small_arm())
    q = log.q.copy()
    q[500:800, 1] = np.nan
    with pytest.raises(armdyn.ArmdynError, match="finite"):
        replace(log, q=q)
    status, _, err = run(monkeypatch, capsys, robot, path, "-o", out, "--drop-missing")
    assert status in (0, 1) and "300 rows with missing numbers are left out" in err


def test_time_that_goes_backwards_is_refused(monkeypatch, capsys, robot, tmp_path) -> None:
    def swapped(rows: np.ndarray) -> np.ndarray:
        rows = rows.copy()
        rows[1000:1100, 0] -= 2.0
        return rows

    path = written(recorded(small_arm()), tmp_path / "log.csv", swapped)
    out = tmp_path / "out"
    status, _, err = run(monkeypatch, capsys, robot, path, "-o", out)
    assert status == 2 and "--sort" in err and not out.exists()


def another_arm() -> Arm:
    """An arm of as many joints, much heavier, whose axes lie otherwise."""
    joints = [
        replace(j, mass=4 * j.mass, b=0.5, beta=0.5 * k, viscous=3.0, coulomb=5.0)
        for k, j in enumerate(small_arm().robot.joints)
    ]
    return Arm(replace(small_arm().robot, joints=joints, name="other"))


def test_a_second_log_of_another_arm_is_told(monkeypatch, capsys, robot, tmp_path) -> None:
    result = identify(small_arm(), [recorded(small_arm()), recorded(another_arm(), seed=2)])
    assert result.verdict == "not passed", told(result)
    # another number of joints is an error before any work
    first = written(recorded(small_arm()), tmp_path / "log.csv")
    recorded(armdyn.load("planar2")).save(tmp_path / "two.csv")
    out = tmp_path / "out"
    status, _, err = run(monkeypatch, capsys, robot, first, tmp_path / "two.csv", "-o", out)
    assert status == 2 and "two.csv" in err and not out.exists()


@pytest.mark.parametrize("flip", ["9", "0", "elbow", "1,9", "1.5", ""])
def test_joints_that_are_not_there_cannot_be_flipped(
    monkeypatch, capsys, robot, tmp_path, flip: str
) -> None:
    out = tmp_path / "out"
    path = written(recorded(small_arm()), tmp_path / "log.csv")
    status, _, err = run(monkeypatch, capsys, robot, path, "-o", out, "--flip", flip)
    assert status == 2 and "--flip" in err and "from 1 to 3" in err and not out.exists()
    with pytest.raises(InputError, match="`flip` has 9"):
        identify(small_arm(), recorded(small_arm()), flip=[9])


def test_flipped_joints_are_mended(monkeypatch, capsys, robot, tmp_path) -> None:
    log = recorded(small_arm())
    assert log.tau is not None
    path = written(replace(log, tau=log.tau * [1.0, -1.0, 1.0]), tmp_path / "log.csv")
    out = tmp_path / "out"
    status, said, err = run(
        monkeypatch, capsys, robot, path, "-o", out, "--flip", "joint2", "--json"
    )
    assert status == 0, err
    assert json.loads(said)["passed"] is True


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder nobody can write to")
def test_a_folder_that_nobody_can_write_to_is_refused(monkeypatch, capsys, robot, tmp_path) -> None:
    path = written(recorded(small_arm()), tmp_path / "log.csv")
    status, said, err = run(monkeypatch, capsys, robot, path, "-o", "/proc/armdyn/out")
    assert (status, said) == (2, "") and "/proc/armdyn" in err


@pytest.mark.parametrize("verb", ["identify", "payload"])
def test_a_file_in_place_of_the_folder_is_refused(
    monkeypatch, capsys, robot, tmp_path, verb: str
) -> None:
    (tmp_path / "file").write_text("mine")
    path = written(recorded(small_arm()), tmp_path / "log.csv")
    monkeypatch.setattr(
        sys, "argv", ["armdyn", verb, str(robot), str(path), "-o", str(tmp_path / "file")]
    )
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2 and "not a folder" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "mine"
