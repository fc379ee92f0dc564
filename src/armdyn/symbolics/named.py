"""Results as a few named terms and a matrix of these; LaTeX and Python."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from armdyn.errors import RobotError
from armdyn.symbolics.readable import Readable
from armdyn.symbolics.series import Series

# Results as a few named terms and a matrix of these, in the symbols of [Saha1999].
#
# M_ij are the entries of the mass matrix; mh_i and alpha_ij those of D and U, (45); alphap_ij the
# primed ones of U^-1, (47), with which the inverse is (48); h_k the Christoffel symbols. Signs and
# squares are those of the corrected equations, see `algorithms.denoc_inverse`.

# A difference this small relative to what it is taken from is zero.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Named:
    """A matrix written with names for its parts.

    Attributes:
        terms: the names as SymPy symbols, and what they stand for, in an order in which each needs
            only those before it.
        matrix: the result, as a SymPy matrix of these names and of other symbols.
    """

    terms: dict[Any, Any] = field(default_factory=dict[Any, Any])
    matrix: Any = None

    def expanded(self) -> Any:
        """Return the matrix without the names."""
        known: dict[Any, Any] = {}
        for name, value in self.terms.items():
            known[name] = value.xreplace(known)
        return self.matrix.xreplace(known)


class Factors:
    """M, U, D and the inverse of a mass matrix, by its rows from the diagonal entry on."""

    def __init__(self, sympy: Any, M: Sequence[Sequence[Any]]) -> None:
        self.sympy, self.n = sympy, len(M)
        self.terms: dict[Any, Any] = {}
        self._joints = range(self.n)
        self.M: list[list[Any]] = [[None] * self.n for _ in M]
        for i, row in enumerate(M):
            for j, x in enumerate(row, i):
                self.M[i][j] = self.M[j][i] = self._term("M", (i, j), x)

    def mass_matrix(self) -> Named:
        """Return M: names of its entries."""
        return self._named(lambda i, j: self.M[i][j])

    def U(self) -> Named:
        """Return U, unit upper triangular. (45)."""
        _, alpha = self._eliminated()
        return self._named(lambda i, j: alpha[i, j] if i < j else int(i == j))

    def D(self) -> Named:
        """Return D, diagonal. (45)."""
        mh, _ = self._eliminated()
        return self._named(lambda i, j: mh[i] if i == j else 0)

    def inverse(self) -> Named:
        """Return the inverse: entry i, j is the sum over k of v_ki v_kj / mh_k. (48), corrected.

        v are the entries of U^-1, which are -alphap_ij above the diagonal. (47), corrected.
        """
        mh, alpha = self._eliminated()
        v: dict[tuple[int, int], Any] = {}
        for j in self._joints:
            v[j, j] = self.sympy.Integer(1)
            for i in range(j):  # (39), corrected
                between = [v[i, k] * alpha[k, j] for k in range(i + 1, j)]
                v[i, j] = -self._term("alphap", (i, j), alpha[i, j] + self.sympy.Add(*between))
        return self._named(
            lambda i, j: self.sympy.Add(*(v[k, i] * v[k, j] / mh[k] for k in range(min(i, j) + 1)))
        )

    def _eliminated(self) -> tuple[list[Any], dict[tuple[int, int], Any]]:
        """Return mh_i and alpha_ij, i < j, from the last to the first, by (46)."""
        mh: list[Any] = [None] * self.n
        alpha: dict[tuple[int, int], Any] = {}

        def rest(i: int, j: int) -> Any:
            done = (alpha[i, k] * alpha[j, k] * mh[k] for k in range(j + 1, self.n))
            return self.M[i][j] - self.sympy.Add(*done)

        sample = Sample(self.terms)
        for j in reversed(self._joints):
            mh[j] = self._term("mh", (j,), rest(j, j))
            if sample.vanishes(mh[j], self.M[j][j]):
                raise RobotError(
                    f"the mass matrix is singular: joint {j + 1} can move, alone or with joints "
                    "behind it, without moving any mass. Give the links mass and inertia, or take "
                    "general=True."
                )
            for i in reversed(range(j)):
                alpha[i, j] = self._term("alpha", (i, j), rest(i, j) / mh[j])
        return mh, alpha

    def _term(self, name: str, at: tuple[int, ...], value: Any) -> Any:
        """Name a value, unless it is a number."""
        if value.is_Number:
            return value
        joint = "_" if self.n > 9 else ""  # 1, 11 and 11, 1 must differ
        symbol = self.sympy.Symbol(name + joint.join(str(k + 1) for k in at))
        self.terms[symbol] = value
        return symbol

    def _named(self, entry: Callable[[int, int], Any]) -> Named:
        """Return a matrix and the terms that it needs."""
        matrix = self.sympy.Matrix(self.n, self.n, entry)
        return Named(needed(self.terms, matrix), matrix)


def needed(terms: dict[Any, Any], matrix: Any) -> dict[Any, Any]:
    """Return the terms that a matrix is made of, in their order."""
    wanted: set[Any] = set(matrix.free_symbols)
    for name in reversed(terms):
        if name in wanted:
            wanted |= terms[name].free_symbols
    return {name: value for name, value in terms.items() if name in wanted}


class Sample:
    """The terms at arbitrary values of their symbols, to tell what is zero everywhere."""

    def __init__(self, terms: dict[Any, Any]) -> None:
        self._terms = terms
        self._known: dict[Any, float] = {}

    def vanishes(self, term: Any, size: Any) -> bool:
        """Say whether a term is zero up to rounding, compared with another."""
        return abs(self._at(term)) <= ROUNDING * abs(self._at(size))

    def _at(self, term: Any) -> float:
        if term.is_Number:
            return float(term)
        if term not in self._known:
            value = self._terms.get(term)
            if value is None:
                self._known[term] = random.Random(term.name).uniform(0.5, 1.5)
            else:
                known = {symbol: self._at(symbol) for symbol in value.free_symbols}
                self._known[term] = float(value.xreplace(known))
        return self._known[term]


def coriolis(readable: Readable, symbols: Sequence[Sequence[Sequence[Series]]]) -> Named:
    """Return C: Christoffel symbols that differ by more than their sign get a name."""
    S, n = readable.sympy, len(symbols)
    found: list[tuple[Series, Any]] = []

    def name_of(x: Series) -> tuple[Any, int]:
        for known, name in found:
            if x in (known, -known):
                return name, 1 if x == known else -1
        found.append((x, S.Symbol(f"h{len(found) + 1}")))
        return found[-1][1], 1

    def entry(i: int, j: int) -> Any:
        rates: dict[tuple[Any, int], list[Any]] = {}
        for k, x in enumerate(symbols[i][j], 1):
            if x.terms:
                rates.setdefault(name_of(x), []).append(S.Symbol(f"qd{k}"))
        return S.Add(*(sign * name * S.Add(*rate) for (name, sign), rate in rates.items()))

    matrix = S.Matrix(n, n, entry)
    return Named({name: readable.written(x) for x, name in found}, matrix)


def gravity(readable: Readable, torques: Sequence[Series]) -> Named:
    """Return the torques, with a name for each."""
    S = readable.sympy
    written = [readable.written(x) for x in torques]
    names = [x if x.is_Number else S.Symbol(f"G{i}") for i, x in enumerate(written, 1)]
    terms = {name: x for name, x in zip(names, written, strict=True) if not x.is_Number}
    return Named(terms, S.Matrix(names))


# Named results as LaTeX and as Python.

GREEK = ("alpha", "beta", "theta")
HEADS = {"qd": r"\dot q", "mh": r"\hat m", "alphap": r"{\alpha'}", "Jm": "J"}


def to_latex(sympy: Any, head: str, named: Named) -> str:
    """Return the lines of an ``aligned`` environment: the terms, then the matrix."""
    symbols = {s for x in (*named.terms.values(), named.matrix) for s in x.free_symbols}
    names = {symbol: latex_name(symbol.name) for symbol in symbols | set(named.terms)}

    def text(x: Any) -> str:
        written = str(sympy.latex(x, symbol_names=names, mat_str="bmatrix", mat_delim=""))
        return written.replace(r"{\left(", "(").replace(r" \right)}", ")")

    lines = [f"{names[name]} &= {text(value)}" for name, value in named.terms.items()]
    lines.append(f"{head} &= {text(named.matrix)}")
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def latex_name(name: str) -> str:
    """Return a symbol in LaTeX: letters, then joints and axes as a subscript."""
    found = re.fullmatch(r"([A-Za-z]+?)(\d[\d_]*)?([xyz]*)", name)
    letters, joints, axes = found.groups() if found else (name, None, "")
    head = HEADS.get(letters, f"\\{letters}" if letters in GREEK else letters)
    below = ("m" if letters == "Jm" else "") + (joints or "").replace("_", ",") + axes
    return head if not below else f"{head}_{below}" if len(below) == 1 else f"{head}_{{{below}}}"


def to_python(
    sympy: Any, function: str, summary: str, named: Named, n: int, states: Iterable[str]
) -> str:
    """Return a Python function of the states and a mapping from parameters to numbers."""
    own = set(named.terms)
    found = {s for x in (*named.terms.values(), named.matrix) for s in x.free_symbols} - own
    joints = {f"{state}{i}" for state in states for i in range(1, n + 1)}
    parameters = sorted((s.name for s in found if s.name not in joints), key=natural)

    def text(x: Any) -> str:
        return str(sympy.pycode(x, fully_qualified_modules=False))

    entries = [[text(x) for x in row] for row in named.matrix.tolist()]
    flat = len(entries[0]) == 1
    result = ", ".join(row[0] if flat else f"[{', '.join(row)}]" for row in entries)
    body = [
        *(f"{', '.join(f'{s}{i}' for i in range(1, n + 1))}{',' * (n == 1)} = {s}" for s in states),
        *(f'{name} = p["{name}"]' for name in parameters),
        *(f"{name} = {text(value)}" for name, value in named.terms.items()),
        f"return [{result}]",
    ]
    lines = [
        "from math import cos, sin", "", "",
        f"def {function}({', '.join(states)}, p):",
        f'    """{summary}"""',
        *(f"    {line}" for line in body),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def natural(name: str) -> tuple[Any, ...]:
    """Return the sort key of a symbol: letters, then the joint as a number."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name))
