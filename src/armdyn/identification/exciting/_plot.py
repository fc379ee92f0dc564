"""A motion as a picture: a row a joint, a column a quantity, limits dashed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.errors import FileError, MissingExtraError
from armdyn.identification.exciting._limits import Limits
from armdyn.robot import whole_file

Array = NDArray[np.float64]

SUFFIXES = (".png", ".svg", ".pdf")
LINE, LIMIT = "#1f5fa8", "#c0392b"


def check_plot(path: Path) -> None:
    """Refuse, before any work, a picture that could not be drawn."""
    if path.suffix.lower() not in SUFFIXES:
        raise FileError(path, f"pictures are written as {', '.join(SUFFIXES)}.")
    if not path.parent.is_dir():
        raise FileError(path, f"cannot be written: no folder {path.parent}; make it first.")
    _figure()


def write_plot(
    path: Path, arm: Arm, limits: Limits, t: Array, signals: tuple[Array, Array, Array, Array]
) -> None:
    """Draw positions, velocities, accelerations and torques; the whole file or none."""
    check_plot(path)
    figure: Any = _figure()(figsize=(13, 0.9 + 1.25 * arm.n), layout="constrained")
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
            name = f"{_plain(arm.joint_names[j])}\n" if k == 0 else ""
            axes[j][k].set_ylabel(f"{name}{_unit(arm, j, k)}", fontsize=8)
    figure.suptitle(f"Exciting motion of {_plain(arm.name)}, {t[-1]:g} s (limits dashed)")
    suffix = path.suffix.lower()[1:]
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix)
    with whole_file(path) as file:
        figure.savefig(file, format=suffix, dpi=110, metadata=undated)


def _draw(axes: Any, t: Array, signal: Array, low: float, high: float) -> None:
    axes.axhline(0.0, color="0.85", linewidth=0.8)
    axes.plot(t, signal, color=LINE, linewidth=1.0)
    for bound in (low, high):
        if np.isfinite(bound):
            axes.axhline(bound, color=LIMIT, linewidth=0.9, linestyle="--")
    axes.set_xlim(t[0], t[-1])
    axes.tick_params(labelsize=7)


def _plain(text: str) -> str:
    """Return a text that Matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def _unit(arm: Arm, joint: int, quantity: int) -> str:
    if arm.robot.joints[joint].is_revolute:
        return ("rad", "rad/s", "rad/s²", "N m")[quantity]
    return ("m", "m/s", "m/s²", "N")[quantity]


def _figure() -> Any:
    """Return what is needed of Matplotlib; no window is opened, no backend chosen."""
    try:
        return import_module("matplotlib.figure").Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "the picture") from None
