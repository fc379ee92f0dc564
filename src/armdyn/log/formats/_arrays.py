"""Files of named arrays: which of them have a row for every sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import LogError
from armdyn.log.columns._match import understood
from armdyn.log.columns._table import Table

# What armdyn calls the names of joints in its own files.
JOINT_NAMES = "joint_names"


def is_time(name: str) -> bool:
    """Whether an array is called as time stamps are."""
    meaning = understood(name)
    return meaning is not None and meaning.role == "t"


def table_of(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """Return the arrays that have a row for every sample.

    There are as many samples as time stamps or, if the time is not known by its name, as the
    longest side has that most arrays share. Arrays with a column for every sample are turned.
    """
    names: tuple[str, ...] = ()
    numbers: dict[str, NDArray[Any]] = {}
    for name, array in arrays.items():
        if name == JOINT_NAMES and array.dtype.kind == "U":
            names = tuple(str(k) for k in array.ravel())
        elif array.dtype.kind in "iuf" and array.size and array.ndim:
            numbers[name] = array.squeeze() if array.ndim > 2 else array
    longest = Counter(max(a.shape) for a in numbers.values() if a.ndim in (1, 2))
    if not longest:
        there = ", ".join(arrays) or "nothing"
        raise LogError(path, f"has no arrays of numbers; it has {there}.")
    times = {a.size for name, a in numbers.items() if is_time(name)}
    rows = times.pop() if len(times) == 1 else max(longest, key=lambda k: (longest[k], k))
    columns: dict[str, NDArray[np.float64]] = {}
    for name, array in numbers.items():
        if array.ndim == 2 and array.shape[0] != rows and array.shape[1] == rows:
            array = array.T
        if array.ndim in (1, 2) and array.shape[0] == rows:
            columns[name] = np.asarray(array, dtype=np.float64)
    return Table(path, columns, joint_names=names)
