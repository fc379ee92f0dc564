"""The model with which a log is observed: as described or, where that is poor, identified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.control.observation import samples_of, spans
from armdyn.control.observer import MomentumObserver
from armdyn.errors import InputError, MissingExtraError
from armdyn.identification.conic import need_solver
from armdyn.identification.identify import identify_by_torques
from armdyn.identification.result import Result
from armdyn.log.log import Log
from armdyn.numerics import ratio
from armdyn.progress import Progress, silent

# A description that misses more of the torques of a log than this share is poor.
POOR_FIT_ERROR = 0.15

# A log shows friction if a joint is faster than this [rad/s or m/s] in at least this share of the
# rows; pushes of an arm that holds a pose move it for less.
MOVING_SPEED, MIN_MOVING_SHARE = 0.02, 0.1

# Rows are suspect beyond this share of their threshold, and so are those this long before and after
# [s]. A log of more suspect rows than this share is not made of few contacts.
SUSPECT_SHARE, SUSPECT_MARGIN, MAX_SUSPECT_SHARE = 0.6, 0.2, 0.4
# Parts of fewer rows are dropped, too: filters would leave nothing of them.
MIN_PART_ROWS = 50


@dataclass(frozen=True)
class Choice:
    """Arguments of `MomentumObserver`, and why.

    Attributes:
        model: the arm, or the result of an identification.
        free: the log without contacts; False if none is known.
        note: a sentence for the user.
    """

    model: Arm | Result
    free: Log | Literal[False] | None
    note: str


def model_for(
    arm: Arm,
    log: Log,
    free: Log | None = None,
    *,
    identified: bool | None = None,
    progress: Progress = silent,
) -> Choice:
    """Choose the model of the observer for a log.

    It is identified from the log without contacts or else from the log itself, where the
    description does not fit.

    Args:
        arm: the arm as described.
        log: the log to observe.
        free: a log of the same arm without contacts.
        identified: identify the arm; if left out, only where the description fits poorly.
        progress: function that is called with each step.

    Returns:
        The model, and why it was chosen.

    Raises:
        InputError: the arm is to be identified from a log that stands still; with `identified`,
            also if the log does not identify it.

    Examples:
        >>> arm, log = armdyn.load("planar2"), armdyn.Log.read("run.csv")
        >>> choice = armdyn.control.model_for(arm, log)
        >>> choice.model is arm
        True
        >>> choice.note
        'the arm as described misses 0% of the torques.'
    """
    source = log if free is None else free
    missed = missed_share(arm, source, "log" if free is None else "free")
    poor = missed > POOR_FIT_ERROR
    says = f"the arm as described misses {missed:.0%} of the torques"
    where = "this log" if free is None else "the log without contacts"
    if identified is False or (identified is None and not poor):
        advice = ": small contacts cannot be found with it" if poor else ""
        return Choice(arm, free, f"{says}{advice}.")
    if moving_share(arm, source) < MIN_MOVING_SHARE:
        raise InputError(
            f"{says}, and {where} stands still: to identify the arm, expected a joint faster than "
            f"{MOVING_SPEED:g} rad/s (or m/s) in {MIN_MOVING_SHARE:.0%} of the rows. Give a log of "
            "a motion without contacts: `armdyn observe ROBOT LOG --free MOTION`, or keep the "
            "description: --no-identify.",
            argument="log" if free is None else "free",
        )
    how: dict[str, Any] = {"holdout": 0.0, "physical": _has_solver(), "progress": progress}
    try:
        result = identify_by_torques(arm, source, **how)
        calm = source if free is not None else without_contacts(result, source)
        if calm is not source:
            result = identify_by_torques(arm, calm, **how)
    except InputError as error:
        if identified:
            raise
        return Choice(arm, free, f"{says}, and {where} does not identify it: {error}")
    left = result.train_errors.unfiltered
    if left > missed:
        return Choice(arm, free, f"{says}; what {where} identifies misses {left:.0%}.")
    known = free if free is not None else False
    return Choice(result, known, f"{says}. It is identified from {where}, and misses {left:.0%}.")


def without_contacts(result: Result, log: Log) -> Log:
    """Return a log without the rows that stand out from a model which they may have spoilt.

    The same log, if there are none, or so many that little would be left.
    """
    seen = MomentumObserver(result, free=False).run(log)
    far = np.asarray((np.abs(seen.residual) > SUSPECT_SHARE * seen.threshold).any(axis=1))
    times = np.asarray(log.t)
    odd = np.zeros(len(times), dtype=bool)
    for a, b in spans(far):
        odd |= (times >= seen.t[a] - SUSPECT_MARGIN) & (times <= seen.t[b - 1] + SUSPECT_MARGIN)
    if not odd.any() or odd.mean() > MAX_SUSPECT_SHARE:
        return log
    parts = [log.part(a, b) for a, b in spans(~odd) if b - a >= MIN_PART_ROWS]
    return Log.concat(parts) if parts else log


def missed_share(arm: Arm, log: Log, name: str) -> float:
    """Return the share of the torques of a log that an arm does not explain."""
    samples = samples_of(log, arm, 1.0, None, name)
    qd = np.where(samples.still, 0.0, samples.qd)  # noise has no friction
    off = samples.tau - arm.inverse_dynamics(samples.q, qd, samples.qdd)
    return float(ratio(np.linalg.norm(off), np.linalg.norm(samples.tau), 1.0))


def moving_share(arm: Arm, log: Log) -> float:
    """Return the share of the rows of a log in which the joint that moves most does so."""
    samples = samples_of(log, arm, 1.0, None, "log")
    return float((np.abs(samples.qd) > MOVING_SPEED).mean(axis=0).max())


def _has_solver() -> bool:
    """Say whether links can be made physical; an observer does not depend on it."""
    try:
        need_solver("links that can exist")
    except MissingExtraError:
        return False
    return True
