"""`armdyn observe`: contacts in a log, with a model as described or identified, and its files."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Log
from armdyn.cli.app import main
from armdyn.control.model_choice import model_for
from support.identification import recorded, small_arm

PUSH = 6.0


def pushed(log: Log) -> Log:
    tau = np.array(log.tau)
    tau[(log.t >= 9.0) & (log.t < 9.5), 1] -= PUSH
    return replace(log, tau=tau)


def standing(arm: Arm, moved: float = 0.0) -> Log:
    """A log of an arm that holds a pose, but for a slow motion in a share of its rows."""
    t = np.arange(0.0, 20.0, 0.005)
    far = 0.1 * np.clip(t - 2.0, 0.0, moved * 20.0)
    q = np.array([0.4, -0.7, 0.5]) + far[:, None]
    qd = np.gradient(q, t, axis=0)
    tau = arm.inverse_dynamics(q, qd, np.zeros_like(q))
    rng = np.random.default_rng(0)
    return Log(
        t=t, q=q + 1e-5 * rng.normal(size=q.shape), tau=tau + 0.05 * rng.normal(size=q.shape)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs, the arm, and the arm as a description without friction and with wrong masses."""
    where, arm = tmp_path_factory.mktemp("observe"), small_arm()
    armdyn.save(arm, where / "arm.toml")
    bare = [replace(j, mass=1.5 * j.mass, viscous=0, coulomb=0, offset=0) for j in arm.robot.joints]
    armdyn.save(Arm(replace(arm.robot, joints=bare)), where / "poor.toml")
    pushed(recorded(arm, seed=3)).save(where / "pushed.csv")
    recorded(arm, seed=4).save(where / "calm.csv")
    pushed(standing(arm)).save(where / "still.csv")
    log = recorded(arm, seed=5)
    rows = (log.t < 4.0) | (log.t > 4.5)
    Log(t=log.t[rows], q=log.q[rows], tau=np.asarray(log.tau)[rows]).save(where / "gap.csv")
    return where


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(folder)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["armdyn", "observe", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        return int(stop.value.code or 0), *capsys.readouterr()

    return call


@pytest.mark.parametrize(
    ("words", "model"),
    [
        (["arm.toml", "pushed.csv"], "misses"),
        (["poor.toml", "pushed.csv"], "identified from this log"),
        (["poor.toml", "pushed.csv", "--free", "calm.csv"], "the log without contacts"),
    ],
)
def test_a_push_is_found_with_good_and_with_poor_descriptions(run, words, model) -> None:
    status, out, _ = run(*words, "--json")
    told = json.loads(out)
    assert status == 0
    (contact,) = told["contacts"]
    assert contact["joint"] == "joint2" and contact["size"] == pytest.approx(PUSH, rel=0.2)
    assert 0.0 <= contact["start"] - 9.0 <= 0.03 and abs(contact["end"] - 9.5) < 0.1
    assert model in told["model"]


def test_a_log_without_contacts_has_none_and_a_poor_model_is_told(run) -> None:
    status, out, _ = run("arm.toml", "calm.csv")
    assert status == 0 and "Contacts: none" in out
    status, out, _ = run("poor.toml", "pushed.csv", "--no-identify")
    assert status == 0 and "small contacts cannot be found" in " ".join(out.split())


@pytest.mark.parametrize("words", [[], ["--identify"], ["--free", "still.csv"]])
def test_an_arm_is_not_identified_from_a_log_that_stands_still(run, words) -> None:
    status, out, err = run("poor.toml", "still.csv", *words)
    told = " ".join(err.split())
    assert status == 2 and not out
    assert "stands still" in told and "armdyn observe ROBOT LOG --free MOTION" in told
    status, out, _ = run("poor.toml", "still.csv", "--free", "calm.csv", "--json")
    (contact,) = json.loads(out)["contacts"]
    assert status == 0 and contact["joint"] == "joint2" and 0.0 <= contact["start"] - 9.0 <= 0.03
    status, out, _ = run("poor.toml", "still.csv", "--no-identify")
    assert status == 0 and "small contacts cannot be found" in " ".join(out.split())


def test_a_short_motion_in_a_log_is_too_little_to_identify_an_arm() -> None:
    arm = small_arm()
    poor = Arm(replace(arm.robot, joints=[replace(j, mass=2 * j.mass) for j in arm.robot.joints]))
    with pytest.raises(armdyn.InputError, match="stands still"):
        model_for(poor, standing(arm, moved=0.05))
    assert "stands still" not in model_for(poor, standing(arm, moved=0.3)).note
    assert model_for(arm, standing(arm)).model is arm  # nothing to identify


def test_files_are_written_and_inputs_are_kept(run, folder: Path) -> None:
    status, out, _ = run("arm.toml", "pushed.csv", "--plot", "seen.png", "-o", "seen.csv")
    assert status == 0 and "joint2" in out and "+6" in out
    assert (folder / "seen.png").stat().st_size > 10_000
    head, *rows = csv.reader((folder / "seen.csv").read_text().splitlines())
    assert head[:2] == ["t", "residual_joint1"] and head[-1] == "threshold_joint3"
    assert len(rows) > 3000 and len(rows[0]) == 7
    before = (folder / "pushed.csv").read_bytes()
    status, _, err = run("arm.toml", "pushed.csv", "-o", "pushed.csv")
    assert status == 2 and "would be replaced" in err
    assert (folder / "pushed.csv").read_bytes() == before


def test_gaps_are_refused_and_parts_can_be_chosen(run) -> None:
    status, _, err = run("arm.toml", "gap.csv")
    assert status == 2 and "1 gap in time" in err and "--span" in err
    status, out, _ = run("arm.toml", "gap.csv", "--span", "4.6:")
    assert status == 0 and "none" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--threshold", "1,2"], "--threshold"),
        (["--threshold", "much"], "--threshold"),
        (["--gain", "0"], "--gain"),
        (["--span", "3"], "--span"),
        (["--plot", "seen.jpg"], ".png"),
        (["--free", "nothing.csv"], "nothing.csv"),
    ],
)
def test_wrong_options(run, words, said) -> None:
    status, out, err = run("arm.toml", "pushed.csv", *words)
    assert status == 2 and not out
    assert said in err


def test_a_log_that_identifies_nothing_leaves_the_description(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise armdyn.InputError("the logs give too few rows.")

    monkeypatch.setattr("armdyn.control.model_choice.identify_by_torques", refused)
    arm = small_arm()
    poor = Arm(replace(arm.robot, joints=[replace(j, mass=2 * j.mass) for j in arm.robot.joints]))
    log = recorded(arm, duration=3.0)
    choice = model_for(poor, log)
    assert choice.model is poor and "does not identify it: the logs give" in choice.note
    with pytest.raises(armdyn.InputError, match="too few rows"):
        model_for(poor, log, identified=True)
