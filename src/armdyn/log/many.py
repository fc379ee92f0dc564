"""Several log files, as one: patterns, folders, and files that the workers of a cluster read."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import checked_items
from armdyn.cluster import Cluster
from armdyn.errors import FileError, InputError, LogError, LogWarning, shown
from armdyn.log.formats import is_log_path, read_in_words
from armdyn.log.log import Log

# Several log files: patterns, folders, and files that the workers of a cluster read.


def log_paths(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files of a path: one file, those of a pattern, or the logs in a folder, by name.

    Raises:
        LogError: no log is there.
    """
    one = Path(path)
    try:
        folder, there = os.path.isdir(one), os.path.lexists(one)
    except ValueError:  # a NUL in the name: the reader reports it
        return [one]
    if folder:
        listed = sorted(
            file for file in one.iterdir() if is_log_path(file) and os.path.isfile(file)
        )
        if not listed:
            raise LogError(one, f"is a folder without logs. {read_in_words()}")
        return listed
    if there or not glob.has_magic(str(one)):
        return [one]
    listed = [Path(found) for found in sorted(glob.glob(str(one), recursive=True))]
    if not listed:
        raise LogError(one, "is a pattern that no file matches.")
    return listed


def read_logs_on(
    cluster: Cluster, paths: Sequence[Path], joints: object, options: Mapping[str, Any]
) -> list[Log]:
    """Read files on workers, which must see them under the same paths.

    Args:
        cluster: the workers.
        paths: the files.
        joints: the arm, or names of joints; see `Log.read`.
        options: further options of `Log.read`.
    """
    arm = cluster.submit(_same, joints)
    futures = [cluster.submit(_read, str(path.absolute()), arm, dict(options)) for path in paths]
    logs: list[Log] = []
    given: dict[str, Any]
    for path, (given, said) in zip(paths, cluster.results(futures), strict=True):
        for words in said:
            warnings.warn(words.replace(str(path.absolute()), str(path)), LogWarning, stacklevel=3)
        given["source"] = str(path)
        logs.append(Log(**given))
    return logs


def _same(joints: object) -> object:
    return joints


def _read(path: str, joints: Any, options: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of a log, and the warnings about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LogWarning)
        try:
            log = Log.read(path, joints=joints, **options)
        except FileError as error:
            if not os.path.exists(path):
                said = f"{error} It was looked for on a worker: all of them need the same folders."
                error.args = (said, *error.args[1:])
            raise
    given = {field.name: getattr(log, field.name) for field in fields(log)}
    given["extra"] = dict(log.extra)
    return given, [str(w.message) for w in caught if issubclass(w.category, LogWarning)]


# Logs of one arm, one after the other, as one.

# Time steps between joined logs: longer than any filter reaches.
STEPS_BETWEEN = 100


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
    times = [first.t]
    for log in logs[1:]:
        times.append(log.t - log.t[0] + (times[-1][-1] + hole))
    common = [
        name
        for name, column in first.extra.items()
        if all(name in g.extra and g.extra[name].shape[1:] == column.shape[1:] for g in logs)
    ]
    return Log(
        np.concatenate(times),
        np.concatenate([g.q for g in logs]),
        *(_joined([getattr(g, k) for g in logs]) for k in ("qd", "qdd", "tau")),
        joint_names=first.joint_names,
        effort=first.effort,
        extra={k: np.concatenate([g.extra[k] for g in logs]) for k in common},
        source=" + ".join(g.source or "a log" for g in logs),
        notes=tuple(dict.fromkeys(note for g in logs for note in g.notes)),
    )


def _joined(parts: Sequence[Array | None]) -> Array | None:
    there = [p for p in parts if p is not None]
    return np.concatenate(there) if len(there) == len(parts) else None
