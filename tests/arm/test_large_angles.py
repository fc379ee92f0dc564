"""Positions at which theta + q has lost digits are refused; all others are as exact as before."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn.programs import arguments as _offset_joints

JOINTS = [
    armdyn.Joint(mass=1.0, com=(0.1, 0.0, 0.0), inertia=(0.1, 0, 0, 0.1, 0, 0.1), name="straight"),
    armdyn.Joint(
        b=0.4, beta=0.3, theta=0.7, mass=1.0, com=(0.1, 0.2, 0.0), inertia=(0.1, 0, 0, 0.1, 0, 0.1),
        coulomb=0.1, name="bent",
    ),
    armdyn.Joint(kind="prismatic", theta=0.4, mass=1.0, b=0.1, com=(0.0, 0.1, 0.0), name="slide"),
    armdyn.Joint(b=0.2, theta=math.pi / 2, mass=1.0, com=(0.1, 0.0, 0.0), name="right"),
]  # fmt: skip
LARGEST_ANGLE = _offset_joints.LARGEST_ANGLE[np.dtype(np.float64)]
TOO_FAR = 1.5 * LARGEST_ANGLE
REFUSED = r"`q` has joint 'bent' at -?150000 rad.*expected at most 100000 rad\. Wrap the angle"
QUANTITIES = (
    "mass_matrix", "inverse_dynamics", "bias", "gravity", "coriolis_matrix", "forward_dynamics",
    "inverse_mass_matrix", "udu", "regressor", "kinetic_energy", "potential_energy", "pose",
    "jacobian", "jacobian_derivative", "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)  # fmt: skip


@pytest.fixture(scope="module")
def arm() -> armdyn.Arm:
    return armdyn.Arm(armdyn.Robot(JOINTS, name="mixed"))


def at(joint: int, value: float, *lead: int) -> np.ndarray:
    q = np.random.default_rng(1).uniform(-1, 1, (*lead, 4))
    q[..., joint] = value
    return q


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_refuses_angles_that_lost_digits(arm: armdyn.Arm, quantity: str) -> None:
    f = arm.function(quantity)
    others = [np.ones(4)] * (len(f.program.inputs) - 1)
    for call in (getattr(arm, quantity), f):
        for _ in range(3):  # by the method, then by what is left for later calls
            call(at(1, LARGEST_ANGLE), *others)
            with pytest.raises(armdyn.InputError, match=REFUSED) as error:
                call(at(1, TOO_FAR), *others)
            assert error.value.argument == "q"


@pytest.mark.parametrize("states", [2, 100, 600, 5000, 40_000, 400_000])
def test_one_bad_angle_in_a_batch_is_found(arm: armdyn.Arm, states: int) -> None:
    q = np.random.default_rng(0).uniform(-1, 1, (states, 4))
    q[:, 1] = LARGEST_ANGLE
    for call in (arm.mass_matrix, arm.function("mass_matrix"), arm.mass_matrix):
        call(q)
        for row in (0, states // 2, states - 1):
            bad = q.copy()
            bad[row, 1] = -TOO_FAR
            with pytest.raises(armdyn.InputError, match=rf"-150000 rad at index \({row}, 1\)"):
                call(bad)
            with pytest.raises(armdyn.InputError, match="at index"):
                call(bad[:, ::-1][:, ::-1] if row else np.asfortranarray(bad))


def test_broadcast_and_parametric_states_are_looked_at(arm: armdyn.Arm) -> None:
    q, qd = at(1, TOO_FAR), np.zeros((1000, 4))
    with pytest.raises(armdyn.InputError, match=REFUSED):
        arm.bias(q, qd)
    with pytest.raises(armdyn.InputError, match=REFUSED):
        arm.bias(np.tile(q, (1000, 1)), qd[0])
    base = arm.minimal
    for call in (base.regressor, base.inverse_dynamics):
        for rows in (1, 1000):
            with pytest.raises(armdyn.InputError, match=REFUSED):
                call(np.tile(q, (rows, 1)), np.zeros(4), np.zeros(4))


@pytest.mark.parametrize("joint", [0, 2, 3], ids=["no theta", "slide", "right angle"])
def test_joints_without_an_offset_are_not_limited(arm: armdyn.Arm, joint: int) -> None:
    for lead in ((), (3,), (700,), (40_000,)):
        q, far = at(joint, 0.25, *lead), at(joint, 1e7, *lead)
        for _ in range(2):
            near, M = arm.mass_matrix(q), arm.mass_matrix(far)
        assert M.shape == near.shape and np.isfinite(M).all()
        if joint != 2:
            same = at(joint, math.remainder(1e7, 2 * math.pi), *lead)
            np.testing.assert_allclose(M, arm.mass_matrix(same), atol=1e-8)


def test_large_velocities_are_no_angles(arm: armdyn.Arm) -> None:
    for lead in ((), (3,), (700,)):
        q, qd = at(1, 0.3, *lead), at(1, 1e6, *lead)
        for _ in range(2):
            tau = arm.bias(q, qd)
        expected = arm.bias(q, qd, method="newton_euler")
        np.testing.assert_allclose(tau, expected, rtol=1e-9, atol=1e-2)


def test_what_is_not_finite_is_said_before(arm: armdyn.Arm) -> None:
    q = at(1, TOO_FAR, 3)
    q[2, 0] = np.nan
    with pytest.raises(armdyn.InputError, match=r"`q` has nan at index \(2, 0\)"):
        arm.gravity(q)


def test_a_pickled_arm_and_function_refuse_alike(arm: armdyn.Arm) -> None:
    again = pickle.loads(pickle.dumps(arm))
    f = pickle.loads(pickle.dumps(arm.function("gravity")))
    for call in (again.gravity, f):
        with pytest.raises(armdyn.InputError, match=REFUSED):
            call(at(1, TOO_FAR))


def test_at_the_bound_angles_are_still_good_to_ten_digits(arm: armdyn.Arm) -> None:
    turns = 2 * math.pi * round((LARGEST_ANGLE - 10) / (2 * math.pi))
    q = at(1, 0.3)
    far = at(1, 0.3 + turns)
    exact = at(1, math.remainder(far[1], 2 * math.pi))
    np.testing.assert_allclose(arm.mass_matrix(far), arm.mass_matrix(exact), atol=1e-10)
    assert abs(exact[1] - q[1]) < 1e-10


def test_arms_without_such_joints_have_no_bound() -> None:
    straight = [replace(joint, theta=0.0) for joint in JOINTS]
    arm = armdyn.Arm(armdyn.Robot(straight))
    for _ in range(2):
        assert np.isfinite(arm.mass_matrix(at(1, 1e15))).all()


def test_results_beyond_the_memory_are_refused_before_they_are_made(arm: armdyn.Arm) -> None:
    q = np.broadcast_to(np.zeros(4), (10**10, 4))
    for call in (arm.mass_matrix, arm.function("mass_matrix"), arm.gravity):
        with pytest.raises(armdyn.InputError, match=r"would take .* GB, and this machine has"):
            call(q)
