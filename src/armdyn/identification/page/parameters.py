"""Identified parameters with error bars, described values, and what is not identifiable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.identification.arguments import described_values
from armdyn.present.html import Html, joined, listed, section, tag
from armdyn.present.tables import Grid, Toned, number, percent, with_deviation

if TYPE_CHECKING:
    from armdyn.identification.result import Result

WIDTH, HEIGHT = 150, 16

# Random poses at which the mass matrix is checked.
POSES = 1000


def parameter_table(result: Result) -> Html:
    """Return a row for each parameter."""
    weak, described = set(result.weak), described_values(result)
    rows: list[tuple[str, ...]] = []
    for i, name in enumerate(result.names):
        value, std, cad = float(result.values[i]), float(result.std[i]), float(described[i])
        known = name not in weak
        mark = Toned("known" if known else "not known", "good" if known else "bad")
        rows.append(
            (
                tag("span", name, title=result.expression(name)),
                result.units[i],
                mark,
                _bar(value, std, cad),
                with_deviation(value, std),
                number(std, 2),
                percent(std / abs(value)) if value else "–",
                number(cad),
            )
        )
    heads = ("parameter", "unit", "", "value ± 2 std", "value", "std", "std / value", "described")
    hint = tag(
        "p",
        "Known: the standard deviation is below 30 % of the value. A parameter that is not known "
        "by itself does no harm to torques of motions like these. In the drawings: dot and bar are "
        "the value and twice its standard deviation, the diamond is the described value, the "
        "line is zero. Point at a name to read which combination it is.",
        class_="hint",
    )
    return section("Parameters", hint, Grid("", heads, 4, tuple(rows)).html(), key="parameters")


def hidden(result: Result) -> Html:
    """Return the properties that no torque shows, and why."""
    intro = tag(
        "p",
        "No motion, however good, shows these: they only count in the sums above. Natural "
        "parameters of the identified arm take them from its description as far as the sums allow.",
    )
    return section(
        "What cannot be identified, and why",
        intro,
        listed(str(statement) for statement in result.model.base.invisible),
        key="hidden",
    )


def links(result: Result) -> Html:
    """Return masses and centres of mass before and after, and whether the links can exist."""
    rows: list[tuple[str, ...]] = []
    for before, after in zip(result.described.robot.joints, result.arm.robot.joints, strict=True):
        faults = after.physical_faults()
        said = Toned("no" if faults else "yes", "bad" if faults else "good")
        rows.append(
            (
                after.name,
                said,
                number(after.mass),
                number(before.mass) if before.mass else "–",
                ", ".join(number(x, 3) for x in after.com),
                ", ".join(number(x, 3) for x in before.com) if before.mass else "–",
            )
        )
    heads = ("link of joint", "can exist", "mass [kg]", "described", "centre [m]", "described")
    impossible = [j.name for j in result.arm.robot.joints if j.physical_faults()]
    if impossible:
        words = (
            f"The links of {', '.join(impossible)} are no bodies that can exist. Torques of "
            "motions like these are still right; simulators may refuse the arm."
        )
    else:
        words = "All links are bodies that can exist: positive masses, possible inertias."
    lowest = least_inertia(result)
    words += (
        f" At {POSES} random poses the least eigenvalue of the mass matrix is {number(lowest, 3)}"
        f"{': positive, as it must be.' if lowest > 0 else ': not positive, do not simulate it.'}"
    )
    return section("Links", tag("p", words), Grid("", heads, 2, tuple(rows)).html(), key="links")


def least_inertia(result: Result) -> float:
    """Return the smallest eigenvalue of the mass matrix at random poses within the limits."""
    joints = result.arm.robot.joints
    low = np.array([max(j.lower, min(j.upper, np.pi) - 2 * np.pi) for j in joints])
    high = np.array([min(j.upper, max(j.lower, -np.pi) + 2 * np.pi) for j in joints])
    q = np.random.default_rng(0).uniform(low, high, (POSES, len(joints)))
    return float(np.linalg.eigvalsh(result.arm.mass_matrix(q)).min())


def _bar(value: float, std: float, cad: float) -> Html:
    """Return value and error bar as a drawing, zero in the middle."""
    there = np.isfinite(cad)
    reach = max(abs(value) + 2.0 * std, abs(cad) if there else 0.0)
    reach = 1.1 * reach if np.isfinite(reach) and reach > 0.0 else 1.0

    def at(x: float) -> float:
        return round(WIDTH / 2 * (1.0 + min(max(x / reach, -1.0), 1.0)), 1)

    mid = HEIGHT / 2
    parts = [
        tag("line", x1=WIDTH / 2, x2=WIDTH / 2, y1=0, y2=HEIGHT, class_="zero"),
        tag("line", x1=at(value - 2 * std), x2=at(value + 2 * std), y1=mid, y2=mid, class_="bar"),
        tag("circle", cx=at(value), cy=mid, r=2.8, class_="mid"),
    ]
    if there:
        c = at(cad)
        diamond = f"{c - 4},{mid} {c},{mid - 4} {c + 4},{mid} {c},{mid + 4}"
        parts.append(tag("polygon", points=diamond, class_="cad"))
    return tag("svg", joined(parts), width=WIDTH, height=HEIGHT, viewBox=f"0 0 {WIDTH} {HEIGHT}")
