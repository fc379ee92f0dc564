"""Tests of what a model lacks, on folds that its fit did not see; and the findings that they make.

Beside the effects of the table there are torques of the wrong sign or of another joint (targets
exchanged in the same Gram matrices), positions in degrees (fits with positions scaled) and a load
at the tip that nobody described (a shift of the prior's mean).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.fit import Fitted
from armdyn.identification.fit.folds import Folds, Trial
from armdyn.identification.fit.gram import FOLDS, Exchange, Gram, gram_of
from armdyn.identification.fit.rows import FilteredSegment, Rows, sample
from armdyn.identification.fit.solver import Fit, Prior, solution
from armdyn.identification.judge.box import Box
from armdyn.identification.judge.effects import FLIPPED, Hypothesis, Layout, Reference
from armdyn.identification.judge.judgement import Finding, Measures
from armdyn.identification.signals.torque_scale import TorqueScale
from armdyn.numerics import ratio, scaled_inverse, scaled_solve
from armdyn.progress import Progress
from armdyn.robot.joint import Joint

MOST_SAMPLES = 150_000
"""A longer log is judged by every second, third ... stretch of its rows."""

LONGEST_CORRELATION = 9.0
"""In tests at most this many rows are worth one. Errors of a wrong model last long: a joint whose
rows count little for that would hide its fault behind its prior."""

FRICTION_PRIOR = 0.01
"""In tests, the prior of friction has this share of its precision in the fit: hardly any."""

PROMISING = 0.01
"""Columns are tested if they explain this share, times the number of joints, of the squared errors
of the joint that has least. The mean logarithm of the joints' errors falls by half of it then."""

NEGLIGIBLE = 1e-3
"""Errors below this share of the size of a joint's torque are as good as none."""

STATES = 150
"""Random motions in the box, on which models are compared."""

FEWEST_FOLDS, LOG_GAIN, DEVIATIONS = 6, -0.01, 5.0
"""An effect is there if the error falls in so many folds, if the mean logarithm of the joints'
errors falls by so much, and if a single coefficient is so many standard deviations from 0."""

MUCH, FEWER_DEVIATIONS = -0.1, 3.5
"""Where the mean logarithm of the errors falls by this much, fewer deviations do."""

WORTH_TELLING = 0.01
"""A finding changes torques in the box by this share of their size."""

MOST_FINDINGS = 3
"""Findings at most, beside those on the curve of friction."""

NEARLY = 0.8
"""Of hypotheses that are nearly as good as the best, to this share, the one of fewest columns is
told."""

EXPLAINS_MOST = 0.5
"""The error of a joint falls to this share if its torque has its right sign, joint or unit."""

SCALES = (0.2, 5.0)
"""Scales of a joint's torque beyond these say that something else is wrong."""

EXCHANGE_GAIN, EXCHANGE_ERROR = -0.07, 0.10
"""Exchanged torques: the mean logarithm of the errors falls by so much, and the model is this wrong
without them."""

CLEAR_SIGN, NO_WORSE = 0.02, 0.02
"""Friction above this share of a joint's torque has a clear sign; torques whose friction has the
wrong sign need no better fit, only one whose logarithmic error grows by no more than this."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """A hypothesis after its test.

    Attributes:
        hypothesis: the effect and its columns.
        coefficients: their coefficients.
        deviations: the standard deviations of these.
        gain: mean change of the logarithm of the joints' errors on folds left out.
        counts: whether the test says that the effect is there.
        halves: whether both halves of the log agree on the coefficients.
        change: rms change of the torques on random motions in the box, relative ``(n,)``.
        before: errors of all joints together, relative, without the effect.
        after: the same with it.
    """

    hypothesis: Hypothesis
    coefficients: Array
    deviations: Array
    gain: float
    counts: bool
    halves: bool
    change: Array
    before: float
    after: float


class EffectTests:
    """Tests hypotheses on the same Gram matrices and the same random motions."""

    def __init__(self, found: Fitted, layout: Layout, gram: Gram, size: Array, box: Box) -> None:
        """Prepare the fits without effects, and the columns of random motions.

        Args:
            found: the fit with its weights and its prior.
            layout: the effects.
            gram: rows with their columns, see `gram_with_effects`.
            size: of the torques of every joint ``(n,)``.
            box: of the motions.
        """
        self.found, self.layout, self.gram, self.size = found, layout, gram, size
        self.model, self.p = found.model, len(found.model.columns)
        states = box.states(STATES)
        self.rows = self.model.rows(*states)
        self.more = layout.columns(*states)
        self._ends = np.cumsum([0, *(len(at) for at in layout.places)])
        self._dropped = np.zeros(layout.count, dtype=np.bool_)
        for h in layout.hypotheses:
            self._dropped[list(h.columns)] = h.effect.measured
        self.folds = self._folds(())

    def _folds(self, always: Sequence[int]) -> Folds:
        fit, prior = self.found.fit, self.found.solver.prior
        base = [*fit.columns.tolist(), *always]
        more = [i for i in range(self.p, self.gram.p) if i not in set(always)]
        return Folds(
            self.gram, weights_in_tests(fit), precision_in_tests(fit, prior), prior.mean, base, more
        )

    def beside(self, columns: Sequence[int]) -> EffectTests:
        """Return tests beside some effects, whose columns are in every fit."""
        other = object.__new__(EffectTests)
        vars(other).update(vars(self))
        other.folds = self._folds([self.p + i for i in columns])
        return other

    def relative(self, squares: Array) -> Array:
        """Return errors relative to the size of the joints' torques, from squares ``(n,)``."""
        count = np.maximum(self.gram.counts.sum(axis=0), 1.0)
        return np.sqrt(np.maximum(squares, 0.0) / count) / self.size

    def errors_of(self, values: Array) -> Array:
        """Return the relative errors of values of the model's columns ``(n,)``, on all rows."""
        wide = np.zeros(self.gram.p)
        wide[: self.p] = values
        return self.relative(self.gram.misfits(wide).sum(axis=0))

    def spread(self) -> Array:
        """Return the standard deviation of predictions on the motions, relative ``(n,)``."""
        each = np.array([self.predicted(values) for values in self.folds.plain.folds])
        square = np.sum((each - each.mean(axis=0)) ** 2, axis=0) * (FOLDS - 1.0) / FOLDS
        return np.sqrt(np.mean(square, axis=0)) / self.size

    def predicted(self, values: Array) -> Array:
        """Return the torques on the motions, of the model and of effects ``(N, n)``."""
        torque = self.model.torques(values[: self.p], self.rows)
        own = np.where(self._dropped, 0.0, values[self.p :])
        for j, at in enumerate(self.layout.places):
            torque[:, j] += self.more[:, self._ends[j] : self._ends[j + 1]] @ own[at]
        return torque

    def test(self, what: Hypothesis) -> Outcome | None:
        """Test a hypothesis; None if the rows cannot tell it from the model."""
        folds, at = self.folds, [self.p + i for i in what.columns]
        # The gain of every joint is told, whether it promises anything or not.
        if not folds.tells(at) or not (what.kind == "gain" or self._promises(at)):
            return None
        trial = folds.trial(at)
        c, sd = trial.values[at], trial.deviation()[at]
        gain, better = self._log_gain(trial)
        there = gain < LOG_GAIN and better >= FEWEST_FOLDS
        there = there and (float(c[0]) > 0.0 or not what.effect.positive)
        if len(c) == 1:
            least = FEWER_DEVIATIONS if gain < MUCH else DEVIATIONS
            there = there and abs(float(c[0])) > least * float(sd[0])
        # in torques: single coefficients of columns that look alike may differ much
        seen, apart = folds.left(at), np.subtract(*trial.halves[:, at])
        near = float(apart @ seen @ apart) <= float(c @ seen @ c)
        moved = self.predicted(trial.values - folds.plain.values)
        change = np.sqrt(np.mean(moved**2, axis=0)) / self.size
        if what.kind == "gain":
            share = self._of_links(what.joint, trial.values)
            c, sd = share * c, abs(share) * sd
        before, after = (self._error(one) for one in (folds.plain, trial))
        return Outcome(what, c, sd, gain, there, near, change, before, after)

    def _promises(self, columns: Sequence[int]) -> bool:
        """Whether columns explain enough of all rows to be worth a test on folds left out."""
        left = self.folds.plain.squares.sum(axis=0) / self.folds.weights**2
        seen = left[self.gram.counts.sum(axis=0) > 0]
        least = PROMISING * self.model.n * float(seen.min()) if len(seen) else np.inf
        return self.folds.explained(columns) > least

    def _log_gain(self, trial: Trial) -> tuple[float, int]:
        """Return the mean change of the joints' log errors, and in how many folds they fall."""
        counts = self.gram.counts
        floor = (NEGLIGIBLE * self.size) ** 2 * counts
        new, old = trial.squares + floor, self.folds.plain.squares + floor
        seen = counts.sum(axis=0) > 0
        total = 0.5 * np.log(new.sum(axis=0)[seen] / old.sum(axis=0)[seen])
        with np.errstate(divide="ignore", invalid="ignore"):
            per_fold = np.where(counts > 0, np.log(new / old), 0.0).sum(axis=1)
        return float(total.mean()) if seen.any() else 0.0, int(np.sum(per_fold < 0.0))

    def _of_links(self, j: int, values: Array) -> float:
        """Return the column of a gain as a share of the torque that the links make without it.

        The column is the torque of the delivered model, which has taken part of a wrong scale for
        inertia.
        """
        rigid = np.where(np.arange(self.p) < self.model.k, values[: self.p], 0.0)
        reference = self.layout.reference.rigid
        column, links = (self.model.torques(x, self.rows)[:, j] for x in (reference, rigid))
        size = float(links @ links)
        return float(column @ links) / size if size > 0.0 else 1.0

    def _error(self, trial: Trial) -> float:
        """Return the error of all joints, each relative to the size of its torque."""
        return float(np.sqrt(np.mean(self.relative(trial.squares.sum(axis=0)) ** 2)))


def weights_in_tests(fit: Fit) -> Array:
    """Return the deviations of the rows of every joint ``(n,)`` in tests."""
    return np.minimum(fit.weights, np.sqrt(LONGEST_CORRELATION) * fit.sigma)


def precision_in_tests(fit: Fit, prior: Prior) -> Array:
    """Return the precision of the prior ``(p, p)`` in tests."""
    return fit.strength**2 * prior.scaled + FRICTION_PRIOR * prior.fixed


def gram_with_effects(found: Fitted, layout: Layout, progress: Progress) -> Gram:
    """Return Gram matrices of the rows of a fit, beside the columns of all effects.

    Torques are as measured: outliers that were clipped towards the model would hide its faults.
    """
    rows: Rows = found.rows
    raw = [part.filtered(part.tau) for part in rows.parts]
    samples = sum(len(part.t) for part in rows.parts)
    stride = max(-(-samples // MOST_SAMPLES), 1)
    return gram_of(rows, raw, found.kept, progress, blocks=FOLDS, more=layout.more, stride=stride)


# Findings.


def finding_of(tested: Outcome, joints: Sequence[Joint]) -> Finding:
    """Return a hypothesis that holds as a finding."""
    h, c = tested.hypothesis, tested.coefficients
    name = joints[h.joint].name if h.joint >= 0 else ""
    other = joints[h.other].name if h.other >= 0 else ""
    what, option = h.effect.say(name, c, h.joint + 1, other)
    kind = h.effect.finding or h.kind
    if h.kind == "gain" and 1.0 + float(c[0]) < FLIPPED:
        kind = "sign"
    about = tuple(j + 1 for j in (h.joint, h.other) if j >= 0)
    if h.kind == "gain":
        c = 1.0 + c  # the scale itself
    return Finding(kind, what, tested.before, tested.after, option, about, tuple(c.tolist()))


def believable(tested: Outcome, braking: Sequence[bool]) -> bool:
    """Whether it can be what it says: a scale of torques that no unit or gear has is none.

    Torques of the wrong sign have friction of the wrong sign, too: `braking` says of which joints
    friction clearly brakes. But where the other sign explains most of the errors, friction was
    fitted to something else.
    """
    if tested.hypothesis.kind != "gain":
        return True
    scale = 1.0 + float(tested.coefficients[0])
    much = tested.after < EXPLAINS_MOST * tested.before
    flipped = scale < FLIPPED and (much or not braking[tested.hypothesis.joint])
    return flipped or SCALES[0] < scale < SCALES[1]


def effect_findings(
    tester: EffectTests, tests: Sequence[Outcome], friction: Array
) -> list[Finding]:
    """Return the best hypothesis, then the best beside it, and so on, that halves agree on."""
    joints = tester.model.arm.robot.joints
    made: list[Finding] = []
    braking: list[bool] = (friction > CLEAR_SIGN).tolist()
    always: list[int] = []
    shared = set[str]()  # kinds that are told of all joints
    others = 0  # than those on the curve of friction
    while others < MOST_FINDINGS and len(made) < 2 * MOST_FINDINGS:
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
        made.append(finding_of(best, joints))
        effect = best.hypothesis.effect
        others += not effect.curve
        always += best.hypothesis.columns
        tester = tester.beside(always)
        if best.hypothesis.joint < 0:
            shared.add(effect.finding or effect.kind)
        left = [
            h for h in tester.layout.offered()
            if h.columns[0] not in always
            and not (h.joint < 0 and (h.effect.finding or h.kind) in shared)
        ]  # fmt: skip
        tests = [t for t in map(tester.test, left) if t is not None]
    return made


# Unit and sign of the torques, as found beside the description.


def scale_findings(scale: TorqueScale, names: Sequence[str], error: float) -> list[Finding]:
    """Return torques in another unit or of the wrong sign; their errors are those of the fit."""
    made: list[Finding] = []
    if scale.reversed:
        each = tuple(range(1, len(names) + 1))
        made.append(
            Finding("sign", "all torques have the wrong sign: friction drives the joints, or the "
                    "links weigh upwards; they were reversed", error, error,
                    f"--flip {','.join(map(str, each))}", each, (-1.0,))
        )  # fmt: skip
    for j in scale.odd:
        factor = float(scale.factors[j])
        made.append(
            Finding("unit", f"the torque of {names[j]} is {abs(factor):.2g} times what the "
                    "description and the other joints say: it has another unit, and was ignored",
                    error, error, f"--ignore-torque {j + 1}", (j + 1,), (factor,))
        )  # fmt: skip
    if scale.common != 1.0:
        made.append(
            Finding("unit", f"torques are {scale.common:g} times those of the described arm: "
                    f"their unit is {scale.unit}, and so are masses and friction of the result",
                    error, error, f"--gain {1.0 / scale.common:g}", (), (scale.common,))
        )  # fmt: skip
    return made


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
    if measures.blocked.max() < EXCHANGE_ERROR and friction.min() > -CLEAR_SIGN:
        return []
    gram = only_model(gram, len(found.model.columns))
    n, size = gram.n, measures.size
    floor = (NEGLIGIBLE * size) ** 2 * np.maximum(gram.counts, 1.0)
    plain = exchange_errors(gram, found, size, Exchange(tuple(range(n)), (1.0,) * n)) + floor
    best: tuple[float, Exchange] | None = None
    for what in exchanges(n):
        turned = friction[list(what.flipped)]
        if (turned > CLEAR_SIGN).any():
            continue
        # Torques whose friction has the wrong sign need no better fit, only one that is no worse.
        against = bool(len(turned)) and bool((turned < -CLEAR_SIGN).all())
        if not against and measures.blocked.max() < EXCHANGE_ERROR:
            continue
        errors = exchange_errors(gram, found, size, what) + floor
        less: Array = errors.sum(axis=0) / plain.sum(axis=0)
        per_fold: Array = np.log(errors / plain).sum(axis=1)
        gain = 0.5 * float(np.mean(np.log(less)))
        own = float(np.sqrt(less[[*what.flipped, *what.swapped]].min()))
        good = gain < EXCHANGE_GAIN and int(np.sum(per_fold < 0.0)) >= FEWEST_FOLDS
        good = good and own < EXPLAINS_MOST
        if (good or (against and gain < NO_WORSE)) and (best is None or gain < best[0]):
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
    if what.swapped:
        at = [j + 1 for j in what.swapped]
        names = " and ".join(joints[j].name for j in what.swapped)
        return Finding(
            "swap", f"the torques of {names} are exchanged", before, after,
            f"--columns tau=... with {' and '.join(f'tau{j}' for j in at)} exchanged", tuple(at),
        )  # fmt: skip
    at = [j + 1 for j in what.flipped]
    names = ", ".join(joints[j].name for j in what.flipped)
    return Finding(
        "sign", f"the torque of {names} has the wrong sign", before, after,
        f"--flip {','.join(map(str, at))}", tuple(at),
    )  # fmt: skip


# A load at the tip that nobody described hides in the parameters of the last link. With the model
# columns X, described values mu and a load x at the tip, torques are X (mu + B x + e). B maps the
# mass and the first moments of a load to minimal parameters, and e is the error of the description.
# The estimate of x takes both errors into account.

DESCRIBED = 3.0
"""Strength of a description whose masses are right to some 17 %; 1 trusts them to 50 %."""

LOAD_DEVIATIONS, LEAST_LOAD = 3.0, 0.03
"""A load counts from this many standard deviations, and this share of the described mass on."""

FARTHEST = 0.6
"""A load whose centre is farther from the last joint's frame [m] is something else."""


def load_findings(found: Fitted, measures: Measures) -> list[Finding]:
    """Return the load that the last link seems to carry, if there is one."""
    model, prior, p = found.model, found.solver.prior, len(found.model.columns)
    described = float(np.sum([joint.mass for joint in model.arm.robot.joints]))
    if described <= 0.0 or model.coupling is not None:
        return []
    n, shift = model.n, np.zeros((p, 4))
    shift[: model.k] = model.base.matrix[:, 10 * (n - 1) : 10 * (n - 1) + 4]
    information, right = found.gram[:p, :p], found.gram[:p, p]
    keep = scaled_solve(information + prior.precision(DESCRIBED), information).T
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
    far = float(np.linalg.norm(x[1:])) > FARTHEST * max(mass, 0.0)
    if far or mass < max(LOAD_DEVIATIONS * deviation, LEAST_LOAD * described):
        return []
    error = float(np.sqrt(np.mean(measures.blocked**2)))
    words = (
        f"the last link is {mass:.2g} +- {deviation:.1g} kg heavier than described: the arm holds "
        "a load, or a tool that nobody described"
    )
    option = "`armdyn payload`, or a robot file with the load"
    return [Finding("load", words, error, error, option, (model.n,))]


# Positions in degrees: fits with the positions of a log scaled.

UNIT_STATES = 3000
"""States of the comparison."""

DEGREES_RANGE, RADIANS_RANGE = 2.0 * np.pi, 0.06
"""Ranges [rad] of turning joints, the median of all, beyond which positions may be in degrees, and
below which they may have been converted twice."""

UNIT_RIDGE = 1e-6
"""Weight of the prior that columns be small, relative to their sizes."""


def unit_findings(rows: Rows, measures: Measures) -> list[Finding]:
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


def position_unit(model: Model, parts: Sequence[FilteredSegment]) -> tuple[float, float, float]:
    """Return the factor of positions that explains torques better, 1 if none, and both errors."""
    asked = list(sample(parts))
    q, qd, qdd, tau = (np.concatenate(x) for x in zip(*asked, strict=True))
    turning = [j for j, joint in enumerate(model.arm.robot.joints) if joint.is_revolute]
    width = float(np.median(np.ptp(q[:, turning], axis=0))) if turning else 1.0
    if RADIANS_RANGE < width < DEGREES_RANGE:
        return 1.0, 0.0, 0.0
    factor = np.pi / 180.0 if width >= DEGREES_RANGE else 180.0 / np.pi
    scale = np.ones(model.n)
    scale[turning] = factor
    every = max(len(q) // UNIT_STATES, 1)
    q, qd, qdd, tau = (x[::every] for x in (q, qd, qdd, tau))
    before = _error_at(model, q, qd, qdd, tau)
    after = _error_at(model, q * scale, qd * scale, qdd * scale, tau)
    return (factor if after < EXPLAINS_MOST * before else 1.0), before, after


def _error_at(model: Model, q: Array, qd: Array, qdd: Array, tau: Array) -> float:
    """Return the error of a fit to samples, relative to the torques of every joint."""
    rows, p = model.rows(q, qd, qdd), len(model.columns)
    size = np.sqrt(np.mean(tau**2, axis=0))
    size = np.where(size > 0.0, size, 1.0)
    G = np.zeros((p + 1, p + 1))
    for j, active in enumerate(model.active):
        at = np.append(active, p)
        X = np.column_stack([rows[:, model.part(j)], tau[:, j]]) / size[j]
        G[np.ix_(at, at)] += X.T @ X
    ridge = UNIT_RIDGE * np.diag(np.where(np.diag(G)[:p] > 0.0, np.diag(G)[:p], 1.0))
    values, _ = solution(G, ridge, np.zeros(p))
    x = np.append(values, -1.0)
    return float(np.sqrt(ratio(max(float(x @ G @ x), 0.0), G[p, p], 1.0)))


def layout_of(found: Fitted, values: Array, links: Array, speed: Array) -> Layout:
    """Return the effects beside a delivered model.

    Args:
        found: the fit.
        values: of the columns of the delivered model ``(p,)``.
        links: natural parameters of its links ``(10n,)``.
        speed: highest speed of every joint ``(n,)``.
    """
    return Layout(Reference(found.model, values, links, speed))
