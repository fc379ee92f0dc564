"""Tests of effects that a model lacks, on folds that its fit did not see, and their findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.findings import Finding
from armdyn.identification.fit.fit import Fitted
from armdyn.identification.fit.folds import Folds, Trial
from armdyn.identification.fit.gram import FOLDS, Gram, gram_of
from armdyn.identification.fit.rows import Rows
from armdyn.identification.fit.solver import Fit, Prior
from armdyn.identification.judge.box import Box
from armdyn.identification.judge.effects import FLIPPED, Hypothesis, Layout, Reference
from armdyn.identification.judge.verdict import NEGLIGIBLE, WORTH_TELLING
from armdyn.progress import Progress
from armdyn.robot.joint import Joint

# A longer log is judged by every second, third ... stretch of its rows.
MOST_SAMPLES = 150_000

# In tests at most this many rows are worth one. Errors of a wrong model last long: a joint whose
# rows count little for that would hide its fault behind its prior.
LONGEST_CORRELATION = 9.0

# In tests, the prior of friction has this share of its precision in the fit: hardly any.
FRICTION_PRIOR = 0.01

# Findings at most, beside those on the curve of friction.
MOST_FINDINGS = 3

# Of hypotheses that are nearly as good as the best, to this share, the one of fewest columns is
# told.
NEARLY = 0.8

# The error of a joint falls to this share if its torque has its right sign, joint or unit.
EXPLAINS_MOST = 0.5

# Scales of a joint's torque beyond these say that something else is wrong.
SCALES = (0.2, 5.0)

# Friction above this share of a joint's torque has a clear sign, and errors that change by a
# smaller share are the same: a remedy lowers them by more, and torques whose friction has the wrong
# sign need only a fit whose error grows by less.
SMALL = 0.02


@dataclass(frozen=True)
class Significance:
    """When an effect is there, by errors on folds that fits did not see.

    Attributes:
        folds: the error falls in so many of them, and
        gain: the mean logarithm of the joints' errors falls by so much.
        deviations: a single coefficient is so many standard deviations from 0, or
        fewer: so many where the errors fall by
        much: in their mean logarithm.
    """

    folds: int = 6
    gain: float = WORTH_TELLING
    deviations: float = 5.0
    fewer: float = 3.5
    much: float = 0.1

    def shows(self, gain: float, folds: int, c: Array, deviation: Array) -> bool:
        """Whether a change of log errors, in some folds, shows an effect of coefficients c."""
        least = self.fewer if gain < -self.much else self.deviations
        sure = len(c) > 1 or abs(float(c[0])) > least * float(deviation[0])
        return gain < -self.gain and folds >= self.folds and sure


SIGNIFICANT = Significance()


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
        states = box.states()
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
        if not folds.distinguishes(at) or not (what.kind == "gain" or self._promises(at)):
            return None
        trial = folds.trial(at)
        c, sd = trial.values[at], trial.deviation()[at]
        gain, better = self._log_gain(trial)
        there = SIGNIFICANT.shows(gain, better, c, sd)
        there = there and (float(c[0]) > 0.0 or not what.effect.positive)
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
        """Whether columns explain enough of all rows to be worth a test on folds left out.

        They explain `WORTH_TELLING`, times the number of joints, of the squared errors of the joint
        that has least: the mean logarithm of the joints' errors falls by half of it then.
        """
        left = self.folds.plain.squares.sum(axis=0) / self.folds.weights**2
        seen = left[self.gram.counts.sum(axis=0) > 0]
        least = WORTH_TELLING * self.model.n * float(seen.min()) if len(seen) else np.inf
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
    braking: list[bool] = (friction > SMALL).tolist()
    always: list[int] = []
    shared = set[str]()  # kinds that are told of all joints
    others = 0  # than those on the curve of friction
    while others < MOST_FINDINGS and len(made) < 2 * MOST_FINDINGS:
        good = [
            t for t in tests
            if t.counts and t.halves and believable(t, braking)
            and (float(t.change.max()) > WORTH_TELLING or t.gain < -SIGNIFICANT.much)
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


def layout_of(found: Fitted, values: Array, links: Array, speed: Array) -> Layout:
    """Return the effects beside a delivered model.

    Args:
        found: the fit.
        values: of the columns of the delivered model ``(p,)``.
        links: natural parameters of its links ``(10n,)``.
        speed: highest speed of every joint ``(n,)``.
    """
    return Layout(Reference(found.model, values, links, speed))
