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

    `words` contains {name} for the joint, {value} for the measure and {most} for the bound. Some
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
    # chosen on seeds 12 and 21 of benchmarks/verdicts.py, single scales and faultless logs
    Limit("gain_likely", 0.08, np.inf,
          "the scale of the torque of {name} is probably wrong: with that which the description "
          "and the other joints suggest its torques, friction included, change by {value} (at most "
          "{most})"),
    Limit("gain_unknown", 0.12, np.inf,
          "the data do not check the scale of the torque of {name}: it may change predictions by "
          "{value} (at most {most})"),
    Limit("friction", 0.05, 0.25, "friction of {name} drives it: {value} of its torque"),
    # at most 1.7 on 40 faultless logs of benchmarks/verdicts.py (seed 31337)
    Limit("friction_times", 4.0, np.inf,
          "friction of {name}, relative to its torque, is {value} of that of the other joints, or "
          "the inverse, and the data do not check the scale of its torque"),
    Limit("expected", np.inf, 0.15,
          "the motion is under-exciting: on other motions within its ranges torques are expected "
          "to be wrong by {value} (at most {most}), of {name} most. Move all joints through more "
          "of their ranges, faster and not together; `armdyn excite` makes such a motion. Or use "
          "several logs.", of_joints=False),
    Limit("total", np.inf, 0.25,
          "on data not used for the fit torques are wrong by {value} (at most {most}).",
          of_joints=False),
    # one standard deviation; described arms are often known to the second one already
    Limit("gravity", 0.05, 0.15, "", of_joints=False),
    Limit("seconds", 1.2, 0.0, "{value} s of data are little (at least {most} s).",
          of_joints=False),
    Limit("range", 0.5, 0.0, "joints move through {value} rad only (at least {most} rad).",
          of_joints=False),
    Limit("speed", 0.25, 0.0,
          "joints reach {value} rad/s only (at least {most} rad/s): inertias hardly show.",
          of_joints=False),
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
            reasons.append(
                f"{name} has no samples above the dead band of velocity; move it faster."
            )
    most = LIMITS["expected"].refusal
    if excitation.expected_error > most:
        worst = names[int(np.nanargmax(excitation.per_joint))]
        reasons.append(
            LIMITS["expected"].words.format(
                name=worst, value=f"{excitation.expected_error:.0%}", most=f"{most:.0%}"
            )
        )
    most = LIMITS["total"].refusal
    if errors is not None and not errors.total <= most:
        reasons.append(
            LIMITS["total"].words.format(value=f"{errors.total:.0%}", most=f"{most:.0%}")
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
            words = LIMITS[name].words
            said.append(words.format(value=f"{times * value:.2g}", most=f"{times * least:.2g}"))
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
            words = limit.words.format(name=names[j], value=f"{value:.0%}", most=f"{most:.0%}")
            if measures.size[j] > (1.0 + WORTH_TELLING) * measures.torque[j]:
                words += (
                    f" (of {measures.size[j]:.3g} N m or N, a share of the largest joint's torque "
                    f"or of its own limit: it has {measures.torque[j]:.2g} itself)"
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
                f"the link of {joint.name} has a mass of {mass:.3g} kg, described are "
                f"{joint.mass:.3g} kg: are the torques in N m at the joints, and is there a load?"
            )
    for j, joint in enumerate(arm.robot.joints):
        own = [i for i in model.indices("viscous", "coulomb") if model.columns[i].joint == j]
        rates = {"viscous": float(box.speed[j]), "coulomb": 1.0}
        total = sum(float(values[i]) * rates[model.columns[i].kind] for i in own)
        if np.isfinite(joint.effort) and 0.0 < joint.effort < total:
            yield (
                f"friction of {joint.name} reaches {total:.3g}, more than its limit of effort, "
                f"{joint.effort:.3g}."
            )
