"""A plot of a run: positions, velocities, torques and energy over time."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.present import JOINT_COLOURS, check_picture, new_figure, plain_text, write_picture
from armdyn.simulation._interpolation import positions_at, torques_at, velocities_at
from armdyn.simulation._run import Run, subject

Array = NDArray[np.float64]

# More samples are not visible in a picture, and make a large file.
MOST_SAMPLES = 4000
# Runs of fewer samples are drawn through so many points of their dense output.
DENSE = 1000
# Further joints differ from the first ones by the style of their lines.
STYLES = ("-", "--", ":", "-.")
# The shaded band of a batch: these quantiles of the arms.
BAND = (0.05, 0.95)
# A limit is drawn if its joint comes as near to it as this share of the panel's height.
NEAR = 0.15
# The change of the sum of energies is told if it is less than this share of its size.
STAYS = 1e-2
# Kinds of events have these colours; more events than this are not drawn.
EVENTS = ("#d55e00", "#009e73", "#0072b2", "#cc79a7", "#8a7a2c")
MOST_EVENTS = 200


def plot(run: Run, path: str | os.PathLike[str]) -> None:
    """Draw the picture; the whole file or, if that fails, none."""
    check_picture(path)
    figure = new_figure(10.5, 7)
    axes = figure.subplots(2, 2, sharex=True).ravel()
    t, panels, energies = _sampled(run)
    for axis, (title, (values, limits)) in zip(axes, panels.items(), strict=False):
        for joint in range(run.arm.n):
            colour = JOINT_COLOURS[joint % len(JOINT_COLOURS)]
            style = STYLES[joint // len(JOINT_COLOURS) % len(STYLES)]
            _line(axis, t, values[..., joint], colour, style)
        axis.set_title(f"{title} [{_units(run, title)}]", fontsize=10, loc="left")
        _draw_limits(axis, values, limits)
    joints = axes[0].get_lines()[: run.arm.n]
    _draw_energies(axes[3], run, t, energies)
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    marks = _draw_events(axes, run) if run.batch is None else []
    for axis in axes[2:]:
        axis.set_xlabel("time [s]")
    names = [plain_text(name) for name in run.arm.joint_names]
    words = [str(mark.get_label()) for mark in marks]
    figure.legend(
        [*joints, *marks], [*names, *words], loc="outside right upper", fontsize=8, frameon=False
    )
    figure.suptitle(plain_text(_title(run)), fontsize=11)
    write_picture(figure, path, dpi=120)


def _sampled(run: Run) -> tuple[Array, dict[str, tuple[Array, Array]], dict[str, Array]]:
    """Return times; values and limits of each panel; and energies: dense where samples are few."""
    arm, joints = run.arm, run.arm.robot.joints
    if run.batch is None and 1 < len(run) < DENSE:
        t = np.union1d(run.t, np.linspace(float(run.t[0]), float(run.t[-1]), DENSE))
        q, qd, tau = positions_at(run, t), velocities_at(run, t), torques_at(run, t)
    else:
        every = max(1, -(-len(run) // MOST_SAMPLES))
        t, q, qd, tau = (x[::every] for x in (run.t, run.q, run.qd, run.tau))
    speeds, efforts = (
        [getattr(joint, name) for joint in joints] for name in ("velocity", "effort")
    )
    panels = {
        "positions": (q, np.array([[j.lower for j in joints], [j.upper for j in joints]])),
        "velocities": (qd, np.outer([-1.0, 1.0], speeds)),
        "drive torques": (tau, np.outer([-1.0, 1.0], efforts)),
    }
    kinetic, potential = arm.kinetic_energy(q, qd), arm.potential_energy(q)
    return t, panels, {"kinetic": kinetic, "potential": potential, "sum": kinetic + potential}


def _draw_limits(axis: Any, values: Array, limits: Array) -> None:
    """Draw the limits that joints come near to, dashed, in the colours of the joints."""
    low, high = axis.get_ylim()
    near = NEAR * (high - low)
    for joint, bounds in enumerate(limits.T):
        least, most = float(values[..., joint].min()), float(values[..., joint].max())
        for bound in bounds:
            if least - near <= bound <= most + near:
                colour = JOINT_COLOURS[joint % len(JOINT_COLOURS)]
                axis.axhline(bound, color=colour, linewidth=0.9, linestyle=(0, (6, 4)))
    if not values.any():
        axis.set_ylim(-1.0, 1.0)
        axis.text(0.5, 0.55, "none", transform=axis.transAxes, ha="center", color="0.4", fontsize=9)


def _draw_energies(axis: Any, run: Run, t: Array, energies: dict[str, Array]) -> None:
    """Draw kinetic and potential energy, and their sum with how much it changes."""
    styles = {"kinetic": ("#d55e00", "--"), "potential": ("#0072b2", "-."), "sum": ("0.2", "-")}
    for name, values in energies.items():
        _line(axis, t, values, *styles[name])
    place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
    drift = float(np.max(run.drift))
    total = f"sum, changes by {drift:.0e}" if drift < STAYS else "sum"
    words = ["kinetic", "potential", total]
    axis.legend(axis.get_lines(), words, fontsize=8, frameon=False, ncols=3, **place)
    axis.set_title("energy [J]", fontsize=10, loc="left")


def _draw_events(axes: Any, run: Run) -> list[Any]:
    """Draw lines at events, a colour for each kind; return one line of each with its label."""
    found: dict[str, Any] = {}
    counts = Counter(event.what for event in run.events)
    names = run.arm.joint_names
    for event in run.events[:MOST_EVENTS]:
        colour = EVENTS[list(counts).index(event.what) % len(EVENTS)]
        for axis in axes:
            line = axis.axvline(event.t, color=colour, linewidth=1.1, linestyle=":")
            found.setdefault(event.what, line)
    for what, line in found.items():
        count = counts[what]
        first = next(event for event in run.events if event.what == what)
        who = plain_text(subject(first, names)) if count == 1 else f"{count} times"
        line.set_label(f"{what}: {who}")
    return list(found.values())


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
