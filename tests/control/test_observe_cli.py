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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs, the arm, and the arm as a description without friction and with wrong masses."""
    where, arm = tmp_path_factory.mktemp("observe"), small_arm()
    armdyn.save(arm, where / "arm.toml")
    bare = [replace(j, mass=1.5 * j.mass, viscous=0, coulomb=0, offset=0) for j in arm.robot.joints]
    armdyn.save(Arm(replace(arm.robot, joints=bare)), where / "poor.toml")
    pushed(recorded(arm, seed=3)).save(where / "pushed.csv")
    recorded(arm, seed=4).save(where / "calm.csv")
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

    monkeypatch.setattr("armdyn.control.model_choice.identify", refused)
    arm = small_arm()
    poor = Arm(replace(arm.robot, joints=[replace(j, mass=2 * j.mass) for j in arm.robot.joints]))
    log = recorded(arm, duration=3.0)
    choice = model_for(poor, log)
    assert choice.model is poor and "does not identify it: the logs give" in choice.note
    with pytest.raises(armdyn.InputError, match="too few rows"):
        model_for(poor, log, identified=True)
