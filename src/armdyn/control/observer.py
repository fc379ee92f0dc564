"""`MomentumObserver`: torques from outside, without accelerations."""

from __future__ import annotations

import os
from dataclasses import fields
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import (
    checked_array,
    checked_flag,
    checked_number,
    checked_per_joint,
    checked_positive,
)
from armdyn.control.levels import Levels, given_levels, levels_of
from armdyn.control.observation import Observation, Samples, contacts_of, samples_of
from armdyn.control.observer_programs import (
    export_observer,
    first_program,
    momentum_program,
    step_program,
)
from armdyn.errors import InputError, shown
from armdyn.identification.result import Result
from armdyn.log.log import Log
from armdyn.log.segments import segments
from armdyn.robot.mechanism import check_serial
from armdyn.simulation.plant import compiled

# The gain where time steps allow it [1/s]: a push is seen to 86 % after 20 ms.
GAIN = 100.0

# Error bars of an identified model are added this many times.
BARS = 3.0

# Random states at which an arm is compared with an identified model, and what is the same.
STATES, SAME_MODEL_TOLERANCE = 16, 1e-6

# Parts of logs with fewer rows give no thresholds.
FEWEST_ROWS = 300


class MomentumObserver:
    """Estimates torques from outside on the joints of an arm, and finds contacts in logs.

    The residual follows the torque from outside as a low-pass of the first order, r' = gain (tau -
    r). It comes from positions, velocities and drive torques; no acceleration is needed.

    Attributes:
        gain: of the low-pass [1/s].
        residual: the latest estimate ``(n,)`` of `step` [N m] or [N].

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> observer = armdyn.MomentumObserver(arm, threshold=1.0)
        >>> q, rest = np.array([0.3, 0.2]), np.zeros(2)
        >>> push = np.array([0.0, 2.0])  # from outside: the drives hold against it
        >>> for k in range(200):
        ...     r = observer.step(0.001 * k, q, rest, arm.gravity(q) - push)
        >>> bool(abs(r - push).max() < 1e-6)
        True
    """

    def __init__(
        self,
        model: Arm | Result,
        *,
        gain: float = GAIN,
        threshold: ArrayLike | None = None,
        free: Log | Literal[False] | None = None,
        longest: float = 0.1,
    ) -> None:
        """Make an observer.

        Args:
            model: an arm, or the result of an identification. A result gives thresholds: from the
                residuals in its logs, which are taken to be free of contacts, and its error bars.
            gain: of the low-pass [1/s]; in a log at most its samples per second.
            threshold: beyond which a residual is a contact, one or one per joint [N m] or [N].
            free: a log without contacts, which gives the thresholds. Without `threshold`, `free`
                and a result, a log gives its own: its usual residuals are no contacts. False says
                that the logs of the result may have contacts, too.
            longest: longest time between samples of `step` [s]; a longer one is a gap.
        """
        if not isinstance(model, Arm | Result):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"`model` is {shown(model)}, expected an Arm or the result of identify.",
                argument="model",
            )
        self._result = model if isinstance(model, Result) else None
        self.arm = (model.arm if isinstance(model, Result) else model).astype(np.float64)
        check_serial(self.arm.robot, "Momentum observers")
        self.gain = checked_positive(gain, "gain", what="a positive number [1/s]")
        self._longest = checked_positive(longest, "longest", what="the longest step [s]")
        self._given: Array | None = None
        if threshold is not None:
            self._given = checked_per_joint(threshold, "threshold", self.arm.n, above=0.0)
        is_given = free is not None and free is not False
        if is_given and not isinstance(free, Log):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"`free` is {shown(free)}, expected a Log, or False.", argument="free")
        self._free = free
        self._momentum = momentum_program(self.arm)
        if isinstance(free, Log):
            samples_of(free, self.arm, self.gain, self._result, "free")
        self.reset()

    def reset(self) -> None:
        """Forget all samples; the next sample is the first.

        Examples:
            >>> observer = armdyn.MomentumObserver(armdyn.load("planar2"), threshold=1.0)
            >>> observer.reset()
            >>> observer.residual
            array([0., 0.])
        """
        self._time: float | None = None
        self._state = np.zeros((1, 3 * self.arm.n))
        self.residual = np.zeros(self.arm.n)

    def step(self, t: float, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Process one sample and return the residual.

        Args:
            t: time of the sample [s].
            q: joint positions ``(n,)`` [rad or m].
            qd: joint velocities ``(n,)`` [rad/s or m/s].
            tau: drive torques ``(n,)`` [N m or N].

        Returns:
            Residual ``(n,)``: the estimated external torques [N m or N].

        Raises:
            InputError: time goes backwards, or there is a gap; `reset` begins anew.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> observer = armdyn.MomentumObserver(arm, threshold=1.0)
            >>> observer.step(0.0, [0.3, 0.2], [0.0, 0.0], arm.gravity([0.3, 0.2]))
            array([0., 0.])
        """
        now, n = checked_number(t, "t", what="the time of the sample [s]"), self.arm.n
        given = [
            checked_array(x, name, (n,))[None] for x, name in ((q, "q"), (qd, "qd"), (tau, "tau"))
        ]
        given[2] = given[2] - self._beyond_arm(given[0], given[1])
        if self._time is None:
            self._state = self._first(*given)
        else:
            h = now - self._time
            self._check_step(h)
            residual, self._state = self._step(*given, np.array([[h]]), self._state)
            self.residual = residual[0].copy()
        self._time = now
        return self.residual.copy()

    def run(self, log: Log) -> Observation:
        """Estimate external torques in a log and detect its contacts.

        Velocities come from the positions by a zero-phase low-pass, which costs up to a tenth of
        the log at both ends.

        Args:
            log: a log with torques.

        Returns:
            Residuals, thresholds and contacts.

        Raises:
            InputError: the log has gaps in time, no torques, or other joints.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> log = armdyn.Log.read("run.csv")
            >>> seen = armdyn.MomentumObserver(arm).run(log)
            >>> seen.residual.shape[1], len(seen.contacts)
            (2, 0)
        """
        samples = samples_of(log, self.arm, self.gain, self._result, "log")
        residual = self._residual(samples)
        levels, notes = self._levels_for(samples, residual)
        threshold = levels.at(samples.t, samples.qd, samples.gain)
        if self._given is None:
            threshold = threshold + samples.blur + self._bars(samples)
        contacts = contacts_of(samples.t, residual, threshold, self.arm.joint_names)
        units = tuple("N m" if j.is_revolute else "N" for j in self.arm.robot.joints)
        return Observation(
            samples.t, residual, threshold, contacts, self.arm.joint_names, units,
            (*samples.notes, *notes),
        )  # fmt: skip

    def export_c(
        self, folder: str | os.PathLike[str], *, single: bool = False, force: bool = False
    ) -> tuple[Path, ...]:
        """Write the observer as C99: all files or, on any failure, none.

        Args:
            folder: where to write; created if missing.
            single: compute in float instead of double.
            force: also replace files that armdyn did not write.

        Returns:
            The paths of the header, the source and the self-test.

        Raises:
            InputError: the model has torques beyond those of its arm: couplings, extra columns or
                negative friction.

        Examples:
            >>> observer = armdyn.MomentumObserver(armdyn.load("planar2"), threshold=1.0)
            >>> [path.name for path in observer.export_c("observer")]
            ['planar2_observer.h', 'planar2_observer.c', 'planar2_observer_selftest.c']
        """
        flags = checked_flag(single, "single"), checked_flag(force, "force")
        if not self._is_whole:
            raise InputError(
                "the identified model has torques that its arm lacks, from couplings, extra "
                "columns or negative friction: they are no part of C. Identify without them, or "
                "with physical=True.",
                argument="model",
            )
        programs = first_program(self._momentum), step_program(self._momentum, self.gain)
        return export_observer(self.arm, programs, self.levels, folder, *flags)

    @cached_property
    def _first(self) -> Any:
        return compiled(first_program(self._momentum))

    @cached_property
    def _step(self) -> Any:
        return compiled(step_program(self._momentum, self.gain))

    def _check_step(self, h: float) -> None:
        if h <= 0.0:
            raise InputError(
                f"`t` goes backwards, by {-h:g} s; samples come in the order of time.", argument="t"
            )
        if h > self._longest:
            raise InputError(
                f"`t` has a gap of {h:g} s, longer than `longest` = {self._longest:g} s: what "
                "happened in it is unknown. Call `reset` and go on, or give `longest`.",
                argument="t",
            )

    def _residual(self, samples: Samples) -> Array:
        """Return the residuals at equal steps: the same recursion as `step`, as a filter."""
        filtered: Any = import_module("scipy.signal").lfilter
        tau = samples.tau - self._beyond_arm(samples.q, samples.qd) + self._at_rest(samples)
        p, u = compiled(self._momentum)(
            np.ascontiguousarray(samples.q), np.ascontiguousarray(samples.qd),
            np.ascontiguousarray(tau),
        )  # fmt: skip
        h, K = samples.step, samples.gain
        moved = np.zeros_like(p)
        moved[1:] = p[1:] - p[:-1] - 0.5 * h * (u[1:] + u[:-1])
        share = 1.0 / (1.0 + K * h)
        return np.ascontiguousarray(filtered([K * share], [1.0, -share], moved, axis=0))

    def _at_rest(self, samples: Samples) -> Array:
        """Return the friction of joints whose speed is noise: its sign is noise, too."""
        load, rest = np.abs(self.arm.gravity(samples.q)), np.where(samples.still, 0.0, samples.qd)
        return self.arm.friction(samples.qd, load=load) - self.arm.friction(rest, load=load)

    def _beyond_arm(self, q: Array, qd: Array) -> Array | float:
        """Return torques that the identified model knows and its arm does not: couplings, ..."""
        if self._result is None or self._is_whole:
            return 0.0
        return _more_than_arm(self._result, q, qd)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether the arm has all torques of the identified model."""
        if self._result is None:
            return True
        q, qd = np.random.default_rng(0).uniform(-1.0, 1.0, (2, STATES, self.arm.n))
        torque = self.arm.inverse_dynamics(q, qd, np.zeros_like(q))
        more = _more_than_arm(self._result, q, qd)
        return bool((np.abs(more) <= SAME_MODEL_TOLERANCE * np.abs(torque).max(axis=0)).all())

    @cached_property
    def levels(self) -> Levels | None:
        """Thresholds that need no observed log; None if only that log can give them."""
        if self._given is not None:
            return given_levels(self.arm, self._given)
        logs = [self._free] if isinstance(self._free, Log) else []
        if self._free is None and self._result is not None:
            logs = [part for signals in self._result.signals for part in _parts(signals.recorded)]
        found = [self._of_free(log) for log in logs]
        return None if not found else _largest(found)

    def _of_free(self, log: Log) -> Levels:
        samples = samples_of(log, self.arm, self.gain, self._result, "free")
        return levels_of(self.arm, samples, self._residual(samples), free=True)

    def _levels_for(self, samples: Samples, residual: Array) -> tuple[Levels, tuple[str, ...]]:
        known = self.levels
        if known is None:
            levels = levels_of(self.arm, samples, residual, free=False)
            return levels, ("thresholds are from the log itself: its usual residuals.",)
        if self._given is not None:
            return known, ("thresholds are as given.",)
        where = "a log without contacts" if self._free else "the logs of the result"
        levels, factor = known.grown(samples.t, samples.qd, residual, samples.gain)
        notes = [f"thresholds are from {where}."]
        for j in np.flatnonzero(factor > 1.0):
            notes.append(
                f"joint {self.arm.joint_names[j]!r}: usual residuals are larger than there, so its "
                f"threshold is {factor[j]:.2g} times as high; the model may need a new "
                "identification."
            )
        return levels, tuple(notes)

    def _bars(self, samples: Samples) -> Array | float:
        """Return what the error bars of an identified model add to thresholds ``(N, n)``."""
        if self._result is None:
            return 0.0
        model, covariance = self._result.model, self._result.covariance
        rows = model.rows(samples.q, samples.qd, samples.qdd)
        bars = np.zeros_like(samples.q)
        for j in range(self.arm.n):
            A, active = rows[:, model.part(j)], model.active[j]
            own = covariance[np.ix_(active, active)]
            bars[:, j] = np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", A, own, A), 0.0))
        return BARS * bars

    def __repr__(self) -> str:
        return f"<MomentumObserver: {self.arm.name!r}, gain {self.gain:g}/s>"


def _more_than_arm(result: Result, q: Array, qd: Array) -> Array:
    still = np.zeros_like(q)
    return result.predict(q, qd, still) - result.arm.inverse_dynamics(q, qd, still)


def _parts(log: Log) -> list[Log]:
    """Return the parts of a log between its gaps, without those that are too short to tell."""
    pieces = [piece for piece in segments(log) if len(piece) >= FEWEST_ROWS]
    return [log] if len(pieces) == 1 else [log.part(x.start, x.stop) for x in pieces]


def _largest(found: list[Levels]) -> Levels:
    names = [field.name for field in fields(Levels)]
    return Levels(*(np.max([getattr(x, name) for x in found], axis=0) for name in names))
