"""Series as SymPy expressions that a person can read: factored, in few cosines and sines.

A series is a sum over monomials of constants; each has a function of the joints as its factor. That
function is written in the shortest of several forms: as it is, sums of angles combined, or as a
polynomial of the cosines and sines of the joints' accumulated angles, such as cos(q2) cos(q2 + q3)
for (cos(q3) + cos(2 q2 + q3))/2. Then monomials are put together in two ways, by masses and by
functions of the joints, and the shorter is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from armdyn.files import imported
from armdyn.symbolics.description import Described
from armdyn.symbolics.series import Powers, Series, Wave, Waves

# Longer series are written wave by wave; no other form is short either, and finding it takes long.
MOST_TERMS = 60
# Functions of more waves or angles are not rewritten as polynomials of cosines and sines.
MOST_WAVES, MOST_ANGLES = 8, 2
# Sums of more terms, or in more cosines, sines and symbols, are not factored: it takes long.
MOST_FACTORED = 12
# A form by masses, as papers print the mass matrix, is preferred up to this ratio of lengths.
BY_MASSES = 1.6

# A function of the joints: a sum of products of waves with their factors.
Function = frozenset[tuple[Waves, Fraction]]


class Readable:
    """Writes the series of an arm."""

    def __init__(self, arm: Described) -> None:
        self.sympy: Any = imported("sympy", "a symbolic model")
        self.arm = arm
        self._forms: dict[tuple[Function, bool], Any] = {}
        self._sums: dict[tuple[Any, bool], Any] = {}

    def symbol(self, name: str) -> Any:
        """Return a symbol; it has no assumptions, so that ``sympy.Symbol(name)`` is the same."""
        return self.sympy.Symbol(name)

    def written(self, series: Series, *, by_masses: bool = False) -> Any:
        """Return a series as an expression.

        Args:
            series: the series.
            by_masses: prefer the form by masses, unless it is much longer.
        """
        if len(series.terms) > MOST_TERMS:
            return self._by_waves(series)
        functions = _functions(series)
        masses = self._by_masses(functions)
        forms = self._by_forms(functions)
        factor = BY_MASSES if by_masses else 1.0
        return masses if _length(masses) <= factor * _length(forms) else forms

    def _by_masses(self, functions: Mapping[Powers, Function]) -> Any:
        """Return the sum over masses and inertias, each times its factored coefficient."""
        S = self.sympy
        of: dict[Powers, dict[Powers, Function]] = {}
        for powers, function in functions.items():
            own = tuple((name, e) for name, e in powers if name in self.arm.inertial)
            rest = tuple((name, e) for name, e in powers if name not in self.arm.inertial)
            of.setdefault(own, {})[rest] = function
        alike: dict[Any, list[Any]] = {}
        for own, parts in of.items():
            alike.setdefault(self._coefficient(parts), []).append(self._monomial(own))
        return S.Add(*(self._times(S.Add(*symbols), x) for x, symbols in alike.items()))

    def _coefficient(self, functions: Mapping[Powers, Function]) -> Any:
        """Return a sum in its shortest form: by functions, or factored, in one or two parts."""
        S = self.sympy
        found = [self._by_forms(functions)]
        for products in (False, True):
            parts = [
                (any(waves for waves, _ in f), self._monomial(powers) * self._form(f, products))
                for powers, f in functions.items()
            ]
            whole = S.Add(*(x for _, x in parts))
            moving, still = (S.Add(*(x for moves, x in parts if moves is m)) for m in (True, False))
            found += [self.factored(whole), self.factored(moving) + self.factored(still)]
        return min(found, key=_length)

    def _by_forms(self, functions: Mapping[Powers, Function]) -> Any:
        """Return the sum over functions of the joints, each times its factored coefficient."""
        S = self.sympy
        of: dict[Function, list[Any]] = {}
        for powers, function in functions.items():
            scale, unit = _normalised(function)
            of.setdefault(unit, []).append(self._rational(scale) * self._monomial(powers))
        return S.Add(
            *(self._times(self.factored(S.Add(*parts)), self._form(f)) for f, parts in of.items())
        )

    def _by_waves(self, series: Series) -> Any:
        """Return the sum over waves: each once, times a constant of the arm."""
        S = self.sympy
        of: dict[Waves, list[Any]] = {}
        for (powers, waves), x in series.terms.items():
            of.setdefault(waves, []).append(self._rational(x) * self._monomial(powers))
        return S.Add(
            *(
                self._times(self.factored(S.Add(*parts), deep=False), self._plain(waves))
                for waves, parts in of.items()
            )
        )

    def _times(self, a: Any, b: Any) -> Any:
        """Return a b; a number is not multiplied into a sum."""
        S = self.sympy
        for number, other in ((a, b), (b, a)):
            if number.is_Number and other.is_Add and number not in (1, -1):
                return S.Mul(number, other, evaluate=False)
        return a * b

    def factored(self, x: Any, *, deep: bool = True) -> Any:
        """Return a sum as it is, with common factors taken out, or factored: the shortest."""
        key = (x, deep)
        if key not in self._sums:
            self._sums[key] = self._shortest(x, deep)
        return self._sums[key]

    def _shortest(self, x: Any, deep: bool) -> Any:
        S = self.sympy
        if not x.is_Add:
            return x
        found = [x, self._common(x)]
        if deep and 3 <= len(x.args) <= MOST_FACTORED:
            atoms = x.atoms(S.Symbol, S.sin, S.cos)
            if len(atoms) <= MOST_FACTORED:
                factors = S.factor(x)
                number, rest = factors.as_coeff_Mul()
                if number.is_Integer and not rest.is_Add:  # more than a number comes out
                    found.append(factors)
        return min(found, key=_length)

    def _common(self, x: Any) -> Any:
        """Return a sum with the factors that all its terms share taken out."""
        S = self.sympy
        numbers, rests = zip(*(term.as_coeff_Mul() for term in x.args), strict=True)
        parts = [rest.as_powers_dict() for rest in rests]
        shared = {
            base: min(part[base] for part in parts)
            for base in parts[0]
            if base != 1 and all(base in part for part in parts)
        }
        number = -1 if all(k < 0 for k in numbers) else 1
        if len({abs(k) for k in numbers}) == 1 and not numbers[0].is_Integer:
            number *= abs(numbers[0])
        factor = S.Mul(*(base**e for base, e in shared.items()))
        total = S.Add(*(k / number * rest / factor for k, rest in zip(numbers, rests, strict=True)))
        return (number * factor) * total

    def _form(self, function: Function, products: bool = False) -> Any:
        """Return a function of the joints in its shortest form, or the shortest polynomial."""
        scale, unit = _normalised(function)
        key = (unit, products)
        if key not in self._forms:
            polynomials = list(self._polynomials(unit))
            others = [] if products and polynomials else [self._sum(unit)]
            self._forms[key] = min(others + polynomials, key=_length)
        return self._rational(scale) * self._forms[key]

    def _sum(self, function: Function) -> Any:
        return self.sympy.Add(
            *(self._rational(x) * self._plain(waves) for waves, x in sorted(function))
        )

    def _plain(self, waves: Waves) -> Any:
        """Return a product of waves as it is."""
        S = self.sympy
        factors: list[Any] = []
        for wave in waves:
            angles = self.arm.groups[wave.group].angles
            angle = S.Add(
                *(
                    m * S.Add(*map(self.symbol, names))
                    for m, names in zip(wave.multiples, angles, strict=True)
                )
            )
            factors.append((S.sin if wave.odd else S.cos)(angle))
        return S.Mul(*factors)

    def _polynomials(self, function: Function) -> Iterable[Any]:
        """Yield the function as polynomials of cosines and sines of accumulated angles.

        For each angle, squares of its sine or of its cosine are replaced; all choices are tried.
        """
        S = self.sympy
        used = {w for waves, _ in function for w in waves}
        simple = len(function) == 1 and all(max(map(abs, w.multiples)) == 1 for w in used)
        if simple or len(function) > MOST_WAVES:
            return
        starts = {g: min(_first(w) for w in used if w.group == g) for g in {w.group for w in used}}
        pairs: dict[tuple[int, int], Any] = {}
        total = S.Integer(0)
        for waves, x in sorted(function):
            term = self._rational(x)
            for wave in waves:
                term *= self._expanded(wave, starts[wave.group], pairs)
            total += S.expand(term)
        back: dict[Any, Any] = {}
        for (group, place), (c, s) in pairs.items():
            multiples = self._accumulated(group, starts[group], place)
            back[c], back[s] = (
                self._plain((Wave(group, multiples, odd),)) for odd in (False, True)
            )
        if len(pairs) > MOST_ANGLES:
            return
        for choice in product((False, True), repeat=len(pairs)):
            rules = [
                (s, c) if swap else (c, s)
                for swap, (c, s) in zip(choice, pairs.values(), strict=True)
            ]
            yield S.factor(self._reduced(total, rules)).xreplace(back)

    def _expanded(self, wave: Wave, start: int, pairs: dict[tuple[int, int], Any]) -> Any:
        """Return a wave in cosines and sines of accumulated angles, which `pairs` collects."""
        S = self.sympy
        real, imaginary = S.Integer(1), S.Integer(0)  # of exp(i angle)
        signs = self.arm.groups[wave.group].signs
        signed = [m * sign for m, sign in zip(wave.multiples, signs, strict=True)]
        for place, (m, following) in enumerate(zip(signed, [*signed[1:], 0], strict=True)):
            times = m - following
            if place < start or not times:
                continue
            key = (wave.group, place)
            c, s = pairs.setdefault(key, (S.Dummy("c"), S.Dummy("s")))
            sine = s if times > 0 else -s
            for _ in range(abs(times)):
                real, imaginary = real * c - imaginary * sine, real * sine + imaginary * c
        return S.expand(imaginary if wave.odd else real)

    def _accumulated(self, group: int, start: int, place: int) -> tuple[int, ...]:
        """Return the multiples of the sum of a group's angles from one place to another."""
        signs = self.arm.groups[group].signs
        return tuple(sign if start <= k <= place else 0 for k, sign in enumerate(signs))

    def _reduced(self, polynomial: Any, rules: Iterable[tuple[Any, Any]]) -> Any:
        """Return a polynomial with squares of the first of each pair replaced by the second."""
        S = self.sympy
        for a, b in rules:
            found = S.Poly(polynomial, a)
            polynomial = S.expand(
                S.Add(*(c * (1 - b**2) ** (k // 2) * a ** (k % 2) for (k,), c in found.terms()))
            )
        return polynomial

    def _monomial(self, powers: Powers) -> Any:
        return self.sympy.Mul(*(self.symbol(name) ** e for name, e in powers))

    def _rational(self, x: Fraction) -> Any:
        return self.sympy.Rational(x.numerator, x.denominator)


def _functions(series: Series) -> dict[Powers, Function]:
    """Return the function of the joints that each monomial of constants is multiplied by."""
    found: dict[Powers, list[tuple[Waves, Fraction]]] = {}
    for (powers, waves), x in series.terms.items():
        found.setdefault(powers, []).append((waves, x))
    return {powers: frozenset(parts) for powers, parts in found.items()}


def _normalised(function: Function) -> tuple[Fraction, Function]:
    """Return a factor, and the function without it: the first of its terms has the factor 1."""
    first = min(function)[1]
    return first, frozenset((waves, x / first) for waves, x in function)


def _first(wave: Wave) -> int:
    return next(k for k, m in enumerate(wave.multiples) if m)


@lru_cache(maxsize=100_000)
def _length(x: Any) -> int:
    """Return how long an expression is to read: its symbols, numbers, functions and brackets."""
    if not x.args:
        return 2 if x.is_Number and not (x.is_Integer and x.is_positive) else 1
    own = 0 if x.is_Mul or x.is_Pow else len(x.args) if x.is_Add else 1
    return own + sum(map(_length, x.args))
