"""Curves over time that can be zoomed: panels one above the other with a common time.

The page shows them thinned. When one zooms in, the script draws the visible part from the numbers
that the page carries (`Packed`), with every sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.present.html import Html, Packed, joined, tag
from armdyn.present.svg import Scale, across_ticks, down_ticks, level, line, panel, scale_of, stripe

# Sizes of the drawing and its margins [px].
WIDTH, LEFT, RIGHT = 900, 60, 10
BETWEEN, BELOW, ABOVE = 12, 34, 8

# Points of a line before one zooms in: two for every pixel on a usual screen.
POINTS = 800

# Between segments of a log, and between logs, the drawing has a gap of this share of its width.
HOLE = 0.01

Pieces = Sequence[tuple[Array, Array]]


@dataclass(frozen=True)
class Curve:
    """A line: its name, how it looks, and (times, values) of its pieces between gaps."""

    name: str
    kind: str
    pieces: Pieces


@dataclass(frozen=True)
class Panel:
    """Curves in one frame.

    Attributes:
        curves: the first is drawn first.
        height: of the frame.
        unit: of the values.
        band: half the height of a band around zero; 0 for none.
    """

    curves: Sequence[Curve]
    height: float
    unit: str
    band: float = 0.0


def placed(times: Sequence[Array]) -> list[Array]:
    """Return the times of segments in sequence, from 0, without the gaps between them."""
    total = sum(float(t[-1] - t[0]) for t in times)
    result: list[Array] = []
    start = 0.0
    for t in times:
        result.append(t - t[0] + start)
        start = float(result[-1][-1]) + HOLE * total
    return result


def zoomable(panels: Sequence[Panel], group: str, label: str, packed: Packed) -> Html:
    """Return a drawing.

    Args:
        panels: from top to bottom.
        group: drawings of one group are zoomed together.
        label: what it shows, for readers who do not see it.
        packed: the numbers of the page; the curves are added.
    """
    across = _span(panels)
    wide, at = WIDTH - LEFT - RIGHT, float(ABOVE)
    inside: list[Html] = []
    for one in panels:
        down = _scale(one)
        drawn = [level(0.0, down, "zero")] if down.low < 0.0 < down.high else []
        if one.band:
            drawn.insert(0, stripe(-one.band, one.band, down, "band"))
        drawn += [
            _line(x, y, across, down, curve, packed)
            for curve in one.curves
            for x, y in curve.pieces
        ]
        about = {"data_low": down.low, "data_high": down.high, "data_unit": one.unit}
        inside.append(panel(LEFT, at, wide, one.height, drawn, **about))
        ticks = down_ticks(down, max(round(one.height / 30), 3), LEFT, at, one.height)
        inside.append(tag("g", ticks, class_="left"))
        at += one.height + BETWEEN
    foot = at - BETWEEN
    return tag(
        "svg",
        *inside,
        tag("g", across_ticks(across, 10, LEFT, wide, foot + 14), class_="below"),
        tag("text", "time [s]", x=WIDTH - RIGHT, y=foot + 30, class_="axis"),
        tag("rect", x=0, y=ABOVE, width=0, height=foot - ABOVE, class_="chosen"),
        tag("line", x1=0, x2=0, y1=ABOVE, y2=foot, class_="pointer"),
        viewBox=f"0 0 {WIDTH} {foot + BELOW}", class_="curves", role="img", aria_label=label,
        data_group=group, data_start=across.low, data_end=across.high,
        data_left=LEFT, data_wide=wide, data_foot=foot + 14,
    )  # fmt: skip


def _line(x: Array, y: Array, across: Scale, down: Scale, curve: Curve, packed: Packed) -> Html:
    numbers = {"data_x": packed.key(x), "data_y": packed.key(y)} if len(y) > POINTS else {}
    return line(x, y, across, down, curve.kind, POINTS, data_name=curve.name, **numbers)


def _span(panels: Sequence[Panel]) -> Scale:
    ends = [float(x[-1]) for one in panels for curve in one.curves for x, _ in curve.pieces]
    return Scale(0.0, max(ends, default=0.0) or 1.0)


def _scale(one: Panel) -> Scale:
    values = [y for curve in one.curves for _, y in curve.pieces]
    return scale_of(*values, np.array([-1.25, 1.25]) * one.band) if one.band else scale_of(*values)


def captioned(words: Sequence[str], drawing: Html) -> Html:
    """Return a drawing with its caption; the first word is the name of what it shows."""
    name, *rest = words
    return tag(
        "figure",
        tag("figcaption", tag("b", name), joined(rest), tag("output")),
        drawing,
    )
