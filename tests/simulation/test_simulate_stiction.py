"""Dry friction and stops: joints that are held, beside formulas for one sliding mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from support.robots import random_robot

MASS, COULOMB = 2.0, 3.0
ADAPTIVE = ("rk45", "dop853")
FIXED = ("rk4", "ab4", "midpoint")
INTEGRATORS = (*ADAPTIVE, *FIXED)


def slider(**options: float) -> armdyn.Arm:
    """A mass on a level slide."""
    joint = armdyn.Joint(kind="prismatic", mass=MASS, coulomb=COULOMB, **options)
    return armdyn.Arm(armdyn.Robot([joint], gravity=(0.0, 0.0, 0.0), name="slider"))


def dry_puma(coulomb: float = 5.0) -> armdyn.Arm:
    robot = armdyn.load("puma560").robot
    joints = [replace(joint, coulomb=coulomb, viscous=1.0) for joint in robot.joints]
    return armdyn.Arm(replace_joints(robot, joints))


def replace_joints(robot: armdyn.Robot, joints: list[armdyn.Joint]) -> armdyn.Robot:
    return armdyn.Robot(joints, robot.gravity, robot.base, robot.tool, robot.name)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_sliding_mass_stops_where_friction_says_and_stays(name: str) -> None:
    v = 1.5
    run = armdyn.simulate(slider(), [0.0], [v], 3.0, integrator=name, rtol=1e-9)
    stops_at = MASS * v / COULOMB
    tolerance = 2e-3 if name in FIXED else 1e-9
    (event,) = run.events
    assert event.what == "sticks"
    assert abs(event.t - stops_at) < tolerance
    assert abs(run.q[-1, 0] - MASS * v**2 / (2 * COULOMB)) < tolerance
    resting = run.t > event.t + 1e-9
    assert resting.sum() >= 1
    assert not run.qd[resting].any()
    assert np.ptp(run.q[resting]) == 0.0


@pytest.mark.parametrize("name", INTEGRATORS)
@pytest.mark.parametrize("stiction", [1.0, 1.4])
def test_a_growing_force_moves_the_mass_when_it_overcomes_stiction(
    name: str, stiction: float
) -> None:
    run = armdyn.simulate(
        slider(), [0.0], [0.0], 2.0, lambda t, q, qd: -4.0 * np.array([t]), name,
        stiction=stiction, rtol=1e-10,
    )  # fmt: skip
    slips_at = stiction * COULOMB / 4.0
    (event,) = run.events
    assert event.what == "slips"
    assert abs(event.t - slips_at) < (1.1e-3 if name in FIXED else 1e-7)
    assert not run.q[run.t < slips_at - 2e-3].any()
    # m v = integral of the force less friction since then
    expected = -(2.0 * (4.0 - slips_at**2) - COULOMB * (2.0 - slips_at)) / MASS
    assert abs(run.qd[-1, 0] - expected) < (5e-3 if name in FIXED else 1e-6)


def test_friction_that_holds_does_not_chatter() -> None:
    """A joint at rest under half of its friction: no speed, no events, few evaluations."""
    arm = dry_puma()
    q = np.array([0.3, -0.5, 0.4, 0.2, 0.6, -0.1])
    torque = arm.gravity(q) + 0.5 * 5.0 * np.array([1, -1, 1, -1, 1, -1])
    for name in INTEGRATORS:
        run = armdyn.simulate(arm, q, None, 1.0, torque, name, step=0.01)
        assert not run.qd.any()
        assert not run.events
        np.testing.assert_array_equal(run.q[-1], q)
        assert run.evaluations <= 400


def test_a_falling_arm_with_dry_friction_moves_the_same_by_all_integrators() -> None:
    arm = dry_puma()
    q, qd = [0.3, -0.5, 0.4, 0.2, 0.6, -0.1], [0.5, 0.2, -0.3, 0.1, 0.4, 0.2]
    runs = {
        name: armdyn.simulate(arm, q, qd, 1.5, integrator=name, rtol=1e-9) for name in INTEGRATORS
    }
    exact = runs["dop853"]
    np.testing.assert_allclose(runs["rk45"].q[-1], exact.q[-1], atol=1e-6)
    for name in FIXED:
        np.testing.assert_allclose(runs[name].q[-1], exact.q[-1], atol=2e-3)
    changes = [(e.what, e.joint) for e in exact.events]
    assert [(e.what, e.joint) for e in runs["rk45"].events] == changes
    assert len(changes) < 20
    for run in runs.values():
        assert (np.diff(run.energy) < 1e-6).all()  # friction and weight bring no energy
    assert exact.evaluations < 2000


@pytest.mark.parametrize("name", FIXED)
def test_shorter_steps_come_closer_where_joints_stick_and_slip(name: str) -> None:
    arm = dry_puma()
    q, qd = [0.3, -0.5, 0.4, 0.2, 0.6, -0.1], [0.5, 0.2, -0.3, 0.1, 0.4, 0.2]
    exact = armdyn.simulate(arm, q, qd, 0.5, integrator="dop853", rtol=1e-11).q[-1]
    errors = [
        np.abs(armdyn.simulate(arm, q, qd, 0.5, integrator=name, step=h).q[-1] - exact).max()
        for h in (8e-3, 1e-3)
    ]
    assert errors[1] < errors[0] / 4
    assert errors[1] < 2e-4


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("torque", [None, lambda t, q, qd: 0.0 * q])
def test_arms_with_dry_friction_move_the_same_alone_and_in_a_batch(
    name: str, torque: object
) -> None:
    """Also those with parameters of their own, and those whose steps are in one program."""
    arm = dry_puma()
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-0.7, 0.7, (2, 5, 6))
    qd[2] = 0.0
    options = dict(until=0.3, torque=torque, integrator=name, step=2e-3, samples=31, limits="stop")
    batch = armdyn.simulate(arm, q, qd, **options)
    same = armdyn.simulate(arm, q, qd, parameters=[arm.parameters] * 5, **options)
    assert {event.arm for event in batch.events} == set(range(5))
    assert {"sticks", "slips"} <= {event.what for event in batch.events}
    for k in range(5):
        alone = armdyn.simulate(arm, q[k], qd[k], **options)
        np.testing.assert_array_equal(batch[k].q, alone.q)
        for run in (batch[k], same[k]):
            np.testing.assert_allclose(run.q, alone.q, atol=1e-9)
            np.testing.assert_allclose(run.tau, alone.tau)
            told = [[(e.t, e.what, e.joint) for e in x.events] for x in (run, alone)]
            assert told[0] == told[1]


def test_a_long_arm_has_dry_friction_too() -> None:
    robot = armdyn.generic(14, seed=2)
    joints = [replace(joint, coulomb=3.0) for joint in robot.joints]
    arm = armdyn.Arm(replace_joints(robot, joints))
    q = np.random.default_rng(0).uniform(-1, 1, (2, 14))
    torque = arm.gravity(q) + 4.0 * np.eye(14)[[3, 5]]
    ends = [armdyn.simulate(arm, q, None, 0.02, torque, name, step=1e-3) for name in ("rk4", "ab4")]
    for run in ends:
        assert [(e.what, e.joint, e.arm) for e in run.events if e.t == 0.0] == [
            ("slips", 3, 0), ("slips", 5, 1),
        ]  # fmt: skip
    np.testing.assert_allclose(ends[0].q, ends[1].q, atol=1e-6)


@pytest.mark.parametrize("name", FIXED)
def test_a_batch_sticks_row_by_row(name: str) -> None:
    q = np.zeros((4, 1))
    qd = np.array([[1.0], [-0.5], [0.0], [2.0]])
    run = armdyn.simulate(slider(), q, qd, 2.0, integrator=name, step=1e-3, samples=21)
    expected = np.sign(qd) * MASS * qd**2 / (2 * COULOMB)
    np.testing.assert_allclose(run.q[-1], expected, atol=3e-3)
    assert not run.qd[-1].any()
    assert sorted(e.arm for e in run.events) == [0, 1, 3]
    alone = armdyn.simulate(slider(), q[3], qd[3], 2.0, integrator=name, step=1e-3, samples=21)
    np.testing.assert_allclose(run.q[:, 3], alone.q, atol=1e-12)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_stop_holds_the_mass_until_it_is_pulled_away(name: str) -> None:
    arm = slider(lower=-1.0, upper=0.5)

    def pull(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.array([COULOMB if t < 1.0 else -2 * COULOMB])

    run = armdyn.simulate(arm, [0.0], [1.0], 1.5, pull, name, limits="stop", rtol=1e-8)
    what = [e.what for e in run.events]
    assert what == ["stops at upper limit", "leaves the stop"]
    tolerance = 2e-3 if name in FIXED else 1e-4  # the pull jumps within a step
    assert abs(run.events[0].t - 0.5) < tolerance
    assert abs(run.events[1].t - 1.0) < max(tolerance, 2e-2)
    at_stop = (run.t > 0.51) & (run.t < 0.97)
    np.testing.assert_array_equal(run.q[at_stop], 0.5)
    assert run.q.max() <= 0.5
    assert run.qd[-1, 0] < -0.5


def test_stopping_one_joint_keeps_the_momentum_of_the_others() -> None:
    robot = armdyn.load("planar2").robot
    joints = [robot.joints[0], replace(robot.joints[1], lower=-0.2, upper=0.2)]
    arm = armdyn.Arm(armdyn.Robot(joints, (0.0, 0.0, 0.0), name="arm"))
    run = armdyn.simulate(arm, [0.0, 0.0], [0.0, 1.0], 0.5, limits="stop", rtol=1e-10)
    event = run.events[0]
    assert event.what == "stops at upper limit"
    before, after = run.t < event.t, run.t > event.t
    # nothing acts on the first joint, and no energy depends on where it is
    momentum = (arm.mass_matrix(run.q) @ run.qd[..., None])[:, 0, 0]
    np.testing.assert_allclose(momentum, momentum[0], rtol=1e-6)
    assert run.energy[after].max() < 0.999 * run.energy[before].min()
    assert run.q[:, 1].max() <= 0.2
    assert run.qd[-1, 0] != 0.0


def two_links(coulomb: float, upper: float = 0.2) -> armdyn.Arm:
    """Two links without weight; the second stops at `upper`."""
    first, second = armdyn.load("planar2").robot.joints
    joints = [
        replace(first, coulomb=coulomb),
        replace(second, coulomb=coulomb, lower=-5.0, upper=upper),
    ]
    return armdyn.Arm(armdyn.Robot(joints, (0.0, 0.0, 0.0), name="arm"))


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_blow_turns_a_sliding_joint_round(name: str) -> None:
    """Little friction changes little, also of a joint whose speed changes sign at once."""
    runs = [
        armdyn.simulate(
            two_links(coulomb), None, [-0.2, 2.0], 0.4, integrator=name, limits="stop",
            step=5e-4, rtol=1e-9,
        )
        for coulomb in (0.0, 1e-6)
    ]  # fmt: skip
    assert runs[0].qd[:, 0].min() < -0.1 and runs[0].qd[-1, 0] > 0.3
    np.testing.assert_allclose(runs[1].q[-1], runs[0].q[-1], atol=1e-4)
    np.testing.assert_allclose(runs[1].qd[-1], runs[0].qd[-1], atol=1e-4)
    told = [[(e.what, e.joint) for e in run.events] for run in runs]
    assert told[0] == told[1] == [("stops at upper limit", 1), ("leaves the stop", 1)]


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_blow_moves_a_joint_that_friction_held(name: str) -> None:
    arm = two_links(30.0, upper=-0.2)

    def drive(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return arm.friction(qd)  # the second joint goes as if it had no friction

    run = armdyn.simulate(
        arm, [0.0, -0.4], [0.0, 2.0], 0.15, drive, name, limits="stop", step=5e-4, rtol=1e-9
    )
    hit = next(e for e in run.events if e.what == "stops at upper limit")
    assert abs(hit.t - 0.1) < 1e-3 and not run.qd[run.t < hit.t - 1e-9, 0].any()
    after = [(e.what, e.joint) for e in run.events if abs(e.t - hit.t) < 1e-9]
    assert after[:2] == [("stops at upper limit", 1), ("slips", 0)]
    # nothing acts on the first joint during the blow: its momentum stays
    M = arm.mass_matrix([0.0, -0.2])
    first = run.qd[run.t > hit.t + 1e-9, 0].max()
    assert first == pytest.approx(2.0 * M[0, 1] / M[0, 0], rel=0.02)


def test_joints_at_two_stops_do_not_lift_each_other_for_ever() -> None:
    robot = random_robot("mixed", 3, 0)
    joints = [
        replace(joint, viscous=1.0, coulomb=0.0, offset=0.0, lower=-0.6, upper=0.7)
        for joint in robot.joints
    ]
    arm = armdyn.Arm(armdyn.Robot(joints, robot.gravity))
    force = np.array([-2.2, -12.5, -7.3])
    run = armdyn.simulate(
        arm, [0.23, 0.04, 0.44], [-1.25, 0.08, -4.65], 1.0, lambda t, q, qd: force * np.sin(4 * t),
        limits="stop",
    )  # fmt: skip
    assert len({e.joint for e in run.events if e.what.startswith("stops")}) > 1
    assert len(run.events) < 30 and run.evaluations < 3000


@pytest.mark.parametrize("name", ["rk45", "rk4", "ab4"])
def test_springs_push_back(name: str) -> None:
    joint = armdyn.Joint(kind="prismatic", mass=MASS, lower=-1.0, upper=0.5)
    arm = armdyn.Arm(armdyn.Robot([joint], gravity=(0.0, 0.0, 0.0), name="slider"))
    run = armdyn.simulate(arm, [0.0], [1.0], 1.0, integrator=name, limits="spring", step=4e-4)
    assert 0.5 < run.q.max() < 0.51
    assert -1.0 < run.qd[-1, 0] < 0.0
    hard = armdyn.simulate(
        arm, [0.0], [1.0], 1.0, integrator=name, limits="spring", step=2e-4,
        stiffness=1e6, damping=0.0, rtol=1e-8,
    )  # fmt: skip
    assert abs(hard.q.max() - 0.5 - np.sqrt(MASS / 1e6)) < 1e-4
    assert abs(hard.qd[-1, 0] + 1.0) < 3e-3


def test_friction_can_be_left_out() -> None:
    run = armdyn.simulate(slider(), [0.0], [1.0], 1.0, friction=False)
    np.testing.assert_allclose(run.qd, 1.0, atol=1e-12)
    viscous = armdyn.Joint(kind="prismatic", mass=MASS, viscous=0.7, offset=0.2)
    arm = armdyn.Arm(armdyn.Robot([viscous], gravity=(0.0, 0.0, 0.0), name="slider"))
    expected = (1.0 + 0.2 / 0.7) * np.exp(-0.7 / MASS) - 0.2 / 0.7
    for name in INTEGRATORS:
        run = armdyn.simulate(arm, [0.0], [1.0], 1.0, integrator=name, rtol=1e-9)
        assert abs(run.qd[-1, 0] - expected) < 1e-6


@pytest.mark.parametrize("name", ["rk45", "dop853"])
def test_a_force_that_jumps_where_a_joint_arrives_does_not_halt_time(name: str) -> None:
    """Springs begin to damp at once: the joint that is held behind one is let go by a jump."""
    rng = np.random.default_rng(31)
    rng.integers(1, 4)
    robot = random_robot("right angles", 2, 31)
    joints = [
        replace(
            joint, coulomb=float(rng.uniform(0, 8)) * (rng.random() < 0.8),
            viscous=float(rng.uniform(0, 2)), offset=0.0, lower=-1.0, upper=1.2,
        )
        for joint in robot.joints
    ]  # fmt: skip
    arm = armdyn.Arm(replace_joints(robot, joints))
    q, qd = rng.uniform(-0.9, 0.9, 2), rng.normal(size=2) * (rng.random() < 0.7)
    force = 10 * rng.normal(size=2)
    run = armdyn.simulate(
        arm, q, qd, 3.0, lambda t, q, qd: force * np.sin(3 * t), name, limits="spring", stiction=1.5
    )
    assert run.t[-1] == 3.0
    assert run.evaluations < 10_000
    assert len(run.events) < 60
