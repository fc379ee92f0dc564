"""The regressor of adaptive control: M qddr + C qdr + g, with C of Christoffel symbols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import Arm
from armdyn.arm.pinocchio import pinocchio_model
from support.c_code import Library, needs_gcc, with_prototype
from support.friction import with_all_terms
from support.robots import FAMILIES, random_robot, random_state, relative_error


def references(n: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    qdr, qddr = np.random.default_rng(seed).normal(size=(2, n))
    return qdr, qddr


def pinocchio_torques(arm: Arm, q: Any, qd: Any, qdr: Any, qddr: Any) -> np.ndarray:
    """C(q, x) y is symmetric in x and y, so three runs of Newton-Euler give it."""
    model = pinocchio_model(arm.robot)
    data = model.createData()
    zero = np.zeros(arm.n)

    def centrifugal(v: Any) -> np.ndarray:
        return pin.rnea(model, data, q, v, zero) - pin.rnea(model, data, q, zero, zero)

    mixed = (centrifugal(qd + qdr) - centrifugal(qd) - centrifugal(qdr)) / 2
    return pin.rnea(model, data, q, zero, qddr) + mixed


@pytest.mark.parametrize("family", FAMILIES)
def test_pinocchio_gives_the_same_torques(family: str) -> None:
    for n in (2, 5):
        arm = Arm(random_robot(family, n, 3))
        q, qd = (random_state(arm.robot)[k] for k in ("q", "qd"))
        qdr, qddr = references(n)
        got = arm.minimal.tracking_regressor(q, qd, qdr, qddr) @ arm.minimal.values
        rotors = np.array([j.rotor_inertia for j in arm.robot.joints])
        expected = pinocchio_torques(arm, q, qd, qdr, qddr) - rotors * qddr
        assert relative_error(got, expected) < 1e-11


@pytest.mark.parametrize("family", ["mixed", "rotational"])
def test_the_derivative_of_the_mass_matrix_less_two_c_is_skew(family: str) -> None:
    arm = Arm(random_robot(family, 4, 1))
    q, qd = (random_state(arm.robot)[k] for k in ("q", "qd"))
    base = arm.minimal
    Y = base.tracking_regressor(q, qd, np.eye(4), np.zeros(4))
    C = (Y @ base.values - base.gravity(q)).T
    np.testing.assert_allclose(C, arm.coriolis_matrix(q, qd), atol=1e-10 * abs(C).max())
    h = 1e-6
    rate = (arm.mass_matrix(q + h * qd) - arm.mass_matrix(q - h * qd)) / (2 * h)
    N = rate - 2 * C
    assert abs(N + N.T).max() < 1e-7 * abs(rate).max()
    assert abs(N).max() > 1e-3 * abs(rate).max()


@pytest.mark.parametrize("drives", [{}, {"rotor": True}, {"rotor": True, "friction": True}])
def test_along_its_own_motion_it_is_the_ordinary_regressor(drives: dict[str, bool]) -> None:
    arm = Arm(with_all_terms(random_robot("mixed", 4, 0)))
    base = arm.minimal_with(**drives)
    q, qd, qdd = (random_state(arm.robot)[k] for k in ("q", "qd", "qdd"))
    expected = base.regressor(q, qd, qdd)
    assert relative_error(base.tracking_regressor(q, qd, qd, qdd), expected) < 1e-12


def test_friction_is_that_of_the_reference_velocity() -> None:
    arm = armdyn.load("puma560")
    base = arm.minimal_with(friction=True)
    q, qd = random_state(arm.robot)["q"], random_state(arm.robot)["qd"]
    qdr, qddr = references(6)
    Y = base.tracking_regressor(q, qd, qdr, qddr)
    links = arm.minimal.tracking_regressor(q, qd, qdr, qddr) @ arm.minimal.values
    np.testing.assert_allclose(Y @ base.values - links, arm.friction(qdr), atol=1e-12)


def test_batches_and_single_states_agree() -> None:
    base = armdyn.load("puma560").minimal
    x = np.random.default_rng(0).normal(size=(4, 3, 5, 6))
    Y = base.tracking_regressor(*x)
    assert Y.shape == (3, 5, 6, len(base))
    np.testing.assert_array_equal(Y[1, 2], base.tracking_regressor(*x[:, 1, 2]))
    out = np.empty_like(Y)
    assert base.tracking_regressor(*x, out=out) is out
    np.testing.assert_array_equal(out, Y)


@needs_gcc
def test_the_c_code_is_the_same_function(tmp_path: Any) -> None:
    base = armdyn.load("puma560").minimal
    f = base.function("tracking_regressor")
    source = tmp_path / "tracking.c"
    source.write_text(with_prototype(f.source("c")))
    x = np.random.default_rng(1).normal(size=(4, 6))
    expected = base.tracking_regressor(*x)
    (got,) = Library((source, source))("regressor", list(x), [expected.shape])
    assert relative_error(got, expected) < 1e-14


def test_it_costs_little_more_than_the_ordinary_regressor() -> None:
    base = armdyn.load("puma560").minimal
    tracking = base.function("tracking_regressor").operations
    assert (tracking.mul, tracking.add) == (453, 361)
    assert tracking.mul + tracking.add < 1.3 * (406 + 311)
