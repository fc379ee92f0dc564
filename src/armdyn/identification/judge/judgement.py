"""What a verdict says: the answer, why, better explanations, and the measures behind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from armdyn.arrays import Array
from armdyn.findings import Answer, Finding
from armdyn.identification.judge.box import Box
from armdyn.numerics import ratio


class Improvement(NamedTuple):
    """Errors on data held out, without and with a finding's remedy: of its joints, and of all.

    What is wrong with one joint may show in others, whose links it shares.
    """

    own: tuple[float, float]
    mean: tuple[float, float]

    @property
    def best(self) -> tuple[float, float]:
        """The errors that fall most."""
        return min(self, key=lambda pair: float(ratio(pair[1], pair[0], 1.0)))


# Applies the remedy of a finding; None if it cannot be applied.
Trial = Callable[[Finding], Improvement | None]


@dataclass(frozen=True, eq=False)
class Measures:
    """The numbers of a verdict, of every joint ``(n,)``, relative to `size`.

    Attributes:
        size: of the joint's torque, at least a tenth of the largest joint's, and a twentieth of its
            limit of effort [N m or N].
        blocked: error on blocks of time that were left out of the fit.
        delivered: error of the delivered model on the rows of the fit where the joint moves.
        held_out: the same on data held out; NaN without any.
        spread: standard deviation of predictions on other motions in the box (jackknife).
        bias: change of predictions there by the terms that the model lacks.
        lacking: the term that changes them most, in words; empty if there is none.
        curve: the same for terms of friction over speed and load.
        bent: the term of these that changes them most, in words.
        gain: change of predictions there if the drive's gain is fitted, where the data show it.
        gain_likely: change of the joint's whole torque there, friction included, by the estimate of
            the gain, where that is far from 1 beside its standard deviation and can be believed.
        gain_unknown: largest change by a gain that the data allow, whether they show one or not:
            the estimate and twice its standard deviation.
        gain_checked: how far the gain may be from 1, the estimate and twice its standard deviation;
            infinite if it cannot be checked.
        friction: smallest friction against the motion, over the speeds seen.
        friction_times: how many times its friction is that of the other joints, or the inverse,
            where nothing verifies the scale of its torque.
        torque: root mean square of the measured torques of the rows of the fit [N m or N]; all
            else is relative to `size`.
    """

    size: Array
    blocked: Array
    delivered: Array
    held_out: Array
    spread: Array
    bias: Array
    lacking: tuple[str, ...]
    curve: Array
    bent: tuple[str, ...]
    gain: Array
    gain_likely: Array
    gain_unknown: Array
    gain_checked: Array
    friction: Array
    friction_times: Array
    torque: Array


@dataclass(frozen=True, eq=False)
class Judgement:
    """A verdict.

    Attributes:
        reasons: why the model is not to be relied on, a sentence each.
        reservations: its weaknesses, a sentence each.
        findings: what explains the data better.
        box: the motions that the verdict speaks for.
        measures: the numbers behind it.
        joints: the answer for every joint.
    """

    reasons: tuple[str, ...]
    reservations: tuple[str, ...]
    findings: tuple[Finding, ...]
    box: Box
    measures: Measures
    joints: tuple[Answer, ...]

    def with_finding(self, finding: Finding) -> Judgement:
        """Return the verdict with one more finding, told first."""
        return replace(self, findings=(finding, *self.findings))

    @property
    def answer(self) -> Answer:
        """The verdict in a word or two."""
        if self.reasons:
            return "not passed"
        return "usable" if self.reservations else "passed"
