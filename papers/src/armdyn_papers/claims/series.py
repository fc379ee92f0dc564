"""Counts over the number of joints, at the stages at which claims are tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Literal, TypeAlias, get_args

from armdyn_papers.claims.claim import LARGEST, SMALLEST, Contender
from armdyn_papers.measure import critical_path
from armdyn_papers.stages import staged
from armdyn_papers.tables.printed import Measure, PrintedRow

Try: TypeAlias = Literal["formulas", "printed", "simplified", "improved"]

# The printed formulas, and the three stages of measured counts.
TRIES: tuple[Try, ...] = get_args(Try)

Pair: TypeAlias = tuple[int, int]

# (M, A) by the number of joints.
Series: TypeAlias = Mapping[int, Pair]

# Counts are polynomials in n once no link is special. Those at n <= MEASURED are measured; the rest
# follow from a cubic through the last four, if it also gives what is measured at CHECKS. If it does
# not, or if every n is asked for, every n is measured.
MEASURED, CHECKS = 10, (6, 14)


def series(contender: Contender, type: int, stage: Try, *, every: bool) -> Series | None:
    """Return the counts of a contender for n = 2..30; None if there are none at this stage."""
    row = contender.row
    type = type if row is None else row.type
    if stage == "formulas":
        return None if row is None else _printed(row)
    if is_quoted(contender, stage):
        return None if row is None else _printed(row)
    if contender.measure is None:
        return None
    if contender.only_here and stage != "improved":
        return None
    return _measured(contender.measure, type, stage, every)


def is_quoted(contender: Contender, stage: Try) -> bool:
    """Say whether a formula stands for the contender beside recursions that are run as printed."""
    row = contender.row
    printed = row is not None and row.prints_lines and contender.measure is not None
    return stage == "printed" and not printed and (row is not None or contender.measure is None)


def depths(contender: Contender, type: int, *, every: bool) -> Mapping[int, int]:
    """Return the critical paths of a method for n = 2..30."""
    what = contender.measure
    assert what is not None

    def path(n: int) -> Pair:
        found = critical_path(what.quantity, what.method, n, type)
        assert found is not None
        return found, 0

    return {n: steps for n, (steps, _) in _extended(path, SMALLEST, every).items()}


def polynomial(series: Series, which: int) -> tuple[Fraction, ...]:
    """Return the coefficients of M (0) or A (1) for large n, highest power first."""
    found = _cubic([(n, series[n][which]) for n in range(LARGEST - 3, LARGEST + 1)])
    while len(found) > 1 and found[0] == 0:
        found = found[1:]
    return found


def _printed(row: PrintedRow) -> Series:
    """Return the values of the formulas, or the printed numbers if there are no formulas."""
    if row.formulas is None:
        return {n: pair for n, pair in row.values.items() if pair is not None}
    M, A = row.formulas
    return {n: (M(n), A(n)) for n in range(SMALLEST, LARGEST + 1)}


@cache
def _measured(what: Measure, type: int, stage: Try, every: bool) -> Series | None:
    first = 3 if type == 2 else SMALLEST
    first = 4 if what.quantity in ("mass_matrix in one frame", "inertia of a joint") else first

    def count(n: int) -> Pair:
        assert stage != "formulas"
        found = staged(what.quantity, what.method, n, type, stage)
        assert found is not None
        return found.multiplications + found.sqrt, found.additions

    assert stage != "formulas"
    if staged(what.quantity, what.method, first, type, stage) is None:
        return None
    return _extended(count, first, every)


def _extended(count: Callable[[int], Pair], first: int, every: bool) -> Series:
    """Measure as many n as needed; see MEASURED."""
    found = {n: count(n) for n in range(first, MEASURED + 1)}
    if not every:
        curves = [
            _cubic([(n, found[n][k]) for n in range(MEASURED - 3, MEASURED + 1)]) for k in (0, 1)
        ]

        def extended(n: int) -> Pair:
            M, A = (_value(curve, n) for curve in curves)
            return M, A

        if all(extended(n) == (found[n] if n in found else count(n)) for n in CHECKS):
            return found | {n: extended(n) for n in range(MEASURED + 1, LARGEST + 1)}
    return found | {n: count(n) for n in range(MEASURED + 1, LARGEST + 1)}


def _cubic(points: list[tuple[int, int]]) -> tuple[Fraction, ...]:
    """Return the coefficients of the cubic through four points, highest power first."""
    total = [Fraction(0)] * 4
    for x, y in points:
        basis, scale = [Fraction(1)], Fraction(y)
        for other, _ in points:
            if other != x:  # times (n - other)
                basis = [a - other * b for a, b in zip([*basis, 0], [0, *basis], strict=True)]
                scale /= x - other
        total = [t + scale * b for t, b in zip(total, basis, strict=True)]
    return tuple(total)


def _value(coefficients: tuple[Fraction, ...], n: int) -> int:
    value = Fraction(0)
    for c in coefficients:
        value = value * n + c
    return round(value)
