"""Combinations of parameters as text and as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Coefficients in SI units this small are rounding.
RESIDUE = 1e-12


def written(coefficients: Array, names: Sequence[str], times: str = " ") -> str:
    """Return a sum such as ``Izz_2 + Iyy_3 + 0.1866 m_3``."""
    text = ""
    coefficients = np.where(np.abs(coefficients) <= RESIDUE, 0.0, coefficients)
    for k in map(int, np.flatnonzero(coefficients)):
        factor = float(coefficients[k])
        size = f"{abs(factor):.6g}"
        term = names[k] if size == "1" else f"{size}{times}{names[k]}"
        sign = "-" if factor < 0.0 else "+"
        text += f" {sign} {term}" if text else f"-{term}" if factor < 0.0 else term
    return text or "0"


def latex_lines(heads: Sequence[str], matrix: Array, names: Sequence[str]) -> str:
    """Return sums as the lines of a LaTeX ``align*`` environment."""
    listed = [latex_name(name) for name in names]
    lines = [
        f"  {head} &= {written(row, listed, times=chr(92) + ',')}"
        for head, row in zip(heads, matrix, strict=True)
    ]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def latex_name(parameter: str) -> str:
    """Return a parameter such as ``Ixx_3`` for LaTeX: I_{xx,3}."""
    name, _, joint = parameter.partition("_")
    letter, index = name[0], name[1:]
    return f"{letter}_{{{index},{joint}}}" if index else f"{letter}_{{{joint}}}"
