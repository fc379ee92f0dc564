"""Runs as notebooks show them, and the table that the command line shows too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.present import Grid, card, number

if TYPE_CHECKING:
    from armdyn.simulation._run import Run


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
