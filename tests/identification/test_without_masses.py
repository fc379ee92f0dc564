"""Descriptions without masses: loaded with a warning, and identified from a log."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Log, RobotFileError, RobotWarning
from armdyn.cli.app import main
from armdyn.identification.identify import identify
from support.identification import motion

NOTHING = (
    '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
    "</inertial>"
)


def without_masses(name: str, path: Path, inertial: str = "", count: int = 0) -> Path:
    """Write the URDF of a bundled arm with other inertials: all of them, or the first `count`."""
    armdyn.save(armdyn.load(name), path)
    block = re.compile(r"<inertial>.*?</inertial>", re.DOTALL)
    path.write_text(block.sub(inertial, path.read_text(), count))
    return path


def with_friction(name: str) -> Arm:
    arm = armdyn.load(name)
    joints = [replace(j, viscous=0.5, coulomb=0.8) for j in arm.robot.joints]
    return Arm(arm.robot.with_joints(joints))


def log_of(arm: Arm, duration: float = 20.0) -> Log:
    rng = np.random.default_rng(3)
    t = np.arange(0.0, duration, 0.005)
    q, qd, qdd = motion(arm.n, t, seed=1)
    tau = arm.inverse_dynamics(q, qd, qdd)
    tau += 0.005 * np.sqrt(np.mean(tau**2, axis=0)) * rng.normal(size=tau.shape)
    return Log(t, q + 1e-5 * rng.normal(size=q.shape), tau=tau, joint_names=arm.joint_names)


@pytest.mark.parametrize("inertial", ["", NOTHING])
@pytest.mark.parametrize("name", ["planar2", "puma560"])
def test_a_urdf_without_masses_is_identified(name: str, inertial: str, tmp_path: Path) -> None:
    truth = with_friction(name)
    with pytest.warns(RobotWarning, match="no link has a mass"):
        arm = armdyn.load(without_masses(name, tmp_path / "bare.urdf", inertial))
    assert not arm.gravity(np.ones(arm.n)).any()
    result = identify(arm, log_of(truth))
    assert result.usable
    q, qd, qdd = motion(truth.n, np.arange(0.0, 20.0, 0.05), seed=9)
    tau = truth.inverse_dynamics(q, qd, qdd)
    off = result.arm.inverse_dynamics(q, qd, qdd) - tau
    assert (np.sqrt(np.mean(off**2, axis=0)) < 0.03 * np.sqrt(np.mean(tau**2, axis=0))).all()


def test_a_link_without_mass_among_others_is_refused(tmp_path: Path) -> None:
    path = without_masses("puma560", tmp_path / "odd.urdf", count=1)
    with pytest.raises(RobotFileError, match="no <inertial>"):
        armdyn.load(path)


def test_the_command_line_says_that_there_are_no_masses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = without_masses("planar2", tmp_path / "bare.urdf")
    log_of(with_friction("planar2")).save(tmp_path / "run.csv")

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["armdyn", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    status, out, _ = run("info", path, "--json")
    assert status == 0
    described = json.loads(out)
    assert described["total_mass"] == 0.0 and len(described["warnings"]) == 1
    status, _, err = run("identify", path, tmp_path / "run.csv", "-o", tmp_path / "out")
    assert status == 0 and "no link has a mass" in err
    assert armdyn.load(tmp_path / "out" / "identified.urdf").mass_matrix(np.zeros(2)).all()
