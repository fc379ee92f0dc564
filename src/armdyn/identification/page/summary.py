"""The top of the page: the verdict, the numbers that matter, and a row for each joint."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from armdyn.identification.judge.verdict import EXPECTED_ERROR, LIMITS
from armdyn.present.html import Html, joined, listed, section, sentence, tag
from armdyn.present.tables import Grid, Toned, number, percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# The head of the verdict, and its color.
HEADS = {
    "passed": ("Passed: the model can be relied on", "passed"),
    "usable": ("Usable, with reservations", "usable"),
    "not passed": ("Not passed: do not rely on this model", "failed"),
}

HELD_OUT = next(limit for limit in LIMITS if limit.measure == "held_out")


def verdict(result: Result) -> Html:
    """Return whether the result is reliable, and why or why not."""
    where = "data that were not used for the fit" if result.held_out else "the data of the fit"
    head, tone = HEADS[result.verdict]
    judged = percent(result.excitation.expected_error)
    inside = [
        tag("p", head, class_="head"),
        tag(
            "p",
            "Where joints move, it predicts torques with an error of "
            f"{percent(result.errors.total)} on {where}.",
        ),
        tag(
            "p",
            f"On other motions within the same ranges, errors of {judged} are expected from what "
            "the data leave open.",
        ),
    ]
    if result.reasons:
        inside.append(listed(result.reasons))
    if result.reservations:
        inside += [tag("p", "Beside that:")] * bool(result.reasons)
        inside.append(listed(result.reservations))
    return tag("div", *inside, class_=f"verdict {tone}")


def findings(result: Result) -> Html:
    """Return what explains the data better than the model, and what mends it; or nothing."""
    if not result.findings:
        return Html("")
    rows = tuple(
        (
            sentence(finding.what),
            percent(finding.error_before),
            percent(finding.error_after),
            tag("code", option) if option.startswith("-") else sentence(option),
        )
        for finding, option in ((one, one.option) for one in result.findings)
    )
    hint = tag(
        "p",
        "Errors are of parts of the log that were left out of the fit, without and with it: the "
        "mean of the joints, relative to the sizes of their torques.",
        class_="hint",
    )
    heads = ("what explains the data better", "error now", "with it", "what mends it")
    grid = Grid("", heads, 1, rows, words_after=1).html()
    return section("What the model lacks", grid, hint, key="findings")


def facts(result: Result) -> Html:
    """Return the most important numbers, in large type."""
    weak, p = len(result.weak), len(result.values)
    named = (
        (percent(result.errors.total), "error while moving" + (", held out" * result.held_out)),
        (percent(result.train_errors.total), "error while moving, of the fit"),
        (percent(result.excitation.expected_error), "expected on other motions"),
        (f"{p - weak} of {p}", "parameters known to 30 %"),
        (f"{number(sum(_seconds(result)), 3)} s", "of data in the fit"),
    )
    boxes = (tag("div", tag("b", value), tag("span", words)) for value, words in named)
    return tag("div", joined(boxes), class_="facts")


def joint_table(result: Result) -> Html:
    """Return a row for each joint: errors and noise; then the motions that the verdict is about."""
    held = ", held out" if result.held_out else ""
    heads = ("joint", f"error while moving{held}", "of the fit", "at rest", "rows at rest",
             "rms torque", "rms residual", "expected elsewhere", "gain checked to")  # fmt: skip
    series = result.test if result.held_out else result.train
    torque = np.sqrt(np.mean(np.concatenate([s.measured for s in series]) ** 2, axis=0))
    errors, checked = result.errors, result.judgement.measures.gain_checked
    rows: list[tuple[str, ...]] = []
    for j, joint in enumerate(result.arm.robot.joints):
        unit = "N m" if joint.is_revolute else "N"
        judged = float(result.excitation.per_joint[j])
        error = float(errors.per_joint[j])
        rows.append(
            (
                joint.name,
                _marked(percent(error), error, HELD_OUT.reservation, HELD_OUT.refusal),
                percent(float(result.train_errors.per_joint[j])),
                percent(float(errors.at_rest[j])),
                percent(float(errors.share_at_rest[j])),
                f"{number(float(torque[j]), 3)} {unit}",
                f"{number(float(result.sigma[j]), 3)} {unit}",
                _marked(percent(judged), judged, EXPECTED_ERROR / 2, EXPECTED_ERROR),
                _within(float(checked[j])),
            )
        )
    rows.append(
        ("all", percent(errors.total), percent(result.train_errors.total), "", "", "", "",
         percent(result.excitation.expected_error), "")
    )  # fmt: skip
    hint = tag(
        "p",
        "Error while moving: |measured − predicted| / |measured|, in the band of the fit, over "
        "rows where the joint is faster than 2 % of its greatest speed. At rest friction takes any "
        "value up to stiction, so there the error is the distance from that band. Expected "
        "elsewhere: error on other motions within the same ranges, from the covariance of the "
        "parameters. Gain checked to: the scale of the joint's torque is off by no more than this, "
        "as far as the other joints show it.",
        class_="hint",
    )
    grid = Grid("", heads, 1, tuple(rows)).html()
    return section("Joint by joint", grid, hint, _box(result), key="joints")


def _box(result: Result) -> Html:
    """Return the motions that the verdict speaks for."""
    box = result.box
    rows: list[tuple[str, ...]] = []
    for j, joint in enumerate(result.arm.robot.joints):
        unit = "rad" if joint.is_revolute else "m"
        low, high = number(float(box.lower[j]), 3), number(float(box.upper[j]), 3)
        rows.append(
            (
                joint.name,
                f"{low} to {high} {unit}",
                f"{number(float(box.speed[j]), 3)} {unit}/s",
                f"{number(float(box.acceleration[j]), 3)} {unit}/s²",
            )
        )
    words = tag("p", "The verdict speaks for motions within this box, and for no others.")
    heads = ("motion of", "positions", "speeds up to", "accelerations up to")
    return joined([words, Grid("", heads, 1, tuple(rows)).html()])


def _within(x: float) -> str:
    return f"± {percent(x)}" if math.isfinite(x) and x < 1.0 else "not checked"


def _seconds(result: Result) -> list[float]:
    return [source.duration for source in result.about.sources if not source.held_out]


def _marked(words: str, value: float, fair: float, bad: float) -> Toned:
    return Toned(words, "good" if value <= fair else "fair" if value <= bad else "bad")
