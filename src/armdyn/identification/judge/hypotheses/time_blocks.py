"""The rows of a fit as normal equations of blocks in time, with further terms beside the model.

For joint j and block b the matrix is G_jb = Z^T Z with Z = [columns of the model | terms | torques
of all joints], over the rows in which joint j moves. Everything that a verdict asks of the rows
follows from these small matrices: fits without a block, errors on that block, fits with a further
term, with torques exchanged or of the other sign. Logs of any length take one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.fit import Fitted
from armdyn.identification.fit.segments import FilteredSegment, Rows
from armdyn.identification.judge.hypotheses.terms import Terms

Indices = NDArray[np.int64]

BLOCKS = 8

# A longer log is judged by every second, third ... stretch of its rows.
MOST_SAMPLES = 150_000


@dataclass(frozen=True, eq=False)
class TimeBlocks:
    """Normal equations of the rows of every joint and block.

    Attributes:
        grams: G ``(blocks, n)`` of matrices over `places` of the joint.
        places: which of all columns each joint has: model, then terms, then torques of all joints.
        counts: numbers of rows ``(blocks, n)``.
        p: number of the model's columns.
        terms: number of terms.
    """

    grams: list[list[Array]]
    places: list[Indices]
    counts: Array
    p: int
    terms: int

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.places)

    def total(self, blocks: Sequence[int], j: int) -> Array:
        """Return the sum of G of a joint over blocks."""
        return np.sum([self.grams[b][j] for b in blocks], axis=0)


def time_blocks(rows: Rows, found: Fitted, terms: Terms) -> TimeBlocks:
    """Form the normal equations of all blocks, in one pass over the rows."""
    model, n = rows.model, rows.model.n
    p, m = len(model.columns), len(terms)
    places = [_places(terms, j, p, m) for j in range(n)]
    grams = [[np.zeros((len(at), len(at))) for at in places] for _ in range(BLOCKS)]
    counts = np.zeros((BLOCKS, n))
    starts = np.cumsum([0, *(len(part.centres) for part in rows.parts)])
    samples = sum(len(part.t) for part in rows.parts)
    stride = max(-(-samples // MOST_SAMPLES), 1)
    for k, (a, b), at, A in rows.every(stride):
        part = rows.parts[k]
        more = _filtered(part, a, b, terms)
        # Torques as they are: outliers that were pulled in towards the model would hide its faults.
        tau = part.band.rows(part.tau[a:b])
        first = int(starts[k]) + at.start
        block = ((first + np.arange(len(A))) * BLOCKS) // max(rows.count, 1)
        for j in range(n):
            others = np.delete(tau, j, axis=1)
            mine = more[:, j * terms.single : (j + 1) * terms.single]
            Z = np.column_stack([A[:, model.part(j)], mine, others, tau])
            use = found.kept[k][at, j]
            for i in np.unique(block[use]):
                chosen = Z[use & (block == i)]
                grams[i][j] += chosen.T @ chosen
                counts[i, j] += len(chosen)
    return TimeBlocks(grams, places, counts, p, m)


def _places(terms: Terms, j: int, p: int, m: int) -> Indices:
    listed = [terms.place[term] + p for term in terms.of_joint(j)]
    torques = range(p + m, p + m + terms.model.n)
    return np.array([*terms.model.active[j], *listed, *torques], dtype=np.int64)


def _filtered(part: FilteredSegment, a: int, b: int, terms: Terms) -> Array:
    step = float(np.diff(part.t[a : a + 2])[0]) if len(part.t) > 1 else 1.0
    return part.band.rows(terms.columns(*part.samples(a, b), step))
