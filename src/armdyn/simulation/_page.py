"""A run as a page in which the arm moves."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_positive
from armdyn.arm import Page, Recording, mesh_folders, write_page
from armdyn.errors import InputError, shown
from armdyn.present import check_page
from armdyn.simulation._interpolation import (
    on_lines,
    positions_at,
    torques_at,
    velocities_at,
)
from armdyn.simulation._run import Run, subject
from armdyn.simulation.events._event import Event

Array = NDArray[np.float64]

MOST_SAMPLES = 200_000
# Events that the head of the page tells one by one; of more it tells the kinds.
MOST_EVENTS = 3


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
    if count > MOST_SAMPLES:
        raise InputError(
            f"`rate` is {shown(rate)}: that makes {count:.3g} samples, more than {MOST_SAMPLES}.",
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
    if len(run.events) <= MOST_EVENTS:
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
