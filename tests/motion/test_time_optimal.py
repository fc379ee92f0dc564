"""Time-optimal motions: closed forms, toppra, limits between the nodes, and plain words."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Arm, InputError, Joint, NumericalError, Robot
from armdyn.graph.interpret import FLOATS, evaluate
from armdyn.motion.checking import asked
from armdyn.motion.limits import limits_of
from armdyn.motion.optimal import TimeOptimal, TimeOptimalPaths, time_optimal
from armdyn.motion.passes import two_pass_law
from armdyn.motion.paths import splines
from armdyn.motion.planning import Tight
from armdyn.motion.problem import MIN_COMPILED_SPLINES, Problem
from armdyn.motion.programs import bound_step, cap_step, forward_step
from support.says import Said, facts, says

POINTS = np.array([[0.3, -0.4], [-0.6, 0.9], [0.8, 0.2], [0.1, -0.7]])
EFFORT = (45.0, 15.0)


def planar(**friction: tuple[float, float]) -> Arm:
    """Return the arm of two links with limits and friction."""
    joints = [
        replace(joint, effort=EFFORT[k], velocity=4.0, **{x: v[k] for x, v in friction.items()})
        for k, joint in enumerate(armdyn.load("planar2").robot.joints)
    ]
    return Arm(replace(armdyn.load("planar2").robot, joints=tuple(joints)))


RUBBING = planar(viscous=(2.0, 0.5), coulomb=(2.0, 0.8), load_friction=(0.08, 0.05))


def one(arm: Arm, path: object = POINTS, **options: object) -> TimeOptimal:
    motion = time_optimal(arm, path, **{"nodes": 60, **options})  # pyright: ignore
    assert isinstance(motion, TimeOptimal)
    return motion


def mass(viscous: float, coulomb: float) -> Arm:
    joint = Joint(
        kind="prismatic", mass=2.0, viscous=viscous, coulomb=coulomb, effort=10.0, name="slide"
    )
    return Arm(Robot([joint], gravity=(0.0, 0.0, 0.0), name="mass"))


def shortest(m: float, F: float, Fv: float, Fc: float, way: float) -> float:
    """Return the time of a mass that is driven, then braked, by bisection on the first time."""
    if Fv == 0.0:
        a, b = (F - Fc) / m, (F + Fc) / m
        v = math.sqrt(2.0 * way * a * b / (a + b))
        return v / a + v / b
    k, ahead, back = Fv / m, (F - Fc) / Fv, (F + Fc) / Fv

    def both(t: float) -> tuple[float, float]:
        v = ahead * -math.expm1(-k * t)
        braking = math.log1p(v / back) / k
        return ahead * t - v / k + v / k - back * braking, t + braking

    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if both(middle)[0] < way else (low, middle)
    return both(low)[1]


@pytest.mark.parametrize(("viscous", "coulomb"), [(0.0, 0.0), (0.0, 3.0)])
def test_one_mass_without_viscous_friction_is_exact(viscous: float, coulomb: float) -> None:
    motion = one(mass(viscous, coulomb), [[0.0], [1.0]], nodes=100)
    assert motion.duration == pytest.approx(shortest(2, 10, viscous, coulomb, 1.0), rel=1e-13)


@pytest.mark.parametrize(("viscous", "coulomb"), [(4.0, 0.0), (4.0, 3.0), (20.0, 3.0)])
def test_one_mass_with_viscous_friction(viscous: float, coulomb: float) -> None:
    """It is a little too slow, since the limit holds at both ends of every piece."""
    arm, exact = mass(viscous, coulomb), shortest(2, 10, viscous, coulomb, 1.0)
    coarse, fine = (one(arm, [[0.0], [1.0]], nodes=k) for k in (100, 400))
    assert 0.0 < coarse.duration / exact - 1.0 < 7e-3
    assert 0.0 < fine.duration / exact - 1.0 < 2.5e-3
    assert max(coarse.excess, fine.excess) < 1e-9


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_without_friction_it_equals_toppra(name: str) -> None:
    toppra = pytest.importorskip("toppra")
    constraint, algorithm = toppra.constraint, toppra.algorithm
    arm = armdyn.load(name)
    points = np.random.default_rng(3).uniform(-1.0, 1.0, (3, 5, arm.n))
    if name == "panda":
        points[..., 3], points[..., 5] = points[..., 3] - 1.5, points[..., 5] + 1.5
    paths, limits = splines(points), limits_of(arm, None, None, None)
    problem = Problem.of(arm, paths, limits, False, 60)
    room = Tight.none(problem).room(problem, None)
    left = two_pass_law(problem, room, 0.0, 0.0, capped=False)
    both = two_pass_law(problem, room, 0.0, 0.0, left.speed, capped=False)
    kinds = constraint.DiscretizationType
    for k in range(len(points)):
        real = problem.length[:, k] > 0.0
        grid = problem.s[: int(real.sum()) + 1, k]
        path = toppra.SplineInterpolator(paths.knots[k], points[k], bc_type="natural")
        for law, scheme in ((left, kinds.Collocation), (both, kinds.Interpolation)):
            torque = constraint.JointTorqueConstraint(
                lambda q, qd, qdd: arm.inverse_dynamics(q, qd, qdd, friction=False),
                np.stack([-limits.effort, limits.effort], axis=1),
                np.zeros(arm.n),
                discretization_scheme=scheme,
            )
            speed = constraint.JointVelocityConstraint(
                np.stack([-limits.velocity, limits.velocity], axis=1)
            )
            peer = algorithm.TOPPRA([speed, torque], path, gridpoints=grid)
            _, theirs, _ = peer.compute_parameterization(0.0, 0.0)
            ours = law.speed[: len(grid), k]
            times = [(2.0 * np.diff(grid) / (y[1:] + y[:-1])).sum() for y in (ours, theirs)]
            assert times[0] == pytest.approx(times[1], rel=1e-4)


def test_limits_hold_at_1_khz_and_are_used() -> None:
    motion = one(RUBBING)
    t, q, qd, qdd = motion.sample(1000.0)
    tau = RUBBING.inverse_dynamics(q, qd, qdd)
    assert (np.abs(tau).max(axis=0) <= np.array(EFFORT) * 1.001).all()
    assert (np.abs(qd) <= 4.0 * 1.001).all()
    # some limit is nearly reached nearly all the time
    near = np.maximum((np.abs(tau) / EFFORT).max(axis=1), (np.abs(qd) / 4.0).max(axis=1))
    assert np.mean(near > 0.95) > 0.9
    assert sum(motion.shares().values()) > 0.9
    np.testing.assert_allclose(q[[0, -1]], POINTS[[0, -1]], atol=1e-12)
    np.testing.assert_allclose(qd[[0, -1]], 0.0, atol=1e-9)
    # velocities are the derivatives of positions
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[2:-2], qd[2:-2], atol=0.02)
    assert motion.duration > one(planar()).duration


def test_friction_of_zero_is_no_friction() -> None:
    with_zeros = planar(viscous=(0.0, 0.0), coulomb=(0.0, 0.0), load_friction=(0.0, 0.0))
    assert one(with_zeros).duration == one(RUBBING, friction=False).duration


def test_without_friction_time_can_be_reversed() -> None:
    there, back = (one(planar(), points, nodes=800) for points in (POINTS, POINTS[::-1]))
    assert there.duration == pytest.approx(back.duration, rel=1e-5)


def test_paths_do_not_depend_on_their_neighbours() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.0, 1.0, (5, 4, 2))
    points[2, 1:] = points[2, :1] + np.arange(1, 4)[:, None] * 1e-3
    many = time_optimal(RUBBING, points, nodes=40)
    assert isinstance(many, TimeOptimalPaths) and many.valid.all()
    for k in (0, 2, 4):
        alone = one(RUBBING, points[k], nodes=40)
        assert alone.duration == many[k].duration == many.duration[k]
        np.testing.assert_array_equal(alone.sd, many[k].sd)


def test_programs_give_the_same_on_floats_and_compiled() -> None:
    paths, limits = splines(POINTS[None]), limits_of(RUBBING, None, 40.0, None)
    problem = Problem.of(RUBBING, paths, limits, True, 20)
    room = Tight.none(problem).room(problem, None)
    law = two_pass_law(problem, room, 0.0, 0.0)
    for i in (0, 7, 15):
        top = law.bound[i + 1, 0]
        piece = np.array([[2.0 * problem.length[i, 0], 1.0, 1e-4]])
        rows = (problem.node[i], problem.node[i + 1], room.left[i], room.right[i], room.most[i])
        speeds = (np.array([[x]]) for x in (top, 0.7 * top, 2.0 * top + 0.1))
        given = (*rows, problem.sigma[i], piece, *speeds)
        drives = problem.drives
        for evaluator in (bound_step(drives), cap_step(drives), forward_step(drives)):
            floats = evaluate(evaluator.program, np.concatenate(given, axis=1)[0].tolist(), FLOATS)
            compiled = [x[0] for x in evaluator(given, (1,)).results]
            np.testing.assert_allclose(compiled, floats, rtol=1e-9, atol=1e-12)


def test_nodes_of_many_paths_are_those_of_each() -> None:
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (MIN_COMPILED_SPLINES, 4, 2))
    limits = limits_of(RUBBING, None, None, None)
    many = Problem.of(RUBBING, splines(points), limits, True, 20)
    for k in (0, 7, MIN_COMPILED_SPLINES - 1):
        alone = Problem.of(RUBBING, splines(points[[k]]), limits, True, 20)
        real = len(alone.s)
        for name in ("s", "node", "sigma", "fastest"):
            ours, theirs = (getattr(x, name) for x in (many, alone))
            ours = ours[: real - (name == "sigma"), k]
            np.testing.assert_allclose(ours, theirs[:, 0], rtol=1e-12, atol=1e-12)


def test_a_speed_is_capped_wherever_the_search_finds_a_better_one() -> None:
    """`bound` says where lower speeds may be better: `cap` finds none elsewhere."""
    points = np.random.default_rng(3).uniform(-2.0, 2.0, (MIN_COMPILED_SPLINES, 5, 2))
    for arm in (planar(), RUBBING):
        problem = Problem.of(arm, splines(points), limits_of(arm, 30.0, None, None), True, 30)
        room = Tight.none(problem).room(problem, None)
        law = two_pass_law(problem, room, 0.0, 0.0)
        rng, better, told = np.random.default_rng(0), 0, 0
        for i in range(len(problem.length)):
            top, y = (
                x[:, None] * rng.uniform(0.3, 3.0, (MIN_COMPILED_SPLINES, 1))
                for x in law.bound[[i + 1, i]]
            )
            piece = np.stack(
                [2.0 * problem.length[i], *np.full((2, MIN_COMPILED_SPLINES), [[1.0], [1e-4]])], 1
            )
            rows = (problem.node[i], problem.node[i + 1], room.left[i], room.right[i], room.most[i])
            given = (*rows, problem.sigma[i], piece, top, top, y)
            _, bound, state = bound_step(problem.drives)(given, (MIN_COMPILED_SPLINES,)).results
            best = cap_step(problem.drives)(
                (*given[:-1], bound[:, None]), (MIN_COMPILED_SPLINES,)
            ).results[0]
            real = problem.length[i] > 0.0
            assert (best <= bound)[real].all()
            assert (state[real & (best < bound)] > 0.0).all()
            better += int((real & (best < bound)).sum())
            told += int((state[real] > 0.0).sum())
        assert 10 < better <= told < problem.length.size / 2


def test_many_paths_are_judged_by_one_program_as_one_by_parts() -> None:
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (MIN_COMPILED_SPLINES, 4, 2))
    limits = limits_of(RUBBING, None, 40.0, np.stack([EFFORT, [3.0, 0.0]], axis=1))
    problem = Problem.of(RUBBING, splines(points), limits, True, 20)
    law = two_pass_law(problem, Tight.none(problem).room(problem, None), 0.0, 0.0)
    compiled = asked(problem, law.speed)
    parts = [
        asked(problem.some(np.array([k])), law.speed[:, [k]]) for k in range(MIN_COMPILED_SPLINES)
    ]
    for name in ("velocity", "used"):
        alone = np.concatenate([getattr(part, name) for part in parts], axis=1)
        np.testing.assert_allclose(getattr(compiled, name), alone, rtol=1e-9, atol=1e-9)
    piece, lane = compiled.beyond
    assert len(piece) > MIN_COMPILED_SPLINES
    for k, part in enumerate(parts):
        here = lane == k
        np.testing.assert_array_equal(piece[here], part.beyond[0])
        np.testing.assert_allclose(compiled.over[here], part.over, rtol=1e-9, atol=1e-9)
        assert compiled.acceleration is not None and part.acceleration is not None
        np.testing.assert_allclose(compiled.acceleration[here], part.acceleration, rtol=1e-9)
    some = compiled.some(np.array([5, 2]))
    np.testing.assert_array_equal(some.used, compiled.used[:, [5, 2]])
    at = (lane == 5) | (lane == 2)
    np.testing.assert_array_equal(some.beyond[1], np.where(lane[at] == 5, 0, 1))
    np.testing.assert_array_equal(some.over, compiled.over[at])
    assert (compiled.which == compiled.which.round()).all() and compiled.which.max() < 6


def test_speeds_at_the_ends_and_effort_that_falls_with_speed() -> None:
    flying = one(RUBBING, start_speed=0.2, end_speed=0.3)
    assert flying.sd[0] == 0.2 and flying.sd[-1] == pytest.approx(0.3, rel=1e-6)
    falling = np.stack([EFFORT, [3.0, 1.0]], axis=1)
    motion = one(RUBBING, effort=falling)
    t = np.linspace(0.0, motion.duration, 2000)
    over = np.abs(motion.torques(t)) - (EFFORT - falling[:, 1] * np.abs(motion.qd(t)))
    assert (over <= 1e-3 * np.array(EFFORT)).all() and motion.duration > one(RUBBING).duration


def test_other_friction_is_checked_by_inverse_dynamics() -> None:
    arm = planar(
        coulomb=(2.0, 0.8), stribeck=(2.0, 0.5), stribeck_velocity=(0.3, 0.3),
        root_friction=(1.0, 0.3),
    )  # fmt: skip
    motion = one(arm)
    tau = motion.torques(np.linspace(0.0, motion.duration, 2000))
    assert (np.abs(tau).max(axis=0) <= np.array(EFFORT) * 1.001).all()


def test_functions_are_paths() -> None:
    functions = (
        lambda s: np.stack([np.sin(2.0 * s), s**2], axis=1),
        lambda s: np.stack([2.0 * np.cos(2.0 * s), 2.0 * s], axis=1),
        lambda s: np.stack([-4.0 * np.sin(2.0 * s), 2.0 + 0.0 * s], axis=1),
    )
    motion = one(RUBBING, functions)
    assert np.abs(motion.s - np.pi / 4).min() < 1e-9  # the first joint turns there
    np.testing.assert_allclose(motion.q(motion.duration), [np.sin(2.0), 1.0], atol=1e-12)
    from scipy.interpolate import CubicSpline

    paths = splines(POINTS[None])
    spline = CubicSpline(paths.knots[0], POINTS, bc_type="natural")
    assert one(RUBBING, spline).duration == pytest.approx(one(RUBBING).duration, rel=1e-6)


@pytest.mark.parametrize(
    ("path", "options", "words"),
    [
        ([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]], {}, ("0 and 1", "same")),
        ([[0.0, 0.0]], {}, "one way-point"),
        ([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], {}, "has 3 joints"),
        (POINTS, {"effort": 0.0}, "effort"),
        (POINTS, {"velocity": [1.0, 0.0]}, "velocity"),
        (POINTS, {"acceleration": 0.0}, "acceleration"),
        (POINTS, {"end_speed": 50.0}, ("velocity", "at most")),
        (POINTS, {"start_speed": 1.8, "effort": 25.0}, ("entered", "at most")),
        (lambda s: s, {}, "second argument"),
    ],
)
def test_bad_paths_are_told(path: object, options: dict[str, object], words: Said) -> None:
    with pytest.raises(InputError, match=facts(words)):
        one(planar(), path, **options)


def test_an_end_speed_out_of_reach_is_told() -> None:
    with pytest.raises(InputError, match=facts("reach at most")):
        one(mass(4.0, 3.0), [[0.0], [1.0]], end_speed=1.74)


def test_an_arm_that_cannot_hold_itself_is_told_where_and_marks_only_its_path() -> None:
    down = np.array([[-1.6, 0.0], [-1.5, 0.1]])  # hanging down takes no torque
    level = np.array([[-1.6, 0.0], [0.0, 0.0]])
    with pytest.raises(NumericalError, match=r"cannot hold itself at s = 0\.\d+.*'joint1'"):
        one(planar(), level, effort=[12.0, 10.0])
    many = time_optimal(planar(), [down, level, down], nodes=40, effort=[12.0, 10.0])
    assert many.valid.tolist() == [True, False, True] and np.isnan(many.duration[1])
    assert isinstance(many, TimeOptimalPaths) and many.duration[0] == many.duration[2]
    with pytest.raises(NumericalError, match="cannot hold itself"):
        many[1]


def test_one_infeasible_path_among_many_marks_only_itself() -> None:
    """Many paths are planned by other programs than few.

    Path 14 starts where one limit leaves little and the other is tightened by more than that.
    """
    rng = np.random.default_rng(2)
    points = np.array([-1.57, 0.0]) + rng.uniform(-0.4, 0.4, (MIN_COMPILED_SPLINES + 3, 3, 2))
    points[4] = [[-1.6, 0.0], [-0.8, 0.1], [0.0, 0.0]]  # the arm cannot hold itself level
    points[9, 1] = points[9, 0]
    many = time_optimal(RUBBING, points, nodes=30, effort=[14.0, 10.0])
    assert isinstance(many, TimeOptimalPaths)
    assert np.flatnonzero(~many.valid).tolist() == [4, 9]
    assert says(many.errors[4], "hold itself", "s =")
    assert says(many.errors[9], "0 and 1", "path 9")
    for k in (0, 5, MIN_COMPILED_SPLINES + 2):
        alone = one(RUBBING, points[k], nodes=30, effort=[14.0, 10.0])
        assert many.duration[k] == pytest.approx(alone.duration, rel=1e-12)
        np.testing.assert_allclose(many[k].sd, alone.sd, rtol=1e-9, atol=1e-9)


def test_a_repeated_way_point_marks_only_its_path() -> None:
    bad = np.array([[0.0, 0.0], [0.5, 0.5], [0.5, 0.5]])
    good = np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 0.5]])
    many = time_optimal(RUBBING, [bad, good, bad, good], nodes=40)
    assert isinstance(many, TimeOptimalPaths)
    assert many.valid.tolist() == [False, True, False, True]
    assert (
        many[3].duration
        == many.duration[3]
        == many.duration[1]
        == one(RUBBING, good, nodes=40).duration
    )
    assert many[-1].q(0.0).tolist() == [0.0, 0.0]
    with pytest.raises(InputError, match=facts("1 and 2", "path 2")):
        many[2]
    none = time_optimal(RUBBING, [bad, bad])
    assert isinstance(none, TimeOptimalPaths) and not none.valid.any()
