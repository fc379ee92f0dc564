"""Hypotheses: terms that a model lacks, each tested on blocks of time that its fit did not see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.judge.box import Box
from armdyn.identification.judge.hypotheses.refits import Refits, Trial
from armdyn.identification.judge.hypotheses.terms import ELASTIC, LAW, Term, Terms

# A hypothesis counts if the error falls in so many of the 8 blocks, if the mean logarithm of the
# joints' errors falls by so much, and if a single coefficient is so many deviations from 0.
FEWEST_BLOCKS = 6
LOG_GAIN = -0.01
DEVIATIONS = 5.0

# Where the errors fall by this much, fewer deviations do.
MUCH = -0.1
CLEARLY = 3.5

# Random motions in the box, on which models are compared.
STATES = 150

# Two halves of a log agree on terms whose torques differ by no more than this share.
AGREE = 1.0

# Terms in which the measurement, not the arm, differs from the model: predictions go without them.
MEASURED = ("delay", "elastic", "gain")


@dataclass(frozen=True)
class Hypothesis:
    """Terms that belong together: what they say, and the joints they are of."""

    kind: str
    terms: tuple[Term, ...]

    @property
    def joint(self) -> int:
        """The joint (from 0); shared: -1."""
        return self.terms[0].joint


@dataclass(frozen=True, eq=False)
class Tested:
    """A hypothesis after its test.

    Attributes:
        hypothesis: the terms.
        coefficients: their coefficients.
        deviations: the standard deviations of these.
        gain: mean change of the logarithm of the joints' errors on blocks left out.
        counts: whether the test says that the terms are there.
        halves: whether both halves of the log agree on the coefficients.
        change: rms change of the torques on random motions in the box, relative ``(n,)``.
        before: errors of all joints together, relative, without the terms.
        after: the same with them.
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


def hypotheses(terms: Terms) -> Iterator[Hypothesis]:
    """Yield all hypotheses that the model does not contain already."""
    model, n = terms.model, terms.model.n
    yield Hypothesis("tilt", tuple(t for t in terms.shared if t.kind == "tilt"))
    yield Hypothesis("delay", (Term("delay"),))
    yield from (Hypothesis("elastic", (term,)) for term in ELASTIC)
    present = {(c.joint, c.kind) for c in model.columns}
    for j in range(n):
        yield Hypothesis("position friction", (Term("sin q sign v", j), Term("cos q sign v", j)))
        yield Hypothesis("position", (Term("sin 2q", j), Term("cos 2q", j)))
        yield Hypothesis("speed", (Term("v^3", j), Term("v |v|", j)))
        yield Hypothesis("spring", (Term("spring", j),))
        yield Hypothesis("gain", (Term("gain", j),))
        if not model.base.rotor:
            yield Hypothesis("rotor", (Term("rotor", j),))
        for kind, field in LAW.items():
            if (j, field) not in present:
                yield Hypothesis(kind, (Term(kind, j),))
        for i in range(n):
            if i != j:
                yield Hypothesis("coupling", (Term("coupling", j, i),))


class Tester:
    """Tests hypotheses on the same fits and the same random motions."""

    def __init__(self, refits: Refits, terms: Terms, box: Box) -> None:
        """Prepare the columns of random motions."""
        self.refits, self.terms = refits, terms
        model = terms.model
        states = box.states(STATES)
        self.rows = model.rows(*states)
        self.more = terms.columns(*states)
        self.torques = model.torques(refits.plain.values[: refits.data.p], self.rows)

    def with_refits(self, refits: Refits) -> Tester:
        """Return the same tests of another model."""
        other = object.__new__(Tester)
        other.refits, other.terms = refits, self.terms
        other.rows, other.more, other.torques = self.rows, self.more, self.torques
        return other

    def spread(self, values: Array, drop: Sequence[str] = MEASURED) -> Array:
        """Return rms torques on the motions of values of all columns, relative ``(..., n)``."""
        return np.sqrt(np.mean(self.predicted(values, drop) ** 2, axis=0)) / self.refits.size

    def predicted(self, values: Array, drop: Sequence[str] = MEASURED) -> Array:
        """Return the torques on the motions, of columns and terms ``(N, n)``."""
        model, terms, p = self.terms.model, self.terms, self.refits.data.p
        torque = model.torques(values[:p], self.rows)
        for j in range(model.n):
            for i, term in enumerate(terms.of_joint(j)):
                c = float(values[p + terms.place[term]])
                if c == 0.0 or term.kind in drop:
                    continue
                if term.kind == "coupling":
                    torque[:, j] += c * self.torques[:, term.other]
                else:
                    torque[:, j] += c * self.more[:, j * terms.single + i]
        return torque

    def tested(self, what: Hypothesis) -> Tested | None:
        """Test a hypothesis; None if the rows cannot tell it from the model."""
        refits, p = self.refits, self.refits.data.p
        at = [self.terms.place[term] for term in what.terms]
        # The gain of every joint is told, whether it promises anything or not.
        if not refits.tells(at) or not (what.kind == "gain" or refits.promises(at)):
            return None
        trial = refits.trial(at)
        mine = np.array(at) + p
        c, sd = trial.values[mine], trial.deviation()[mine]
        gain, blocks = refits.log_gain(trial)
        there = gain < LOG_GAIN and blocks >= FEWEST_BLOCKS and _possible(what.kind, float(c[0]))
        if len(c) == 1:
            least = CLEARLY if gain < MUCH else DEVIATIONS
            there = there and abs(float(c[0])) > least * float(sd[0])
        # in torques: single coefficients of terms that look alike may differ much
        seen = refits.all.left[np.ix_(at, at)]
        apart = np.subtract(*trial.halves[:, mine])
        near = float(apart @ seen @ apart) <= AGREE**2 * float(c @ seen @ c)
        moved = self.spread(trial.values - refits.plain.values)
        if what.kind == "gain":
            share = self._of_links(what.joint, trial.values)
            c, sd = share * c, abs(share) * sd
        return Tested(
            what, c, sd, gain, there, near, moved, self._error(refits.plain), self._error(trial)
        )

    def _of_links(self, j: int, values: Array) -> float:
        """Return the column of a gain as a share of the torque that the links make without it.

        The column is the torque of the delivered model, which has taken part of a wrong scale for
        inertia.
        """
        model, p = self.terms.model, self.refits.data.p
        rigid = np.where(np.arange(p) < model.k, values[:p], 0.0)
        column, links = (model.torques(x, self.rows)[:, j] for x in (self.terms.rigid, rigid))
        size = float(links @ links)
        return float(column @ links) / size if size > 0.0 else 1.0

    def _error(self, trial: Trial) -> float:
        """Return the error of all joints, each relative to the size of its torque."""
        each = self.refits.relative(trial.squares.sum(axis=0))
        return float(np.sqrt(np.mean(each**2)))


def _possible(kind: str, c: float) -> bool:
    """Whether the sign is possible: torques come late, joints yield, rotors are positive."""
    return c > 0.0 if kind in ("delay", "elastic", "rotor", "load") else True
