"""The arguments of `identify`: checked before any work, and recorded in the result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import (
    checked_array,
    checked_flag,
    checked_items,
    checked_number,
    checked_positive,
)
from armdyn.cluster import Cluster
from armdyn.errors import InputError, shown
from armdyn.identification.fit.choice import AUTO, Terms
from armdyn.identification.fit.columns import common_terms, short_name
from armdyn.log.clock import at_source_times
from armdyn.log.log import Log
from armdyn.log.many import in_recorded_order, log_paths, read_logs
from armdyn.log.options import torque_factor
from armdyn.log.rows import extremes, is_in_file
from armdyn.log.signals import Prepared
from armdyn.log.trim import with_gain
from armdyn.robot.friction import FRICTION_TERMS

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# A longer delay of the torques [s] is a mistake: another unit, or logs of different starts.
LONGEST_DELAY = 1.0


def _wrong(value: object, name: str, what: str, verb: str = "is") -> InputError:
    return InputError(f"`{name}` {verb} {shown(value)}, expected {what}.", argument=name)


def checked_states(value: object, name: str, n: int) -> Array:
    """Return one state or a batch of them, ``(..., n)``."""
    what = f"numbers of shape (..., {n}), one a joint"
    array = checked_array(value, name, what=what)
    if array.shape[-1:] != (n,):
        raise InputError(f"`{name}` has shape {array.shape}, expected {what}.", argument=name)
    return array


def checked_cutoff(value: object) -> float | None:
    """Return the cut-off of the positions [Hz]; None leaves the choice to the data."""
    return None if value is None else checked_positive(value, "cutoff")


def checked_logs(
    arm: Arm,
    logs: object,
    what: str,
    *,
    long: bool = False,
    cluster: Cluster | None = None,
    gain: Array | None = None,
    currents: bool = True,
) -> list[Log]:
    """Return one log or several as a list; each has torques and the joints of the arm.

    Logs are put in the order of their time stamps, and joined where they continue each other.
    Wrong time stamps are corrected, and duplicated samples removed.

    Args:
        arm: the arm.
        logs: logs, or paths of files, patterns or folders of them, which are read.
        what: the name of the argument.
        long: large files are read block by block, not into memory.
        cluster: its workers read the files.
        gain: torque per unit of the logged torque or current ``(n,)``.
        currents: whether the gain is also that of currents, not only a unit of torque.
    """
    result: list[Log] = []
    for log in opened_logs(arm, logs, what, long, cluster):
        if not isinstance(log, Log):
            raise _wrong(log, what, "an armdyn.Log or several", "has")
        if is_in_file(log.q) and not long:
            raise InputError(
                f"`{what}` has {log!r}, a long log; this needs it whole: Log.read.", argument=what
            )
        if gain is not None and log.n == arm.n and (currents or log.effort != "current"):
            listed_gains = ", ".join(f"{x:g}" for x in gain)
            log = with_gain(log, gain, f"torques are the logged ones times {listed_gains}.")
        _check_log(arm, log)
        result.append(log)
    return [at_source_times(log) for log in in_recorded_order(result)]


def opened_logs(
    arm: Arm, logs: object, what: str, long: bool, cluster: Cluster | None
) -> Iterator[object]:
    """Yield one log or several, those of files read; other items are yielded unchanged."""
    single = isinstance(logs, Log | str | os.PathLike)
    listed: object = [cast(object, logs)] if single else logs
    if not isinstance(listed, Sequence) or not len(listed):  # pyright: ignore[reportUnknownArgumentType]
        raise _wrong(logs, what, "an armdyn.Log or several")
    return _opened(arm, cast("Sequence[object]", listed), long, cluster)


def _opened(
    arm: Arm, listed: Sequence[object], long: bool, cluster: Cluster | None
) -> Iterator[object]:
    """Yield logs, those of files read; other items are yielded unchanged."""
    items: list[object] = []
    for one in listed:
        items += log_paths(cast("str", one)) if isinstance(one, str | os.PathLike) else [one]
    paths = [one for one in items if isinstance(one, Path)]
    read = iter(read_logs(paths, arm, {}, cluster=cluster, long=long))
    yield from (next(read) if isinstance(one, Path) else one for one in items)


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
            f"{source} has motor currents, not torques. Give the torque per ampere of each drive, "
            "`gain=` (`--gain 16.3,-20.7,...`); `armdyn gains` finds it with a known load."
        )
    if log.tau is None:
        raise InputError(
            f"{source} has no torques; nothing can be identified from motion alone. Record joint "
            "torques, or the goals of position servos as commanded positions (`q_cmd`)."
        )
    if not np.any(extremes([log.tau])):
        raise InputError(f"all torques of {source} are zero; they were not measured.")


def checked_friction(value: object) -> Terms | None:
    """Return the terms of friction to fit: "auto", True (common terms), names, or False (none)."""
    names = {short_name(kind): kind for kind in FRICTION_TERMS}
    what = f"'auto', True, False or a list of terms: {', '.join(names)}"
    common = common_terms()
    if isinstance(value, bool | np.bool_):
        return Terms(common) if value else None
    if isinstance(value, str):
        if value != AUTO:
            raise _wrong(value, "friction", what)
        return Terms(common, tuple(kind for kind in FRICTION_TERMS if kind not in common))
    kinds: list[str] = []
    for one in checked_items(value, "friction", what=what):
        if not isinstance(one, str) or (one not in names and one not in FRICTION_TERMS):
            raise _wrong(one, "friction", what, "has")
        kinds.append(names.get(one, one))
    if not kinds:
        raise _wrong(value, "friction", f"{what}; False takes friction from the arm")
    further = tuple(kind for kind in FRICTION_TERMS if kind in kinds and kind not in common)
    return Terms(tuple(kind for kind in common if kind in kinds), further, forced=True)


def checked_rotor(value: object) -> bool | None:
    """Return whether to fit rotors; None leaves the choice to the data."""
    if isinstance(value, str) and value == AUTO:
        return None
    return checked_flag(value, "rotor")


def checked_tilt(value: object) -> bool:
    """Return whether the data may turn gravity."""
    if isinstance(value, str) and value == AUTO:
        return True
    if checked_flag(value, "tilt"):
        what = "'auto' (gravity is turned if the data show it clearly) or False (as described)"
        raise _wrong(value, "tilt", what)
    return False


def checked_coupling(value: object, n: int) -> Array:
    """Return the matrix of couplings."""
    what = f"an invertible {n} x {n} matrix: measured torques = coupling @ joint torques"
    matrix = checked_array(value, "coupling", (n, n), what=what)
    if np.linalg.matrix_rank(matrix) < n:
        raise _wrong(value, "coupling", what)
    return matrix


def checked_gain(value: object, unit: object, arm: Arm) -> Array | None:
    """Return the torque per unit of the logged torque or current of every joint; None for 1.

    Args:
        value: the gain of every joint, or one for all.
        unit: the unit of logged torques, in place of a gain.
        arm: the arm.
    """
    if unit is not None and value is not None:
        raise InputError(
            f"`gain` is {shown(value)} and `torque_unit` is {shown(unit)}; give one of them: a "
            "gain is the torque [N m] per unit of the log, so it contains the unit.",
            argument="torque_unit",
        )
    if unit is not None:
        return np.full(arm.n, torque_factor(unit, arm.robot.joints))
    if value is None:
        return None
    n = arm.n
    what = f"one number for all joints, or {n} numbers, none of them zero"
    gain = np.broadcast_to(checked_array(value, "gain", (), (n,), what=what), (n,)).copy()
    if not gain.all():
        raise InputError(f"`gain` is {shown(value)}, expected {what}.", argument="gain")
    return gain


def checked_trim(value: object) -> tuple[float, float] | None:
    """Return the seconds to cut off at both ends of a log; None leaves the choice to the data."""
    if value is None:
        return None
    what = "seconds to cut off at the start and at the end, or 0 to leave logs whole"
    ends = np.zeros(2) if value is False else checked_array(value, "trim", (), (2,), what=what)
    if (ends < 0.0).any():
        raise _wrong(value, "trim", what)
    start, end = np.broadcast_to(ends, (2,)).tolist()
    return start, end


def checked_joints(value: object, name: str, arm: Arm) -> tuple[int, ...]:
    """Return joints, given by numbers from 1 or by names, as numbers from 0."""
    what = f"joints, by numbers from 1 to {arm.n} or names ({', '.join(arm.joint_names)})"
    single = isinstance(value, str | int)
    listed = (value,) if single else checked_items(value, name, what=what)
    indices = joint_indices(arm, listed, lambda one: _wrong(one, name, what, "has"))
    return tuple(dict.fromkeys(indices))


def joint_indices(
    arm: Arm, joints: Iterable[object], wrong: Callable[[object], InputError]
) -> list[int]:
    """Return the indices from 0 of joints, given by numbers from 1 or by names.

    Raises:
        InputError: made by `wrong` of the first item that is no joint of the arm.
    """
    indices: list[int] = []
    for one in joints:
        if isinstance(one, str) and one in arm.joint_names:
            indices.append(arm.joint_names.index(one))
        elif isinstance(one, int) and not isinstance(one, bool) and 1 <= one <= arm.n:
            indices.append(one - 1)
        else:
            raise wrong(one)
    return indices


def checked_delay(value: object) -> float | None:
    """Return the delay of the torques [s]; None, for "auto", leaves it to the data."""
    if isinstance(value, str) and value == "auto":
        return None
    what = "'auto', or seconds by which torques lag behind positions (0: not at all)"
    return checked_number(value, "delay", least=-LONGEST_DELAY, most=LONGEST_DELAY, what=what)


@dataclass(frozen=True)
class Source:
    """A log: the file it is from, its size, and whether it is held out to test the fit."""

    file: str
    held_out: bool
    samples: int
    duration: float
    rate: float


@dataclass(frozen=True, eq=False)
class About:
    """The origin of a result: logs, range of motion and settings.

    Attributes:
        sources: the logs; logs of the fit come first.
        lowest: lowest position of every joint in the data of the fit, ``(n,)``.
        highest: highest position, ``(n,)``.
        fastest: highest speed, ``(n,)``.
        settings: the arguments of `identify`, by name; None if the value comes from the data.
        dead_band: speed below which rows of a joint were left out, ``(n,)``.
        cutoff: cut-off of the positions [Hz].
        delay: time by which torques were shifted back [s].
        tilt: angle by which gravity was turned [rad].
    """

    sources: tuple[Source, ...]
    lowest: Array
    highest: Array
    fastest: Array
    settings: dict[str, Any]
    dead_band: Array
    cutoff: float
    delay: float = 0.0
    tilt: float = 0.0


def about(
    train_logs: Sequence[Log],
    test_logs: Sequence[Log],
    train: Sequence[Prepared],
    options: object,
    dead_band: Array,
    delay: float = 0.0,
    tilt: float = 0.0,
) -> About:
    """Describe the logs and the settings; `options` is a dataclass of settings."""
    sources = [
        Source(log.source, held_out, len(log), log.duration, log.rate)
        for held_out, logs in ((False, train_logs), (True, test_logs))
        for log in logs
    ]
    lowest, highest = extremes([one.q for one in train])
    fastest = np.max(np.abs(extremes([one.qd for one in train])), axis=0)
    cutoff = min(one.cutoff for one in train)
    return About(
        tuple(sources), lowest, highest, fastest, _settings(options), dead_band, cutoff, delay, tilt
    )


def _settings(options: Any) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for field in fields(options):
        value = getattr(options, field.name)
        if isinstance(value, np.ndarray | np.generic):
            value = value.tolist()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        elif isinstance(value, Terms):
            value = value.asked
        elif isinstance(value, tuple):
            value = [getattr(x, "name", x) for x in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        settings[field.name] = value
    return settings


def described_values(result: Result) -> Array:
    """Return the described values ``(p,)``; NaN where the description has none.

    If all masses are zero, they count as not described. So does zero friction.
    """
    joints = result.described.robot.joints
    values = np.full(len(result.values), np.nan)
    if any(joint.mass for joint in joints):
        values[: result.model.k] = result.model.base.values
    for i, column in enumerate(result.model.columns):
        if column.kind in FRICTION_TERMS:
            values[i] = getattr(joints[column.joint], column.kind) or np.nan
    return values
