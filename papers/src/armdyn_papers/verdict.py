"""The scale of verdicts on statements of the papers, and how a verdict follows from checks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal[
    "holds",
    "differs with our algebra",
    "holds with a correction",
    "does not hold",
    "not legible, derived anew",
    "not tried",
]

# The definitions, which the pages print. One definition for all papers: the same size of
# discrepancy has the same word.
DEFINITIONS: dict[Verdict, str] = {
    "holds": "true as printed: a check computes both sides, and they differ by rounding only",
    "differs with our algebra": "a statement about numbers of operations: true of the counts that "
    "the papers print, or about algorithms that they do not print, but not true of the programs "
    "that armdyn simplifies",
    "holds with a correction": "false as printed; the correction beside it is checked and true: a "
    "sign, an index, a symbol, a lower term of a formula, or a smaller range",
    "does not hold": "false as printed, and no such correction makes it true",
    "not legible, derived anew": "the equation is not legible in the copy at hand; what the text "
    "says that it states is derived anew and checked",
    "not tried": "the text or the data that it needs are not at hand",
}
VERDICTS: tuple[Verdict, ...] = tuple(DEFINITIONS)

# Which of several verdicts stands for a statement of several parts: the first of these.
_WORST_FIRST: tuple[Verdict, ...] = (
    "does not hold",
    "holds with a correction",
    "differs with our algebra",
    "not legible, derived anew",
    "not tried",
    "holds",
)

# Relative differences of double precision: above the first a form is wrong, below the second it is
# right. Sums over links round by 1e-15 to 1e-13; a wrong sign or index gives 1e-2 or more.
WRONG, RIGHT = 1e-3, 1e-12


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a statement of several parts; "holds" without any."""
    parts = set(verdicts)
    for verdict in _WORST_FIRST:
        if verdict in parts:
            return verdict
    return "holds"


def of_differences(printed: float, corrected: float) -> Verdict:
    """Return the verdict on a printed form and its correction.

    Args:
        printed: difference of the printed form from an independent answer.
        corrected: difference of the corrected form from the same answer.
    """
    if abs(printed) < RIGHT:
        return "holds"
    return "holds with a correction" if abs(corrected) < RIGHT else "does not hold"


def of_counts(paper: list[bool | None], ours: list[bool | None], correction: bool) -> Verdict:
    """Return the verdict on a statement about numbers of operations.

    Args:
        paper: whether it is true of printed formulas and of printed recursions, None if unknown.
        ours: whether it is true of programs that armdyn simplifies, None if unknown.
        correction: a lower term of a formula, or a smaller range of n, makes it true of what the
            paper prints.
    """
    known = [held for held in paper if held is not None]
    others = [held for held in ours if held is not None]
    if not known and not others:
        return "not tried"
    if not all(known):
        return "holds with a correction" if correction else "does not hold"
    return "holds" if all(others) else "differs with our algebra"
