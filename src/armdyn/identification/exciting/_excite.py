"""`excite`: the most informative motion of an arm, found in seconds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import (
    checked_flag,
    checked_number,
    checked_per_joint,
    checked_seed,
    checked_whole,
)
from armdyn._progress import Progress, reporter
from armdyn.arm import Arm
from armdyn.errors import NumericalError
from armdyn.identification._arguments import checked_arm
from armdyn.identification._tolerances import DETERMINED
from armdyn.identification.exciting._information import Information
from armdyn.identification.exciting._limits import Limits, limits_of
from armdyn.identification.exciting._motion import ExcitingMotion, judged
from armdyn.identification.exciting._search import search
from armdyn.identification.exciting._series import Motions, Series, times_of
from armdyn.minimal import MinimalParameters

Array = NDArray[np.float64]

# In a period of about this length [s], joints of usual speed can cross their ranges.
PERIOD = 10.0

# Number of random initial motions, and of motions in a generation of the search.
STARTS = 96
GENERATION = 48

# Points of a period at which a motion is evaluated: in the search, and at the end.
FEW_POINTS, POINTS_A_HARMONIC = 60, 12
MANY_POINTS, MANY_A_HARMONIC = 2400, 240

MOST_HARMONICS, MOST_REPEATS, MOST_EVALUATIONS = 50, 10**6, 10**9

# Allowed durations [s] and rates [1/s].
SHORTEST, LONGEST = 1e-3, 1e6
SLOWEST, FASTEST = 1e-3, 1e6

# Default errors of measured torques, as a share of the torque limits (or of usual torques).
NOISE = 0.01

# Bisections in the search for the largest amplitude that keeps the torque limits.
HALVINGS = 40


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
    repeats: int | None = None,
    evaluations: int = 20_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> ExcitingMotion:
    """Find a motion from which the arm's dynamic parameters can be identified best.

    It is a Fourier series at rest at both ends. Its information matrix of the minimal parameters
    has the largest determinant (D-optimal) within limits. Collisions with obstacles, the floor and
    the arm itself are not checked: choose `position` so that the arm cannot hit anything, and
    check the motion in a simulator first.

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
        repeats: periods in the duration; if left out, a period takes about 10 s.
        evaluations: number of motions to try.
        seed: of the random numbers: the same seed gives the same motion.
        progress: called with (done, total, what) after each generation of the search.

    Raises:
        InputError: an argument is wrong, or a limit is missing.
        NumericalError: no motion keeps the torque limits, or none determines the parameters.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
        >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
        >>> motion.duration, motion.n
        (4.0, 2)
    """
    checked_arm(arm)
    with_friction, with_rotor = checked_flag(friction, "friction"), checked_flag(rotor, "rotor")
    seconds = checked_number(duration, "duration", least=SHORTEST, below=LONGEST)
    per_second = checked_number(rate, "rate", least=SLOWEST, below=FASTEST)
    free = checked_number(margin, "margin", least=0.0, below=1.0)
    h = checked_whole(harmonics, "harmonics", 2, MOST_HARMONICS)
    times = max(1, round(seconds / PERIOD))
    if repeats is not None:
        times = checked_whole(repeats, "repeats", 1, MOST_REPEATS)
    tries = checked_whole(evaluations, "evaluations", STARTS, MOST_EVALUATIONS)
    rng = np.random.default_rng(checked_seed(seed))
    report = reporter(progress)
    limits = limits_of(arm, position, velocity, acceleration, torque)
    base = arm.minimal_with(rotor=with_rotor, friction=with_friction)
    sigma, words = _noise(arm, noise, limits)
    series = Series(limits.within(1.0 - free), h, seconds / times)
    information = Information(arm, base, series.limits, sigma)
    few = max(FEW_POINTS, POINTS_A_HARMONIC * h)
    row = search(
        lambda rows: information.scores(series.motions(rows, few)),
        series.random(STARTS, rng),
        tries,
        GENERATION,
        rng,
        lambda done: report(done, tries, "looking for the motion"),
    )
    many = max(MANY_POINTS, MANY_A_HARMONIC * h)
    shrink = _largest(arm, information, series.motions(row[None], many))
    trajectory = series.fourier(row, many, seconds, shrink)
    notes = (*base.notes, *limits.notes, *words, *_shrunk(shrink))
    _check_determined(base, information, trajectory.states(times_of(series.period, many)))
    return judged(
        arm, base, trajectory, limits, sigma, rate=per_second, points=many, notes=notes
    )  # fmt: skip


def _largest(arm: Arm, information: Information, motions: Motions) -> float:
    """Return the largest share of the amplitude at which no torque exceeds its limit."""

    def fits(share: float) -> bool:
        smaller = _smaller(motions, share)
        return bool((information.effort(smaller) <= 1.0).all())

    if fits(1.0):
        return 1.0
    if not fits(0.0):
        over = information.effort(_smaller(motions, 0.0))[0]
        worst = int(np.argmax(over))
        raise NumericalError(
            f"no motion was found that keeps the limits of torque: even to hold the arm, "
            f"{arm.joint_names[worst]} takes {over[worst]:.3g} times its limit (less the margin). "
            "Check the masses and `torque`, or narrow `position`."
        )
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _smaller(motions: Motions, share: float) -> Motions:
    centre = motions.centre[:, None, :]
    return Motions(
        centre + share * (motions.q - centre),
        share * motions.qd,
        share * motions.qdd,
        motions.centre,
        share * motions.sines,
        share * motions.cosines,
    )


def _shrunk(share: float) -> tuple[str, ...]:
    if share >= 0.999:
        return ()
    return (f"all amplitudes were made {1 - share:.1%} smaller to keep the limits of torque.",)


def _check_determined(
    base: MinimalParameters, information: Information, states: tuple[Array, Array, Array]
) -> None:
    one = Motions(*(x[None] for x in states), *3 * (np.zeros((1, 1)),))
    values = np.linalg.eigvalsh(information.scaled(one)[0])
    if not values[0] > DETERMINED * values[-1]:
        raise NumericalError(
            f"no motion was found that determines all {len(base)} parameters: the limits are too "
            "narrow, or the harmonics too few. Widen `position`, `velocity` and `torque`, or give "
            "more `harmonics`."
        )


def _noise(arm: Arm, given: ArrayLike | None, limits: Limits) -> tuple[Array, tuple[str, ...]]:
    if given is not None:
        return checked_per_joint(given, "noise", arm.n, above=0.0), ()
    rng = np.random.default_rng(0)
    q = rng.uniform(limits.lower, limits.upper, (200, arm.n))
    qd = rng.uniform(-limits.velocity, limits.velocity, (200, arm.n))
    qdd = rng.uniform(-limits.acceleration, limits.acceleration, (200, arm.n))
    usual = np.sqrt(np.mean(arm.inverse_dynamics(q, qd, qdd) ** 2, axis=0))
    size = np.where(np.isfinite(limits.torque), limits.torque, usual)
    words = (
        f"the errors of measured torques are taken to be {NOISE:.0%} of the limits of torque, or "
        "of usual torques where there are none; give `noise` for better predictions.",
    )
    return np.where(size > 0.0, NOISE * size, 1.0), words
