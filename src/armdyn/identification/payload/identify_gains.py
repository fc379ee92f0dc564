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
from itertools import pairwise

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_positive
from armdyn.errors import ArmdynError, InputError, NumericalError, shown
from armdyn.identification.arguments import checked_cutoff, checked_logs
from armdyn.identification.fit.columns import Model, friction_columns
from armdyn.identification.fit.fit import EXACT
from armdyn.identification.fit.rows import Rows, filtered_segments
from armdyn.identification.fit.solver import Fit, Prior, Solver, solution
from armdyn.identification.payload.estimate import (
    LOAD,
    LoadColumns,
    block_jackknife,
    model_of,
    moving_blocks,
    weighted,
)
from armdyn.identification.payload.payload import UNKNOWN, DriveGains, Load
from armdyn.identification.signals.prepared import Data, prepared
from armdyn.log.log import Log
from armdyn.motion.trajectory import checked_arm
from armdyn.numerics import ROUNDING, ratio
from armdyn.progress import Progress, reporter


@dataclass(frozen=True)
class GainSettings:
    """Settings of the identification of drive gains.

    Attributes:
        dead_band: slower rows are left out [rad/s or m/s]: stiction does not follow the model.
        sure: a given centre of mass is wrong if the currents contradict it by more standard
            deviations, and
        apart: by more than this distance [m].
        possible: range of gains of drives [N m/A or N/A].
        unexplained: largest residual, as a share of the current.
        rounds: most Gauss-Newton steps.
        settled: change of the residuals, relative to their size, that ends them.
    """

    dead_band: float = 0.02
    sure: float = 5.0
    apart: float = 0.01
    possible: tuple[float, float] = (1e-4, 1e5)
    unexplained: float = 0.5
    rounds: int = 60
    settled: float = 1e-4


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
    arm = checked_arm(arm, "Drive gains")
    tell = reporter(progress)
    mass, given = _known(load)
    empty, held = _currents(arm, without, "without"), _currents(arm, with_load, "with_load")
    data = prepared(empty, held, checked_cutoff(cutoff), None, tell)
    model, blocks, counts = _blocks(arm, data)
    tell(0, 1, "gains")
    if counts.min() * arm.n < len(model.columns):
        raise InputError("the logs are too short, or hardly move. Record longer.")
    free = GainFit(model, blocks, counts, np.array([mass, *[0.0] * 9]), range(1, LOAD))
    if given is None:
        return _answer(free, data.notes)
    _check_centre(given, free)
    return _answer(GainFit(model, blocks, counts, given.parameters, ()), data.notes)


def _known(load: object) -> tuple[float, Load | None]:
    """Return the mass of the load, and the load if it is completely known."""
    if isinstance(load, Load) and load.mass > 0.0:
        return load.mass, load
    what = "a mass above 0 kg, or an armdyn.Load of one: currents alone show masses per gain only"
    return checked_positive(load, "load", what=what), None


def _currents(arm: Arm, logs: Log | Sequence[Log], what: str) -> list[Log]:
    listed: list[object] = list(logs) if isinstance(logs, list | tuple) else [logs]
    same: list[Log] = []
    for log in listed:
        if not isinstance(log, Log) or log.effort == "torque":
            has = f"torques ({log.source or 'a log'})" if isinstance(log, Log) else shown(log)
            raise InputError(
                f"`{what}` has {has}, expected an armdyn.Log of motor currents: "
                "Log.read(path, torque='current'), or Log(..., effort='current').",
                argument=what,
            )
        # the checks and filters of torques also suit currents
        same.append(log if log.tau is None else replace(log, effort="torque"))
    return checked_logs(arm, same, what)


def _blocks(arm: Arm, data: Data) -> tuple[Model, Array, Array]:
    """Return the columns, their Gram matrices ``(B, n, p + 1, p + 1)``, and numbers of rows."""
    model = model_of(arm, LoadColumns(arm, arm.minimal_with(rotor=True)), friction_columns(arm))
    blocks: list[Array] = []
    counts = np.zeros(arm.n)
    for logs, bands in ((data.train, data.train_bands), (data.test, data.test_bands)):
        parts = filtered_segments(logs, bands, model)
        targets = [part.filtered(part.tau) for part in parts]
        kept = [np.abs(part.qd[part.centres]) > SETTINGS.dead_band for part in parts]
        made, rows = moving_blocks(Rows(model, parts), targets, kept)
        blocks.append(made)
        counts += rows
    blocks[0][..., :LOAD], blocks[0][..., :LOAD, :] = 0.0, 0.0  # no load, no torque of it
    return model, np.concatenate(blocks), counts


def _check_centre(given: Load, free: GainFit) -> None:
    """Raise an error if the currents show another centre of mass than the given one."""
    try:
        shown = _answer(free, [])
    except ArmdynError:  # they do not show any
        return
    off = np.abs(np.array(given.com) - shown.com)
    if ((off > SETTINGS.sure * shown.com_std) & (off > SETTINGS.apart)).any():
        raise InputError(
            f"`load` has its centre of mass at {given.com}, but the currents show it at "
            f"({_bars(shown.com, shown.com_std)}) m from the tip. Correct it, or give the mass "
            f"alone: {given.mass:g}.",
            argument="load",
        )


def _bars(values: Array, std: Array) -> str:
    return ", ".join(f"{x:.3f} +- {s:.2g}" for x, s in zip(values, std, strict=True))


def _answer(fit: GainFit, notes: list[str]) -> DriveGains:
    z, errors, sigma = fit.solved()
    gains, names, mass = 1.0 / z[fit.a], fit.arm.joint_names, float(fit.known[0])
    std = errors[fit.a] * gains**2
    size = np.sqrt(fit.blocks[..., -1, -1].sum(axis=0) / fit.counts)
    low, high = SETTINGS.possible
    reasons: list[str] = []
    weak = ", ".join(np.array(names)[~(std < UNKNOWN * np.abs(gains))])
    if weak:
        reasons.append(
            f"the gain of {weak} is hardly known. Use a heavier load, or accelerate it more there."
        )
    for name, gain, share in zip(names, gains, ratio(sigma, size, 1.0), strict=True):
        if not low < abs(gain) < high:
            reasons.append(f"the gain of {name}, {gain:.3g}, is outside of the range of drives.")
        if share > SETTINGS.unexplained:
            reasons.append(
                f"no gain explains {share:.0%} of the currents of {name}: are they another joint's?"
            )
    turned = ", ".join(np.array(names)[gains < 0.0])
    if turned:
        notes.append(
            f"the gain of {turned} is negative: current and torque have opposite signs. Check "
            "whether the drive is mounted the other way round."
        )
    com, com_std = np.full((2, 3), np.nan)
    if fit.unknown:
        com, com_std = z[fit.x][:3] / mass, errors[fit.x][:3] / mass
        where = _bars(com, com_std)
        notes.append(f"the load of {mass:g} kg has its centre of mass at ({where}) m from the tip.")
    return DriveGains(
        gains=gains, std=std, joint_names=names, values=z[fit.w], sigma=sigma, mass=mass,
        com=com, com_std=com_std, reasons=tuple(reasons), notes=tuple(notes),
    )  # fmt: skip


class GainFit:
    """Least squares of the currents; the unknowns are [a | w | f | x].

    a_j are inverse gains ``(n,)``, w minimal parameters ``(k,)``, f friction in amperes (all terms
    of every joint), and x the unknown parameters of the load.
    """

    def __init__(
        self, model: Model, blocks: Array, counts: Array, known: Array, unknown: Sequence[int]
    ) -> None:
        """Prepare a fit.

        Args:
            model: the columns.
            blocks: Gram matrices of [columns | current] of blocks of time and joints.
            counts: numbers of rows of every joint ``(n,)``.
            known: the ten parameters of the load; zero where unknown.
            unknown: places of the unknown ones.
        """
        n, k = model.n, model.k - LOAD
        self._terms = (len(model.columns) - model.k) // n
        ends = np.cumsum([0, n, k, self._terms * n, len(unknown)]).tolist()
        self.a, self.w, self._f, self.x = (slice(a, b) for a, b in pairwise(ends))
        self.arm, self.blocks, self.counts = model.arm, blocks, counts
        self.known, self.unknown, self._count = known, list(unknown), ends[-1]

    def solved(self) -> tuple[Array, Array, Array]:
        """Return the unknowns, their standard deviations, and those of the residuals [A].

        Raises:
            NumericalError: the steps do not converge.
        """
        squares, every = self.blocks.sum(axis=0), tuple(range(self._count))
        z, weights = self._initial(squares), np.sqrt(squares[:, -1, -1] / self.counts)
        fit: Fit | None = None
        for _ in range(SETTINGS.rounds):
            rows = self._linearised(squares, z)
            flat = _flat_prior(weighted(rows, weights))
            solver = Solver(rows, self.counts, flat, every, np.ones(len(squares)))
            fit = solver.fit(start=fit, settled=EXACT)
            step, z, weights = fit.values - z, fit.values, fit.weights
            whole = weighted(rows, weights)
            # squares of the change of the residuals, and of the residuals
            if step @ whole[:-1, :-1] @ step <= SETTINGS.settled**2 * self.counts.sum():
                break
        else:
            raise NumericalError(
                "the fit of the drive gains does not converge: the logs hardly show the load. Use "
                "a heavier load, or motions that excite the arm more."
            )
        by_blocks = block_jackknife(self._linearised(self.blocks, z), weights, flat, 1.0)
        # the larger of both: few blocks may agree by chance
        std = np.sqrt(np.maximum(np.diag(by_blocks), np.diag(fit.covariance)))
        return z, std, fit.sigma

    def _initial(self, squares: Array) -> Array:
        """Return the solution of g_j i_j - Y_j w - F_j (g_j f_j) - X_j x = L_j."""
        maps = np.zeros((*squares.shape[:2], self._count + 1))
        every = range(len(maps))
        maps[every, -1, every] = 1.0
        maps[:, LOAD:-1, self.w.start : self._f.stop] = -np.eye(squares.shape[-1] - 1 - LOAD)
        maps[:, self.unknown, self.x] = -np.eye(len(self.unknown))
        maps[:, :LOAD, -1] = self.known
        currents = np.sqrt(squares[:, -1, -1])
        G = weighted(maps.mT @ squares @ maps, np.where(currents > 0.0, currents, 1.0))
        prior = _flat_prior(G)
        z, _ = solution(G, prior.fixed, prior.mean)
        silent = (z[self.a] == 0.0) | (currents == 0.0)
        if silent.any():
            raise NumericalError(
                f"the currents of {', '.join(np.array(self.arm.joint_names)[silent])} are zero, or "
                "do not depend on the load. Check the log."
            )
        z[self._f] /= np.repeat(z[self.a], self._terms)
        z[self.a] = 1.0 / z[self.a]
        return z

    def _linearised(self, squares: Array, z: Array) -> Array:
        """Return Gram matrices of the rows [J | currents - model + J z] about the unknowns z."""
        load, w = self.known.copy(), z[self.w]
        load[self.unknown] = z[self.x]
        maps = np.zeros((*squares.shape[-3:-1], self._count + 1))
        end, every, a = LOAD + len(w), range(len(maps)), z[self.a][:, None, None]
        maps[every, :end, every] = np.concatenate([load, w])
        maps[:, LOAD:end, self.w] = a * np.eye(len(w))
        maps[:, end:-1, self._f] = np.eye(self._terms * len(maps))
        maps[:, self.unknown, self.x] = a * np.eye(len(self.unknown))
        maps[:, :end, -1] = a[:, 0] * np.concatenate([load - self.known, w])
        maps[:, -1, -1] = 1.0
        return maps.mT @ squares @ maps


def _flat_prior(G: Array) -> Prior:
    """Return a prior that holds nothing but what the rows [A | b] do not show at all."""
    p = len(G) - 1
    ridge = np.diag(ROUNDING * np.diag(G)[:-1])
    return Prior(np.zeros(p), np.zeros((p, p)), ridge, 1.0, 0)
