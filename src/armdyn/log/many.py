"""Several log files, as one: patterns, folders, and files that the workers of a cluster read."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import checked_items
from armdyn.cluster import Cluster
from armdyn.errors import FileError, InputError, LogError, LogWarning, shown
from armdyn.log.formats import format_of_folder, is_log_path, logs_in_words
from armdyn.log.log import COLUMNS, Log, LongLog
from armdyn.log.rows import FileRows, blocks, done_in, is_in_file, picked, scratch_path
from armdyn.log.segments import GAP
from armdyn.log.stamps import STEPS_BETWEEN

# Several log files: patterns, folders, and files that the workers of a cluster read.


def log_paths(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files of a path: one log, those of a pattern, or the logs in a folder, by name.

    Raises:
        LogError: no log is there.
    """
    one = Path(path)
    try:
        folder, there = os.path.isdir(one), os.path.lexists(one)
    except ValueError:  # a NUL in the name: the reader reports it
        return [one]
    if folder and format_of_folder(one) is not None:
        return [one]
    if folder:
        listed = sorted(item for item in one.iterdir() if is_log_path(item))
        if not listed:
            raise LogError(one, f"is a folder without logs. {logs_in_words(one)}")
        return listed
    if there or not glob.has_magic(str(one)):
        return [one]
    listed = [Path(found) for found in sorted(glob.glob(str(one), recursive=True))]
    if not listed:
        raise LogError(one, "is a pattern that no file matches.")
    return listed


# More bytes of files than this are not read into memory. This is a million samples of 7 joints as
# text.
LARGE = 1 << 28


def read_logs(
    paths: Sequence[Path],
    joints: object,
    options: Mapping[str, Any],
    *,
    cluster: Cluster | None = None,
    long: bool = False,
) -> list[Log]:
    """Read files: in this process, or on workers, which must see them under the same paths.

    Args:
        paths: the files.
        joints: the arm, or names of joints; see `Log.read`.
        options: further options of `Log.read`.
        cluster: the workers.
        long: files that are large together are not read into memory, but block by block into
            scratch files, as by `Log.stream`. The workers of a cluster need to see these, too.
    """
    stream = long and not options.get("sort") and sum(map(_size, paths)) > LARGE
    if cluster is None:
        return [_opened(path, joints, options, stream) for path in paths]
    arm, folder = cluster.submit(_same, joints), scratch_path() if stream else None
    if stream and folder is None:
        raise InputError("logs larger than memory are read by workers within `shared_scratch`.")
    each = [(folder, _read, str(path.absolute()), arm, dict(options), stream) for path in paths]
    logs: list[Log] = []
    given: dict[str, Any]
    for path, (given, said) in zip(paths, cluster.each(done_in, each), strict=True):
        for words in said:
            warnings.warn(words.replace(str(path.absolute()), str(path)), LogWarning, stacklevel=3)
        given["source"] = str(path)
        logs.append((LongLog if stream else Log)(**given))
    return logs


def _size(path: Path) -> int:
    try:
        if os.path.isdir(path):  # without the videos of a dataset
            return sum(os.stat(file).st_size for file in path.rglob("*") if is_log_path(file))
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0  # the reader reports the error


def _opened(path: str | Path, joints: object, options: Mapping[str, Any], stream: bool) -> Log:
    if not stream:
        return Log.read(path, joints=joints, **options)
    return Log.stream(path, joints=joints, **{k: v for k, v in options.items() if k != "sort"})


def _same(joints: object) -> object:
    return joints


def _read(
    path: str, joints: Any, options: Mapping[str, Any], stream: bool
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of a log, and the warnings about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LogWarning)
        try:
            log = _opened(path, joints, options, stream)
        except FileError as error:
            if not os.path.exists(path):
                said = f"{error} It was looked for on a worker: all of them need the same folders."
                error.args = (said, *error.args[1:])
            raise
    given = {field.name: getattr(log, field.name) for field in fields(log)}
    given["extra"] = dict(log.extra)
    return given, [str(w.message) for w in caught if issubclass(w.category, LogWarning)]


# Logs of one arm, one after the other, as one.


def concatenated(logs: Sequence[Log]) -> Log:
    """Return logs of the same arm as one, with gaps in time between them: see `Log.concat`."""
    listed = checked_items(logs, "logs", what="a list of logs")
    if not all(isinstance(log, Log) for log in listed):
        raise InputError(f"`logs` is {shown(logs)}, expected a list of logs.", argument="logs")
    logs = cast("list[Log]", list(listed))
    if not logs:
        raise InputError("there are no logs to join.")
    first = logs[0]
    for log in logs[1:]:
        for what in ("joint_names", "effort"):
            if getattr(log, what) != getattr(first, what):
                raise InputError(
                    f"logs of different arms cannot be joined: `{what}` is "
                    f"{getattr(first, what)} in {first.source or 'the first'} but "
                    f"{getattr(log, what)} in {log.source or 'another'}."
                )
    hole = STEPS_BETWEEN / min(log.rate or 1.0 for log in logs)
    shifts, end = [0.0], float(first.t[-1])
    for log in logs[1:]:
        shifts.append(end + hole - float(log.t[0]))
        end += hole + log.duration
    return _as_one(logs, shifts, " + ", _episodes(logs))


def _episodes(logs: Sequence[Log]) -> list[slice]:
    """Return the episodes of logs that follow each other."""
    made: list[slice] = []
    first = 0
    for log in logs:
        made += [slice(first + one.start, first + one.stop) for one in log.episodes]
        first += len(log)
    return made


def _without_seams(logs: Sequence[Log]) -> list[slice]:
    """Return the episodes of logs of which each continues the last episode of the one before."""
    seams = np.cumsum([len(log) for log in logs[:-1]]).tolist()
    episodes = _episodes(logs)
    starts = [one.start for one in episodes if one.start not in seams]
    return [slice(a, b) for a, b in pairwise([*starts, episodes[-1].stop])]


def _as_one(
    logs: Sequence[Log], shifts: Sequence[float], plus: str, episodes: list[slice], *notes: str
) -> Log:
    """Return logs as one, each with its stamps shifted [s]; `plus` is between their sources."""
    first = logs[0]
    common = [
        name
        for name, column in first.extra.items()
        if all(name in g.extra and g.extra[name].shape[1:] == column.shape[1:] for g in logs)
    ]
    columns = {
        name: _stacked([getattr(log, name) for log in logs], shifts if name == "t" else None)
        for name in COLUMNS
    }
    made = LongLog if is_in_file(columns["q"]) else Log
    return made(
        **cast("dict[str, Any]", columns),
        joint_names=first.joint_names,
        effort=first.effort,
        episodes=episodes,
        extra={k: np.concatenate([g.extra[k] for g in logs]) for k in common},
        source=plus.join(g.source or "a log" for g in logs) if any(g.source for g in logs) else "",
        notes=(*dict.fromkeys(note for g in logs for note in g.notes), *notes),
        origin=first.origin,
    )


def _stacked(parts: Sequence[Array | None], shifts: Sequence[float] | None = None) -> Array | None:
    """Return a column of all logs, in a file if one of theirs is; None if a log has none."""
    there = [part for part in parts if part is not None]
    if len(there) < len(parts):
        return None
    moves = [0.0] * len(there) if shifts is None else shifts
    if not any(is_in_file(part) for part in there):
        return np.concatenate([x + s if s else x for x, s in zip(there, moves, strict=True)])
    made = FileRows(*there[0].shape[1:])
    for part, shift in zip(there, moves, strict=True):
        for a, b in blocks(len(part)):
            made.append(part[a:b] + shift)
    return cast(Array, made)


# One recording in several files, and recordings in any order.

# Rows of a log, evenly spread, that put logs with the same first stamp in order.
ORDERING_ROWS = 64

# Largest ratio of the median time steps of two parts of a recording, and of the speed from one to
# the other to the highest speed in both.
LARGEST_RATIO = 2.0


def in_recorded_order(logs: Sequence[Log]) -> list[Log]:
    """Return logs in the order of their time stamps, with continued recordings joined.

    A log continues another if it begins less than a gap after its end on the same clock, has the
    same joints and columns, and goes on where the other one stops. Logs with equal first stamps are
    in the order of their samples. So neither the order of files nor a cut of a log into files
    changes a result. Notes tell what was joined or put in another order.
    """
    order = sorted(range(len(logs)), key=lambda k: _ordering_key(logs[k])) if len(logs) > 1 else [0]
    groups: list[list[Log]] = []
    for k in order:
        if groups and _continues(groups[-1][-1], logs[k]):
            groups[-1].append(logs[k])
        else:
            groups.append([logs[k]])
    made: list[Log] = []
    for group in groups:
        if len(group) == 1:
            made.append(group[0])
            continue
        note = f"{len(group)} logs that continue each other without a gap were joined to one."
        shifts = [log.origin - group[0].origin for log in group]
        # sources as words of a command
        made.append(_as_one(group, shifts, " ", _without_seams(group), note))
    if order != sorted(order):
        note = "logs were put in the order of their time stamps and samples, not as listed."
        made[0] = replace(made[0], notes=(*made[0].notes, note))
    return made


def _ordering_key(log: Log) -> tuple[float, ...]:
    """Return numbers that sort logs; multiples of all torques have the same order."""
    rows = np.unique(np.linspace(0, len(log) - 1, ORDERING_ROWS).astype(np.int64))
    columns = [log.q] if log.tau is None else [log.q, log.tau]
    values = [x for column in columns for x in picked(column, rows).reshape(-1).tolist()]
    return (log.origin + float(log.t[0]), len(log), *values)


def _continues(log: Log, later: Log) -> bool:
    """Return whether a log goes on where another one ends."""
    if (log.joint_names, log.effort) != (later.joint_names, later.effort):
        return False
    if any((getattr(log, k) is None) != (getattr(later, k) is None) for k in COLUMNS):
        return False
    steps = [one.median_step for one in (log, later) if len(one) > 1]
    pause = (later.origin - log.origin) + float(later.t[0]) - float(log.t[-1])
    if not steps or not 0.0 < pause <= GAP * min(steps) or max(steps) > LARGEST_RATIO * min(steps):
        return False
    fastest = np.max([_highest_speed(one) for one in (log, later)], axis=0)
    jump = np.abs(later.q[0:1] - log.q[len(log) - 1 :])[0]
    return bool((jump <= LARGEST_RATIO * fastest * max(pause, *steps)).all())


def _highest_speed(log: Log) -> Array:
    """Return the highest speed between two samples of every joint ``(n,)``."""
    top = np.zeros(log.n)
    for a, b in blocks(len(log) - 1):
        step = np.diff(log.t[a : b + 1])[:, None]
        top = np.maximum(top, np.abs(np.diff(log.q[a : b + 1], axis=0) / step).max(axis=0))
    return top
