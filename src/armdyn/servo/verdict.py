"""The verdict on a model of servo errors: for every joint, and what explains a log better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.findings import Answer, Finding
from armdyn.numerics import ratio
from armdyn.servo.alternatives import DECISIVE, WANDERS, Reading
from armdyn.servo.model import Model
from armdyn.servo.rows import Flags, Rows
from armdyn.servo.solve import SYSTEMATIC, Solution, solve

# The numbers of this module were set on logs of class A of `benchmarks/servo.py`; B and C of it
# are the check.

# Largest measure of a joint that passes, and of one that is usable.
PASSED, USABLE = 0.15, 0.35

# Standard deviations of a droop that must be below these limits.
DEVIATIONS = 2.5

# Share of the time that is held out, and of the worst rows there that are left out: single jumps of
# stiction.
HELD_OUT, TRIMMED = 0.3, 0.05

# A joint with fewer rows cannot be judged.
FEWEST = 15

# A joint carries weight if its described droop at test poses is larger: two counts of a 12-bit
# encoder [rad].
CARRIES = float(np.deg2rad(0.15))

# Where servo errors of all joints wander, or carry no gravity, another reading must make a row more
# likely by this [nats]: a right one gains 0.09 and more, a wrong one 0.02.
READING_GAIN = 0.05

# Gravity that makes a row less than this more likely [nats] is not in the servo error.
LITTLE_GRAVITY = 0.08


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a verdict is about.

    Attributes:
        loaded: joints that carry weight ``(n,)``.
        rows: number of rows of every joint ``(n,)``.
        size: root mean square of the gravity part of droops at test poses ``(n,)`` [rad].
        deviation: standard deviation of droops there, relative ``(n,)``.
        held_out: residual on rows held out, relative to `size` ``(n,)``.
        readings: other meanings of the columns, the most likely first.
        integral: gain [nats] and time [s] of an I term.
        weightless: gain [nats] per row if servo errors carry no gravity.
        wandering: share of residuals that neighbours in time predict ``(n,)``.
    """

    loaded: Flags
    rows: Array
    size: Array
    deviation: Array
    held_out: Array
    readings: tuple[Reading, ...]
    integral: tuple[float, float]
    weightless: float
    wandering: Array

    @property
    def measure(self) -> Array:
        """The number that decides on each joint ``(n,)``: the larger of two errors."""
        bars = DEVIATIONS * np.hypot(self.deviation, SYSTEMATIC)
        return np.maximum(self.held_out, bars)


def held_out_rows(rows: Rows) -> Flags:
    """Return which rows are held out: the last episodes, or the last part of a single one.

    Rows with a known mass are not held out.
    """
    plain = ~rows.hung
    episodes = np.unique(rows.episode[plain])
    if len(episodes) > 1:
        count = max(round(HELD_OUT * len(episodes)), 1)
        return plain & (rows.episode >= episodes[-count])
    return plain & (rows.time > np.quantile(rows.time[plain], 1.0 - HELD_OUT))


def held_out_errors(model: Model, solution: Solution, size: Array) -> tuple[Array, Array]:
    """Return trimmed residuals on rows held out, relative to `size`, ``(n,)``.

    Also returns the parameters that are fitted to the other rows ``(p,)``.
    """
    test = held_out_rows(model.rows)
    fitted = solve(model.part(~test), solution.x, polish=False)
    part = model.part(test)
    r = np.abs(part.residuals(fitted.x))
    errors = np.full(model.layout.n, np.inf)
    for j in range(model.layout.n):
        mine = np.sort(r[part.rows.joint == j])
        mine = mine[: len(mine) - int(TRIMMED * len(mine))]
        if len(mine) >= FEWEST // 3:
            errors[j] = np.sqrt(np.mean(mine**2))
    return ratio(errors, size, np.inf), fitted.x


def findings_of(arm: Arm, evidence: Evidence) -> tuple[Finding, ...]:
    """Return what explains the log better than the model, the most likely first."""
    names = arm.joint_names
    error = float(np.max(evidence.held_out[evidence.loaded], initial=0.0))
    made = list[tuple[float, Finding]]()
    best = evidence.readings[0] if evidence.readings else None
    wanders = (evidence.wandering > WANDERS) & (evidence.held_out > PASSED) & evidence.loaded
    all_wander = wanders.sum() == evidence.loaded.sum()
    weightless = evidence.weightless > -LITTLE_GRAVITY
    least = DECISIVE
    if all_wander or weightless:
        least = max(least, READING_GAIN * float(evidence.rows[evidence.loaded].sum()))
    if best is not None and best.gain > least:
        flipped = [names[j] for j in best.flipped]
        sign = f"--flip {','.join(flipped)}" if flipped else ""
        turned = f"positions of {', '.join(flipped)} have the opposite sign" if flipped else ""
        if not best.moved:
            numbers = tuple(j + 1 for j in best.flipped)
            made.append((best.gain, Finding("sign", turned, error, error, sign, numbers,
                                            (best.gain,))))  # fmt: skip
        else:
            held = ", ".join(f"{names[j]} is in the column of {names[best.source[j]]}"
                             for j in best.moved)  # fmt: skip
            what = f"{held}; {turned}" if turned else held
            option = f"--order {','.join(names[j] for j in best.source)} {sign}".strip()
            numbers = tuple(j + 1 for j in best.moved)
            values = (best.gain, *(column + 1.0 for column in best.source),
                      *(j + 1.0 for j in best.flipped))  # fmt: skip
            made.append((best.gain, Finding("order", what, error, error, option, numbers, values)))
    gain, time = evidence.integral
    if gain > DECISIVE:
        what = f"the servos have an integral term of about {time:g} s, which removes gravity"
        option = "record with the I gain at 0"
        made.append((gain, Finding("integral", what, error, error, option, (), (gain, time))))
    elif weightless and not all_wander:
        what = "servo errors carry no gravity: it is fed forward, or an integral term removes it"
        option = "record without feed-forward and with the I gain at 0"
        made.append((0.0, Finding("integral", what, error, error, option)))
    ranked = [finding for _, finding in sorted(made, key=lambda pair: -pair[0])]
    if wanders.any() and not ranked:
        share = float(evidence.wandering[wanders].max())
        which: list[int] = np.flatnonzero(wanders).tolist()
        what = (
            f"the command of {', '.join(names[j] for j in which)} wanders against its servo: it "
            "is not the goal that the servo received"
        )
        numbers = tuple(j + 1 for j in which)
        option = "record the goals that the servos received"
        ranked.append(Finding("command", what, error, error, option, numbers, (share,)))
    return tuple(ranked)


def answers(evidence: Evidence, findings: tuple[Finding, ...]) -> tuple[Answer, ...]:
    """Return the verdict on every joint."""
    made = list[Answer]()
    for loaded, measure, rows in zip(
        evidence.loaded.tolist(), evidence.measure.tolist(), evidence.rows.tolist(), strict=True
    ):
        if findings or rows < FEWEST:
            made.append("not passed")
        elif not loaded:
            made.append("usable")
        else:
            within = "passed" if measure < PASSED else "usable"
            made.append(within if measure < USABLE else "not passed")
    return tuple(made)


def why(evidence: Evidence, joint: int) -> str:
    """Return in words what limits a joint."""
    rows, out = int(evidence.rows[joint]), float(evidence.held_out[joint])
    bar = float(evidence.deviation[joint])
    if rows < FEWEST:
        return f"{rows} rows off the stops, {FEWEST} are needed"
    if not evidence.loaded[joint]:
        return "carries no gravity: friction and lag only"
    if max(out, DEVIATIONS * bar) < PASSED:
        return ""
    if out > DEVIATIONS * bar:
        return f"residual on data held out {out:.0%} of gravity"
    return f"standard deviation {bar:.0%} of gravity: too little motion off the stops"
