"""Curves of a recording beside the picture, with a line where the arm is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.arm.recording import Recording
from armdyn.arrays import Array
from armdyn.present.html import Html, joined, tag
from armdyn.present.svg import (
    ACROSS,
    DOWN,
    Scale,
    across_ticks,
    down_ticks,
    level,
    line,
    panel,
    scale_of,
)
from armdyn.present.tables import number
from armdyn.view.motion import at
from armdyn.view.numbers import framed

# Points of a curve: what a panel of this width can show.
POINTS = 500
WIDTH, HEIGHT, LEFT, GAP, ABOVE, BELOW = 320, 74, 44, 34, 18, 16


@dataclass(frozen=True)
class _Curve:
    """Values over all times ``(N,)``, and how they look.

    `partly`: only where the model's torques are known.
    """

    values: Array
    kind: str
    partly: bool = False


@dataclass(frozen=True)
class _Panel:
    """A frame with curves: its title, and the drawing within it."""

    title: str
    curves: list[_Curve]
    scale: Scale
    drawing: Html


class Plots:
    """Position, velocity, torques and residual of one joint at a time."""

    def __init__(self, recording: Recording, joints: list[dict[str, Any]]) -> None:
        self._recording, self._joints = recording, joints
        t = recording.t
        self._span = Scale(float(t[0]), float(t[-1])) if len(t) > 1 else scale_of(t)
        self._joint = -1
        self._panels: list[_Panel] = []

    def at(self, k: int, time: float) -> str:
        """Return the curves of joint k, from 0, with a line at a time."""
        if k != self._joint:
            self._joint, self._panels = k, self._drawn(k)
        x = round(float(self._span.share(time)) * ACROSS)
        now = tag("line", x1=x, x2=x, y1=0, y2=DOWN, class_="now")
        height = len(self._panels) * (HEIGHT + GAP) + BELOW
        parts: list[Html] = []
        for i, one in enumerate(self._panels):
            top = i * (HEIGHT + GAP) + ABOVE
            told = ", ".join(self._value(curve, time) for curve in one.curves)
            frame = {"x": LEFT, "y": top, "width": WIDTH - LEFT, "height": HEIGHT}
            parts += [
                tag("text", f"{one.title}: {told}", x=0, y=top - 6),
                panel(LEFT, top, WIDTH - LEFT, HEIGHT, [one.drawing, now]),
                tag("rect", class_="frame", **frame),
                tag("g", down_ticks(one.scale, 3, LEFT, top, HEIGHT), class_="left"),
            ]
        below = across_ticks(self._span, 5, LEFT, WIDTH - LEFT, height - 14)
        parts += [tag("g", below, class_="below"), tag("text", "s", x=2, y=height - 14)]
        return framed(tag("svg", *parts, viewBox=f"0 0 {WIDTH} {height}", role="img"))

    def _value(self, curve: _Curve, time: float) -> str:
        if curve.partly and not any(a <= time <= b for a, b in self._recording.spans):
            return number(np.nan)
        return number(float(at(curve.values[:, None], self._recording.t, time)[0]))

    def _drawn(self, k: int) -> list[_Panel]:
        record, joint = self._recording, self._joints[k]
        angle, effort = ("rad", "N m") if joint["revolute"] else ("m", "N")
        speed, most = joint["velocity"], joint["effort"]
        curves: list[_Curve] = []
        names: list[str] = []
        if record.tau is not None:
            curves.append(_Curve(record.tau[:, k], "is"))
            names.append("measured")
        if record.predicted is not None:
            curves.append(_Curve(record.predicted[:, k], "said", partly=True))
            names.append("model")
        found = [
            self._panel(
                f"position [{angle}]", [_Curve(record.q[:, k], "rest")],
                [joint["lower"], joint["upper"]],
            ),
            self._panel(f"velocity [{angle}/s]", [_Curve(record.qd[:, k], "rest")], _both(speed)),
        ]  # fmt: skip
        if curves:
            title = f"torque, {' and '.join(names)} [{effort}]"
            found.append(self._panel(title, curves, _both(most)))
        if len(curves) == 2:
            residual = _Curve(curves[0].values - curves[1].values, "rest", partly=True)
            found.append(self._panel(f"residual torque [{effort}]", [residual], []))
        return found

    def _panel(self, title: str, curves: list[_Curve], limits: list[float | None]) -> _Panel:
        t = self._recording.t
        spans = [(t >= a) & (t <= b) for a, b in self._recording.spans]
        everywhere = [np.ones(len(t), dtype=bool)]
        pieces = [
            (t[where], curve.values[where], curve.kind)
            for curve in curves
            for where in (spans if curve.partly else everywhere)
        ]
        scale = scale_of(*(values for _, values, _ in pieces))
        lines = [line(x, y, self._span, scale, kind, POINTS) for x, y, kind in pieces if len(x)]
        inside = [x for x in limits if x is not None and scale.low <= x <= scale.high]
        drawing = joined([*lines, *(level(x, scale, "limit") for x in inside)])
        return _Panel(title, curves, scale, drawing)


def _both(limit: float | None) -> list[float | None]:
    return [] if limit is None else [-limit, limit]
