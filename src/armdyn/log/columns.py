"""The meaning of the columns of a file: quantity, joint and unit, found by name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import LogError

# The meaning of column names: the quantity, the joint and the unit.
#
# For example ``q1``, ``q_1``, ``q[0]``, ``q_elbow``, ``position_elbow``, ``joint_position.elbow``,
# ``actual_q_0``, ``elbow.pos``, ``qd_elbow [deg/s]``, ``time_ms``, ``header.stamp.nanosec``.

# Words for the quantities; case does not matter.
WORDS = {
    "q": "q pos position positions angle angles joint_pos joint_angle joint_angles theta",
    "qd": "qd dq q_dot qdot v vel vels velocity velocities speed speeds dtheta",
    "qdd": "qdd ddq q_ddot qddot a acc accs accel accels acceleration accelerations",
    "tau": "tau tau_j tauj effort efforts torque torques trq",
    "current": "current currents i amps",
    "q_cmd": "command",
    "load": "load loads",
}
ROLES = tuple(WORDS)

# Single letters mean a quantity only with a joint after them.
NEEDS_JOINT = ("v", "a", "i")

# These words before a quantity do not change its meaning.
MEASURED = "actual act measured meas msr joint joints motor mot"

# Positions with one of these words are goals of a controller.
COMMANDS = (
    "target desired des command commanded commands cmd reference ref goal setpoint action actions"
)
# A column with one of these words, or of those above, is not a measurement of the arm.
NOT_MEASURED = "error err limit extra"

# Words that may follow the joint: elbow.pos, elbow_velocity.
AFTER_JOINT = "pos position vel velocity acc accel acceleration effort torque tau current load"

# Factors to SI of the units of each quantity; armdyn writes "si" if a name needs a unit.
ANGLES = {"rad": 1.0, "deg": math.pi / 180, "m": 1.0, "mm": 1e-3}
RATES = {"rpm": math.tau / 60, **{f"{k}/s": v for k, v in ANGLES.items()}}
RATES_OF_RATES = {f"{k}/s2": v for k, v in ANGLES.items()}
# kgf by the CGPM of 1901, lb and the lengths by the agreement of 1959; all are exact.
_POUND = 0.45359237 * 9.80665
FORCES = {
    "n": 1.0, "mn": 1e-3, "dan": 10.0, "kn": 1e3, "kgf": 9.80665, "lbf": _POUND,
    "ozf": _POUND / 16, "kg": 9.80665, "lb": _POUND, "oz": _POUND / 16,
}  # fmt: skip
LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254, "ft": 0.3048}
TORQUES = {"n": 1.0} | {
    words: force * length
    for one, force in FORCES.items()
    for other, length in LENGTHS.items()
    for words in ((one + other, other + one) if other in ("in", "ft") else (one + other,))
}
CURRENTS = {"a": 1.0, "ma": 1e-3}
TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNITS = {
    "q": ANGLES, "qd": {**ANGLES, **RATES}, "qdd": {**ANGLES, **RATES_OF_RATES},
    "tau": TORQUES, "current": CURRENTS, "t": TIMES, "nanosec": TIMES,
    "q_cmd": ANGLES, "load": {}, "episode": {},
}  # fmt: skip
SI = "si"
# Positions that LeRobot normalises to the calibrated range of each joint, -100 to 100.
NORMALISED = "m100_100"

# Prefix of an extra column whose name could be read as a quantity.
EXTRA = "extra."

_SPELLINGS = (
    (r"degrees?|°", "deg"), (r"radians?", "rad"), (r"milliseconds?|millis|msecs?", "ms"),
    (r"microseconds?|micros|usecs?|µs|μs", "us"), (r"nanoseconds?|nanos|nsecs?", "ns"),
    (r"seconds?|secs?", "s"), (r"[\s·*_.-]", ""), (r"per", "/"), (r"\^|\*\*", ""), (r"²", "2"),
    (r"/s/s", "/s2"), (r"^(rad|deg)s$", r"\1/s"), (r"^(rad|deg)s2$", r"\1/s2"),
)  # fmt: skip


def _any_of(words: str) -> str:
    return "|".join(sorted(map(re.escape, words.split()), key=len, reverse=True))


_GAP = r"[\s_./:\-]"
_BRACKETS = re.compile(r"^(.*?)\s*[\[({]\s*([^\]\[(){}]*[^\d\s\]\[(){}][^\]\[(){}]*)\s*[\])}]\s*$")
_ENDING = re.compile(
    r"^(.+?)_((?:deg|rad)(?:_?(?:per_)?s(?:2|_2)?)?|nm|nanoseconds?|nsecs?|ns|us|ms)$", re.I
)
_QUANTITY_FIRST = re.compile(
    rf"^/?(?:joint_?states?{_GAP}+)?(?:(?:{_any_of(MEASURED)}){_GAP}*)*"
    rf"({_any_of(' '.join(WORDS.values()))})"
    rf"(?:|{_GAP}*(\d+)|{_GAP}+(.+?)|\s*[\[(]\s*(.+?)\s*[\])])$",
    re.I | re.S,
)
_JOINT_FIRST = re.compile(
    rf"^/?(?:joint_?states?{_GAP}+)?(.+?){_GAP}+({_any_of(AFTER_JOINT)})$", re.I
)
_TIME = re.compile(
    r"^[%_]*(?:header[._/])?(?:stamp[._/]|time[._/])?"
    r"(t|times?|timestamps?|time_?stamp|stamp|elapsed(?:_time)?|time_elapsed|time_cont"
    r"|secs?|seconds?|nanosecs?|nsecs?|nanoseconds?)(?:[_\s]?(s|secs?|seconds?|ms|millis(?:econds?)?"
    r"|us|micros(?:econds?)?|ns|nanos(?:econds?)?))?$",
    re.I,
)
_EPISODE = re.compile(r"^episode(?:_?(?:index|id|number))?$", re.I)
_OTHER = re.compile(rf"(?:^|{_GAP})(?:{_any_of(NOT_MEASURED)})(?:{_GAP}|\d|\[|$)", re.I)
_COMMAND = re.compile(rf"(?:^|{_GAP})(?:{_any_of(COMMANDS)})(?={_GAP}|\d|\[|$){_GAP}*", re.I)
ROLE_OF = {word: role for role, words in WORDS.items() for word in words.split()}


@dataclass(frozen=True)
class Meaning:
    """Meaning of a name: "t", "nanosec", "episode" or one of `ROLES`; joint and unit, if named."""

    role: str
    joint: str | None = None
    unit: str | None = None


def meaning(name: str) -> Meaning | None:
    """Return the meaning of a column name; None if it is not a quantity of an arm."""
    bare, unit = name.strip(), None
    if found := _BRACKETS.match(bare):
        spelt = spelling(found[2])
        if spelt == SI or any(spelt in units for units in UNITS.values()):
            bare, unit = found[1], spelt
    if unit != SI and _OTHER.search(bare):
        return None
    if unit != SI and (found := _COMMAND.search(bare)):
        return _command(bare, found, unit)
    if unit is None and not _TIME.match(bare) and (found := _ENDING.match(bare)):
        inner = _quantity(found[1])
        if inner is not None:
            return Meaning(inner.role, inner.joint, spelling(found[2]))
    result = _quantity(bare)
    if result is None or unit is None:
        return result
    return Meaning(result.role, result.joint, None if unit == SI else unit)


def is_measured(name: str) -> bool:
    """Whether no word of a name says that it is a goal, an error or a limit."""
    return not _OTHER.search(name) and not _COMMAND.search(name)


def _command(name: str, word: re.Match[str], unit: str | None) -> Meaning | None:
    """Return the meaning of a name with a word for goals: ``q_cmd_elbow``, ``goal_elbow``."""
    before, after = name[: word.start()], name[word.end() :]
    gap = "_" if before and after[:1].isalpha() else ""
    rest = f"{before}{gap}{after}"
    if not rest:
        return Meaning("q_cmd", unit=unit)
    quantity = meaning(rest)
    if quantity is None and not (before and after):
        return Meaning("q_cmd", rest.strip(" []()"), unit)
    if quantity is None or quantity.role not in ("q", "q_cmd"):
        return None
    return Meaning("q_cmd", quantity.joint, unit or quantity.unit)


def unit_in(name: str, role: str) -> str | None:
    """Return the unit that a name has in brackets, if it is one of the quantity, or "si"."""
    found = _BRACKETS.match(name.strip())
    unit = None if found is None else spelling(found[2])
    return unit if unit == SI or unit in UNITS[role] else None


def spelling(unit: str) -> str:
    """Return a unit as the tables here spell it."""
    text = unit.strip().lower()
    for pattern, word in _SPELLINGS:
        text = re.sub(pattern, word, text)
    return text


def _quantity(name: str) -> Meaning | None:
    if _EPISODE.match(name):
        return Meaning("episode")
    if found := _TIME.match(name):
        word, unit = found[1].lower(), found[2]
        if word.startswith("n"):
            return Meaning("nanosec", unit="ns")
        if word.startswith("sec"):
            return Meaning("t", unit="s")
        return Meaning("t", unit=spelling(unit) if unit else None)
    if found := _QUANTITY_FIRST.match(name):
        joint = next((part for part in found.groups()[1:] if part is not None), None)
        word = found[1].lower()
        # "a.pos" is the position of a joint called a, not an acceleration.
        if word not in NEEDS_JOINT or (joint and joint.lower() not in AFTER_JOINT.split()):
            return Meaning(ROLE_OF[word], joint)
    if found := _JOINT_FIRST.match(name):
        return Meaning(ROLE_OF[found[2].lower()], found[1])
    return None


# The columns of a file by name, before their meaning is known.

# Rows of a block of a long file of arrays.
ROWS = 1 << 16


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

    def place(self, row: int) -> int | None:
        """Return the line of a row, None if the file has no lines."""
        return None if self.lines is None else int(self.lines[row])

    def error(self, row: int, message: str) -> LogError:
        """Return an error at a row."""
        if self.lines is None:
            return LogError(self.path, f"sample {row}: {message}")
        return LogError(self.path, message, self.place(row))


def one_line(error: Exception) -> str:
    """Return the message of an error, short and on one line."""
    return " ".join(str(error).split())[:120].rstrip(".")


# Match the joints of a file with those of an arm if their names differ.


def assigned(labels: Sequence[str], joints: Sequence[str]) -> tuple[list[str] | None, str]:
    """Return the label of every joint and the assumptions made; if impossible, None and why.

    Labels are the joint names themselves, in upper or lower case; numbers from 0 or 1; or names
    that differ from those of the arm only in a common part: fer_joint1 ... for panda_joint1 ...
    """
    for rule in (str, str.casefold):
        by_name = {rule(label): label for label in labels}
        if len(by_name) == len(labels) and all(rule(joint) in by_name for joint in joints):
            rest = sorted(set(labels) - {by_name[rule(joint)] for joint in joints})
            words = f"joints that the arm does not have are left out: {', '.join(rest)}."
            return [by_name[rule(joint)] for joint in joints], words if rest else ""
    if len(labels) != len(joints):
        return None, f"the file has {len(labels)}, the arm {len(joints)}."
    if all(label.isdigit() for label in labels):
        numbers = sorted(labels, key=int)
        if [int(k) for k in numbers] in ([*range(len(joints))], [*range(1, len(joints) + 1)]):
            return numbers, ""
        return None, f"the numbers {', '.join(numbers)} do not count joints."
    cores, wanted = _cores(labels), _cores(joints)
    if len(set(cores)) == len(labels) and set(cores) == set(wanted):
        by_core = dict(zip(cores, labels, strict=True))
        order = [by_core[core] for core in wanted]
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(order, joints, strict=True))
        return order, f"joints go by other names, taken as {pairs}."
    return None, "names differ."


def in_order(
    columns: Mapping[str | None, str], labels: Sequence[str], *, explicit: bool
) -> list[str]:
    """Return columns in the order of the labels, or as given if explicit ones lack a label."""
    if explicit and not set(labels) <= set(columns):
        return list(columns.values())
    return [columns[label] for label in labels]


def _cores(names: Sequence[str]) -> list[str]:
    """Return names without their common beginning and end; numbers are not split."""
    if len(names) < 2:
        return [""] * len(names)
    folded = [name.casefold() for name in names]
    begin = len(_common(folded).rstrip("0123456789"))
    rest = [name[begin:] for name in folded]
    backwards = _common([name[::-1] for name in rest])
    end = len(backwards.rstrip("0123456789"))
    return [name[: len(name) - end] for name in rest]


def _common(names: Sequence[str]) -> str:
    """Return the common prefix of all names."""
    low, high = min(names), max(names)
    return low[
        : next((k for k, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    ]
