"""Torque per ampere of the drives, from currents with a known load and without."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from armdyn import (
    Arm,
    DriveGains,
    InputError,
    Load,
    Log,
    NumericalError,
    identify,
    identify_drive_gains,
)
from armdyn.identification.payload.payload import loaded
from support.identification import recorded, small_arm
from support.payloads import LOAD, arm_called


def gains_of(arm: Arm) -> np.ndarray:
    gains = np.linspace(3.0, 12.0, arm.n)
    gains[1] *= -1.0  # a drive may be mounted the other way round
    return gains


def currents(arm: Arm, gains: np.ndarray, seed: int, noise: float = 0.05) -> Log:
    log = recorded(arm, seed=seed, noise=noise)
    assert log.tau is not None
    return replace(log, tau=log.tau / gains, effort="current")


def found_with(
    arm: Arm, seed: int = 0, known: Arm | None = None, load: Load | float = LOAD
) -> DriveGains:
    gains = gains_of(arm)
    empty = currents(arm, gains, 2 * seed)
    held = currents(loaded(arm, LOAD), gains, 2 * seed + 1)
    return identify_drive_gains(known or arm, empty, held, load)


@pytest.mark.parametrize("name", ["small", "puma560", "panda"])
def test_gains_are_found_within_error_bars(name: str) -> None:
    arm = arm_called(name)
    found = found_with(arm)
    gains = gains_of(arm)
    assert (np.abs(found.gains - gains) < 4 * found.std).all()
    assert (found.std < 0.02 * np.abs(gains)).all()
    assert all(found.known) and found.passed
    assert any(f"{arm.joint_names[1]} is negative" in note for note in found.notes)


@pytest.mark.parametrize("name", ["small", "puma560", "panda"])
def test_the_mass_of_the_load_is_enough(name: str) -> None:
    arm = arm_called(name)
    found = found_with(arm, load=LOAD.mass)
    gains = gains_of(arm)
    assert (np.abs(found.gains - gains) < 4 * found.std).all()
    assert (found.std < 0.03 * np.abs(gains)).all()
    assert (np.abs(found.com - LOAD.com) < 4 * found.com_std + 1e-3).all()
    assert (found.com_std < 0.02).all()
    assert found.passed


@pytest.mark.parametrize("com", [(0.02, -0.01, 0.4), (0.3, 0.0, 0.1)])
def test_a_wrong_centre_of_mass_is_refused(com: tuple[float, float, float]) -> None:
    wrong = Load(mass=LOAD.mass, com=com, inertia=LOAD.inertia)
    with pytest.raises(InputError, match="the currents show it at") as caught:
        found_with(arm_called("puma560"), load=wrong)
    assert caught.value.argument == "load" and "0.100 +-" in str(caught.value)


def test_masses_of_the_arm_need_not_be_known() -> None:
    bare = small_arm(described=False)
    found = found_with(small_arm(), known=bare)
    same = found_with(small_arm())
    assert np.allclose(found.gains, same.gains, rtol=1e-6)


def test_error_bars_are_honest() -> None:
    arm = small_arm()
    scores = []
    for seed in range(12):
        found = found_with(arm, seed)
        scores.append((found.gains - gains_of(arm)) / found.std)
    assert 0.7 < np.sqrt(np.mean(np.square(scores))) < 1.4


def test_the_minimal_parameters_come_with_the_gains() -> None:
    arm = small_arm()
    found = found_with(arm)
    truth = arm.minimal_with(rotor=True).values
    big = np.abs(truth) > 0.1 * np.abs(truth).max()
    assert np.allclose(found.values[big], truth[big], rtol=0.02)


def test_currents_become_torques_that_identify_the_arm() -> None:
    arm = small_arm()
    log = currents(arm, gains_of(arm), 5)
    torques = found_with(arm).torques(log)
    assert torques.effort == "torque"
    assert identify(arm, torques).torque_error_total < 0.02
    with pytest.raises(InputError, match="no currents"):
        found_with(arm).torques(torques)


def test_gains_are_told_in_text_and_in_a_file(tmp_path: Path) -> None:
    found = found_with(small_arm())
    assert all(name in found.summary() for name in found.joint_names)
    found.save(tmp_path / "gains.json")
    plain = json.loads((tmp_path / "gains.json").read_text())
    assert plain == found.to_dict()
    assert [row["gain"] for row in plain["joints"]] == found.gains.tolist()


def with_light_load(mass: float) -> DriveGains:
    arm, light = small_arm(), Load(mass=mass)
    gains = gains_of(arm)
    held = currents(loaded(arm, light), gains, 1)
    return identify_drive_gains(arm, currents(arm, gains, 0), held, light)


def test_a_load_that_is_hardly_felt_is_told() -> None:
    found = with_light_load(7e-4)
    assert not all(found.known)
    assert any("hardly known" in reason for reason in found.reasons)
    with pytest.raises(NumericalError, match="heavier load"):
        with_light_load(1e-4)


@pytest.mark.parametrize("load", [None, "2 kg", 0.0, -1.0, Load(mass=0.0)])
def test_without_a_known_load_there_are_no_gains(load: object) -> None:
    arm = small_arm()
    log = currents(arm, gains_of(arm), 0)
    with pytest.raises(InputError, match="masses per gain only"):
        identify_drive_gains(arm, log, log, load)  # type: ignore[arg-type]


def test_wrong_logs_are_told() -> None:
    arm = small_arm()
    log = currents(arm, gains_of(arm), 0)
    with pytest.raises(InputError, match="of motor currents"):
        identify_drive_gains(arm, log, replace(log, effort="torque"), LOAD)
    with pytest.raises(InputError, match="`without`"):
        identify_drive_gains(arm, "log.csv", log, LOAD)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no torques"):
        identify_drive_gains(arm, replace(log, tau=None, current=None), log, LOAD)
    with pytest.raises(InputError, match="`arm`"):
        identify_drive_gains("arm", log, log, LOAD)  # type: ignore[arg-type]
