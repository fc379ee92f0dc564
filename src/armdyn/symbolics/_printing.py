"""Named results as LaTeX and as Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from armdyn.symbolics._named import Named

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
