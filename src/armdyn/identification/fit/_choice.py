"""Which terms of friction and which rotors a joint has: chosen by cross validation.

Every joint begins with the common terms (viscous, Coulomb, constant). A group of further terms, at
most one of each kind, joins if it lowers the joint's own error on rows that were left out of the
fit, block by block, by a clear share of the error that is not noise, and in most blocks. Among such
groups the one with the least error wins, with a handicap for each term. Terms that explain little
of a model's errors stay out: they harm where a motion leaves the speeds and loads of the log. But
terms that leave little besides noise join if they are significant: then nothing else is wrong.

A rotor and a load coefficient must be positive, and the latter below 1: other values explain
something that is neither.

The cross validation needs one linear solve per joint and block. Let T be the columns that are in
the fit without candidates, and c the candidates of a joint. With Z = -H_TT^-1 H_Tc the candidates'
coefficients d solve (H_cc + H_cT Z) d = g_c - H_cT b_T, and the others become b_T + Z d. The error
on the block left out is a quadratic function of d, so all groups follow from matrices of the size
of c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from armdyn.identification._tolerances import TINY
from armdyn.identification.fit._blocks import Blocks, Normal
from armdyn.robot import FRICTION_TERMS

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# A group joins if it lowers the error of the joint by at least this share, where the error is not
# noise, and this many standard errors of the differences between blocks.
CLEAR_SHARE = 0.2
CLEAR_DEVIATIONS = 2.0

# A group also joins if it leaves at most this share of residuals that are not noise, and is
# significant: the sum of squares falls by the first number, in units of the variance of the noise,
# and by the second for each further term. That is four standard deviations.
LITTLE = 0.3
SIGNIFICANT = 16.0
EACH = 6.0

# Each further term must be worth this share of the error.
WORTH = 0.005

# What a candidate may be, beside terms of friction.
ROTOR = "rotor"

# The choice is repeated, as the terms of one joint change the links and so the other joints.
ROUNDS = 2


@dataclass(frozen=True)
class Rung:
    """A group of terms of a joint that was tried.

    Attributes:
        terms: names of the terms beyond the common ones, e.g. ``("root", "load")``.
        error: relative error of the joint on blocks that were left out.
        gain: how much lower it is than without the group, as a share.
        deviations: the gain in standard errors.
        chosen: whether the joint has these terms.
    """

    terms: tuple[str, ...]
    error: float
    gain: float
    deviations: float
    chosen: bool


@dataclass(frozen=True)
class Candidate:
    """A column that a joint may get: its index, and what it is ("rotor", or a term's name)."""

    index: int
    what: str


@dataclass(frozen=True, eq=False)
class Choice:
    """The columns in the fit, and for every joint the groups that were tried."""

    columns: Index
    ladder: tuple[tuple[Rung, ...], ...]


def choose(
    blocks: Blocks,
    normal: Normal,
    always: Sequence[int],
    candidates: Sequence[Sequence[Candidate]],
    held: Array,
    *,
    structured: Array,
    forced: bool = False,
) -> Choice:
    """Choose among the candidates of every joint.

    Args:
        blocks: the rows.
        normal: their weighted normal equations.
        always: columns that are in every fit.
        candidates: of every joint.
        held: values ``(p,)`` of columns that are not in the fit.
        structured: share of every joint's residuals that is not noise, ``(n,)``.
        forced: every joint gets each kind of friction that it has candidates of.
    """
    chosen: list[tuple[int, ...]] = [() for _ in candidates]
    ladder: list[tuple[Rung, ...]] = [() for _ in candidates]
    for _ in range(ROUNDS):
        before = list(chosen)
        for j, own in enumerate(candidates):
            if own:
                others = [i for k, group in enumerate(chosen) if k != j for i in group]
                fixed = sorted([*always, *others])
                trial = _Trial(blocks, normal, j, fixed, own, held, forced, float(structured[j]))
                chosen[j], ladder[j] = trial.best()
        if chosen == before:
            break
    return Choice(np.array(sorted([*always, *(i for g in chosen for i in g)])), tuple(ladder))


def short_name(kind: str) -> str:
    """Return the name of a term of friction for users: "load" for the field `load_friction`."""
    return kind.removesuffix("_friction")


_LOADS = {short_name(kind) for kind, term in FRICTION_TERMS.items() if term.load}


class _Trial:
    """All groups of candidates of one joint."""

    def __init__(
        self,
        blocks: Blocks,
        normal: Normal,
        j: int,
        fixed: Sequence[int],
        own: Sequence[Candidate],
        held: Array,
        forced: bool,
        structured: float,
    ) -> None:
        self.own, self.forced, self.structured = own, forced, structured
        T, c = np.array(fixed), np.array([one.index for one in own])
        rest = held.copy()
        rest[T] = rest[c] = 0.0
        self.error: list[tuple[float, Array, Array]] = []
        self.solve: list[tuple[Array, Array]] = []
        for b in (*range(blocks.count), None):
            H, g = normal.without(b)
            g = g - H @ rest
            both = np.linalg.solve(H[np.ix_(T, T)], np.column_stack([g[T], -H[np.ix_(T, c)]]))
            beta, Z = both[:, 0], both[:, 1:]
            S = H[np.ix_(c, c)] + H[np.ix_(c, T)] @ Z
            self.solve.append((S, g[c] - H[np.ix_(c, T)] @ beta))
            at = blocks.squares[:, j].sum(axis=0) if b is None else blocks.squares[b, j]
            x = np.append(rest, -1.0)
            x[T] = beta
            full = np.zeros((len(x), len(c)))
            full[T] = Z
            full[c, np.arange(len(c))] = 1.0
            u = at @ x
            self.error.append((float(x @ u), full.T @ u, full.T @ at @ full))
        self.size = max(float(blocks.squares[:, j, -1, -1].sum()), TINY)

    def best(self) -> tuple[tuple[int, ...], tuple[Rung, ...]]:
        """Return the columns of the best group, and all that were tried, the best of each kind."""
        # Rounding may make the squares of a perfect fit negative.
        *plain, fitted = (max(e, 0.0) for e, _, _ in self.error)
        plain = np.array(plain)
        rungs: dict[tuple[str, ...], tuple[float, tuple[int, ...], Rung]] = {}
        needed = {one.what for one in self.own if self.forced and one.what != ROTOR}
        for group in _groups(self.own):
            *errors, all_rows = self._errors(group)
            errors = np.array(errors)
            less = plain - errors
            gain = 0.5 * float(less.sum() / max(plain.sum(), TINY))
            spread = float(less.std(ddof=1)) / np.sqrt(len(less))
            sure = float(less.mean()) / max(spread, TINY)
            what = tuple(self.own[i].what for i in group)
            left = all_rows / max(fitted, TINY)
            beside_noise = 1.0 - (1.0 - self.structured) / max(left, TINY)
            significance = self._significance(group) - EACH * (len(group) - 1)
            if significance >= SIGNIFICANT and beside_noise <= LITTLE:
                clear, score = True, significance
            else:
                clear = gain >= CLEAR_SHARE and sure >= CLEAR_DEVIATIONS
                score = gain - WORTH * len(group)
            clear = needed <= set(what) if self.forced else clear and self._possible(group)
            score = score if clear else -np.inf
            rung = Rung(what, float(np.sqrt(max(errors.sum(), 0.0) / self.size)), gain, sure, clear)
            if what not in rungs or score > rungs[what][0]:
                rungs[what] = score, tuple(self.own[i].index for i in group), rung
        top = max(rungs, key=lambda what: rungs[what][0], default=None)
        if top is not None and not rungs[top][2].chosen:
            top = None
        listed = [Rung((), float(np.sqrt(plain.sum() / self.size)), 0.0, 0.0, top is None)]
        for what, (_, _, rung) in rungs.items():
            listed.append(Rung(what, rung.error, rung.gain, rung.deviations, what == top))
        return (() if top is None else rungs[top][1]), tuple(listed)

    def _errors(self, group: tuple[int, ...]) -> list[float]:
        """Return the squared error of the joint on every block left out, and on all rows."""
        at = np.ix_(group, group)
        found: list[float] = []
        for (e, u, V), (S, r) in zip(self.error, self.solve, strict=True):
            d = np.linalg.solve(S[at], r[list(group)])
            found.append(max(e + 2.0 * float(u[list(group)] @ d) + float(d @ V[at] @ d), 0.0))
        return found

    def _significance(self, group: tuple[int, ...]) -> float:
        """Return by how much a group lowers the weighted sum of squares of all rows."""
        S, r = self.solve[-1]
        own = r[list(group)]
        return float(own @ np.linalg.solve(S[np.ix_(group, group)], own))

    def _possible(self, group: tuple[int, ...]) -> bool:
        """Return whether rotor and load coefficients of all rows are possible."""
        S, r = self.solve[-1]
        d = np.linalg.solve(S[np.ix_(group, group)], r[list(group)])
        for i, value in zip(group, d.tolist(), strict=True):
            what = self.own[i].what
            if what == ROTOR and value <= 0.0:
                return False
            if what in _LOADS and not 0.0 < value < 1.0:
                return False
        return True


def _groups(own: Sequence[Candidate]) -> Iterator[tuple[int, ...]]:
    """Yield groups with at most one candidate of each kind, as positions in the list."""
    kinds = dict.fromkeys(one.what for one in own)
    choices = [[None, *(i for i, one in enumerate(own) if one.what == kind)] for kind in kinds]
    for picked in product(*choices):
        group = tuple(i for i in picked if i is not None)
        if group:
            yield group
