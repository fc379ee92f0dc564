"""The columns of a file, and the joints that they are of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import LogError
from armdyn.log.recognition.names import GRIPPER, SIDE, Meaning, joint_key

# The columns of a file by name, before their meaning is known.

# Rows of a block of a long file of arrays.
ROWS = 1 << 16

# A rate that stands for time stamps: "125 Hz".
_RATE = re.compile(r"^\s*(\d+(?:\.\d*)?)\s*hz\s*$", re.I)
# Rates that are believed [Hz]: slower and faster ones would be taken for another unit of time.
SLOWEST, FASTEST = 5.0, 1e5


@dataclass
class Table:
    """Columns ``(N,)`` and blocks of columns ``(N, k)`` by name.

    Attributes:
        path: the file.
        columns: the numbers; an empty cell is NaN.
        lines: line in the file of every row, if it is a text file.
        text: columns that are not numbers, each with a cell that is not a number and its line.
        joint_names: if the file has them.
        notes: findings while reading.
        lost: parts of the file that could not be used.
        meanings: of columns whose names need not be understood.
        scales: factors to SI units of columns whose names do not tell the unit.
        said: options of `Log.read` that say what was guessed.
        chosen: quantities whose columns the caller named and its reader has found.
    """

    path: Path
    columns: dict[str, Array]
    lines: NDArray[np.int64] | None = None
    text: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    joint_names: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    meanings: Mapping[str, Meaning] = field(default_factory=dict[str, Meaning])
    scales: Mapping[str, float] = field(default_factory=dict[str, float])
    said: Mapping[str, str] = field(default_factory=dict[str, str])
    chosen: tuple[str, ...] = ()

    def place(self, row: int) -> int | None:
        """Return the line of a row, None if the file has no lines."""
        return None if self.lines is None else int(self.lines[row])

    def error(self, row: int, message: str) -> LogError:
        """Return an error at a row."""
        if self.lines is None:
            return LogError(self.path, f"sample {row}: {message}")
        return LogError(self.path, message, self.place(row))


def rate_in(said: object) -> float | None:
    """Return the rate of samples [Hz] that stands for a column of time; None if none does."""
    found = _RATE.match(said) if isinstance(said, str) else None
    return None if found is None else float(found[1])


def with_clock(tables: Iterable[Table], said: object) -> Iterator[Table]:
    """Yield tables; where a rate stands for the column of time, they have that column.

    Raises:
        LogError: the rate is not one of a log.
    """
    rate, name, rows = rate_in(said), str(said), 0
    for table in tables:
        if rate is not None and name not in table.columns:
            if not SLOWEST <= rate <= FASTEST:
                raise LogError(
                    table.path, f"a rate is {name!r}, expected {SLOWEST:g} to {FASTEST:g} Hz."
                )
            count = max(map(len, table.columns.values()), default=0)
            table.columns[name] = np.arange(rows, rows + count) / rate
            table.meanings = {**table.meanings, name: Meaning("t", unit="s")}
            table.notes += [] if rows else [f"time counts from the rate of samples, {name}."]
            rows += count
        yield table


def one_line(error: Exception) -> str:
    """Return the message of an error, short and on one line."""
    return " ".join(str(error).split())[:120].rstrip(".")


# Match the joints of a file with those of an arm if their names differ.


def assigned(labels: Sequence[str], joints: Sequence[str]) -> tuple[list[str] | None, str]:
    """Return the label of every joint and the assumptions made; if impossible, None and why.

    Labels are the joint names themselves, in upper or lower case; numbers from 0 or 1; names that
    differ from those of the arm only in a common part: fer_joint1 ... for panda_joint1 ...; or
    numbers of axes: A1 ... A6.
    """
    for rule in (str, str.casefold, _bare):
        by_name = {rule(label): label for label in labels}
        if len(by_name) == len(labels) and all(rule(joint) in by_name for joint in joints):
            rest = sorted(set(labels) - {by_name[rule(joint)] for joint in joints})
            words = f"joints that the arm does not have are left out: {', '.join(rest)}."
            return [by_name[rule(joint)] for joint in joints], words if rest else ""
    grippers = [[name for name in names if GRIPPER.search(name)] for names in (labels, joints)]
    if [*map(len, grippers)] == [1, 1] and len(labels) == len(joints) > 1:
        (label,), (joint,) = grippers
        body, words = assigned(
            [name for name in labels if name != label], [name for name in joints if name != joint]
        )
        if body is not None:
            body.insert(list(joints).index(joint), label)
            return body, f"{words} The gripper {label} is {joint}.".strip()
    numbered = [label for label in labels if joint_key(label).isdecimal()]
    if len(labels) > len(joints) == len(numbered) and is_counted([*map(joint_key, numbered)]):
        rest = [label for label in labels if label not in numbered]
        words = f"joints that the arm does not have are left out: {', '.join(rest)}."
        return sorted(numbered, key=lambda label: int(joint_key(label))), words
    if len(labels) != len(joints):
        return None, f"the file has {len(labels)}, the arm {len(joints)}."
    if all(label.isdecimal() for label in labels):
        numbers = sorted(labels, key=int)
        if is_counted(numbers):
            return numbers, ""
        return None, f"the numbers {', '.join(numbers)} do not count joints."
    cores, wanted = _cores(labels), _cores(joints)
    order: list[str] = []
    if len(set(cores)) == len(labels) and set(cores) == set(wanted):
        by_core = dict(zip(cores, labels, strict=True))
        order = [by_core[core] for core in wanted]
    elif is_counted([joint_key(label) for label in labels]):
        order = sorted(labels, key=lambda label: int(joint_key(label)))
    if order:
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(order, joints, strict=True))
        return order, f"joints go by other names, taken as {pairs}."
    return None, "names differ."


def _bare(name: str) -> str:
    """Return a name without the word joint at its end, which names of columns may have lost."""
    return re.sub(r"[\s_./]+joint$", "", name.casefold())


def likely_joints(labels: Sequence[str], count: int) -> list[str]:
    """Return the labels that may be the joints of an arm, in this order; none if nothing shows it.

    They are all labels or, with two arms, those of the left or right one, with or without grippers,
    or those that differ by their numbers.
    """
    sides = {label: found[1].lower() for label in labels if (found := SIDE.search(label))}
    for side in (None, *dict.fromkeys(sides.values())):
        some = [label for label in labels if side is None or sides.get(label) == side]
        body = [label for label in some if not GRIPPER.search(label)]
        if count in (len(some), len(body)):
            return some if len(some) == count else body
    numbered: dict[str, list[str]] = {}
    for label in labels:
        numbered.setdefault(re.sub(r"\d+", "0", label), []).append(label)
    alike = [some for some in numbered.values() if len(some) == count > 1]
    return alike[0] if alike else []


def is_counted(labels: Sequence[str]) -> bool:
    """Whether labels are the numbers of joints, from 0 or 1, in any order."""
    if not all(label.isdecimal() for label in labels):
        return False
    numbers = sorted(map(int, labels))
    return numbers in ([*range(len(labels))], [*range(1, len(labels) + 1)])


def in_order(
    columns: Mapping[str | None, str], labels: Sequence[str], *, explicit: bool
) -> list[str]:
    """Return columns in the order of the labels, or as given if explicit ones lack a label."""
    by_key = {None if label is None else joint_key(label): name for label, name in columns.items()}
    keys = [joint_key(label) for label in labels]
    if explicit and not set(keys) <= set(by_key):
        return list(columns.values())
    return [by_key[key] for key in keys]


def _cores(names: Sequence[str]) -> list[str]:
    """Return names without their common beginning and end; numbers are not split."""
    if len(names) < 2:
        return [""] * len(names)
    folded = [name.casefold() for name in names]
    begin = len(common_prefix(folded).rstrip("0123456789"))
    rest = [name[begin:] for name in folded]
    backwards = common_prefix([name[::-1] for name in rest])
    end = len(backwards.rstrip("0123456789"))
    return [name[: len(name) - end] for name in rest]


def common_prefix(names: Sequence[str]) -> str:
    """Return the common prefix of all names."""
    low, high = min(names), max(names)
    return low[
        : next((k for k, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    ]
