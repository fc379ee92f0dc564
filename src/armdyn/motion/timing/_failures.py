"""Why a path cannot be followed, in words; other paths are not affected."""

from __future__ import annotations

import numpy as np

from armdyn.errors import ArmdynError, InputError, NumericalError
from armdyn.motion.timing._node_program import FASTEST
from armdyn.motion.timing._passes import Law
from armdyn.motion.timing._problem import Problem
from armdyn.motion.timing._question import Question

# A speed reached to this share is reached.
REACHED = 1e-6


def note_unheld(problem: Problem, errors: list[ArmdynError | None]) -> None:
    """Note paths on which the arm cannot hold itself, moving on against friction or at an end."""
    n, limited = problem.n, np.array(problem.drives.effort)
    g, effort = problem.node[:, :, 4 * n :], problem.limits.effort
    # the largest torques and the least limits anywhere
    most = np.maximum(g.max(axis=(0, 1)), -g.min(axis=(0, 1))) * (
        1.0 + np.array(problem.drives.share)
    )
    high, low = problem.creeping[:, :, :n], problem.creeping[:, :, n:]
    least = np.minimum(np.minimum(high.min(axis=(0, 1)), -low.max(axis=(0, 1))), effort)
    if ((most < least) | ~limited).all():
        return
    still = effort - np.abs(g[[0, -1]])
    for right, ends in enumerate((g[:-1], g[1:])):
        left = problem.held(ends, problem.creeping, problem.sigma)
        lack = np.minimum(left[:, :, :n], left[:, :, n:])
        lack[-right] = np.minimum(lack[-right], still[right])
        real = problem.length > 0.0
        real[-1] = True  # the node of an end, even if only other paths have the piece before it
        bad = (lack <= 0.0) & limited & real[:, :, None]
        for lane in np.nonzero(bad.any(axis=(0, 2)))[0].tolist():
            if errors[lane] is None:
                i, j = (int(x) for x in np.argwhere(bad[:, lane])[0])
                s, name = float(problem.s[i + right, lane]), problem.arm.joint_names[j]
                errors[lane] = NumericalError(
                    f"the arm cannot hold itself at s = {s:.4g} of the path: joint {name!r} lacks "
                    f"{-lack[i, lane, j]:.4g} of its effort, {effort[j]:.4g}, to "
                    "move on slowly against friction."
                )


def note_failures(
    question: Question, problem: Problem, law: Law, errors: list[ArmdynError | None]
) -> None:
    """Note paths without a time law."""
    going = law.speed > 0.0
    going[0], going[1:][problem.s[1:] >= 1.0] = True, True
    top, last = law.speed.max(axis=0), law.speed[-1]
    fine = going.all(axis=0) & (top < FASTEST / 2) & (last >= question.end * (1.0 - REACHED))
    fine &= question.start <= law.bound[0] * (1.0 + REACHED)
    for lane in np.nonzero(~fine)[0].tolist():
        if errors[lane] is None:
            errors[lane] = _failure(question, problem, law, lane)


def _failure(question: Question, problem: Problem, law: Law, lane: int) -> ArmdynError | None:
    real = int((problem.length[:, lane] > 0.0).sum())
    s, speed = problem.s[: real + 1, lane], law.speed[: real + 1, lane]
    start, end = question.start, question.end
    if start > law.bound[0, lane] * (1.0 + REACHED):
        return InputError(
            f"`start_speed` is {start:g}, but the path can be entered with at most "
            f"{law.bound[0, lane]:.6g}: the limits do not allow to slow down in time.",
            argument="start_speed",
        )
    if end > problem.fastest[real, lane] * (1.0 + REACHED):
        return InputError(
            f"`end_speed` is {end:g}, but limits of velocity allow at most "
            f"{problem.fastest[real, lane]:.6g}.",
            argument="end_speed",
        )
    if not np.isfinite(speed).all() or (speed[1:-1] <= 0.0).any():
        stop = int(np.argmax(~(np.isfinite(speed[1:-1]) & (speed[1:-1] > 0.0)))) + 1
        return NumericalError(
            f"the limits stop the motion at s = {s[stop]:.4g} of the path: no drive has torque "
            "left to go on."
        )
    if speed.max() >= FASTEST / 2:
        place = s[int(speed.argmax())]
        return InputError(
            f"no limit holds at s = {place:.4g} of the path: only joints without limits move "
            "there; give `velocity`.",
            argument="velocity",
        )
    if speed[-1] < end * (1.0 - REACHED):
        return InputError(
            f"`end_speed` is {end:g}, but the limits allow to reach at most {speed[-1]:.6g}.",
            argument="end_speed",
        )
    return None
