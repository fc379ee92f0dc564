"""The columns of a `Log`, checked: numbers, time stamps of any kind, names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import (
    checked_array,
    checked_items,
    checked_mapping,
    checked_names,
    checked_text,
)
from armdyn.errors import InputError

Array = NDArray[np.float64]

SENTENCES = "sentences"


def checked_stamps(value: object) -> tuple[Array, list[str]]:
    """Return time stamps [s], strictly increasing, and notes on them.

    NumPy durations are converted by their unit. Dates are counted from the first one, since seconds
    since 1970 leave too few digits for the steps.
    """
    notes: list[str] = []
    array = np.asarray(cast(Any, value)) if hasattr(value, "dtype") else None
    if array is not None and array.dtype.kind in "mM" and not np.ma.is_masked(value):
        value = _seconds(array, notes)
    t = _frozen(checked_array(value, "t", ("N",), empty=True))
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(
            f"`t` does not increase: sample {k + 1} is at {float(t[k + 1])!r} s, the one "
            f"before it at {float(t[k])!r} s.",
            argument="t",
        )
    return t, notes


def _seconds(times: NDArray[Any], notes: list[str]) -> object:
    """Return dates or durations in seconds."""
    if np.isnat(times).any():
        raise InputError("`t` has NaT, a time that is missing; drop these samples.", argument="t")
    if times.dtype.kind == "M":
        if not times.size or times.ndim != 1:
            return np.zeros(times.shape)
        notes.append(f"time counts from the first sample, at {times[0]}.")
        times = times - times[0]
    if np.datetime_data(times.dtype)[0] == "generic":
        raise InputError(f"`t` has the type {times.dtype}, which has no unit.", argument="t")
    try:
        return times / np.timedelta64(1, "s")
    except TypeError:  # months and years differ in length
        raise InputError(
            f"`t` has the type {times.dtype}, which has no length in seconds.", argument="t"
        ) from None


def checked_samples(value: object, name: str, shape: tuple[int, ...] | None = None) -> Array:
    """Return samples ``(N, n)`` of all joints; with `shape`, of that shape."""
    array = checked_array(value, name, ("N", "n"), empty=True)
    if shape is not None and array.shape != shape:
        raise InputError(
            f"`{name}` has the shape {array.shape}, but `q` has {shape}.", argument=name
        )
    return _frozen(array)


def checked_joint_names(names: Sequence[str], n: int) -> tuple[str, ...]:
    """Return the names of n joints; joint1 ... if none are given."""
    if isinstance(names, tuple | list) and not names:  # pyright: ignore[reportUnnecessaryIsInstance]
        return tuple(f"joint{i}" for i in range(1, n + 1))
    return checked_names(names, "joint_names", n)


def checked_extra(extra: object, rows: int) -> dict[str, Array]:
    """Return columns ``(N,)`` or ``(N, k)`` by name; NaN marks missing values."""
    result: dict[str, Array] = {}
    for name, value in checked_mapping(extra, "extra", what="a mapping of columns").items():
        key = f"extra[{name!r}]"
        array = checked_array(value, key, (rows,), (rows, "k"), finite=False)
        result[name] = _frozen(array)
    return result


def checked_notes(notes: object) -> tuple[str, ...]:
    """Return sentences."""
    listed = (notes,) if isinstance(notes, str) else checked_items(notes, "notes", what=SENTENCES)
    return tuple(checked_text(note, "notes", empty=True, what=SENTENCES) for note in listed)


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array
