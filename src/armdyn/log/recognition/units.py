"""Units of the quantities of a log: their factors to SI, and the ways to spell them."""

from __future__ import annotations

import math
import re

# Factors to SI of the units of each quantity; armdyn writes "si" if a name needs a unit.
ANGLES = {
    "rad": 1.0, "deg": math.pi / 180, "m": 1.0, "mm": 1e-3, "mrad": 1e-3, "rev": math.tau,
}  # fmt: skip
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
# Shares of a rated torque or current: numbers of a drive, of which no torque follows.
SHARES = ("%", "‰", "permille", "percent", "pct")
UNITS: dict[str, dict[str, float]] = {
    "q": ANGLES, "qd": {**ANGLES, **RATES}, "qdd": {**ANGLES, **RATES_OF_RATES},
    "tau": TORQUES, "current": CURRENTS, "t": TIMES, "nanosec": TIMES,
    "q_cmd": ANGLES, "load": dict.fromkeys(SHARES, 1.0), "episode": {},
}  # fmt: skip
SI = "si"

# Positions that LeRobot normalises to the calibrated range of each joint, -100 to 100.
NORMALISED = "m100_100"
# Positions as whole steps of a servo drive of Feetech or Dynamixel: 4096 a turn, 2048 in its
# middle.
COUNTS = "counts"
COUNTS_PER_TURN = 4096
# Units of positions that an option can say, beside shares of a turn of the joint: "rev/65536".
POSITION_UNITS = (*ANGLES, NORMALISED, COUNTS)
_SHARE_OF_TURN = re.compile(r"rev/(\d{1,12}(?:\.\d{1,6})?)", re.ASCII)

# Units that numbers of drives have in names. Nothing tells their size.
UNKNOWN_UNITS = (
    "counts count cnt ticks tick inc incs increments steps step lsb raw pulse pulses digits - 1 "
    "v mv w pwm bit bits"
).split()  # fmt: skip

_SPELLINGS = (
    (r"degrees?|°|º|^grad$", "deg"), (r"radians?", "rad"), (r"milliseconds?|millis|msecs?", "ms"),
    (r"microseconds?|micros|usecs?|µs|μs", "us"), (r"nanoseconds?|nanos|nsecs?", "ns"),
    (r"seconds?|secs?", "s"), (r"^milliamp(?:ere)?s?$", "ma"),
    (r"^(?:amp(?:ere)?s?|a[\s_]?(?:rms|eff|pk|peak))$", "a"), (r"^(?:turn|revolution)s?\b", "rev"),
    (r"newton[\s_-]*met(?:er|re)s?", "nm"),
    (r"[\s·⋅*_.-]", ""), (r"per", "/"), (r"\^|\*\*", ""), (r"²", "2"),
    (r"/s/s", "/s2"), (r"^(rad|deg|rev)s$", r"\1/s"), (r"^(rad|deg)s2$", r"\1/s2"),
    (r"^(rad|deg)ps$", r"\1/s"), (r"^dps$", "deg/s"), (r"^(?:rps|rev/sec)$", "rev/s"),
    (r"^(?:r|rev)/?min$|^1/min$|^u/min$", "rpm"),
)  # fmt: skip


def angle_factor(unit: object) -> float | None:
    """Return the factor to SI units of a unit of single joints; None if it is none.

    "rev/65536" is the step of an encoder with 65,536 steps for a turn of the joint.
    """
    if not isinstance(unit, str):
        return None
    found = _SHARE_OF_TURN.fullmatch(unit)
    steps = float(found[1]) if found else COUNTS_PER_TURN
    if found or unit == COUNTS:
        return math.tau / steps if steps else None
    return ANGLES.get(unit)


def spelling(unit: str) -> str:
    """Return a unit as the tables here spell it."""
    text = unit.strip().lower()
    if text in (*UNKNOWN_UNITS, *SHARES):
        return text
    for pattern, word in _SPELLINGS:
        text = re.sub(pattern, word, text)
    return text


def is_unit(text: str) -> bool:
    """Whether a text is a unit of some quantity of a log, or of the numbers of a drive."""
    spelt = spelling(text)
    known = spelt == SI or any(spelt in units for units in UNITS.values())
    return known or spelt in UNKNOWN_UNITS
