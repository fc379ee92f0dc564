"""`Run`: the result of a simulation, and the motion between its samples.

Its methods import what simulates and draws, modules that use `Run`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import (
    checked_number,
    checked_path,
    checked_per_joint,
    checked_positive,
    checked_seed,
)
from armdyn.errors import InputError, shown
from armdyn.log.log import Log
from armdyn.numerics import ratio
from armdyn.simulation.events import SAME_TIME, Event

# `Run`: the result of a simulation.

# Events that a summary lists; more are counted.
MOST_EVENTS = 20

# Of measurements:
# A larger standard deviation, as a share of a step, would make samples overtake each other.
LARGEST_JITTER = 0.3
# Samples of the run must not be farther apart than this many measured steps.
MAX_SAMPLE_RATIO = 1.5
# A larger number of samples means a wrong rate.
MOST_SAMPLES = 10_000_000
# Jitter is limited to this share of a step; beyond it, a sample could overtake the next one.
FARTHEST_OFF = 0.45


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """N samples of a simulated motion, of one arm or of a batch of B.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> run = armdyn.simulate(arm, [0.3, 0.2], until=1.0, integrator="rk4", step=0.01)
        >>> run
        <Run of 'planar2': 101 samples, 1 s by rk4, 400 evaluations>
        >>> run.q.shape
        (101, 2)
        >>> run.energy.shape, run.complete
        ((101,), True)

    Attributes:
        arm: the simulated arm.
        t: times ``(N,)`` [s].
        q: positions ``(N, n)`` or ``(N, B, n)``.
        qd: velocities.
        qdd: accelerations.
        tau: torques of the drives.
        energy: kinetic and potential energy ``(N,)`` or ``(N, B)`` [J].
        evaluations: of the dynamics per arm; if each arm of a batch chooses its steps, the largest
            number of any arm.
        integrator: the name of the method.
        events: events of joints with their times: limits, stops, sticking and slipping.
        complete: False if the simulation failed before its end and `partial` was True.
        notes: remarks, a sentence each.
    """

    arm: Arm
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    energy: Array
    evaluations: int
    integrator: str
    events: tuple[Event, ...] = ()
    complete: bool = True
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.t)

    @property
    def batch(self) -> int | None:
        """Number of arms; None for one."""
        return self.q.shape[1] if self.q.ndim == 3 else None

    def __getitem__(self, arm: int) -> Run:
        """Return the run of one arm of a batch, from 0.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> run = armdyn.simulate(arm, [[0.3, 0.2], [0.1, 0.0]], until=0.1, integrator="rk4")
            >>> run.batch, run[1].q[0]
            (2, array([0.1, 0. ]))
        """
        if self.batch is None:
            raise InputError("this is the run of one arm; run[k] is for batches.")
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"the arm of a batch is {shown(arm)}, expected its number.")
        if not -self.batch <= arm < self.batch:
            raise InputError(f"there is no arm {arm}: the batch has {self.batch}.")
        k = int(arm) % self.batch
        events = tuple(replace(event, arm=0) for event in self.events if event.arm == k)
        parts = {name: getattr(self, name)[:, k] for name in ("q", "qd", "qdd", "tau", "energy")}
        return replace(self, **parts, events=events)

    @property
    def drift(self) -> float:
        """Largest change of energy relative to its largest magnitude (no unit)."""
        change = np.abs(self.energy - self.energy[0]).max(axis=0)
        return float(ratio(change, np.abs(self.energy).max(axis=0), 0.0).max())

    def log(self) -> Log:
        """Return the run as a log, without rounding.

        Returns:
            The log.

        Raises:
            InputError: the run has many arms; take one, ``run[k]``.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> log = armdyn.simulate(arm, [0.3, 0.2], until=1.0, samples=11).log()
            >>> len(log), log.joint_names
            (11, ('joint1', 'joint2'))
        """
        run = self._single("a log")
        return Log(
            t=run.t, q=run.q, qd=run.qd, qdd=run.qdd, tau=run.tau,
            joint_names=run.arm.joint_names, extra={"energy": run.energy},
            source=f"simulation of {run.arm.name}", notes=run.notes,
        )  # fmt: skip

    def measured(
        self,
        *,
        noise_q: ArrayLike = 0.0,
        noise_tau: ArrayLike = 0.0,
        quantisation: ArrayLike = 0.0,
        jitter: float = 0.0,
        rate: float | None = None,
        seed: int = 0,
    ) -> Log:
        """Return the log that encoders and torque sensors would have recorded: t, q and tau.

        Args:
            noise_q: standard deviation of positions [rad or m], one or one per joint.
            noise_tau: standard deviation of torques.
            quantisation: steps of the encoders [rad or m]; zero for none.
            jitter: standard deviation of the sampling times, as a share of the step between
                samples, below 0.3.
            rate: samples per second; default are the samples of the run. Between them, positions
                are interpolated with their derivatives.
            seed: of the noise.

        Returns:
            The log.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> run = armdyn.simulate(arm, [0.3, 0.2], until=1.0, samples=101)
            >>> log = run.measured(noise_q=1e-4, noise_tau=0.1, quantisation=1e-3, rate=50.0)
            >>> len(log)
            51
        """
        run = self._single("measurements")
        n = run.arm.n
        sigma_q = checked_per_joint(noise_q, "noise_q", n, least=0.0)
        sigma_tau = checked_per_joint(noise_tau, "noise_tau", n, least=0.0)
        resolution = checked_per_joint(quantisation, "quantisation", n, least=0.0)
        share = checked_number(jitter, "jitter", least=0.0, below=LARGEST_JITTER)
        rng = np.random.default_rng(checked_seed(seed))
        t = run.t
        if rate is not None:
            t = _measuring_times(run, checked_positive(rate, "rate", what="samples a second"))
        q, tau = run.q, run.tau
        if share > 0.0:
            steps = np.diff(t, append=2 * t[-1] - t[-2]) if len(t) > 1 else np.zeros(1)
            off = np.clip(rng.normal(0.0, share, len(t)), -FARTHEST_OFF, FARTHEST_OFF)
            t = np.clip(t + steps * off, run.t[0], run.t[-1])
            t, _ = np.unique(t, return_index=True)
        if share > 0.0 or rate is not None:
            q, tau = positions_at(run, t), torques_at(run, t)
        q = q + rng.normal(size=q.shape) * sigma_q
        tau = tau + rng.normal(size=tau.shape) * sigma_tau
        coarse = resolution > 0.0
        q[:, coarse] = np.round(q[:, coarse] / resolution[coarse]) * resolution[coarse]
        return Log(
            t=t, q=q, tau=tau, joint_names=run.arm.joint_names,
            source=f"simulated measurements of {run.arm.name}", notes=run.notes,
        )  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run as a log (CSV, NPZ, Parquet): the whole file, or nothing on failure.

        `armdyn.Log.read` reads it back. A column ``incomplete`` marks a part of a failed run.

        Args:
            path: the file; its suffix is .csv, .npz or .parquet.

        Raises:
            FileError: the suffix is unknown, or the file cannot be written.
            InputError: the run has many arms; take one, ``run[k]``.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> run = armdyn.simulate(arm, [0.3, 0.2], until=1.0, torque=armdyn.PD(9, 1, [0, 0]))
            >>> run.save("run.npz")
            >>> len(armdyn.Log.read("run.npz")) == len(run)
            True
        """
        log = self.log()
        if not self.complete:
            log = replace(log, extra={**log.extra, "incomplete": np.ones(len(self))})
        log.save(path)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Plot positions, velocities, torques and energy over time.

        Args:
            path: the file; its suffix is .png, .svg or .pdf.

        Raises:
            MissingExtraError: Matplotlib is not installed.
            FileError: the file cannot be written.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> armdyn.simulate(arm, [0.3, 0.2], until=1.0).plot("run.svg")
        """
        from armdyn.simulation.figures import plot

        plot(self, path)

    def page(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        rate: float = 200.0,
        meshes: bool = False,
        packages: Sequence[str | os.PathLike[str]] = (),
    ) -> Any:
        """Write the run as an HTML page in which the arm moves; it needs no network.

        Play it, scrub it, click into its curves; stop anywhere and move the arm by hand.

        Args:
            path: of the page; if left out, the page is returned, and a notebook shows it.
            rate: samples per second between those of the run, which are all there.
            meshes: draw the meshes of the robot's file, as `Arm.page` does.
            packages: folders in which meshes are looked for, besides that of the robot's file.

        Returns:
            The page if `path` is left out, else None.

        Raises:
            InputError: the run has many arms; take one, ``run[k]``.
            FileError: the file cannot be written.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> armdyn.simulate(arm, [0.3, 0.2], until=1.0).page("run.html")
        """
        from armdyn.simulation.figures import write_run

        return write_run(self._single("a page"), path, rate, meshes, packages)

    def animate(
        self,
        path: str | os.PathLike[str],
        *,
        rate: float = 200.0,
        meshes: bool = False,
        packages: Sequence[str | os.PathLike[str]] = (),
    ) -> None:
        """Write the HTML page of the run; the same as `page`.

        Args:
            path: of the page.
            rate: samples per second between those of the run.
            meshes: draw the meshes of the robot's file.
            packages: folders in which meshes are looked for, besides that of the robot's file.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> armdyn.simulate(arm, [0.3, 0.2], until=1.0).animate("run.html")
        """
        self.page(checked_path(path), rate=rate, meshes=meshes, packages=packages)

    def summary(self) -> str:
        """Return a summary as text: length, end, events and notes.

        Returns:
            Some lines of text.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> run = armdyn.simulate(arm, [0.3, 0.2], until=1.0, integrator="rk4")
            >>> print(run.summary())
            Run of 'planar2': 1001 samples, 1 s by rk4, 4000 evaluations
            joint1: q = ..., qd = ... at the end
            joint2: q = ..., qd = ... at the end
        """
        lines = [repr(self)[1:-1]]
        if self.batch is None:
            end = zip(self.arm.joint_names, self.q[-1].tolist(), self.qd[-1].tolist(), strict=True)
            lines += [f"{name}: q = {q:.6g}, qd = {qd:.6g} at the end" for name, q, qd in end]
            lines += [
                f"{event.t:.6g} s: {subject(event, self.arm.joint_names)} {event.what}"
                for event in self.events[:MOST_EVENTS]
            ]
            if len(self.events) > MOST_EVENTS:
                lines.append(f"and {len(self.events) - MOST_EVENTS} events more")
        return "\n".join([*lines, *(f"- {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Return the run, without its samples, as plain data for JSON.

        Returns:
            Numbers and strings by their names.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> armdyn.simulate(arm, [0.3, 0.2], integrator="rk4").to_dict()["evaluations"]
            20000
        """
        return {
            "name": self.arm.name,
            "n": self.arm.n,
            "integrator": self.integrator,
            "samples": len(self),
            "arms": self.batch or 1,
            "until": float(self.t[-1]),
            "evaluations": self.evaluations,
            "energy": {
                "first": np.asarray(self.energy[0]).tolist(),
                "last": np.asarray(self.energy[-1]).tolist(),
                "drift": self.drift,
            },
            "q": self.q[-1].tolist(),
            "qd": self.qd[-1].tolist(),
            "complete": self.complete,
            "events": [vars(event) for event in self.events],
            "notes": list(self.notes),
        }

    def _single(self, what: str) -> Run:
        if self.batch is not None:
            raise InputError(f"{what} is of one arm, not of {self.batch}: take run[k].")
        return self

    def _repr_html_(self) -> str:
        from armdyn.simulation.figures import run_card

        return run_card(self)

    def __repr__(self) -> str:
        arms = f" of {self.batch} arms" if self.batch is not None else ""
        state = "" if self.complete else ", incomplete"
        return (
            f"<Run of {self.arm.name!r}{arms}: {len(self)} samples, {self.t[-1]:.4g} s by "
            f"{self.integrator}, {self.evaluations} evaluations{state}>"
        )


def subject(event: Event, joint_names: Sequence[str]) -> str:
    """Return the name of the joint or function of an event."""
    return f"function {event.joint}:" if event.what == "event" else joint_names[event.joint]


def _measuring_times(run: Run, rate: float) -> Array:
    if len(run) < 2:
        raise InputError("the run has a single sample, which has no rate.", argument="rate")
    widest = float(np.diff(run.t).max())
    if widest > MAX_SAMPLE_RATIO / rate:
        raise InputError(
            f"`rate` is {rate:g} a second, but samples of the run are up to {widest:.3g} s apart: "
            f"simulate with samples={round(rate * run.t[-1]) + 1} or more.",
            argument="rate",
        )
    count = (run.t[-1] - run.t[0]) * rate
    if count > MOST_SAMPLES:
        raise InputError(
            f"`rate` is {rate:g} a second: that makes {count:.3g} samples, too many.",
            argument="rate",
        )
    return run.t[0] + np.arange(int(count * (1 + SAME_TIME)) + 1) / rate


# The motion between the samples of a run.


def positions_at(run: Run, t: Array) -> Array:
    """Return the positions of one arm at times within its run, ``(len(t), n)``.

    Between two samples it is the quintic polynomial with the positions, velocities and
    accelerations of both samples.
    """
    if len(run) < 2:
        return np.repeat(run.q, len(t), axis=0)
    k = np.clip(np.searchsorted(run.t, t, side="right") - 1, 0, len(run) - 2)
    h = (run.t[k + 1] - run.t[k])[:, None]
    s = (t - run.t[k])[:, None] / h
    r = 1.0 - s
    return _towards(s, h, run.q[k], run.qd[k], run.qdd[k]) + _towards(
        r, -h, run.q[k + 1], run.qd[k + 1], run.qdd[k + 1]
    )


def _towards(s: Array, h: Array, q: Array, qd: Array, qdd: Array) -> Array:
    """Return one end's part of the polynomial, at the share s of the step h from that end."""
    r3 = (1.0 - s) ** 3
    value = r3 * (1.0 + s * (3.0 + 6.0 * s))
    return value * q + r3 * s * (1.0 + 3.0 * s) * h * qd + 0.5 * r3 * s**2 * h**2 * qdd


def velocities_at(run: Run, t: Array) -> Array:
    """Return the velocities of one arm at times within its run, ``(len(t), n)``.

    Between two samples it is the cubic with the velocities and accelerations of both.
    """
    if len(run) < 2:
        return np.repeat(run.qd, len(t), axis=0)
    scipy: Any = import_module("scipy.interpolate")
    return np.asarray(scipy.CubicHermiteSpline(run.t, run.qd, run.qdd)(t))


def torques_at(run: Run, t: Array) -> Array:
    """Return the drive torques of one arm at times, by linear interpolation between samples."""
    return on_lines(run, run.tau, t)


def on_lines(run: Run, values: Array, t: Array) -> Array:
    """Return values ``(N, n)`` of the samples at times, on the lines between samples."""
    columns: list[Array] = [np.interp(t, run.t, column) for column in values.T]
    return np.stack(columns, axis=1)
