"""Measured and predicted torques over time, and residuals, joint by joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.judge.holdout import Errors, Series
from armdyn.identification.page.fine import (
    Fine,
    drawn_share,
    fine_torques,
    thinned_in_words,
    within,
)
from armdyn.present.curves import Curve, Panel, captioned, placed, zoomable
from armdyn.present.html import Html, Packed, joined, section, tag
from armdyn.present.tables import number, percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result

TALL, SHORT = 150, 64


def torque_sections(result: Result, packed: Packed) -> Html:
    """Return the torques of the data held out, and of the data of the fit."""
    explained = tag("p", _explained(result), class_="hint")
    parts: list[Html] = []
    if result.held_out:
        drawn = _drawings(result, result.test, result.errors, True, packed)
        title = "Torques on data not used for the fit"
        parts.append(section(title, explained, drawn, key="held-out"))
        drawn = _drawings(result, result.train, result.train_errors, False, packed)
        folded = tag("details", tag("summary", "Show the drawings"), drawn)
        parts.append(section("Torques on the data of the fit", folded, key="fit"))
    else:
        drawn = _drawings(result, result.train, result.train_errors, False, packed)
        parts.append(section("Torques on the data of the fit", explained, drawn, key="fit"))
    return joined(parts)


def _explained(result: Result) -> str:
    words = (
        "Grey: measured. Orange: what the identified model says. Both went through the low-pass of "
        "the fit; pale, below them, torques as they were recorded. Underneath: measured less "
        "predicted, the band being twice the standard deviation of the residuals of the fit. Drag "
        "across a drawing to zoom all of them, double-click to zoom out; point at a line to read "
        "numbers."
    )
    if result.delay:
        words += f" Torques were shifted back by {number(1e3 * result.delay, 3)} ms."
    if not result.signals:
        return f"{words} The log is longer than memory: only the rows of the fit are drawn."
    return words + thinned_in_words(result)


def _drawings(
    result: Result, series: Sequence[Series], errors: Errors, held_out: bool, packed: Packed
) -> Html:
    fine = fine_torques(result, held_out)
    times = placed([one.times for one in fine] if fine else [s.t for s in series])
    return joined(
        _drawing(result, j, series, fine, times, errors, held_out, packed)
        for j in range(result.arm.n)
    )


def _drawing(
    result: Result,
    j: int,
    series: Sequence[Series],
    fine: Sequence[Fine],
    times: Sequence[Array],
    errors: Errors,
    held_out: bool,
    packed: Packed,
) -> Html:
    joint = result.arm.robot.joints[j]
    unit = "N m" if joint.is_revolute else "N"
    sigma = float(result.sigma[j])
    if fine:
        curves = _fine_curves(result, fine, times, j)
    else:
        curves = _coarse_curves(series, times, j)
    *torques, rest = curves
    picture = zoomable(
        [Panel(torques, TALL, unit), Panel([rest], SHORT, unit, 2.0 * sigma)],
        "test" if held_out else "train",
        f"torques of {joint.name}",
        packed,
    )
    said = (
        f" [{unit}] · error while moving {percent(float(errors.per_joint[j]))}{_resting(errors, j)}"
        f" · residuals of the fit {number(sigma, 3)}"
    )
    return captioned([joint.name, said], picture)


def _resting(errors: Errors, j: int) -> str:
    if not errors.share_at_rest[j] > 0.0:
        return ""
    return f", at rest {percent(float(errors.at_rest[j]))}"


def _fine_curves(
    result: Result, fine: Sequence[Fine], times: Sequence[Array], j: int
) -> list[Curve]:
    share = drawn_share(result)
    dense = [one.t + (t[0] - one.times[0]) for one, t in zip(fine, times, strict=True)]

    def curve(name: str, kind: str, values: Sequence[Array], at: Sequence[Array]) -> Curve:
        pieces = [
            within(t, np.ascontiguousarray(y), share) for t, y in zip(at, values, strict=True)
        ]
        return Curve(name, kind, pieces)

    return [
        curve("recorded", "raw", [one.torque[:, j] for one in fine], times),
        curve("measured", "is", [one.measured[j] for one in fine], dense),
        curve("predicted", "said", [one.predicted[j] for one in fine], dense),
        curve("residual", "rest", [one.measured[j] - one.predicted[j] for one in fine], dense),
    ]


def _coarse_curves(series: Sequence[Series], times: Sequence[Array], j: int) -> list[Curve]:
    columns = {
        ("measured", "is"): [s.measured[:, j] for s in series],
        ("predicted", "said"): [s.predicted[:, j] for s in series],
        ("residual", "rest"): [s.residual[:, j] for s in series],
    }
    return [
        Curve(name, kind, list(zip(times, values, strict=True)))
        for (name, kind), values in columns.items()
    ]
