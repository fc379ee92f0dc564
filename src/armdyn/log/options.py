"""Arguments of `Log` and its readers, checked before any file is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.arrays import Array
from armdyn.checks import (
    checked_array,
    checked_choice,
    checked_flag,
    checked_items,
    checked_mapping,
    checked_names,
    checked_text,
)
from armdyn.errors import InputError, shown
from armdyn.log.recognition.names import ROLES
from armdyn.log.recognition.units import (
    ANGLES,
    COUNTS,
    COUNTS_PER_TURN,
    NORMALISED,
    POSITION_UNITS,
    TIMES,
    angle_factor,
    spelling,
)
from armdyn.log.recognition.units import TORQUES as TORQUES_SI

# The arguments of `Log.read` and `Log.stream`, checked before any file is opened.

TORQUES = ("auto", "torque", "current", "none")
MISSING = ("error", "drop")
MOTOR_SIDE = ("q", "qd", "qdd", "tau")


@dataclass(frozen=True)
class ReadOptions:
    """How to read a log file; `joints` may be an arm, `joint_names` are its joints."""

    joints: object
    joint_names: tuple[str, ...] | None
    columns: dict[str, str | list[str]]
    units: str | tuple[str, ...] | None
    time_unit: str | None
    torque: str
    gear: object
    motor_side: tuple[str, ...]
    delimiter: str | None
    sort: bool
    missing: str
    torque_unit: str | None

    @staticmethod
    def checked(
        *,
        joints: object,
        columns: Mapping[str, str | Sequence[str]] | None,
        units: str | Sequence[str] | None,
        time_unit: str | None,
        torque: str,
        gear: ArrayLike | None,
        motor_side: Sequence[str],
        delimiter: str | None,
        sort: bool,
        missing: str,
        torque_unit: str | None,
    ) -> ReadOptions:
        """Return the options, or raise an error that names the one that is wrong."""
        return ReadOptions(
            joints=joints,
            joint_names=_joint_names(joints),
            columns=_columns(columns),
            units=_units(units),
            time_unit=None if time_unit is None else _choice(time_unit, "time_unit", TIMES),
            torque=_choice(torque, "torque", TORQUES),
            gear=gear,
            motor_side=_each(motor_side, "motor_side", MOTOR_SIDE),
            delimiter=_delimiter(delimiter),
            sort=checked_flag(sort, "sort"),
            missing=_choice(missing, "missing", MISSING),
            torque_unit=None if torque_unit is None else _torque_unit(torque_unit, joints),
        )

    @property
    def of_format(self) -> dict[str, Any]:
        """Return the options that readers of some formats take."""
        return {
            "delimiter": self.delimiter,
            "units": self.units,
            "joints": self.joint_names,
            "columns": self.columns,
        }

    def scales(self, n: int) -> Array | None:
        """Return the factors of positions to SI units; None if no unit is given."""
        units = self._unit_of_each(n)
        return None if units is None else np.array([angle_factor(unit) or 1.0 for unit in units])

    def zeros(self, n: int) -> Array | None:
        """Return the numbers that are position 0 of joints in counts; None if none is."""
        units = self._unit_of_each(n)
        if units is None or COUNTS not in units:
            return None
        return np.array([COUNTS_PER_TURN / 2 if unit == COUNTS else 0.0 for unit in units])

    def _unit_of_each(self, n: int) -> Sequence[str] | None:
        if self.units is None or self.units == NORMALISED:  # steps of encoders tell the factors
            return None
        each = (self.units,) * n if isinstance(self.units, str) else self.units
        if len(each) != n:
            raise InputError(
                f"`units` is {shown(self.units)}, expected one unit or one for each of {n}.",
                argument="units",
            )
        return each

    def gear_matrix(self, n: int) -> Array | None:
        """Return G of q_joint = G q_motor; None if quantities are on the joint side."""
        if self.gear is None:
            return None
        what = f"({n},) ratios or an ({n}, {n}) matrix"
        matrix = checked_array(self.gear, "gear", (n,), (n, n), what=what)
        if matrix.ndim == 1:
            matrix = np.diag(matrix)
        if np.linalg.matrix_rank(matrix) < n:
            raise InputError(
                "`gear` is not a matrix that can be inverted: a joint has no motor.",
                argument="gear",
            )
        return matrix


def _joint_names(joints: object) -> tuple[str, ...] | None:
    """Return the names of the joints of an arm, or names as they are given."""
    if joints is None:
        return None
    what = "an Arm or different names of joints"
    names = checked_names(getattr(joints, "joint_names", joints), "joints", what=what)
    if not names:
        raise InputError(f"`joints` is {shown(joints)}, expected {what}.", argument="joints")
    return names


def _columns(columns: object) -> dict[str, str | list[str]]:
    if columns is None:
        return {}
    what = 'a mapping as {"t": "clock", "q": ["a1", "a2"]}'
    result: dict[str, str | list[str]] = {}
    for role, names in checked_mapping(columns, "columns", what=what).items():
        if role not in ("t", "topic", *ROLES):
            raise InputError(
                f"`columns` has the key {shown(role)}, expected t, topic, {', '.join(ROLES)}.",
                argument="columns",
            )
        if isinstance(names, str) and names:
            result[role] = names
            continue
        listed: tuple[object, ...] = ()
        if not isinstance(names, str):
            listed = checked_items(names, f"columns[{role!r}]", what="names of columns")
        if not listed or not all(isinstance(name, str) for name in listed):
            raise InputError(
                f"`columns[{role!r}]` is {shown(names)}, expected names of columns.",
                argument="columns",
            )
        result[role] = cast(list[str], list(listed))
    return result


def _units(units: object) -> str | tuple[str, ...] | None:
    if units is None:
        return None
    if isinstance(units, str):
        return units if angle_factor(units) else _choice(units, "units", POSITION_UNITS)
    what = f"names from {', '.join(map(repr, (*ANGLES, COUNTS)))}"
    items = checked_items(units, "units", what=what)
    return tuple(
        cast(str, one) if angle_factor(one) else _choice(one, "units", (*ANGLES, COUNTS))
        for one in items
    )


def _torque_unit(unit: str, joints: object) -> str:
    torque_factor(unit, getattr(getattr(joints, "robot", None), "joints", ()))
    return unit


def torque_factor(unit: object, joints: Sequence[object] = ()) -> float:
    """Return the torque [N m] of a unit of torque.

    Args:
        unit: a force and a length.
        joints: described joints, which must not slide if the unit is not N m.

    Raises:
        InputError: it is no unit of torque, or joints slide.
    """
    factor = TORQUES_SI.get(spelling(unit)) if isinstance(unit, str) else None
    if factor is None:
        raise InputError(
            f"`torque_unit` is {shown(unit)}, expected a unit of torque: a force (N, mN, daN, kN, "
            "kgf, lbf, ozf) and a length (m, cm, mm, in, ft), such as 'N m' or 'kgf cm'.",
            argument="torque_unit",
        )
    sliding = [one for one in joints if getattr(one, "kind", "") == "prismatic"]
    if sliding and factor != 1.0:
        names = ", ".join(str(getattr(one, "name", "")) for one in sliding)
        raise InputError(
            f"`torque_unit` is {shown(unit)}, but {names} have forces, not torques; give `gain`, "
            "one number per joint.",
            argument="torque_unit",
        )
    return factor


def _optional_text(value: object, name: str) -> str | None:
    return None if value is None else checked_text(value, name, empty=True)


def _delimiter(value: object) -> str | None:
    """Return the separator of columns: one character, or blanks."""
    text = _optional_text(value, "delimiter")
    if text and text.strip(" ") and (len(text) > 1 or text in '"\r\n\0'):
        raise InputError(
            f"`delimiter` is {shown(text)}, expected one character between columns, such as ';'.",
            argument="delimiter",
        )
    return text


def _each(
    value: object, name: str, choices: Sequence[str] | Mapping[str, object]
) -> tuple[str, ...]:
    """Return one or more names, each of the choices."""
    what = f"names from {', '.join(map(repr, choices))}"
    items = (value,) if isinstance(value, str) else checked_items(value, name, what=what)
    return tuple(_choice(item, name, choices) for item in items)


def _choice(value: object, name: str, choices: Sequence[str] | Mapping[str, object]) -> str:
    return checked_choice(value, name, choices, error=InputError)


# The columns of a `Log`, checked: numbers, time stamps of any kind, names.

SENTENCES = "sentences"


def checked_stamps(value: object) -> tuple[Array, list[str], float]:
    """Return time stamps [s], strictly increasing, notes on them, and the clock at 0 [s].

    NumPy durations are converted by their unit. Dates are counted from the first one, since seconds
    since 1970 leave too few digits for the steps.
    """
    notes: list[str] = []
    origin = 0.0
    array = np.asarray(cast(Any, value)) if hasattr(value, "dtype") else None
    if array is not None and array.dtype.kind in "mM" and not np.ma.is_masked(value):
        value = _seconds(array, notes)
        if array.dtype.kind == "M" and array.ndim == 1 and len(array):
            origin = float((array[0] - np.datetime64(0, "s")) / np.timedelta64(1, "s"))
    t = checked_array(value, "t", ("N",), empty=True, frozen=True)
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(
            f"`t` does not increase: sample {k + 1} is at {float(t[k + 1])!r} s, the one "
            f"before it at {float(t[k])!r} s.",
            argument="t",
        )
    return t, notes, origin


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
    array = checked_array(value, name, ("N", "n"), empty=True, frozen=True)
    if shape is not None and array.shape != shape:
        raise InputError(
            f"`{name}` has the shape {array.shape}, but `q` has {shape}.", argument=name
        )
    return array


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


def checked_episodes(episodes: object, rows: int) -> list[slice]:
    """Return consecutive slices of all rows; one slice if none is given."""
    what = f"slices that follow each other from 0 to {rows}"
    listed = checked_items(episodes, "episodes", what=what) or (slice(0, rows),)
    made: list[slice] = []
    end = 0
    for one in listed:
        start, stop, step = (getattr(one, name, "") for name in ("start", "stop", "step"))
        is_next = type(start) is int and type(stop) is int and start == end and stop > start
        if not is_next or step not in (None, 1):
            break
        end = stop
        made.append(slice(start, stop))
    if end != rows or len(made) < len(listed):
        raise InputError(f"`episodes` is {shown(episodes)}, expected {what}.", argument="episodes")
    return made


def checked_notes(notes: object) -> tuple[str, ...]:
    """Return sentences."""
    listed = (notes,) if isinstance(notes, str) else checked_items(notes, "notes", what=SENTENCES)
    return tuple(checked_text(note, "notes", empty=True, what=SENTENCES) for note in listed)


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array
