"""Time stamps and values of a log: units, order, and values that cannot be right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import LogError
from armdyn.log.columns import Table
from armdyn.log.recognition.patterns import meaning_in
from armdyn.log.recognition.units import COUNTS_PER_TURN, TIMES
from armdyn.log.rows import extremes

# Time stamps: their unit, and their order.

# Stamps beyond this [s] count from 1970. They are shifted to count from the first sample, because a
# double of 1e9 s has no digits left for nanoseconds.
EPOCH = 1e8

# Logs have 5 to 2000 samples a second, so the step [s] tells the unit: steps of 4 are
# milliseconds, of 4000 microseconds. The stamp itself [s] tells it if it counts from 1970:
# the years 1973 to 2286.
STEPS = (5e-4, 0.2)
SINCE_1970 = (1e8, 1e10)


@dataclass(frozen=True)
class Clock:
    """How to read the columns of time.

    Attributes:
        time: name of the column.
        nanosec: name of the column of nanoseconds to add, or None.
        per_second: units of time in a second.
        origin: the stamp that becomes time 0, or None to leave stamps as they are.
        guessed: the unit of time, if nobody says it.
    """

    time: str
    nanosec: str | None
    per_second: float
    origin: float | None
    guessed: str | None = None

    def seconds(self, table: Table) -> Array:
        """Return the time stamps of a table in seconds."""
        stamps = table.columns[self.time].reshape(-1)
        if self.origin is not None:
            stamps = stamps - self.origin
        if self.nanosec is not None:
            return stamps + table.columns[self.nanosec] * TIMES["ns"]
        return stamps if self.per_second == 1.0 else stamps / self.per_second


def clock_of(table: Table, time: str, nanosec: str | None, unit: str | None) -> Clock:
    """Return how to read stamps: in seconds, from the first sample if they count from 1970."""
    for name in (time, nanosec):
        if name in table.text:
            cell, line = table.text[name]
            raise LogError(table.path, f"{name!r} is {cell!r}, not a time in numbers.", line)
    stamps = table.columns[time]
    if stamps.ndim == 2 and stamps.shape[1] != 1:
        raise LogError(table.path, f"{time!r} has {stamps.shape[1]} columns, expected one.")
    there = stamps[np.isfinite(stamps)]
    if not len(there):
        raise LogError(table.path, f"{time!r} has no numbers.")
    first = float(there[0])
    if nanosec is not None:
        return Clock(time, nanosec, 1.0, first)
    meaning = meaning_in(table, time)
    said = unit or (meaning.unit if meaning and meaning.role in ("t", "nanosec") else None)
    unit = said or _guessed(table, time, there)
    if unit not in TIMES:
        raise LogError(
            table.path, f"{time!r} says that time is in {unit!r}, expected s, ms, us or ns. Rename "
            'the column, or say time_unit="s".',
        )  # fmt: skip
    # Divide by 1000, which is exact in binary, unlike 1e-3: so 8 ms give the float of "0.008".
    per_second = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit]
    if first / per_second <= EPOCH:
        return Clock(time, None, per_second, None, None if said else unit)
    table.notes.append(f"time counts from the first sample, at {first / per_second:.3f} s.")
    return Clock(time, None, per_second, first, None if said else unit)


# Time steps between episodes, and between joined logs: longer than any filter reaches.
STEPS_BETWEEN = 100
# Rows that show the time step: fewer than any block has, so that reading in blocks gives the same.
GAP_ROWS = 1000


class EpisodeClock:
    """Puts episodes one after the other: the clock of one that restarts goes on after a gap."""

    def __init__(self) -> None:
        self._number = math.nan
        self._run = 0
        self._shift, self._end = 0.0, -math.inf
        self._gap = math.nan

    def placed(self, t: Array, numbers: Array) -> tuple[Array, NDArray[np.int64]]:
        """Return increasing stamps [s] and the count of episodes before each row.

        Args:
            t: stamps of the following rows of the file [s].
            numbers: the number of the episode of each; NaN for that of the row before.
        """
        begins = self._begins(numbers)
        if math.isnan(self._gap):
            end = next(iter(np.flatnonzero(begins[1:])), len(t)) + 1  # of the first episode
            steps = np.diff(t[:end][:GAP_ROWS])
            steps = steps[np.isfinite(steps) & (steps > 0.0)]
            self._gap = STEPS_BETWEEN * float(np.median(steps)) if len(steps) else 1.0
        starts = np.flatnonzero(begins)
        if not begins[0]:
            starts = np.concatenate(([0], starts))
        there = np.isfinite(t)
        lows = np.minimum.reduceat(np.where(there, t, math.inf), starts).tolist()
        highs = np.maximum.reduceat(np.where(there, t, -math.inf), starts).tolist()
        shifts: list[float] = []
        for start, low, high in zip(starts.tolist(), lows, highs, strict=True):
            if begins[start]:
                self._shift = 0.0 if low > self._end else self._end + self._gap - low
            shifts.append(self._shift)
            self._end = max(self._end, high + self._shift)
        runs = self._run + np.cumsum(begins)
        self._run = int(runs[-1])
        return t + np.repeat(shifts, np.diff(starts, append=len(t))), runs

    def _begins(self, numbers: Array) -> NDArray[np.bool_]:
        """Return which rows have another number than the row before."""
        there = np.concatenate(([self._number], numbers))
        if not np.isfinite(there[1:]).all():
            last = np.maximum.accumulate(np.where(np.isfinite(there), np.arange(len(there)), 0))
            there = there[last]
        self._number = float(there[-1])
        return (there[1:] != there[:-1]) & np.isfinite(there[:-1])


def _guessed(table: Table, time: str, stamps: Array) -> str:
    """Return the unit that makes the stamps plausible for a log."""
    steps = np.diff(stamps)
    steps = steps[steps > 0]
    if not len(steps):
        return "s"
    step, first = float(np.median(steps)), float(stamps[0])
    by_date = [k for k, f in TIMES.items() if SINCE_1970[0] < first * f < SINCE_1970[1]]
    by_step = [k for k, f in TIMES.items() if STEPS[0] <= step * f <= STEPS[1]]
    if step < STEPS[0] or (step < 1.0 and not by_step):
        return "s"
    if not by_date and not by_step:
        raise LogError(
            table.path,
            f"the unit of {time!r} is not clear from its steps of {step:g}; say "
            f'time_unit="s", "ms", "us" or "ns".',
        )
    unit = (by_date if len(by_date) == 1 else by_step or by_date)[0]
    if unit != "s":
        table.notes.append(f"{time!r} is taken as [{unit}], from its steps of {step:g}.")
    return unit


def ordered(table: Table, t: Array, rows: NDArray[np.int64], sort: bool) -> NDArray[np.int64]:
    """Return rows in the order of their stamps, or raise at the first that is not."""
    steps = np.diff(t[rows])
    wrong = np.flatnonzero(~(steps > 0))
    if not len(wrong):
        return rows
    if not sort:
        k = int(wrong[0])
        row, before = int(rows[k + 1]), int(rows[k])
        what = "repeats the stamp of the row before it" if steps[k] == 0 else "goes back in time"
        raise table.error(
            row,
            f"{what}: {float(t[row])!r} s after {float(t[before])!r} s; {len(wrong)} rows are like "
            "this. sort=True puts rows in order and keeps the first of equal stamps.",
        )
    order = rows[np.argsort(t[rows], kind="stable")]
    fresh = np.concatenate(([True], np.diff(t[order]) > 0))
    lost = len(order) - int(fresh.sum())
    table.notes.append(f"rows sorted by time; {lost} with the stamp of another are left out.")
    return order[fresh]


# Values that cannot be right: degrees taken for radians, joints that do not move.

# Joints of arms turn once or twice. Beyond this [rad], one and a half turns each way, the unit is
# uncertain.
MOST_TURNS = 1.5 * math.tau
# One degree [rad].
DEGREE = math.pi / 180

# Degrees beyond two turns are not expected.
MAX_DEGREES = 720.0

# Larger positions cannot be angles, in radians or in degrees: 100 turns.
MAX_POSITION = 36_000.0

# A joint may be measured this far beyond a limit [rad], plus this share of its range.
SLACK = 0.2


def check_angles(table: Table, names: Sequence[str], q: Array, joints: object) -> None:
    """Raise an error if positions can only be degrees, or the unit is unknown.

    `joints` may be an arm, whose limits and prismatic joints are used.
    """
    robot = getattr(joints, "robot", None)
    described = tuple(getattr(robot, "joints", ())) if robot is not None else ()
    for j, name in enumerate(names):
        low, high = float(q[:, j].min()), float(q[:, j].max())
        lower, upper = -math.inf, math.inf
        if len(described) == len(names):
            if getattr(described[j], "kind", "") == "prismatic":
                continue
            lower, upper = float(described[j].lower), float(described[j].upper)
        bounded = math.isfinite(lower) and math.isfinite(upper)
        slack = SLACK + SLACK * (upper - lower) if bounded else 0.0
        far = max(-low, high) > MOST_TURNS
        if bounded:
            far = far or low < lower - slack or high > upper + slack
            if low >= lower - slack and high <= upper + slack:
                continue
        degrees = not bounded or (low * DEGREE >= lower - slack and high * DEGREE <= upper + slack)
        is_whole = bool((q % 1.0 == 0.0).all()) if far else False
        if max(-low, high) > MAX_POSITION:
            steps = "For steps of an encoder say how many make a turn of the joint: "
            fix = f'{steps}units="rev/65536". ' if is_whole else "A number is wrong. "
            raise LogError(
                table.path,
                f"positions of {name} go from {low:.4g} to {high:.4g}: no joint does. {fix}"
                'If they are radians say units="rad".',
            )
        if far and (degrees or max(-low, high) > MOST_TURNS):
            limits = f", its limits are {lower:.4g} to {upper:.4g} rad" if bounded else ""
            is_count = is_whole and 0 <= low and high < COUNTS_PER_TURN
            is_likely = is_count and (not degrees or high > MAX_DEGREES)
            unit, what = ("counts", "steps of servo drives") if is_likely else ("deg", "degrees")
            other = "deg" if is_likely else "counts" if is_count else ""
            other = f', or units="{other}"' if other else ""
            raise LogError(
                table.path,
                f"positions of {name} go from {low:.4g} to {high:.4g}{limits}: are they {what}? "
                f'Say units="{unit}", or units="rad" if they are radians{other}.',
            )
        if bounded:
            table.notes.append(
                f"positions of {name} go from {low:.4g} to {high:.4g}, beyond its limits, "
                f"{lower:.4g} to {upper:.4g}."
            )


def still_joints(names: Sequence[str], q: Array, effort: Array | None) -> list[str]:
    """Return a sentence on joints that never move, and one on efforts that never change."""
    result: list[str] = []
    if len(q) < 2:
        return result
    still = _unchanged(names, q)
    if still:
        result.append(f"positions never change, joints stuck or at rest: {', '.join(still)}.")
    if effort is not None:
        same = _unchanged(names, effort)
        if same:
            result.append(f"efforts never change, they may not be measured: {', '.join(same)}.")
    return result


def _unchanged(names: Sequence[str], columns: Array) -> list[str]:
    low, high = extremes([columns])
    return [name for name, is_same in zip(names, low == high, strict=True) if is_same]
