"""Faults of the measurement and of the description, and the findings that they make.

Torques in another unit or of the wrong sign, torques of another joint (targets exchanged in the
same Gram matrices), positions in degrees (a fit with positions scaled), and a load at the tip that
nobody described (a shift of the prior's mean).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.findings import Finding
from armdyn.identification.fit.fit import Fitted
from armdyn.identification.fit.folds import Folds
from armdyn.identification.fit.gram import FOLDS, Exchange, Gram
from armdyn.identification.judge.box import Box
from armdyn.identification.judge.hypotheses import (
    EXPLAINS_MOST,
    SIGNIFICANT,
    SMALL,
    precision_in_tests,
    weights_in_tests,
)
from armdyn.identification.judge.judgement import Measures, Trial
from armdyn.identification.judge.verdict import LIMITS, NEGLIGIBLE
from armdyn.identification.signals.torque_scale import SEARCH, TorqueScale
from armdyn.log.log import Log
from armdyn.numerics import ratio, scaled_inverse, scaled_solve
from armdyn.robot.joint import Joint

# Exchanged torques lower the mean logarithm of the errors by so much.
EXCHANGE_GAIN = -0.07
# Of the torques of two joints the model leaves this share of the rms unexplained: they may be
# exchanged, however small they are beside those of other joints.
UNEXPLAINED = 0.5


# Unit and sign of the torques, as found beside the description.

# Each joint may have a scale of its own, as currents have, above this rms of the logarithms of the
# scales beside their median: rough descriptions have 0.1 to 0.3, so it is tried.
OWN_SCALES = 0.2


def constant_findings(
    constant: Sequence[int], names: Sequence[str], logs: Sequence[Log], error: float
) -> list[Finding]:
    """Return joints (from 0) whose torque never changes; their errors are those of the fit."""
    value = logs[0].tau[0] if constant and logs[0].tau is not None else ()
    return [
        Finding("constant", f"the torque of {names[j]} is constant ({float(value[j]):.3g}): it was "
                "not measured, or the column is the wrong one, and it was ignored", error, error,
                f"--ignore-torque {j + 1}", (j + 1,))
        for j in constant
    ]  # fmt: skip


def scale_findings(
    scale: TorqueScale, names: Sequence[str], error: float, trial: Trial
) -> list[Finding]:
    """Return torques in another unit or of the wrong sign; their errors are those of the fit."""
    seen, n = np.isfinite(scale.factors), len(names)
    every = tuple(range(1, n + 1))
    alike = seen & ~np.isin(np.arange(n), scale.odd)
    logs = np.log(np.abs(scale.factors[alike]))
    # without the most unlike joint, which may be the only wrong one
    each = np.sort(np.abs(logs - np.median(logs)))[:-1] if len(logs) else logs
    apart = float(np.sqrt(np.mean(each**2))) if len(each) else 0.0
    beside = abs(np.log(scale.median / scale.common))  # NaN is beyond nothing
    if int(alike.sum()) > 2 and apart > OWN_SCALES:
        found: Array = scale.median * np.where(seen, np.abs(scale.factors), 1.0) * scale.signs
        gains = ",".join(f"{1.0 / x:.3g}" for x in found.tolist())
        words = (
            "torques are another multiple of those of the described arm at every joint: they are "
            "currents, or torques of motors before their gears"
        )
        currents = Finding("currents", words, error, error, f"--gain={gains}", every,
                           tuple(found.tolist()))  # fmt: skip
        tried = trial(currents)
        before, after = (error, error) if tried is None else tried.own
        # a load makes torques larger towards the tip, and links may be unlike described ones
        if after <= EXPLAINS_MOST * before:
            return [currents]
    made: list[Finding] = []
    if scale.flipped:
        at = tuple(j + 1 for j in scale.flipped)
        said = ", ".join(names[j] for j in scale.flipped)
        whose = "all torques" if at == every else f"torques of {said}"
        made.append(
            Finding("sign", f"{whose} have the wrong sign (friction adds energy, or gravity acts "
                    "upwards) and were reversed", error, error, f"--flip {','.join(map(str, at))}",
                    at, (-1.0,), applied=True)
        )  # fmt: skip
    for j in scale.odd:
        factor = float(scale.factors[j])
        made.append(
            Finding("unit", f"the torque of {names[j]} is {abs(factor):.2g} times what the "
                    "description and the other joints say: it has another unit, and was ignored",
                    error, error, f"--ignore-torque {j + 1}", (j + 1,), (factor,))
        )  # fmt: skip
    if scale.in_another_unit:
        made.append(
            Finding("unit", f"torques are {scale.common:g} times those of the described arm: "
                    f"their unit is {scale.unit}, and so are masses and friction of the result",
                    error, error, f"--gain {1.0 / scale.common:g}", (), (scale.common,),
                    applied=True)
        )  # fmt: skip
    elif beside > np.log(SEARCH.described) and apart <= OWN_SCALES and int(seen.sum()) >= min(2, n):
        made.append(
            Finding("unit", f"torques are {scale.median:.2g} times those of the described arm at "
                    "all joints: they have another unit, all drives have this gain, the arm holds "
                    "a load, or masses are described wrong", error, error,
                    "--torque-unit or --gain with what they have", (), (scale.median,))
        )  # fmt: skip
    return made


# What measures beyond their limits say of the scale of a joint's torque, the strongest first.
UNVERIFIED = {
    "friction_times": "{}: friction relative to the torque is unlike that of the other joints; the "
    "torque may have another unit",
    "gain": "{}: the torque scale contradicts the other joints",
    "gain_likely": "{}: the torque scale is probably wrong",
    "gain_unknown": "{}: torque scale not verifiable from these data",
}


def unverified_scales(
    names: Sequence[str],
    measures: Measures,
    error: float,
    others: Sequence[Finding],
    by: Sequence[str],
) -> list[Finding]:
    """Return joints whose torque scale is doubtful by some measures, without a value for it.

    Joints of `others` that speak of a scale, or that explain most of the errors, are left out.
    """
    known = {
        j - 1
        for f in others
        if f.kind in ("scale", "unit", "sign") or f.error_after <= EXPLAINS_MOST * f.error_before
        for j in f.joints
    }
    made: dict[int, Finding] = {}
    for measure in by:
        beyond = LIMITS[measure].of(measures) > LIMITS[measure].reservation
        for j in np.flatnonzero(beyond).tolist():
            if j not in known and j not in made:
                words = UNVERIFIED[measure].format(names[j])
                made[j] = Finding("scale", words, error, error, "`armdyn gains`", (j + 1,))
    return list(made.values())


# Torques of the wrong sign, or of the wrong joint.


def exchanges(n: int) -> Sequence[Exchange]:
    """Return single flips, the flip of all joints, and swaps of two."""
    same, plus = tuple(range(n)), (1.0,) * n
    listed = [Exchange(same, tuple(-1.0 if i == j else 1.0 for i in range(n))) for j in range(n)]
    listed.append(Exchange(same, (-1.0,) * n))
    for i, j in combinations(range(n), 2):
        order = list(same)
        order[i], order[j] = j, i
        listed.append(Exchange(tuple(order), plus))
    return listed


def exchange_errors(
    gram: Gram, found: Fitted, size: Array, what: Exchange, rounds: int = 3
) -> Array:
    """Return squared errors ``(FOLDS, n)`` on folds that are left out, with exchanged torques.

    The weights of the joints follow their errors, in some rounds.
    """
    fit, prior = found.fit, found.solver.prior
    weights = weights_in_tests(fit)
    root = ratio(weights, fit.sigma, 1.0)
    counts = np.maximum(gram.counts.sum(axis=0), 1.0)
    squares = np.zeros((FOLDS, gram.n))
    for _ in range(rounds):
        folds = Folds(
            gram, weights, precision_in_tests(fit, prior), prior.mean, fit.columns.tolist(),
            exchange=what,
        )  # fmt: skip
        squares = folds.plain.squares
        sigma = np.sqrt(squares.sum(axis=0) / counts)
        weights = root * np.maximum(sigma, NEGLIGIBLE * size)
    return squares


def exchange_findings(
    gram: Gram, found: Fitted, measures: Measures, friction: Array, arm: Arm
) -> list[Finding]:
    """Return torques of the wrong sign or joint, if they explain the data better.

    Friction against the motion, `friction` ``(n,)``, has the sign of the torques.
    """
    foreign = ratio(measures.blocked * measures.size, measures.torque, 0.0) > UNEXPLAINED
    is_small = measures.blocked.max() < LIMITS["blocked"].reservation
    if is_small and friction.min() > -SMALL and foreign.sum() < 2:
        return []
    gram = only_model(gram, len(found.model.columns))
    n, size = gram.n, measures.size
    least = np.where(foreign, NEGLIGIBLE * measures.torque, NEGLIGIBLE * size)
    floor = least**2 * np.maximum(gram.counts, 1.0)
    plain = exchange_errors(gram, found, size, Exchange(tuple(range(n)), (1.0,) * n)) + floor
    best: tuple[float, Exchange] | None = None
    for what in exchanges(n):
        turned = friction[list(what.flipped)]
        if (turned > SMALL).any():
            continue
        # Torques whose friction has the wrong sign need no better fit, only one that is no worse.
        against = bool(len(turned)) and bool((turned < -SMALL).all())
        if not against and is_small and not (what.swapped and foreign[[*what.swapped]].all()):
            continue
        errors = exchange_errors(gram, found, size, what) + floor
        less: Array = errors.sum(axis=0) / plain.sum(axis=0)
        per_fold: Array = np.log(errors / plain).sum(axis=1)
        gain = 0.5 * float(np.mean(np.log(less)))
        own = float(np.sqrt(less[[*what.flipped, *what.swapped]].min()))
        good = gain < EXCHANGE_GAIN and int(np.sum(per_fold < 0.0)) >= SIGNIFICANT.folds
        good = good and own < EXPLAINS_MOST
        if (good or (against and gain < SMALL)) and (best is None or gain < best[0]):
            best = gain, what
    if best is None:
        return []
    before = float(np.sqrt(np.mean(measures.blocked**2)))
    after = min(before, before * float(np.exp(best[0])))
    return [_exchange_finding(best[1], before, after, arm.robot.joints)]


def only_model(gram: Gram, p: int) -> Gram:
    """Return the Gram matrices without the columns of effects."""
    products: list[Array] = []
    for at, G in zip(gram.places, gram.products, strict=True):
        own = np.append(at < p, np.ones(gram.n, dtype=np.bool_))
        products.append(G[:, own][:, :, own])
    places = tuple(at[at < p] for at in gram.places)
    return replace(gram, places=places, products=tuple(products), p=p)


def _exchange_finding(
    what: Exchange, before: float, after: float, joints: Sequence[Joint]
) -> Finding:
    at = tuple(j + 1 for j in what.swapped or what.flipped)
    names = " and ".join(joints[j - 1].name for j in at)
    has = f"s of {names} have" if len(at) > 1 else f" of {names} has"
    kind, words, option = "sign", f"{has} the wrong sign", f"--flip {','.join(map(str, at))}"
    if what.swapped:
        columns = " and ".join(f"tau{j}" for j in at)
        kind, words = "swap", f"s of {names} are exchanged"
        option = f"--columns tau=... with {columns} exchanged"
    return Finding(kind, f"the torque{words}", before, after, option, at)


# A load at the tip that nobody described hides in the parameters of the last link. With the model
# columns X, described values mu and a load x at the tip, torques are X (mu + B x + e). B maps the
# mass and the first moments of a load to minimal parameters, and e is the error of the description.
# The estimate of x takes both errors into account.


@dataclass(frozen=True)
class LoadSearch:
    """When a load at the tip is told.

    Attributes:
        trust: strength of a description whose masses are right to some 17 %; 1 trusts them to 50 %.
        mass: least mass, as a share of the described mass of the arm.
        distance: farthest centre from the last joint's frame [m].
    """

    trust: float = 3.0
    mass: float = 0.03
    distance: float = 0.6


LOAD = LoadSearch()


def load_findings(found: Fitted, measures: Measures) -> list[Finding]:
    """Return the load that the last link seems to carry, if there is one."""
    model, prior, p = found.model, found.solver.prior, len(found.model.columns)
    described = float(np.sum([joint.mass for joint in model.arm.robot.joints]))
    if described <= 0.0 or model.coupling is not None:
        return []
    n, shift = model.n, np.zeros((p, 4))
    shift[: model.k] = model.base.matrix[:, 10 * (n - 1) : 10 * (n - 1) + 4]
    information, right = found.gram[:p, :p], found.gram[:p, p]
    keep = scaled_solve(information + prior.precision(LOAD.trust), information).T
    left = information - keep @ information
    right = right - information @ prior.mean
    normal = shift.T @ left @ shift
    if not (np.diag(normal) > 0.0).all():
        return []
    # A mass whose effect is that of a first moment cannot be told apart from it.
    normal += 1e-9 * np.diag(np.diag(normal))
    covariance = scaled_inverse(normal)
    x = covariance @ (shift.T @ (right - keep @ right))
    mass, deviation = float(x[0]), float(np.sqrt(covariance[0, 0]))
    far = float(np.linalg.norm(x[1:])) > LOAD.distance * max(mass, 0.0)
    if far or mass < max(SIGNIFICANT.fewer * deviation, LOAD.mass * described):
        return []
    error = float(np.sqrt(np.mean(measures.blocked**2)))
    words = (
        f"the last link is {mass:.2g} +- {deviation:.1g} kg heavier than described: the arm holds "
        "a load, or a tool that nobody described"
    )
    option = "`armdyn payload`, or a robot file with the load"
    return [Finding("load", words, error, error, option, (model.n,))]


# Positions in degrees: a fit with the positions of the logs scaled.

# Ranges [rad] of turning joints, the median of all, beyond which positions may be in degrees, and
# below which they may have been converted twice.
DEGREES_RANGE, RADIANS_RANGE = 2.0 * np.pi, 0.06


def degree_findings(arm: Arm, box: Box, measures: Measures, trial: Trial) -> list[Finding]:
    """Return positions in degrees, if they explain most of the errors.

    Joints that turn more than once are rare: then it is enough that they explain more.
    """
    turning = [j for j, joint in enumerate(arm.robot.joints) if joint.is_revolute]
    width = float(np.median((box.upper - box.lower)[turning])) if turning else 1.0
    good = measures.blocked.max() < LIMITS["blocked"].reservation
    if RADIANS_RANGE < width < DEGREES_RANGE or (good and width < DEGREES_RANGE):
        return []
    words, option, factor = "positions are in degrees, not in radians", "--units deg", np.pi / 180.0
    if width < RADIANS_RANGE:
        words = "positions are in radians already, but were converted from degrees"
        option, factor = "no --units deg", 1.0 / factor
    found = Finding("degrees", words, 1.0, 1.0, option, values=(factor,))
    tried = trial(found)
    before, after = (1.0, 1.0) if tried is None else tried.own
    if not after < (EXPLAINS_MOST if width < DEGREES_RANGE else 1.0) * before:
        return []
    return [replace(found, error_before=before, error_after=after)]
