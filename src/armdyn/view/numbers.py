"""Numbers and curves beside the picture: torques, the mass matrix, energy; names escaped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arm.recording import Recording
from armdyn.arrays import Array
from armdyn.errors import ArmdynError
from armdyn.present import svg
from armdyn.present.html import Html, joined, tag
from armdyn.present.tables import number
from armdyn.view.motion import at

# Numbers beside the picture: torques against limits, the mass matrix, energy; names escaped.

# Longer arms have no map of their mass matrix: its cells would be smaller than a pixel.
MOST_CELLS = 40
# With at most this many joints, cells show their numbers.
MOST_SHOWN = 7
# Smaller cells, as a share of the largest, show no number.
MIN_SHOWN_SHARE = 1e-3
# Longer arms have numbers of the first joints only.
MOST_ROWS = 60
# The side of the map of the mass matrix.
SIDE = 280

STYLE = """
.armdyn { font: 12px/1.5 system-ui, sans-serif; padding: 0 .8em .4em; overflow-wrap: anywhere;
  --is: #7b8794; --said: #d9541e; --rest: #2563a8; --soft: #8a94a1; --line: #8a94a155;
  --bad: #c5362c; }
.armdyn h1 { font-size: 15px; margin: .3em 0 0; line-height: 1.25; display: -webkit-box;
  -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }
.armdyn p { margin: .1em 0; color: var(--soft); }
.armdyn ul { margin: .3em 0; padding: .2em .6em; list-style: none; border-left: 3px solid #c98a00;
  max-height: 11em; overflow-y: auto; }
.armdyn ul:empty { display: none; }
.armdyn table { border-collapse: collapse; width: 100%; table-layout: fixed; }
.armdyn td { padding: 1px 3px; font-variant-numeric: tabular-nums; text-align: right;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.armdyn td:first-child { text-align: left; width: 28%; }
.armdyn td.place { width: 17%; } .armdyn td.bar { width: 31%; }
.armdyn .state td:first-child { width: 36%; }
.armdyn td.over { color: var(--bad); font-weight: 600; }
.armdyn .gauge { position: relative; height: 11px; background: var(--line); border-radius: 2px; }
.armdyn .gauge::after { content: ""; position: absolute; left: 50%; top: 0; bottom: 0; width: 1px;
  background: var(--soft); }
.armdyn .gauge b { position: absolute; top: 0; bottom: 0; border-radius: 2px; }
.armdyn .gauge u { position: absolute; top: -2px; bottom: -2px; width: 2px; margin-left: -1px;
  background: var(--said); }
.armdyn svg { display: block; width: 100%; height: auto; margin: .3em 0; }
.armdyn svg text { font-size: 10px; fill: var(--soft); }
.armdyn polyline, .armdyn line { fill: none; vector-effect: non-scaling-stroke; }
.armdyn .is { stroke: var(--is); stroke-width: 2.4; } .armdyn .said { stroke: var(--said);
  stroke-width: 1.4; } .armdyn .rest { stroke: var(--rest); stroke-width: 1.4; }
.armdyn .frame { fill: none; stroke: var(--line); } .armdyn .now { stroke: #c98a00; }
.armdyn .limit { stroke: var(--bad); stroke-dasharray: 4 3; }
.armdyn .left text { text-anchor: end; } .armdyn .below text { text-anchor: middle; }
"""


def framed(*inside: str) -> str:
    """Return a piece of the panel."""
    return str(tag("div", *inside, class_="armdyn"))  # viser sends nothing but plain text


def header(name: str, about: str, notes: list[str]) -> str:
    """Return the head of the panel: the arm, and what a person should know of it."""
    told = joined(tag("li", note) for note in notes)
    head = framed(tag("h1", name, title=name), tag("p", about), tag("ul", told))
    return f"<style>{STYLE}</style>{head}"


class Numbers:
    """The numbers of a state."""

    def __init__(self, arm: Arm, scene: dict[str, Any], hues: list[str]) -> None:
        """Take an arm.

        Args:
            arm: the arm.
            scene: its data for drawing.
            hues: a colour for each joint.
        """
        self._arm, self._joints, self._hues = arm, scene["joints"], hues

    def torques(self, q: Array, measured: Array | None) -> str:
        """Return positions, and gravity torques as bars that end at the effort limits."""
        gravity = self._arm.gravity(q)
        rows = [
            self._row(k, float(q[k]), float(gravity[k]), measured)
            for k in range(min(self._arm.n, MOST_ROWS))
        ]
        more = []
        if self._arm.n > MOST_ROWS:
            more = [tag("p", f"and {self._arm.n - MOST_ROWS} joints more")]
        head = tag("p", "torques that hold the arm against its weight")
        return framed(head, tag("table", *rows), *more)

    def _row(self, k: int, x: float, torque: float, measured: Array | None) -> Html:
        joint = self._joints[k]
        unit, share = ("N m" if joint["revolute"] else "N"), torque / joint["scale"]
        left, width = 50.0 + 50.0 * min(max(share, -1.0), 0.0), 50.0 * min(abs(share), 1.0)
        fill = tag("b", style=f"left:{left:.2f}%;width:{width:.2f}%;background:{self._hues[k]}")
        gauge = [fill]
        if measured is not None:
            at = 50.0 + 50.0 * min(max(float(measured[k]) / joint["scale"], -1.0), 1.0)
            gauge.append(tag("u", style=f"left:{at:.2f}%", title="measured"))
        limit, over = joint["effort"], ""
        told = "largest torque of sampled poses: there is no effort limit"
        if limit is not None:
            told, over = "effort limit", "over" if abs(torque) > limit else ""
        end = f"the bar ends at {number(joint['scale'])} {unit}, the {told}"
        where = f"{np.degrees(x):.1f}°" if joint["revolute"] else f"{x:.3f} m"
        return tag(
            "tr",
            tag("td", joint["name"], title=joint["name"]),
            tag("td", where, data_position=k, class_="place"),
            tag("td", tag("div", *gauge, class_="gauge", title=end), class_="bar"),
            tag("td", f"{fixed(torque, joint['digits'])} {unit}", data_torque=k, class_=over),
        )

    def state(self, q: Array, qd: Array, tip: Array) -> str:
        """Return energy, place of the tip and mass matrix."""
        rows: list[tuple[str, str, str]] = []
        try:
            kinetic = float(self._arm.kinetic_energy(q, qd))
            potential = float(self._arm.potential_energy(q))
        except ArmdynError as error:  # numbers beyond all floats
            return framed(tag("p", str(error)))
        rows.append(("kinetic energy", "kinetic", f"{fixed(kinetic, 4)} J"))
        rows.append(("potential energy", "potential", f"{fixed(potential, 4)} J"))
        rows.append(("sum", "total", f"{fixed(kinetic + potential, 4)} J"))
        at = ", ".join(fixed(float(x), 4) for x in tip[:3, 3])
        rows.append(("tip at x, y, z", "tip", f"{at} m"))
        table = tag(
            "table",
            *(tag("tr", tag("td", name), tag("td", x, data_number=key)) for name, key, x in rows),
            class_="state",
        )
        return framed(table, self._matrix(q))

    def _matrix(self, q: Array) -> Html:
        n = self._arm.n
        if n > MOST_CELLS:
            return tag("p", f"The mass matrix has {n} rows: too many for a map.")
        M = self._arm.mass_matrix(q)
        largest, cell = float(np.abs(M).max()) or 1.0, SIDE / n
        cells: list[Html] = []
        for i, k in np.ndindex(n, n):
            value = float(M[i, k])
            depth = min(1.0, (abs(value) / largest) ** 0.4)
            hue = "217,84,30" if value >= 0.0 else "37,99,168"  # as in the page
            told = tag("title", f"M[{i + 1}, {k + 1}] = {value:.6g}")
            x, y = round(k * cell, 2), round(i * cell, 2)
            cells.append(
                tag(
                    "rect",
                    told,
                    x=x,
                    y=y,
                    width=round(cell - 1, 2),
                    height=round(cell - 1, 2),
                    rx=2,
                    style=f"fill:rgba({hue},{0.06 + 0.9 * depth:.3f})",
                )
            )
            if n <= MOST_SHOWN and abs(value) >= MIN_SHOWN_SHARE * largest:
                ink = "#fff" if depth > 0.55 else "currentColor"
                cells.append(
                    tag(
                        "text",
                        number(value, 2),
                        x=x + cell / 2 - 0.5,
                        y=y + cell / 2 + 3.5,
                        style=f"text-anchor:middle;fill:{ink}",
                        data_entry=f"{i},{k}",
                    )
                )
        picture = tag("svg", *cells, viewBox=f"0 0 {SIDE} {SIDE}", role="img")
        return joined([tag("p", "mass matrix M(q)"), picture])


def fixed(x: float, digits: int) -> str:
    """Return a number to some decimals, without a minus sign before zeros."""
    text = f"{x:.{digits}f}"
    return f"{0.0:.{digits}f}" if float(text) == 0.0 else text


# Curves of a recording beside the picture, with a line where the arm is.

# Points of a curve: what a panel of this width can show.
POINTS = 500
# Sizes of the panels and their margins [px].
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
    scale: svg.Scale
    drawing: Html


class Plots:
    """Position, velocity, torques and residual of one joint at a time."""

    def __init__(self, recording: Recording, joints: list[dict[str, Any]]) -> None:
        self._recording, self._joints = recording, joints
        t = recording.t
        self._span = svg.Scale(float(t[0]), float(t[-1])) if len(t) > 1 else svg.scale_of(t)
        self._joint = -1
        self._panels: list[_Panel] = []

    def at(self, k: int, time: float) -> str:
        """Return the curves of joint k, from 0, with a line at a time."""
        if k != self._joint:
            self._joint, self._panels = k, self._drawn(k)
        x = round(float(self._span.share(time)) * svg.ACROSS)
        now = tag("line", x1=x, x2=x, y1=0, y2=svg.DOWN, class_="now")
        height = len(self._panels) * (HEIGHT + GAP) + BELOW
        parts: list[Html] = []
        for i, one in enumerate(self._panels):
            top = i * (HEIGHT + GAP) + ABOVE
            told = ", ".join(self._value(curve, time) for curve in one.curves)
            frame = {"x": LEFT, "y": top, "width": WIDTH - LEFT, "height": HEIGHT}
            parts += [
                tag("text", f"{one.title}: {told}", x=0, y=top - 6),
                svg.panel(LEFT, top, WIDTH - LEFT, HEIGHT, [one.drawing, now]),
                tag("rect", class_="frame", **frame),
                tag("g", svg.down_ticks(one.scale, 3, LEFT, top, HEIGHT), class_="left"),
            ]
        below = svg.across_ticks(self._span, 5, LEFT, WIDTH - LEFT, height - 14)
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
        scale = svg.scale_of(*(values for _, values, _ in pieces))
        lines = [svg.line(x, y, self._span, scale, kind, POINTS) for x, y, kind in pieces if len(x)]
        inside = [x for x in limits if x is not None and scale.low <= x <= scale.high]
        drawing = joined([*lines, *(svg.level(x, scale, "limit") for x in inside)])
        return _Panel(title, curves, scale, drawing)


def _both(limit: float | None) -> list[float | None]:
    return [] if limit is None else [-limit, limit]
