"""A run as an animated page: a stick figure of the joint frames."""

from __future__ import annotations

import os
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_positive
from armdyn.errors import InputError, shown
from armdyn.files import write_whole
from armdyn.present import check_page, filled
from armdyn.simulation._interpolation import positions_at
from armdyn.simulation._run import Run

Array = NDArray[np.float64]

TEMPLATE = "_animation.html"
MOST_PICTURES = 20_000
# Positions of points are written to a tenth of a millimetre, angles to a thousandth.
DIGITS = 4


def animate(run: Run, path: str | os.PathLike[str], rate: object) -> None:
    """Write the page; the whole file or, if that fails, none."""
    check_page(path)
    per_second = checked_positive(rate, "rate", what="pictures a second")
    duration = float(run.t[-1] - run.t[0])
    count = max(1, round(duration * per_second)) + 1
    if count > MOST_PICTURES:
        raise InputError(
            f"`rate` is {shown(rate)}: that makes {count} pictures, more than {MOST_PICTURES}.",
            argument="rate",
        )
    template = files("armdyn.simulation").joinpath(TEMPLATE).read_text("utf-8")
    page = filled(template, {"title": run.arm.name}, _data(run, count))
    write_whole(path, page)


def _data(run: Run, count: int) -> dict[str, Any]:
    t = np.linspace(float(run.t[0]), float(run.t[-1]), count)
    q = positions_at(run, t)
    arm = run.arm
    poses = [arm.pose(q, frame=i) for i in range(arm.n + 1)] + [arm.pose(q)]
    points = np.stack([pose[:, :3, 3] for pose in poses], axis=1)
    axes = np.stack([pose[:, :3, 2] for pose in poses[1:-1]], axis=1)
    energy: Array = np.interp(t, run.t, run.energy)
    return {
        "name": arm.name,
        "joints": list(arm.joint_names),
        "revolute": [joint.is_revolute for joint in arm.robot.joints],
        "up": _up(arm.robot.gravity),
        "complete": run.complete,
        "t": np.round(t, 6).tolist(),
        "q": np.round(q, DIGITS).tolist(),
        "energy": np.round(energy, 6).tolist(),
        "points": np.round(points, DIGITS).tolist(),
        "axes": np.round(axes, 3).tolist(),
    }


def _up(gravity: tuple[float, float, float]) -> list[float]:
    """Return the upward direction of the picture: against gravity, or z without gravity."""
    g = -np.array(gravity)
    size = float(np.linalg.norm(g))
    return (g / size).tolist() if size > 0.0 else [0.0, 0.0, 1.0]
