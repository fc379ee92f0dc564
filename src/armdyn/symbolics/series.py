"""`Series`: exact polynomials in symbols times cosines and sines, in a canonical form.

A term is a rational number times powers of generators (lengths, masses, ...) times waves. A wave is
the cosine or sine of a whole combination of the angles of one group. Products of waves of the same
group become sums, cos a cos b = (cos(a - b) + cos(a + b))/2, so what cancels does cancel, and
cos q1 cos q2 - sin q1 sin q2 is cos(q1 + q2). Angles of joints with parallel axes are a group.
Waves of different groups stay products: no sum of their angles means anything. Two series are equal
for all values of their symbols if and only if their terms are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias


class Wave(NamedTuple):
    """cos, or sin if `odd`, of the sum of multiples of the angles of a group; never constant."""

    group: int
    multiples: tuple[int, ...]
    odd: bool


# Names of generators with their exponents, sorted by name.
Powers: TypeAlias = tuple[tuple[str, int], ...]

# The waves of a term, at most one of each group, sorted.
Waves: TypeAlias = tuple[Wave, ...]
Term: TypeAlias = tuple[Powers, Waves]

ONE: Term = ((), ())


@dataclass(frozen=True)
class Angle:
    """The angle of a revolute joint or a constant angle: all that is asked of it."""

    cos: Series
    sin: Series


class Series:
    """A sum of terms; arithmetic with numbers and with other series."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Term, Fraction]) -> None:
        self.terms = {term: x for term, x in terms.items() if x}

    @staticmethod
    def of(value: Series | float) -> Series:
        """Return a series, or the one of a number."""
        return value if isinstance(value, Series) else Series({ONE: Fraction(value)})

    @staticmethod
    def generator(name: str) -> Series:
        """Return the series of a symbol."""
        return Series({(((name, 1),), ()): Fraction(1)})

    @staticmethod
    def wave(group: int, multiples: tuple[int, ...], odd: bool) -> Series:
        """Return the cosine or the sine of multiples of a group's angles."""
        return Series({((), waves): x for waves, x in _waves(group, multiples, odd)})

    def __add__(self, other: Series | float) -> Series:
        total = dict(self.terms)
        for term, x in Series.of(other).terms.items():
            total[term] = total.get(term, Fraction(0)) + x
        return Series(total)

    __radd__ = __add__

    def __neg__(self) -> Series:
        return Series({term: -x for term, x in self.terms.items()})

    def __sub__(self, other: Series | float) -> Series:
        return self + -Series.of(other)

    def __rsub__(self, other: float) -> Series:
        return -self + other

    def __mul__(self, other: Series | float) -> Series:
        total: dict[Term, Fraction] = {}
        for (powers, waves), x in self.terms.items():
            for (other_powers, other_waves), y in Series.of(other).terms.items():
                merged = _merged(powers, other_powers)
                for product, z in _product(waves, other_waves):
                    term = (merged, product)
                    total[term] = total.get(term, Fraction(0)) + x * y * z
        return Series(total)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Series) and self.terms == other.terms

    __hash__ = None  # type: ignore[assignment]

    def by_generator(self, name: str) -> Series:
        """Return the derivative by a generator."""
        total: dict[Term, Fraction] = {}
        for (powers, waves), x in self.terms.items():
            exponent = dict(powers).get(name, 0)
            if exponent:
                left = {**dict(powers), name: exponent - 1}
                term = (tuple(sorted((k, e) for k, e in left.items() if e)), waves)
                total[term] = total.get(term, Fraction(0)) + exponent * x
        return Series(total)

    def by_angle(self, group: int, place: int) -> Series:
        """Return the derivative by an angle of a group."""
        total: dict[Term, Fraction] = {}
        for (powers, waves), x in self.terms.items():
            for k, wave in enumerate(waves):
                if wave.group == group and wave.multiples[place]:
                    turned = wave._replace(odd=not wave.odd)
                    term = (powers, (*waves[:k], turned, *waves[k + 1 :]))
                    rate = wave.multiples[place] if wave.odd else -wave.multiples[place]
                    total[term] = total.get(term, Fraction(0)) + rate * x
        return Series(total)

    def replaced(self, known: Mapping[str, Series]) -> Series:
        """Return the series with other series in the place of generators."""
        total = Series({})
        for (powers, waves), x in self.terms.items():
            left = tuple((name, e) for name, e in powers if name not in known)
            product = Series({(left, waves): x})
            for name, exponent in powers:
                for _ in range(exponent if name in known else 0):
                    product = product * known[name]
            total = total + product
        return total


def _merged(a: Powers, b: Powers) -> Powers:
    if not a or not b:
        return a or b
    total = dict(a)
    for name, exponent in b:
        total[name] = total.get(name, 0) + exponent
    return tuple(sorted(total.items()))


def _product(a: Waves, b: Waves) -> Iterable[tuple[Waves, Fraction]]:
    """Return the product of waves as a sum."""
    if not a or not b:
        return ((a or b, Fraction(1)),)
    others = {wave.group: wave for wave in b}
    found: list[tuple[Waves, Fraction]] = [
        (tuple(w for w in b if w.group not in {x.group for x in a}), Fraction(1))
    ]
    for wave in a:
        other = others.get(wave.group)
        factors = _pair(wave, other) if other else [((wave,), Fraction(1))]
        found = [(waves + more, x * y) for waves, x in found for more, y in factors]
    return [(tuple(sorted(waves)), x) for waves, x in found]


def _pair(a: Wave, b: Wave) -> list[tuple[Waves, Fraction]]:
    """Return the product of two waves of a group as the sum of two."""
    plus = tuple(x + y for x, y in zip(a.multiples, b.multiples, strict=True))
    minus = tuple(x - y for x, y in zip(a.multiples, b.multiples, strict=True))
    half = Fraction(1, 2)
    odd = a.odd != b.odd
    if not odd:  # cos cos, or sin sin
        parts = [(minus, half), (plus, -half if a.odd else half)]
    else:  # sin a cos b = (sin(a + b) + sin(a - b))/2
        parts = [(plus, half), (minus, half if a.odd else -half)]
    return [
        (waves, x * y) for multiples, x in parts for waves, y in _waves(a.group, multiples, odd)
    ]


def _waves(group: int, multiples: tuple[int, ...], odd: bool) -> list[tuple[Waves, Fraction]]:
    """Return a wave with the sign of its angle chosen; cos 0 is 1 and sin 0 is 0."""
    first = next((m for m in multiples if m), 0)
    if not first:
        return [] if odd else [((), Fraction(1))]
    if first > 0:
        return [((Wave(group, multiples, odd),), Fraction(1))]
    turned = tuple(-m for m in multiples)
    return [((Wave(group, turned, odd),), Fraction(-1 if odd else 1))]
