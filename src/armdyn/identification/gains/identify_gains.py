"""`identify_drive_gains`: torque per ampere of every drive, from motions with a known load.

Currents alone determine only the ratio of mass to gain: an arm twice as heavy with drives twice as
strong draws the same currents. A known load sets the scale [GautierBriot2011]. In

    i_j = a_j ( Y_j w + L_j ) + F_j f_j,        a_j = 1/g_j

L_j is the torque of the load, zero in the logs without it, w are the minimal parameters of the arm,
and f_j is friction in amperes. All joints share w, so even a drive that hardly feels the load gets
a gain, through the other joints. The mass of the load is enough: its centre of mass and its inertia
are further unknowns that L_j is linear in. The noise is in the measured i_j, so the fit minimises
the sum of squares of this equation, by Gauss-Newton steps. They start from the solution of
g_j i_j - Y_j w - F_j g_j f_j = L_j, which is linear. All of this needs Gram matrices of the rows of
each joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_positive
from armdyn.errors import ArmdynError, InputError, shown
from armdyn.identification.arguments import checked_arm, checked_cutoff, checked_logs
from armdyn.identification.fit.columns import Model, friction_columns
from armdyn.identification.fit.correlation import correlation_lengths
from armdyn.identification.fit.rows import FilteredSegment, Rows, filtered_segments
from armdyn.identification.gains.drive_gains import UNKNOWN, DriveGains
from armdyn.identification.gains.gain_fit import (
    LOAD,
    KnownLoad,
    Unknowns,
    gauss_newton,
    jackknife,
    linear,
    sigma_of,
)
from armdyn.identification.payload.columns import LoadColumns, model_of
from armdyn.identification.payload.estimate import joint_squares, moving_blocks
from armdyn.identification.payload.load import Load
from armdyn.identification.signals.prepared import Data, prepared
from armdyn.log.log import Log
from armdyn.numerics import ratio
from armdyn.progress import Progress, reporter

# Slower rows [rad/s or m/s] are left out: near rest, friction does not follow the model.
DEAD_BAND = 0.02

# The friction of a drive here: three columns for every joint.
FRICTION = ("viscous", "coulomb", "offset")

# A given centre of mass is wrong if the currents show another one, this many standard deviations
# and this far [m] away.
SURE = 5.0
APART = 0.01

# No drive has a gain beyond these [N m/A or N/A].
POSSIBLE = 1e-4, 1e5

# Currents whose residuals exceed this share of them are not explained.
UNEXPLAINED = 0.5


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
        load: the mass of the load [kg], whose centre of mass and inertia are then found; or a load
            of which all is known.
        cutoff: of the low-pass of positions [Hz]; chosen from their spectrum if left out.
        progress: called with (done, total, what) during each step.

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
    free = KnownLoad(np.array([mass, *[0.0] * 9]), tuple(range(1, LOAD)))
    if given is None:
        return _answer(rows, _solved(rows, free), mass, data.notes, True)
    _check_centre(given, _solved_if_possible(rows, free), mass)
    return _answer(rows, _solved(rows, KnownLoad(given.parameters, ())), mass, data.notes, False)


def _known(load: object) -> tuple[float, Load | None]:
    """Return the mass of the load, and the load if all is known of it."""
    if isinstance(load, Load) and load.mass > 0.0:
        return load.mass, load
    try:
        mass = checked_positive(load, "load")
    except ArmdynError:
        raise InputError(
            f"`load` is {shown(load)}, expected the mass of the load [kg], or an armdyn.Load with "
            "a mass: without a known load currents tell the arm's masses per gain only, not the "
            "gains.",
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


@dataclass(frozen=True)
class _Solved:
    """The unknowns, what is known of the load, their covariance, and residuals."""

    found: Unknowns
    load: KnownLoad
    covariance: Array
    sigma: Array

    @property
    def centre(self) -> tuple[Array, Array]:
        """The centre of mass and its standard deviations, of a load that is not known."""
        m = self.load.known[0]
        return self.found.x[:3] / m, np.sqrt(np.diag(self.covariance)[-9:-6]) / m


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
    own = [column for column in friction_columns(arm) if column.kind in FRICTION]
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
    return [np.abs(part.qd[part.centres]) > DEAD_BAND for part in parts]


def _solved(rows: _Rows, load: KnownLoad) -> _Solved:
    model, squares = rows.model, rows.squares
    found = linear(model, squares, load)
    c = np.ones(model.n)
    for _ in range(3):  # the correlation of rows needs residuals, and these need a fit
        found, _ = gauss_newton(model, squares, rows.counts, c, found, load)
        c = _correlation(rows, found, load)
    found, formula = gauss_newton(model, squares, rows.counts, c, found, load)
    sigma = sigma_of(squares, rows.counts, found, load)
    blocks = jackknife(model, rows.blocks, np.sqrt(c) * sigma, found, load)
    # the larger of both: few blocks may agree by chance
    wide = np.sqrt(np.maximum(np.diag(blocks) / np.diag(formula), 1.0))
    return _Solved(found, load, wide[:, None] * formula * wide, sigma)


def _solved_if_possible(rows: _Rows, load: KnownLoad) -> _Solved | None:
    try:
        return _solved(rows, load)
    except ArmdynError:
        return None


def _check_centre(given: Load, free: _Solved | None, mass: float) -> None:
    """Raise an error if the currents show another centre of mass than the given one."""
    if free is None:
        return
    centre, std = free.centre
    off = np.abs(np.array(given.com) - centre)
    wrong = (off > SURE * std) & (off > APART)
    if wrong.any():
        told = ", ".join(f"{x:.3f} +- {s:.2g}" for x, s in zip(centre, std, strict=True))
        raise InputError(
            f"`load` has its centre of mass at {given.com}, but the currents show it at ({told}) m "
            f"from the tip. Correct it, or give the mass alone: {mass:g}.",
            argument="load",
        )


def _answer(rows: _Rows, solved: _Solved, mass: float, notes: list[str], free: bool) -> DriveGains:
    names, found = rows.model.arm.joint_names, solved.found
    n = len(names)
    gains = 1.0 / found.a
    std = np.sqrt(np.diag(solved.covariance)[:n]) * gains**2
    size = np.sqrt(rows.squares[:, -1, -1] / rows.counts)
    weak = [name for name, g, s in zip(names, gains, std, strict=True) if not s < UNKNOWN * abs(g)]
    said = list[str]()
    if weak:
        said.append(
            f"the gain of {', '.join(weak)} is hardly known: use a heavier load, or a motion that "
            "shakes it more there."
        )
    for name, gain, sigma, current in zip(names, gains.tolist(), solved.sigma, size, strict=True):
        if not POSSIBLE[0] < abs(gain) < POSSIBLE[1]:
            said.append(f"the gain of {name}, {gain:.3g}, is that of no drive.")
        share = float(ratio(sigma, current, 1.0))
        if share > UNEXPLAINED:
            said.append(
                f"{share:.0%} of the currents of {name} are not explained by any gain; "
                "are they of another joint?"
            )
    turned = [name for name, gain in zip(names, gains, strict=True) if gain < 0.0]
    if turned:
        notes.append(
            f"the gain of {', '.join(turned)} is negative: current and torque have opposite signs. "
            "That is right only if the drive is mounted the other way round."
        )
    centre, centre_std = solved.centre if free else (np.full(3, np.nan), np.full(3, np.nan))
    if free:
        where = ", ".join(f"{x:.3f} +- {s:.2g}" for x, s in zip(centre, centre_std, strict=True))
        notes.append(f"the load of {mass:g} kg has its centre of mass at ({where}) m from the tip.")
    return DriveGains(
        gains=gains, std=std, joint_names=names, values=found.w, sigma=solved.sigma, mass=mass,
        com=centre, com_std=centre_std, reasons=tuple(said), notes=(*said, *notes),
    )  # fmt: skip


def _correlation(rows: _Rows, found: Unknowns, load: KnownLoad) -> Array:
    model = rows.model
    series: list[Array] = []
    kept: list[NDArray[np.bool_]] = []
    for held, one in enumerate(rows.sets):
        taus = [part.filtered(part.tau) for part in one.parts]
        for j in range(model.n):
            x = found.of_joint(j, load)
            if not held:
                x[:LOAD] = 0.0
            for tau, ours in zip(taus, one.torques(x), strict=True):
                tau[:, j] -= ours[:, j]
        series += taus
        kept += _kept(one.parts)
    return correlation_lengths(series, kept)
