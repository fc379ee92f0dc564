"""`identify_drive_gains`: torque per ampere of every drive, from motions with a known load.

Currents alone determine only the ratio of mass to gain: an arm twice as heavy with drives twice as
strong draws the same currents. A known load sets the scale [GautierBriot2011]. In

    i_j = a_j ( Y_j w + L_j ) + F_j f_j,        a_j = 1/g_j

L_j is the torque of the load, zero in the logs without it, w are the minimal parameters of the arm,
and f_j is friction in amperes. All joints share w, so even a drive that hardly feels the load gets
a gain, through the other joints. The noise is in the measured i_j, so the fit minimises the sum of
squares of this equation, by Gauss-Newton steps. They start from the solution of
g_j i_j - Y_j w - F_j g_j f_j = L_j, which is linear. All of this needs one factor of the rows of
each joint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armdyn._progress import Progress, reporter
from armdyn.arm import Arm
from armdyn.errors import InputError, shown
from armdyn.identification._arguments import checked_arm, checked_cutoff, checked_logs
from armdyn.identification.data._prepared import Data, prepared
from armdyn.identification.fit._columns import Column, Model, friction_columns
from armdyn.identification.fit._correlation import correlation_lengths
from armdyn.identification.fit._fit import factors_of
from armdyn.identification.fit._r_factor import r_factor
from armdyn.identification.fit._segments import FilteredSegment, Rows, filtered_segments
from armdyn.identification.gains._drive_gains import UNKNOWN, DriveGains
from armdyn.identification.gains._gain_fit import Unknowns, gauss_newton, linear, sigma_of
from armdyn.identification.payload._load import Load, loaded
from armdyn.log import Log
from armdyn.robot import FRICTION_TERMS, Robot

Array = NDArray[np.float64]

# Slower rows [rad/s or m/s] are left out: near rest, friction does not follow the model.
DEAD_BAND = 0.02


def identify_drive_gains(
    arm: Arm,
    without: Log | Sequence[Log],
    with_load: Log | Sequence[Log],
    load: Load,
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
        load: the load; at least its mass and centre of mass must be known.
        cutoff: of the low-pass of positions [Hz]; chosen from their spectrum if left out.
        progress: called with (done, total, what) during each step.

    Raises:
        InputError: an argument is wrong, or the load is not known.
        NumericalError: the logs do not show the gains.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> empty, held = (armdyn.Log.read(f"current{name}.csv") for name in ("", "_held"))
        >>> load = armdyn.Load(mass=1.5, com=(0.1, 0.0, 0.0))
        >>> found = armdyn.identify_drive_gains(arm, empty, held, load)
        >>> found.gains.round(2)
        array([2., 3.])
    """
    checked_arm(arm)
    tell = reporter(progress)
    if not isinstance(load, Load) or not load.mass > 0.0:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"`load` is {shown(load)}, expected an armdyn.Load with a mass: without a known load "
            "currents tell the arm's masses per gain only, not the gains.",
            argument="load",
        )
    empty, held = _currents(arm, without, "without"), _currents(arm, with_load, "with_load")
    data = prepared(empty, held, checked_cutoff(cutoff), None, tell)
    model = _model(arm, load)
    sets = _rows(model, data)
    factors, counts = _factors(model, sets, tell)
    if min(counts) * arm.n < len(model.columns):
        raise InputError("the logs are too short, or hardly move. Record longer.")
    return _solved(model, sets, factors, counts, data.notes)


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


def _model(arm: Arm, load: Load) -> Model:
    """Return columns of the links, of friction, and of the load (the last n)."""
    bare = Arm(_without_friction(arm))
    heavy = loaded(bare, load)

    def column(j: int) -> Callable[[Array, Array, Array], Array]:
        def torque(q: Array, qd: Array, qdd: Array) -> Array:
            more = heavy.inverse_dynamics(q, qd, qdd) - bare.inverse_dynamics(q, qd, qdd)
            return more[:, j]

        return torque

    loads = [Column(f"load{j + 1}", "1/gain", "extra", j, column(j)) for j in range(arm.n)]
    own = [*friction_columns(arm), *loads]
    return Model(arm, arm.minimal_with(rotor=True), own, known_rotors=np.zeros(arm.n))


def _without_friction(arm: Arm) -> Robot:
    joints = [replace(j, **dict.fromkeys(FRICTION_TERMS, 0.0)) for j in arm.robot.joints]
    return replace(arm.robot, joints=joints)


def _rows(model: Model, data: Data) -> tuple[Rows, Rows]:
    """Return the rows without load and with it."""
    empty = filtered_segments(data.train, data.train_bands, model)
    held = filtered_segments(data.test, data.test_bands, model)
    return Rows(model, empty), Rows(model, held)


def _kept(parts: Sequence[FilteredSegment]) -> list[NDArray[np.bool_]]:
    return [np.abs(part.qd[part.centres]) > DEAD_BAND for part in parts]


def _factors(
    model: Model, sets: tuple[Rows, Rows], progress: Progress
) -> tuple[list[Array], list[int]]:
    made: list[tuple[list[Array], list[int]]] = []
    for rows in sets:
        targets = [part.filtered(part.tau) for part in rows.parts]
        made.append(factors_of(rows, targets, _kept(rows.parts), progress))
    (bare, few), (held, more) = made
    first = len(model.columns) - model.n
    for R in bare:
        R[:, first:-1] = 0.0  # without load, the load's torque is zero
    factors = [r_factor(np.vstack(pair)) for pair in zip(bare, held, strict=True)]
    return factors, [a + b for a, b in zip(few, more, strict=True)]


def _solved(
    model: Model,
    sets: tuple[Rows, Rows],
    factors: list[Array],
    counts: list[int],
    notes: list[str],
) -> DriveGains:
    n, k = model.n, model.k
    rows = np.array(counts, dtype=np.float64)
    found = linear(model, factors)
    c = np.ones(n)
    cov = np.eye(n + k + 3 * n)
    for _ in range(3):  # the correlation of rows needs residuals, and these need a fit
        found, cov = gauss_newton(model, factors, rows, c, found)
        c = _correlation(model, sets, found)
    found, cov = gauss_newton(model, factors, rows, c, found)
    gains = 1.0 / found.a
    std = np.sqrt(np.diag(cov)[:n]) * gains**2
    weak = [
        name
        for name, g, s in zip(model.arm.joint_names, gains, std, strict=True)
        if not s < UNKNOWN * abs(g)
    ]
    if weak:
        notes.append(
            f"the gain of {', '.join(weak)} is hardly known: use a heavier load, or a motion that "
            "shakes it more there."
        )
    sigma = sigma_of(factors, rows, found)
    return DriveGains(gains, std, model.arm.joint_names, found.w, sigma, tuple(notes))


def _correlation(model: Model, sets: tuple[Rows, Rows], found: Unknowns) -> Array:
    series: list[Array] = []
    kept: list[NDArray[np.bool_]] = []
    for held, rows in enumerate(sets):
        left = [part.filtered(part.tau) for part in rows.parts]
        for part, at, A in rows:
            for j in range(model.n):
                x = found.of_joint(j)
                if not held:
                    x[-model.n :] = 0.0
                left[part][at, j] -= A[:, model.part(j)] @ x[model.active[j]]
        series += left
        kept += _kept(rows.parts)
    return correlation_lengths(series, kept)
