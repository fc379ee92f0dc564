"""Pictures of arms: drawn for every arm, whole or not at all, and of the right numbers."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.arm.pictures import STEPS, draw_arm, showing, sweep
from armdyn.arm.scene import home
from armdyn.cli.app import main
from armdyn.errors import FileError, MissingExtraError
from armdyn.simulation.figures import _sampled
from support.robots import CLASSICAL

HEADS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.mark.parametrize("robot", [*CLASSICAL, "panda"])
def test_every_bundled_arm_can_be_drawn(robot, tmp_path: Path) -> None:
    draw_arm(armdyn.load(robot), tmp_path / "arm.png")
    assert (tmp_path / "arm.png").read_bytes()[:4] == HEADS[".png"]


@pytest.mark.parametrize("suffix", HEADS)
def test_equal_pictures_are_equal_files(suffix, tmp_path: Path) -> None:
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix}"
    draw_arm(armdyn.load("planar2"), one)
    draw_arm(armdyn.load("planar2"), two)
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes().startswith(HEADS[suffix])


def test_a_single_joint_is_drawn_as_lines(tmp_path: Path) -> None:
    rod = armdyn.Joint(mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0, 0, 0.01, 0, 0.01))
    draw_arm(armdyn.Arm(armdyn.Robot([rod], gravity=(0, -9.81, 0))), tmp_path / "rod.png")
    assert (tmp_path / "rod.png").stat().st_size > 1000


def test_names_are_words_and_no_formulas(tmp_path: Path) -> None:
    robot = armdyn.load("planar2").robot
    joints = [replace(joint, name=f"_$\\frac${k}") for k, joint in enumerate(robot.joints)]
    arm = armdyn.Arm(armdyn.Robot(joints, name="$\\sum"))
    draw_arm(arm, tmp_path / "arm.svg")
    armdyn.simulate(arm, until=0.1).plot(tmp_path / "run.svg")
    armdyn.excite(arm, evaluations=100).plot(tmp_path / "excite.svg")
    for path in tmp_path.iterdir():
        shown = set(re.findall("<!-- (.*) -->", path.read_text()))
        assert any(r"_$\frac$1" in text for text in shown), path
        assert any(r"$\sum" in text for text in shown), path


def test_home_is_zero_or_where_a_joint_can_be() -> None:
    assert not home(armdyn.load("puma560")).any()
    stanford = armdyn.load("stanford")
    q = home(stanford)
    slide = stanford.robot.joints[2]
    assert slide.lower > 0 and q[2] == (slide.lower + slide.upper) / 2
    assert not np.delete(q, 2).any()


def test_shoulder_and_elbow_of_the_puma_are_swept_over_their_ranges() -> None:
    arm = armdyn.load("puma560")
    found = sweep(arm, home(arm))
    assert found.joints == (1, 2)
    joint = arm.robot.joints[1]
    assert (found.first[0], found.first[-1]) == (joint.lower, joint.upper)
    assert found.inertia.shape == (STEPS, STEPS, 6, 6)
    q = np.zeros(6)
    q[1], q[2] = found.first[7], found.second[40]
    np.testing.assert_allclose(found.gravity[40, 7], arm.gravity(q), atol=1e-12)


def test_a_map_shows_one_turn_at_most() -> None:
    arm = armdyn.load("ur5")
    assert arm.robot.joints[1].upper - arm.robot.joints[1].lower > 4 * np.pi - 1e-6
    found = sweep(arm, home(arm))
    assert found.first[-1] - found.first[0] == pytest.approx(2 * np.pi)


@pytest.mark.parametrize("robot", ["puma560", "panda", "stanford", "planar3"])
def test_an_arm_is_shown_within_its_limits_and_bent(robot: str) -> None:
    arm = armdyn.load(robot)
    q = showing(arm)
    assert all(j.lower <= x <= j.upper for x, j in zip(q, arm.robot.joints, strict=True))
    moves = np.linalg.svd(arm.jacobian(q)[:3], compute_uv=False)
    assert moves[1] > 0.1 * moves[0]  # not stretched out


def test_a_run_is_drawn_smoothly_with_its_energies_and_events(tmp_path: Path) -> None:
    arm = armdyn.load("puma560")
    run = armdyn.simulate(arm, [0.0, -0.8, 1.6, 0.3, 0.5, 0.2], until=1.0)
    assert len(run) < 100 and {event.what for event in run.events} == {"passes upper limit"}
    run.plot(tmp_path / "run.svg")
    text = (tmp_path / "run.svg").read_text(encoding="utf-8")
    shown = set(re.findall("<!-- (.*) -->", text))
    assert {"kinetic", "potential", "passes upper limit: joint2", "energy [J]"} <= shown
    t, _, energies = _sampled(run)
    assert len(t) >= 1000 and set(run.t) <= set(t)
    assert np.ptp(energies["sum"]) < 1e-3 * np.ptp(energies["kinetic"])


def test_what_cannot_be_drawn_is_refused_before_any_work(tmp_path: Path, monkeypatch) -> None:
    arm = armdyn.load("planar2")
    with pytest.raises(FileError, match=r"\.png, \.svg, \.pdf"):
        draw_arm(arm, tmp_path / "arm.jpg")
    with pytest.raises(FileError, match="make it first"):
        draw_arm(arm, tmp_path / "nowhere" / "arm.png")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match="plot"):
        draw_arm(arm, tmp_path / "arm.png")
    assert not list(tmp_path.iterdir())


def test_info_draws_what_it_describes(monkeypatch, capsys, tmp_path: Path) -> None:
    file = tmp_path / "arm.svg"
    monkeypatch.setattr(sys, "argv", ["armdyn", "info", "scara", "--plot", str(file)])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code
    assert file.exists() and f"written: {file}" in capsys.readouterr().out
