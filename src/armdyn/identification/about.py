"""Where a result comes from: the logs, how the arm moved in them, and the settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.choice import Terms
from armdyn.log.log import Log
from armdyn.log.rows import extremes
from armdyn.log.signals import Prepared
from armdyn.robot.friction import FRICTION_TERMS

if TYPE_CHECKING:
    from armdyn.identification.result import Result


@dataclass(frozen=True)
class Source:
    """A log: the file it is from, its size, and whether it is held out to test the fit."""

    file: str
    held_out: bool
    samples: int
    duration: float
    rate: float


@dataclass(frozen=True, eq=False)
class About:
    """Where a result comes from.

    Attributes:
        sources: the logs; logs of the fit come first.
        lowest: lowest position of every joint in the data of the fit, ``(n,)``.
        highest: highest position, ``(n,)``.
        fastest: highest speed, ``(n,)``.
        settings: the arguments of `identify`, by name; None if the value comes from the data.
        dead_band: speed below which rows of a joint were left out, ``(n,)``.
        cutoff: cut-off of the positions [Hz].
        delay: time by which torques were shifted back [s].
        tilt: angle by which gravity was turned [rad].
    """

    sources: tuple[Source, ...]
    lowest: Array
    highest: Array
    fastest: Array
    settings: dict[str, Any]
    dead_band: Array
    cutoff: float
    delay: float = 0.0
    tilt: float = 0.0


def about(
    train_logs: Sequence[Log],
    test_logs: Sequence[Log],
    train: Sequence[Prepared],
    options: object,
    dead_band: Array,
    delay: float = 0.0,
    tilt: float = 0.0,
) -> About:
    """Describe the logs and the settings; `options` is a dataclass of settings."""
    sources = [
        Source(log.source, held_out, len(log), log.duration, log.rate)
        for held_out, logs in ((False, train_logs), (True, test_logs))
        for log in logs
    ]
    return About(
        tuple(sources),
        *extremes([one.q for one in train]),
        np.max(np.abs(extremes([one.qd for one in train])), axis=0),
        _settings(options),
        dead_band,
        min(one.cutoff for one in train),
        delay,
        tilt,
    )


def _settings(options: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if isinstance(value, np.ndarray | np.generic):
            value = value.tolist()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        elif isinstance(value, Terms):
            value = value.asked
        elif isinstance(value, tuple):
            value = [getattr(x, "name", x) for x in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        found[field.name] = value
    return found


# The described values of the parameters of a result.


def described_values(result: Result) -> Array:
    """Return the described values ``(p,)``; NaN where the description has none.

    If all masses are zero, they count as not described. So does zero friction.
    """
    joints = result.described.robot.joints
    values = np.full(len(result.values), np.nan)
    if any(joint.mass for joint in joints):
        values[: result.model.k] = result.model.base.values
    for i, column in enumerate(result.model.columns):
        if column.kind in FRICTION_TERMS:
            values[i] = getattr(joints[column.joint], column.kind) or np.nan
    return values
