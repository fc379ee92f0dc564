"""Data that are not used for the fit, and how well torques are predicted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsFloat

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, shown
from armdyn.identification._fitting import predicted
from armdyn.identification._model import Model
from armdyn.identification._stretch import Stretch
from armdyn.log import Log

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Series:
    """Torques of one stretch of a log, in the band of the fit.

    Attributes:
        log: number of the log.
        t: times ``(M,)``.
        measured: torques ``(M, n)``.
        predicted: those of the model ``(M, n)``.
        velocity: of the joints ``(M, n)``.
    """

    log: int
    t: Array
    measured: Array
    predicted: Array
    velocity: Array

    @property
    def residual(self) -> Array:
        """Measured less predicted."""
        return self.measured - self.predicted


@dataclass(frozen=True, eq=False)
class Errors:
    """Relative errors of torques: ``|tau - predicted| / |tau|`` over all samples.

    Attributes:
        per_joint: of every joint, ``(n,)``.
        total: of all joints together.
        rms: root mean square of the errors of every joint, ``(n,)``.
        unfiltered: the total with measured torques as they were recorded, all noise in.
    """

    per_joint: Array
    total: float
    rms: Array
    unfiltered: float


def split(logs: Sequence[Log], holdout: object) -> tuple[list[Log], list[Log]]:
    """Return the logs without their last part, and these last parts.

    The end of each log is held out in one piece: samples next to each other are much alike, so that
    single samples here and there would be no test. It is cut before filtering.
    """
    number = isinstance(holdout, SupportsFloat) and not isinstance(holdout, bool)
    share = float(holdout) if number else -1.0  # pyright: ignore[reportArgumentType]
    if not 0.0 <= share < 1.0:
        raise InputError(f"`holdout` is {shown(holdout)}, expected a share from 0 to below 1.")
    if share == 0.0:
        return list(logs), []
    cuts = [round((1.0 - share) * len(log)) for log in logs]
    for log, cut in zip(logs, cuts, strict=True):
        if not 0 < cut < len(log):
            raise InputError(f"the log has {len(log)} samples: too few to hold out {share:g}.")
    train = [log.part(0, cut) for log, cut in zip(logs, cuts, strict=True)]
    return train, [log.part(cut, len(log)) for log, cut in zip(logs, cuts, strict=True)]


def compare(
    model: Model, parts: Sequence[Stretch], values: Array
) -> tuple[list[Series], Errors | None]:
    """Return measured and predicted torques, and their errors; None without any samples.

    Torques of what is known beforehand are part of both.
    """
    series: list[Series] = []
    raw = np.zeros(2)
    for part in parts:
        known = model.known(part.qd, part.qdd)
        tau, model_tau = part.tau + known, predicted(model, part, values) + known
        raw += float(np.sum((tau - model_tau) ** 2)), float(np.sum(tau**2))
        t, velocity = part.t[part.centres], part.qd[part.centres]
        series.append(Series(part.log, t, part.filtered(tau), part.filtered(model_tau), velocity))
    if not series:
        return [], None
    measured = np.concatenate([s.measured for s in series])
    residual = np.concatenate([s.residual for s in series])
    size, wrong = np.sum(measured**2, axis=0), np.sum(residual**2, axis=0)
    return series, Errors(
        np.sqrt(_ratio(wrong, size)),
        float(np.sqrt(_ratio(wrong.sum(), size.sum()))),
        np.sqrt(wrong / len(residual)),
        float(np.sqrt(_ratio(raw[0], raw[1]))),
    )


def _ratio(a: Array | float, b: Array | float) -> Array:
    """Return a/b; 0/0, torques of zero predicted as zero, is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(a, 0.0), 0.0, np.asarray(a) / np.asarray(b))
