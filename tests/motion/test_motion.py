"""Motions: exact derivatives, limits kept and used, ends at rest, bad input refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from armdyn import InputError, MethodError
from armdyn.motion.fourier import Fourier
from armdyn.motion.joint_space import JointSpace
from armdyn.motion.minimum_jerk import MinimumJerk
from armdyn.motion.trajectory import Trajectory
from support.says import Said, facts

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(5, 3))
TIMES = [0.0, 0.5, 1.5, 2.0, 3.0]
WAVES = RNG.normal(size=(2, 4, 3))

MOTIONS = {
    "fourier": Fourier(POINTS[0], *WAVES, 8.0, repeats=2),
    "fourier at rest": Fourier(POINTS[0], *WAVES, 8.0, repeats=2, at_rest=True),
    "minimum jerk": MinimumJerk(POINTS, TIMES),
    "minimum jerk in limits": MinimumJerk(POINTS, velocity=1.5, acceleration=[3.0, 2.0, 4.0]),
    "two points": MinimumJerk(POINTS[:2], [0.0, 2.0]),
    "trapezoid": JointSpace(POINTS[0], POINTS[1], 1.0, 2.0),
    "triangle": JointSpace(POINTS[0], POINTS[1], 50.0, [2.0, 3.0, 4.0]),
    "trapezoid in time": JointSpace(POINTS[0], POINTS[1], 1.0, 2.0, duration=9.0),
    "quintic": JointSpace(POINTS[0], POINTS[1], 1.0, 2.0, shape="quintic"),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_velocities_and_accelerations_are_derivatives(name: str) -> None:
    motion = MOTIONS[name]
    t = np.linspace(0.0, motion.duration, 60)[1:-1]
    h = 1e-5
    before, now, after = (motion.states(x) for x in (t - h, t, t + h))
    for k in (0, 1):
        slope = (after[k] - before[k]) / (2 * h)
        # a trapezoid's acceleration jumps: a difference across a jump is between both values
        wrong = np.abs(slope - now[k + 1]).max(axis=1) > 1e-5
        allowed = 2 if "trap" in name or name == "triangle" else 0
        assert wrong.sum() <= (allowed if k else 0)


@pytest.mark.parametrize("name", [name for name in MOTIONS if name != "fourier"])
def test_motions_begin_and_end_at_rest(name: str) -> None:
    motion = MOTIONS[name]
    _, qd, qdd = motion.states([0.0, motion.duration])
    assert np.abs(qd).max() < 1e-13
    if "trap" not in name and name != "triangle":
        assert np.abs(qdd).max() < 1e-12


def test_samples_are_evenly_spaced_and_include_both_ends() -> None:
    motion = JointSpace([0.0], [1.0], 1.0, 3.0)
    t, q, qd, qdd = motion.sample(100.0)
    assert t[0] == 0.0 and t[-1] == motion.duration
    assert np.ptp(np.diff(t)) < 1e-14 and abs(1.0 / t[1] - 100.0) < 1.0
    assert q.shape == qd.shape == qdd.shape == (len(t), 1)
    again = motion.sample(t)
    assert all(np.array_equal(a, b) for a, b in zip((t, q, qd, qdd), again, strict=True))


def test_states_keep_the_shape_of_times() -> None:
    motion = MOTIONS["minimum jerk"]
    assert motion.q(0.5).shape == (3,)
    assert motion.qd(np.zeros((2, 4))).shape == (2, 4, 3)
    assert np.array_equal(motion.qdd([0.25, 0.5])[1], motion.qdd(0.5))


def test_fourier_repeats_its_period() -> None:
    motion = MOTIONS["fourier"]
    assert isinstance(motion, Fourier) and motion.period == 4.0
    for first, second in zip(motion.states([0.3, 0.0]), motion.states([4.3, 8.0]), strict=True):
        assert np.abs(first - second).max() < 1e-12


def test_resting_series_stays_as_near_as_it_can() -> None:
    free, resting = MOTIONS["fourier"], MOTIONS["fourier at rest"]
    assert isinstance(free, Fourier) and isinstance(resting, Fourier)
    k = np.arange(1, 5)
    off = free.sines - resting.sines
    assert np.abs(off - np.outer(k, off[0])).max() < 1e-14
    off = free.cosines - resting.cosines
    assert np.abs(off - np.outer(k**2, off[0])).max() < 1e-14


def test_minimum_jerk_passes_its_waypoints() -> None:
    motion = MOTIONS["minimum jerk"]
    assert np.abs(motion.q(TIMES) - POINTS).max() < 1e-13


def test_between_two_points_minimum_jerk_is_the_known_polynomial() -> None:
    motion = MinimumJerk([[0.0], [1.0]], [0.0, 2.0])
    x = np.linspace(0, 1, 11)
    assert np.abs(motion.q(2 * x)[:, 0] - (10 * x**3 - 15 * x**4 + 6 * x**5)).max() < 1e-14


def test_minimum_jerk_has_less_jerk_than_stops_at_every_point() -> None:
    """No other motion through the points at these times may have less."""
    motion = MOTIONS["minimum jerk"]
    t = np.linspace(0.0, 3.0, 30_001)

    def jerk(qdd: np.ndarray) -> float:
        return float(np.sum(np.diff(qdd, axis=0) ** 2)) / t[1]

    stops = np.zeros((len(t), 3))
    for i in range(4):
        T = TIMES[i + 1] - TIMES[i]
        at = (t >= TIMES[i]) & (t <= TIMES[i + 1])
        x = (t[at] - TIMES[i])[:, None] / T
        stops[at] = (POINTS[i + 1] - POINTS[i]) * 60 * x * (1 - x) * (1 - 2 * x) / T**2
    assert jerk(motion.qdd(t)) < 0.9 * jerk(stops)
    # and a small change that keeps the waypoints makes it worse
    bump = np.prod([(t - x) ** 3 for x in TIMES], axis=0)
    change = np.gradient(np.gradient(bump, t), t)
    change *= np.abs(motion.qdd(t)).max() / np.abs(change).max()
    for share in (-1e-2, 1e-2):
        assert jerk(motion.qdd(t) + share * change[:, None]) > jerk(motion.qdd(t))


@pytest.mark.parametrize(
    ("name", "velocity", "acceleration"),
    [
        ("minimum jerk in limits", 1.5, [3.0, 2.0, 4.0]),
        ("trapezoid", 1.0, 2.0),
        ("triangle", 50.0, [2.0, 3.0, 4.0]),
        ("quintic", 1.0, 2.0),
    ],
)
def test_limits_are_kept_and_one_is_reached(name: str, velocity: float, acceleration) -> None:
    _, _, qd, qdd = MOTIONS[name].sample(5000.0)
    shares = (np.abs(qd).max(axis=0) / velocity).max(), (np.abs(qdd) / acceleration).max()
    assert max(shares) <= 1.0 + 1e-9
    assert max(shares) > 1.0 - 1e-4


@pytest.mark.parametrize("acceleration", [1e12, 1e18])
def test_a_ramp_may_be_very_short(acceleration: float) -> None:
    motion = JointSpace([0.0], [1.0], 1.0, acceleration)
    q, _, qdd = motion.states([0.0, 0.5, motion.duration])
    assert np.abs(q[:, 0] - [0.0, 0.5, 1.0]).max() < 1e-11
    assert qdd[0, 0] == pytest.approx(acceleration, rel=1e-12)


def test_joints_move_together() -> None:
    motion = MOTIONS["trapezoid"]
    q = motion.q(np.linspace(0, motion.duration, 20))
    share = (q - POINTS[0]) / (POINTS[1] - POINTS[0])
    assert np.abs(share - share[:, :1]).max() < 1e-12
    assert np.abs(share[[0, -1]].T - [0.0, 1.0]).max() < 1e-12


def test_motions_do_not_change() -> None:
    motion = MOTIONS["fourier"]
    with pytest.raises(FrozenInstanceError):
        motion.duration = 1.0  # pyright: ignore[reportAttributeAccessIssue]
    assert isinstance(motion, Fourier)
    with pytest.raises(ValueError, match="read-only"):
        motion.sines[0, 0] = 1.0
    assert repr(motion) == "<Fourier: 3 joints, 8 s>"


ONE = [[1.0]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Fourier([0.0], ONE, [[1.0, 2.0]], 1.0), "`cosines` has shape"),
        (lambda: Fourier([np.nan], ONE, ONE, 1.0), "finite"),
        (lambda: Fourier([0.0], ONE, ONE, 0.0), "`duration` is 0.0, expected a positive"),
        (lambda: Fourier([0.0], ONE, ONE, 1.0, repeats=0), "`repeats` is 0"),
        (lambda: Fourier([0.0], ONE, ONE, 1.0, at_rest=True), "harmonics"),
        (lambda: Fourier("a", ONE, ONE, 1.0), "`centre` is 'a'"),
        (lambda: MinimumJerk([[0.0]], [0.0]), "a single position"),
        (lambda: MinimumJerk([[0.0], [1.0]], [0.0, -1.0]), "increasing numbers"),
        (lambda: MinimumJerk([[0.0], [1.0]], [0.0, 1.0], velocity=1.0), "1.875 times as long"),
        (lambda: MinimumJerk([[0.0], [1.0]]), "without limits"),
        (lambda: MinimumJerk([[0.0], [0.0], [1.0]], velocity=1.0), "`waypoints` 0 and 1 are the"),
        (lambda: MinimumJerk([[0.0, 0.0], [1.0, 0.0]], velocity=[np.inf, 1.0]), "no joint that"),
        (lambda: JointSpace([0.0], [1.0, 2.0], 1.0), "`start` has 1 joints"),
        (lambda: JointSpace([0.0], [0.0], 1.0, 1.0), "the same position"),
        (lambda: JointSpace([0.0], [1.0], -1.0), "`velocity` is -1.0"),
        (lambda: JointSpace([0.0], [1.0], 1.0), "acceleration"),
        (lambda: JointSpace([0.0], [1.0], shape="quintic"), "give a `duration`"),
        (lambda: JointSpace([0.0], [1.0], 1.0, 1.0, duration=1.0), "takes 2 s"),
        (lambda: MOTIONS["trapezoid"].q(-1.0), "outside the motion"),
        (lambda: MOTIONS["trapezoid"].q("soon"), "expected seconds"),
        (lambda: MOTIONS["trapezoid"].q(np.nan), "outside the motion"),
        (lambda: MOTIONS["trapezoid"].sample(0.0), "`at` is 0.0"),
        (lambda: MOTIONS["trapezoid"].sample(1e12), "at most 10000000 samples"),
        (lambda: MOTIONS["trapezoid"].sample(np.zeros((2, 2))), ("rate", "times")),
    ],
)
def test_bad_input_is_refused(make, words: Said) -> None:
    with pytest.raises(InputError, match=facts(words)):
        make()


def test_unknown_profile_names_the_choices() -> None:
    with pytest.raises(MethodError, match="trapezoid, quintic"):
        JointSpace([0.0], [1.0], 1.0, 1.0, shape="round")  # pyright: ignore[reportArgumentType]


def test_all_are_trajectories() -> None:
    assert all(isinstance(motion, Trajectory) for motion in MOTIONS.values())
