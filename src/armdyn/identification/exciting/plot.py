"""A plot of a motion: one row per joint, one column per quantity, limits dashed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.exciting.limits import Limits
from armdyn.present.pictures import check_picture, new_figure, plain_text, write_picture

LINE, LIMIT = "#1f5fa8", "#c0392b"


def write_plot(
    path: Path,
    arm: Arm,
    limits: Limits,
    t: Array,
    signals: tuple[Array, Array, Array, Array],
    words: str,
) -> None:
    """Draw positions, velocities, accelerations and torques; the whole file or none.

    Args:
        path: of the picture.
        arm: the arm.
        limits: of the arm, drawn dashed.
        t: times, ``(N,)``.
        signals: positions, velocities, accelerations and torques, ``(N, n)`` each.
        words: a sentence under the title, or nothing.
    """
    check_picture(path)
    figure = new_figure(13, 0.9 + 1.25 * arm.n)
    axes = figure.subplots(arm.n, 4, sharex=True, squeeze=False)
    bounds = [
        (limits.lower, limits.upper),
        (-limits.velocity, limits.velocity),
        (-limits.acceleration, limits.acceleration),
        (-limits.torque, limits.torque),
    ]
    heads = ("position", "velocity", "acceleration", "predicted torque")
    for k, (signal, (low, high), head) in enumerate(zip(signals, bounds, heads, strict=True)):
        axes[0][k].set_title(head)
        axes[-1][k].set_xlabel("time [s]")
        for j in range(arm.n):
            _draw(axes[j][k], t, signal[:, j], float(low[j]), float(high[j]))
            name = f"{plain_text(arm.joint_names[j])}\n" if k == 0 else ""
            axes[j][k].set_ylabel(f"{name}[{_unit(arm, j, k)}]", fontsize=8)
    title = f"Exciting motion of {plain_text(arm.name)}, {t[-1]:g} s (limits dashed)"
    figure.suptitle(f"{title}\n{plain_text(words)}" if words else title)
    write_picture(figure, path)


def _draw(axes: Any, t: Array, signal: Array, low: float, high: float) -> None:
    axes.axhline(0.0, color="0.85", linewidth=0.8)
    axes.plot(t, signal, color=LINE, linewidth=1.0)
    for bound in (low, high):
        if np.isfinite(bound):
            axes.axhline(bound, color=LIMIT, linewidth=0.9, linestyle="--")
    axes.set_xlim(t[0], t[-1])
    axes.tick_params(labelsize=7)


def _unit(arm: Arm, joint: int, quantity: int) -> str:
    if arm.robot.joints[joint].is_revolute:
        return ("rad", "rad/s", "rad/s²", "N m")[quantity]
    return ("m", "m/s", "m/s²", "N")[quantity]
