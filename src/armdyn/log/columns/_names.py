"""The meaning of column names: the quantity, the joint and the unit.

For example ``q1``, ``q_1``, ``q[0]``, ``q_elbow``, ``position_elbow``, ``joint_position.elbow``,
``actual_q_0``, ``elbow.pos``, ``qd_elbow [deg/s]``, ``time_ms``, ``header.stamp.nanosec``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

# Words for the quantities; case does not matter.
WORDS = {
    "q": "q pos position positions angle angles joint_pos joint_angle joint_angles theta",
    "qd": "qd dq q_dot qdot v vel vels velocity velocities speed speeds dtheta",
    "qdd": "qdd ddq q_ddot qddot a acc accs accel accels acceleration accelerations",
    "tau": "tau tau_j tauj effort efforts torque torques trq",
    "current": "current currents i amps",
}
ROLES = tuple(WORDS)

# Single letters mean a quantity only with a joint after them.
NEEDS_JOINT = ("v", "a", "i")

# These words before a quantity do not change its meaning.
MEASURED = "actual act measured meas msr joint joints motor mot"

# A column with one of these words is not a measurement of the arm.
NOT_MEASURED = (
    "target desired des command commanded commands cmd reference ref goal setpoint error err limit "
    "extra"
)

# Words that may follow the joint: elbow.pos, elbow_velocity.
AFTER_JOINT = "pos position vel velocity acc accel acceleration effort torque tau current"

# Factors to SI of the units of each quantity; armdyn writes "si" if a name needs a unit.
ANGLES = {"rad": 1.0, "deg": math.pi / 180, "m": 1.0, "mm": 1e-3}
RATES = {"rpm": math.tau / 60, **{f"{k}/s": v for k, v in ANGLES.items()}}
RATES_OF_RATES = {f"{k}/s2": v for k, v in ANGLES.items()}
TORQUES = {"nm": 1.0, "n": 1.0, "nmm": 1e-3, "mnm": 1e-3, "knm": 1e3}
CURRENTS = {"a": 1.0, "ma": 1e-3}
TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNITS = {
    "q": ANGLES, "qd": {**ANGLES, **RATES}, "qdd": {**ANGLES, **RATES_OF_RATES},
    "tau": TORQUES, "current": CURRENTS, "t": TIMES, "nanosec": TIMES,
}  # fmt: skip
SI = "si"

# Prefix of an extra column whose name could be read as a quantity.
EXTRA = "extra."

_SPELLINGS = (
    (r"degrees?|°", "deg"), (r"radians?", "rad"), (r"milliseconds?|millis|msecs?", "ms"),
    (r"microseconds?|micros|usecs?|µs|μs", "us"), (r"nanoseconds?|nanos|nsecs?", "ns"),
    (r"seconds?|secs?", "s"), (r"[\s·*_.]", ""), (r"per", "/"), (r"\^|\*\*", ""), (r"²", "2"),
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
_OTHER = re.compile(rf"(?:^|{_GAP})(?:{_any_of(NOT_MEASURED)})(?:{_GAP}|\d|\[|$)", re.I)
_ROLE_OF = {word: role for role, words in WORDS.items() for word in words.split()}


@dataclass(frozen=True)
class Meaning:
    """Meaning of a name: "t", "nanosec" or one of `ROLES`; the joint, if named; the unit."""

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
    if unit is None and not _TIME.match(bare) and (found := _ENDING.match(bare)):
        inner = _quantity(found[1])
        if inner is not None:
            return Meaning(inner.role, inner.joint, spelling(found[2]))
    result = _quantity(bare)
    if result is None or unit is None:
        return result
    return Meaning(result.role, result.joint, None if unit == SI else unit)


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
            return Meaning(_ROLE_OF[word], joint)
    if found := _JOINT_FIRST.match(name):
        return Meaning(_ROLE_OF[found[2].lower()], found[1])
    return None
