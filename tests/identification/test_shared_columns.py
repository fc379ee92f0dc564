"""Coupled drives with friction and rotors, and parameters that several joints share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armdyn import Arm, Extra, InputError, Log, identify
from armdyn.identification.fit.columns import Model, friction_columns
from armdyn.identification.fit.coupling import CoupledMinimal
from support.identification import motion, recorded, small_arm, with_torque

K = np.array([[1.0, 0, 0], [0, 1.0, 0.0], [0, -0.6, 1.2]])
ROTORS = np.array([0.5, 0.4, 0.3])


def bare_arm() -> Arm:
    """The small arm without friction."""
    none = {"viscous": 0.0, "coulomb": 0.0, "offset": 0.0}
    arm = small_arm()
    return Arm(replace(arm.robot, joints=[replace(j, **none) for j in arm.robot.joints]))


def coupled_log(seed: int = 0, noise: float = 0.02) -> Log:
    """Torques of drives: K times those of the links, and friction and rotors at drive speeds."""
    t = np.arange(4000) / 200.0
    q, qd, qdd = motion(3, t, seed)
    v, a = np.linalg.solve(K.T, qd.T).T, np.linalg.solve(K.T, qdd.T).T
    links = bare_arm().inverse_dynamics(q, qd, qdd)
    tau = links @ K.T + small_arm().friction(v) + ROTORS * a
    tau += noise * np.random.default_rng([seed, 9]).normal(size=tau.shape)
    return Log(t=t, q=q, tau=tau, joint_names=small_arm().joint_names)


def test_the_power_of_the_drives_is_that_of_the_joints() -> None:
    arm = bare_arm()
    model = Model(arm, arm.minimal, [], known_rotors=np.zeros(3), coupling=K)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20, 3))
    drives = model.predicted(arm.minimal.values, q, qd, qdd)
    joints = arm.inverse_dynamics(q, qd, qdd)
    ours = np.einsum("ij,ij->i", drives, model.of_drives(qd))
    np.testing.assert_allclose(ours, np.einsum("ij,ij->i", joints, qd), atol=1e-12)


def test_friction_and_rotors_of_coupled_drives_are_found() -> None:
    arm = bare_arm()
    result = identify(arm, coupled_log(), coupling=K, rotor=True)
    found = dict(zip(result.names, result.values, strict=True))
    bars = dict(zip(result.names, result.std, strict=True))
    for j, joint in enumerate(small_arm().robot.joints, 1):
        for name, truth in ((f"Fv{j}", joint.viscous), (f"Fc{j}", joint.coulomb)):
            assert found[name] == pytest.approx(truth, abs=4 * bars[name] + 0.02), name
    base = CoupledMinimal(arm, K)
    truth = base.matrix @ np.concatenate([arm.parameters, ROTORS])
    off = (result.values[: len(base)] - truth) / result.std[: len(base)]
    assert np.sqrt(np.mean(off**2)) < 3.0
    assert result.torque_error_total < 0.02
    wrong = identify(arm, coupled_log(), rotor=True)
    assert wrong.torque_error_total > 3 * result.torque_error_total
    # the arm is that of the joints: no friction, no rotors
    assert not result.arm.friction(np.ones(3)).any()
    assert any("coupled drives" in note for note in result.notes)


def test_known_friction_and_rotors_are_those_of_the_drives() -> None:
    joints = zip(small_arm().robot.joints, ROTORS, strict=True)
    arm = Arm(replace(small_arm().robot, joints=[replace(j, rotor_inertia=r) for j, r in joints]))
    result = identify(arm, coupled_log(), coupling=K, friction=False, rotor=False)
    assert result.torque_error_total < 0.01
    np.testing.assert_allclose(
        result.values[: result.model.k], arm.minimal_with().values, atol=0.05
    )


def test_coupled_rotors_follow_their_drives() -> None:
    arm, base = bare_arm(), CoupledMinimal(bare_arm(), K)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20, 3))
    x = np.concatenate([arm.parameters, ROTORS])
    tau = base.regressor(q, qd, qdd) @ (base.matrix @ x)
    inertia = np.linalg.inv(K) @ np.diag(ROTORS) @ np.linalg.inv(K).T
    np.testing.assert_allclose(tau, arm.inverse_dynamics(q, qd, qdd) + qdd @ inertia, atol=1e-10)
    again = base.to_parameters(base.matrix @ x, near=np.zeros(33))
    np.testing.assert_allclose(base.matrix @ again, base.matrix @ x, atol=1e-12)
    assert "Jm_1" in base.expression("U1_33")


def test_without_coupling_the_rotors_are_those_of_the_joints() -> None:
    arm = bare_arm()
    with_rotors = arm.minimal_with(rotor=True)
    base = CoupledMinimal(arm, np.eye(3))
    np.testing.assert_allclose(base.matrix, with_rotors.matrix, atol=1e-9)
    model = Model(arm, arm.minimal, friction_columns(arm), known_rotors=np.zeros(3))
    speeds = np.random.default_rng(1).normal(size=(5, 3))
    assert model.of_drives(speeds) is speeds


def spring(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """A spring between joints 2 and 3: equal and opposite torques."""
    return np.stack([q[:, 1] - q[:, 2], q[:, 2] - q[:, 1]], axis=1)


def with_spring(stiffness: float = 3.0) -> Log:
    log = recorded(small_arm())
    assert log.tau is not None
    more = np.zeros_like(log.tau)
    more[:, 1:] = stiffness * spring(log.q, log.q, log.q)
    return with_torque(log, log.tau + more)


@pytest.mark.parametrize("joint", [(2, 3), ["joint2", 3]])
def test_joints_share_a_parameter(joint: object) -> None:
    result = identify(small_arm(), with_spring(), extra=[Extra("k", joint, spring, "N m/rad")])  # type: ignore[arg-type]
    at = result.names.index("k")
    assert result.values[at] == pytest.approx(3.0, abs=4 * result.std[at] + 1e-3)
    assert result.expression("k") == "k [N m/rad]: extra of joint 2, 3"
    assert result.torque_error_total < 0.02
    assert ",extra,," in result.files()["parameters.csv"]


def test_none_stands_for_all_joints() -> None:
    def everywhere(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return np.column_stack([np.zeros(len(q)), spring(q, qd, qdd)])

    all_joints = identify(small_arm(), with_spring(), extra=[("k", None, everywhere)])
    two = identify(small_arm(), with_spring(), extra=[("k", (2, 3), spring)])
    np.testing.assert_allclose(all_joints.values, two.values, atol=1e-5)


@pytest.mark.parametrize(
    ("joint", "function", "words"),
    [
        ((2, 2), spring, "expected different joints"),
        ((), spring, "expected different joints"),
        ((2, 9), spring, "expected a number from 1 to 3"),
        ((2, 3), lambda q, qd, qdd: q[:, 0], r"expected a finite number for each sample and joint"),
        (None, spring, r"\(N, 3\)"),
    ],
)
def test_wrong_shared_columns_are_told(joint, function, words) -> None:
    with pytest.raises(InputError, match=words):
        identify(small_arm(), with_spring(), extra=[Extra("k", joint, function)])


def test_a_joint_may_be_a_numpy_integer() -> None:
    spring = [Extra("k", joint, lambda q, qd, qdd: q[:, 1]) for joint in (2, np.int64(2))]
    plain, same = (identify(small_arm(), recorded(small_arm()), extra=[x]) for x in spring)
    assert np.array_equal(plain.values, same.values)
