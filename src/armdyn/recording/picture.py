"""The picture of a recording: the signals of every joint, with faults marked."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.log.log import Log
from armdyn.present.pictures import matplotlib, new_figure, plain_text
from armdyn.recording.fault import Fault

# Points of a curve: more are not visible.
MOST_POINTS = 3000
# Faults that are written out below the curves, and the width of their lines [characters].
MOST_LINES, LINE_WIDTH = 12, 180
# Colours: measured, commanded, of a fault, of a remark.
MEASURED, COMMANDED, FAULT, REMARK = "#0072b2", "0.35", "#d7301f", "#d08700"
# Kinds of faults that belong to the right column, torques or servo errors.
RIGHT = ("torque", "saturation", "droop")


def picture(log: Log, faults: Sequence[Fault], title: str, *, slides: bool = False) -> Any:
    """Return a figure of Matplotlib: time steps, and positions and torques of every joint.

    Args:
        log: the recording.
        faults: faults and remarks; where they are is shaded, and joints are named in their colour.
        title: above the curves.
        slides: whether joints of the arm slide.
    """
    lines = _lines(faults)
    with matplotlib().rc_context({"font.size": 8}):
        height = 1.5 + 1.05 * log.n + 0.17 * len(lines)
        figure = new_figure(11, height)
        top, bottom = figure.subfigures(
            2, 1, height_ratios=[height - 0.3 - 0.17 * len(lines), 0.3 + 0.17 * len(lines)]
        )
        _draw(top, log, faults, slides)
        figure.suptitle(plain_text(title), fontsize=9)
        for k, (words, colour) in enumerate(lines):
            bottom.text(
                0.01, 1.0 - (k + 0.7) / (len(lines) + 0.7), plain_text(words), color=colour,
                va="center", fontsize=8,
            )  # fmt: skip
    return figure


def _draw(figure: Any, log: Log, faults: Sequence[Fault], slides: bool) -> None:
    right, label = _right_column(log, slides)
    starts = np.array([one.start for one in log.episodes[1:]], dtype=np.int64)
    begins = np.asarray(log.t)[starts]
    columns = 1 if right is None else 2
    grid = figure.add_gridspec(log.n + 1, columns, height_ratios=[0.6, *([1.0] * log.n)])
    steps = figure.add_subplot(grid[0, :])
    middle = 0.5 * (log.t[1:] + log.t[:-1])
    _line(steps, middle, _time_steps(steps, log, starts), begins, MEASURED)
    steps.set_ylabel("step [ms]")
    for fault in faults:
        if not fault.joints:
            _shade(steps, fault)
    fields: list[list[Any]] = [[steps]]
    for j, name in enumerate(log.joint_names):
        axes = [figure.add_subplot(grid[j + 1, k], sharex=steps) for k in range(columns)]
        if log.q_cmd is not None:
            _line(axes[0], log.t, log.q_cmd[:, j], begins, COMMANDED, linestyle="--")
        _line(axes[0], log.t, log.q[:, j], begins, MEASURED)
        if right is not None:
            _line(axes[1], log.t, right[:, j], begins, MEASURED)
        for fault in faults:
            for one in axes if not fault.joints else ():
                _shade(one, fault)
        own = [fault for fault in faults if j + 1 in fault.joints]
        for fault in own:
            _shade(axes[_column_of(fault, columns)], fault)
        for k in range(columns):
            kinds = [f for f in own if _column_of(f, columns) == k]
            _name_kinds(axes[k], kinds)
        worst = min((fault.is_remark for fault in own), default=None)
        colour = {None: "black", False: FAULT, True: REMARK}[worst]
        axes[0].set_ylabel(plain_text(_short(name)), color=colour)
        fields.append(axes)
    first = f"position [{'rad, m' if slides else 'rad'}]"
    first += "" if log.q_cmd is None else " (dashed: command)"
    fields[1][0].set_title(first, fontsize=8)
    if columns == 2:
        fields[1][1].set_title(label, fontsize=8)
    for axes in fields[:-1]:
        for one in axes:
            one.tick_params(labelbottom=False)
    for one in fields[-1]:
        one.set_xlabel("time [s]")
    for one in (one for axes in fields for one in axes):
        one.margins(x=0.01)


def _right_column(log: Log, slides: bool) -> tuple[Array | None, str]:
    """Return the signal of the right column, and its name."""
    angle, torque = ("rad, m", "N m, N") if slides else ("rad", "N m")
    if log.tau is not None:
        return log.tau, "current [A]" if log.effort == "current" else f"torque [{torque}]"
    if log.q_cmd is not None:
        return log.q_cmd - log.q, f"command minus position [{angle}]"
    return (log.qd, f"measured velocity [{angle} / s]") if log.qd is not None else (None, "")


def _time_steps(axes: Any, log: Log, starts: NDArray[np.int64]) -> Array:
    """Return the time steps within episodes [ms], and set limits that do not show rounding."""
    steps = 1e3 * np.diff(log.t)
    steps[starts - 1] = np.nan  # between episodes
    usual = float(np.nanmedian(steps)) if np.isfinite(steps).any() else 1.0
    low, high = (pick(steps, initial=usual) for pick in (np.fmin.reduce, np.fmax.reduce))
    room = 0.05 * usual
    axes.set_ylim(low - room, high + room)
    axes.ticklabel_format(axis="y", useOffset=False)
    return steps


def _column_of(fault: Fault, columns: int) -> int:
    return int(columns == 2 and any(word in fault.kind for word in RIGHT))


def _line(axes: Any, t: Array, values: Array, begins: Array, colour: str, **style: Any) -> None:
    """Draw a curve, cut where episodes begin.

    Of a long one, the lowest and highest value of every group of samples are drawn.
    """
    every = -(-len(t) // MOST_POINTS)
    if every > 1:
        count = len(t) // every * every
        groups = values[:count].reshape(-1, every)
        ends = [np.fmin.reduce(groups, axis=1), np.fmax.reduce(groups, axis=1)]
        values = np.stack(ends, axis=1).ravel()
        t = np.repeat(t[:count:every], 2)
    cuts = np.flatnonzero(np.diff(np.searchsorted(begins, t, side="right"))) + 1
    t, values = (np.insert(np.asarray(x, np.float64), cuts, np.nan) for x in (t, values))
    axes.plot(t, values, color=colour, linewidth=0.8, **style)


def _shade(axes: Any, fault: Fault) -> None:
    colour = REMARK if fault.is_remark else FAULT
    for a, b in fault.spans:
        axes.axvspan(a, b, color=colour, alpha=0.3, linewidth=0.8)


def _name_kinds(axes: Any, faults: Sequence[Fault]) -> None:
    """Write the kinds of faults into the corner of a curve."""
    if not faults:
        return
    is_fault = not all(fault.is_remark for fault in faults)
    axes.text(
        0.99, 0.92, ", ".join(dict.fromkeys(fault.kind for fault in faults)),
        transform=axes.transAxes, ha="right", va="top", fontsize=8, fontweight="bold",
        color=FAULT if is_fault else REMARK,
        bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.0},
    )  # fmt: skip
    for side in axes.spines.values():
        side.set_color(FAULT if is_fault else REMARK)


def _lines(faults: Sequence[Fault]) -> list[tuple[str, str]]:
    """Return the lines below the curves, with their colours."""
    made: list[tuple[str, str]] = []
    for fault in faults:
        words = f"{'remark' if fault.is_remark else 'fault'}, {fault.kind}: {fault.what}"
        colour = REMARK if fault.is_remark else FAULT
        made += [(line, colour) for line in textwrap.wrap(words, LINE_WIDTH)]
    if len(made) > MOST_LINES:
        made = [
            *made[: MOST_LINES - 1],
            (f"... and {len(made) - MOST_LINES + 1} more lines", "0.3"),
        ]
    return made or [("no faults", "#1a9641")]


def _short(name: str) -> str:
    """Return the end of a long name."""
    return name if len(name) <= 16 else f"…{name[-15:]}"
