"""Poses from both sides: within limits, slow, clear of obstacles, and better than random ones."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import armdyn
from armdyn.cli.app import main
from armdyn.excitation.limits import limits_of
from armdyn.excitation.surroundings import surroundings_of
from armdyn.servo.poses import CHECK_RATE, HOLD
from armdyn.servo.prior import random_poses
from armdyn.servo.static import ASIDE, SPEED, _predicted, _prior_model


@pytest.fixture(scope="module")
def motion():
    return armdyn.excite_static(armdyn.load("so101"))


def test_poses_are_reached_slowly_from_both_sides_and_held(motion) -> None:
    t, q = motion.sample(500.0)
    joints = motion.arm.robot.joints
    assert (q > [joint.lower for joint in joints]).all()
    assert (q < [joint.upper for joint in joints]).all()
    speed = np.abs(np.diff(q, axis=0)).max() * 500.0
    assert speed <= SPEED * (1.0 + 1e-6)
    for pose in motion.poses:
        here = np.abs(q - pose).max(axis=1) < 1e-9
        edges = np.diff(here.astype(int), prepend=0, append=0)
        starts, ends = np.flatnonzero(edges > 0), np.flatnonzero(edges < 0)
        held = [(a, b) for a, b in zip(starts, ends, strict=True) if t[b - 1] - t[a] > HOLD - 0.01]
        assert len(held) >= 2
        before = [np.sign(q[a] - q[a - 20]) for a, _ in held[:2]]
        assert np.allclose(before[0], -before[1]) and before[0].all()
    assert 60.0 < motion.duration < 300.0 and len(motion.poses) == 24


def test_chosen_poses_tell_more_than_random_ones(motion) -> None:
    arm = motion.arm
    model, loaded = _prior_model(arm)
    random = [_predicted(arm, model, loaded, random_poses(arm, 24, k, 0.85)) for k in range(5)]
    assert np.allclose(motion.deviation, _predicted(arm, model, loaded, motion.poses),
                       equal_nan=True)  # fmt: skip
    assert (motion.deviation[loaded] < 0.95 * np.mean(random, axis=0)[loaded]).all()
    few = armdyn.excite_static(arm, 4)
    assert (few.deviation[loaded] > motion.deviation[loaded]).all()


def test_links_stay_clear_all_the_way() -> None:
    arm = armdyn.load("so101")
    start = np.zeros(6)
    made = armdyn.excite_static(arm, 12, floor=0.0, self_collision=True, start=start, seed=3)
    assert any("clearance=0.03" in note for note in made.notes)
    limits = limits_of(arm, None, None, None, None)
    space = surroundings_of(arm, limits, 0.0, None, True, None, 0.0).space
    _, q = made.sample(CHECK_RATE)
    assert made.clearance >= 0.0
    assert np.isclose(space.clearances(q).min(), made.clearance)
    assert np.allclose(q[0], start) and np.allclose(q[-1], start)
    free = armdyn.excite_static(arm, 24)
    assert free.clearance < 0.0 and any("touch itself" in note for note in free.notes)


def test_files_have_the_goals_and_the_actions(motion, tmp_path) -> None:
    motion.save(tmp_path / "poses.csv", rate=30.0)
    log = armdyn.Log.read(tmp_path / "poses.csv")
    assert np.allclose(log.q, motion.sample(30.0)[1], atol=1e-9)
    for units, factor in (("deg", 180.0 / np.pi), ("rad", 1.0)):
        motion.save(tmp_path / "poses.json", units=units)
        actions = json.loads((tmp_path / "poses.json").read_text())["actions"]
        assert len(actions) == len(log)
        lift = [action["shoulder_lift.pos"] for action in actions]
        assert np.allclose(lift, factor * log.q[:, 1], atol=1e-9)
    shares = np.array([list(action.values()) for action in motion.actions(units="m100_100")])
    assert (np.abs(shares) < 100.0).all() and np.abs(shares).max() > 70.0
    joint = armdyn.load("so101").robot.joints[5]
    opening = 100.0 * (motion.sample(30.0)[1][:, 5] - joint.lower) / (joint.upper - joint.lower)
    assert np.allclose(shares[:, 5], opening)


def test_wrong_arguments_are_refused(motion) -> None:
    arm = armdyn.load("so101")
    with pytest.raises(armdyn.InputError, match="`start` has shoulder_lift at 3"):
        armdyn.excite_static(arm, 2, start=[0.0, 3.0, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(armdyn.InputError, match="`start` is a posture in contact"):
        armdyn.excite_static(arm, 2, start=[0.0, 1.7, 0.5, 0.0, 0.0, 0.0], floor=0.0)
    with pytest.raises(armdyn.ArmdynError, match="units"):
        motion.actions(units="counts")
    assert ASIDE < 0.11


def test_the_command_writes_goals_and_actions(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["excite", "so101", "--static", "--poses", "3", "-o", "poses.csv",
             "--actions", "poses.json", "--units", "m100_100"]  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["armdyn", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert json.loads((tmp_path / "poses.json").read_text())["units"] == "m100_100"
    assert "next: armdyn identify so101 LOG --signal command" in capsys.readouterr().out
    for wrong, named in (
        (["excite", "so101", "--static", "--harmonics", "3"], "--harmonics"),
        (["excite", "so101", "--poses", "3"], "--static"),
        (["excite", "so101", "--static", "--plot", "a.svg"], "--plot"),
        (["excite", "so101", "--static", "--actions", "a.csv"], "--actions"),
    ):
        monkeypatch.setattr(sys, "argv", ["armdyn", *wrong])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2 and named in capsys.readouterr().err
