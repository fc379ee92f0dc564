"""The minimal parameters one by one: names, meanings, units, and their text and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.algorithms.minimal_set import Symbol
from armdyn.arrays import Array
from armdyn.present.tables import Grid, card, number
from armdyn.robot.friction import FRICTION_TERMS

if TYPE_CHECKING:
    from armdyn.minimal.parameters import MinimalParameters

# The minimal parameters one by one: their names, meanings, units and carriers.
#
# A name is a symbol of [Lin1994] with the number of the joint in it: of the composite body i, that
# is links i..n, U is the constant part of the inertia about O_i, k that of the first moment, m the
# mass.
#
#     U2_33, U2_12, U2_13, U2_23   entries of U          [kg m^2]
#     U2_11-22                     their difference      [kg m^2]
#     k2_x, k2_y, k2_z             components of k       [kg m]
#     kappa3_x, kappa3_y           k across axis r       [kg m]
#     m3                           mass                  [kg]
#     Jm3                          rotor inertia         [kg m^2], [kg] where the joint slides
#     Fv1, Fc1, Fo1, ...           friction, a parameter for each term of its law; Fl1, Fs1, Fq1
#                                  only of joints that have load, Stribeck or square-root friction

_ENTRIES: dict[Symbol, tuple[str, str, str, str]] = {
    # name, LaTeX, the parameter of link i that has the coefficient 1, words
    "U11-U22": ("U{}_11-22", "U_{{{0},11}}-U_{{{0},22}}", "Ixx",
                "difference of the inertias about x and y"),
    "U33": ("U{}_33", "U_{{{},33}}", "Izz", "inertia about the joint's axis"),
    "U12": ("U{}_12", "U_{{{},12}}", "Ixy", "product of inertia xy"),
    "U13": ("U{}_13", "U_{{{},13}}", "Ixz", "product of inertia xz"),
    "U23": ("U{}_23", "U_{{{},23}}", "Iyz", "product of inertia yz"),
    "kx": ("k{}_x", "k_{{{},x}}", "mx", "first moment along x"),
    "ky": ("k{}_y", "k_{{{},y}}", "my", "first moment along y"),
    "kz": ("k{}_z", "k_{{{},z}}", "mz", "first moment along z"),
    "mhat": ("m{}", r"\hat m_{{{}}}", "m", "mass"),
}  # fmt: skip

_UNITS = {0: "kg", 1: "kg m", 2: "kg m^2"}


@dataclass(frozen=True)
class Term:
    """One parameter of a set; `symbol` is None if it is a drive's or was found numerically.

    Attributes:
        joint: its number, from 1.
        name: see the head of this file.
        latex: the name in LaTeX.
        unit: in SI.
        words: its meaning.
        carrier: the parameter of link `joint` that has the coefficient 1.
    """

    joint: int
    name: str
    latex: str
    unit: str
    words: str
    symbol: Symbol | None = None
    carrier: str = ""


def body_term(joint: int, symbol: Symbol, n: int, tree: bool = False) -> Term:
    """Return the term of a composite body: links up to n, in a tree all behind its joint."""
    name, latex, carrier, words = _ENTRIES[symbol]
    constant = "" if symbol == "mhat" else ", as far as no joint changes it"
    return Term(
        joint, name.format(joint), latex.format(joint), _UNITS[power(carrier)],
        f"{words} of {_links(joint, n, tree)}{constant}", symbol, carrier,
    )  # fmt: skip


def across_term(joint: int, symbol: Symbol, axis: str, r: int, n: int, tree: bool = False) -> Term:
    """Return the term of a first moment whose part along the axis of joint r is invisible."""
    words = (
        f"first moment along {axis} of {_links(joint, n, tree)} after a part along the axis of "
        f"joint {r}, which is unseen, is taken off"
    )
    latex = f"\\kappa_{{{joint},{axis}}}"
    return Term(joint, f"kappa{joint}_{axis}", latex, _UNITS[1], words, symbol, f"m{axis}")


def _links(joint: int, n: int, tree: bool) -> str:
    if tree:
        return f"link {joint} and all behind it"
    return f"links {joint} to {n}" if joint < n else f"link {n}"


def rotor_term(joint: int, rotational: bool) -> Term:
    """Return the term of a rotor whose inertia is separable from that of the links."""
    unit = "kg m^2" if rotational else "kg"
    words = f"rotor inertia of joint {joint}"
    return Term(joint, f"Jm{joint}", f"J_{{m,{joint}}}", unit, words)


def friction_terms(joint: int, rotational: bool, names: Iterable[str]) -> list[Term]:
    """Return the terms of a joint's friction."""
    return [
        Term(joint, f"{term.symbol}{joint}", f"F_{{{term.symbol[1:]},{joint}}}",
             term.unit(rotational), f"{term.words} friction of joint {joint}")
        for term in map(FRICTION_TERMS.__getitem__, names)
    ]  # fmt: skip


def power(parameter: str) -> int:
    """Return the power of the length in the unit of a link's parameter: 0, 1 or 2."""
    return 0 if parameter == "m" else 1 if parameter.startswith("m") else 2


def column(joint: int, parameter: str) -> int:
    """Return the index of a link's parameter among all."""
    return 10 * (joint - 1) + PARAMETER_NAMES.index(parameter)


# Combinations of parameters as text and as LaTeX.

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


# Minimal parameters as notebooks show them.


def minimal_card(found: MinimalParameters) -> str:
    """Return minimal parameters: name, value and combination of each."""
    rows = tuple(
        (name, number(float(value)), unit, written(row, found.parameter_names))
        for name, value, unit, row in zip(
            found.names, found.values, found.units, found.matrix, strict=True
        )
    )
    facts = {"minimal parameters": str(len(found)), "parameters": str(len(found.parameter_names))}
    grid = Grid("", ("name", "value", "unit", "combination"), 1, rows, words_after=2)
    return card("Minimal parameters", facts, grid)
