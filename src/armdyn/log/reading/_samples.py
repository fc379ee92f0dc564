"""Samples of a table: blocks of joints, complete rows, SI units, the joint side of the drives."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import ArmdynError, LogError, shown
from armdyn.log.columns._match import Matched, understood
from armdyn.log.columns._names import ROLES, UNITS, unit_in
from armdyn.log.columns._table import Table

Array = NDArray[np.float64]


@contextmanager
def told_with(file: Path) -> Generator[None]:
    """Turn errors while a file is read into a `LogError` that names the file."""
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
    """Return the rows without missing numbers."""
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


def to_si(blocks: dict[str, Array], match: Matched, scale: Array | None) -> bool:
    """Convert in place; return whether the unit of the positions is known."""
    for role, block in blocks.items():
        units = [_unit(name, role) for name in match.names[role]]
        known = UNITS[role]
        factors = np.array([known.get(unit, 1.0) if unit else 1.0 for unit in units])
        if scale is not None and role in ("q", "qd", "qdd") and (role == "q" or not any(units)):
            factors = scale
        if np.any(factors != 1.0):
            blocks[role] = block * factors
    q_units = [_unit(name, "q") for name in match.names["q"]]
    return scale is not None or (bool(q_units) and all(q_units))


def _unit(name: str, role: str) -> str | None:
    """Return the unit that the name of a column says, also of a name that is not understood."""
    meant = understood(name)
    return (meant.unit if meant else None) or unit_in(name, role)


def to_joint_side(
    blocks: dict[str, Array], gear: Array, sides: Sequence[str], notes: list[str]
) -> None:
    """Convert quantities from the motor side to the joint side, in place."""
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
