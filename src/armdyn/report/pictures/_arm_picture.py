"""One picture of an arm: the arm in 3D, and maps of its inertia and gravity torques."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.present import check_picture, new_figure, plain_text, write_picture
from armdyn.report.pictures._figure import draw_figure
from armdyn.report.pictures._pose import showing
from armdyn.report.pictures._sweep import Sweep, sweep

Array = NDArray[np.float64]

LEVELS = 14
# If a map varies by less than this share, it is shown as one number.
FLAT = 0.01
# The pose of an arm with more joints is not written down.
MANY = 8


def draw_arm(arm: Arm, path: str | os.PathLike[str]) -> None:
    """Draw an arm, and maps of inertia and gravity over its two most relevant joints.

    The others stay at the pose that is drawn, which is marked in the maps.

    The file is written whole or, if that fails, not at all.
    """
    check_picture(path)
    q = showing(arm)
    figure = new_figure(11, 7.6)
    standing = figure.add_subplot(2, 2, 1, projection="3d")
    draw_figure(standing, arm, q)
    standing.set_title(plain_text(f"{arm.name} at {_place(arm, q)}"), fontsize=10, loc="left")
    swept = sweep(arm, q)
    for place, (title, values) in enumerate(_maps(arm, swept), start=2):
        _map(figure, figure.add_subplot(2, 2, place), arm, swept, title, values, q)
    write_picture(figure, path)


def _maps(arm: Arm, swept: Sweep) -> Iterator[tuple[str, Array]]:
    """Yield title and values of each map."""
    diagonal = np.diagonal(swept.inertia, axis1=-2, axis2=-1)
    j = int(np.argmax(np.ptp(diagonal, axis=(0, 1))))
    unit = "kg m²" if arm.robot.joints[j].is_revolute else "kg"
    yield f"inertia seen by {arm.joint_names[j]} [{unit}]", diagonal[..., j]
    k = int(np.argmax(np.abs(swept.gravity).max(axis=(0, 1))))
    unit = "N m" if arm.robot.joints[k].is_revolute else "N"
    yield f"torque of {arm.joint_names[k]} against gravity [{unit}]", swept.gravity[..., k]
    eigenvalues = np.linalg.eigvalsh(swept.inertia)
    ratio = eigenvalues[..., -1] / np.maximum(eigenvalues[..., 0], np.finfo(float).tiny)
    yield "largest over least eigenvalue of the mass matrix (SI units)", ratio


def _map(
    figure: Any, axes: Any, arm: Arm, swept: Sweep, title: str, values: Array, q: Array
) -> None:
    axes.set_title(plain_text(title), fontsize=10, loc="left")
    axes.tick_params(labelsize=8)
    a, b = swept.joints
    axes.set_xlabel(_axis(arm, a), fontsize=9)
    if a == b:  # one joint: a line
        axes.plot(_shown(arm, a, swept.first), np.diagonal(values), color="#2563a8")
        axes.grid(alpha=0.3)
        return
    axes.set_ylabel(_axis(arm, b), fontsize=9)
    low, high = float(values.min()), float(values.max())
    if high - low <= FLAT * max(abs(low), abs(high)):
        words = (
            f"hardly changes: {low:.4g} to {high:.4g}" if low < high else f"{low:.4g} everywhere"
        )
        axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", color="0.3")
        axes.set_xticks([])
        axes.set_yticks([])
        return
    signed = low < 0.0 < high
    reach = max(-low, high)
    limits = {"vmin": -reach, "vmax": reach} if signed else {}
    drawn = axes.contourf(
        _shown(arm, a, swept.first), _shown(arm, b, swept.second), values, levels=LEVELS,
        cmap="RdBu_r" if signed else "viridis", **limits,
    )  # fmt: skip
    figure.colorbar(drawn, ax=axes, pad=0.02).ax.tick_params(labelsize=8)
    at = (_shown(arm, a, q[a]), _shown(arm, b, q[b]))
    axes.plot(*at, marker="P", color="white", markeredgecolor="black", markersize=9)


def _axis(arm: Arm, j: int) -> str:
    return plain_text(f"{arm.joint_names[j]} [{'°' if arm.robot.joints[j].is_revolute else 'm'}]")


def _shown(arm: Arm, j: int, values: Any) -> Any:
    return np.degrees(values) if arm.robot.joints[j].is_revolute else values


def _place(arm: Arm, q: Array) -> str:
    if not q.any():
        return "q = 0"
    if arm.n > MANY:
        return "a pose within its limits"
    said = [
        f"{np.degrees(x):.0f}°" if joint.is_revolute else f"{x:.3g} m"
        for x, joint in zip(q, arm.robot.joints, strict=True)
    ]
    return ", ".join(said)
