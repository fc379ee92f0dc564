"""The parts of the list of errata: what is printed, what is right, and the numbers that decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from armdyn_papers.verdict import Verdict, of_differences

# Whose misprint it is: only scanned copies were at hand, and scans lose signs and indices.
Origin: TypeAlias = Literal["paper", "paper or copy", "copy"]


@dataclass(frozen=True)
class Evidence:
    """A comparison with an independent answer.

    Attributes:
        what: is compared.
        printed: difference of the printed form.
        corrected: difference of the corrected form.
    """

    what: str
    printed: float
    corrected: float


@dataclass(frozen=True)
class Erratum:
    """A misprint.

    Attributes:
        place: where; equations by their numbers, else as the catalogue of the paper names it.
        printed: what is printed.
        correct: what is right.
        origin: whose misprint it is.
        decides: a function that compares both with an independent answer, or the reason in words
            where nothing can be evaluated.
        quote: the sentence or formula, letter by letter as the scanned copy has it.
    """

    place: str
    printed: str
    correct: str
    origin: Origin
    decides: Callable[[], Evidence] | str
    quote: str = ""

    @property
    def evidence(self) -> Evidence | None:
        """The comparison; None where nothing can be evaluated."""
        return None if isinstance(self.decides, str) else _evaluated(self.decides)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the statement: "holds" if the printed form is no misprint."""
        found = self.evidence
        if found is None:
            return "holds with a correction"
        return of_differences(found.printed, found.corrected)


@cache
def _evaluated(decides: Callable[[], Evidence]) -> Evidence:
    return decides()
