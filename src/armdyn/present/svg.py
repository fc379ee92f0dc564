"""Lines and ticks of SVG drawings.

A panel is an inner drawing with fine integer units that is scaled to its place. The script of the
page zooms by changing the view of the panel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.present.html import Html, joined, tag
from armdyn.present.tables import number

# Units of a panel across and down.
ACROSS, DOWN = 20_000, 1000

# Longer lines are drawn through the minima and maxima of equal pieces.
POINTS = 1500


@dataclass(frozen=True)
class Scale:
    """A range of numbers, from low to high."""

    low: float
    high: float

    def share(self, x: Array | float) -> Array:
        """Return the relative position of numbers between low and high, from 0 to 1."""
        return (np.asarray(x, dtype=np.float64) - self.low) / (self.high - self.low)

    def ticks(self, count: int) -> list[float]:
        """Return about `count` round numbers within the range."""
        step = _round_step((self.high - self.low) / max(count, 1))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]


def scale_of(*values: Array, margin: float = 0.06) -> Scale:
    """Return a scale that holds all values; `margin` is a share of their range at both ends."""
    low = min((float(v.min()) for v in values if v.size), default=0.0)
    high = max((float(v.max()) for v in values if v.size), default=0.0)
    if not high - low > 1e-9 * max(abs(low), abs(high)):  # level, but for rounding
        size = max(abs(low), 1.0) if low else 1.0
        low, high = low - 0.5 * size, high + 0.5 * size
    return Scale(low - margin * (high - low), high + margin * (high - low))


def line(
    x: Array, y: Array, across: Scale, down: Scale, kind: str, most: int = POINTS, **more: object
) -> Html:
    """Return a line through points, thinned if there are more than `most`."""
    at = outline(y, most)
    px = np.rint(across.share(x[at]) * ACROSS).astype(int)
    py = np.rint((1.0 - down.share(y[at])) * DOWN).astype(int)
    points = " ".join(f"{a},{b}" for a, b in zip(px.tolist(), py.tolist(), strict=True))
    return tag("polyline", points=points, class_=kind, **more)


def level(y: float, down: Scale, kind: str) -> Html:
    """Return a horizontal line across a panel."""
    at = round(float(1.0 - down.share(y)) * DOWN)
    return tag("line", x1=0, x2=ACROSS, y1=at, y2=at, class_=kind)


def stripe(low: float, high: float, down: Scale, kind: str) -> Html:
    """Return a horizontal band across a panel."""
    top, bottom = (round(float(1.0 - down.share(y)) * DOWN) for y in (high, low))
    return tag("rect", x=0, y=top, width=ACROSS, height=bottom - top, class_=kind)


def panel(
    left: float, top: float, width: float, height: float, inside: Sequence[Html], **more: object
) -> Html:
    """Return an inner drawing at a position."""
    return tag(
        "svg",
        *inside,
        x=left, y=top, width=width, height=height, viewBox=f"0 0 {ACROSS} {DOWN}",
        preserveAspectRatio="none", class_="panel", **more,
    )  # fmt: skip


def down_ticks(scale: Scale, count: int, left: float, top: float, height: float) -> Html:
    """Return the numbers at the left of a panel."""
    return joined(
        tag("text", number(y), x=left - 6, y=top + height * float(1.0 - scale.share(y)) + 3.5)
        for y in scale.ticks(count)
    )


def across_ticks(scale: Scale, count: int, left: float, width: float, top: float) -> Html:
    """Return the numbers below a panel."""
    return joined(
        tag("text", number(x), x=round(left + width * float(scale.share(x)), 1), y=top)
        for x in scale.ticks(count)
    )


def outline(y: Array, most: int) -> NDArray[np.int64]:
    """Return the points to draw: all, or the minimum and maximum of equal pieces."""
    if len(y) <= most:
        return np.arange(len(y))
    size = -(-len(y) // (most // 2))
    pieces = np.pad(y, (0, -len(y) % size), mode="edge").reshape(-1, size)
    starts = size * np.arange(len(pieces))
    ends = [starts + pieces.argmin(axis=1), starts + pieces.argmax(axis=1)]
    places = np.concatenate([[0, len(y) - 1], *ends])
    return np.unique(np.minimum(places, len(y) - 1))


def _round_step(size: float) -> float:
    power = 10.0 ** math.floor(math.log10(size))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= 0.7 * size)
