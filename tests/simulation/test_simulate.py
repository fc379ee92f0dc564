"""Simulated motions: energy, orders of convergence, batches, torques, events."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn

PUMA = armdyn.load("puma560")
Q0 = np.array([0.3, -0.5, 0.4, 0.2, 0.6, -0.1])
QD0 = np.array([0.5, 0.2, -0.3, 0.1, 0.4, 0.2])
FIXED = ("rk4", "ab4", "midpoint")


def kinetic_scale(run: armdyn.Run) -> float:
    """The largest kinetic energy: unlike the energy it does not depend on where heights begin."""
    return float(PUMA.kinetic_energy(run.q, run.qd).max())


def test_energy_of_a_free_puma_stays_to_1e_9_in_ten_seconds() -> None:
    run = armdyn.simulate(PUMA, Q0, QD0, 10.0, integrator="dop853", rtol=1e-10)
    assert np.ptp(run.energy) <= 1e-9 * kinetic_scale(run)
    assert run.drift <= 1e-9
    assert run.t[-1] == 10.0
    assert run.evaluations > len(run)


@pytest.mark.slow
def test_energy_of_the_symplectic_rule_is_bounded_and_does_not_grow() -> None:
    run = armdyn.simulate(PUMA, Q0, QD0, 60.0, integrator="midpoint", step=4e-3)
    error = np.abs(run.energy - run.energy[0]) / kinetic_scale(run)
    parts = [float(part.max()) for part in np.array_split(error, 4)]
    assert max(parts) < 1e-3
    assert parts[-1] < 1.5 * max(parts[:2])
    mean = [float(part.mean()) for part in np.array_split(run.energy - run.energy[0], 4)]
    assert np.ptp(mean) < 0.2 * max(parts) * kinetic_scale(run)


@pytest.mark.parametrize(("name", "order"), [("rk4", 4), ("ab4", 4), ("midpoint", 2)])
def test_observed_orders_of_convergence(name: str, order: int) -> None:
    def last(step: float) -> np.ndarray:
        run = armdyn.simulate(PUMA, Q0, QD0, 0.96, integrator=name, step=step, samples=2)
        return np.concatenate([run.q[-1], run.qd[-1]])

    exact = armdyn.simulate(PUMA, Q0, QD0, 0.96, integrator="dop853", rtol=1e-13, atol=1e-14)
    expected = np.concatenate([exact.q[-1], exact.qd[-1]])
    steps = [0.008, 0.004]
    errors = [float(np.linalg.norm(last(step) - expected)) for step in steps]
    assert abs(np.log2(errors[0] / errors[1]) - order) < 0.2


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("torque", [None, np.array([5.0, 1.0, -2.0, 0.1, 0.2, 0.0])])
def test_an_arm_moves_the_same_alone_and_in_a_batch(name: str, torque: np.ndarray | None) -> None:
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-1, 1, (2, 5, 6))
    options = dict(until=0.05, torque=torque, integrator=name, step=1e-3)
    batch = armdyn.simulate(PUMA, q, qd, **options)
    assert batch.q.shape == (51, 5, 6)
    assert batch.energy.shape == (51, 5)
    for k in range(5):
        alone = armdyn.simulate(PUMA, q[k], qd[k], **options)
        part = batch[k]
        assert part.q.shape == (51, 6)
        for what in ("q", "qd", "qdd", "tau", "energy"):
            np.testing.assert_array_equal(getattr(part, what), getattr(alone, what))


def test_parts_of_a_large_batch_are_put_together_in_order() -> None:
    arm = armdyn.load("planar2")
    rng = np.random.default_rng(1)
    q = rng.uniform(-1, 1, (5000, 2))
    torque = rng.uniform(-1, 1, (5000, 2))
    told: list[tuple[int, int]] = []
    run = armdyn.simulate(
        arm, q, None, 0.02, torque, "rk4", step=1e-3, samples=3, threads=2,
        progress=lambda done, total, what: told.append((done, total)),
    )  # fmt: skip
    assert run.q.shape == (3, 5000, 2)
    np.testing.assert_array_equal(run.t, [0.0, 0.01, 0.02])
    for k in (0, 2047, 2048, 4999):
        alone = armdyn.simulate(arm, q[k], None, 0.02, torque[k], "rk4", step=1e-3)
        np.testing.assert_array_equal(run.q[-1, k], alone.q[-1])
        np.testing.assert_array_equal(run.tau[1, k], torque[k])
    assert told[-1] == (60, 60)


def test_accelerations_are_those_of_the_forward_dynamics() -> None:
    torque = np.array([5.0, 1.0, -2.0, 0.1, 0.2, 0.0])
    for name in ("rk45", *FIXED):
        run = armdyn.simulate(PUMA, Q0, QD0, 0.05, torque, name, step=5e-3)
        expected = PUMA.forward_dynamics(run.q, run.qd, run.tau)
        np.testing.assert_allclose(run.qdd, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(run.tau, np.broadcast_to(torque, run.tau.shape))


def test_torques_can_be_given_in_every_way() -> None:
    slope = np.array([5.0, 1.0, -2.0, 0.1, 0.2, 0.0])
    times = np.linspace(0.0, 0.2, 3)
    options = dict(integrator="rk4", step=1e-3)
    by_function = armdyn.simulate(PUMA, Q0, QD0, 0.2, lambda t, q, qd: slope * t, **options)
    over_time = armdyn.simulate(PUMA, Q0, QD0, 0.2, (times, np.outer(times, slope)), **options)
    log = armdyn.Log(t=times, q=np.zeros((3, 6)), tau=np.outer(times, slope))
    by_log = armdyn.simulate(PUMA, Q0, QD0, 0.2, log, **options)
    np.testing.assert_allclose(over_time.q, by_function.q, atol=1e-13)
    np.testing.assert_allclose(by_log.q, by_function.q, atol=1e-13)
    np.testing.assert_allclose(by_function.tau, np.outer(by_function.t, slope), atol=1e-15)
    planar = armdyn.load("planar2")
    pair = armdyn.simulate(planar, None, None, 0.1, (1.0, 2.0), **options)
    np.testing.assert_array_equal(pair.tau[-1], [1.0, 2.0])
    none = armdyn.simulate(PUMA, Q0, QD0, 0.2, **options)
    assert np.abs(none.q - by_function.q).max() > 1e-3
    many = armdyn.simulate(
        PUMA, np.stack([Q0, Q0]), QD0, 0.2, lambda t, q, qd: slope * t + 0 * q, **options
    )
    np.testing.assert_allclose(many.q[:, 1], by_function.q, atol=1e-13)


def test_a_wrench_at_the_tip_acts_by_the_jacobian() -> None:
    wrench = np.array([3.0, -2.0, 4.0, 0.1, 0.2, -0.3])
    options = dict(integrator="rk4", step=1e-3)
    pushed = armdyn.simulate(PUMA, Q0, QD0, 0.1, wrench=wrench, **options)
    same = armdyn.simulate(
        PUMA, Q0, QD0, 0.1, lambda t, q, qd: PUMA.jacobian(q).T @ wrench, **options
    )
    np.testing.assert_allclose(pushed.q, same.q, atol=1e-13)
    assert not pushed.tau.any()
    held = armdyn.simulate(
        PUMA, Q0, QD0, 0.1, wrench=lambda t, q, qd: wrench, integrator="ab4", step=1e-3
    )
    np.testing.assert_allclose(held.q, same.q, atol=1e-7)


def test_arms_of_other_parameters_move_as_arms_of_their_own() -> None:
    arm = armdyn.load("planar2")
    heavy = armdyn.Robot(
        [armdyn.Joint(**{**vars(j), "mass": 2 * j.mass, "inertia": tuple(2 * x for x in j.inertia)})
         for j in arm.robot.joints],
        gravity=arm.robot.gravity, base=arm.robot.base, tool=arm.robot.tool,
    )  # fmt: skip
    other = armdyn.Arm(heavy)
    q, qd, torque = [0.3, 0.4], [0.1, -0.2], [1.0, 0.5]
    rows = np.stack([arm.parameters, other.parameters])
    for name in FIXED:
        both = armdyn.simulate(arm, q, qd, 0.3, torque, name, parameters=rows, step=1e-3)
        for k, one in enumerate((arm, other)):
            alone = armdyn.simulate(one, q, qd, 0.3, torque, name, step=1e-3)
            np.testing.assert_allclose(both.q[:, k], alone.q, atol=1e-11)
            np.testing.assert_allclose(both.energy[:, k], alone.energy, atol=1e-9)
    assert np.abs(both.q[-1, 0] - both.q[-1, 1]).max() > 1e-3


def test_a_link_without_mass_has_a_finite_energy_among_parameters() -> None:
    run = armdyn.simulate(PUMA, Q0, QD0, 0.01, integrator="rk4", parameters=[PUMA.parameters])
    expected = PUMA.kinetic_energy(run.q, run.qd) + PUMA.potential_energy(run.q)
    np.testing.assert_allclose(run.energy, expected, rtol=1e-12)


def test_samples_are_where_they_were_asked_for() -> None:
    times = np.array([0.0, 0.1, 0.25, 0.5])
    run = armdyn.simulate(PUMA, Q0, QD0, 0.5, samples=times, rtol=1e-9)
    np.testing.assert_array_equal(run.t, times)
    fixed = armdyn.simulate(PUMA, Q0, QD0, 0.5, integrator="rk4", samples=11)
    np.testing.assert_allclose(fixed.t, np.linspace(0, 0.5, 11), atol=1e-12)
    np.testing.assert_allclose(run.q[-1], fixed.q[-1], atol=1e-7)
    np.testing.assert_allclose(run.q[2], fixed.q[5], atol=1e-7)
    uneven = armdyn.simulate(PUMA, Q0, QD0, 0.5, integrator="rk4", step=0.03)
    assert uneven.t[-1] == 0.5
    assert np.diff(uneven.t).max() <= 0.03


@pytest.mark.parametrize("name", ["rk45", "rk4"])
def test_events_are_found_and_can_end_a_run(name: str) -> None:
    def speed(t: float, q: np.ndarray, qd: np.ndarray) -> float:
        return qd[1] - 1.0

    run = armdyn.simulate(PUMA, Q0, QD0, 1.0, integrator=name, events=speed, limits="report")
    found = [event.t for event in run.events if event.what == "event"]
    expected = np.interp(1.0, run.qd[:, 1][: run.qd[:, 1].argmax()], run.t[: run.qd[:, 1].argmax()])
    assert abs(found[0] - expected) < 2e-3
    speed.terminal = True  # type: ignore[attr-defined]
    ended = armdyn.simulate(PUMA, Q0, QD0, 1.0, integrator=name, events=speed)
    assert abs(ended.t[-1] - found[0]) < 2e-3
    assert abs(ended.qd[-1, 1] - 1.0) < 1e-2
    assert ended.complete
    if name == "rk45":
        sampled = armdyn.simulate(PUMA, Q0, QD0, 1.0, events=speed, samples=6)
        assert sampled.t[-1] == ended.t[-1]


@pytest.mark.parametrize("name", ["rk45", "dop853"])
def test_what_happens_within_a_step_is_not_missed(name: str) -> None:
    """A pendulum swings a hundredth over a limit and back, in steps that are longer than that."""
    joint = armdyn.Joint(mass=1.0, com=(0.7, 0.0, 0.0), upper=-np.pi / 2 + 0.99)
    arm = armdyn.Arm(armdyn.Robot([joint], gravity=(0.0, -9.81, 0.0)))

    def height(t: float, q: np.ndarray, qd: np.ndarray) -> float:
        return q[0] - joint.upper

    start = [-np.pi / 2 - 1.0]
    run = armdyn.simulate(arm, start, None, 3.5, integrator=name, events=height)
    assert [e.what for e in run.events].count("passes upper limit") == 2
    found = [e.t for e in run.events if e.what == "event"]
    assert len(found) == 4  # to and fro, twice
    fine = armdyn.simulate(arm, start, None, 3.5, integrator="rk4", events=height)
    np.testing.assert_allclose(found, [e.t for e in fine.events if e.what == "event"], atol=1e-4)
    stopped = armdyn.simulate(arm, start, None, 3.5, integrator=name, limits="stop")
    assert stopped.events[0].what == "stops at upper limit"
    assert stopped.q.max() < joint.upper + 1e-12


@pytest.mark.parametrize("name", ["rk45", "dop853"])
@pytest.mark.parametrize("coulomb", [0.0, 3.0])
def test_a_short_push_is_not_missed_while_nothing_moves(name: str, coulomb: float) -> None:
    joint = armdyn.Joint(kind="prismatic", mass=1.0, coulomb=coulomb)
    arm = armdyn.Arm(armdyn.Robot([joint], gravity=(0.0, 0.0, 0.0)))
    times = np.array([0.0, 2.0, 2.02, 2.04, 5.0])
    force = np.array([0.0, 0.0, 10.0, 0.0, 0.0])
    wrench = np.zeros((5, 6))
    wrench[:, 2] = force  # along the slide
    pushes = [
        {"torque": (times, force[:, None])},
        {"torque": lambda t, q, qd: np.interp([t], times, force)},
        {"wrench": (times, wrench)},
    ]
    for push in pushes:
        run = armdyn.simulate(arm, None, None, 5.0, integrator=name, rtol=1e-9, **push)
        if coulomb == 0.0:
            assert run.qd[-1, 0] == pytest.approx(0.2, rel=1e-5)  # the area under the force
            continue
        # it slips where the force passes friction, and stops when friction has taken all
        slips = 2.0 + 0.02 * coulomb / 10.0
        left = 0.2 - coulomb * (2.04 - slips) - 0.5 * (slips - 2.0) * coulomb
        assert [e.what for e in run.events] == ["slips", "sticks"]
        assert abs(run.events[0].t - slips) < 1e-6
        assert abs(run.events[1].t - (2.04 + left / coulomb)) < 1e-6


def test_no_step_is_longer_than_asked_for() -> None:
    joint = armdyn.Joint(kind="prismatic", mass=1.0)
    arm = armdyn.Arm(armdyn.Robot([joint], gravity=(0.0, 0.0, 0.0)))
    assert np.diff(armdyn.simulate(arm, None, [1.0], 9.0).t).max() > 1.0
    run = armdyn.simulate(arm, None, [1.0], 9.0, longest=0.25)
    assert np.diff(run.t).max() <= 0.25 * (1 + 1e-12)
    table = (np.linspace(0.0, 9.0, 10), np.zeros((10, 1)))
    assert np.diff(armdyn.simulate(arm, None, [1.0], 9.0, table).t).max() <= 4.0 + 1e-9
    asked = armdyn.simulate(arm, None, [1.0], 9.0, lambda t, q, qd: 0.0 * q)
    assert np.diff(asked.t).max() <= 0.09 * (1 + 1e-12)


def test_what_comes_after_the_end_of_a_run_is_not_told() -> None:
    def end(t: float, q: np.ndarray, qd: np.ndarray) -> float:
        return t - 1.0

    end.terminal = True  # type: ignore[attr-defined]
    arm = armdyn.load("planar2")
    run = armdyn.simulate(arm, [-1.5, 0.0], None, 3.0, events=[lambda t, q, qd: t - 1.0001, end])
    assert [(e.t, e.joint) for e in run.events if e.what == "event"] == [(1.0, 1)]


def test_passed_limits_are_reported() -> None:
    for name in ("rk45", "rk4"):
        run = armdyn.simulate(PUMA, Q0, QD0, 1.0, integrator=name)
        first = run.events[0]
        assert (first.what, first.joint) == ("passes upper limit", 1)
        at = np.interp(first.t, run.t, run.q[:, 1])
        assert abs(at - PUMA.robot.joints[1].upper) < 1e-2
        assert "joint2" in run.notes[0]


def test_every_method_of_forward_dynamics_gives_the_same_motion() -> None:
    ends = [
        armdyn.simulate(PUMA, Q0, QD0, 0.1, method=method, rtol=1e-9).q[-1]
        for method in armdyn.methods("forward_dynamics")
    ]
    for end in ends[1:]:
        np.testing.assert_allclose(end, ends[0], atol=1e-11)
    assert len(ends) > 3


def test_a_long_arm_is_simulated_too() -> None:
    arm = armdyn.Arm(armdyn.generic(14, seed=2))
    q = np.random.default_rng(0).uniform(-1, 1, (3, 14))
    runs = [armdyn.simulate(arm, q, None, 0.02, integrator=i, step=1e-3) for i in ("rk4", "ab4")]
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], atol=1e-5)
    alone = armdyn.simulate(arm, q[1], None, 0.02, rtol=1e-9)
    np.testing.assert_allclose(alone.q[-1], runs[0].q[-1, 1], atol=1e-6)


def test_limits_of_a_large_batch_are_told_with_the_number_of_the_arm() -> None:
    joint = armdyn.Joint(kind="prismatic", mass=1.0, upper=1.0)
    arm = armdyn.Arm(armdyn.Robot([joint], gravity=(0.0, 0.0, 0.0)))
    qd = np.zeros((5000, 1))
    qd[[3, 2050, 4999]] = 2.0
    run = armdyn.simulate(arm, None, qd, 1.0, integrator="rk4", step=0.01, samples=2)
    assert [e.arm for e in run.events] == [3, 2050, 4999]
    assert all(0.5 <= e.t <= 0.52 for e in run.events)
