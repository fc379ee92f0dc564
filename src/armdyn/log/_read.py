"""From a file to the arrays of a `Log`: SI units, joint side, stamps in order, or an error."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.errors import ArmdynError, InputError, LogError, LogWarning, shown
from armdyn.log.columns._match import Matched, matched, understood
from armdyn.log.columns._names import ANGLES, EXTRA, ROLES, TIMES, UNITS
from armdyn.log.columns._plausible import check_angles, check_gear, still_joints
from armdyn.log.columns._stamps import clock_of, ordered
from armdyn.log.formats._arrays import read_mat, read_npz, read_parquet
from armdyn.log.formats._csv import read_csv
from armdyn.log.formats._table import Table

Array = NDArray[np.float64]

ARRAYS: dict[str, Callable[[Path], Table]] = {
    ".npz": read_npz, ".mat": read_mat, ".parquet": read_parquet, ".pq": read_parquet,
}  # fmt: skip
TEXT = (".csv", ".txt", ".tsv", ".dat", ".log", "")
TORQUES = ("auto", "torque", "current", "none")
MOTOR_SIDE = ("q", "qd", "qdd", "tau")


def read_arrays(
    path: str | os.PathLike[str],
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
) -> dict[str, Any]:
    """Return the arguments of `Log` for a file; the arguments are those of `Log.read`."""
    check_choice("torque", torque, TORQUES)
    check_choice("missing", missing, ("error", "drop"))
    check_choice("time_unit", time_unit, (None, *TIMES))
    names = joint_names(joints)
    file = checked_path(path)
    table = _table(file, delimiter)
    match = matched(table, names, columns, torque)
    blocks = {role: block_of(table, role, match) for role in match.names}
    n = blocks["q"].shape[1]
    gears = None if gear is None else check_gear(gear, n)
    scale = scales(units, n)
    table.notes += match.notes
    t = clock_of(table, match.time, match.nanosec, time_unit).seconds(table)
    rows = complete_rows(table, match, t, blocks, missing)
    rows = ordered(table, t, rows, sort)
    t, blocks = t[rows], {role: block[rows] for role, block in blocks.items()}
    said = to_si(blocks, match, scale)
    if gears is not None:
        to_joint_side(blocks, gears, checked_sides(motor_side), table.notes)
    joint_labels = match.joints or tuple(f"joint{k}" for k in range(1, n + 1))
    if not said:
        check_angles(table, joint_labels, blocks["q"], joints)
    still = still_joints(joint_labels, blocks)
    for words in (*table.lost, *still):
        warnings.warn(f"{file}: {words}", LogWarning, stacklevel=4)
    used = {match.time, match.nanosec, *(name for part in match.names.values() for name in part)}
    effort = "current" if "current" in blocks else "torque"
    return {
        "t": t,
        "q": blocks["q"],
        "qd": blocks.get("qd"),
        "qdd": blocks.get("qdd"),
        "tau": blocks.get("tau", blocks.get("current")),
        "joint_names": joint_labels,
        "effort": effort,
        "extra": {
            k.removeprefix(EXTRA): v[rows] for k, v in table.columns.items() if k not in used
        },
        "source": str(file),
        "notes": (*table.notes, *table.lost, *still),
    }


def joint_names(joints: object) -> list[str] | None:
    """Return the names of the joints of an arm, or names as they are given."""
    if joints is None:
        return None
    names = getattr(joints, "joint_names", joints)
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputError(f"`joints` is {shown(joints)}, expected an Arm or names of joints.")
    result = list(cast(Sequence[object], names))
    if not result or not all(isinstance(name, str) for name in result):
        raise InputError(f"`joints` is {shown(joints)}, expected an Arm or names of joints.")
    if len(set(result)) != len(result):
        raise InputError(f"`joints` is {shown(joints)}, which has a name twice.")
    return cast(list[str], result)


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise an error unless an option is one of those there are."""
    if value not in choices:
        raise InputError(
            f"`{name}` is {shown(value)}, expected one of {', '.join(map(repr, choices))}."
        )


def checked_path(path: object) -> Path:
    """Return the path of a log."""
    if not isinstance(path, str | os.PathLike) or not str(cast(object, path)):
        raise InputError(f"{shown(cast(object, path))} is not the path of a log.")
    return Path(os.fsdecode(cast("os.PathLike[str]", path)))


def _table(file: Path, delimiter: str | None) -> Table:
    check_file(file)
    reader = ARRAYS.get(file.suffix.lower())
    with told_with(file):
        return read_csv(file, delimiter) if reader is None else reader(file)


def check_file(file: Path) -> None:
    """Raise an error unless a path is that of a file that can be a log."""
    suffix = file.suffix.lower()
    if suffix not in ARRAYS and suffix not in TEXT:
        raise LogError(
            file, f"{suffix} files are not read. Logs are .csv, .txt, .tsv, .npz, .mat or .parquet."
        )
    with told_with(file):
        if file.is_dir():
            raise LogError(file, "is a folder; give the path of a log in it.")
        if not file.exists():
            raise LogError(file, "there is no such file.")


@contextmanager
def told_with(file: Path) -> Generator[None]:
    """Turn what goes wrong while a file is read into an error that names it."""
    try:
        yield
    except OSError as error:
        raise LogError(file, f"cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        if isinstance(error, ArmdynError):
            raise
        raise LogError(file, f"cannot be read: {error}.") from error


def block_of(table: Table, role: str, match: Matched) -> Array:
    """Return a quantity as one array ``(N, n)``."""
    for name in match.names[role]:
        if name in table.text:
            cell, line = table.text[name]
            raise LogError(table.path, f"{name!r} is {shown(cell)}, not a number.", line)
    parts = [table.columns[name] for name in match.names[role]]
    block = parts[0] if parts[0].ndim == 2 else np.stack(parts, axis=1)
    q = table.columns[match.names["q"][0]]
    n = q.shape[1] if q.ndim == 2 else len(match.names["q"])
    if block.shape[1] != n:
        raise LogError(
            table.path,
            f"{role!r} ({', '.join(match.names[role])}) has {block.shape[1]} joints, but there are "
            f"positions of {n}.",
        )
    return block


def complete_rows(
    table: Table, match: Matched, t: Array, blocks: Mapping[str, Array], missing: str
) -> NDArray[np.int64]:
    """Return the rows whose numbers are all there."""
    good = np.isfinite(t)
    for block in blocks.values():
        good &= np.isfinite(block).all(axis=1)
    if good.all():
        return np.arange(len(t))
    bad = np.flatnonzero(~good)
    row = int(bad[0])
    if missing == "error":
        columns: list[tuple[str, float]] = [(match.time, float(t[row]))]
        for role, block in blocks.items():
            names = match.names[role]
            columns += [(names[min(j, len(names) - 1)], float(x)) for j, x in enumerate(block[row])]
        name, value = next((k, x) for k, x in columns if not math.isfinite(x))
        what = "is empty or not a number" if math.isnan(value) else f"is {value}"
        raise table.error(
            row, f'{name!r} {what}; {len(bad)} rows are like this. missing="drop" leaves them out.'
        )
    if not good.any():
        raise LogError(table.path, "no row has all its numbers.")
    where = "" if table.lines is None else f", the first at line {table.place(row)}"
    table.notes.append(f"{len(bad)} rows with missing numbers are left out{where}.")
    return np.flatnonzero(good)


def scales(units: str | Sequence[str] | None, n: int) -> Array | None:
    """Return the factors of positions to SI units; None if nobody has said a unit."""
    if units is None:
        return None
    each = [units] * n if isinstance(units, str) else list(units)
    if len(each) != n:
        raise InputError(f"`units` is {shown(units)}, expected one unit or one for each of {n}.")
    for unit in each:
        check_choice("units", unit, tuple(ANGLES))
    return np.array([ANGLES[unit] for unit in each])


def to_si(blocks: dict[str, Array], match: Matched, scale: Array | None) -> bool:
    """Convert in place; return whether somebody said what the positions are in."""
    for role, block in blocks.items():
        units = [None if m is None else m.unit for m in map(understood, match.names[role])]
        known = UNITS[role]
        factors = np.array([known.get(unit, 1.0) if unit else 1.0 for unit in units])
        if scale is not None and role in ("q", "qd", "qdd") and (role == "q" or not any(units)):
            factors = scale
        if np.any(factors != 1.0):
            blocks[role] = block * factors
    q_units = [m.unit for name in match.names["q"] if (m := understood(name))]
    return scale is not None or (bool(q_units) and all(q_units))


def checked_sides(motor_side: Sequence[str]) -> tuple[str, ...]:
    """Return which quantities are on the motor side."""
    sides = (motor_side,) if isinstance(motor_side, str) else tuple(motor_side)
    for side in sides:
        check_choice("motor_side", side, MOTOR_SIDE)
    return sides


def to_joint_side(
    blocks: dict[str, Array], gear: Array, sides: Sequence[str], notes: list[str]
) -> None:
    """Bring quantities from the motors to the joints, in place."""
    for role in ROLES:
        if role not in blocks or ("tau" if role == "current" else role) not in sides:
            continue
        if role == "tau":
            # Power is the same on both sides: tau_joint = inv(G).T tau_motor, for rows tau inv(G).
            blocks[role] = blocks[role] @ np.asarray(np.linalg.inv(gear), np.float64)
        elif role != "current":
            blocks[role] = blocks[role] @ gear.T
    done = [role for role in sides if role in blocks]
    notes.append(f"{', '.join(done)} brought from the motors to the joints by the gear matrix.")
