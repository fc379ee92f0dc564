"""All branches of inverse kinematics, beside EAIK."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np

from armdyn.errors import ArmdynError
from armdyn.kinematics.families import closed_form
from armdyn.robot.chain import chain_of
from arms import arm_named
from comparison.results import OURS, Kinematics, Times
from peers.eaik import EAIK
from timing import Job, best_times

# Where the joint to spare is, of seven joints.
GIVEN = 0.4
# Poses of the other library, which takes microseconds for each; and those whose sets are compared.
FEW = 1000
COMPARED = 300

BATCH = "EAIK, batch"

THREADS = "ARMDYN_THREADS"


def measure_kinematics(
    names: Sequence[str], batch: int, seconds: float, notes: list[str]
) -> tuple[tuple[Kinematics, ...], dict[str, EAIK]]:
    """Measure all branches of the arms that have a closed form, poses to angles and margins.

    Args:
        names: of arms.
        batch: poses in a batch.
        seconds: how long each comparison may take.
        notes: what was not measured, and why, is added.

    Returns:
        What was measured, and the other library if it is there.
    """
    rows: list[Kinematics] = []
    other: EAIK | None = None
    for name in names:
        try:
            arm = arm_named(name)
        except ArmdynError:  # told with the other quantities
            continue
        form = closed_form(chain_of(arm.robot))
        if form is None or not form.exact:
            continue
        if not rows:
            other = _eaik(notes)
        q = np.random.default_rng(0).uniform(-3.0, 3.0, (batch, arm.n))
        spare: float | None = None
        if form.given is not None:
            q[:, form.given] = spare = GIVEN
        poses = arm.pose(q)
        found = arm.inverse_kinematics_all(poses, limits=False, redundancy=spare)
        options = {"limits": False, "redundancy": spare, "out": found}
        jobs = {OURS: Job(arm.inverse_kinematics_all, (poses,), batch, options)}
        same, of = 0, 0
        refused: dict[str, str] = {}
        if other is not None:
            try:
                theirs = other.arm(arm, None if form.given is None else (form.given, GIVEN))
                few = theirs.seen(poses[:FEW])
                jobs[EAIK.name] = Job(theirs.one_by_one, (few,), len(few))
                jobs[BATCH] = Job(theirs.batch, (few,), len(few))
                of = min(COMPARED, batch)
                same = theirs.same_sets(poses[:of], found)
            except ArmdynError as error:
                refused[EAIK.name] = str(error)
        with _one_thread():
            times = Times(best_times(jobs, seconds), refused)
        rows.append(Kinematics(name, form.words, times, same, of))
    return tuple(rows), {} if other is None else {EAIK.name: other}


@contextmanager
def _one_thread() -> Generator[None]:
    """Leave one thread to our batches, as the other library has."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = before


def _eaik(notes: list[str]) -> EAIK | None:
    try:
        return EAIK()
    except ArmdynError as error:
        notes.append(f"EAIK was not measured: {error}")
        return None
