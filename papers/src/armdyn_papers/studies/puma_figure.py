"""The figure of the study of the PUMA: errors over time, and their averages beside Table 6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armdyn.report.papers.mata_2002_studies import TABLE_6
from armdyn.report.studies._puma_runs import INTERVAL, Motion

COLOURS = {"exact": "#0072b2", "linear": "#e69f00", "held": "#d55e00", "rounded": "#009e73"}
STYLES = {"rotors": "-", "no rotors": "--", "recalled": ":"}


def draw(figure: Any, motions: Sequence[Motion]) -> None:
    """Draw one line per set-up with the elbow up: colours are torques, styles are inertias."""
    left, right = figure.subplots(1, 2)
    times = INTERVAL * np.arange(1, len(motions[0].errors) + 1)
    slowest = min(m.setup.speed for m in motions)
    joints = np.arange(1, len(TABLE_6) + 1)
    for m in motions:
        if m.setup.speed == slowest and m.setup.elbow == "up" and m.setup.restart is None:
            style = {
                "color": COLOURS[m.setup.torque],
                "linestyle": STYLES[m.setup.inertias],
                "label": str(m.setup),
            }
            left.plot(times, m.errors[:, 0].max(axis=1), **style)
            right.plot(joints, m.averages[0], marker=".", **style)
    printed = [row[0] for row in TABLE_6]
    right.plot(joints, printed, "ks", label="printed, Table 6")
    left.set_title("largest |q − q*| of all joints")
    left.set_xlabel("time [s]")
    right.set_title("average of |q − q*| over 5 s")
    right.set_xlabel("joint")
    right.set_xticks(joints)
    for axes in (left, right):
        axes.set_yscale("log")
        axes.set_ylabel("rad")
        axes.grid(alpha=0.3)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=3)
