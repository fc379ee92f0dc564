"""One row of a fleet: the logs of an arm and a day, identified; and the days of logs."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.errors import ArmdynError, LogWarning
from armdyn.identification.fit.columns import short_name
from armdyn.identification.identify import identify_by_torques
from armdyn.identification.result import Result
from armdyn.log.log import Log
from armdyn.log.many import read_logs
from armdyn.log.options import ReadOptions
from armdyn.log.reading import first_stamp
from armdyn.log.rows import shared_scratch
from armdyn.monitoring.sources import LogSource, local_paths
from armdyn.robot.friction import FRICTION_TERMS

# Stamps between these times are those of a clock that counts seconds from 1970, not from the start
# of a recorder: the years 2000 to 2100 [s].
EPOCH = 946_684_800.0, 4_102_444_800.0

# A date in a path: 2026-03-31, 2026_03_31 or 20260331.
DATE = re.compile(r"(?<!\d)(20\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)")

# A row: numbers, texts and lists of numbers by name, as JSON has them.
Row = dict[str, Any]


@dataclass(frozen=True)
class Unit:
    """The logs of an arm and a day.

    Attributes:
        arm: the name of its folder.
        day: an ISO date, or "log 3" for the third log without a date.
        source: where the day is from: "stamps" (UTC), "path" or "order".
        order: sorts the days of an arm.
        logs: in the order of their names.
    """

    arm: str
    day: str
    source: str
    order: tuple[int, str]
    logs: tuple[LogSource, ...]


# Options of `Log.read` and their defaults, without its arm.
READING: dict[str, Any] = {
    name: parameter.default
    for name, parameter in inspect.signature(Log.read).parameters.items()
    if name not in ("path", "robot", "joints")
}


def stamp_of(arm: Arm, log: LogSource, reading: Mapping[str, Any]) -> float | None:
    """Return the clock at the first sample of a log [s]; None if it cannot be read."""
    try:
        with warnings.catch_warnings(), local_paths([log]) as (path,):
            warnings.simplefilter("ignore", LogWarning)
            return first_stamp(path, ReadOptions.checked(**{**READING, **reading}, joints=arm))
    except (ArmdynError, OSError, MemoryError):
        return None  # the row of the log tells why


def units_of(logs: Sequence[LogSource], stamps: Sequence[float | None]) -> list[Unit]:
    """Return arms and days, in order.

    The day is that of the first time stamp if stamps count from 1970 (UTC), else the date in the
    path below the folder of the arm, else each log is a day of its own, in the order of names.
    """
    days: dict[tuple[str, tuple[int, str]], list[tuple[LogSource, str, str]]] = {}
    number: dict[str, int] = {}
    for log, stamp in zip(logs, stamps, strict=True):
        number[log.arm] = number.get(log.arm, 0) + 1
        day, source = _day(log, stamp)
        order = (0, day) if day else (1, f"{number[log.arm]:09}")
        days.setdefault((log.arm, order), []).append((log, day or f"log {number[log.arm]}", source))
    made: list[Unit] = []
    for (arm, order), listed in sorted(days.items(), key=lambda item: item[0]):
        sources = sorted({source for _, _, source in listed}, reverse=True)
        made.append(
            Unit(arm, listed[0][1], " and ".join(sources), order, tuple(log for log, *_ in listed))
        )
    return made


def _day(log: LogSource, stamp: float | None) -> tuple[str, str]:
    if stamp is not None and EPOCH[0] <= stamp < EPOCH[1]:
        return datetime.fromtimestamp(stamp, UTC).date().isoformat(), "stamps"
    for year, _, month, of_month in reversed(DATE.findall(log.inner)):
        try:
            return date(int(year), int(month), int(of_month)).isoformat(), "path"
        except ValueError:  # the 45th of a month is another number
            continue
    return "", "order"


def row_of(arm: Arm, unit: Unit, reading: Mapping[str, Any], options: Mapping[str, Any]) -> Row:
    """Return the row of an arm and a day.

    A row of logs that fail has "error", the reason. "again" marks reasons that may pass, such as
    too little memory.

    Args:
        arm: the described arm.
        unit: the logs.
        reading: options of `Log.read`.
        options: options of `identify`.
    """
    row: Row = {
        "arm": unit.arm, "day": unit.day, "day_from": unit.source, "logs": len(unit.logs),
        "error": None,
    }  # fmt: skip
    try:
        with warnings.catch_warnings(), shared_scratch(), local_paths(unit.logs) as paths:
            warnings.simplefilter("ignore", LogWarning)
            logs = read_logs(paths, arm, reading, long=True)
            return {**row, **_measured(identify_by_torques(arm, logs, **options))}
    except ArmdynError as error:
        words = str(error)
        for log, path in zip(unit.logs, _paths_in(error), strict=False):
            words = words.replace(path, log.address)
        return {**row, "error": words}
    except Exception as error:  # one log must not stop the fleet
        return {**row, "error": f"{type(error).__name__}: {error}", "again": True}


def _paths_in(error: ArmdynError) -> list[str]:
    path = getattr(error, "path", None)
    return [] if path is None else [str(path)]


def _measured(result: Result) -> Row:
    """Return what a row has of a result: columns of the table, and what drift is computed from."""
    cause, box, measures = result.cause, result.box, result.judgement.measures
    return {
        "duration": sum(one.duration for one in result.about.sources),
        "verdict": result.verdict,
        "cause": None if cause is None else cause.kind,
        "cause_text": None if cause is None else cause.what,
        "gravity_verdict": result.gravity_verdict,
        "total_error": _plain(result.total_error),
        "expected_total": _plain(result.expected_total),
        "torque_error": _plain(result.torque_error),
        "torque_error_std": _plain(_error_bars(result)),
        "expected_error": _plain(result.expected_error),
        "gravity_error": _plain(result.gravity_error),
        "friction": [_friction(result, j) for j in range(result.arm.n)],
        "gravity": _gravity(result),
        "box": {
            "lower": _plain(box.lower), "upper": _plain(box.upper), "speed": _plain(box.speed),
            "dead_band": _plain(result.about.dead_band), "load": _plain(measures.torque),
        },
    }  # fmt: skip


def _error_bars(result: Result) -> Any:
    """Return standard deviations of the relative torque errors ``(n,)``.

    They have three parts: that of a root mean square of so many independent rows, how far the error
    is expected to differ on other motions, and how far it differs between the data of the fit and
    those held out.
    """
    rows = np.maximum(np.asarray(result.counts) / np.maximum(result.correlation, 1.0), 1.0)
    error = result.torque_error
    others = (result.expected_error - error) ** 2, (result.train_errors.per_joint - error) ** 2
    return np.sqrt(error**2 / (2.0 * rows) + sum(others))


def _friction(result: Result, j: int) -> list[Row]:
    """Return the friction terms of a joint: their values, shapes and covariance."""
    at = [i for i in result.model.indices(*FRICTION_TERMS) if result.model.columns[i].joint == j]
    return [
        {
            "term": short_name(column.kind), "kind": column.kind, "value": float(result.values[i]),
            "std": float(result.std[i]), "shape": list(column.shape), "soft": column.soft,
            "covariance": result.covariance[i, at].tolist(),
        }
        for i, column in ((i, result.model.columns[i]) for i in at)
    ]  # fmt: skip


def _gravity(result: Result) -> Row:
    """Return the minimal parameters that gravity depends on, and by which tilt it was turned."""
    model = result.model
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (32, model.n))
    still = model.base.regressor(q, np.zeros_like(q), np.zeros_like(q))
    at = np.flatnonzero((np.abs(still) > 0.0).any(axis=(0, 1)))
    turned = model.turned
    return {
        "names": [model.names[i] for i in at],
        "values": result.values[at].tolist(),
        "covariance": result.covariance[np.ix_(at, at)].tolist(),
        "turned": None if turned is None else _plain(turned.change),
        "links": None if turned is None else _plain(turned.links),
    }


def _plain(value: Any) -> Any:
    """Return numbers for JSON; None for those that are not finite."""
    listed = np.asarray(value, np.float64)
    if listed.ndim == 0:
        return float(listed) if np.isfinite(listed) else None
    return [_plain(x) for x in listed]
