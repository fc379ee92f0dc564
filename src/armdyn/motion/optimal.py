"""Time-optimal motions: paths in joint space, as fast as drives and friction allow.

Along a path q(s), Coulomb friction and friction of the load are linear in x = (ds/dt)^2 and
u = d2s/dt2, and viscous friction is linear in ds/dt: for each limit, the admissible speeds are
bounded by the root of a quadratic. A pass backwards finds the largest speed from which the arm can
still slow down in time, a pass forwards the fastest motion below it [Pham2018]. What is added here:
friction, the limits at both ends of every piece, and limits that are tightened until they hold
between the nodes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import (
    checked_array,
    checked_flag,
    checked_number,
    checked_positive,
    checked_whole,
)
from armdyn.errors import ArmdynError, InputError, shown
from armdyn.log.log import Log
from armdyn.motion.checking import LIMITS
from armdyn.motion.limits import Limits, Question, limits_of
from armdyn.motion.paths import FunctionPath, Paths, repeated, splines
from armdyn.motion.planning import Plan, plans
from armdyn.motion.trajectory import Trajectory, checked_arm

# More nodes are taken to be a mistake.
MOST_NODES = 20_000
# A limit counts as reached from this share on.
ACTIVE = 0.99

WHAT = "way-points (K, n) or (B, K, n), two or more, or q(s) with two derivatives"


@dataclass(frozen=True, eq=False, repr=False, init=False)
class TimeOptimal(Trajectory):
    """The fastest motion along a path; made by `time_optimal`.

    Between two nodes the acceleration along the path is constant.

    Examples:
        >>> motion = armdyn.motion.time_optimal(armdyn.load("ur10"), [np.zeros(6), np.ones(6)])
        >>> motion.s[[0, -1]], motion.sd[[0, -1]], bool(motion.excess < 1e-3)
        (array([0., 1.]), array([0., 0.]), True)

    Attributes:
        arm: the arm.
        limits: those of its joints.
        friction: whether friction was planned with.
        s: nodes of the path, from 0 to 1, ``(N + 1,)``.
        sd: ds/dt there [1/s], ``(N + 1,)``.
        sdd: d2s/dt2 between them [1/s^2], ``(N,)``.
        times: at which the nodes are passed [s], ``(N + 1,)``.
        bound: largest ds/dt from which the arm can go on within the limits, ``(N + 1,)``.
        excess: largest excess over a limit between the nodes, as a share of it.
        active: the joint, from 0, and the limit, an index into `LIMITS`, that determine the
            motion between two nodes, ``(N, 2)``; -1 where no limit is reached.
        islands: whether, above the bound, there are admissible speeds again, ``(N + 1,)``. Viscous
            friction may cause this; the motion is then perhaps not the fastest.
    """

    LIMITS = LIMITS

    arm: Arm
    limits: Limits
    friction: bool
    s: Array
    sd: Array
    sdd: Array
    times: Array
    bound: Array
    excess: float
    active: NDArray[np.intp]
    islands: NDArray[np.bool_]
    _path: Paths

    def __init__(self, question: Question, path: Paths, plan: Plan) -> None:
        length = np.diff(plan.s)
        speed, times = plan.speed, plan.times
        which = np.stack([plan.joint, plan.limit], axis=1)
        self._set(arm=question.arm, limits=question.limits, friction=question.friction)
        self._set(s=plan.s, sd=speed, sdd=np.diff(speed**2) / (2.0 * length), times=times)
        self._set(bound=plan.bound, excess=plan.excess, islands=plan.islands, _path=path)
        self._set(active=np.where(plan.used[:, None] >= ACTIVE, which, -1))
        self._set(duration=float(times[-1]), n=question.arm.n)
        for array in (self.s, self.sd, self.sdd, times, self.bound, self.active, self.islands):
            array.flags.writeable = False

    def along(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Return s, ds/dt and d2s/dt2; d2s/dt2 is zero at an end at rest.

        Args:
            t: times ``(...)`` [s].

        Returns:
            Three arrays ``(...)``: s has no unit; [1/s] and [1/s^2].

        Examples:
            >>> motion = armdyn.motion.time_optimal(armdyn.load("ur10"), [np.zeros(6), np.ones(6)])
            >>> s, sd, sdd = motion.along(motion.duration)
            >>> float(s), float(sd)
            (1.0, 0.0)
        """
        times = self._times(t)
        piece = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.sdd) - 1)
        dt, sdd = times - self.times[piece], self.sdd[piece]
        s = self.s[piece] + dt * (self.sd[piece] + 0.5 * sdd * dt)
        sd = np.maximum(self.sd[piece] + sdd * dt, 0.0)
        end = times >= self.duration
        return (
            np.where(end, 1.0, np.minimum(s, self.s[piece + 1])),
            np.where(end, self.sd[-1], sd),
            np.where(end & (self.sd[-1] == 0.0), 0.0, sdd),
        )

    def _states(self, t: Array) -> tuple[Array, Array, Array]:
        s, sd, sdd = (x[:, None] for x in self.along(t))
        q, by_s, by_ss = self._path.at(s[:, 0])
        return q, by_s * sd, by_s * sdd + by_ss * sd * sd

    def torques(self, t: ArrayLike) -> Array:
        """Return the torques of the motion, friction included.

        Args:
            t: times ``(...)`` [s].

        Returns:
            Torques ``(..., n)`` [N m or N].

        Examples:
            >>> arm = armdyn.load("ur10")
            >>> motion = armdyn.motion.time_optimal(arm, [np.zeros(6), np.ones(6)])
            >>> tau = motion.torques(np.linspace(0.0, motion.duration, 500))
            >>> bool((np.abs(tau) <= 1.001 * motion.limits.effort).all())
            True
        """
        return self.arm.inverse_dynamics(*self.states(t), friction=self.friction)

    def save(self, path: str | os.PathLike[str], *, rate: float = 1000.0) -> None:
        """Write t, q, qd and qdd as a log (CSV, NPZ, Parquet), for a controller and for `Log.read`.

        Args:
            path: the file; its suffix is .csv, .npz or .parquet.
            rate: samples per second [Hz].

        Raises:
            FileError: the suffix is unknown, or the file cannot be written.

        Examples:
            >>> motion = armdyn.motion.time_optimal(armdyn.load("ur10"), [np.zeros(6), np.ones(6)])
            >>> motion.save("motion.csv", rate=100.0)
            >>> len(armdyn.Log.read("motion.csv")) == len(motion.sample(100.0)[0])
            True
        """
        Log(*self.sample(rate), joint_names=self.arm.joint_names).save(path)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Plot the speed along the path below its bound, the active limits, and the torques.

        Args:
            path: the file; its suffix is .png, .svg or .pdf.

        Raises:
            MissingExtraError: Matplotlib is not installed.
            FileError: the file cannot be written.

        Examples:
            >>> motion = armdyn.motion.time_optimal(armdyn.load("ur10"), [np.zeros(6), np.ones(6)])
            >>> motion.plot("motion.svg")
        """
        from armdyn.motion.optimal_plot import write_plot  # 3 ms; only plots need it

        write_plot(path, self)

    def shares(self) -> dict[tuple[str, str], float]:
        """Return the share of the time during which each limit of each joint is active.

        Returns:
            Shares from 0 to 1 by (joint name, limit).

        Examples:
            >>> motion = armdyn.motion.time_optimal(armdyn.load("ur10"), [np.zeros(6), np.ones(6)])
            >>> set(limit for _, limit in motion.shares()) <= {"effort", "velocity"}
            True
        """
        shares: dict[tuple[str, str], float] = {}
        for (joint, limit), dt in zip(self.active.tolist(), np.diff(self.times), strict=True):
            if joint >= 0:
                key = (self.arm.joint_names[int(joint)], LIMITS[int(limit)])
                shares[key] = shares.get(key, 0.0) + float(dt) / self.duration
        return dict(sorted(shares.items(), key=lambda item: -item[1]))


@dataclass(frozen=True, eq=False, repr=False)
class TimeOptimalPaths(Sequence[TimeOptimal]):
    """Time-optimal motions along many paths; a path that cannot be followed has an error instead.

    Examples:
        >>> many = armdyn.motion.time_optimal(armdyn.load("ur10"), [[[0.0] * 6, [1.0] * 6]] * 2)
        >>> len(many), many.duration.shape, many.valid
        (2, (2,), array([ True,  True]))

    Attributes:
        duration: of each motion [s], NaN where there is none, ``(B,)``.
        errors: why there is none, else None.
    """

    duration: Array
    errors: tuple[ArmdynError | None, ...]
    _question: Question
    _paths: Paths
    _lanes: NDArray[np.intp]
    _plans: tuple[Plan | None, ...]

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which paths can be followed, ``(B,)``."""
        return np.isfinite(self.duration)

    def __len__(self) -> int:
        return len(self._plans)

    @overload
    def __getitem__(self, k: int) -> TimeOptimal: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[TimeOptimal, ...]: ...
    def __getitem__(self, k: int | slice) -> TimeOptimal | tuple[TimeOptimal, ...]:
        if isinstance(k, slice):
            return tuple(self[i] for i in range(len(self))[k])
        plan, error = self._plans[k], self.errors[k]
        if plan is None:
            assert error is not None
            raise error
        return TimeOptimal(self._question, self._paths.some(self._lanes[[k]]), plan)

    def __iter__(self) -> Iterator[TimeOptimal]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        lost = len(self) - int(self.valid.sum())
        return f"<{type(self).__name__}: {len(self)} paths, {lost} of them not followed>"


def time_optimal(
    arm: Arm,
    path: Any,
    *,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    friction: bool = True,
    nodes: int = 200,
    tolerance: float = 1e-3,
    start_speed: float = 0.0,
    end_speed: float = 0.0,
) -> TimeOptimal | TimeOptimalPaths:
    """Return the fastest motion along a path within the limits of an arm's drives.

    Viscous, Coulomb and load-dependent friction are planned with. Other friction that depends on
    the speed is taken at the speed of the pass before. Limits hold between the nodes too: torques
    are computed by the arm's inverse dynamics, limits are tightened where they are exceeded, and
    nodes are added if that is not enough.

    Args:
        arm: the arm.
        path: way-points ``(K, n)``, joined by a cubic spline whose s grows with their distance;
            ``(B, K, n)`` for many paths at once; or a function of s in 0..1 for arrays of places:
            a `TipLine`, a spline of SciPy or another function that takes the order of the
            derivative as its second argument, or a tuple of three functions: q, dq/ds, d2q/ds2.
        velocity: largest, for all joints or one each; default are the robot's.
        acceleration: the same; default is none.
        effort: largest torque, for all joints or one each; default are the robot's. ``(n, 2)``:
            the second number is by how much it falls per speed of the joint.
        friction: whether friction of the joints counts.
        nodes: pieces of equal length in s; more nodes are added where a joint turns, at
            way-points, and near both ends.
        tolerance: largest excess over a limit, as a share of it.
        start_speed: ds/dt at the start [1/s].
        end_speed: ds/dt at the end [1/s].

    Returns:
        The motion; for many paths a sequence of them, in which a path that cannot be followed
        has an error instead.

    Raises:
        InputError: an argument is wrong, way-points are repeated, or a speed cannot be reached.
        NumericalError: the arm cannot hold itself somewhere, or limits are exceeded; says where.

    Examples:
        >>> arm = armdyn.load("ur10")
        >>> motion = armdyn.motion.time_optimal(arm, [[0, -1, 1, 0, 0, 0], [1, -2, 2, 0, 1, 0]])
        >>> t, q, qd, qdd = motion.sample(1000.0)
        >>> bool((abs(qd) <= 1.001 * motion.limits.velocity).all())
        True
    """
    arm = checked_arm(arm, "Time-optimal motions")
    question = Question(
        arm,
        limits_of(arm, velocity, acceleration, effort),
        checked_flag(friction, "friction"),
        checked_positive(tolerance, "tolerance"),
        checked_number(start_speed, "start_speed", least=0.0),
        checked_number(end_speed, "end_speed", least=0.0),
    )
    pieces = checked_whole(nodes, "nodes", 4, MOST_NODES)
    if callable(path) or (isinstance(path, tuple) and any(map(callable, cast(Any, path)))):
        paths, lost, many = _functions(path), [None], False
    else:
        paths, lost, many = _splines(cast(object, path))
    if paths.n != arm.n:
        raise InputError(
            f"`path` has {paths.n} joints, but {arm.name!r} has {arm.n}.", argument="path"
        )
    found = iter(plans(question, paths, pieces) if paths.count else ())
    answers = [next(found) if error is None else error for error in lost]
    if not many:
        if isinstance(answers[0], ArmdynError):
            raise answers[0]
        return TimeOptimal(question, paths, answers[0])
    valid = tuple(None if isinstance(x, ArmdynError) else x for x in answers)
    errors = tuple(x if isinstance(x, ArmdynError) else None for x in answers)
    durations = np.array([np.nan if x is None else x.times[-1] for x in valid])
    lanes = np.cumsum([error is None for error in lost]) - 1  # among the paths that are planned
    return TimeOptimalPaths(durations, errors, question, paths, lanes, valid)


def _splines(path: object) -> tuple[Paths, list[InputError | None], bool]:
    """Return the paths without repeated points, errors of all, and whether there may be many."""
    points = checked_array(path, "path", ("K", "n"), ("B", "K", "n"), what=WHAT)
    if points.shape[-2] < 2:
        raise InputError(f"`path` has one way-point, expected {WHAT}.", argument="path")
    many = points.ndim == 3
    points = points if many else points[None]
    lost = repeated(points)
    return splines(points[[error is None for error in lost]]), lost, many


def _functions(path: Any) -> FunctionPath:
    if isinstance(path, tuple):
        given = cast("tuple[Any, ...]", path)
        if len(given) != 3 or not all(map(callable, given)):
            raise InputError(
                f"`path` is {shown(given)}, expected three functions: q, dq/ds, d2q/ds2.",
                argument="path",
            )
        return FunctionPath(given, np.zeros(0))

    def derivative(k: int, s: Array) -> Any:
        try:
            return path(s, k)
        except TypeError:
            raise InputError(
                "`path` takes no order of a derivative as its second argument; give three "
                "functions: q, dq/ds, d2q/ds2.",
                argument="path",
            ) from None

    functions: tuple[Callable[[Array], Any], ...] = tuple(partial(derivative, k) for k in range(3))
    knots = np.asarray(getattr(path, "x", getattr(path, "t", ())), dtype=np.float64).reshape(-1)
    return FunctionPath(functions, knots)
