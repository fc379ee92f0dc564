"""Check the closed form numerically: does the set determine all torques of this arm?"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms import PARAMETER_NAMES
from armdyn.errors import RobotWarning
from armdyn.minimal._closed_form import LinearSet, closed_form
from armdyn.minimal._sampled import (
    RANK_TOLERANCE,
    equilibrated_singular_values,
    rank,
    structural_regressor,
)
from armdyn.minimal._terms import Term, column, power
from armdyn.robot import Chain

Array = NDArray[np.float64]

# Largest residual of a combination of regressor columns, relative to their size: rounding.
SPAN_TOLERANCE = 1e-9
# Columns this small relative to the largest are pure rounding.
FAINT = 1e-6
# Other columns explain a column of length 1 if the residual is at most this.
COLUMN_TOLERANCE = 1e-7
COEFFICIENT_TOLERANCE = 1e-9
# Condition numbers (SI units) from this on get a remark; those of usual arms are some hundreds.
SUSPECT_CONDITION = 1e5


@dataclass(frozen=True)
class Verdict:
    """The verdict of the regressor on a set.

    Attributes:
        agrees: the set determines all torques, and has no parameter too many.
        condition: of the regressor of the set, in SI units.
        weakest: the parameter with the largest weight in the least visible combination.
    """

    agrees: bool
    condition: float
    weakest: str

    @property
    def remark(self) -> str:
        """A sentence on geometry that is almost special; empty if it is not."""
        if self.condition < SUSPECT_CONDITION:
            return ""
        return (
            f"{self.weakest} is hardly visible in any torque (condition number "
            f"{self.condition:.1e}): the geometry is almost a special one. If axes are meant to be "
            "parallel or upright, or offsets to be zero, give the nominal values."
        )


def judge(chosen: LinearSet, W: Array) -> Verdict:
    """Compare a set with stacked regressors W of the link parameters."""
    base = W @ chosen.spread
    made = np.abs(W) @ (np.abs(chosen.spread) @ np.abs(chosen.matrix)) + np.abs(W)
    size = made.max(axis=0, initial=0.0)
    missed = np.abs(W - base @ chosen.matrix).max(axis=0, initial=0.0)
    spans = bool(np.all(missed <= SPAN_TOLERANCE * np.maximum(size, FAINT * size.max())))
    if not chosen.terms:
        return Verdict(spans, 1.0, "")
    seen = W @ chosen.carriers
    values = equilibrated_singular_values(seen)
    independent = len(values) == len(chosen.terms) and bool(values[-1] > RANK_TOLERANCE * values[0])
    _, raw, directions = np.linalg.svd(base, full_matrices=False)
    weakest = chosen.terms[int(np.abs(directions[-1]).argmax())].name
    condition = float(raw[0] / raw[-1]) if raw[-1] > 0.0 else np.inf
    return Verdict(spans and independent, condition, weakest)


def checked_set(chain: Chain) -> tuple[LinearSet, tuple[str, ...]]:
    """Return the closed form or, if the regressor disagrees, the numerical set; and notes."""
    W = structural_regressor(chain)
    theorem = closed_form(chain)
    verdict = judge(theorem, W)
    if verdict.agrees:
        return theorem, _remarks(verdict)
    found = numerical_set(chain, W, theorem)
    words = (
        f"the closed form of the minimal parameters has {len(theorem.terms)}, but the regressor of "
        f"this arm shows {len(found.terms)} or others; the ones of the regressor are used. The "
        "geometry is very close to a special one: give axes and offsets their nominal values."
    )
    warnings.warn(words, RobotWarning, stacklevel=4)
    return found, (words, *_remarks(judge(found, W)))


def _remarks(verdict: Verdict) -> tuple[str, ...]:
    return (verdict.remark,) if verdict.remark else ()


def numerical_set(chain: Chain, W: Array, first: LinearSet) -> LinearSet:
    """Return the set found numerically from stacked regressors W, for any arm.

    Columns that earlier ones do not explain are chosen, starting with the carriers of the closed
    form. Least squares expresses the other columns by them.
    """
    size = np.linalg.norm(W, axis=0)
    seen = np.flatnonzero(size > RANK_TOLERANCE * size.max(initial=0.0))
    carried = [int(c.argmax()) for c in np.abs(first.carriers.T)]
    order = [c for c in dict.fromkeys([*carried, *range(W.shape[1])]) if c in seen]
    scaled = W / np.where(size > 0.0, size, 1.0)
    chosen = sorted(_independent(scaled, order, rank(W)))
    found = np.linalg.lstsq(scaled[:, chosen], scaled)[0]
    matrix = found * (size[None, :] / size[chosen][:, None])
    matrix = np.where(np.abs(matrix) <= COEFFICIENT_TOLERANCE, 0.0, matrix)
    terms = tuple(_term(c) for c in chosen)
    matrix[:, chosen] = np.eye(len(chosen))
    return LinearSet(terms, matrix, np.eye(10 * chain.n)[:, chosen])


def _independent(W: Array, order: list[int], count: int) -> list[int]:
    """Return columns that earlier ones do not explain, as many as the rank."""
    basis = np.zeros((len(W), 0))
    left: dict[int, float] = {}
    for c in order:
        rest = W[:, c]
        for _ in range(2):  # the second pass removes rounding
            rest = rest - basis @ (basis.T @ rest)
        left[c] = float(np.linalg.norm(rest))
        if left[c] > COLUMN_TOLERANCE and basis.shape[1] < count:
            basis = np.column_stack([basis, rest / left[c]])
        else:
            left[c] = 0.0
    return [c for c, size in left.items() if size > 0.0]


def _term(c: int) -> Term:
    i, name = c // 10 + 1, PARAMETER_NAMES[c % 10]
    assert column(i, name) == c
    unit = ("kg", "kg m", "kg m^2")[power(name)]
    words = f"{name} of link {i} and what no torque tells from it"
    latex = f"{name[0]}_{{{(name[1:] + ',') if name[1:] else ''}{i}}}^{{+}}"
    return Term(i, f"{name}_{i}+", latex, unit, words)
