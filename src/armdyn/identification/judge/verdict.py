"""Whether a model is reliable: passed, usable with reservations, or not passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.judge.box import Box
from armdyn.identification.judge.excitation import Excitation
from armdyn.identification.judge.holdout import Errors
from armdyn.identification.judge.judgement import Finding, Measures
from armdyn.log.log import Log
from armdyn.log.rows import blocks, extremes
from armdyn.robot.joint import Joint

# Largest expected error of torques on other motions, and largest error on data held out.
EXPECTED_ERROR = 0.15
TORQUE_ERROR = 0.25

# A joint with a smaller range [rad or m] is at rest. A torque that varies less, relative to its
# size, is constant.
RESTING = 1e-3
CONSTANT = 1e-9

# A torque that stands at its extreme value in more than this share of the samples is cut off.
SATURATED = 0.005

# This share of the range is near the extreme value. A torque that is cut off is at that value in at
# least this share of the samples near it.
EXTREME = 0.05
CROWDED = 0.5

# A torque in steps stands at the extreme one less than this many times as often as at the next.
STEPS = 4.0

# Shorter logs [s a joint], smaller ranges [rad] and lower speeds [rad/s] than these show little.
SHORT = 1.2
NARROW = 0.5
SLOW = 0.25


BARELY = 1.01
"""Errors of a joint are told to be relative to another torque than its own from this factor on."""

REFUSED = ("sign", "swap", "degrees", "unit")
"""Findings that make a model wrong whatever its error is."""


@dataclass(frozen=True)
class Limit:
    """A measure of every joint: its bound for a reservation, its bound for refusal, and words.

    `words` contains {name} for the joint, {value} for the measure and {most} for the bound.
    """

    measure: str
    reservation: float
    refusal: float
    words: str


LIMITS = (
    Limit("blocked", 0.10, 0.20,
          "torques of {name} are wrong by {value} on parts of the log that were left out of the "
          "fit (at most {most})"),
    Limit("delivered", 0.10, 0.20,
          "torques of {name} are wrong by {value} where it moves (at most {most})"),
    Limit("held_out", 0.10, 0.20,
          "torques of {name} are wrong by {value} on data held out, where it moves (at most "
          "{most})"),
    Limit("spread", 0.10, 0.30,
          "torques of {name} on other motions are open by {value} (at most {most}): parts of the "
          "log disagree"),
    Limit("bias", 0.06, 0.15,
          "the model lacks something that changes torques of {name} by {value} (at most {most})"),
    Limit("curve", 0.06, 0.30,
          "friction of {name} has another curve, which changes its torques by {value} (at most "
          "{most})"),
    Limit("gain", 0.04, 0.15,
          "the scale of the torque of {name} disagrees with the other joints: with another one its "
          "predictions change by {value} (at most {most})"),
    Limit("gain_unknown", 0.12, np.inf,
          "the data do not check the scale of the torque of {name}: it may change predictions by "
          "{value} (at most {most})"),
)  # fmt: skip
"""Measures of every joint, relative to the size of its torque."""

FRICTION = Limit("friction", -0.05, -0.25,
                 "friction of {name} drives it: {value} of its torque")  # fmt: skip


def refusals(
    names: Sequence[str],
    logs: Sequence[Log],
    counts: Sequence[int],
    excitation: Excitation,
    errors: Errors | None,
    measures: Measures,
    findings: Sequence[Finding],
    ignored: Sequence[int] = (),
) -> tuple[str, ...]:
    """Return the reasons against relying on the result, a sentence each."""
    reasons = [*constant_torques(names, logs, ignored), *saturated(names, logs, ignored)]
    for j, (name, count, moves) in enumerate(zip(names, counts, moved(logs), strict=True)):
        if moves and not count and j not in ignored:
            reasons.append(
                f"{name} has no samples above the dead band of velocity; move it faster."
            )
    if excitation.expected_error > EXPECTED_ERROR:
        worst = names[int(np.nanargmax(excitation.per_joint))]
        reasons.append(
            "the motion is under-exciting: on other motions within its ranges torques are expected "
            f"to be wrong by {excitation.expected_error:.0%} (at most {EXPECTED_ERROR:.0%}), of "
            f"{worst} most. Move all joints through more of their ranges, faster and not "
            "together; `armdyn excite` makes such a motion. Or use several logs."
        )
    if errors is not None and not errors.total <= TORQUE_ERROR:
        reasons.append(
            f"on data not used for the fit torques are wrong by {errors.total:.0%} "
            f"(at most {TORQUE_ERROR:.0%})."
        )
    wrong = [f for f in findings if f.kind in REFUSED and (f.joints or f.kind == "degrees")]
    reasons = [*(f"{f.what}; this mends it: {f.option}." for f in wrong), *reasons]
    return (*reasons, *_beyond(names, measures, refusal=True))


def reservations(
    joints: Sequence[Joint],
    logs: Sequence[Log],
    box: Box,
    measures: Measures,
    findings: Sequence[Finding],
    ignored: Sequence[int] = (),
) -> tuple[str, ...]:
    """Return the weaknesses of a result that may be used, a sentence each."""
    names = [joint.name for joint in joints]
    said = still_joints(names, logs)
    if ignored:
        listed = ", ".join(names[j] for j in ignored)
        said.append(
            f"the torque of {listed} was ignored: friction there is unknown, and the links are "
            "known only as far as other joints show them."
        )
    said += _beyond(names, measures, refusal=False)
    said += [f"{f.what}." for f in findings if f.kind in ("load", "elasticity")]
    time = sum(log.duration for log in logs)
    if time < SHORT * len(joints):
        said.append(f"{time:.2g} s of data are little (at least {SHORT * len(joints):.2g} s).")
    turning = [j for j, joint in enumerate(joints) if joint.is_revolute]
    if turning:
        width = float(np.median((box.upper - box.lower)[turning]))
        if width < NARROW:
            said.append(f"joints move through {width:.2g} rad only (at least {NARROW:g} rad).")
        speed = float(np.median(box.speed[turning]))
        if speed < SLOW:
            said.append(
                f"joints reach {speed:.2g} rad/s only (at least {SLOW:g} rad/s): inertias hardly "
                "show."
            )
    return tuple(said)


def _beyond(names: Sequence[str], measures: Measures, *, refusal: bool) -> Iterator[str]:
    """Yield a sentence for the worst joint of every measure beyond its bound."""
    for limit in LIMITS:
        values = np.nan_to_num(getattr(measures, limit.measure), nan=0.0)
        j = int(np.argmax(values))
        value = float(values[j])
        most = limit.refusal if refusal else limit.reservation
        if value > most and (refusal or value <= limit.refusal):
            words = limit.words.format(name=names[j], value=f"{value:.0%}", most=f"{most:.0%}")
            if measures.size[j] > BARELY * measures.torque[j]:
                words += (
                    f" (of {measures.size[j]:.3g} N m or N, a share of the largest joint's torque "
                    f"or of its own limit: it has {measures.torque[j]:.2g} itself)"
                )
            told = {"bias": measures.lacking, "curve": measures.bent}.get(limit.measure)
            yield f"{words}: {told[j]}." if told else f"{words}."
    j = int(np.argmin(measures.friction))
    value = float(measures.friction[j])
    least = FRICTION.refusal if refusal else FRICTION.reservation
    if value < least and (refusal or value >= FRICTION.refusal):
        yield FRICTION.words.format(name=names[j], value=f"{value:.0%}") + "."


def saturated(names: Sequence[str], logs: Sequence[Log], ignored: Sequence[int] = ()) -> list[str]:
    """Return a sentence for every joint whose torque often stands at its extreme value.

    A torque of few steps also stands there often, but as often a little below.
    """
    taus = [log.tau for log in logs if log.tau is not None]
    low, high = extremes(taus)
    near, n = EXTREME * (high - low), len(low)
    at, beside, count = np.zeros((2, n)), np.zeros((2, n)), 0
    second = np.stack([np.full(n, np.inf), np.full(n, -np.inf)])
    for rows in _chunks(taus):
        at += (rows == low).sum(axis=0), (rows == high).sum(axis=0)
        beside += (rows <= low + near).sum(axis=0), (rows >= high - near).sum(axis=0)
        second[0] = np.minimum(second[0], np.where(rows > low, rows, np.inf).min(axis=0))
        second[1] = np.maximum(second[1], np.where(rows < high, rows, -np.inf).max(axis=0))
        count += len(rows)
    step = np.zeros((2, n))
    for rows in _chunks(taus):
        step += (rows == second[0]).sum(axis=0), (rows == second[1]).sum(axis=0)
    cut = (at > CROWDED * beside) & (at > STEPS * step)
    share = np.max(np.where(cut, at, 0.0), axis=0) / max(count, 1)
    return [
        f"the torque of {name} stands at its extreme value in {x:.1%} of the samples: it is cut "
        "off. Leave these motions out, or make them slower."
        for j, (name, x, width) in enumerate(zip(names, share.tolist(), high - low, strict=True))
        if x > SATURATED and width > 0.0 and j not in ignored
    ]


def _chunks(columns: Sequence[Array]) -> Iterator[Array]:
    """Yield the rows of columns in memory or in files, some at a time."""
    for column in columns:
        for a, b in blocks(len(column)):
            yield column[a:b]


def still_joints(names: Sequence[str], logs: Sequence[Log]) -> list[str]:
    """Return a sentence for every joint that never moves."""
    low, high = extremes([log.q for log in logs])
    return [
        f"{name} never moves (its range is {width:.2g}): its friction, and what only its motion "
        "shows, cannot be known."
        for name, width in zip(names, (high - low).tolist(), strict=True)
        if width < RESTING
    ]


def moved(logs: Sequence[Log]) -> list[bool]:
    """Return which joints move at all."""
    low, high = extremes([log.q for log in logs])
    return [bool(width >= RESTING) for width in high - low]


def constant_torques(
    names: Sequence[str], logs: Sequence[Log], ignored: Sequence[int] = ()
) -> list[str]:
    """Return a sentence for every joint whose torque never changes."""
    low, high = extremes([log.tau for log in logs if log.tau is not None])
    size = np.maximum(-low, high)
    return [
        f"the torque of {name} is constant ({float(low[j]):.3g}): it was not measured, or the "
        "column is the wrong one."
        for j, name in enumerate(names)
        if high[j] - low[j] <= CONSTANT * float(size[j]) and j not in ignored
    ]
