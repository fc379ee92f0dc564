"""A plot of a run: positions, velocities, torques and energy over time."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.present import check_picture, new_figure, plain_text, write_picture
from armdyn.simulation._run import Run

Array = NDArray[np.float64]

# More samples are not visible in a picture, and make a large file.
MOST_SAMPLES = 4000
# There are ten colours; further joints differ by the style of their lines.
STYLES = ("-", "--", ":", "-.")
# The shaded band of a batch: these quantiles of the arms.
BAND = (0.05, 0.95)


def plot(run: Run, path: str | os.PathLike[str]) -> None:
    """Draw the picture; the whole file or, if that fails, none."""
    check_picture(path)
    figure = new_figure(10, 7)
    axes = figure.subplots(2, 2, sharex=True).ravel()
    every = max(1, -(-len(run) // MOST_SAMPLES))
    t = run.t[::every]
    panels = (("positions", run.q), ("velocities", run.qd), ("drive torques", run.tau))
    for axis, (title, values) in zip(axes, panels, strict=False):
        for joint in range(run.arm.n):
            style = STYLES[joint // 10 % len(STYLES)]
            _line(axis, t, values[::every, ..., joint], f"C{joint % 10}", style)
        axis.set_title(f"{title} [{_units(run, title)}]", fontsize=10, loc="left")
    _line(axes[3], t, run.energy[::every], "0.2", "-")
    joints = axes[0].get_lines()
    axes[3].set_title("kinetic and potential energy [J]", fontsize=10, loc="left")
    if float(np.ptp(run.energy)) < 1e-3 * float(np.abs(run.energy).max()):
        middle, size = float(np.mean(run.energy)), float(np.abs(run.energy).max())
        axes[3].set_ylim(middle - 0.05 * size, middle + 0.05 * size)
        note = f"changes by {run.drift:.1e} of its size"
        axes[3].text(0.02, 0.05, note, transform=axes[3].transAxes, fontsize=8)
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
        if run.batch is None:
            for event in run.events[:200]:
                axis.axvline(event.t, color="0.6", linewidth=0.5, linestyle=":")
    for axis in axes[2:]:
        axis.set_xlabel("t [s]")
    names = [plain_text(name) for name in run.arm.joint_names]
    figure.legend(joints, names, loc="outside right upper", fontsize=8, frameon=False)
    figure.suptitle(plain_text(_title(run)), fontsize=11)
    write_picture(figure, path, dpi=120)


def _line(axis: Any, t: Array, values: Array, colour: str, style: str) -> None:
    if values.ndim == 1:
        axis.plot(t, values, color=colour, linewidth=1.2, linestyle=style)
        return
    low, middle, high = np.quantile(values, [BAND[0], 0.5, BAND[1]], axis=1)
    axis.fill_between(t, low, high, color=colour, alpha=0.15, linewidth=0)
    axis.plot(t, middle, color=colour, linewidth=1.2, linestyle=style)


def _units(run: Run, title: str) -> str:
    revolute = [joint.is_revolute for joint in run.arm.robot.joints]
    units = {
        "positions": ("rad", "m"),
        "velocities": ("rad/s", "m/s"),
        "drive torques": ("N m", "N"),
    }[title]
    return ", ".join(
        u for u, there in zip(units, (any(revolute), not all(revolute)), strict=True) if there
    )


def _title(run: Run) -> str:
    arms = f"{run.batch} arms (median, and 90 % of them shaded), " if run.batch is not None else ""
    state = "" if run.complete else "INCOMPLETE, "
    return f"{run.arm.name}: {state}{arms}{run.integrator}, {run.evaluations} evaluations"
