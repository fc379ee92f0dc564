"""The arguments of `identify`, checked before any work."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.errors import InputError, shown
from armdyn.log import Log, extremes, is_stored

Array = NDArray[np.float64]

# Files beyond this many bytes are not read into memory: a million samples of 7 joints as text.
LARGE_FILE = 1 << 28


def checked_logs(arm: Arm, logs: object, what: str, *, long: bool = False) -> list[Log]:
    """Return one log or several as a list; they have torques, and the joints of the arm.

    Files are read; if they are `long`, and long ones will do, block by block.
    """
    single = isinstance(logs, Log | str | os.PathLike)
    listed: object = [cast(object, logs)] if single else logs
    if not isinstance(listed, Sequence) or not len(listed):  # pyright: ignore[reportUnknownArgumentType]
        raise InputError(f"`{what}` is {shown(logs)}, expected an armdyn.Log or several.")
    result: list[Log] = []
    for one in cast("Sequence[object]", listed):
        log = _opened(arm, cast("str", one), long) if isinstance(one, str | os.PathLike) else one
        if not isinstance(log, Log):
            raise InputError(f"`{what}` has {shown(log)}, expected an armdyn.Log or several.")
        if is_stored(log.q) and not long:
            raise InputError(f"`{what}` has {log!r}, a long log; this needs it whole: Log.read.")
        _check_log(arm, log)
        result.append(log)
    return result


def _opened(arm: Arm, path: str | os.PathLike[str], long: bool) -> Log:
    try:
        large = os.stat(path).st_size > LARGE_FILE
    except (OSError, ValueError):
        large = False  # the reader tells what is wrong
    return Log.stream(path, joints=arm) if large and long else Log.read(path, joints=arm)


def _check_log(arm: Arm, log: Log) -> None:
    source = log.source or "the log"
    if log.n != arm.n:
        raise InputError(
            f"{source} has {log.n} joints ({', '.join(log.joint_names)}), but {arm.name} has "
            f"{arm.n} ({', '.join(arm.joint_names)}). Choose the joints of the arm "
            "from a file with many by Log.read(path, joints=arm)."
        )
    if log.joint_names != arm.joint_names and set(log.joint_names) == set(arm.joint_names):
        raise InputError(
            f"{source} has the joints of {arm.name} in another order: "
            f"{', '.join(log.joint_names)}. Read it by Log.read(path, joints=arm)."
        )
    if log.effort == "current":
        raise InputError(
            f"{source} has motor currents, not torques; multiply them by the torque per ampere of "
            "each drive first. `identify_drive_gains` finds it with a known load."
        )
    if log.tau is None:
        raise InputError(f"{source} has no torques; nothing can be identified from motion alone.")
    if not np.any(extremes([log.tau])):
        raise InputError(f"all torques of {source} are zero; they were not measured.")


def flag(name: str, value: object) -> bool:
    """Return a truth value."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"`{name}` is {shown(value)}, expected True or False.")
    return value is True or value == np.True_


def per_joint(arm: Arm, name: str, value: object, least: float) -> Array:
    """Return numbers of every joint, given as one or n, none below `least`."""
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(1, np.nan)
    if numbers.shape not in ((), (arm.n,)) or not np.isfinite(numbers).all():
        raise InputError(f"`{name}` is {shown(value)}, expected a number or {arm.n} numbers.")
    if (numbers < least).any():
        raise InputError(f"`{name}` is {shown(value)}, expected at least {least:g}.")
    return np.broadcast_to(numbers, (arm.n,)).copy()


def checked_factor(value: object) -> int | None:
    """Return the number of samples a row, or None."""
    if value is None:
        return None
    number = operator.index(value) if isinstance(value, SupportsIndex) else 0
    if isinstance(value, bool) or number < 1:
        raise InputError(f"`decimate` is {shown(value)}, expected a whole number from 1.")
    return number


def checked_coupling(arm: Arm, value: object) -> Array | None:
    """Return the matrix of couplings, or None."""
    if value is None:
        return None
    try:
        matrix = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    square = matrix.shape == (arm.n, arm.n) and np.isfinite(matrix).all()
    if not square or np.linalg.matrix_rank(matrix) < arm.n:
        raise InputError(
            f"`coupling` is {shown(value)}, expected an invertible {arm.n} x {arm.n} matrix: "
            "measured torques = coupling @ joint torques."
        )
    return matrix
