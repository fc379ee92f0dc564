"""Data that are not used for the fit, and the errors of predicted torques there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError
from armdyn.identification.fit._columns import Model
from armdyn.identification.fit._fit import predicted
from armdyn.identification.fit._segments import FilteredSegment, Rows, sample
from armdyn.log import Log

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Series:
    """Torques of one segment of a log, in the band of the fit.

    Attributes:
        log: number of the log.
        t: times ``(M,)``.
        measured: torques ``(M, n)``.
        predicted: torques of the model ``(M, n)``.
        velocity: of the joints ``(M, n)``.
    """

    log: int
    t: Array
    measured: Array
    predicted: Array
    velocity: Array

    @property
    def residual(self) -> Array:
        """Measured minus predicted torques."""
        return self.measured - self.predicted


@dataclass(frozen=True, eq=False)
class Errors:
    """Relative errors of torques: ``|tau - predicted| / |tau|`` over all samples.

    Attributes:
        per_joint: of every joint, ``(n,)``.
        total: of all joints together.
        rms: root mean square of the errors of every joint, ``(n,)``.
        unfiltered: the total with torques as recorded, noise included.
    """

    per_joint: Array
    total: float
    rms: Array
    unfiltered: float


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


def compare(rows: Rows, values: Array) -> tuple[list[Series], Errors | None]:
    """Return measured and predicted torques, and their errors; None without any samples.

    Both include the torques that are known beforehand.
    """
    model = rows.model
    series: list[Series] = []
    for part, ours in zip(rows.parts, _predicted(rows, values), strict=True):
        measured = part.filtered(part.tau)
        if model.knows:
            known = _known(model, part)
            measured, ours = measured + known, ours + known
        t, velocity = part.at_centres(part.t), part.at_centres(part.qd)
        series.append(Series(part.log, t, measured, ours, velocity))
    if not series:
        return [], None
    measured = np.concatenate([s.measured for s in series])
    residual = np.concatenate([s.residual for s in series])
    size, wrong = np.sum(measured**2, axis=0), np.sum(residual**2, axis=0)
    return series, Errors(
        np.sqrt(_ratio(wrong, size)),
        float(np.sqrt(_ratio(wrong.sum(), size.sum()))),
        np.sqrt(wrong / len(residual)),
        _unfiltered(rows, values),
    )


def _predicted(rows: Rows, values: Array) -> list[Array]:
    """Return the filtered torques of the model for every segment, ``(M, n)``."""
    model = rows.model
    if not rows.made:
        return [_filtered(model, part, values) for part in rows.parts]
    made = [np.empty((len(part.centres), model.n)) for part in rows.parts]
    for k, at, A in rows:
        made[k][at] = model.torques(values, A)
    return made


def _filtered(model: Model, part: FilteredSegment, values: Array) -> Array:
    return part.rows_of(lambda a, b: predicted(model, part, values, a, b))


def _known(model: Model, part: FilteredSegment) -> Array:
    return part.rows_of(lambda a, b: model.known(part.qd[a:b], part.qdd[a:b]))


def _unfiltered(rows: Rows, values: Array) -> float:
    """Return the relative error of unfiltered torques; of long logs, from runs of samples."""
    wrong, size = 0.0, 0.0
    for x in sample(rows.parts):
        off = x.tau - rows.model.predicted(values, x.q, x.qd, x.qdd)
        tau = x.tau + rows.model.known(x.qd, x.qdd) if rows.model.knows else x.tau
        wrong, size = wrong + float(np.sum(off**2)), size + float(np.sum(tau**2))
    return float(np.sqrt(_ratio(wrong, size)))


def _ratio(a: Array | float, b: Array | float) -> Array:
    """Return a/b; 0/0 is 0: zero torques predicted as zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(a, 0.0), 0.0, np.asarray(a) / np.asarray(b))
