"""Judging a delivered model: measures, findings and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.findings import Finding
from armdyn.identification.fit.choice import braking_rows
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.fit import Fitted
from armdyn.identification.fit.gram import Gram
from armdyn.identification.judge import faults, hypotheses, verdict
from armdyn.identification.judge.box import OF_LARGEST, Box, Excitation, box_of
from armdyn.identification.judge.holdout import Errors
from armdyn.identification.judge.judgement import Judgement, Measures, Trial
from armdyn.identification.physical import Solution
from armdyn.identification.signals.torque_scale import TorqueScale
from armdyn.log.log import Log
from armdyn.numerics import ratio
from armdyn.progress import Progress

# The size of a joint's torque is at least this share of its limit of effort: errors of a joint that
# carries nothing are small beside what its drive can do.
OF_EFFORT = 0.05

# Measures that doubt the scale of a joint's torque, the strongest first.
GAIN_MEASURES = ("gain", "gain_likely", "gain_unknown")

# Other joints verify the scale of a torque if its interval stays within this of 1.
VERIFIED_GAIN = 0.5

# What chance explains: this many standard deviations.
CHANCE = 2.0

# A gain is probably wrong this many standard deviations from 1. Chance puts one joint in 80 there,
# so one arm of six joints in 13 (at two deviations it were one in 4).
LIKELY = 2.5


@dataclass(frozen=True, eq=False)
class Judged:
    """A delivered model and its data.

    Attributes:
        found: the fit.
        solution: values of the columns and natural parameters that are delivered.
        logs: the logs of the fit.
        excitation: how well the data determine the model.
        errors: on data held out; None without any.
        ignored: joints (from 0) whose torques do not count, and
        constant: those of them whose torque never changes.
        scale: unit and sign of the torques.
        trial: applies the remedy of a finding.
    """

    found: Fitted
    solution: Solution
    logs: Sequence[Log]
    excitation: Excitation
    errors: Errors | None
    ignored: tuple[int, ...]
    constant: tuple[int, ...]
    scale: TorqueScale
    trial: Trial


def judge(given: Judged, progress: Progress) -> Judgement:
    """Judge a delivered model."""
    found, values, links = given.found, given.solution.values, given.solution.parameters
    model, fit = found.model, found.fit
    box = box_of(found.rows.parts)
    layout = hypotheses.layout_of(found, values, links, box.speed)
    gram = hypotheses.gram_with_effects(found, layout, progress)
    torque = _torques(gram)
    size = _sizes(model.arm, torque)
    tester = hypotheses.EffectTests(found, layout, gram, size, box)
    tests = [t for t in map(tester.test, layout.offered()) if t is not None]
    blocked = tester.relative(tester.folds.plain.squares.sum(axis=0))
    # Physical links have no negative friction; the free fit shows whether the data want it.
    free = _friction_curves(model, fit.values, box) / size
    bias, lacking = _bias([t for t in tests if not t.hypothesis.effect.curve], model)
    curve, bent = _bias([t for t in tests if t.hypothesis.effect.curve], model)
    whole = np.sqrt(np.mean(model.torques(values, tester.rows) ** 2, axis=0)) / size
    gain, likely, unknown, checked = gain_measures(tests, whole)
    friction = np.median(free, axis=0)
    # where the model does not fit, its friction means nothing
    fits = blocked <= verdict.LIMITS["blocked"].refusal
    fits[list(given.ignored)] = False
    odd = np.ones(len(friction))
    if fits.any():
        odd[fits] = odd_friction(friction[fits], checked[fits])
    measures = Measures(
        size, blocked, tester.errors_of(values), _held_out(given.errors, size),
        tester.spread(), bias, lacking, curve, bent, gain, likely, unknown, checked,
        free.min(axis=0), odd, torque,
    )  # fmt: skip
    names, joints = model.arm.joint_names, model.arm.robot.joints
    error = float(np.sqrt(np.mean(blocked**2)))
    constant = faults.constant_findings(given.constant, names, given.logs, error)
    degrees = _all_mended(
        faults.degree_findings(model.arm, box, measures, given.trial), given.trial
    )
    scales = faults.scale_findings(given.scale, names, error, given.trial)
    findings = [*constant, *(degrees or scales)]
    # of positions in degrees, or of currents, no model says more
    if not any(f.kind in ("degrees", "currents") for f in findings):
        causes = faults.exchange_findings(gram, found, measures, friction, model.arm) or [
            *hypotheses.effect_findings(tester, tests, friction),
            *faults.load_findings(found, measures),
        ]
        mended = _all_mended(causes, given.trial)
        swapped = {j for f in mended if f.kind == "swap" for j in f.joints}
        # torques of other joints have other scales
        findings = [f for f in findings if not swapped & {*f.joints}]
        both = [*findings, *mended]
        findings += faults.unverified_scales(names, measures, error, both, ("friction_times",))
        findings += mended
        # a motion that determines little verifies no scale, either
        poor = given.excitation.expected_error > verdict.LIMITS["expected"].refusal
        by = GAIN_MEASURES[:-1] if poor else GAIN_MEASURES
        findings += faults.unverified_scales(names, measures, error, findings, by)
    return Judgement(
        verdict.refusals(names, given.logs, found.counts, given.excitation, given.errors, measures,
                 findings, given.ignored),
        (
            *verdict.reservations(joints, given.logs, box, measures, findings, given.ignored),
            *verdict.remarks(model.arm, model, values, links, box),
        ),
        tuple(findings), box, measures, verdict.joint_answers(measures, findings, given.ignored),
    )  # fmt: skip


def _all_mended(findings: Sequence[Finding], trial: Trial) -> list[Finding]:
    """Return the findings whose remedies help."""
    return [one for one in (_mended(f, trial) for f in findings) if one is not None]


def _mended(finding: Finding, trial: Trial) -> Finding | None:
    """Return a finding with the errors that its remedy leaves; None if it does not help.

    A scale that helps other joints alone is told, but not advised.
    """
    if finding.kind == "load":
        return finding  # it does not speak of errors
    tried = trial(finding)
    before, after = (finding.error_before, finding.error_after) if tried is None else tried.best
    # a sign that friction shows lowers no error
    shown = finding.kind == "sign" and finding.error_after == finding.error_before
    if not after <= (1.0 if shown else 1.0 - hypotheses.SMALL) * before:
        return None
    found = replace(finding, error_before=before, error_after=after)
    if tried is None or tried.own[1] <= tried.own[0]:
        return found
    option = "the drive's torque constant: `armdyn gains`"
    return replace(found, option=option, values=()) if found.kind == "scale" else None


def _torques(gram: Gram) -> Array:
    """Return the rms torque of the rows of every joint ``(n,)``."""
    count = np.maximum(gram.counts.sum(axis=0), 1.0)
    each = enumerate(zip(gram.products, gram.places, strict=True))
    squares = [float(G[:, len(at) + j, len(at) + j].sum()) for j, (G, at) in each]
    return np.sqrt(np.array(squares) / count)


def _sizes(arm: Arm, rms: Array) -> Array:
    effort = np.array([j.effort if np.isfinite(j.effort) else 0.0 for j in arm.robot.joints])
    size = np.maximum(np.maximum(rms, OF_LARGEST * rms.max()), OF_EFFORT * effort)
    return np.where(size > 0.0, size, 1.0)


def _held_out(errors: Errors | None, size: Array) -> Array:
    """Return the errors of joints that move in data held out, whose torques may be larger."""
    if errors is None:
        return np.full(len(size), np.nan)
    return errors.rms / np.maximum(size, ratio(errors.rms, errors.per_joint, 0.0))


def _bias(tests: Sequence[hypotheses.Outcome], model: Model) -> tuple[Array, tuple[str, ...]]:
    """Return the change of torques by what the model lacks, and what that is, joint by joint.

    Several effects may explain the same errors: those that explain a joint's nearly as well as the
    best one count, and of these the one that changes most.
    """
    bias, lacking = np.zeros(model.n), [""] * model.n
    joints = model.arm.robot.joints
    shown = [t for t in tests if t.counts and t.hypothesis.kind != "gain"]
    for j in range(model.n):
        mine = [t for t in shown if float(t.change[j]) > verdict.WORTH_TELLING]
        best = min((t.gain for t in mine), default=0.0)
        near = [t for t in mine if t.gain <= hypotheses.NEARLY * best]
        worst = max(near, key=lambda t: float(t.change[j]), default=None)
        if worst is not None:
            bias[j], lacking[j] = float(worst.change[j]), hypotheses.finding_of(worst, joints).what
    return bias, tuple(lacking)


def gain_measures(
    tests: Sequence[hypotheses.Outcome], whole: Array
) -> tuple[Array, Array, Array, Array]:
    """Return `gain`, `gain_likely`, `gain_unknown` and `gain_checked` of `Measures`.

    `whole` is the torque of every joint on motions in the box, friction included, relative to its
    size. Friction is fitted to the same torque, so it hides a wrong scale, and has it.
    """
    gain, likely, unknown = np.zeros((3, len(whole)))
    checked = np.full(len(whole), np.inf)
    for tested in tests:
        if tested.hypothesis.kind != "gain":
            continue
        j, c = tested.hypothesis.joint, abs(float(tested.coefficients[0]))
        scale = 1.0 + float(tested.coefficients[0])
        # the far end of its interval; predictions change in proportion to the gain
        checked[j] = c + CHANCE * float(tested.deviations[0])
        unknown[j] = tested.change[j] * checked[j] / max(c, 1e-12)
        low, high = hypotheses.SCALES
        if c > LIKELY * float(tested.deviations[0]) and low < scale < high:
            likely[j] = abs(1.0 / scale - 1.0) * whole[j]
        if tested.counts:
            gain[j] = tested.change[j]
    return gain, likely, unknown, checked


def odd_friction(friction: Array, checked: Array) -> Array:
    """Return how many times the friction of a joint, relative to its torque, is that of the others.

    It is the inverse of a small number, and 1 where other joints verify the scale of the torque.
    """
    usual = float(np.median(friction))
    times = np.abs(ratio(friction, usual, 1.0)) if usual > 0.0 else np.ones(len(friction))
    times = np.maximum(times, ratio(1.0, times, 1.0))
    return np.where(checked < VERIFIED_GAIN, 1.0, times)


def _friction_curves(model: Model, values: Array, box: Box) -> Array:
    """Return friction against the motion over the speeds seen, ``(speeds, n)``; 0 if not fitted."""
    share = np.linspace(0.1, 1.0, 19)
    rows = (braking_rows(model, j, share * v) for j, v in enumerate(box.speed.tolist()))
    return np.stack([of_joint @ values for of_joint in rows], axis=1)
