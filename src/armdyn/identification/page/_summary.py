"""The top of the page: the verdict, the numbers that matter, and a row for each joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.identification.judge._advice import rows_left_out
from armdyn.identification.judge._verdict import EXPECTED_ERROR, TORQUE_ERROR
from armdyn.present import (
    Grid,
    Html,
    Toned,
    joined,
    listed,
    number,
    percent,
    section,
    tag,
    with_deviation,
)
from armdyn.robot import FRICTION_TERMS

if TYPE_CHECKING:
    from armdyn.identification._result import Result


def verdict(result: Result) -> Html:
    """Return whether the result is reliable, and why or why not."""
    error = percent(result.errors.total)
    where = "data that were not used for the fit" if result.held_out else "the data of the fit"
    judged = result.excitation.expected_error
    if result.usable:
        said = "Passed: the model can be relied on"
        if not result.passed:
            said = "Usable, with reservations"
        inside = [
            tag("p", said, class_="head"),
            tag("p", f"It predicts torques with an error of {error} on {where}."),
            tag(
                "p",
                f"On other motions within the same ranges, errors of {percent(judged)} are "
                "expected from what the data leave open.",
            ),
            listed(result.reservations),
        ]
        return tag("div", *inside, class_="verdict passed")
    inside = [
        tag("p", "Not passed: do not rely on this model", class_="head"),
        tag("p", f"Its error of torques is {error} on {where}."),
        listed(result.reasons),
    ]
    return tag("div", *inside, class_="verdict failed")


def facts(result: Result) -> Html:
    """Return the most important numbers, in large type."""
    weak, p = len(result.weak), len(result.values)
    named = (
        (percent(result.errors.total), "torque error" + (", held out" * result.held_out)),
        (percent(result.train_errors.total), "torque error of the fit"),
        (percent(result.excitation.expected_error), "expected on other motions"),
        (f"{p - weak} of {p}", "parameters known to 30 %"),
        (f"{number(sum(_seconds(result)), 3)} s", "of data in the fit"),
    )
    boxes = (tag("div", tag("b", value), tag("span", words)) for value, words in named)
    return tag("div", joined(boxes), class_="facts")


def joint_table(result: Result) -> Html:
    """Return a row for each joint: errors and noise; then friction."""
    held = "held out" if result.held_out else "of the fit"
    heads = ("joint", f"error {held}", "error of the fit", "rms torque", "rms residual",
             "expected elsewhere", "rows left out")  # fmt: skip
    series = result.test if result.held_out else result.train
    torque = np.sqrt(np.mean(np.concatenate([s.measured for s in series]) ** 2, axis=0))
    left_out = rows_left_out(result)
    rows: list[tuple[str, ...]] = []
    for j, joint in enumerate(result.arm.robot.joints):
        unit = "N m" if joint.is_revolute else "N"
        judged = float(result.excitation.per_joint[j])
        error = float(result.errors.per_joint[j])
        rows.append(
            (
                joint.name,
                _marked(percent(error), error, TORQUE_ERROR),
                percent(float(result.train_errors.per_joint[j])),
                f"{number(float(torque[j]), 3)} {unit}",
                f"{number(float(result.sigma[j]), 3)} {unit}",
                _marked(percent(judged), judged, EXPECTED_ERROR),
                percent(float(left_out[j])),
            )
        )
    hint = tag(
        "p",
        "Error: |measured − predicted| / |measured|, in the band of the fit. Expected "
        "elsewhere: error on other motions within the same ranges, from the covariance of the "
        "parameters. Rows left out: slower than the dead band, where friction is not known; they "
        "still count in the errors.",
        class_="hint",
    )
    grid = Grid("", heads, 1, tuple(rows)).html()
    return section("Joint by joint", grid, hint, _friction(result), key="joints")


def _friction(result: Result) -> Html:
    words = {field: term.words for field, term in FRICTION_TERMS.items()}
    words |= {"fading": "Stribeck, above Coulomb"}
    found = [(i, column) for i, column in enumerate(result.model.columns) if column.kind in words]
    kinds = list(dict.fromkeys(column.kind for _, column in found))
    if not kinds:
        return tag("p", "Friction was taken as described, not fitted.")
    cells = {
        (column.joint, column.kind): _with_error(float(result.values[i]), float(result.std[i]))
        for i, column in found
    }
    rows = tuple(
        (name, *(cells.get((j, kind), "") for kind in kinds))
        for j, name in enumerate(result.arm.joint_names)
    )
    heads = ("friction of", *(words[kind] for kind in kinds))
    turning, sliding = (
        " and ".join(
            sorted(
                {FRICTION_TERMS[kind].unit(revolute) for kind in kinds if kind in FRICTION_TERMS}
            )
        )
        for revolute in (True, False)
    )
    hint = tag("p", f"In {turning}; of sliding joints in {sliding}.", class_="hint")
    return joined([Grid("", heads, 1, rows).html(), hint])


def _seconds(result: Result) -> list[float]:
    return [source.duration for source in result.about.sources if not source.held_out]


def _with_error(value: float, std: float) -> str:
    return f"{with_deviation(value, std)} ± {number(std, 2)}"


def _marked(words: str, value: float, most: float) -> Toned:
    return Toned(words, "good" if value <= most / 2 else "fair" if value <= most else "bad")
