"""Dots over a number, with curves through them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.present import svg
from armdyn.present.html import Html, joined, tag

# Sizes of the drawing and its margins [px].
WIDTH, LEFT, RIGHT, ABOVE, TALL, BELOW = 290, 46, 8, 6, 120, 34

# Dots of one kind that are drawn, and the share of them that may lie outside on either side.
DOTS = 300
OUTSIDE = 0.005

# Logarithmic axes end at this share of the largest value.
MIN_LOG_SHARE = 1e-5


@dataclass(frozen=True)
class Trace:
    """A curve: its places, how it looks, and optionally a band around it of this half width."""

    x: Array
    y: Array
    kind: str
    half: Array | None = None


def scatter(
    dots: Sequence[tuple[Array, Array, str]],
    traces: Sequence[Trace],
    unit: str,
    label: str,
    corner: str = "",
    *,
    heights: tuple[float, float] | None = None,
    ticks: int = 4,
) -> Html:
    """Return a drawing.

    Args:
        dots: (x, y, kind) of some kinds of dots.
        traces: curves over them.
        unit: of x, written below.
        label: what it shows, for readers who do not see it.
        corner: words in the upper right corner.
        heights: lowest and highest y that fit in, so that drawings have the same scale.
        ticks: about how many numbers are below.
    """
    xs = [x for x, _, _ in dots] + [one.x for one in traces]
    ys = [np.quantile(y, [OUTSIDE, 1.0 - OUTSIDE]) for _, y, _ in dots if len(y)]
    ys += [one.y for one in traces] + ([] if heights is None else [np.array(heights)])
    across, down = svg.scale_of(*xs), svg.scale_of(*ys)
    inside = [svg.level(0.0, down, "zero")] if down.low < 0.0 < down.high else []
    wide = WIDTH - LEFT - RIGHT
    inside += [_band(one, one.half, across, down) for one in traces if one.half is not None]
    marks = [_dots(x, y, across, down, wide, kind) for x, y, kind in dots]
    lines = [svg.line(one.x, one.y, across, down, one.kind) for one in traces if len(one.x)]
    return _framed(
        joined(
            [
                svg.panel(LEFT, ABOVE, wide, TALL, inside),
                *marks,
                svg.panel(LEFT, ABOVE, wide, TALL, lines),
                tag("text", corner, x=WIDTH - RIGHT - 5, y=ABOVE + 14, class_="axis"),
            ]
        ),
        svg.down_ticks(down, 3, LEFT, ABOVE, TALL),
        svg.across_ticks(across, ticks, LEFT, wide, ABOVE + TALL + 14),
        unit,
        label,
    )


def logarithmic(traces: Sequence[Trace], marks: Sequence[float], unit: str, label: str) -> Html:
    """Return curves with logarithmic axes, and vertical lines at some places."""
    top = max(float(one.y.max(initial=0.0)) for one in traces) or 1.0
    shown = [
        Trace(np.log10(one.x), np.log10(np.maximum(one.y, MIN_LOG_SHARE * top)), one.kind)
        for one in traces
    ]
    across = svg.scale_of(*(one.x for one in shown), margin=0.0)
    down = svg.scale_of(*(one.y for one in shown))
    wide = WIDTH - LEFT - RIGHT
    inside = [_upright(math.log10(mark), across) for mark in marks if mark > 0.0]
    inside += [svg.line(one.x, one.y, across, down, one.kind) for one in shown]
    left = [
        tag("text", _power(k), x=LEFT - 6, y=ABOVE + TALL * float(1 - down.share(k)) + 3.5)
        for k in _decades(down)
    ]
    below = [
        tag("text", _power(k), x=round(LEFT + wide * float(across.share(k)), 1),
            y=ABOVE + TALL + 14)
        for k in _decades(across)
    ]  # fmt: skip
    return _framed(
        svg.panel(LEFT, ABOVE, wide, TALL, inside), joined(left), joined(below), unit, label
    )


def _framed(inside: Html, left: Html, below: Html, unit: str, label: str) -> Html:
    frame = tag("rect", x=LEFT, y=ABOVE, width=WIDTH - LEFT - RIGHT, height=TALL, class_="frame")
    return tag(
        "svg",
        frame,
        inside,
        tag("g", left, class_="left"),
        tag("g", below, class_="below"),
        tag("text", unit, x=WIDTH - RIGHT, y=ABOVE + TALL + 28, class_="axis"),
        viewBox=f"0 0 {WIDTH} {ABOVE + TALL + BELOW}", role="img", aria_label=label,
    )  # fmt: skip


def _dots(x: Array, y: Array, across: svg.Scale, down: svg.Scale, wide: float, kind: str) -> Html:
    """Return dots as one path: lines of no length with round ends."""
    every = max(len(x) // DOTS, 1)
    px = LEFT + wide * across.share(x[::every])
    py = ABOVE + TALL * (1.0 - down.share(y[::every]))
    seen = (py >= ABOVE) & (py <= ABOVE + TALL)
    pairs = zip(px[seen].tolist(), py[seen].tolist(), strict=True)
    return tag("path", d="".join(f"M{a:.1f} {b:.1f}h0" for a, b in pairs), class_=kind)


def _band(one: Trace, half: Array, across: svg.Scale, down: svg.Scale) -> Html:
    x = np.concatenate([one.x, one.x[::-1]])
    y = np.concatenate([one.y + half, (one.y - half)[::-1]])
    px, py = across.share(x) * svg.ACROSS, (1.0 - down.share(y)) * svg.DOWN
    points = " ".join(f"{a:.0f},{b:.0f}" for a, b in zip(px.tolist(), py.tolist(), strict=True))
    return tag("polygon", points=points, class_="bars")


def _upright(x: float, across: svg.Scale) -> Html:
    at = round(float(across.share(x)) * svg.ACROSS)
    return tag("line", x1=at, x2=at, y1=0, y2=svg.DOWN, class_="mark")


def _decades(scale: svg.Scale) -> list[int]:
    """Return whole powers of ten within a range, not more than about five."""
    powers = range(math.ceil(scale.low - 1e-9), math.floor(scale.high + 1e-9) + 1)
    return list(powers)[:: max(-(-len(powers) // 5), 1)]


def _power(k: int) -> str:
    return f"{10.0**k:g}" if -3 <= k <= 3 else f"1e{k}"


def binned(x: Array, y: Array, bins: int, fewest: int) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return mean x and mean y of equal ranges of x, and how many points each has."""
    if not len(x):
        return np.zeros(0), np.zeros(0), np.zeros(0, np.int64)
    width = max(float(np.ptp(x)), np.finfo(float).tiny)
    number = np.minimum(((x - x.min()) / width * bins).astype(np.int64), bins - 1)
    count = np.bincount(number, minlength=bins)
    sums = [np.bincount(number, weights=values, minlength=bins) for values in (x, y)]
    full = count >= fewest
    return sums[0][full] / count[full], sums[1][full] / count[full], count[full]
