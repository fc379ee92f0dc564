"""The load that an arm holds, from the torques it adds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from armdyn import Arm, InputError, Load, Log, RobotError, identify_payload, load
from armdyn.identification.payload.payload import PAYLOAD_FILES, loaded
from support.identification import motion, small_arm
from support.payloads import LOAD, arm_called, pair


def off(arm: Arm, mass: float = 1.03, coulomb: float = 1.1) -> Arm:
    """The arm as it is known: not exactly."""
    joints = [replace(j, mass=mass * j.mass, coulomb=coulomb * j.coulomb) for j in arm.robot.joints]
    return Arm(replace(arm.robot, joints=joints))


def test_a_held_load_is_part_of_the_last_link() -> None:
    arm = arm_called("puma560")
    q, qd = np.random.default_rng(0).normal(size=(2, 6))
    turned = np.array([[0, -1, 0, 0.1], [0, 0, -1, 0.2], [1, 0, 0, 0.3], [0, 0, 0, 1.0]])
    arm = Arm(replace(arm.robot, tool=turned))
    heavy = loaded(arm, LOAD)
    assert heavy.parameters[50] == pytest.approx(arm.parameters[50] + 2.0)
    # by gravity: the work of lifting the centre of mass of the load
    lifted = []
    for h in (1e-6, -1e-6):
        at = arm.pose(q + h * np.eye(6)) @ np.array([*LOAD.com, 1.0])
        lifted.append(at[:, 2])
    work = 9.81 * LOAD.mass * (lifted[0] - lifted[1]) / 2e-6
    assert np.allclose(heavy.gravity(q) - arm.gravity(q), work, atol=1e-6)
    # by motion: twice the kinetic energy is the mass matrix' quadratic form
    more = heavy.kinetic_energy(q, qd) - arm.kinetic_energy(q, qd)
    v, omega = np.split(arm.jacobian(q) @ qd, 2)
    R = arm.pose(q)[:3, :3]
    xx, xy, xz, yy, yz, zz = LOAD.inertia
    I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    v = v + np.cross(omega, R @ np.array(LOAD.com))
    assert more == pytest.approx(0.5 * (LOAD.mass * v @ v + omega @ I @ omega), rel=1e-9)


@pytest.mark.parametrize("name", ["small", "puma560", "panda"])
def test_two_kilograms_are_found_within_error_bars(name: str) -> None:
    arm = arm_called(name)
    held, empty = pair(arm)
    found = identify_payload(off(arm), held, without=empty, gain_error=0.0)
    assert abs(found.load.mass - 2.0) < 4 * found.mass_std + 1e-4
    assert (np.abs(np.array(found.load.com) - LOAD.com) < 4 * found.com_std + 1e-4).all()
    z = (found.parameters - LOAD.parameters) / found.std
    assert np.sqrt(np.mean(z**2)) < 2.0
    assert found.mass_std < 0.01
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 50, arm.n))
    truth = loaded(arm, LOAD).inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd)
    added = found.arm.inverse_dynamics(q, qd, qdd) - off(arm).inverse_dynamics(q, qd, qdd)
    assert np.linalg.norm(added - truth) < 0.03 * np.linalg.norm(truth)


def test_a_known_arm_needs_no_log_without_load() -> None:
    arm = arm_called("puma560")
    found = identify_payload(off(arm, mass=1.0, coulomb=1.2), pair(arm)[0], gain_error=0.0)
    assert found.load.mass == pytest.approx(2.0, abs=3e-3)
    assert found.load.mass == pytest.approx(found.parameters[0], abs=found.mass_std)
    assert np.allclose(found.load.com, LOAD.com, atol=1e-3)
    assert any("friction was fitted again" in note for note in found.notes)


def test_error_bars_are_honest() -> None:
    arm = small_arm()
    scores = []
    for seed in range(12):
        held, empty = pair(arm, seed)
        found = identify_payload(arm, held, without=empty, gain_error=0.0)
        scores.append((found.parameters - LOAD.parameters) / found.std)
    assert 0.7 < np.sqrt(np.mean(np.square(scores))) < 1.4


def test_bad_data_give_a_physically_consistent_load() -> None:
    arm = small_arm()
    held, empty = (log.part(0, 500) for log in pair(arm, noise=4.0))
    found = identify_payload(arm, held, without=empty)
    assert found.load.mass > 0.0  # `Load` refuses inconsistent ones
    assert found.std[9] > 0.01


def test_what_an_arm_cannot_show_is_told() -> None:
    arm = arm_called("planar2")
    held, empty = pair(arm)
    found = identify_payload(arm, held, without=empty)
    seen = [name for name, can in found.identifiable.items() if can]
    assert seen == ["m", "mx", "my", "Izz"]
    assert any("do not show mz, Ixx" in note for note in found.notes)
    assert found.load.mass == pytest.approx(2.0, abs=0.01)
    assert all(identify_payload(small_arm(), pair(small_arm())[0]).identifiable.values())


def test_the_log_without_load_may_be_sampled_otherwise() -> None:
    arm = small_arm()
    held = pair(arm)[0]
    t = 5.0 + np.arange(5000) / 250.0
    q, qd, qdd = motion(3, t - 5.0, 3)
    empty = Log(t=t, q=q, tau=arm.inverse_dynamics(q, qd, qdd), joint_names=arm.joint_names)
    assert identify_payload(arm, held, without=empty).load.mass == pytest.approx(2.0, abs=0.01)


def test_another_motion_cannot_be_subtracted() -> None:
    arm = small_arm()
    with pytest.raises(InputError, match="not of one motion"):
        identify_payload(arm, pair(arm, 3)[0], without=pair(arm, 4)[1])


def test_a_load_is_told_in_text_and_in_files(tmp_path: Path) -> None:
    arm = small_arm()
    found = identify_payload(arm, pair(arm)[0])
    assert found.passed and found.verdict in found.summary()
    paths = found.save(tmp_path / "found")
    assert sorted(path.name for path in paths) == sorted(PAYLOAD_FILES)
    plain = json.loads((tmp_path / "found" / "payload.json").read_text())
    assert plain == found.to_dict() and plain["mass"] == found.load.mass
    assert load(tmp_path / "found" / "loaded.toml").n == arm.n


def test_wrong_arguments_are_told() -> None:
    arm = small_arm()
    held, empty = pair(arm)
    with pytest.raises(InputError, match="`arm`"):
        identify_payload("arm", held)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="give one of each"):
        identify_payload(arm, [held, held], without=empty)
    with pytest.raises(InputError, match="have the same torques"):
        identify_payload(arm, held, without=held)
    with pytest.raises(InputError, match="`friction`"):
        identify_payload(arm, held, friction="yes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="joints"):
        identify_payload(arm_called("puma560"), held)


def test_inconsistent_loads_are_refused() -> None:
    with pytest.raises(InputError, match="triangle"):
        Load(mass=1.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.5))
    with pytest.raises(RobotError, match="negative"):
        Load(mass=-1.0)
    again = Load.of_parameters(LOAD.parameters)
    assert np.allclose(again.com, LOAD.com) and np.allclose(again.inertia, LOAD.inertia)


@pytest.mark.parametrize("subtracted", [True, False])
@pytest.mark.parametrize(("factor", "said"), [(1000.0, "N m"), (0.001, "N m"), (-1.0, "sign")])
def test_a_wrong_unit_or_sign_of_all_torques_is_the_reason(
    factor: float, said: str, subtracted: bool
) -> None:
    arm = arm_called("puma560")
    held, empty = (replace(log, tau=factor * log.tau) for log in pair(arm))
    found = identify_payload(off(arm), held, without=empty if subtracted else None)
    assert not found.passed
    assert said in found.reasons[0]
    assert not any("joint" in reason for reason in found.reasons)
