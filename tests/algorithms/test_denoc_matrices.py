"""The matrices of [Saha1999]: floats, recorded program, compiled, and Pinocchio agree."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import armdyn
from armdyn import Arm
from armdyn.algorithms.denoc_matrices import denoc_matrices
from armdyn.arm.denoc_matrices import denoc_program
from armdyn.errors import InputError, RobotError
from armdyn.graph.interpret import interpret
from armdyn.robot.chain import chain_of
from support.robots import oracle, random_robots, random_state, relative_error, tilted_robots

ROBOTS = [*random_robots(), *tilted_robots()]


@cache
def by_floats(robot: armdyn.Robot) -> tuple[np.ndarray, ...]:
    state = random_state(robot)
    found = denoc_matrices(chain_of(robot), state["q"].tolist(), state["qd"].tolist())
    return tuple(np.array(matrix, float) for matrix in found)


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
def test_floats_match_pinocchio(robot: armdyn.Robot) -> None:
    state, (N_l, N_d, M, C) = random_state(robot), by_floats(robot)
    answers, N = oracle(robot, state), N_l @ N_d
    rotors = np.diag([joint.rotor_inertia for joint in robot.joints])
    assert relative_error(N.T @ M @ N + rotors, answers["mass_matrix"]) < 1e-12
    velocity = answers["bias"] - answers["gravity"]
    size = max(np.abs(answers["bias"]).max(), np.abs(answers["gravity"]).max(), 1e-3)
    assert np.abs(C @ state["qd"] - velocity).max() < 1e-12 * size


@pytest.mark.parametrize("robot", ROBOTS[::4], ids=lambda robot: robot.name)
def test_the_program_and_machine_code_give_the_same(robot: armdyn.Robot) -> None:
    state, arm = random_state(robot), Arm(robot)
    recorded = interpret(denoc_program(chain_of(robot)), state["q"], state["qd"])
    compiled = arm.denoc_matrices(state["q"], state["qd"])
    for expected, *found in zip(by_floats(robot), recorded, compiled, strict=True):
        for matrix in found:
            assert np.abs(matrix - expected).max() <= 1e-12 * max(np.abs(expected).max(), 1e-3)


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara"])
def test_the_rate_of_the_mass_matrix_less_twice_C_is_skew(name: str) -> None:
    """dM/dt by the symmetric part of the Christoffel matrix, which is half of it."""
    arm = armdyn.load(name)
    q, qd = np.random.default_rng(0).normal(size=(2, arm.n))
    rate = arm.coriolis_matrix(q, qd)
    rate = rate + rate.T
    S = rate - 2.0 * arm.denoc_matrices(q, qd).C
    assert np.abs(S + S.T).max() < 1e-12 * np.abs(rate).max()
    # the rate is that of the mass matrix
    h = 1e-6
    slope = (arm.mass_matrix(q + h * qd) - arm.mass_matrix(q - h * qd)) / (2.0 * h)
    assert np.abs(slope - rate).max() < 1e-7 * np.abs(rate).max()


def test_it_is_another_matrix_than_that_of_christoffel_symbols() -> None:
    arm = armdyn.load("puma560")
    q, qd = np.random.default_rng(1).normal(size=(2, 6))
    ours, theirs = arm.denoc_matrices(q, qd).C, arm.coriolis_matrix(q, qd)
    apart, size = ours - theirs, np.abs(theirs).max()
    assert np.abs(apart).max() > 1e-3 * size
    assert np.abs(apart + apart.T).max() < 1e-13 * size
    assert np.abs(apart @ qd).max() < 1e-13 * size


def test_twists_are_velocities_of_links() -> None:
    arm = armdyn.load("stanford")
    q, qd = np.random.default_rng(2).normal(size=(2, 6))
    denoc = arm.denoc_matrices(q, qd)
    twist = (denoc.N @ qd).reshape(6, 6)
    assert np.abs(twist[-1, :3] - (arm.jacobian(q) @ qd)[3:]).max() < 1e-13
    energy = 0.5 * qd @ denoc.mass_matrix @ qd
    links = sum(
        0.5 * t @ denoc.M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] @ t for i, t in enumerate(twist)
    )
    assert abs(energy - links) < 1e-12 * energy
    assert np.array_equal(denoc.N_l, np.tril(denoc.N_l))
    blocks = np.kron(np.eye(6), np.ones((6, 1)))
    assert np.all(denoc.N_d[blocks == 0.0] == 0.0)


def test_batches_and_single_precision() -> None:
    arm = armdyn.load("planar2")
    q, qd = np.random.default_rng(3).normal(size=(2, 4, 3, 2))
    denoc = arm.denoc_matrices(q, qd)
    assert denoc.N_l.shape == (4, 3, 12, 12) and denoc.N.shape == (4, 3, 12, 2)
    one = arm.denoc_matrices(q[1, 2], qd[1, 2])
    assert np.array_equal(one.C, denoc.C[1, 2])
    assert np.allclose(denoc.mass_matrix, arm.mass_matrix(q), rtol=1e-12)
    single = Arm(arm.robot, dtype=np.float32).denoc_matrices([0.1, 0.2], [0.3, 0.4])
    assert single.C.dtype == np.float32


def test_wrong_arguments_are_refused() -> None:
    arm = armdyn.load("planar2")
    with pytest.raises(InputError, match="`q`"):
        arm.denoc_matrices([0.0], [0.0, 0.0])
    with pytest.raises(InputError, match="`qd`"):
        arm.denoc_matrices([0.0, 0.0], [0.0, np.inf])
    with pytest.raises(RobotError, match="25 joints"):
        Arm(armdyn.generic(25)).denoc_matrices(np.zeros(25), np.zeros(25))
