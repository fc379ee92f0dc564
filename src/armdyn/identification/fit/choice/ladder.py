"""Which terms of friction, rotors and tilt of gravity a fit has, and what else was tried.

The data choose (`_relevance`). For people there is a ladder for every joint: the error on blocks of
rows that were left out of the fit, without further terms, with those that were chosen, with one of
them less and with one more.

The errors need one linear solve per joint and block. Let T be the columns that are in the fit
without candidates, and c the candidates of a joint. With Z = -H_TT^-1 H_Tc the candidates'
coefficients d solve (H_cc + H_cT Z) d = g_c - H_cT b_T, and the others become b_T + Z d. The error
on the block left out is a quadratic function of d, so all groups follow from matrices of the size
of c.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.blocks import Blocks, Normal
from armdyn.identification.fit.choice.evidence import Group
from armdyn.numerics import ratio, scaled_solve


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


def ladders(
    blocks: Blocks,
    normal: Normal,
    always: Sequence[int],
    offered: Sequence[Group],
    chosen: Sequence[Group],
    held: Array,
) -> tuple[tuple[Rung, ...], ...]:
    """Return the ladder of every joint; an empty one if a joint has no candidates.

    Args:
        blocks: the rows.
        normal: their weighted normal equations.
        always: columns that are in every fit.
        offered: groups of which some were chosen; one of several columns is a term in several
            shapes.
        chosen: groups in the fit, each with one shape.
        held: values ``(p,)`` of columns that are not in the fit.
    """
    found: list[tuple[Rung, ...]] = []
    for j in range(blocks.squares.shape[1]):
        own = [g for g in offered if g.joint == j]
        mine = tuple(g for g in chosen if g.joint == j)
        others = [i for g in chosen if g.joint != j for i in g.columns]
        if own:
            trial = _Trial(blocks, normal, j, sorted([*always, *others]), own, held)
            found.append(trial.ladder(mine))
        else:
            found.append(())
    return tuple(found)


class _Trial:
    """Groups of candidates of one joint."""

    def __init__(
        self,
        blocks: Blocks,
        normal: Normal,
        j: int,
        fixed: Sequence[int],
        own: Sequence[Group],
        held: Array,
    ) -> None:
        self.own = own
        c = np.array([i for group in own for i in group.columns])
        self.place = {int(i): at for at, i in enumerate(c)}
        T = np.array(fixed)
        rest = held.copy()
        rest[T] = rest[c] = 0.0
        self.error: list[tuple[float, Array, Array]] = []
        self.solve: list[tuple[Array, Array]] = []
        for b in range(blocks.count):
            H, g = normal.without(b)
            g = g - H @ rest
            both = scaled_solve(H[np.ix_(T, T)], np.column_stack([g[T], -H[np.ix_(T, c)]]))
            beta, Z = both[:, 0], both[:, 1:]
            S = H[np.ix_(c, c)] + H[np.ix_(c, T)] @ Z
            self.solve.append((S, g[c] - H[np.ix_(c, T)] @ beta))
            at = blocks.squares[b, j]
            x = np.append(rest, -1.0)
            x[T] = beta
            full = np.zeros((len(x), len(c)))
            full[T] = Z
            full[c, np.arange(len(c))] = 1.0
            u = at @ x
            self.error.append((float(x @ u), full.T @ u, full.T @ at @ full))
        self.size = float(blocks.squares[:, j, -1, -1].sum())
        # Rounding may make the squares of a perfect fit negative.
        self.plain = np.array([max(e, 0.0) for e, _, _ in self.error])

    def ladder(self, chosen: tuple[Group, ...]) -> tuple[Rung, ...]:
        """Return the rungs: without any group, fewer than those chosen, these, and more."""
        names = {g.what for g in chosen}
        sets = [()] if chosen else []
        sets += [tuple(g for g in chosen if g is not one) for one in chosen]
        sets += [(*chosen, g) for g in self.own if g.what not in names]
        rungs = [self._rung(groups, False) for groups in dict.fromkeys(sets)]
        rungs.append(self._rung(chosen, True))
        return tuple(sorted(rungs, key=lambda rung: len(rung.terms)))

    def _rung(self, groups: tuple[Group, ...], chosen: bool) -> Rung:
        shapes = product(*(g.columns for g in groups))
        errors = min((self._errors(columns) for columns in shapes), key=lambda e: float(e.sum()))
        less = self.plain - errors
        gain = 1.0 - float(np.sqrt(ratio(errors.sum(), self.plain.sum(), 1.0)))
        spread = float(less.std(ddof=1)) / np.sqrt(len(less))
        sure = float(ratio(less.mean(), spread, 0.0)) if groups else 0.0
        error = float(np.sqrt(ratio(errors.sum(), self.size, 1.0)))
        return Rung(tuple(g.what for g in groups), error, gain, sure, chosen)

    def _errors(self, columns: Iterable[int]) -> Array:
        """Return the squared error of the joint on every block left out."""
        group = [self.place[i] for i in columns]
        at = np.ix_(group, group)
        found: list[float] = []
        for (e, u, V), (S, r) in zip(self.error, self.solve, strict=True):
            d = scaled_solve(S[at], r[group]) if group else np.zeros(0)
            found.append(max(e + 2.0 * float(u[group] @ d) + float(d @ V[at] @ d), 0.0))
        return np.array(found)
