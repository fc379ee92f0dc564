"""Correlations of parameters: a heat map, and pairs that the data do not tell apart, in words."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Column
from armdyn.numerics import ratio
from armdyn.present.curves import captioned
from armdyn.present.html import Html, Packed, joined, listed, section, tag
from armdyn.robot.friction import FRICTION_TERMS

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Two parameters with a larger correlation are not told apart; so many pairs are named.
APART = 0.95
MOST_PAIRS = 12

# Size of the drawing, of its margin and of its text; names are left out if cells are smaller.
SIZE, LEFT = 900.0, 62.0
LARGEST, SMALLEST_NAMED = 22.0, 6.5

# Shades of a correlation, by its size; smaller ones are left blank.
SHADES = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85, APART)


def correlation_section(result: Result, packed: Packed) -> Html:
    """Return the heat map with words."""
    R = correlations(result.covariance)
    hint = tag(
        "p",
        "Correlations of the errors of the parameters: orange if two are wrong in the same "
        "direction, blue if in opposite ones, the darker the closer. Pairs above "
        f"{APART:g} are framed: only a combination of them is known from these data. Point at a "
        "cell to read it.",
        class_="hint",
    )
    picture = captioned(["Correlations"], _map(result, R, packed))
    return section(
        "Which parameters the data do not tell apart", _words(result, R), hint, picture,
        key="correlations",
    )  # fmt: skip


def correlations(covariance: Array) -> Array:
    """Return correlations; 0 beside a parameter without any variance."""
    std = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    found = np.clip(ratio(covariance, np.outer(std, std), 0.0), -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


def close_pairs(R: Array) -> list[tuple[int, int]]:
    """Return the pairs that are not told apart, the closest first."""
    i, j = np.nonzero(np.triu(np.abs(R) > APART, 1))
    order = np.argsort(-np.abs(R[i, j]), kind="stable")
    return [(int(i[k]), int(j[k])) for k in order]


def _words(result: Result, R: Array) -> Html:
    pairs = close_pairs(R)
    if not pairs:
        words = f"All parameters are told apart: no two have a correlation above {APART:g}."
        return tag("p", words)
    said = [_pair(result, i, j, float(R[i, j])) for i, j in pairs[:MOST_PAIRS]]
    if len(pairs) > MOST_PAIRS:
        said.append(f"and {len(pairs) - MOST_PAIRS} more pairs.")
    return listed(said)


def _pair(result: Result, i: int, j: int, r: float) -> str:
    a, b = result.model.columns[i], result.model.columns[j]
    r_said = f"{r:.3f}".replace("-", "\N{MINUS SIGN}")
    return (
        f"{a.name} ({_meaning(result, a)}) and {b.name} ({_meaning(result, b)}): correlation "
        f"{r_said}. {separating(result, a, b)}"
    )


def _meaning(result: Result, column: Column) -> str:
    where = _joints(result, column)
    if column.kind in FRICTION_TERMS:
        return f"{FRICTION_TERMS[column.kind].words} friction of {where}"
    if column.kind == "extra":
        return f"extra column of {where}"
    return f"{_sort(column)} seen by {where}"


def _joints(result: Result, column: Column) -> str:
    names = result.arm.joint_names
    if column.kind != "base":
        return ", ".join(names[j] for j in column.joints)
    number = re.match(r"[A-Za-z]+(\d+)", column.name)
    return names[int(number[1]) - 1] if number and int(number[1]) <= len(names) else "the arm"


def _sort(column: Column) -> str:
    """Return whether a minimal parameter is a moment of gravity or of inertia."""
    if column.unit.replace(" ", "") in ("kg", "kgm"):
        return "first moment of mass"
    return "inertia"


def separating(result: Result, a: Column, b: Column) -> str:
    """Return which motion tells two parameters apart."""
    first, second = _joints(result, a), _joints(result, b)
    both = first if first == second else f"{first} and {second}"
    kinds = {a.kind, b.kind}
    if "extra" in kinds:
        return f"Vary what the extra column depends on more independently of the motion of {both}."
    if kinds <= FRICTION_TERMS.keys():
        if "load_friction" in kinds:
            return f"Move {both} under more different loads: other postures, or a payload."
        if "offset" in kinds:
            return f"Move {both} forth and back for equally long."
        return f"Move {both} at more different speeds, slow and fast."
    if kinds & FRICTION_TERMS.keys():
        if "offset" in kinds:
            return f"Move {both} through more of the range of positions."
        if "viscous" in kinds:
            return f"Vary speed and acceleration of {both} independently: several speeds per place."
        return f"Move {both} in more different postures, in both directions."
    sorts = {_sort(a), _sort(b)}
    if sorts == {"first moment of mass"}:
        return f"Move {both} through more of their range of positions, not together."
    if sorts == {"inertia"}:
        return f"Accelerate {both} more, independently of each other and in more postures."
    return f"Move {both} both slowly and with strong accelerations in the same postures."


def _map(result: Result, R: Array, packed: Packed) -> Html:
    p = len(R)
    cell = round(min((SIZE - LEFT) / p, LARGEST), 2)
    size = LEFT + p * cell
    parts: list[Html] = []
    for sign, kind in ((1.0, "plus"), (-1.0, "minus")):
        level = np.digitize(sign * R, SHADES)
        for shade in range(1, len(SHADES) + 1):
            i, j = np.nonzero(level == shade)
            if len(i):
                d = "".join(
                    f"M{b} {a}h1v1h-1z" for a, b in zip(i.tolist(), j.tolist(), strict=True)
                )
                opacity = round(shade / len(SHADES), 2)
                parts.append(tag("path", d=d, class_=kind, opacity=opacity))
    i, j = np.nonzero((np.abs(R) > APART) & ~np.eye(p, dtype=bool))
    frames = "".join(f"M{b} {a}h1v1h-1z" for a, b in zip(i.tolist(), j.tolist(), strict=True))
    parts.append(tag("path", d=frames, class_="framed"))
    names = _names(result, cell) if cell >= SMALLEST_NAMED else []
    inside = tag("g", joined(parts), transform=f"translate({LEFT} {LEFT}) scale({cell})")
    values = np.ascontiguousarray(R.ravel())
    return tag(
        "svg",
        tag("rect", x=LEFT, y=LEFT, width=p * cell, height=p * cell, class_="frame"),
        inside,
        *names,
        viewBox=f"0 0 {size:g} {size:g}", class_="heat", role="img",
        style=f"width: min(100%, {size:g}px)", aria_label="correlations of the parameters",
        data_names=json.dumps(list(result.names)), data_values=packed.key(values),
        data_left=LEFT, data_cell=cell,
    )  # fmt: skip


def _names(result: Result, cell: float) -> list[Html]:
    """Return the names of the parameters at the left and above."""
    size = f"font-size: {min(0.8 * cell, 11.0):.1f}px"
    texts: list[Html] = []
    for k, name in enumerate(result.names):
        at = round(LEFT + (k + 0.75) * cell, 1)
        texts.append(tag("text", name, x=LEFT - 4, y=at, class_="axis", style=size))
        turned = f"translate({at} {LEFT - 4}) rotate(-90)"
        texts.append(tag("text", name, transform=turned, style=size))
    return texts
