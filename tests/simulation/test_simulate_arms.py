"""Arms without friction move as Pinocchio and SciPy say, to 1e-8 after two seconds.

Falling arms are chaotic: a light wrist that tumbles makes the rounding errors of two integrations
ten million times as large in two seconds. So arms are let swing about where they hang at rest, from
a start at which neighbouring motions are seen to stay together.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

import armdyn
from armdyn.arm.pinocchio import pinocchio_model
from support.published import PUBLISHED, published
from support.robots import CLASSICAL, random_robot

UNTIL = 2.0
EQUAL = 1e-8
# Offsets and velocities of a start; what neighbouring motions may separate by, as a factor.
SWING = 0.3
CALM = 1000.0

# What else of example-robot-data is an arm as it stands, besides PUBLISHED.
OTHERS = [
    "alex_description/urdf/alex_nub_hands.urdf",
    "alex_description/urdf/alex_sake_hands.urdf",
    "asr_twodof_description/urdf/TwoDofs.urdf",
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "double_pendulum_description/urdf/double_pendulum_simple.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "panda_description/urdf/panda_collision.urdf",
    "so_arm_description/urdf/so101.urdf",
    "ur_description/urdf/ur10_joint_limited_robot.urdf",
    "ur_description/urdf/ur10_robot.urdf",
    "ur_description/urdf/ur3_joint_limited_robot.urdf",
    "ur_description/urdf/ur3_robot.urdf",
    "ur_description/urdf/ur5_gripper.urdf",
    "ur_description/urdf/ur5_joint_limited_robot.urdf",
]
PLACES = [(name, base, tip) for name, base, tip, _, _ in PUBLISHED]
PLACES += [(name, None, None) for name in OTHERS]


def independent(arm: armdyn.Arm, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The last state by Pinocchio's dynamics and SciPy."""
    model = pinocchio_model(arm.robot)
    data, n, nothing = model.createData(), arm.n, np.zeros(arm.n)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], nothing)])

    y = np.concatenate([q, qd])
    found = solve_ivp(rate, (0.0, UNTIL), y, method="DOP853", rtol=1e-13, atol=1e-14)
    return found.y[:, -1]


def hanging(arm: armdyn.Arm) -> np.ndarray:
    """Where the weight of the arm is lowest, slides being at zero."""
    turns = np.array([joint.is_revolute for joint in arm.robot.joints])

    def positions(x: np.ndarray) -> np.ndarray:
        q = np.zeros(arm.n)
        q[turns] = x
        return q

    found = [
        minimize(
            lambda x: float(arm.potential_energy(positions(x))), start, method="BFGS",
            jac=lambda x: arm.gravity(positions(x))[turns],
        )
        for start in np.random.default_rng(0).uniform(-1, 1, (8, int(turns.sum())))
    ]  # fmt: skip
    return positions(min(found, key=lambda result: result.fun).x)


def separation(arm: armdyn.Arm, q: np.ndarray, qd: np.ndarray) -> float:
    """By which factor a motion and one that begins 1e-8 beside it come apart."""
    beside = q + 1e-8 * np.random.default_rng(1).choice([-1.0, 1.0], arm.n)
    options = dict(until=UNTIL, integrator="dop853", rtol=1e-11, friction=False, samples=2)
    ends = [armdyn.simulate(arm, start, qd, **options) for start in (q, beside)]
    apart = [np.abs(getattr(ends[0], x)[-1] - getattr(ends[1], x)[-1]).max() for x in ("q", "qd")]
    return float(max(apart)) / 1e-8


def calm_start(arm: armdyn.Arm) -> tuple[np.ndarray, np.ndarray]:
    """The first of random starts about where the arm hangs whose motion is not chaotic."""
    rest = hanging(arm)
    for seed in range(20):
        offset, qd = np.random.default_rng(seed).uniform(-SWING, SWING, (2, arm.n))
        if separation(arm, rest + offset, qd) < CALM:
            return rest + offset, qd
    pytest.fail("every motion of 20 is chaotic")


def assert_like_pinocchio(arm: armdyn.Arm) -> None:
    q, qd = calm_start(arm)
    run = armdyn.simulate(
        arm, q, qd, UNTIL, integrator="dop853", rtol=1e-13, atol=1e-14, friction=False
    )
    assert np.ptp(run.q, axis=0).max() > 0.1  # it does move
    expected = independent(arm, q, qd)
    np.testing.assert_allclose(
        np.concatenate([run.q[-1], run.qd[-1]]), expected, rtol=0, atol=EQUAL
    )


@pytest.mark.parametrize("name", CLASSICAL)
def test_bundled_arms_move_as_pinocchio_says(name: str) -> None:
    assert_like_pinocchio(armdyn.load(name))


@pytest.mark.parametrize("family", ["mixed", "inclined slide"])
def test_random_arms_move_as_pinocchio_says(family: str) -> None:
    assert_like_pinocchio(armdyn.Arm(random_robot(family, 4, 1)))


@pytest.mark.slow  # compiles many arms
@pytest.mark.filterwarnings("ignore:joints of the arm itself")
@pytest.mark.parametrize(("name", "base", "tip"), PLACES, ids=lambda x: Path(x).stem if x else "")
def test_published_arms_move_as_pinocchio_says(
    name: str, base: str | None, tip: str | None
) -> None:
    assert_like_pinocchio(armdyn.load(published(name), base=base, tip=tip))


@pytest.mark.slow
def test_falling_arms_are_chaotic() -> None:
    """What the words on simulation say of this arm."""
    arm = armdyn.load(published("panda_description/urdf/panda.urdf"))
    factors = [
        separation(arm, *np.random.default_rng(seed).uniform(-0.5, 0.5, (2, arm.n)))
        for seed in (3, 4, 5)
    ]
    assert min(factors) > 1e4
