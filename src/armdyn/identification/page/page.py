"""The report of an identification as one HTML page; its top has the verdict and a row per joint."""

from __future__ import annotations

import json
import math
from datetime import datetime
from importlib.metadata import version
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.identification.judge.advice import advice
from armdyn.identification.judge.verdict import LIMITS
from armdyn.identification.page.friction import friction_section
from armdyn.identification.page.motion import player_section, rollout_section
from armdyn.identification.page.parameters import (
    correlation_section,
    hidden,
    links,
    parameter_table,
)
from armdyn.identification.page.residuals import residual_section, spectrum_section
from armdyn.identification.page.rows import RowsOfJoints, data_in_words, hint, units_of
from armdyn.identification.page.torques import signal_section, torque_sections
from armdyn.present.html import (
    STYLE,
    Html,
    Packed,
    document,
    joined,
    listed,
    section,
    sentence,
    tag,
)
from armdyn.present.script import SCRIPT
from armdyn.present.tables import Grid, Toned, number, percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Anchors of the sections, and their names at the top.
JUMPS = {
    "joints": "Joints", "findings": "Findings", "player": "Motion", "held-out": "Torques",
    "rollout": "Simulation", "friction": "Friction", "residuals": "Residuals", "spectra": "Spectra",
    "parameters": "Parameters", "correlations": "Correlations", "hidden": "Not identifiable",
    "links": "Links", "signals": "Signals", "data": "Data", "next": "Next time",
}  # fmt: skip


# Words and style of each verdict.
VERDICTS = {
    "passed": ("Passed: the model is validated for motions inside the tested range", "passed"),
    "usable": ("Usable, with reservations", "usable"),
    "not passed": ("Failed validation", "failed"),
}


def report_html(result: Result, made: datetime | None = None) -> str:
    """Return a report as one self-contained page: no network, no other file.

    Args:
        result: of the identification.
        made: the date on the page. Without it, equal results have equal pages.
    """
    title = f"Identification of {result.arm.name}"
    played = player_section(result)
    absent = {
        "held-out": not result.held_out,
        "findings": not result.findings,
        "player": not played,
    }
    jumps = {key: words for key, words in JUMPS.items() if not absent.get(key)}
    packed, rows = Packed(), RowsOfJoints(result)
    body = tag(
        "body",
        tag("h1", title),
        tag("p", _subtitle(result, made), class_="sub"),
        _verdict(result),
        _facts(result),
        tag("nav", joined(tag("a", words, href=f"#{key}") for key, words in jumps.items())),
        _joint_table(result),
        _findings(result),
        played,
        torque_sections(result, packed),
        rollout_section(result, packed),
        friction_section(result, rows),
        residual_section(result, rows),
        spectrum_section(result),
        parameter_table(result),
        correlation_section(result, packed),
        hidden(result),
        links(result),
        signal_section(result, packed),
        _data(result),
        _next_time(result),
        _provenance(result),
        tag("script", Html(packed.script() + SCRIPT)),
    )
    return document(title, body, STYLE)


def _subtitle(result: Result, made: datetime | None) -> str:
    when = f", {made:%Y-%m-%d %H:%M}" if made else ""
    logs = len({source.file for source in result.about.sources if source.file})
    of = f"{logs} log{'s' * (logs != 1)}" if logs else "data in memory"
    return f"{result.arm.n} joints, {len(result.values)} parameters, from {of}{when}"


def _verdict(result: Result) -> Html:
    """Return whether the model is validated, and why or why not."""
    words, style = VERDICTS[result.verdict]
    error, expected = percent(result.errors.total), percent(result.expected_total)
    gravity = percent(float(result.gravity_error.max()))
    sentences = (
        f"The torque error while joints move is {error} on {data_in_words(result)}; expected on "
        f"other motions in the same ranges: {expected}.",
        f"Gravity alone: {VERDICTS[result.gravity_verdict][0].partition(':')[0].lower()}, known to "
        f"± {gravity}.",
    )
    parts = [tag("p", words, class_="head"), *(tag("p", said) for said in sentences)]
    if result.cause is not None:
        parts.append(tag("p", tag("b", "Most likely cause: "), f"{result.cause.what}."))
    if result.cause is not None or not result.passed:
        parts.append(tag("p", tag("b", "Next: "), tag("code", result.next_command)))
    for reasons in (result.reasons, result.reservations):
        parts += [listed(reasons)] * bool(reasons)
    return tag("div", *parts, class_=f"verdict {style}")


def _findings(result: Result) -> Html:
    """Return hypotheses that explain the data better than the model, and remedies; or nothing."""
    if not result.findings:
        return Html("")
    rows: list[tuple[str, ...]] = []
    for finding in result.findings:
        errors = percent(finding.error_before), percent(finding.error_after)
        option = finding.option
        remedy = tag("code", option) if option.startswith("-") else sentence(option)
        rows.append((sentence(finding.what), *errors, remedy))
    explained = hint(
        "Cross-validation errors without and with the change: the mean of the joints, relative to "
        "their torques."
    )
    heads = ("what explains the data better", "error now", "error with it", "remedy")
    table = Grid("", heads, 1, tuple(rows), words_after=1).html()
    return section("What the model lacks", table, explained, key="findings")


def _facts(result: Result) -> Html:
    """Return the most important numbers, in large type."""
    weak, p = len(result.weak), len(result.values)
    seconds = sum(source.duration for source in result.about.sources if not source.held_out)
    numbers = (
        (percent(result.errors.total), "error while moving" + (", held out" * result.held_out)),
        (percent(result.train_errors.total), "error while moving, of the fit"),
        (percent(result.expected_total), "expected on other motions"),
        (f"{p - weak} of {p}", "parameters known to 30 %"),
        (f"{number(seconds, 3)} s", "of data in the fit"),
    )
    boxes = (tag("div", tag("b", value), tag("span", words)) for value, words in numbers)
    return tag("div", joined(boxes), class_="facts")


def _joint_table(result: Result) -> Html:
    """Return errors and noise of each joint, and the motions that the verdict is about."""
    held_out = ", held out" if result.held_out else ""
    heads = ("joint", f"error while moving{held_out}", "of the fit", "at rest", "rows at rest",
             "rms torque", "rms residual", "parameter uncertainty",
             "torque scale verified to")  # fmt: skip
    series = result.test if result.held_out else result.train
    torque = np.sqrt(np.mean(np.concatenate([s.measured for s in series]) ** 2, axis=0))
    errors, fit, box = result.errors, result.train_errors, result.box
    limit, open_share = LIMITS["held_out"], LIMITS["expected"].refusal
    rows: list[tuple[str, ...]] = []
    motions: list[tuple[str, ...]] = []
    for j, joint in enumerate(result.arm.robot.joints):
        x, v, a, unit = units_of(joint)
        rows.append(
            (
                joint.name,
                _graded(float(errors.per_joint[j]), limit.reservation, limit.refusal),
                *(percent(float(y[j])) for y in (fit.per_joint, errors.at_rest)),
                percent(float(errors.share_at_rest[j])),
                *(f"{number(float(y[j]), 3)} {unit}" for y in (torque, result.sigma)),
                _graded(float(result.excitation.per_joint[j]), open_share / 2, open_share),
                _verified(float(result.judgement.measures.gain_checked[j])),
            )
        )
        low, high, speed, acceleration = (
            number(float(y[j]), 3) for y in (box.lower, box.upper, box.speed, box.acceleration)
        )
        motions.append((joint.name, f"{low} to {high} {x}", f"{speed} {v}", f"{acceleration} {a}"))
    total = percent(result.excitation.expected_error)
    rows.append(("all", percent(errors.total), percent(fit.total), *[""] * 4, total, ""))
    explained = hint(
        "Error while moving: |measured − predicted| / |measured|, in the band of the fit, over "
        "rows where the joint is faster than 2 % of its greatest speed. At rest, stiction takes "
        "any value up to its limit, so the error there is the distance from that band. Parameter "
        "uncertainty: the torque error on other motions within the same ranges, from the "
        "covariance of the parameters. Torque scale verified to: the largest error of the scale of "
        "the joint's torque that is consistent with the other joints."
    )
    range_words = tag("p", "The verdict holds for motions within this range only.")
    ranges = ("motion of", "positions", "speeds up to", "accelerations up to")
    return section(
        "Joint by joint", Grid("", heads, 1, tuple(rows)).html(), explained, range_words,
        Grid("", ranges, 1, tuple(motions)).html(), key="joints",
    )  # fmt: skip


def _verified(x: float) -> str:
    return f"± {percent(x)}" if math.isfinite(x) and x < 1.0 else "not verifiable"


def _graded(x: float, fair: float, bad: float) -> Toned:
    return Toned(percent(x), "good" if x <= fair else "fair" if x <= bad else "bad")


def _data(result: Result) -> Html:
    """Return the processing of the data, and how well they determine the model."""
    uncertain = result.excitation.per_joint
    words = (
        f"The condition number of the regression is {number(result.excitation.condition, 2)}. "
        f"The data determine {result.determined:.0f} of {len(result.values)} parameters; the "
        f"weight of the description is {number(result.prior_strength, 2)} (1 trusts its masses to "
        "50 %)."
    )
    weakest = ", ".join(
        f"{result.arm.joint_names[j]} ({percent(float(uncertain[j]))})"
        for j in np.argsort(-uncertain, kind="stable")[:3]
    )
    known = result.bias.words
    rest = [note for note in dict.fromkeys(result.notes) if note != known]
    return section(
        "Processing and information of the data",
        listed(_short(result, note) for note in rest),
        tag("h3", "Excitation"),
        tag("p", words),
        tag("p", f"The most uncertain torques are those of {weakest}."),
        tag("h3", "Bias of the estimate"),
        tag("p", sentence(known)),
        key="data",
    )


def _short(result: Result, note: str) -> str:
    """Return a note with file names in place of paths; the end of the page has the full paths."""
    for source in result.about.sources:
        if source.file:
            note = note.replace(source.file, PurePath(source.file).name)
    return note


def _next_time(result: Result) -> Html:
    words = advice(result)
    inside = listed(words) if words else tag("p", "No advice: the data are good.")
    return section("Advice for the next recording", inside, key="next")


def _provenance(result: Result) -> Html:
    rows = tuple(
        (source.file or "in memory", "test" if source.held_out else "fit", str(source.samples),
         f"{number(source.duration)} s", f"{number(source.rate)} Hz")
        for source in result.about.sources
    )  # fmt: skip
    settings = {key: _worded(key, value) for key, value in result.about.settings.items()}
    settings["cut-off used"] = f"{number(result.about.cutoff)} Hz"
    return tag(
        "footer",
        tag("h2", "Provenance"),
        Grid("", ("log", "for the", "samples", "duration", "rate"), 2, rows).html(),
        tag("h3", "Settings"),
        tag("p", ", ".join(f"{key}: {value}" for key, value in settings.items())),
        tag("p", f"armdyn {version('armdyn')}, robot {result.described.name}."),
    )


def _worded(key: str, value: Any) -> str:
    if key in ("extra", "coupling") and not value:
        return "none"
    if value is None:
        return "chosen from the data"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value)
