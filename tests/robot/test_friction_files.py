"""Every term of friction in files, and values that a joint refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Joint
from support.friction import FIELDS, constants, with_all_terms
from support.robots import random_robot, random_state, relative_error
from support.says import Said, facts


@pytest.mark.parametrize("suffix", ["toml", "urdf"])
def test_files_keep_every_term(tmp_path: Path, suffix: str) -> None:
    arm = Arm(with_all_terms(random_robot("rotational", 4, 0)))
    armdyn.save(arm, tmp_path / f"arm.{suffix}")
    again = armdyn.load(tmp_path / f"arm.{suffix}")
    for name in FIELDS:
        assert np.array_equal(constants(again.robot)[name], constants(arm.robot)[name])
    x = random_state(arm.robot)
    got = again.inverse_dynamics(x["q"], x["qd"], x["qdd"])
    assert relative_error(got, arm.inverse_dynamics(x["q"], x["qd"], x["qdd"])) < 1e-12


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"load_friction": 1.0}, ("`load_friction`", "1")),
        ({"load_friction": -0.1}, ("`load_friction`", "-0.1")),
        ({"stribeck": 1.0}, ("`stribeck_velocity`", "`stribeck`")),
        ({"stribeck_velocity": -1.0}, "`stribeck_velocity` is -1"),
        (
            {"stribeck": -1.0, "stribeck_velocity": 0.1, "coulomb": 0.5},
            ("`stribeck`", "-1", "`coulomb`", "0.5"),
        ),
        ({"root_friction": float("nan")}, "`root_friction`"),
    ],
)
def test_impossible_friction_is_refused(given: dict[str, float], words: Said) -> None:
    with pytest.raises(armdyn.RobotError, match=facts(words)):
        Joint(**given)  # type: ignore[arg-type]


def test_a_soft_start_is_allowed() -> None:
    joint = Joint(stribeck=-0.5, stribeck_velocity=0.1, coulomb=0.5, root_friction=-0.1)
    assert joint.stribeck == -0.5
