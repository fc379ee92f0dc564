"""The report of an identification as one HTML page; its top has the verdict and a row per joint."""

from __future__ import annotations

import json
import re
from datetime import datetime
from importlib.metadata import version
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.identification.judge.advice import advice, beyond_training
from armdyn.identification.judge.verdict import LIMITS
from armdyn.identification.page import parameters, time_series
from armdyn.identification.page.friction import friction_section
from armdyn.identification.page.residuals import residual_section, rows_of_joints, spectrum_section
from armdyn.identification.tables import facts_of, gravity_line, headline, next_steps, units_of
from armdyn.present.html import STYLE, Html, document, hint, joined, listed, section, sentence, tag
from armdyn.present.script import SCRIPT
from armdyn.present.tables import Grid, Toned, number, percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result


def report_html(result: Result, made: datetime | None = None) -> str:
    """Return a report as one self-contained page: no network, no other file.

    Args:
        result: of the identification.
        made: the date on the page. Without it, equal results have equal pages.
    """
    drawer, rows = time_series.Drawer(result), rows_of_joints(result)
    sections = joined(
        [
            _joint_table(result),
            _findings(result),
            time_series.player_section(result),
            time_series.torque_sections(result, drawer),
            time_series.rollout_section(result, drawer),
            friction_section(result, rows),
            residual_section(result, rows),
            spectrum_section(result),
            parameters.parameter_table(result),
            parameters.correlation_section(result, drawer.packed),
            parameters.hidden(result),
            parameters.links(result),
            time_series.signal_section(result, drawer),
            _data(result),
            _next_time(result),
        ]
    )
    titles = re.findall(r'<section id="([\w-]+)"><h2>(.*?)</h2>', sections)
    facts = (tag("div", tag("b", x), tag("span", name)) for name, x in facts_of(result).items())
    title = f"Identification of {result.arm.name}"
    body = tag(
        "body",
        tag("h1", title),
        tag("p", _subtitle(result, made), class_="sub"),
        _verdict(result),
        tag("div", joined(facts), class_="facts"),
        tag("nav", joined(tag("a", Html(words), href=f"#{key}") for key, words in titles)),
        sections,
        _provenance(result),
        tag("script", Html(drawer.packed.script() + SCRIPT)),
    )
    return document(title, body, STYLE)


def _subtitle(result: Result, made: datetime | None) -> str:
    when = f", {made:%Y-%m-%d %H:%M}" if made else ""
    logs = len({source.file for source in result.about.sources if source.file})
    of = f"{logs} log{'s' * (logs != 1)}" if logs else "data in memory"
    return f"{result.arm.n} joints, {len(result.values)} parameters, from {of}{when}"


def _verdict(result: Result) -> Html:
    """Return the verdict, why, and what to do next; the reasons are folded beside a cause."""
    expected = f"Expected inside the tested range: {percent(result.expected_total)}."
    words = f"{expected} {gravity_line(result)}"
    parts = [tag("p", headline(result).capitalize(), class_="head"), tag("p", words)]
    said = listed((*result.reasons, *result.reservations))
    for label, text in next_steps(result).items():
        kind = "code" if label == "next" else "span"
        parts.append(tag("p", tag("b", f"{label.capitalize()}: "), tag(kind, text)))
    if result.cause is not None:
        said = tag("details", tag("summary", "Show all reasons"), said)
    style = "failed" if result.verdict == "not passed" else result.verdict
    return tag("div", *parts, said if not result.passed else "", class_=f"verdict {style}")


def _findings(result: Result) -> Html:
    """Return hypotheses that explain the data better than the model, and remedies; or nothing."""
    if not result.findings:
        return Html("")
    rows = tuple(
        (
            sentence(finding.what),
            percent(finding.error_before),
            percent(finding.error_after),
            sentence(f"`{finding.option}`" if finding.option.startswith("-") else finding.option),
        )
        for finding in result.findings
    )
    explained = hint("Cross-validation errors of the joints concerned, relative to their torques.")
    heads = ("what explains the data better", "error now", "error with it", "remedy")
    table = Grid("", heads, 1, rows, words_after=1).html()
    return section("What the model lacks", table, explained, key="findings")


def _joint_table(result: Result) -> Html:
    """Return errors and noise of each joint, and the motions that the verdict is about."""
    heads = ("joint", "error while moving" + ", held out" * result.held_out, "of the fit",
             "at rest", "rows at rest", "rms torque", "rms residual", "parameter uncertainty",
             "torque scale verified to")  # fmt: skip
    series = result.test if result.held_out else result.train
    torque = np.sqrt(np.mean(np.concatenate([s.measured for s in series]) ** 2, axis=0))
    errors, fit = result.errors, result.train_errors
    limit, most = LIMITS["held_out"], LIMITS["expected"].refusal
    rows: list[tuple[str, ...]] = []
    for j, joint in enumerate(result.arm.robot.joints):
        error = _graded(errors.per_joint[j], limit.reservation, limit.refusal)
        shares = (fit.per_joint[j], errors.at_rest[j], errors.share_at_rest[j])
        unit = units_of(joint).torque
        sizes = (f"{number(x, 3)} {unit}" for x in (torque[j], result.sigma[j]))
        uncertain = _graded(result.excitation.per_joint[j], most / 2, most)
        scale = result.judgement.measures.gain_checked[j]
        verified = f"± {percent(scale)}" if scale < 1.0 else "not verifiable"
        rows.append((joint.name, error, *map(percent, shares), *sizes, uncertain, verified))
    total = percent(result.excitation.expected_error)
    rows.append(("all", percent(errors.total), percent(fit.total), *[""] * 4, total, ""))
    explained = hint(
        "Error while moving: |measured − predicted| / |measured|, in the band of the fit, where "
        "the joint is faster than 2 % of its greatest speed. At rest: the distance from the "
        "stiction band. Parameter uncertainty: as torque error on other motions inside the tested "
        "range. Torque scale: its largest error that is consistent with the other joints."
    )
    words = "The verdict holds for motions inside the tested range:"
    beyond = beyond_training(result)
    if beyond:
        words = f"Held-out data leave the tested range: {'; '.join(beyond)}. {words}"
    table = Grid("", heads, 1, tuple(rows)).html()
    tested = listed(result.box.words(result.arm.robot.joints))
    return section("Joints", table, explained, tag("p", words), tested, key="joints")


def _graded(x: float, fair: float, bad: float) -> Toned:
    return Toned(percent(x), "good" if x <= fair else "fair" if x <= bad else "bad")


def _data(result: Result) -> Html:
    """Return the processing of the data, and how well they determine the model."""
    uncertain = zip(result.excitation.per_joint, result.arm.joint_names, strict=True)
    worst = sorted(uncertain, key=lambda pair: -np.nan_to_num(pair[0]))[:3]
    most = ", ".join(f"{name} ({percent(x)})" for x, name in worst)
    words = (
        f"The condition number of the regression is {number(result.excitation.condition, 2)}. "
        f"The data determine {result.determined:.0f} of {len(result.values)} parameters; the "
        f"weight of the description is {number(result.prior_strength, 2)} (1 trusts its masses to "
        f"50 %). The most uncertain torques are those of {most}."
    )
    bias = result.bias.words
    return section(
        "Data",
        listed(_short(result, note) for note in dict.fromkeys(result.notes) if note != bias),
        tag("h3", "Excitation"),
        tag("p", words),
        tag("h3", "Bias of the estimate"),
        tag("p", sentence(bias)),
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
    return section("Advice", inside, key="next")


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
    if key in ("extra", "coupling", "flip", "gain", "ignored") and not value:
        return "none"
    if value is None:
        return "chosen from the data"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value)
