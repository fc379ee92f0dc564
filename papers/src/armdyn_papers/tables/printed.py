"""The parts of a printed table of operation counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Formula:
    """A printed polynomial in n: its text, and its exact coefficients, highest power first."""

    text: str
    coefficients: tuple[Fraction, ...]

    def __call__(self, n: int) -> int:
        """Return the value at n joints."""
        value = Fraction(0)
        for c in self.coefficients:
            value = value * n + c
        assert value.denominator == 1, (
            f"{self.text} is {value} at n = {n}: not a number of operations"
        )
        return int(value)


def formula(text: str, *coefficients: float | Fraction) -> Formula:
    """Make a formula; halves are exact as floats, sixths are given as fractions."""
    return Formula(text, tuple(Fraction(c) for c in coefficients))


def sum_of(formulas: Sequence[Formula]) -> Formula:
    """Return the sum of formulas."""
    size = max(len(formula.coefficients) for formula in formulas)
    padded = [(Fraction(0),) * (size - len(f.coefficients)) + f.coefficients for f in formulas]
    text = " + ".join(f"({formula.text})" for formula in formulas)
    return Formula(text, tuple(sum(column, Fraction(0)) for column in zip(*padded, strict=True)))


@dataclass(frozen=True)
class Item:
    """A line of a printed algorithm: M and A per execution, and the number of executions in n."""

    text: str
    M: int
    A: int
    times: Formula


def item(text: str, M: int, A: int, *times: float) -> Item:
    """Make a line; `times` are the coefficients, highest power first."""
    return Item(text, M, A, formula("", *times))


@dataclass(frozen=True)
class Measure:
    """The traced program that is compared with a row.

    `quantity` is one of the table of methods, or one that only the papers count and that
    `armdyn_papers.measure` can trace: "composites" (first moments and inertia tensors),
    "mass_matrix, composites on hand", "mass_matrix and bias", "bias beside mass_matrix",
    "factorisation", "substitution", "forward_dynamics from parts", "mass_matrix in one frame",
    "mass_matrix about another origin", "inverse_dynamics, gravity in forces", "inertia of a joint"
    (as printed only).
    """

    quantity: str
    method: str


@dataclass(frozen=True)
class PrintedRow:
    """A row: formulas of M and A, the printed numbers, and what they are compared with.

    `values` maps n to the printed (M, A), or to None if only the formula is printed. If nothing is
    traced, `measure` is the reason as text. Without `prints_lines` the paper has equations and a
    total but no line of the algorithm, so that a run of the equations is not what it counts. The
    formulas should be the sum of the lines `items`, unless `all_items` says that the paper, or what
    is legible of it, does not print all of them.
    `note` explains a difference, `as_printed` one between the formulas and the recursion that is
    run as printed.
    """

    label: str
    formulas: tuple[Formula, Formula] | None
    values: Mapping[int, tuple[int, int] | None]
    measure: Measure | str
    type: int = 1
    items: tuple[Item, ...] = ()
    all_items: bool = True
    prints_lines: bool = True
    note: str = ""
    as_printed: str = ""

    def formula(self, n: int) -> tuple[int, int] | None:
        """Return (M, A) by the formulas; None if there are none."""
        return None if self.formulas is None else (self.formulas[0](n), self.formulas[1](n))

    def sum_of_lines(self, n: int) -> tuple[int, int] | None:
        """Return (M, A) of all lines together; None if not all are printed."""
        if not (self.items and self.all_items):
            return None
        M, A = (sum(getattr(i, x) * i.times(n) for i in self.items) for x in "MA")
        return M, A


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper; `reference` is a key of the list of references and a place in it."""

    title: str
    reference: str
    rows: tuple[PrintedRow, ...]


def printed(
    ns: tuple[int, ...], M: tuple[int, ...], A: tuple[int, ...]
) -> dict[int, tuple[int, int]]:
    """Join the printed lines of M and A."""
    return {n: (m, a) for n, m, a in zip(ns, M, A, strict=True)}


def unprinted(*ns: int) -> dict[int, None]:
    """Say at which n a formula without printed numbers is evaluated."""
    return dict.fromkeys(ns)
