"""Whether a model is reliable: passed, usable with reservations, or not passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.findings import Answer, Finding
from armdyn.identification.fit.columns import Model
from armdyn.identification.judge.box import Box, Excitation
from armdyn.identification.judge.holdout import Errors
from armdyn.identification.judge.judgement import Measures
from armdyn.log.health import moved, saturated, still_joints
from armdyn.log.log import Log
from armdyn.robot.joint import Joint

# Changes of torques or of errors below this share are not told.
WORTH_TELLING = 0.01

# Elasticity and backlash are told from chance if they lower the errors by this share. Of seed 5150
# of benchmarks/verdicts.py, two false ones lowered them by 2 %, the weakest true one by 6 %.
CLEAR = 0.05

# Errors, and changes of a torque, below this share of its size are as good as none.
NEGLIGIBLE = 1e-3

# Masses of links beyond this factor of the described ones are remarked, unless the link is light.
MASS = 5.0

# Findings that make a model wrong whatever its error is.
REFUSED = ("constant", "sign", "swap", "degrees", "unit", "currents")

# Findings on what changes the torques of gravity, and is not in the model. A load at the tip is: it
# was weighed with the last link.
DISTURBING = ("zero", "spring", "tilt", "scale")


@dataclass(frozen=True)
class Limit:
    """A measure of every joint: its bound for a reservation, its bound for refusal, and words.

    `words` is a format of the joint's `name`, the measure's `value` and the bound `most`. Some
    measures are not `of_joints` but of the whole arm or log.
    """

    measure: str
    reservation: float
    refusal: float
    words: str
    of_joints: bool = True

    def of(self, measures: Measures) -> Array:
        """Return the measure of every joint ``(n,)``; 0 where it is unknown."""
        values = np.nan_to_num(getattr(measures, self.measure), nan=0.0)
        return -values if self.measure == "friction" else values  # friction that drives


# All limits, by measure: those of every joint are relative to the size of its torque.
LIMITS = {limit.measure: limit for limit in (
    Limit("blocked", 0.10, 0.20,
          "{name}: torque error of {value:.0%} on parts of the log that were left out of the fit "
          "(limit {most:.0%})"),
    Limit("delivered", 0.10, 0.20,
          "{name}: torque error of {value:.0%} where it moves (limit {most:.0%})"),
    Limit("held_out", 0.10, 0.20,
          "{name}: held-out torque error of {value:.0%} where it moves (limit {most:.0%})"),
    Limit("spread", 0.10, 0.30,
          "{name}: parts of the log disagree on the torques of other motions by {value:.0%} (limit "
          "{most:.0%})"),
    Limit("bias", 0.06, 0.15,
          "{name}: an effect that the model lacks changes the torque by {value:.0%} (limit "
          "{most:.0%})"),
    Limit("curve", 0.06, 0.30,
          "{name}: a friction curve of another shape changes the torque by {value:.0%} (limit "
          "{most:.0%})"),
    Limit("gain", 0.04, 0.15,
          "{name}: the torque scale contradicts the other joints; the scale that they suggest "
          "changes predictions by {value:.0%} (limit {most:.0%})"),
    # chosen on seeds 12 and 21 of benchmarks/verdicts.py, single scales and faultless logs
    Limit("gain_likely", 0.08, np.inf,
          "{name}: the torque scale is probably wrong; the scale that the description and the "
          "other joints suggest changes predictions by {value:.0%} (limit {most:.0%})"),
    Limit("gain_unknown", 0.12, np.inf,
          "{name}: torque scale not verifiable from these data; a wrong scale may change "
          "predictions by {value:.0%} (limit {most:.0%})"),
    Limit("friction", 0.05, 0.25,
          "{name}: fitted friction is negative (adds energy), {value:.0%} of the torque (limit "
          "{most:.0%})"),
    # at most 1.7 on 40 faultless logs of benchmarks/verdicts.py (seed 31337)
    Limit("friction_times", 4.0, np.inf,
          "{name}: the ratio of friction to torque differs from that of the other joints by a "
          "factor of {value:.2g} (limit {most:g}), and no other joint verifies the torque scale"),
    Limit("expected", np.inf, 0.15,
          "under-exciting motion: the expected torque error on other motions is {value:.0%} (limit "
          "{most:.0%}), largest at {name}. Move all joints farther, faster and independently of "
          "each other, as motions of `armdyn excite` do, or use several logs.", of_joints=False),
    Limit("total", np.inf, 0.25,
          "held-out torque error of {value:.0%} (limit {most:.0%}).", of_joints=False),
    # one standard deviation; described arms are often known to the second one already
    Limit("gravity", 0.05, 0.15, "", of_joints=False),
    Limit("seconds", 1.2, 0.0, "{value:.2g} s of data, expected {most:.2g} s or more.",
          of_joints=False),
    Limit("range", 0.5, 0.0,
          "joints move through {value:.2g} rad (expected {most:.2g} rad or more).",
          of_joints=False),
    Limit("speed", 0.25, 0.0,
          "joints reach {value:.2g} rad/s (expected {most:.2g} rad/s or more), too little to show "
          "inertias.", of_joints=False),
)}  # fmt: skip


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
    reasons = saturated(names, logs, ignored)
    for j, (name, count, moves) in enumerate(zip(names, counts, moved(logs), strict=True)):
        if moves and not count and j not in ignored:
            reasons.append(f"{name}: no samples above the dead band of velocity. Move it faster.")
    most = LIMITS["expected"].refusal
    if excitation.expected_error > most:
        worst = names[int(np.nanargmax(excitation.per_joint))]
        reasons.append(
            LIMITS["expected"].words.format(name=worst, value=excitation.expected_error, most=most)
        )
    most = LIMITS["total"].refusal
    if errors is not None and not errors.total <= most:
        reasons.append(LIMITS["total"].words.format(value=errors.total, most=most))
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
            f"{listed}: the torque was ignored, so friction is unknown, and the links are known "
            "only as far as other joints show them."
        )
    said += _beyond(names, measures, refusal=False)
    said += [
        f"{f.what}."
        for f in findings
        if (f.kind in ("elasticity", "backlash") and f.error_after < (1 - CLEAR) * f.error_before)
        or (f.kind == "unit" and not f.applied and not f.joints)
    ]
    turning = [j for j, joint in enumerate(joints) if joint.is_revolute]
    seen = {"seconds": sum(log.duration for log in logs) / len(joints)}
    if turning:
        seen["range"] = float(np.median((box.upper - box.lower)[turning]))
        seen["speed"] = float(np.median(box.speed[turning]))
    for name, value in seen.items():
        least, times = LIMITS[name].reservation, len(joints) if name == "seconds" else 1
        if value < least:
            said.append(LIMITS[name].words.format(value=times * value, most=times * least))
    return tuple(said)


def gravity_answer(error: Array, findings: Sequence[Finding]) -> Answer:
    """Return the verdict on gravity alone, whatever friction is.

    Args:
        error: standard deviation of every joint's torque of gravity, relative ``(n,)``.
        findings: what explains the data better than the model does.
    """
    worst, limit = float(error.max()), LIMITS["gravity"]
    if worst > limit.refusal or any(f.kind in REFUSED and f.joints for f in findings):
        return "not passed"
    disturbed = any(f.kind in DISTURBING and f.values and not f.applied for f in findings)
    return "usable" if worst > limit.reservation or disturbed else "passed"


def _beyond(names: Sequence[str], measures: Measures, *, refusal: bool) -> Iterator[str]:
    """Yield a sentence for the worst joint of every measure beyond its bound."""
    for limit in _joint_limits():
        values = limit.of(measures)
        j = int(np.argmax(values))
        value = float(values[j])
        most = limit.refusal if refusal else limit.reservation
        if value > most and (refusal or value <= limit.refusal):
            words = limit.words.format(name=names[j], value=value, most=most)
            if "%" in words and measures.size[j] > (1.0 + WORTH_TELLING) * measures.torque[j]:
                words += (
                    f"; relative to {measures.size[j]:.3g} N m or N, a share of the largest "
                    f"joint's torque or of its limit (its rms torque is {measures.torque[j]:.2g})"
                )
            told = {"bias": measures.lacking, "curve": measures.bent}.get(limit.measure)
            yield f"{words}: {told[j]}." if told else f"{words}."


def joint_answers(
    measures: Measures, findings: Sequence[Finding], ignored: Sequence[int]
) -> tuple[Answer, ...]:
    """Return the answer for every joint: its own measures, and findings that speak of it."""
    wrong = {j for f in findings if f.kind in REFUSED for j in f.joints}
    made: list[Answer] = []
    for j in range(len(measures.size)):
        values = [(float(limit.of(measures)[j]), limit) for limit in _joint_limits()]
        if j + 1 in wrong or any(x > limit.refusal for x, limit in values):
            made.append("not passed")
        elif j in ignored or any(x > limit.reservation for x, limit in values):
            made.append("usable")
        else:
            made.append("passed")
    return tuple(made)


def _joint_limits() -> list[Limit]:
    return [limit for limit in LIMITS.values() if limit.of_joints]


# Values that are hard to believe, beside the description.


def remarks(arm: Arm, model: Model, values: Array, parameters: Array, box: Box) -> Iterator[str]:
    """Yield a sentence for every value that is hard to believe.

    Args:
        arm: as described.
        model: the columns.
        values: their delivered values ``(p,)``.
        parameters: delivered natural parameters ``(10n,)``.
        box: the motions.
    """
    described = sum(joint.mass for joint in arm.robot.joints)
    for joint, mass in zip(arm.robot.joints, parameters[: 10 * arm.n : 10].tolist(), strict=True):
        heavy = max(mass, joint.mass) >= CLEAR * described and joint.mass > 0.0
        if heavy and not joint.mass / MASS < mass < joint.mass * MASS:
            yield (
                f"{joint.name}: the fitted mass of its link is {mass:.3g} kg, the described one "
                f"{joint.mass:.3g} kg. Check the unit of the torques, gears and loads."
            )
    for j, joint in enumerate(arm.robot.joints):
        own = [i for i in model.indices("viscous", "coulomb") if model.columns[i].joint == j]
        rates = {"viscous": float(box.speed[j]), "coulomb": 1.0}
        total = sum(float(values[i]) * rates[model.columns[i].kind] for i in own)
        if np.isfinite(joint.effort) and 0.0 < joint.effort < total:
            yield (
                f"{joint.name}: fitted friction reaches {total:.3g}, above the effort limit "
                f"{joint.effort:.3g}."
            )
