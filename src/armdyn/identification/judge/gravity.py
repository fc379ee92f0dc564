"""Gravity's own verdict: is the model right for holding an arm up, whatever its friction is?

Gravity compensation needs the weight of the links only. Its error is that of the rigid-body
parameters (their honest covariance) at random positions in the box, relative to the joint's own
torque of gravity, but at least to a tenth of the largest joint's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.judge.box import Box
from armdyn.identification.judge.judgement import Answer, Finding
from armdyn.identification.judge.verdict import REFUSED
from armdyn.numerics import ratio

STATES = 200
"""Random positions in the box."""

OF_LARGEST = 0.1
"""A joint that carries little is judged relative to this share of the largest torque of gravity."""

PASSED, USABLE = 0.05, 0.15
"""Largest errors, one standard deviation, of a gravity model that passes, and of one that can be
used with reservations: the second is what a described arm often has already."""

DISTURBING = ("zero", "spring", "tilt", "scale")
"""Findings on what changes torques that hold an arm up, and is not in the model. A load at the
tip is: it was weighed with the last link."""


@dataclass(frozen=True, eq=False)
class Gravity:
    """How well gravity is known.

    Attributes:
        error: of every joint, one standard deviation, relative ``(n,)``.
        verdict: "passed", "usable" or "not passed".
    """

    error: Array
    verdict: Answer


def judge_gravity(
    model: Model, values: Array, covariance: Array, box: Box, findings: Sequence[Finding]
) -> Gravity:
    """Judge the gravity of a delivered model.

    Args:
        model: its columns.
        values: of the columns ``(p,)``.
        covariance: of the values ``(p, p)``.
        box: the positions that count.
        findings: what explains the data better than the model does.
    """
    q = box.states(STATES)[0]
    rows = model.rows(q, np.zeros_like(q), np.zeros_like(q))
    variance, square = np.zeros(model.n), np.zeros(model.n)
    for j, active in enumerate(model.active):
        rigid = active < model.k
        mine, at = rows[:, model.part(j)][:, rigid], active[rigid]
        spread = np.einsum("ri,ik,rk->r", mine, covariance[np.ix_(at, at)], mine)
        variance[j] = max(float(spread.mean()), 0.0)
        square[j] = float(np.mean((mine @ values[at]) ** 2))
    size = np.sqrt(np.maximum(square, OF_LARGEST**2 * square.max()))
    error = ratio(np.sqrt(variance), size, 0.0)
    worst = float(error.max())
    kinds = {f.kind for f in findings if f.joints or f.kind not in REFUSED}
    if worst > USABLE or kinds & {*REFUSED}:
        return Gravity(error, "not passed")
    disturbed = any(f.kind in DISTURBING and "was turned" not in f.what for f in findings)
    return Gravity(error, "usable" if worst > PASSED or disturbed else "passed")
