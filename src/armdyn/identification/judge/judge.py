"""Judging a delivered model: measures, findings and the answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.fit import Fitted
from armdyn.identification.fit.regression import Fit
from armdyn.identification.fit.segments import Rows
from armdyn.identification.judge.box import Box, box_of
from armdyn.identification.judge.excitation import Excitation
from armdyn.identification.judge.holdout import Errors, Series
from armdyn.identification.judge.hypotheses.exchange import Exchange, candidates, errors_with
from armdyn.identification.judge.hypotheses.findings import believable, exchanged, finding_of
from armdyn.identification.judge.hypotheses.load import tip_load
from armdyn.identification.judge.hypotheses.refits import NEGLIGIBLE, Refits
from armdyn.identification.judge.hypotheses.terms import Terms
from armdyn.identification.judge.hypotheses.tests import (
    FEWEST_BLOCKS,
    MUCH,
    Tested,
    Tester,
    hypotheses,
)
from armdyn.identification.judge.hypotheses.time_blocks import BLOCKS, TimeBlocks, time_blocks
from armdyn.identification.judge.hypotheses.units import position_unit
from armdyn.identification.judge.judgement import Finding, Judgement, Measures
from armdyn.identification.judge.plausible import remarks
from armdyn.identification.judge.verdict import refusals, reservations
from armdyn.log.log import Log

# The size of a joint's torque is at least these shares of the largest joint's, and of its limit.
OF_LARGEST = 0.1
OF_EFFORT = 0.05

# A row of data held out counts where a joint is faster than this share of its highest speed.
MOVING = 0.02

# Findings: at most so many, each of which changes torques in the box by this share.
MOST_FINDINGS = 3
WORTH_TELLING = 0.01

# Exchanged torques: the mean logarithm of the errors falls by so much, the model is this wrong, and
# the error of one of the exchanged joints falls to this share.
EXCHANGE_GAIN = -0.07
EXCHANGE_ERROR = 0.10

OWN = 0.5
NO_WORSE = 0.02

# Friction above this share of a joint's torque has a clear sign.
CLEAR_SIGN = 0.02

# Of hypotheses that are nearly as good as the best, to this share, the one of fewest terms is told.
NEARLY = 0.8


# Hypotheses on the curve of friction over speed and load.
CURVES = ("root", "stribeck", "load", "speed")


def judge(
    rows: Rows,
    found: Fitted,
    values: Array,
    parameters: Array,
    logs: Sequence[Log],
    test: Sequence[Series],
    dead_band: Array,
    excitation: Excitation,
    errors: Errors | None,
) -> Judgement:
    """Judge a delivered model.

    Args:
        rows: of the fit.
        found: the fit.
        values: of the columns of the delivered model ``(p,)``.
        parameters: natural parameters of its links ``(10n,)``.
        logs: the logs of the fit.
        test: torques of data held out.
        dead_band: rows slower than this do not count ``(n,)``.
        excitation: how well the data determine the model.
        errors: on data held out; None without any.
    """
    model, fit = rows.model, found.fit
    box = box_of(rows.parts)
    terms = Terms(model, values, parameters, box.speed)
    data = time_blocks(rows, found, terms)
    size = _sizes(model.arm, data)
    refits = Refits(data, fit, size)
    tester = Tester(refits, terms, box)
    tests = [t for t in map(tester.tested, hypotheses(terms)) if t is not None]
    blocked = refits.relative(refits.plain.squares.sum(axis=0))
    # Physical links have no negative friction; the free fit shows whether the data want it.
    free = _friction_curves(model, fit.values, box) / size
    bias, lacking = _bias([t for t in tests if t.hypothesis.kind not in CURVES], model)
    curve, bent = _bias([t for t in tests if t.hypothesis.kind in CURVES], model)
    gain, unknown, checked = _gains(tests, model.n)
    measures = Measures(
        size, blocked, refits.relative(refits.squares(values)), _held_out(test, dead_band, size),
        _spread(tester), bias, lacking, curve, bent, gain, unknown, checked, free.min(axis=0),
    )  # fmt: skip
    friction = np.median(free, axis=0)
    findings = (
        _units(rows, measures)
        or _exchanges(data, fit, measures, friction, model.arm)
        or [*_findings(tester, tests, model.arm, friction), *_load(model, fit, measures)]
    )
    joints = model.arm.robot.joints
    names = model.arm.joint_names
    return Judgement(
        refusals(names, logs, found.counts, excitation, errors, measures, findings),
        (
            *reservations(joints, logs, box, measures, findings),
            *remarks(model.arm, model, values, parameters, fit.prior.mean, box),
        ),
        tuple(findings), box, measures,
    )  # fmt: skip


def _sizes(arm: Arm, data: TimeBlocks) -> Array:
    n, count = data.n, np.maximum(data.counts.sum(axis=0), 1.0)
    squares = [sum(one[j][j - n, j - n] for one in data.grams) for j in range(n)]
    rms = np.sqrt(np.array(squares) / count)
    effort = np.array([j.effort if np.isfinite(j.effort) else 0.0 for j in arm.robot.joints])
    size = np.maximum(np.maximum(rms, OF_LARGEST * rms.max()), OF_EFFORT * effort)
    return np.where(size > 0.0, size, 1.0)


def _held_out(test: Sequence[Series], dead_band: Array, size: Array) -> Array:
    if not test:
        return np.full(len(size), np.nan)
    wrong = np.concatenate([s.residual for s in test])
    speed = np.abs(np.concatenate([s.velocity for s in test]))
    moving = (speed > dead_band) & (speed > MOVING * speed.max(axis=0))
    square = np.sum(np.where(moving, wrong, 0.0) ** 2, axis=0)
    count = moving.sum(axis=0)
    return np.where(count > 0, np.sqrt(square / np.maximum(count, 1)) / size, np.nan)


def _spread(tester: Tester) -> Array:
    each = np.array([tester.predicted(values) for values in tester.refits.plain.folds])
    square = np.sum((each - each.mean(axis=0)) ** 2, axis=0) * (BLOCKS - 1.0) / BLOCKS
    return np.sqrt(np.mean(square, axis=0)) / tester.refits.size


def _bias(tests: Sequence[Tested], model: Model) -> tuple[Array, tuple[str, ...]]:
    bias, lacking = np.zeros(model.n), [""] * model.n
    joints = model.arm.robot.joints
    for tested in tests:
        if tested.hypothesis.kind == "gain" or not tested.counts:
            continue
        words = finding_of(tested, joints).what
        for j, change in enumerate(tested.change.tolist()):
            if change > bias[j]:
                bias[j], lacking[j] = change, words
    return bias, tuple(lacking)


def _gains(tests: Sequence[Tested], n: int) -> tuple[Array, Array, Array]:
    gain, unknown, checked = np.zeros(n), np.zeros(n), np.full(n, np.inf)
    for tested in tests:
        if tested.hypothesis.kind != "gain":
            continue
        j, c = tested.hypothesis.joint, abs(float(tested.coefficients[0]))
        # the far end of its interval; predictions change in proportion to the gain
        checked[j] = c + 2.0 * float(tested.deviations[0])
        unknown[j] = tested.change[j] * checked[j] / max(c, 1e-12)
        if tested.counts:
            gain[j] = tested.change[j]
    return gain, unknown, checked


def _friction_curves(model: Model, values: Array, box: Box) -> Array:
    """Return friction against the motion over the speeds seen, ``(speeds, n)``; 0 if not fitted."""
    share = np.linspace(0.1, 1.0, 19)
    curves = np.zeros((len(share), model.n))
    for j in range(model.n):
        own = [
            i for i in map(int, model.active[j])
            if i >= model.k and model.columns[i].kind not in ("extra", "offset")
        ]  # fmt: skip
        if own:
            speeds = share * box.speed[j]
            low, high = (_friction(model, values, own, j, sign * speeds) for sign in (-1.0, 1.0))
            curves[:, j] = 0.5 * (high - low)
    return curves


def _friction(model: Model, values: Array, own: Sequence[int], j: int, speeds: Array) -> Array:
    rest = np.zeros((len(speeds), model.n))
    moving = rest.copy()
    moving[:, j] = speeds
    part = model.rows(rest, moving, rest)[:, model.part(j)]
    at = np.searchsorted(model.active[j], own)
    chosen: Array = values[np.array(own, dtype=np.int64)]
    return part[:, at] @ chosen


def _units(rows: Rows, measures: Measures) -> list[Finding]:
    """Return positions in degrees, if they explain the data better."""
    if measures.blocked.max() < EXCHANGE_ERROR:
        return []
    factor, before, after = position_unit(rows.model, rows.parts)
    if factor == 1.0:
        return []
    words = "positions are in degrees, not in radians"
    if factor > 1.0:
        words = "positions are in radians already, but were converted from degrees"
    option = "--units deg" if factor < 1.0 else "no --units deg"
    return [Finding("degrees", words, before, after, option)]


def _load(model: Model, fit: Fit, measures: Measures) -> list[Finding]:
    """Return the load that the last link seems to carry, if there is one."""
    load = tip_load(model, fit)
    if load is None:
        return []
    error = float(np.sqrt(np.mean(measures.blocked**2)))
    words = (
        f"the last link is {load.mass:.2g} +- {load.deviation:.1g} kg heavier than described: the "
        "arm holds a load, or a tool that nobody described"
    )
    option = "`armdyn payload`, or a robot file with the load"
    return [Finding("load", words, error, error, option, (model.n,))]


def _exchanges(
    data: TimeBlocks, fit: Fit, measures: Measures, friction: Array, arm: Arm
) -> list[Finding]:
    """Return torques of the wrong sign or joint, if they explain the data better.

    Friction against the motion, `friction` ``(n,)``, has the sign of the torques.
    """
    if measures.blocked.max() < EXCHANGE_ERROR and friction.min() > -CLEAR_SIGN:
        return []
    n, size = data.n, measures.size
    floor = (NEGLIGIBLE * size) ** 2 * np.maximum(data.counts, 1.0)
    plain = errors_with(data, fit, size, Exchange(tuple(range(n)), (1.0,) * n)) + floor
    best: tuple[float, Exchange] | None = None
    for what in candidates(n):
        turned = friction[list(what.flipped)]
        if (turned > CLEAR_SIGN).any():
            continue
        # Torques whose friction has the wrong sign need no better fit, only one that is no worse.
        against = bool(len(turned)) and bool((turned < -CLEAR_SIGN).all())
        if not against and measures.blocked.max() < EXCHANGE_ERROR:
            continue
        errors = errors_with(data, fit, size, what) + floor
        ratio: Array = errors.sum(axis=0) / plain.sum(axis=0)
        per_block: Array = np.log(errors / plain).sum(axis=1)
        gain = 0.5 * float(np.mean(np.log(ratio)))
        own = float(np.sqrt(ratio[[*what.flipped, *what.swapped]].min()))
        good = gain < EXCHANGE_GAIN and int(np.sum(per_block < 0.0)) >= FEWEST_BLOCKS and own < OWN
        if (good or (against and gain < NO_WORSE)) and (best is None or gain < best[0]):
            best = gain, what
    if best is None:
        return []
    before = float(np.sqrt(np.mean(measures.blocked**2)))
    after = min(before, before * float(np.exp(best[0])))
    return [exchanged(best[1], before, after, arm.robot.joints)]


def _findings(tester: Tester, tests: Sequence[Tested], arm: Arm, friction: Array) -> list[Finding]:
    """Return the best hypothesis, then the best beside it, and so on, that halves agree on."""
    found: list[Finding] = []
    braking: list[bool] = (friction > CLEAR_SIGN).tolist()
    always: list[int] = []
    shared = set[str]()  # kinds that are told of all joints
    others = 0  # than those on the curve of friction
    while others < MOST_FINDINGS and len(found) < 2 * MOST_FINDINGS:
        good = [
            t for t in tests
            if t.counts and t.halves and believable(t, braking)
            and (float(t.change.max()) > WORTH_TELLING or t.gain < MUCH)
        ]  # fmt: skip
        if not good:
            break
        most = NEARLY * min(t.gain for t in good)
        near = [t for t in good if t.gain <= most]
        best = min(near, key=lambda t: (len(t.coefficients), t.gain))
        found.append(finding_of(best, arm.robot.joints))
        others += best.hypothesis.kind not in CURVES
        always += [tester.terms.place[term] for term in best.hypothesis.terms]
        refits = Refits(tester.refits.data, tester.refits.fit, tester.refits.size, always)
        tester = tester.with_refits(refits)
        if best.hypothesis.joint < 0:
            shared.add(best.hypothesis.kind)
        left = [
            h for h in hypotheses(tester.terms)
            if tester.terms.place[h.terms[0]] not in always
            and not (h.joint < 0 and h.kind in shared)
        ]  # fmt: skip
        tests = [t for t in map(tester.tested, left) if t is not None]
    return found
