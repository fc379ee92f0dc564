"""Whether other combinations of parameters are a minimal set: Corollary 6 of [Lin1994].

Two minimal sets a = P x and b = Q x of an arm are equal up to a nonsingular matrix: b = M a. With a
right inverse Z of P, M = Q Z; the rest Q - M P is what b contains and no torque shows. Rows are
compared entry by entry with the sums of their absolute terms, so that units do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from armdyn.arrays import Array
from armdyn.minimal.closed_form import LinearSet
from armdyn.minimal.terms import written

# Relative size of coefficients that are zero: rounding of combinations that are computed in double
# precision, as the tolerance of the closed form's own check.
COMPARISON_TOLERANCE = 1e-9

# Numbers below this, relative to the largest of their vector, are rounding in the text.
SHOWN = 1e-6


@dataclass(frozen=True)
class SetComparison:
    """What makes some combinations of parameters a minimal set of an arm, or keeps them from it.

    Attributes:
        is_minimal: the combinations are a minimal set.
        size: number of combinations.
        needed: number of minimal parameters of the arm.
        rank: number of independent combinations among those that torques show.
        unseen: rows, from 0, that contain something that no torque shows, with that rest.
        dependent: rows, from 0, that follow from rows before them, with the equation.
        missing: names of minimal parameters of the arm that do not follow from the set.
        M: ``(size, needed)``: without unseen rows, the combinations are ``M @ minimal values``.
    """

    is_minimal: bool
    size: int
    needed: int
    rank: int
    unseen: dict[int, str]
    dependent: dict[int, str]
    missing: tuple[str, ...]
    M: Array

    def __str__(self) -> str:
        if self.is_minimal:
            return f"a minimal set: {self.size} independent combinations determine all torques"
        lines = [
            f"no minimal set: {self.rank} of {self.size} combinations are independent and visible, "
            f"{self.needed} are needed"
        ]
        lines += [f"row {i} contains what no torque shows: {x}" for i, x in self.unseen.items()]
        lines += [f"row {i} is dependent: {x}" for i, x in self.dependent.items()]
        if self.missing:
            lines.append(f"not determined by the set: {', '.join(self.missing)}")
        return "\n".join(lines)


def compared(
    ours: LinearSet, Z: Array, names: Sequence[str], Q: Array, tolerance: float
) -> SetComparison:
    """Compare combinations with the minimal set of an arm.

    Args:
        ours: the minimal set.
        Z: a right inverse of its matrix.
        names: of the parameters, columns of Q.
        Q: the combinations, one a row.
        tolerance: relative size of coefficients that are zero.
    """
    P = ours.matrix
    M = Q @ Z
    rest = Q - M @ P
    terms = np.abs(Q) + np.abs(Q) @ np.abs(Z) @ np.abs(P)
    outside = np.abs(rest) > tolerance * terms
    scaled = _without_units(np.where(np.abs(M) > tolerance * (np.abs(Q) @ np.abs(Z)), M, 0.0))
    unseen = {
        int(i): written(np.where(outside[i], rest[i], 0.0), names)
        for i in np.flatnonzero(outside.any(axis=1))
    }
    basis: list[int] = []
    dependent: dict[int, str] = {}
    for i in (i for i in range(len(Q)) if i not in unseen):
        factors, left = _by_rows(scaled[basis], scaled[i])
        if left > tolerance:
            basis.append(i)
        else:
            if factors.any():  # of rows in their own units
                factors = _factors(M[basis], M[i])
            dependent[i] = _sum_of_rows(factors, basis)
    unit = np.eye(len(P))
    missing = tuple(
        term.name
        for k, term in enumerate(ours.terms)
        if _by_rows(scaled[basis], unit[k])[1] > tolerance
    )
    complete = len(basis) == len(Q) == len(P)
    return SetComparison(
        complete, len(Q), len(P), len(basis), unseen, dependent, missing, np.asarray(M)
    )


def _without_units(matrix: Array) -> Array:
    """Return a matrix with rows, then columns scaled to length 1; zeros stay."""
    for axis in (1, 0):
        size = np.linalg.norm(matrix, axis=axis, keepdims=True)
        matrix = matrix / np.where(size > 0.0, size, 1.0)
    return matrix


def _factors(rows: Array, row: Array) -> Array:
    """Return the factors of rows that come closest to a row."""
    return cast(Array, np.linalg.lstsq(rows.T, row, rcond=None)[0])


def _by_rows(rows: Array, row: Array) -> tuple[Array, float]:
    """Return the factors of rows that come closest to a row, and the share that is left of it."""
    size = float(np.linalg.norm(row))
    if not len(rows) or size == 0.0:
        return np.zeros(len(rows)), size
    factors = _factors(rows, row)
    return factors, float(np.linalg.norm(row - factors @ rows)) / size


def _sum_of_rows(factors: Array, rows: Sequence[int]) -> str:
    """Return a sum of rows as text."""
    largest = np.abs(factors).max(initial=0.0)
    used = [(f, i) for f, i in zip(factors, rows, strict=True) if abs(f) > SHOWN * largest]
    if not used:
        return "it is zero"
    return "it is " + " + ".join(f"{f:.4g} × row {i}" for f, i in used).replace("+ -", "- ")
