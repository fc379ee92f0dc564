"""`identify_payload`: the load of a known arm, from the torques that the load adds.

A load is part of the last link: its ten parameters about the tip have the columns of that link in
the regressor. The torques without load are subtracted. They come either from the model alone, or
from a log of the same motion without load. With such a log, the model at the measured positions is
first subtracted from each log; then errors of the model and friction cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_flag
from armdyn._progress import Progress, reporter
from armdyn.algorithms import PARAMETER_NAMES
from armdyn.arm import Arm
from armdyn.errors import InputError
from armdyn.identification._arguments import checked_arm, checked_cutoff, checked_logs
from armdyn.identification._tolerances import RANK, TINY
from armdyn.identification.data._prepared import Data, prepared
from armdyn.identification.fit._columns import Model, friction_columns
from armdyn.identification.fit._fit import Fitted, Settings, fitted
from armdyn.identification.fit._prior import POWERS, SPREAD, Expected, link_length
from armdyn.identification.fit._problem import Problem
from armdyn.identification.fit._segments import FilteredSegment, Rows
from armdyn.identification.payload._load import Load, from_tip, loaded
from armdyn.identification.payload._payload import UNKNOWN, Payload
from armdyn.identification.physical._physical import physical
from armdyn.identification.physical._solver import need_solver
from armdyn.log import Log, Prepared
from armdyn.minimal import MinimalParameters

Array = NDArray[np.float64]

WHY = "identifying a load that can exist"
UNITS = ("kg", *["kg m"] * 3, *["kg m^2"] * 6)

# Weight of the prior. It is weak: the load is expected within thirty times the size that its
# torques suggest.
STRENGTH = 0.03

# Two logs show the same motion if their positions differ by at most this share of its range.
SAME_MOTION = 0.05

# The smallest expected mass of a load [kg]; it is a divisor.
LIGHTEST = 1e-12

# Where friction is fitted, slower rows are left out [rad/s or m/s].
DEAD_BAND = 0.01


def identify_payload(
    arm: Arm,
    logs: Log | Sequence[Log],
    *,
    without: Log | None = None,
    friction: bool | None = None,
    cutoff: float | None = None,
    progress: Progress | None = None,
) -> Payload:
    """Identify the load that an arm holds.

    Args:
        arm: the arm without load, identified as well as possible; it is not changed.
        logs: of torques with the load.
        without: a log of the same motion without load, whose torques are subtracted.
        friction: fit friction again; default is True unless `without` is given.
        cutoff: of the low-pass of positions [Hz]; chosen from their spectrum if left out.
        progress: called with (done, total, what) during each step.

    Raises:
        InputError: an argument is wrong, or the two logs do not show the same motion.
        MissingExtraError: CVXPY or Clarabel is not installed.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> found = armdyn.identify_payload(arm, armdyn.Log.read("held.csv"), friction=False)
        >>> round(found.load.mass, 2)
        1.5
    """
    checked_arm(arm)
    tell = reporter(progress)
    held = checked_logs(arm, logs, "logs")
    empty = [] if without is None else checked_logs(arm, without, "without")
    anew = not empty if friction is None else checked_flag(friction, "friction")
    if empty and len(held) > 1:
        raise InputError(
            "`without` is one log, but `logs` are several; give one of each.", argument="without"
        )
    torques = [log.tau for log in (*held, *empty) if log.tau is not None]
    if empty and len(torques) == 2 and np.array_equal(torques[0], torques[1]):
        raise InputError(
            "the logs with and without load have the same torques; is one given as the other?"
        )
    need_solver(WHY)
    data = prepared(held, empty, checked_cutoff(cutoff), None, tell)
    own = friction_columns(arm) if anew else []
    # `Model` uses no other attributes of minimal parameters
    columns = cast(MinimalParameters, LoadColumns(arm))
    model = Model(arm, columns, own, known_rotors=np.zeros(arm.n))
    parts = _filtered_segments(arm, data, [log.t[0] for log in (*held, *empty)])
    natural = _expected(arm, parts)
    rows = Rows(model, parts)
    settings = Settings(np.full(arm.n, DEAD_BAND if anew else -1.0), True, None, STRENGTH)
    found = fitted(model, rows, natural, settings, tell)
    return _payload(arm, model, found, natural, data.notes + _told(bool(empty), anew))


class LoadColumns:
    """The ten parameters of a load about the tip; replaces minimal parameters in `Model`."""

    rotor = False

    def __init__(self, arm: Arm) -> None:
        self._arm, self._from_tip = arm, from_tip(arm)
        self.names: tuple[str, ...] = tuple(f"{name}_load" for name in PARAMETER_NAMES)
        self.units: tuple[str, ...] = UNITS
        self.matrix: Array = np.eye(10)

    def regressor(self, q: Array, qd: Array, qdd: Array, *, out: Array | None = None) -> Array:
        """Return the torques ``(N, n, 10)`` for a unit of every parameter."""
        return np.matmul(self._arm.regressor(q, qd, qdd)[..., -10:], self._from_tip, out=out)


def visible(columns: LoadColumns, n: int) -> dict[str, bool]:
    """Return which parameters of a load are identifiable individually."""
    rng = np.random.default_rng(0)
    Y = columns.regressor(*rng.uniform(-2.0, 2.0, (3, 60, n))).reshape(-1, 10)
    _, size, V = np.linalg.svd(Y, full_matrices=False)
    seen = V[size > RANK * size[0]]
    alone = np.linalg.norm(seen, axis=0) > 1.0 - RANK
    return {name: bool(x) for name, x in zip(PARAMETER_NAMES, alone, strict=True)}


def _filtered_segments(arm: Arm, data: Data, starts: Sequence[float]) -> list[FilteredSegment]:
    listed: list[FilteredSegment] = []
    for number, (log, band) in enumerate(zip(data.train, data.train_bands, strict=True)):
        target = _residuals(arm, log)
        kept = np.ones(len(log), dtype=np.bool_)
        if data.test:
            same, kept = _at_same_times(arm, data.test[0], log, starts)
            target = target - same
        for a, b in log.bounds:
            at = a + np.flatnonzero(kept[a:b])
            if not len(at):
                continue
            a, b = int(at[0]), int(at[-1]) + 1
            one = FilteredSegment(
                number, log.t[a:b], log.q[a:b], log.qd[a:b], log.qdd[a:b], target[a:b], band
            )
            if len(one.centres):
                listed.append(one)
    if not listed:
        raise InputError("the logs are too short: nothing is left after filtering. Record longer.")
    return listed


def _residuals(arm: Arm, log: Prepared) -> Array:
    """Return measured torques minus those of the arm without load."""
    assert log.tau is not None
    return log.tau - arm.inverse_dynamics(log.q, log.qd, log.qdd)


def _at_same_times(
    arm: Arm, empty: Prepared, log: Prepared, starts: Sequence[float]
) -> tuple[Array, NDArray[np.bool_]]:
    """Return the residuals of the log without load at the times of the other, and where they exist.

    Times count from the start of each log: the motion starts there.

    Raises:
        InputError: the logs do not show the same motion.
    """
    if len(empty.bounds) > 1:
        raise InputError(
            "the log `without` load has gaps, and cannot be subtracted; leave it out, or record "
            "it again."
        )
    t, other = log.t - starts[0], empty.t - starts[1]
    kept = (t >= other[0]) & (t <= other[-1])
    values = _interpolated(t, other, _residuals(arm, empty))
    q = _interpolated(t, other, empty.q)
    extent = float(np.linalg.norm(log.q - log.q.mean(axis=0)))
    off = float(np.linalg.norm((q - log.q)[kept])) / max(extent, TINY)
    if off > SAME_MOTION:
        raise InputError(
            f"the logs with and without load are not of one motion: positions differ by {off:.0%} "
            "of its extent. Leave `without` out to subtract the model of the arm instead."
        )
    return values, kept


def _interpolated(t: Array, at: Array, values: Array) -> Array:
    result = np.empty((len(t), values.shape[1]))
    for j in range(values.shape[1]):
        result[:, j] = np.interp(t, at, values[:, j])
    return result


def _expected(arm: Arm, parts: Sequence[FilteredSegment]) -> Expected:
    """Return a prior around zero; its spread is that of a mass at one link length."""
    length = link_length(arm)
    count = sum(len(part.t) for part in parts)
    torque = np.sqrt(np.sum([np.sum(part.tau**2, axis=0) for part in parts], axis=0) / count)
    mass = max(float(torque.max()) / (9.81 * length), LIGHTEST)
    return Expected(np.zeros(10), SPREAD * mass * length**POWERS, False)


def _payload(arm: Arm, model: Model, found: Fitted, natural: Expected, notes: list[str]) -> Payload:
    fit = found.fit
    x, cov = fit.values[:10], fit.covariance[:10, :10]
    # the fitted friction is the difference from the arm's friction and may be negative
    columns = tuple(c if c.kind == "base" else replace(c, kind="extra") for c in model.columns)
    problem = Problem(
        1, columns, fit.r_factor, np.eye(10), natural.mean, natural.spread, STRENGTH, False,
        fit.values,
    )  # fmt: skip
    load = Load.of_parameters(physical(problem).parameters)
    std = np.sqrt(np.diag(cov))
    can = visible(LoadColumns(arm), arm.n)
    blind = [name for name, seen in can.items() if not seen]
    if blind:
        notes.append(f"torques of this arm do not show {', '.join(blind)} of a load.")
    size = load.mass * (natural.spread / natural.spread[0])
    weak = [
        name
        for name, s, m in zip(PARAMETER_NAMES, std, size, strict=True)
        if s > UNKNOWN * m and can[name]
    ]
    if weak:
        notes.append(f"this motion hardly shows {', '.join(weak)} of the load.")
    toward = np.column_stack([-np.array(load.com), np.eye(3)]) / load.mass
    com_std = np.sqrt(np.diag(toward @ cov[:4, :4] @ toward.T))
    return Payload(
        load, loaded(arm, load), x.copy(), std, cov.copy(), can, float(std[0]), com_std,
        fit.sigma, tuple(notes),
    )  # fmt: skip


def _told(subtracted: bool, anew: bool) -> list[str]:
    if subtracted:
        said = "torques of the log without load were subtracted, each less the model of the arm"
    else:
        said = "torques of the model of the arm were subtracted"
    return [f"{said}; friction was {'fitted anew' if anew else 'taken as it is'}."]
