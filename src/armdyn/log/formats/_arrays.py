"""Files of named arrays: find the arrays with one row per sample."""

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

# Name of the array of joint names in files that armdyn writes.
JOINT_NAMES = "joint_names"


def is_time(name: str) -> bool:
    """Whether the name of an array means time stamps."""
    meaning = understood(name)
    return meaning is not None and meaning.role == "t"


def table_of(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """Return the arrays with one row per sample.

    The number of samples is the number of time stamps or, if no array is named as time, the most
    frequent longest side of the arrays. Arrays with one column per sample are transposed.
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
