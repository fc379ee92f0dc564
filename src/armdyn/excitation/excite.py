"""`excite`: an optimal excitation trajectory of an arm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_flag, checked_number, checked_seed, checked_whole
from armdyn.cluster import checked_client
from armdyn.errors import InputError, NumericalError
from armdyn.excitation.information import Information
from armdyn.excitation.limits import Limits, limits_of
from armdyn.excitation.motion import ExcitingMotion
from armdyn.excitation.search import EFFORT, Search, best_row
from armdyn.excitation.series import Ends, Series
from armdyn.excitation.surroundings import check_free, free_limits, surroundings_of
from armdyn.motion.trajectory import checked_arm, checked_limits
from armdyn.numerics import ROUNDING
from armdyn.progress import Progress, reporter

# In a period of about this length [s], joints of usual speed can cross their ranges.
PERIOD = 10.0

# Default standard deviation of measured torques, as a share of the torque limits (or, without
# limits, of the rms torque in random states).
NOISE_SHARE = 0.01

# All parameters are determined if the least eigenvalue of the information matrix, relative to the
# largest one, exceeds the rounding of its entries, which are squares.
DETERMINED = 1e-13

# A parameter is weakly excited if its relative standard deviation is larger.
WEAK = 0.1


def excite(
    arm: Arm,
    duration: float = 20.0,
    harmonics: int = 5,
    *,
    rate: float = 200.0,
    position: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    margin: float = 0.05,
    friction: bool = True,
    rotor: bool = False,
    noise: ArrayLike | None = None,
    speed: float = 1.0,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
    floor: float | None = None,
    walls: ArrayLike | None = None,
    self_collision: bool | None = None,
    radius: ArrayLike | None = None,
    clearance: float = 0.0,
    repeats: int | None = None,
    evaluations: int = 20_000,
    seed: int = 0,
    progress: Progress | None = None,
    restarts: int = 1,
    client: Any = None,
) -> ExcitingMotion:
    """Compute an optimal excitation trajectory: the arm's parameters are identified best from it.

    It is a Fourier series at rest at both ends. Its information matrix of the minimal parameters
    has the largest determinant (D-optimal) within limits. With `floor`, `walls` or
    `self_collision`, the links keep clear of these planes and of each other: capsules stand for
    them, which enclose the solids of the robot's file (its <collision> elements, meshes included)
    or lie along the links. For position servos without torque sensors, `excite_static` computes
    poses. The motion is checked at 1 kHz; `clearance` of the result is the
    smallest distance. Other obstacles are unknown: check the motion in a simulator first.

    Args:
        arm: the arm; its masses, even if rough, predict the torques.
        duration: of the motion [s].
        harmonics: of the series, two or more.
        rate: samples of torque per second [1/s], for predictions and saved files.
        position: lowest and highest position, ``(2,)`` or ``(n, 2)``; the robot's if left out.
        velocity: largest, for all joints or one each; the robot's if left out.
        acceleration: largest, for all joints or one each.
        torque: largest, for all joints or one each; the robot's if left out.
        margin: share of all limits that stays unused.
        friction: also identify friction.
        rotor: also identify rotor inertias.
        noise: standard deviation of a measured torque, for all joints or one each; a hundredth of
            the limits of torque if left out.
        speed: share of the limits of velocity and acceleration to use, above 0 and up to 1.
        start: where the motion starts, ``(n,)``; if left out, at `end`, or where it is best.
        end: where it ends, ``(n,)``; if left out, where it starts.
        floor: height of a floor in the base frame [m], against gravity. The base may stand on it.
        walls: planes (nx, ny, nz, d) in the base frame, ``(k, 4)``: the arm stays where
            nx x + ny y + nz z >= d.
        self_collision: keep links clear of each other; if left out, with `floor` or `walls`. Links
            that a joint connects, and links that always touch, are not compared.
        radius: of capsules along the links, one number or one a link [m]; if left out, capsules
            enclose the solids of the robot's file.
        clearance: least distance to keep [m].
        repeats: periods in the duration; if left out, a period takes about 10 s.
        evaluations: number of motions to try; about four times as many to keep clear.
        seed: of the random numbers: the same seed gives the same motion.
        progress: called with (done, total, what) after each generation of the search; with a
            client, after each search.
        restarts: number of searches, from different random motions; the best motion counts.
        client: a `distributed.Client`, whose workers do the searches. The motion is the same as
            without it.

    Returns:
        The motion, with the standard deviations of the parameters that it promises.

    Raises:
        InputError: an argument is wrong, or a limit is missing.
        NumericalError: no motion keeps the torque limits, or keeps clear, or none determines the
            parameters.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
        >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
        >>> motion.duration, motion.n
        (4.0, 2)
        >>> motion = armdyn.excite(arm, 4.0, 2, **limits, evaluations=200, walls=[(0, 1, 0, -1.5)])
        >>> motion.clearance >= 0.0, motion.closest[0].between
        (True, ('link of joint2', 'wall 1'))
    """
    arm = checked_arm(arm, "Exciting motions")
    with_friction, with_rotor = checked_flag(friction, "friction"), checked_flag(rotor, "rotor")
    # values beyond these bounds are a mistake, such as another unit
    seconds = checked_number(duration, "duration", least=1e-3, below=1e6)
    per_second = checked_number(rate, "rate", least=1e-3, below=1e6)
    free = checked_number(margin, "margin", least=0.0, below=1.0)
    h = checked_whole(harmonics, "harmonics", 2, 50)
    times = max(1, round(seconds / PERIOD))
    if repeats is not None:
        times = checked_whole(repeats, "repeats", 1, 10**6)
    tries = checked_whole(evaluations, "evaluations", EFFORT.starts, 10**9)
    first, searches = checked_seed(seed), checked_whole(restarts, "restarts", 1, 100_000)
    report, cluster = reporter(progress), checked_client(client)
    limits = limits_of(arm, position, velocity, acceleration, torque)
    base = arm.minimal_with(rotor=with_rotor, friction=with_friction)
    sigma, words = _noise(arm, noise, limits)
    inner = limits.within(1.0 - free, checked_number(speed, "speed", above=0.0, most=1.0))
    ends = _ends(arm, start, end, inner, seconds)
    around = surroundings_of(arm, limits, floor, walls, self_collision, radius, clearance)
    information = Information(arm, base, inner, sigma)
    if around.avoided:
        check_free(around.space, inner, ends)
        inner = free_limits(around.space, inner, ends)
    series = Series(inner, h, seconds, times, ends)
    search = Search(series, information, around.space if around.avoided else None, tries)
    row = best_row(search, first, searches, cluster, report)
    shrink, trajectory = search.shrink(row), search.trajectory(row)
    states = np.stack(trajectory.states(series.times(search.points)))
    _check_determined(information, states)
    std, log_det, condition = information.precision(states, per_second * seconds)
    shrunk = f"all amplitudes were made {1 - shrink:.1%} smaller to keep the limits of torque."
    values = base.values
    known = np.abs(values) > ROUNDING * np.abs(values).max(initial=0.0)
    weak = known & (std > WEAK * np.abs(values))
    signals = (*states, arm.inverse_dynamics(*states))
    ranges = zip(signals, limits.ranges.items(), strict=True)
    near = around.closest(trajectory)
    return ExcitingMotion(
        trajectory, arm, limits, per_second, base.names, values, std, log_det, condition,
        weak=tuple(np.array(base.names)[weak].tolist()),
        peaks={name: np.abs(x - middle).max(axis=0) / half for x, (name, (middle, half)) in ranges},
        clearance=near[0].distance if near else np.inf,
        closest=near, capsules=around.body.capsules,
        notes=(
            *base.notes, *limits.notes, *words, *([shrunk] if shrink < 0.999 else ()),
            *around.notes(trajectory, near),
        ),
    )  # fmt: skip


def _ends(arm: Arm, start: object, end: object, inner: Limits, seconds: float) -> Ends | None:
    """Return where the motion starts and ends, checked; None if both are free."""
    what = f"a position of all {arm.n} joints"
    given = {
        name: checked_array(value, name, (arm.n,), what=what)
        for name, value in (("start", start), ("end", end))
        if value is not None
    }
    if not given:
        return None
    for name, q in given.items():
        inside = (inner.lower < q) & (q < inner.upper)
        if not inside.all():
            j = int(np.argmin(inside))
            raise InputError(
                f"`{name}` has {arm.joint_names[j]} at {q[j]:g}, expected a position between its "
                f"limits less the margin, {inner.lower[j]:g} to {inner.upper[j]:g}.",
                argument=name,
            )
    first = given.get("start", given.get("end", inner.lower))
    ends = Ends(first, given.get("end", first), seconds)
    speed, change = ends.speeds()
    late = (speed >= inner.velocity) | (change >= inner.acceleration)
    if late.any():
        raise InputError(
            f"`end` is too far from `start` for {arm.joint_names[int(np.argmax(late))]}: in "
            f"{seconds:g} s its limits of velocity and acceleration allow no more than that. Give "
            "a longer `duration`.",
            argument="end",
        )
    return ends


def _check_determined(information: Information, states: Array) -> None:
    values = np.linalg.eigvalsh(information.scaled(states[:, None])[0])
    if not values[0] > DETERMINED * values[-1]:
        raise NumericalError(
            f"no motion was found that determines all {len(information.base)} parameters: the "
            "limits are too narrow, or the harmonics too few. Widen `position`, `velocity` and "
            "`torque`, or give more `harmonics`."
        )


def _noise(arm: Arm, noise: ArrayLike | None, limits: Limits) -> tuple[Array, tuple[str, ...]]:
    if noise is not None:
        return checked_limits(noise, "noise", arm.n, infinite=False), ()
    torques = arm.inverse_dynamics(*limits.random_states(200))
    usual = np.sqrt(np.mean(torques**2, axis=0))
    size = np.where(np.isfinite(limits.torque), limits.torque, usual)
    words = (
        f"the standard deviation of measured torques is assumed to be {NOISE_SHARE:.0%} of the "
        "limits of torque, or of usual torques where there are none; give `noise` for better "
        "predictions.",
    )
    return np.where(size > 0.0, NOISE_SHARE * size, 1.0), words
