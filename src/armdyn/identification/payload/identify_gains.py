"""`identify_drive_gains`: torque per ampere of every drive, from motions with a known load.

Currents alone determine only the ratio of mass to gain: an arm twice as heavy with drives twice as
strong draws the same currents. A known load sets the scale [GautierBriot2011]. In

    i_j = a_j ( Y_j w + L_j ) + F_j f_j,        a_j = 1/g_j

L_j is the torque of the load, zero in the logs without it, w are the minimal parameters of the arm,
and f_j is friction in amperes. All joints share w, so even a drive that hardly feels the load gets
a gain, through the other joints. The mass of the load is enough: its centre of mass and its inertia
are further unknowns that L_j is linear in. The noise is in the measured i_j, so the fit minimises
the sum of squares of this equation, by Gauss-Newton steps. They start from the solution of
g_j i_j - Y_j w - F_j g_j f_j = L_j, which is linear.

The rows of joint j have the columns of the ten parameters of the load (zero in rows without load),
of the minimal parameters, of friction (three of each joint), and of the currents. G_j is their Gram
matrix, one for each block of time: leaving out blocks in turn (a jackknife) gives error bars for
residuals that are not independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_positive
from armdyn.errors import ArmdynError, InputError, NumericalError, shown
from armdyn.identification.arguments import checked_cutoff, checked_logs
from armdyn.identification.fit.columns import Model, friction_columns
from armdyn.identification.fit.correlation import correlation_lengths
from armdyn.identification.fit.rows import FilteredSegment, Rows, filtered_segments
from armdyn.identification.payload.drive_gains import DriveGains
from armdyn.identification.payload.estimate import (
    LOAD,
    LoadColumns,
    jackknife,
    joint_squares,
    model_of,
    moving_blocks,
)
from armdyn.identification.payload.payload import UNKNOWN, Load
from armdyn.identification.signals.prepared import Data, prepared
from armdyn.log.log import Log
from armdyn.motion.trajectory import checked_arm
from armdyn.numerics import RANK, ratio, scaled_inverse, scaled_solve
from armdyn.progress import Progress, reporter


@dataclass(frozen=True)
class GainSettings:
    """Settings of the identification of drive gains.

    Attributes:
        dead_band: slower rows are left out [rad/s or m/s]: stiction does not follow the model.
        friction: terms of the friction of a drive, three columns for each joint.
        sure: a given centre of mass is wrong if the currents contradict it by more standard
            deviations, and
        apart: by more than this distance [m].
        possible: range of gains of drives [N m/A or N/A].
        unexplained: largest residual, as a share of the current.
        rounds: most Gauss-Newton steps.
        settled: relative change of the residuals that ends them.
    """

    dead_band: float = 0.02
    friction: tuple[str, ...] = ("viscous", "coulomb", "offset")
    sure: float = 5.0
    apart: float = 0.01
    possible: tuple[float, float] = (1e-4, 1e5)
    unexplained: float = 0.5
    rounds: int = 60
    settled: float = 1e-9


SETTINGS = GainSettings()


def identify_drive_gains(
    arm: Arm,
    without: Log | Sequence[Log],
    with_load: Log | Sequence[Log],
    load: Load | float,
    *,
    cutoff: float | None = None,
    progress: Progress | None = None,
) -> DriveGains:
    """Identify torque per ampere of every drive of an arm.

    The masses of the arm need not be known.

    Args:
        arm: its geometry.
        without: logs of currents without the load.
        with_load: logs of currents with the load, for any motions that excite the arm.
        load: the mass of the load [kg], whose centre of mass and inertia are then estimated; or a
            completely known load.
        cutoff: low-pass cut-off frequency of positions [Hz]; default is chosen from their spectrum.
        progress: called with (done, total, what) during each step.

    Returns:
        The gains with their uncertainty.

    Raises:
        InputError: an argument is wrong, or the currents contradict the load's centre of mass.
        NumericalError: the logs do not show the gains.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> empty, held = (armdyn.Log.read(f"current{name}.csv") for name in ("", "_held"))
        >>> found = armdyn.identify_drive_gains(arm, empty, held, 1.5)
        >>> found.gains.round(2)
        array([2., 3.])
        >>> found.com.round(2)
        array([ 0.1, ...])
    """
    arm = checked_arm(arm)
    tell = reporter(progress)
    mass, given = _known(load)
    empty, held = _currents(arm, without, "without"), _currents(arm, with_load, "with_load")
    data = prepared(empty, held, checked_cutoff(cutoff), None, tell)
    rows = _rows(arm, data)
    tell(0, 1, "gains")
    if min(rows.counts) * arm.n < len(rows.model.columns):
        raise InputError("the logs are too short, or hardly move. Record longer.")
    free = GainFit(rows, np.array([mass, *[0.0] * 9]), range(1, LOAD))
    if given is None:
        return _answer(free, mass, data.notes)
    _check_centre(given, free, mass)
    return _answer(GainFit(rows, given.parameters, ()), mass, data.notes)


def _known(load: object) -> tuple[float, Load | None]:
    """Return the mass of the load, and the load if it is completely known."""
    if isinstance(load, Load) and load.mass > 0.0:
        return load.mass, load
    try:
        mass = checked_positive(load, "load")
    except ArmdynError:
        raise InputError(
            f"`load` is {shown(load)}, expected the mass of the load [kg], or an armdyn.Load with "
            "a mass: without a known load, currents determine masses per gain only.",
            argument="load",
        ) from None
    return mass, None


@dataclass(frozen=True)
class _Rows:
    """The rows without load and with it, and their Gram matrices, of blocks and of joints."""

    model: Model
    sets: tuple[Rows, Rows]
    blocks: Array  # (B, n, p + 1, p + 1)
    counts: Array  # numbers of rows of every joint (n,)

    @cached_property
    def squares(self) -> Array:
        """The Gram matrix of every joint ``(n, p + 1, p + 1)``."""
        return self.blocks.sum(axis=0)


def _currents(arm: Arm, logs: Log | Sequence[Log], what: str) -> list[Log]:
    listed: list[object] = list(logs) if isinstance(logs, list | tuple) else [logs]
    same: list[Log] = []
    for log in listed:
        if not isinstance(log, Log):
            raise InputError(
                f"`{what}` has {shown(log)}, expected an armdyn.Log of currents.", argument=what
            )
        if log.effort == "torque":
            raise InputError(
                f"`{what}`: {log.source or 'the log'} has torques, not motor currents; it needs no "
                "gains. Currents are read by Log.read(path, torque='current'), or given as "
                "Log(..., effort='current').",
                argument=what,
            )
        # the checks and filters of torques also suit currents
        same.append(log if log.tau is None else replace(log, effort="torque"))
    return checked_logs(arm, same, what)


def _rows(arm: Arm, data: Data) -> _Rows:
    own = [column for column in friction_columns(arm) if column.kind in SETTINGS.friction]
    model = model_of(arm, LoadColumns(arm, arm.minimal_with(rotor=True)), own)
    empty = filtered_segments(data.train, data.train_bands, model)
    held = filtered_segments(data.test, data.test_bands, model)
    sets = Rows(model, empty), Rows(model, held)
    blocks: list[Array] = []
    counts = np.zeros(model.n)
    for number, rows in enumerate(sets):
        targets = [part.filtered(part.tau) for part in rows.parts]
        gram = moving_blocks(rows, targets, _kept(rows.parts))
        made = joint_squares(gram)
        if not number:  # without load, its torque is zero
            made[..., :LOAD], made[..., :LOAD, :] = 0.0, 0.0
        blocks.append(made)
        counts += gram.counts.sum(axis=0)
    return _Rows(model, sets, np.concatenate(blocks), counts)


def _kept(parts: Sequence[FilteredSegment]) -> list[NDArray[np.bool_]]:
    return [np.abs(part.qd[part.centres]) > SETTINGS.dead_band for part in parts]


def _check_centre(given: Load, free: GainFit, mass: float) -> None:
    """Raise an error if the currents show another centre of mass than the given one."""
    try:
        z, errors, _ = free.solved()
    except ArmdynError:  # they do not show any
        return
    centre, std = free.centre(z, errors)
    off = np.abs(np.array(given.com) - centre)
    if ((off > SETTINGS.sure * std) & (off > SETTINGS.apart)).any():
        raise InputError(
            f"`load` has its centre of mass at {given.com}, but the currents show it at "
            f"({_bars(centre, std)}) m from the tip. Correct it, or give the mass alone: {mass:g}.",
            argument="load",
        )


def _bars(values: Array, std: Array) -> str:
    return ", ".join(f"{x:.3f} +- {s:.2g}" for x, s in zip(values, std, strict=True))


def _answer(fit: GainFit, mass: float, notes: list[str]) -> DriveGains:
    z, errors, sigma = fit.solved()
    rows, names, gains = fit.rows, fit.rows.model.arm.joint_names, 1.0 / z[fit.a]
    std = errors[fit.a] * gains**2
    size = np.sqrt(rows.squares[:, -1, -1] / rows.counts)
    weak = [name for name, g, s in zip(names, gains, std, strict=True) if not s < UNKNOWN * abs(g)]
    advice = "is hardly known. Use a heavier load, or accelerate it more there."
    reasons = [f"the gain of {', '.join(weak)} {advice}"] * bool(weak)
    low, high = SETTINGS.possible
    shares = ratio(sigma, size, 1.0).tolist()
    for name, gain, share in zip(names, gains.tolist(), shares, strict=True):
        if not low < abs(gain) < high:
            reasons.append(f"the gain of {name}, {gain:.3g}, is outside of the range of drives.")
        if share > SETTINGS.unexplained:
            reasons.append(
                f"no gain explains {share:.0%} of the currents of {name}: they may be of another "
                "joint."
            )
    turned = [name for name, gain in zip(names, gains, strict=True) if gain < 0.0]
    if turned:
        notes.append(
            f"the gain of {', '.join(turned)} is negative: current and torque have opposite signs. "
            "Check whether the drive is mounted the other way round."
        )
    com, com_std = fit.centre(z, errors)
    if fit.unknown:
        where = _bars(com, com_std)
        notes.append(f"the load of {mass:g} kg has its centre of mass at ({where}) m from the tip.")
    return DriveGains(
        gains=gains, std=std, joint_names=names, values=z[fit.w], sigma=sigma, mass=mass,
        com=com, com_std=com_std, reasons=tuple(reasons), notes=(*reasons, *notes),
    )  # fmt: skip


class GainFit:
    """Least squares of the currents; the unknowns are [a | w | f | x].

    a_j are inverse gains ``(n,)``, w minimal parameters ``(k,)``, f friction in amperes (three of
    every joint), and x the unknown parameters of the load.
    """

    def __init__(self, rows: _Rows, known: Array, unknown: Sequence[int]) -> None:
        """Prepare a fit.

        Args:
            rows: without and with load.
            known: the ten parameters of the load; zero where unknown.
            unknown: places of the unknown ones.
        """
        n, k = rows.model.n, rows.model.k - LOAD
        ends = np.cumsum([0, n, k, 3 * n, len(unknown)]).tolist()
        self.a, self.w, self._f, self._x = (slice(a, b) for a, b in pairwise(ends))
        self.rows, self._known, self.unknown, self._count = rows, known, list(unknown), ends[-1]

    def solved(self) -> tuple[Array, Array, Array]:
        """Return the unknowns, their standard deviations, and those of the residuals [A].

        Raises:
            NumericalError: the steps do not converge.
        """
        rows = self.rows
        z, c = self._initial(), np.ones(rows.model.n)
        for _ in range(3):  # the correlation of rows needs residuals, and these need a fit
            z, _ = self._gauss_newton(z, c)
            c = self._correlation(z)
        z, formula = self._gauss_newton(z, c)
        sigma = self._sigma(z)
        each = np.stack([self._linearised(one, np.sqrt(c) * sigma, z) for one in rows.blocks])
        whole = each.sum(axis=0)
        by_blocks = np.diag(jackknife([_least_squares(whole - one)[0] for one in each]))
        # the larger of both: few blocks may agree by chance
        std = np.sqrt(np.maximum(by_blocks, np.diag(formula)))
        return z, std, sigma

    def centre(self, z: Array, std: Array) -> tuple[Array, Array]:
        """Return the centre of mass of the load [m] and its standard deviations; NaN if given."""
        if not self.unknown:
            return np.full(3, np.nan), np.full(3, np.nan)
        return z[self._x][:3] / self._known[0], std[self._x][:3] / self._known[0]

    def _initial(self) -> Array:
        """Return the solution of g_j i_j - Y_j w - F_j (g_j f_j) - X_j x = L_j."""
        squares, names = self.rows.squares, self.rows.model.arm.joint_names
        maps = [np.zeros((len(G), self._count + 1)) for G in squares]
        for j, M in enumerate(maps):
            M[-1, j] = 1.0
            M[LOAD:-1, self.w.start : self._f.stop] = -np.eye(len(M) - 1 - LOAD)
            M[self.unknown, self._x] = -np.eye(len(self.unknown))
            M[:LOAD, -1] = self._known
        z, _ = _least_squares(_summed(squares, maps, np.sqrt(squares[:, -1, -1])))
        g = z[self.a]
        zero = (g == 0.0) | (squares[:, -1, -1] == 0.0)
        if zero.any():
            silent = ", ".join(name for name, one in zip(names, zero, strict=True) if one)
            raise NumericalError(
                f"the currents of {silent} are zero, or do not depend on the load. Check the log."
            )
        z[self._f] /= np.repeat(g, 3)
        z[self.a] = 1.0 / g
        return z

    def _gauss_newton(self, z: Array, c: Array) -> tuple[Array, Array]:
        """Return the minimum of the sum of squares, and the covariance of the unknowns there.

        c is the number of rows that are worth one independent row, of every joint ``(n,)``.
        """
        for _ in range(SETTINGS.rounds):
            whole = self._linearised(self.rows.squares, np.sqrt(c) * self._sigma(z), z)
            step, covariance = _least_squares(whole)
            z = z + step
            if not np.isfinite(z).all():
                break
            # squares of the change of the residuals, and of the residuals
            change = step @ whole[:-1, :-1] @ step
            if change <= SETTINGS.settled**2 * (whole[-1, -1] + 1.0):
                return z, covariance
        raise NumericalError(
            "the fit of the drive gains does not converge: the logs hardly show the load. Use a "
            "heavier load, or motions that excite the arm more."
        )

    def _load(self, z: Array) -> Array:
        """Return all ten parameters of the load."""
        load = self._known.copy()
        load[self.unknown] = z[self._x]
        return load

    def _of_joint(self, j: int, z: Array) -> Array:
        """Return the parameters of joint j's columns in amperes ``(p,)``."""
        f = np.zeros_like(z[self._f])
        f[3 * j : 3 * j + 3] = z[self._f][3 * j : 3 * j + 3]
        return np.concatenate([z[j] * self._load(z), z[j] * z[self.w], f])

    def _linearised(self, squares: Array, weights: Array, z: Array) -> Array:
        """Return the Gram matrix of weighted rows [J | residuals] about the unknowns."""
        load, w = self._load(z), z[self.w]
        maps = [np.zeros((len(G), self._count + 1)) for G in squares]
        friction = LOAD + len(w)
        for j, M in enumerate(maps):
            M[:friction, j] = np.concatenate([load, w])
            M[LOAD:friction, self.w] = z[j] * np.eye(len(w))
            M[friction:-1, self._f] = np.eye(3 * len(squares))
            M[self.unknown, self._x] = z[j] * np.eye(len(self.unknown))
            M[:-1, -1], M[-1, -1] = -self._of_joint(j, z), 1.0
        return _summed(squares, maps, weights)

    def _sigma(self, z: Array) -> Array:
        """Return the standard deviation of the current residuals of every joint ``(n,)``."""
        squares, n = self.rows.squares, len(self.rows.squares)
        x = np.stack([np.append(self._of_joint(j, z), -1.0) for j in range(n)])
        residual, size = np.einsum("ji,jik,jk->j", x, squares, x), squares[:, -1, -1]
        # the joint's own parameters, and its share of the common ones
        spent = 4.0 + (len(z[self.w]) + len(self.unknown)) / n
        exact = RANK**2 * np.where(size > 0.0, size, 1.0)
        return np.sqrt(np.maximum(residual, exact) / np.maximum(self.rows.counts - spent, 1.0))

    def _correlation(self, z: Array) -> Array:
        """Return the number of rows that are worth one independent row, of every joint ``(n,)``."""
        series: list[Array] = []
        kept: list[NDArray[np.bool_]] = []
        for with_load, rows in enumerate(self.rows.sets):
            taus = [part.filtered(part.tau) for part in rows.parts]
            for j in range(rows.model.n):
                x = self._of_joint(j, z)
                x[:LOAD] *= with_load
                for tau, ours in zip(taus, rows.torques(x), strict=True):
                    tau[:, j] -= ours[:, j]
            series += taus
            kept += _kept(rows.parts)
        return correlation_lengths(series, kept)


def _summed(squares: Array, maps: Sequence[Array], weights: Array) -> Array:
    """Return the Gram matrix of mapped and weighted rows of all joints."""
    scales = np.where(weights > 0.0, weights, 1.0)
    return np.sum(
        [M.T @ G @ M / w**2 for M, G, w in zip(maps, squares, scales, strict=True)], axis=0
    )


def _least_squares(G: Array) -> tuple[Array, Array]:
    """Return x and its covariance from the Gram matrix of rows [A | b].

    Unknowns that the rows do not show stay zero, with the largest variance that rounding allows.
    """
    H, g = G[:-1, :-1], G[:-1, -1]
    return scaled_solve(H, g, RANK**2), scaled_inverse(H)
