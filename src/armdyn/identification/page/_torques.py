"""Measured and predicted torques, and residuals, joint by joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.identification.judge._holdout import Errors, Series
from armdyn.identification.judge._speeds import moving_error
from armdyn.present import Html, joined, number, percent, section, tag
from armdyn.present.svg import (
    Array,
    Scale,
    across_ticks,
    down_ticks,
    level,
    line,
    panel,
    scale_of,
    stripe,
)

if TYPE_CHECKING:
    from armdyn.identification._result import Result

WIDTH, LEFT, RIGHT = 900, 60, 10
TALL, SHORT, BETWEEN, BELOW, ABOVE = 150, 64, 12, 34, 8

# Between segments of a log, and between logs, the drawing has a gap of this share of its width.
HOLE = 0.01


def torque_sections(result: Result) -> Html:
    """Return the torques of the data held out, and of the data of the fit."""
    explained = tag(
        "p",
        "Grey: measured. Orange: what the identified model says. Both went through the low-pass of "
        "the fit. Below: measured less predicted, the band being twice the standard deviation of "
        "the residuals of the fit. Drag across a drawing to zoom all of them, double-click to "
        "zoom out; point at a line to read numbers.",
        class_="hint",
    )
    parts: list[Html] = []
    if result.held_out:
        drawn = _drawings(result, result.test, result.errors, "test")
        title = "Torques on data not used for the fit"
        parts.append(section(title, explained, drawn, key="held-out"))
        drawn = _drawings(result, result.train, result.train_errors, "train")
        folded = tag("details", tag("summary", "Show the drawings"), drawn)
        parts.append(section("Torques on the data of the fit", folded, key="fit"))
    else:
        drawn = _drawings(result, result.train, result.train_errors, "train")
        parts.append(section("Torques on the data of the fit", explained, drawn, key="fit"))
    return joined(parts)


def _drawings(result: Result, series: Sequence[Series], errors: Errors, group: str) -> Html:
    times = _times(series)
    across = Scale(0.0, float(times[-1][-1]) or 1.0)
    return joined(
        _drawing(result, j, series, times, across, float(errors.per_joint[j]), group)
        for j in range(result.arm.n)
    )


def _drawing(
    result: Result,
    j: int,
    series: Sequence[Series],
    times: Sequence[Array],
    across: Scale,
    error: float,
    group: str,
) -> Html:
    joint = result.arm.robot.joints[j]
    unit = "N m" if joint.is_revolute else "N"
    sigma = float(result.sigma[j])
    measured = [s.measured[:, j] for s in series]
    model = [s.predicted[:, j] for s in series]
    rest = [s.residual[:, j] for s in series]
    down = scale_of(*measured, *model)
    low = scale_of(*rest, np.array([-2.5 * sigma, 2.5 * sigma]))
    top = [_line(times, y, across, down, kind) for y, kind in ((measured, "is"), (model, "said"))]
    bottom = [stripe(-2 * sigma, 2 * sigma, low, "band"), level(0.0, low, "zero")]
    bottom.append(_line(times, rest, across, low, "rest"))
    if down.low < 0.0 < down.high:
        top.insert(0, level(0.0, down, "zero"))
    wide, at = WIDTH - LEFT - RIGHT, ABOVE + TALL + BETWEEN
    foot = at + SHORT
    about = {"data_low": down.low, "data_high": down.high}
    rest_about = {"data_low": low.low, "data_high": low.high}
    height = foot + BELOW
    picture = tag(
        "svg",
        panel(LEFT, ABOVE, wide, TALL, top, **about),
        panel(LEFT, at, wide, SHORT, bottom, **rest_about),
        tag("g", down_ticks(down, 5, LEFT, ABOVE, TALL), class_="left"),
        tag("g", down_ticks(low, 3, LEFT, at, SHORT), class_="left"),
        tag("g", across_ticks(across, 10, LEFT, wide, foot + 14), class_="below"),
        tag("text", "time [s]", x=WIDTH - RIGHT, y=foot + 30, class_="axis"),
        tag("line", x1=0, x2=0, y1=ABOVE, y2=foot, class_="pointer"),
        viewBox=f"0 0 {WIDTH} {height}", class_="curves", role="img",
        data_group=group, data_start=across.low, data_end=across.high, data_unit=unit,
        data_left=LEFT, data_wide=wide, data_foot=foot + 14,
        aria_label=f"torques of {joint.name}",
    )  # fmt: skip
    caption = tag(
        "figcaption",
        tag("b", joint.name),
        f" [{unit}] · error {percent(error)}, while moving "
        f"{percent(moving_error(result, series, j))} · residuals of the fit {number(sigma, 3)}",
        tag("output"),
    )
    return tag("figure", caption, picture)


def _line(
    times: Sequence[Array], values: Sequence[Array], across: Scale, down: Scale, kind: str
) -> Html:
    return joined(line(t, y, across, down, kind) for t, y in zip(times, values, strict=True))


def _times(series: Sequence[Series]) -> list[Array]:
    """Return the times of all segments in sequence, without the gaps between them."""
    total = sum(float(s.t[-1] - s.t[0]) for s in series)
    placed: list[Array] = []
    start = 0.0
    for s in series:
        placed.append(s.t - s.t[0] + start)
        start = float(placed[-1][-1]) + HOLE * total
    return placed
