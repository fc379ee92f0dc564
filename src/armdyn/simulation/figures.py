"""A run as a plot, as a page, and as notebooks show it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from armdyn.arm.page import Page, mesh_folders, write_page
from armdyn.arm.recording import Recording
from armdyn.arrays import Array
from armdyn.checks import checked_positive
from armdyn.errors import InputError, shown
from armdyn.kinematics.turns import joint_limits
from armdyn.present.html import check_page
from armdyn.present.pictures import (
    JOINT_COLOURS,
    check_picture,
    new_figure,
    plain_text,
    write_picture,
)
from armdyn.present.tables import Grid, card, number
from armdyn.simulation.events import Event
from armdyn.simulation.run import Run, on_lines, positions_at, subject, torques_at, velocities_at

# A plot of a run: positions, velocities, torques and energy over time.

# More samples are not visible in a picture, and make a large file.
MOST_SAMPLES = 4000
# Runs of fewer samples are drawn through so many points of their dense output.
DENSE_POINTS = 1000
# Further joints differ from the first ones by the style of their lines.
STYLES = ("-", "--", ":", "-.")
# The shaded band of a batch: these quantiles of the arms.
BAND = (0.05, 0.95)
# A limit is drawn if its joint comes as near to it as this share of the panel's height.
NEAR_LIMIT_SHARE = 0.15
# The change of the sum of energies is told if it is less than this share of its size.
ENERGY_DRIFT_SHARE = 1e-2
# Kinds of events have these colours; more events than this are not drawn.
EVENTS = ("#d55e00", "#009e73", "#0072b2", "#cc79a7", "#8a7a2c")
MOST_EVENTS = 200


def plot(run: Run, path: str | os.PathLike[str]) -> None:
    """Draw the picture; the whole file or, if that fails, none."""
    check_picture(path)
    figure = new_figure(10.5, 7)
    axes = figure.subplots(2, 2, sharex=True).ravel()
    t, panels, energies = _sampled(run)
    for axis, (title, values, limits) in zip(axes, panels, strict=False):
        for joint in range(run.arm.n):
            colour = JOINT_COLOURS[joint % len(JOINT_COLOURS)]
            style = STYLES[joint // len(JOINT_COLOURS) % len(STYLES)]
            _line(axis, t, values[..., joint], colour, style)
        axis.set_title(title, fontsize=10, loc="left")
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


def _sampled(run: Run) -> tuple[Array, list[tuple[str, Array, Array]], dict[str, Array]]:
    """Return times, panels (title, values, limits) and energies: dense where samples are few."""
    arm, joints = run.arm, run.arm.robot.joints
    if run.batch is None and 1 < len(run) < DENSE_POINTS:
        t = np.union1d(run.t, np.linspace(float(run.t[0]), float(run.t[-1]), DENSE_POINTS))
        q, qd, tau = positions_at(run, t), velocities_at(run, t), torques_at(run, t)
    else:
        every = max(1, -(-len(run) // MOST_SAMPLES))
        t, q, qd, tau = (x[::every] for x in (run.t, run.q, run.qd, run.tau))
    speeds, efforts = (
        [getattr(joint, name) for joint in joints] for name in ("velocity", "effort")
    )
    panels = [
        (f"positions [{_units(run, 'rad', 'm')}]", q, np.array(joint_limits(joints))),
        (f"velocities [{_units(run, 'rad/s', 'm/s')}]", qd, np.outer([-1.0, 1.0], speeds)),
        (f"drive torques [{_units(run, 'N m', 'N')}]", tau, np.outer([-1.0, 1.0], efforts)),
    ]
    kinetic, potential = arm.kinetic_energy(q, qd), arm.potential_energy(q)
    return t, panels, {"kinetic": kinetic, "potential": potential, "sum": kinetic + potential}


def _draw_limits(axis: Any, values: Array, limits: Array) -> None:
    """Draw the limits that joints come near to, dashed, in the colours of the joints."""
    low, high = axis.get_ylim()
    near = NEAR_LIMIT_SHARE * (high - low)
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
    total = f"sum, changes by {drift:.0e}" if drift < ENERGY_DRIFT_SHARE else "sum"
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


def _units(run: Run, turning: str, sliding: str) -> str:
    """Return the units of the joints that an arm has."""
    revolute = {joint.is_revolute for joint in run.arm.robot.joints}
    return ", ".join({True: turning, False: sliding}[x] for x in sorted(revolute, reverse=True))


def _title(run: Run) -> str:
    arms = f"{run.batch} arms (median, and 90 % of them shaded), " if run.batch is not None else ""
    state = "" if run.complete else "INCOMPLETE, "
    return f"{run.arm.name}: {state}{arms}{run.integrator}, {run.evaluations} evaluations"


# A run as a page in which the arm moves.

# A larger number of samples means a wrong rate.
MOST_PAGE_SAMPLES = 200_000
# Events that the head of the page tells one by one; of more it tells the kinds.
MOST_PAGE_EVENTS = 3


def write_run(
    run: Run,
    path: str | os.PathLike[str] | None,
    rate: object,
    meshes: object,
    packages: Sequence[str | os.PathLike[str]],
) -> Page | None:
    """Write the page, the whole file or none; without a path, return it; see `Run.page`."""
    if path is not None:
        check_page(path)
    per_second = checked_positive(rate, "rate", what="samples a second")
    count = float(run.t[-1] - run.t[0]) * per_second
    if count > MOST_PAGE_SAMPLES:
        raise InputError(
            f"`rate` is {shown(rate)}: that makes {count:.3g} samples, "
            f"more than {MOST_PAGE_SAMPLES}.",
            argument="rate",
        )
    folders = mesh_folders(meshes, packages)
    return write_page(run.arm, path, run_recording(run, int(count) + 1), folders)


def run_recording(run: Run, count: int) -> Recording:
    """Return the run at its own times and at about `count` equal steps."""
    even = np.linspace(float(run.t[0]), float(run.t[-1]), count + 1) if len(run) > 1 else run.t
    t = np.union1d(run.t, even)
    # times that differ by rounding are one
    t = t[np.concatenate([[True], np.diff(t) > 1e-9 * max(float(run.t[-1] - run.t[0]), 1e-9)])]
    q, qd, tau = positions_at(run, t), velocities_at(run, t), torques_at(run, t)
    predicted = on_lines(run, run.arm.inverse_dynamics(run.q, run.qd, run.qdd), t)
    about = f"simulation of {float(run.t[-1] - run.t[0]):.4g} s by {run.integrator}"
    notes = () if run.complete else ("The simulation failed at the end of this recording.",)
    events = (_events_in_words(run),) if run.events else ()
    span = (float(t[0]), float(t[-1]))
    return Recording(t, q, qd, tau, predicted, (span,), about, (*notes, *events))


def _events_in_words(run: Run) -> str:
    """Return what happened: each event, or how often each kind of them and when first."""
    names = run.arm.joint_names
    if len(run.events) <= MOST_PAGE_EVENTS:
        told = [f"{event.t:.4g} s: {subject(event, names)} {event.what}" for event in run.events]
        return "; ".join(told)
    kinds: dict[str, list[Event]] = {}
    for event in run.events:
        kinds.setdefault(event.what, []).append(event)
    told = [
        f"{what}: {'once' if len(several) == 1 else f'{len(several)} times, first'} "
        f"{subject(several[0], names).rstrip(':')} at {several[0].t:.4g} s"
        for what, several in kinds.items()
    ]
    return "; ".join(told)


# Runs as notebooks show them, and the table that the command line shows too.


def joints_grid(run: Run) -> Grid:
    """Return the first and last state and the largest torque of each joint of one arm."""
    rows: list[tuple[str, ...]] = []
    for j, name in enumerate(run.arm.joint_names):
        largest = float(np.abs(run.tau[:, j]).max())
        numbers = (run.q[0, j], run.q[-1, j], run.qd[-1, j], largest)
        rows.append((name, *(f" {float(x):.6g}" for x in numbers)))
    return Grid("", ("joint", "q first", "q last", "qd last", "largest |tau|"), 1, tuple(rows))


def run_card(run: Run) -> str:
    """Return a run: states at its ends; of many arms how many there are."""
    facts = {
        "s": number(float(run.t[-1])),
        "samples": str(len(run)),
        "evaluations": str(run.evaluations),
        "integrator": run.integrator,
    }
    if run.batch is not None:
        facts = {"arms": str(run.batch), **facts}
    notes = () if run.complete else ("incomplete: it ended early",)
    grid = joints_grid(run) if run.batch is None else None
    return card(f"Run of {run.arm.name}", facts, grid, notes)
