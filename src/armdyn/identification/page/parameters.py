"""Identified parameters: error bars, described values, correlations, and physical links."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.arguments import described_values
from armdyn.identification.fit.columns import Column
from armdyn.numerics import ratio
from armdyn.present.curves import captioned
from armdyn.present.html import Html, Packed, hint, joined, listed, section, tag
from armdyn.present.tables import MINUS, Grid, Toned, number, percent, with_deviation
from armdyn.robot.friction import FRICTION_TERMS
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Random poses at which the mass matrix is checked.
POSES = 1000

# Above this correlation only a combination of two parameters is known: their separate standard
# deviations are three times those of the combination.
CORRELATED = 0.95


def parameter_table(result: Result) -> Html:
    """Return a row for each parameter."""
    weak, described = set(result.weak), described_values(result)
    rows: list[tuple[str, ...]] = []
    for i, name in enumerate(result.names):
        value, std, cad = float(result.values[i]), float(result.std[i]), float(described[i])
        mark = Toned("not known", "bad") if name in weak else Toned("known", "good")
        shown = with_deviation(value, std), number(std, 2)
        share = percent(std / abs(value)) if value else "–"
        label = tag("span", name, title=result.expression(name))
        bar = _bar(value, std, cad)
        rows.append((label, result.units[i], mark, bar, *shown, share, number(cad)))
    heads = ("parameter", "unit", "", "value ± 2 std", "value", "std", "std / value", "described")
    explained = hint(
        "Known: the standard deviation is below 30 % of the value; other parameters hardly change "
        "the torques of motions like these. Dot and bar: value and two standard deviations. "
        "Diamond: described value. Point at a name to read which combination of link parameters it "
        "is."
    )
    table = Grid("", heads, 4, tuple(rows)).html()
    return section("Parameters", explained, table, key="parameters")


def _bar(value: float, std: float, cad: float) -> Html:
    """Return value and error bar as a drawing, zero in the middle."""
    wide, high, mid = 150, 16, 8  # size and middle of the drawing [px]
    reach = 1.1 * max(abs(value) + 2.0 * std, np.nan_to_num(abs(cad)))
    reach = reach if 0.0 < reach < np.inf else 1.0

    def at(x: float) -> float:
        return round(wide / 2 * (1.0 + min(max(x / reach, -1.0), 1.0)), 1)

    parts = [
        tag("line", x1=wide / 2, x2=wide / 2, y1=0, y2=high, class_="zero"),
        tag("line", x1=at(value - 2 * std), x2=at(value + 2 * std), y1=mid, y2=mid, class_="bar"),
        tag("circle", cx=at(value), cy=mid, r=2.8, class_="mid"),
    ]
    if np.isfinite(cad):
        c = at(cad)
        diamond = f"{c - 4},{mid} {c},{mid - 4} {c + 4},{mid} {c},{mid + 4}"
        parts.append(tag("polygon", points=diamond, class_="cad"))
    return tag("svg", joined(parts), width=wide, height=high, viewBox=f"0 0 {wide} {high}")


def hidden(result: Result) -> Html:
    """Return the properties that are not identifiable, and why."""
    words = (
        "No motion determines these: they enter the torques only in the combinations above. The "
        "identified arm keeps their described values as far as the combinations allow."
    )
    statements = listed(result.not_identifiable)
    return section("Not identifiable", tag("p", words), statements, key="hidden")


def links(result: Result) -> Html:
    """Return masses and centres of mass before and after, and physical consistency."""
    rows: list[tuple[str, ...]] = []
    inconsistent: list[str] = []
    for before, after in zip(result.described.robot.joints, result.arm.robot.joints, strict=True):
        faults = after.physical_faults()
        inconsistent += [after.name] * bool(faults)
        mark = Toned("no", "bad") if faults else Toned("yes", "good")
        masses = (number(link.mass) if link.mass else "–" for link in (after, before))
        rows.append((after.name, mark, *masses, _centre(after), _centre(before)))
    heads = ("link of joint", "consistent", "mass [kg]", "described", "centre [m]", "described")
    words = "All links are physically consistent."
    if inconsistent:
        words = (
            f"The links of {', '.join(inconsistent)} are physically inconsistent: torques of "
            "motions like these are right, but simulators may refuse the arm."
        )
    lowest = least_inertia(result)
    definite = "positive definite" if lowest > 0 else "not positive definite, do not simulate it"
    words += f" The mass matrix at {POSES} random poses is {definite} (least eigenvalue "
    words += f"{number(lowest, 3)})."
    return section("Links", tag("p", words), Grid("", heads, 2, tuple(rows)).html(), key="links")


def _centre(link: Joint) -> str:
    return ", ".join(number(x, 3) for x in link.com) if link.mass else "–"


def least_inertia(result: Result) -> float:
    """Return the smallest eigenvalue of the mass matrix at random poses within the limits."""
    joints = result.arm.robot.joints
    low = np.array([max(j.lower, min(j.upper, np.pi) - 2 * np.pi) for j in joints])
    high = np.array([min(j.upper, max(j.lower, -np.pi) + 2 * np.pi) for j in joints])
    q = np.random.default_rng(0).uniform(low, high, (POSES, len(joints)))
    return float(np.linalg.eigvalsh(result.arm.mass_matrix(q)).min())


def correlation_section(result: Result, packed: Packed) -> Html:
    """Return the correlated pairs, and a heat map."""
    R = correlations(result.covariance)
    pairs, most = close_pairs(R), 12  # more pairs are counted, not named
    words = [_pair(result, i, j, float(R[i, j])) for i, j in pairs[:most]]
    if len(pairs) > most:
        words.append(f"and {len(pairs) - most} more pairs.")
    none = f"No two parameters have a correlation above {CORRELATED:g}."
    explained = hint(
        "Correlations of the parameter errors: orange if positive, blue if negative. Pairs above "
        f"{CORRELATED:g} are framed: the data determine only a combination. Point at a cell to "
        "read it."
    )
    said = listed(words) if words else tag("p", none)
    picture = captioned(["Parameters"], _map(result, R, packed))
    return section("Correlations", said, explained, picture, key="correlations")


def correlations(covariance: Array) -> Array:
    """Return correlations; 0 beside a parameter without any variance."""
    std = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    R = np.clip(ratio(covariance, np.outer(std, std), 0.0), -1.0, 1.0)
    np.fill_diagonal(R, 1.0)
    return R


def close_pairs(R: Array) -> list[tuple[int, int]]:
    """Return the correlated pairs, the largest correlation first."""
    i, j = np.nonzero(np.triu(np.abs(R) > CORRELATED, 1))
    order = np.argsort(-np.abs(R[i, j]), kind="stable")
    return [(int(i[k]), int(j[k])) for k in order]


def _pair(result: Result, i: int, j: int, r: float) -> str:
    a, b = result.model.columns[i], result.model.columns[j]
    size = f"{r:.3f}".replace("-", MINUS)
    return (
        f"{a.name} ({_meaning(result, a)}) and {b.name} ({_meaning(result, b)}): correlation "
        f"{size}. {separating(result, a, b)}"
    )


def _meaning(result: Result, column: Column) -> str:
    kind = _class(column)
    words = FRICTION_TERMS[kind].words + " friction of" if kind in FRICTION_TERMS else CLASSES[kind]
    return f"{words} {_joints(result, column)}"


def _joints(result: Result, column: Column) -> str:
    names = result.arm.joint_names
    if column.kind != "base":
        return ", ".join(names[j] for j in column.joints)
    digits = re.match(r"[A-Za-z]+(\d+)", column.name)
    return names[int(digits[1]) - 1] if digits and int(digits[1]) <= len(names) else "the arm"


def _class(column: Column) -> str:
    """Return the kind of a column; a base parameter is a first moment of mass or an inertia."""
    if column.kind in FRICTION_TERMS or column.kind == "extra":
        return column.kind
    return "moment" if column.unit.replace(" ", "") in ("kg", "kgm") else "inertia"


# Columns other than friction, in words.
CLASSES = {
    "extra": "extra column of",
    "moment": "first moment of mass seen by",
    "inertia": "inertia seen by",
}
FRICTION = frozenset(FRICTION_TERMS)
ANY = frozenset((*FRICTION_TERMS, *CLASSES))
# Which motion separates two parameters: the first line whose first set has both of their classes
# and whose second set has at least one.
REMEDIES = (
    (ANY, {"extra"}, "Vary the input of the extra column independently of the motion of {}."),
    (FRICTION, {"load_friction"}, "Move {} under different loads: other postures, or a payload."),
    (FRICTION, {"offset"}, "Move {} for equally long in both directions."),
    (FRICTION, FRICTION, "Move {} at more different speeds, slow and fast."),
    (ANY, {"offset"}, "Move {} through more of the range of positions."),
    (ANY, {"viscous"}, "Vary speed and acceleration of {} independently of each other."),
    (ANY, FRICTION, "Move {} in more different postures, in both directions."),
    ({"moment"}, ANY, "Move {} through more of their range of positions, independently."),
    ({"inertia"}, ANY, "Accelerate {} more, independently of each other and in more postures."),
    (ANY, ANY, "Move {} both slowly and with strong accelerations in the same postures."),
)


def separating(result: Result, a: Column, b: Column) -> str:
    """Return which motion separates two parameters."""
    joints = " and ".join(dict.fromkeys((_joints(result, a), _joints(result, b))))
    pair = {_class(a), _class(b)}
    words = next(words for both, one, words in REMEDIES if pair <= both and pair & one)
    return words.format(joints)


def _map(result: Result, R: Array, packed: Packed) -> Html:
    """Return the heat map; names are left out where its cells are too small for them."""
    p, left, largest, named = len(R), 62.0, 22.0, 6.5  # margin, largest cell, least with name [px]
    cell = round(min((900.0 - left) / p, largest), 2)
    size = left + p * cell
    shades = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85, CORRELATED)  # smaller correlations are blank
    parts: list[Html] = []
    for sign, kind in ((1.0, "plus"), (-1.0, "minus")):
        level = np.digitize(sign * R, shades)
        for shade in range(1, len(shades) + 1):
            opacity = round(shade / len(shades), 2)
            parts.append(tag("path", d=_squares(level == shade), class_=kind, opacity=opacity))
    close = (np.abs(R) > CORRELATED) & ~np.eye(p, dtype=bool)
    parts.append(tag("path", d=_squares(close), class_="framed"))
    texts: list[Html] = []
    font = f"font-size: {min(0.8 * cell, 11.0):.1f}px"
    for k, name in enumerate(result.names if cell >= named else ()):
        at = round(left + (k + 0.75) * cell, 1)
        texts.append(tag("text", name, x=left - 4, y=at, class_="axis", style=font))
        turned = f"translate({at} {left - 4}) rotate(-90)"
        texts.append(tag("text", name, transform=turned, style=font))
    return tag(
        "svg",
        tag("rect", x=left, y=left, width=p * cell, height=p * cell, class_="frame"),
        tag("g", joined(parts), transform=f"translate({left} {left}) scale({cell})"),
        *texts,
        viewBox=f"0 0 {size:g} {size:g}", class_="heat", role="img",
        style=f"width: min(100%, {size:g}px)", aria_label="correlations of the parameters",
        data_names=json.dumps(list(result.names)), data_values=packed.key(R.ravel()),
        data_left=left, data_cell=cell,
    )  # fmt: skip


def _squares(mask: NDArray[np.bool_]) -> str:
    """Return the path of the cells of a mask."""
    return "".join(f"M{j} {i}h1v1h-1z" for i, j in np.argwhere(mask).tolist())
