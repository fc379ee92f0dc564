"""Read a log file: whole, or in blocks if it is too long for memory."""

from __future__ import annotations

import math
import shlex
import warnings
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import ArmdynError, InputError, LogError, LogWarning, shown
from armdyn.log.columns import Table, with_clock
from armdyn.log.formats import format_read
from armdyn.log.log import LongLog
from armdyn.log.options import ReadOptions
from armdyn.log.recognition.conversion import (
    PositionUnits,
    block_of,
    is_prismatic,
    joint_count,
    tell_assumed,
    to_si,
    with_known_rates,
)
from armdyn.log.recognition.match import Matched, matched
from armdyn.log.recognition.names import EXTRA, ROLES
from armdyn.log.rows import FileRows, extremes
from armdyn.log.stamps import EpisodeClock, check_angles, clock_of, ordered, still_joints
from armdyn.log.turns import Turns

# Samples of a table: blocks of joints, complete rows, SI units, the joint side of the drives.


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


def complete_rows(
    table: Table, match: Matched, t: Array, blocks: Mapping[str, Array], missing: str
) -> NDArray[np.int64]:
    """Return the rows without missing numbers."""
    good = np.isfinite(t)
    for block in blocks.values():
        there = np.isfinite(block)
        if not there.all():
            good &= there.all(axis=1)
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


def to_joint_side(
    blocks: dict[str, Array], gear: Array, sides: Sequence[str], notes: list[str]
) -> None:
    """Convert quantities from the motor side to the joint side, in place."""
    for role in ROLES:
        side = {"current": "tau", "q_cmd": "q"}.get(role, role)
        if role not in blocks or side not in sides:
            continue
        if role == "tau":
            # Power is the same on both sides: tau_joint = inv(G).T tau_motor, for rows tau inv(G).
            blocks[role] = blocks[role] @ np.asarray(np.linalg.inv(gear), np.float64)
        elif role != "current":
            blocks[role] = blocks[role] @ gear.T
    done = [role for role in sides if role in blocks]
    if "q" in sides and "q_cmd" in blocks:
        done.append("q_cmd")
    notes.append(f"{', '.join(done)} brought from the motors to the joints by the gear matrix.")


class _Conversion:
    """How the tables of a file become samples: by the columns and stamps of the first one.

    Attributes:
        match: which columns the quantities are.
        labels: names of the joints.
        origin: the clock of the file at time 0 [s].
        units: of the positions.
    """

    def __init__(self, first: Table, options: ReadOptions) -> None:
        self._options = options
        columns = {k: v for k, v in options.columns.items() if k not in first.chosen}
        self.match = matched(first, options.joint_names, columns, options.torque)
        if options.torque_unit is not None and "tau" not in self.match.names:
            is_current = "current" in self.match.names
            what = "motor currents, not torques" if is_current else "no torques"
            raise InputError(
                f"`torque_unit` is {shown(options.torque_unit)}, but {first.path} has {what}.",
                argument="torque_unit",
            )
        n = joint_count(first, self.match)
        self.labels = self.match.joints or tuple(f"joint{k}" for k in range(1, n + 1))
        self._gears = options.gear_matrix(n)
        first.notes += self.match.notes
        self.units = PositionUnits.of(first, self.match, self.labels, options)
        self.match = with_known_rates(first, self.match, self.units)
        self._clock = clock_of(first, self.match.time, self.match.nanosec, options.time_unit)
        self.origin = (self._clock.origin or 0.0) / self._clock.per_second

        self._turns = Turns(n)
        self._turning = np.array([not is_prismatic(options.joints, k, n) for k in range(n)])
        self._episodes, self._lengths = EpisodeClock(), Counter[int]()
        self._said = {"time_unit": self._clock.guessed or "", **first.said}

    def samples(
        self, table: Table, roles: Iterable[str]
    ) -> tuple[Array, NDArray[np.int64], dict[str, Array]]:
        """Return the stamps and numbers of usable rows in order, and quantities in SI units."""
        options = self._options
        blocks = {role: block_of(table, role, self.match) for role in roles}
        t, episodes = self._clock.seconds(table), np.zeros(0, dtype=np.int64)
        if self.match.episode is not None and len(t):
            t, episodes = self._episodes.placed(t, table.columns[self.match.episode])
        needed = {role: block for role, block in blocks.items() if role not in self.match.optional}
        rows = complete_rows(table, self.match, t, needed, options.missing)
        rows = ordered(table, t, rows, options.sort)
        if len(rows) < len(t) or options.sort:
            t, blocks = t[rows], {role: block[rows] for role, block in blocks.items()}
        for role in self.match.optional & set(blocks):
            if not np.isfinite(blocks[role]).all():
                del blocks[role]
                table.notes.append(f"{role} has missing numbers and is left out.")
        if len(episodes):
            kept = episodes[rows]
            ends = [0, *(np.flatnonzero(np.diff(kept)) + 1).tolist(), len(kept)]
            self._lengths.update({int(kept[a]): b - a for a, b in pairwise(ends) if a < b})
        to_si(table, blocks, self.match, self.units, options.torque_unit)
        if self._gears is not None:
            to_joint_side(blocks, self._gears, options.motor_side, table.notes)
        elif "q" in blocks:
            q = self._turns.unwrapped(t, blocks["q"])
            blocks["q"] = q if self._turning.all() else np.where(self._turning, q, blocks["q"])
            if "q_cmd" in blocks and self._turns.count.any():
                blocks["q_cmd"] = self._turns.beside(blocks["q"], blocks["q_cmd"])
        return t, rows, blocks

    @property
    def turns_in_words(self) -> list[str]:
        """Return a sentence on joints whose positions jump by a turn; none if none do."""
        return self._turns.words(self.labels)

    def command(self, file: Path) -> str:
        """Return the command line that reads the file in the same way without guessing."""
        options = self._options
        said = {
            "units": options.units
            or self.units.option
            or self._said.get("units")
            or ("" if self.units.is_known else "rad"),
            "time-unit": options.time_unit or self._said["time_unit"],
            "torque-unit": options.torque_unit or "",
        }
        words = ["armdyn", "identify", "ARM", str(file)]
        for name, value in said.items():
            if value:
                words += [f"--{name}", value if isinstance(value, str) else ",".join(value)]
        for role, names in options.columns.items():
            listed = [names] if isinstance(names, str) else names
            words += ["--columns", f"{role}={','.join(listed)}"]
        words += ["--sort"] if options.sort else []
        words += ["--drop-missing"] if options.missing == "drop" else []
        return shlex.join(words)

    @property
    def episodes(self) -> list[slice]:
        """Return a slice of the samples so far for each episode; none if the file has none."""
        ends = np.cumsum([count for _, count in sorted(self._lengths.items())]).tolist()
        return [slice(a, b) for a, b in pairwise([0, *ends])]


# A log file read as a whole: SI units, joint side, stamps in order, or an error.


def read_arrays(file: Path, options: ReadOptions) -> dict[str, Any]:
    """Return the arguments of `Log` for a file."""
    with told_with(file):
        whole = format_read(file).table(file, options.of_format)
        (table,) = with_clock([whole], options.columns.get("t"))
    found = _Conversion(table, options)
    match = found.match
    t, rows, blocks = found.samples(table, match.names)
    if not found.units.is_known:
        check_angles(table, found.labels, blocks["q"], options.joints)
        tell_assumed(table, table, match, found.units, blocks["q"])
    still = still_joints(found.labels, blocks["q"], blocks.get(match.effort))
    for words in (*table.lost, *still):
        warnings.warn(f"{file}: {words}", LogWarning, stacklevel=4)
    for array in (t, *blocks.values()):  # a log shares arrays that nobody can write to
        array.flags.writeable = False
    used = {match.time, match.nanosec, match.episode}
    used.update(name for role in blocks for name in match.names[role])
    return {
        "t": t,
        "q": blocks["q"],
        "qd": blocks.get("qd"),
        "qdd": blocks.get("qdd"),
        "tau": blocks.get(match.effort),
        "joint_names": found.labels,
        "effort": "current" if match.effort == "current" else "torque",
        "q_cmd": blocks.get("q_cmd"),
        "current": blocks.get("current"),
        "load": blocks.get("load"),
        "episodes": found.episodes,
        "extra": {
            k.removeprefix(EXTRA): v[rows] for k, v in table.columns.items() if k not in used
        },
        "source": str(file),
        "notes": (*table.notes, *found.turns_in_words, *table.lost, *still),
        "origin": found.origin,
        "command": found.command(file),
    }


# A log file that is too long for memory: read in blocks, samples in scratch files.

# The quantities of a log that identification needs.
NEEDED = ("q", "qd", "tau", "current", "q_cmd", "load")


def stream_log(file: Path, options: ReadOptions) -> LongLog:
    """Read a file block by block."""
    with told_with(file):
        tables = _tables(file, options)
        first = _with_rows(tables)
        found = _Conversion(first, options)
        labels = found.labels
        made = _Columns([role for role in found.match.names if role in NEEDED], len(labels))
        for table in chain([first], tables):
            t, rows, blocks = found.samples(table, made.columns)
            made.add(table, t, rows, blocks)
    last = Table(file, {})
    if not found.units.is_known:
        check_angles(last, labels, made.extremes["q"], options.joints)
        tell_assumed(last, first, found.match, found.units, made.extremes["q"])
    still: list[str] = []
    if len(made.t) > 1:
        still = still_joints(labels, made.extremes["q"], made.extremes.get(found.match.effort))
    for words in (*made.lost, *still):
        warnings.warn(f"{file}: {words}", LogWarning, stacklevel=3)
    effort = "current" if found.match.effort == "current" else "torque"
    tau = made.columns.get(found.match.effort)
    return LongLog(
        t=cast(Array, made.t),
        q=cast(Array, made.columns["q"]),
        qd=cast("Array | None", made.columns.get("qd")),
        tau=cast("Array | None", tau),
        joint_names=labels,
        effort="none" if tau is None else effort,
        q_cmd=cast("Array | None", made.columns.get("q_cmd")),
        current=cast("Array | None", made.columns.get("current")),
        load=cast("Array | None", made.columns.get("load")),
        episodes=found.episodes,
        source=str(file),
        notes=(
            *dict.fromkeys((*made.notes, *last.notes)),
            *found.turns_in_words,
            *made.lost,
            *still,
        ),
        origin=found.origin,
        command=found.command(file),
    )


def first_stamp(file: Path, options: ReadOptions) -> float:
    """Return the recorder's clock at the first sample of a file [s]; only its first block is read.

    Raises:
        LogError: the file is not a log of an arm.
    """
    with told_with(file):
        first = _with_rows(_tables(file, options))
        found = _Conversion(first, options)
        t = found.samples(first, ())[0]
    return found.origin + float(t[0]) if len(t) else found.origin


def _tables(file: Path, options: ReadOptions) -> Iterator[Table]:
    return with_clock(format_read(file).tables(file, options.of_format), options.columns.get("t"))


def _with_rows(tables: Iterator[Table]) -> Table:
    """Return the first table with rows that show a time step.

    Blocks of a text file may end after its header, or after its first row.
    """
    table = next(tables)
    while (rows := max(map(len, table.columns.values()), default=0)) < 2:
        following = next(tables, None)
        if following is None:
            break
        following.notes[:0] = table.notes
        if rows:
            following.text = {**table.text, **following.text}
            following.columns = {
                name: np.concatenate([column, following.columns[name]])
                for name, column in table.columns.items() if name in following.columns
            }  # fmt: skip
            if table.lines is not None and following.lines is not None:
                following.lines = np.concatenate([table.lines, following.lines])
        table = following
    return table


class _Columns:
    """The columns in scratch files, with extremes and notes of the blocks so far."""

    def __init__(self, roles: Iterable[str], n: int) -> None:
        self.t = FileRows()
        self.columns: dict[str, Any] = {role: FileRows(n) for role in roles}
        self.extremes: dict[str, Array] = {}
        self.notes: list[str] = []
        self.lost: list[str] = []
        self._end = -np.inf

    def add(
        self, table: Table, t: Array, rows: NDArray[np.int64], blocks: Mapping[str, Array]
    ) -> None:
        """Append the samples of a block.

        Raises:
            LogError: it begins before the previous one ends.
        """
        self.notes += table.notes
        self.lost += table.lost
        if not len(t):
            return
        if not t[0] > self._end:
            raise table.error(
                int(rows[0]),
                f"goes back in time: {float(t[0])!r} s after {float(self._end)!r} s. "
                "Log.read with sort=True puts rows in order.",
            )
        self._end = t[-1]
        self.t.append(t)
        for role in set(self.columns) - set(blocks):
            del self.columns[role]
        for role, block in blocks.items():
            self.columns[role].append(block)
            seen = [block] if role not in self.extremes else [self.extremes[role], block]
            self.extremes[role] = np.stack(extremes(seen))
