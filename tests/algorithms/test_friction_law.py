"""The law of friction with all its terms, in dynamics and their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import armdyn
from armdyn import Arm
from armdyn.algorithms import load_friction
from armdyn.algorithms.load_friction import factors, signs_of_load
from armdyn.arm.verify import verify
from support.friction import constants, law, with_all_terms
from support.robots import random_robot, random_state, relative_error

ARMS = [("mixed", 4), ("rotational", 3), ("sliding first", 2), ("mixed", 6)]
STEP = 1e-6


def arm_of(family: str, n: int, rotors: bool, seed: int = 0) -> Arm:
    return Arm(with_all_terms(random_robot(family, n, seed), rotors=rotors, seed=seed))


def states(n: int, size: int, seed: int = 0) -> np.ndarray:
    """Positions, speeds away from zero, and accelerations."""
    rng = np.random.default_rng([seed, n, size])
    q, qd, qdd = rng.normal(size=(3, size, n))
    return np.stack([q, qd + 0.01 * np.sign(qd), qdd])


def straight(quantity: str) -> list[str]:
    return [name for name in armdyn.methods(quantity) if name != "rolled"]


@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize(("family", "n"), ARMS)
def test_torques_are_those_of_the_law(family: str, n: int, rotors: bool) -> None:
    arm = arm_of(family, n, rotors)
    q, qd, qdd = states(n, 20)
    load = arm.regressor(q, qd, qdd) @ arm.parameters
    f = law(arm.robot, qd, load)
    assert relative_error(arm.friction(qd, load=load), f) < 1e-14
    expected = load + constants(arm.robot)["rotor_inertia"] * qdd + f
    for method in straight("inverse_dynamics"):
        assert relative_error(arm.inverse_dynamics(q, qd, qdd, method=method), expected) < 1e-13
    bare = arm.inverse_dynamics(q, qd, qdd, friction=False)
    assert relative_error(arm.inverse_dynamics(q, qd, qdd), bare + f) < 1e-13


@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize(("family", "n"), ARMS)
def test_forward_dynamics_undoes_inverse_dynamics(family: str, n: int, rotors: bool) -> None:
    for seed in range(1 if n >= 6 else 3):  # long arms take long to compile
        arm = arm_of(family, n, rotors, seed)
        q, qd, qdd = states(n, 300, seed)
        tau = arm.inverse_dynamics(q, qd, qdd)
        for method in straight("forward_dynamics"):
            got = arm.forward_dynamics(q, qd, tau, method=method)
            assert relative_error(got, qdd) < 1e-10


@pytest.mark.parametrize("rotors", [False, True])
def test_long_arms_sweep_with_all_terms(rotors: bool) -> None:
    arm = arm_of("mixed", 30, rotors)
    q, qd, qdd = states(30, 100)
    tau = arm.inverse_dynamics(q, qd, qdd, method="rolled")
    load = arm.regressor(q, qd, qdd) @ arm.parameters
    own = constants(arm.robot)["rotor_inertia"] * qdd
    assert relative_error(tau, load + own + law(arm.robot, qd, load)) < 1e-12
    assert relative_error(arm.forward_dynamics(q, qd, tau, method="rolled"), qdd) < 1e-10


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("rotors", [False, True])
@pytest.mark.parametrize(("family", "n"), ARMS[:3])
def test_derivatives_are_slopes(family: str, n: int, rotors: bool, quantity: str) -> None:
    arm = arm_of(family, n, rotors)
    x = random_state(arm.robot)
    given = [x["q"], x["qd"], x["qdd"]]
    if quantity == "forward_dynamics":
        given[2] = arm.inverse_dynamics(*given)
    f: Callable[..., np.ndarray] = getattr(arm, quantity)
    expected: list[np.ndarray] = []
    for k in range(3):
        h = [np.zeros((n, n)) for _ in range(3)]
        h[k] = STEP * np.eye(n)
        ahead, back = (
            f(*(a + side * b for a, b in zip(given, h, strict=True))) for side in (1, -1)
        )
        expected.append((ahead - back).T / (2 * STEP))
    for method in straight(f"{quantity}_derivatives"):
        found = getattr(arm, f"{quantity}_derivatives")(*given, method=method)
        for got, slope in zip(found, expected, strict=True):
            assert relative_error(got, slope) < 1e-7


@pytest.mark.parametrize(("family", "n"), ARMS)
def test_derivatives_of_both_are_inverses(family: str, n: int) -> None:
    arm = arm_of(family, n, True)
    q, qd, qdd = states(n, 20)
    by_q, by_qd, by_qdd = arm.inverse_dynamics_derivatives(q, qd, qdd)
    tau = arm.inverse_dynamics(q, qd, qdd)
    dq, dqd, dtau = arm.forward_dynamics_derivatives(q, qd, tau)
    assert relative_error(dtau @ by_qdd, np.broadcast_to(np.eye(n), dtau.shape)) < 1e-10
    assert relative_error(-by_qdd @ dq, by_q) < 1e-10
    assert relative_error(-by_qdd @ dqd, by_qd) < 1e-10


def test_at_rest_there_is_neither_dry_friction_nor_a_slope_of_it() -> None:
    arm = arm_of("rotational", 3, True)
    q, still, qdd = np.array([0.3, -0.4, 0.9]), np.zeros(3), np.array([1.0, -2.0, 0.5])
    F = constants(arm.robot)
    tau = arm.inverse_dynamics(q, still, qdd)
    bare = arm.inverse_dynamics(q, still, qdd, friction=False)
    assert relative_error(tau, bare + F["offset"]) < 1e-14
    assert relative_error(arm.forward_dynamics(q, still, tau), qdd) < 1e-12
    _, by_qd, M = arm.inverse_dynamics_derivatives(q, still, qdd)
    _, without, _ = arm.inverse_dynamics_derivatives(q, still, qdd, friction=False)
    assert relative_error(by_qd, without + np.diag(F["viscous"])) < 1e-13
    assert relative_error(M, arm.mass_matrix(q)) < 1e-13
    assert all(np.isfinite(x).all() for x in arm.forward_dynamics_derivatives(q, still, tau))


def random_problem(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """A mass matrix without rotors, bias, rotors, shares of the load, torques."""
    A = rng.normal(size=(n, n))
    M = A @ A.T + 0.01 * np.eye(n)
    rotors = np.diag(M) * 10.0 ** rng.uniform(-2.0, 2.0, n)
    shares = rng.uniform(0.0, 0.99, n) * rng.choice([-1.0, 1.0], n)
    bias, s = rng.normal(size=n) * np.diag(M), rng.normal(size=n) * (np.diag(M) + rotors)
    return M, bias, rotors, shares, s


def test_signs_of_the_load_are_those_found_by_trying_all() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        M, bias, rotors, shares, s = random_problem(rng, 4)

        def solve(J: object, tau: object, M: np.ndarray = M, b: np.ndarray = bias) -> list[float]:
            return np.linalg.solve(M + np.diag(np.array(J)), np.array(tau) - b).tolist()

        signs, agreed = signs_of_load(s.tolist(), shares.tolist(), rotors.tolist(), solve)
        fitting: list[tuple[float, ...]] = []
        for guess in product((-1.0, 1.0), repeat=4):
            d = np.array(factors(shares.tolist(), guess))
            qdd = np.linalg.solve(M + np.diag(rotors / d), s / d - bias)
            if (np.sign(M @ qdd + bias) == guess).all():
                fitting.append(guess)
        assert fitting == [tuple(signs)] and agreed == 1.0


def test_wrong_signs_are_never_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a single round some guesses are wrong: then there is an error, else the right answer."""
    monkeypatch.setattr(load_friction, "ROUNDS", 1)
    monkeypatch.setattr(signs_of_load, "__defaults__", (1,))
    arm = Arm(with_all_terms(random_robot("rotational", 5, 3), seed=3))
    refused = right = 0
    for x in np.moveaxis(states(5, 100), 1, 0):
        q, qd, qdd = x
        try:
            got = arm.forward_dynamics(q, qd, arm.inverse_dynamics(q, qd, qdd))
        except armdyn.NumericalError:
            refused += 1
        else:
            right += 1
            assert relative_error(got, qdd) < 1e-10
    assert refused > 5 and right > 5
    q, qd, qdd = states(5, 100)
    with pytest.raises(armdyn.NumericalError, match="`load_friction` and rotors"):
        arm.forward_dynamics(q, qd, arm.inverse_dynamics(q, qd, qdd))


def test_friction_of_the_load_needs_the_load() -> None:
    arm = arm_of("rotational", 3, True)
    with pytest.raises(armdyn.InputError, match=r"load=arm.regressor\(q, qd, qdd\)") as caught:
        arm.friction([0.1, 0.2, 0.3])
    assert caught.value.argument == "load"
    with pytest.raises(armdyn.InputError, match="gear transmits"):
        arm.function("friction")
    with pytest.raises(armdyn.InputError, match="`load`"):
        arm.friction([0.1, 0.2, 0.3], load=[1.0, 2.0])
    assert "friction" not in arm.quantities
    plain = armdyn.load("puma560")
    qd = np.linspace(-1.0, 1.0, 6)
    assert np.array_equal(plain.friction(qd, load=np.ones(6)), plain.friction(qd))


def test_verification_knows_the_terms_of_speed_and_of_load() -> None:
    robot = with_all_terms(random_robot("sliding first", 2, 0))
    assert verify(Arm(robot), n_states=2).passed
    joints = [replace(joint, load_friction=0.0) for joint in robot.joints]
    found = verify(Arm(replace(robot, joints=joints)), n_states=2)
    assert found.passed and "friction" in {check.quantity for check in found.checks}
