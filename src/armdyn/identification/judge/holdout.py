"""Data that are not used for the fit, and the errors of predicted torques there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.fit.choice import ONSET
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.rows import FilteredSegment, Rows, Work, sample
from armdyn.log.log import Log
from armdyn.log.trim import AT_REST, NEGLIGIBLE_MOTION
from armdyn.numerics import ratio

# At most about this many blocks of a long log are looked at.
BLOCKS = 64


@dataclass(frozen=True, eq=False)
class Series:
    """Torques of one segment of a log, in the band of the fit.

    Attributes:
        log: number of the log.
        t: times ``(M,)``.
        measured: torques ``(M, n)``.
        predicted: torques of the model ``(M, n)``.
        position: of the joints ``(M, n)``, not filtered further, like velocity and acceleration.
        velocity: of the joints ``(M, n)``.
        acceleration: of the joints ``(M, n)``.
    """

    log: int
    t: Array
    measured: Array
    predicted: Array
    position: Array
    velocity: Array
    acceleration: Array

    @property
    def residual(self) -> Array:
        """Measured minus predicted torques."""
        return self.measured - self.predicted


@dataclass(frozen=True, eq=False)
class Errors:
    """Relative errors of torques, ``|tau - predicted| / |tau|``, over rows where the joint moves.

    A joint moves where it is faster than 2 % of its greatest speed in these rows. At rest friction
    takes any value within the stiction band, and the error is the distance from that band. Of
    torques that are all zero, the error is 1 (100 %), or 0 if zeros are predicted.

    Attributes:
        per_joint: of every joint while it moves, ``(n,)``; NaN for a joint that never moves.
        total: of all joints together while they move; NaN if none ever does.
        rms: root mean square of the errors of every joint while it moves, ``(n,)``.
        unfiltered: the total with torques as recorded, noise included.
        at_rest: of every joint at rest: root mean square of the distance from the stiction band,
            relative to that of its torques in all rows, ``(n,)``; NaN for a joint that is never at
            rest.
        share_at_rest: share of the rows of every joint at rest, ``(n,)``.
    """

    per_joint: Array
    total: float
    rms: Array
    unfiltered: float
    at_rest: Array
    share_at_rest: Array

    @property
    def mean(self) -> float:
        """The root mean square of the errors of the joints that move."""
        return self.of(range(1, len(self.per_joint) + 1))

    def of(self, joints: Sequence[int]) -> float:
        """Return the error of some joints (from 1), the rms of theirs; of all together if none."""
        if not joints:
            return self.total
        each = self.per_joint[[j - 1 for j in joints]]
        seen = each[np.isfinite(each)]
        return float(np.sqrt(np.mean(seen**2))) if len(seen) else float("nan")


def split(logs: Sequence[Log], share: float) -> tuple[list[Log], list[Log]]:
    """Return the logs without their last part, and these last parts.

    The end of each log is held out in one piece. Neighbouring samples are very similar, so single
    held-out samples would be no test. The log is cut before filtering.
    """
    if share == 0.0:
        return list(logs), []
    cuts = [round((1.0 - share) * len(log)) for log in logs]
    for log, cut in zip(logs, cuts, strict=True):
        if not 0 < cut < len(log):
            raise InputError(
                f"the log has {len(log)} samples: too few to hold out {share:g}.",
                argument="holdout",
            )
    train = [log.part(0, cut) for log, cut in zip(logs, cuts, strict=True)]
    return train, [log.part(cut, len(log)) for log, cut in zip(logs, cuts, strict=True)]


def compare(
    rows: Rows, values: Array, fastest: Array | float = 0.0, ignored: Sequence[int] = ()
) -> tuple[list[Series], Errors | None]:
    """Return measured and predicted torques, and their errors; None without any samples.

    Both include the torques that are known beforehand.

    Args:
        rows: the rows to compare.
        values: of the parameters, ``(p,)``.
        fastest: greatest speeds of the drives in other logs, ``(n,)``: noise is no motion.
        ignored: joints (from 0) whose torques do not count.
    """
    model = rows.model
    series: list[Series] = []
    known = rows.collected(_known, ()) if model.knows else [None] * len(rows.parts)
    for part, ours, more in zip(rows.parts, rows.torques(values), known, strict=True):
        measured = part.filtered(part.tau)
        if more is not None:
            measured, ours = measured + more, ours + more
        t, q, qd, qdd = (part.at_centres(x) for x in (part.t, part.q, part.qd, part.qdd))
        series.append(Series(part.log, t, measured, ours, q, qd, qdd))
    if not series:
        return [], None
    return series, _errors(series, rows, values, fastest, ignored)


def _errors(
    series: Sequence[Series],
    rows: Rows,
    values: Array,
    fastest: Array | float,
    ignored: Sequence[int],
) -> Errors:
    speeds = [np.abs(rows.model.of_drives(s.velocity)) for s in series]
    least = slowest_moving(speeds, fastest)
    least[list(ignored)] = np.inf
    measured = np.concatenate([s.measured for s in series])
    moving = np.concatenate(speeds) > least
    residual = np.concatenate([s.residual for s in series])
    size = np.sum(np.where(moving, measured, 0.0) ** 2, axis=0)
    wrong = np.sum(np.where(moving, residual, 0.0) ** 2, axis=0)
    count = moving.sum(axis=0)
    mean = np.mean(measured**2, axis=0)
    beyond, resting = beyond_stiction(rows, values, least)
    return Errors(
        np.where(count > 0, np.sqrt(ratio(wrong, size, 1.0)), np.nan),
        float(np.sqrt(ratio(wrong.sum(), size.sum(), 1.0))) if count.any() else float("nan"),
        np.sqrt(wrong / np.maximum(count, 1)),
        _unfiltered(rows, values, least),
        np.where(resting > 0, np.sqrt(ratio(beyond / np.maximum(resting, 1), mean, 1.0)), np.nan),
        1.0 - count / len(measured),
    )


def _known(work: Work) -> Array:
    """Return the filtered torques that are known beforehand for a group."""
    return work.filtered(work.model.known(x.q, x.qd, x.qdd) for _, x in work.blocks())


def _unfiltered(rows: Rows, values: Array, least: Array) -> float:
    """Return the relative error of unfiltered torques; of long logs, from runs of samples."""
    wrong, size = 0.0, 0.0
    for x in sample(rows.parts):
        moving = np.abs(rows.model.of_drives(x.qd)) > least
        off = x.tau - rows.model.predicted(values, x.q, x.qd, x.qdd)
        tau = x.tau + rows.model.known(x.q, x.qd, x.qdd) if rows.model.knows else x.tau
        wrong += float(np.sum(off[moving] ** 2))
        size += float(np.sum(tau[moving] ** 2))
    return float(np.sqrt(ratio(wrong, size, 1.0)))


# The torque that holds a joint at rest is unknown: friction takes any value between minus and plus
# its dry friction. So at rest a model can only be wrong by the distance of the measured torque from
# the band of torques between "about to slide backward" and "about to slide forward".


def slowest_moving(speeds: Sequence[Array], elsewhere: Array | float = 0.0) -> Array:
    """Return the speed of every joint above which it moves, ``(n,)``; infinite if it never does.

    Args:
        speeds: of the joints, or of their drives if these are coupled, ``(N, n)`` each.
        elsewhere: their greatest speeds in other logs, ``(n,)``.
    """
    top = np.max([v.max(axis=0) for v in speeds if len(v)], axis=0)
    held = (top <= NEGLIGIBLE_MOTION * np.maximum(top.max(), elsewhere)) | (top == 0.0)
    return np.where(held, np.inf, AT_REST * top)


def beyond_stiction(rows: Rows, values: Array, least: Array) -> tuple[Array, Array]:
    """Return the sums of squares of distances from the band at rest, and the rows, of every joint.

    Args:
        rows: the rows to judge.
        values: of the parameters, ``(p,)``.
        least: speed of every joint above which it moves, ``(n,)``.
    """
    wrong, count = np.zeros(len(least)), np.zeros(len(least))
    total = sum(len(list(part.blocks())) for part in rows.parts)
    step = max(total // BLOCKS, 1)
    for part in rows.parts:
        velocity = rows.model.of_drives(part.at_centres(part.qd))
        for a, b, at in list(part.blocks())[::step]:
            rest = np.abs(velocity[at]) <= least
            if not rest.any():
                continue
            low, high = _band(rows.model, part, values, least, a, b)
            tau = part.band.rows(part.tau[a:b])
            off = np.maximum(low - tau, 0.0) + np.maximum(tau - high, 0.0)
            wrong += np.sum(np.where(rest, off, 0.0) ** 2, axis=0)
            count += rest.sum(axis=0)
    return wrong, count


def _band(
    model: Model, part: FilteredSegment, values: Array, least: Array, a: int, b: int
) -> tuple[Array, Array]:
    """Return the filtered lowest and highest torques, where joints at rest may slide either way."""
    q, qd, qdd, _ = part.samples(a, b)
    drives = model.of_drives(qd)
    rest = np.abs(drives) <= least
    ends: list[Array] = []
    for direction in (-ONSET, ONSET):
        v = np.where(rest, direction, drives)
        v = v if model.coupling is None else v @ model.coupling
        torque = model.predicted(values, q, v, qdd)
        if model.knows:
            # The torques of a part are without what is known of the measured motion.
            torque = torque + model.known(q, v, qdd) - model.known(q, qd, qdd)
        ends.append(part.band.rows(torque))
    # The filter has negative weights, so the ends may swap.
    return np.minimum(*ends), np.maximum(*ends)
