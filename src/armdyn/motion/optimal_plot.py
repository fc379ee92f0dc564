"""A picture of a time-optimal motion: its phase plane, torques and velocities, and limits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.arrays import Array
from armdyn.motion.checking import LIMITS
from armdyn.present.pictures import check_picture, new_figure, plain_text, write_picture

if TYPE_CHECKING:
    from armdyn.motion.optimal import TimeOptimal

# Points of a curve: more than a picture has pixels across.
SAMPLES = 2000
# How lines of the phase plane show which limit of a joint is reached.
STYLES = {"effort": "-", "acceleration": "-.", "velocity": ":"}
# Curves of the bound are cut above this many times the largest speed.
CUT = 1.6
IDLE, NONE = "0.45", "no limit reached"


def write_plot(path: str | os.PathLike[str], motion: TimeOptimal) -> None:
    """Draw the picture; the whole file or, if that fails, none."""
    check_picture(path)
    figure = new_figure(11, 8)
    plane, torques, speeds = figure.subplot_mosaic(
        [["plane", "plane"], ["torque", "speed"]]
    ).values()
    _phase_plane(plane, motion)
    t = np.linspace(0.0, motion.duration, SAMPLES)
    names = [plain_text(name) for name in motion.arm.joint_names]
    limits = motion.limits
    qd = motion.qd(t)
    most = limits.effort - limits.loss * np.abs(qd)
    _shares(torques, t, motion.torques(t) / most, "torque / limit")
    _shares(speeds, t, qd / limits.velocity, "velocity / limit")
    for axis in (plane, torques, speeds):
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    figure.legend(
        torques.get_lines()[: motion.n], names, loc="outside right upper", fontsize=8, frameon=False
    )
    rubbing = "with friction" if motion.friction else "without friction"
    figure.suptitle(
        plain_text(f"{motion.arm.name}: {motion.duration:.4g} s, {rubbing}, {len(motion.s)} nodes"),
        fontsize=11,
    )
    write_picture(figure, path, dpi=120)


def _phase_plane(axis: Any, motion: TimeOptimal) -> None:
    top = CUT * float(motion.sd.max())
    axis.fill_between(motion.s, np.minimum(motion.bound, top), top, color="0.9", linewidth=0)
    axis.plot(motion.s, np.minimum(motion.bound, top), color="0.6", linewidth=1.0)
    seen: set[str] = set()
    for k, (joint, limit) in enumerate(motion.active.tolist()):
        part = slice(k, k + 2)
        colour, style = (f"C{joint % 10}", STYLES[LIMITS[limit]]) if joint >= 0 else (IDLE, "-")
        axis.plot(
            motion.s[part], motion.sd[part], color=colour, linestyle=style, linewidth=2.4,
            solid_capstyle="round",
        )  # fmt: skip
        seen.add(NONE if joint < 0 else LIMITS[int(limit)])
    every = {word: _plain_line(style) for word, style in STYLES.items()}
    every[NONE] = _plain_line("-", IDLE)
    words = [word for word in every if word in seen]
    lines = [every[word] for word in words]
    axis.legend(lines, words, fontsize=8, frameon=False, loc="lower center", ncols=len(words))
    axis.set_xlim(0.0, 1.0)
    axis.set_ylim(0.0, top)
    axis.set_xlabel("s, place on the path")
    axis.set_ylabel("ds/dt [1/s]")
    title = "speed along the path, in the colour of the joint that limits it; grey: too fast"
    axis.set_title(title, fontsize=10, loc="left")


def _plain_line(style: str, colour: str = "0.2") -> Any:
    from importlib import import_module

    return import_module("matplotlib.lines").Line2D([], [], color=colour, linestyle=style)


def _shares(axis: Any, t: Array, values: Array, title: str) -> None:
    for joint, share in enumerate(values.T):
        if np.isfinite(share).all():
            axis.plot(t, share, color=f"C{joint % 10}", linewidth=1.2)
    for limit in (-1.0, 1.0):
        axis.axhline(limit, color="0.3", linewidth=0.8, linestyle="--")
    axis.set_ylim(-1.15, 1.15)
    axis.set_title(title, fontsize=10, loc="left")
    axis.set_xlabel("t [s]")
