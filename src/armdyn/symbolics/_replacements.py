"""What a user puts in the place of parameters: numbers and polynomials, as series."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from armdyn._checks import checked_choice, checked_mapping
from armdyn.errors import InputError, shown
from armdyn.symbolics._series import Powers, Series, Term

ANGLES = ("beta", "theta")
"""How names of constant angles begin."""


def replaced_by(
    sympy: Any, replacements: Mapping[Any, Any], names: Collection[str]
) -> dict[str, Series]:
    """Return the series for each replaced parameter; `names` are those of all."""
    given = checked_mapping(replacements, "replacements", what="a dict such as {'b2': 0.4}")
    free = [name for name in names if not name.startswith(ANGLES)]
    known: dict[str, Series] = {}
    for key, value in given.items():
        name = checked_choice(_name(key), "replacements", free, what="parameter")
        known[name] = _series(sympy, name, value)
    return known


def _name(key: Any) -> Any:
    """Return the name of a parameter that is given as a symbol."""
    return getattr(key, "name", key)


def _series(sympy: Any, name: str, value: Any) -> Series:
    try:
        exact = sympy.nsimplify(sympy.sympify(value, strict=True), rational=True)
        symbols = sorted(exact.free_symbols, key=str)
        terms = sympy.Poly(exact, *symbols).terms() if symbols else [((), exact)]
        found: dict[Term, Fraction] = {}
        for exponents, x in terms:
            pairs = zip(symbols, exponents, strict=True)
            powers: Powers = tuple((s.name, int(e)) for s, e in pairs if e)
            found[powers, ()] = Fraction(int(x.p), int(x.q))
    except (sympy.SympifyError, sympy.PolynomialError, AttributeError, TypeError, ValueError):
        raise InputError(
            f"`replacements` has {shown(value)} for {name!r}, expected a number or a polynomial of "
            "SymPy symbols.",
            argument="replacements",
        ) from None
    return Series(found)
