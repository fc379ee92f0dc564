"""The figure of the study in single precision, after [Mata2002] Fig. 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.report.studies._single import Array


def draw(
    figure: Any, angles: Array, double: Array, single: Mapping[str, Array], condition: Array
) -> None:
    """Draw accelerations of joint 1 in both precisions, a panel per way, and condition numbers."""
    fields: list[Any] = figure.subplots(2, 3, sharex=True).ravel().tolist()
    turned = np.rad2deg(angles)
    values = [double[:, 0], *(found[:, 0] for found in single.values())]
    low, high = min(v.min() for v in values), max(v.max() for v in values)
    margin = 0.05 * (high - low)
    for axes, (label, found) in zip(fields, single.items(), strict=False):
        axes.plot(turned, found[:, 0], linewidth=0.8, color="#0072b2", label="single")
        axes.plot(
            turned, double[:, 0], linewidth=1.2, color="#d55e00", linestyle="--", label="double"
        )
        axes.set_ylim(low - margin, high + margin)
        axes.set_title(label, fontsize=9)
    fields[0].legend(loc="lower right")
    fields[-1].plot(turned, condition, color="black")
    fields[-1].set_title("condition number of the inertia matrix", fontsize=9)
    for axes in (fields[0], fields[3]):
        axes.set_ylabel("acceleration of joint 1 [rad/s²]")
    for axes in fields[3:]:
        axes.set_xlabel("joint 2 [degrees]")
        axes.set_xticks(range(0, 361, 90))
