"""Residuals over speed: the difference between the friction and its model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.identification._tolerances import TINY
from armdyn.identification.judge._speeds import by_speed
from armdyn.present import Html, joined, section, tag
from armdyn.present.svg import (
    Array,
    Scale,
    across_ticks,
    down_ticks,
    level,
    panel,
    scale_of,
)

if TYPE_CHECKING:
    from armdyn.identification._result import Result

WIDTH, LEFT, RIGHT, ABOVE, TALL, BELOW = 290, 46, 8, 6, 120, 34
DOTS = 400
BINS = 12
FEWEST = 4


def residual_section(result: Result) -> Html:
    """Return a drawing for each joint."""
    hint = tag(
        "p",
        "Residuals of the fit over the speed of the joint; the line is their mean. If friction is "
        "what the model takes it for, it lies on zero. A bump at low speeds is Stribeck friction, "
        "a slope friction that is not viscous.",
        class_="hint",
    )
    drawn = tag("div", joined(_drawing(result, j) for j in range(result.arm.n)), class_="grid")
    return section("Residuals over speed", hint, drawn, key="residuals")


def _drawing(result: Result, j: int) -> Html:
    v, rest = by_speed(result, j)
    joint = result.arm.robot.joints[j]
    force, speed = ("N m", "rad/s") if joint.is_revolute else ("N", "m/s")
    if not len(v):
        return tag("figure", tag("figcaption", tag("b", joint.name), " has no rows in the fit"))
    across, down = scale_of(v), scale_of(np.quantile(rest, [0.005, 0.995]))
    inside = [level(0.0, down, "zero")] if down.low < 0.0 < down.high else []
    wide = WIDTH - LEFT - RIGHT
    places = _means(v, rest, across, down)
    picture = tag(
        "svg",
        panel(LEFT, ABOVE, wide, TALL, inside),
        _dots(v, rest, across, down, wide),
        tag("polyline", points=_points(places, wide), class_="said"),
        tag("g", down_ticks(down, 3, LEFT, ABOVE, TALL), class_="left"),
        tag("g", across_ticks(across, 4, LEFT, wide, ABOVE + TALL + 14), class_="below"),
        tag("text", speed, x=WIDTH - RIGHT, y=ABOVE + TALL + 28, class_="axis"),
        viewBox=f"0 0 {WIDTH} {ABOVE + TALL + BELOW}", role="img",
        aria_label=f"residuals of {joint.name} over speed",
    )  # fmt: skip
    return tag("figure", tag("figcaption", tag("b", joint.name), f" [{force}]"), picture)


def _dots(v: Array, rest: Array, across: Scale, down: Scale, wide: float) -> Html:
    every = max(len(v) // DOTS, 1)
    x = LEFT + wide * across.share(v[::every])
    y = ABOVE + TALL * (1.0 - down.share(rest[::every]))
    inside = (y >= ABOVE) & (y <= ABOVE + TALL)
    return joined(
        tag("circle", cx=round(a, 1), cy=round(b, 1), r=1.4, class_="dot")
        for a, b in zip(x[inside].tolist(), y[inside].tolist(), strict=True)
    )


def _means(v: Array, rest: Array, across: Scale, down: Scale) -> list[tuple[float, float]]:
    number = np.minimum(((v - v.min()) / max(float(np.ptp(v)), TINY) * BINS).astype(int), BINS - 1)
    places: list[tuple[float, float]] = []
    for k in range(BINS):
        mine = number == k
        if np.count_nonzero(mine) >= FEWEST:
            x, y = across.share(v[mine].mean()), down.share(rest[mine].mean())
            places.append((float(x), 1.0 - min(max(float(y), 0.0), 1.0)))
    return places


def _points(places: list[tuple[float, float]], wide: float) -> str:
    return " ".join(f"{LEFT + wide * x:.1f},{ABOVE + TALL * y:.1f}" for x, y in places)
