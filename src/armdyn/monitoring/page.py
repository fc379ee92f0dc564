"""The page of a fleet: small drawings of every arm over its days, drifting arms first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.monitoring.drift import (
    POSTURES,
    friction_at,
    gravity_at,
    numbers,
    speeds_of,
)
from armdyn.monitoring.table import grid_of
from armdyn.monitoring.work import Row
from armdyn.numerics import ratio
from armdyn.present.curves import captioned
from armdyn.present.html import STYLE, Html, document, hint, joined, listed, section, tag
from armdyn.present.scatter import Trace, scatter
from armdyn.present.tables import percent

HINT = """\
Each row of drawings is an arm, over its rows in the table. Torque error: on data not used for the
fit. Friction and gravity: the change of the joint's torque since the first row, as a share of its
rms torque. Orange: joints that changed beyond their error bars from one row to the next, with a
band of two standard deviations; grey: the other joints. All arms have the same scales."""


def page_html(arm: Arm, rotor: bool, rows: Sequence[Row], pattern: str) -> str:
    """Return the page.

    Args:
        arm: the described arm.
        rotor: whether minimal parameters have rotors.
        rows: of all arms and days, with their drift.
        pattern: where the logs are.
    """
    arms = [(name, list(group)) for name, group in groupby(rows, lambda row: row["arm"])]
    arms.sort(key=lambda one: -sum(bool(row["drift"]) for row in one[1]))
    drawn = {
        name: _series(arm, rotor, [row for row in own if row["error"] is None])
        for name, own in arms
    }
    heights = _heights(one for listed in drawn.values() for one in listed)
    drifting = [name for name, own in arms if any(row["drift"] for row in own)]
    failed = [row for row in rows if row["error"] is not None]
    body = tag(
        "body",
        tag("h1", f"Fleet of {arm.name}"),
        tag("p", f"{len(arms)} arms, {len(rows)} rows, from {pattern}", class_="sub"),
        _verdict(drifting, len(arms)),
        hint(HINT),
        *(_arm_section(name, own, drawn[name], heights) for name, own in arms),
        _failures(failed),
        section("All rows", tag("details", tag("summary", "Show the table"), grid_of(rows).html()),
                key="rows"),
    )  # fmt: skip
    return document(f"Fleet of {arm.name}", body, STYLE)


def _verdict(drifting: Sequence[str], count: int) -> Html:
    if not drifting:
        words = f"none of {count} arms changed beyond its error bars"
        return tag("div", tag("p", words, class_="head"), class_="verdict passed")
    words = f"{len(drifting)} of {count} arms changed beyond their error bars"
    names = ", ".join(drifting)
    return tag("div", tag("p", words, class_="head"), tag("p", names), class_="verdict usable")


def _failures(failed: Sequence[Row]) -> Html:
    if not failed:
        return Html("")
    words = [f"{row['arm']}, {row['day']}: {row['error']}" for row in failed]
    return section("Logs that failed", listed(words), key="failed")


@dataclass(frozen=True, eq=False)
class _Series:
    """A quantity of all joints over the rows of an arm: values [%] and standard deviations."""

    kind: str
    unit: str
    y: Array
    std: Array
    drifts: list[bool]


def _series(arm: Arm, rotor: bool, rows: Sequence[Row]) -> list[_Series]:
    """Return what is drawn of an arm, from its rows with results."""
    if not rows:
        return []
    errors = np.array([[numbers(row[x]) for row in rows]
                       for x in ("torque_error", "torque_error_std")])  # fmt: skip
    made = [("torque error", "%", errors)]
    if len(rows) > 1:
        made.append(("friction", "% of the torque", _friction_levels(arm, rotor, rows)))
        made.append(("gravity", "% of the torque", _gravity_levels(arm, rotor, rows)))
    return [
        _Series(kind, unit, 100.0 * y, 100.0 * std, _drifts(rows, kind, arm.n))
        for kind, unit, (y, std) in made
    ]


def _drifts(rows: Sequence[Row], kind: str, n: int) -> list[bool]:
    return [any(row["changes"] and row["changes"][kind]["exceeds"][j] for row in rows)
            for j in range(n)]  # fmt: skip


def _heights(series: Iterable[_Series]) -> dict[str, tuple[float, float]]:
    """Return the range of each quantity over all arms, so that drawings have the same scale."""
    made: dict[str, tuple[float, float]] = {}
    for one in series:
        there = one.y[np.isfinite(one.y)]
        low, high = made.get(one.kind, (0.0, 0.0))
        made[one.kind] = (min([low, *there.tolist()]), max([high, *there.tolist()]))
    return made


def _arm_section(
    name: str,
    rows: Sequence[Row],
    series: Sequence[_Series],
    heights: dict[str, tuple[float, float]],
) -> Html:
    good = [row for row in rows if row["error"] is None]
    said = [f"{row['day']}: {words}" for row in rows for words in row["drift"]]
    span = f"{rows[0]['day']} to {rows[-1]['day']}" if len(rows) > 1 else rows[0]["day"]
    if not good:
        return section(name, tag("p", f"{span}: no log could be used."), key=f"arm-{name}")
    last = good[-1]
    error = float("nan") if last["total_error"] is None else last["total_error"]
    facts = f"{span}; last verdict: {last['verdict']}, torque error {percent(error)}"
    drawn = tag("div", joined(_drawing(one, heights[one.kind]) for one in series), class_="grid")
    return section(name, tag("p", facts, class_="sub"), listed(said) if said else Html(""), drawn,
                   key=f"arm-{name}")  # fmt: skip


def _drawing(series: _Series, heights: tuple[float, float]) -> Html:
    """Return the curves of all joints over the rows, those that drift last and with bands."""
    count = len(series.y)
    x, y, std = np.arange(1.0, count + 1.0), series.y, series.std
    traces: list[Trace] = []
    dots: list[tuple[Array, Array, str]] = []
    for j in sorted(range(y.shape[1]), key=lambda j: series.drifts[j]):
        there = np.isfinite(y[:, j]) & np.isfinite(std[:, j])
        if there.any():
            band = 2.0 * std[there, j] if series.drifts[j] else None
            look = "said" if series.drifts[j] else "is"
            traces.append(Trace(x[there], y[there, j], look, band))
            dots.append((x[there], y[there, j], "dots others" if series.drifts[j] else "dots"))
    marks = dots if count == 1 else [one for one in dots if one[2] != "dots"]
    ticks = min(max(count - 1, 1), 4)
    drawn = scatter(marks, traces, "row", f"{series.kind} over rows", heights=heights, ticks=ticks)
    return captioned([series.kind, f" [{series.unit}]"], drawn)


def _friction_levels(arm: Arm, rotor: bool, rows: Sequence[Row]) -> Array:
    """Return changes of friction against the motion since the first row, and their bars."""
    made = np.full((2, len(rows), arm.n), np.nan)
    load = np.mean([numbers(row["box"]["load"]) for row in rows], axis=0)
    for j in range(arm.n):
        v = speeds_of(rows, j)
        if v is None or not all(row["friction"][j] for row in rows):
            continue
        against = np.sign(v) / len(v)
        told = [friction_at(row["friction"][j], v, float(load[j])) for row in rows]
        level = np.array([against @ f for f, _ in told])
        variance = np.array([against @ C @ against for _, C in told])
        made[0, :, j] = ratio(level - level[0], load[j], 0.0)
        made[1, :, j] = ratio(np.sqrt(np.maximum(variance, 0.0)), load[j], 0.0)
    return made


def _gravity_levels(arm: Arm, rotor: bool, rows: Sequence[Row]) -> Array:
    """Return changes of gravity since the first row along its torques, and their bars."""
    made = np.full((2, len(rows), arm.n), np.nan)
    lower = np.max([numbers(row["box"]["lower"]) for row in rows], axis=0)
    upper = np.min([numbers(row["box"]["upper"]) for row in rows], axis=0)
    if not (lower <= upper).all():
        return made
    load = np.mean([numbers(row["box"]["load"]) for row in rows], axis=0)
    q = np.random.default_rng(0).uniform(lower, upper, (POSTURES, arm.n))
    told = [gravity_at(arm, rotor, row, q) for row in rows]
    sizes = np.array([np.sqrt(np.mean(g**2, axis=0)) for g, _ in told])
    made[0] = ratio(sizes - sizes[0], load, 0.0)
    made[1] = ratio(np.sqrt([np.mean(variance, axis=0) for _, variance in told]), load, 0.0)
    return made
