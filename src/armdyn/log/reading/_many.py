"""Several log files: patterns, folders, and files that the workers of a cluster read."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from armdyn.cluster import Cluster
from armdyn.errors import FileError, LogError, LogWarning
from armdyn.log._log import Log
from armdyn.log.formats._registry import is_log_path, read_in_words


def log_paths(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files of a path: one file, those of a pattern, or the logs in a folder, by name.

    Raises:
        LogError: no log is there.
    """
    one = Path(path)
    try:
        folder, there = one.is_dir(), os.path.lexists(one)
    except ValueError:  # a NUL in the name: the reader reports it
        return [one]
    if folder:
        listed = sorted(file for file in one.iterdir() if is_log_path(file) and file.is_file())
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
