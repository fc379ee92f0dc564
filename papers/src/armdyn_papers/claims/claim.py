"""What a claim is: who is said to need fewer operations than whom, and for which n."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn_papers.tables.measured import TABLES
from armdyn_papers.tables.printed import Formula, Measure, PrintedRow, sum_of

# The numbers of joints for which claims are tested.
SMALLEST, LARGEST = 2, 30


@dataclass(frozen=True)
class Contender:
    """An algorithm in a ranking: its printed row, and the program that is counted.

    `row` is None if no paper prints its count, `measure` is None if nothing can be traced. With
    `only_here` no paper prints its recursion, though the method has one by another name.
    """

    label: str
    row: PrintedRow | None
    measure: Measure | None
    only_here: bool = False


@dataclass(frozen=True)
class Claim:
    """A statement of a paper about operation counts, in our words.

    Attributes:
        id: "paper.name", which the pages of the papers refer to.
        place: where the paper makes it.
        statement: what it says.
        type: the arms: 1 for rotational joints, 2 for a translational joint 3.
    """

    id: str
    place: str
    statement: str
    type: int

    @property
    def paper(self) -> str:
        """The paper's name, as `armdyn-papers paper` takes it."""
        return self.id.partition(".")[0]


@dataclass(frozen=True)
class Ranking(Claim):
    """The cheapest of `winners` takes fewer operations than any of `rivals`, first <= n <= last.

    With `only`, the rivals are said to be as cheap or cheaper for all other n.
    """

    winners: tuple[Contender, ...]
    rivals: tuple[Contender, ...]
    first: int = SMALLEST
    last: int = LARGEST
    only: bool = False


@dataclass(frozen=True)
class Amount(Claim):
    """`more` takes exactly M and A operations more than `less`; None for what is not said."""

    more: Contender
    less: Contender
    M: Formula | None
    A: Formula | None
    first: int = SMALLEST
    last: int = LARGEST


@dataclass(frozen=True)
class Order(Claim):
    """The count is a polynomial in n of this degree, from some n on."""

    contender: Contender
    degree: int


@dataclass(frozen=True)
class Parallel(Claim):
    """Many processors at once make `method` faster, as they do `beside`.

    The gain is operations over the critical path. It should be above 1 and grow with n.
    """

    method: Contender
    beside: Contender


def printed(reference: str, label: str, type: int = 1) -> Contender:
    """Return the contender of a row of the papers' tables."""
    (row,) = (
        row
        for table in TABLES
        if table.reference == reference
        for row in table.rows
        if (row.label, row.type) == (label, type)
    )
    return Contender(label, row, row.measure if isinstance(row.measure, Measure) else None)


def together(label: str, *parts: Contender) -> Contender:
    """Return the contender that does all that some printed rows do."""
    rows = [part.row for part in parts]
    found = [row.formulas for row in rows if row and row.formulas]
    assert len(found) == len(parts), f"{label}: a part prints no formula"
    M, A = (sum_of([pair[k] for pair in found]) for k in (0, 1))
    return Contender(label, PrintedRow(label, (M, A), {}, "the sum of printed rows"), None)


def traced(quantity: str, method: str, *, only_here: bool = False) -> Contender:
    """Return the contender of a method for which the paper prints no count."""
    return Contender(method, None, Measure(quantity, method), only_here)
