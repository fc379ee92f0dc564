"""The whole page."""

from __future__ import annotations

import json
from datetime import datetime
from importlib.metadata import version
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from armdyn.identification.judge.advice import advice
from armdyn.identification.page.correlations import correlation_section
from armdyn.identification.page.friction import friction_section
from armdyn.identification.page.parameters import hidden, links, parameter_table
from armdyn.identification.page.player import player_section
from armdyn.identification.page.residuals import residual_section
from armdyn.identification.page.rollout import rollout_section
from armdyn.identification.page.rows import RowsOfJoints
from armdyn.identification.page.signals import signal_section, spectrum_section
from armdyn.identification.page.summary import facts, findings, joint_table, verdict
from armdyn.identification.page.torques import torque_sections
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
from armdyn.present.tables import Grid, number, percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result

JUMPS = {
    "joints": "Joints", "findings": "Lacking", "player": "Motion", "held-out": "Torques",
    "rollout": "Simulation", "friction": "Friction", "residuals": "Residuals", "spectra": "Spectra",
    "parameters": "Parameters", "correlations": "Correlations", "hidden": "Not identifiable",
    "links": "Links", "signals": "Signals", "data": "Data", "next": "Next time",
}  # fmt: skip


def report_html(result: Result, made: datetime | None = None) -> str:
    """Return a report as one self-contained page: no network, no other file.

    Args:
        result: what was found.
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
        tag("p", _said_below_title(result, made), class_="sub"),
        verdict(result),
        facts(result),
        tag("nav", joined(tag("a", words, href=f"#{key}") for key, words in jumps.items())),
        joint_table(result),
        findings(result),
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


def _said_below_title(result: Result, made: datetime | None) -> str:
    when = f", {made:%Y-%m-%d %H:%M}" if made else ""
    logs = len({source.file for source in result.about.sources if source.file})
    of = f"{logs} log{'s' * (logs != 1)}" if logs else "data in memory"
    return f"{result.arm.n} joints, {len(result.values)} parameters, from {of}{when}"


def _data(result: Result) -> Html:
    """Return the processing of the data, and how well they determine the model."""
    judged, p = result.excitation, len(result.values)
    condition = f"The condition number of the regression is {number(judged.condition, 2)}. "
    determined = (
        f"The data determine {result.determined:.0f} of {p} parameters; the weight of the "
        f"description is {number(result.prior_strength, 2)} (1 trusts its masses to a half)."
    )
    order = sorted(range(result.arm.n), key=lambda j: -float(judged.per_joint[j]))
    weakest = ", ".join(
        f"{result.arm.joint_names[j]} ({percent(float(judged.per_joint[j]))})" for j in order[:3]
    )
    known = result.bias.words
    rest = [note for note in dict.fromkeys(result.notes) if note != known]
    return section(
        "What was done to the data, and how much they tell",
        listed(_short(result, note) for note in rest),
        tag("h3", "Excitation"),
        tag("p", f"{condition}{determined}"),
        tag("p", f"Least is known of the torques of {weakest}."),
        tag("h3", "Is the estimate biased?"),
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
    said = advice(result)
    inside = listed(said) if said else tag("p", "Nothing stands out: the data are good.")
    return section("What to do better next time", inside, key="next")


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
        tag("h2", "Where this comes from"),
        Grid("", ("log", "for the", "samples", "duration", "rate"), 2, rows).html(),
        tag("h3", "Settings"),
        tag("p", ", ".join(f"{key}: {value}" for key, value in settings.items())),
        tag("p", f"armdyn {version('armdyn')}, robot {result.described.name}."),
    )


def _worded(key: str, value: Any) -> str:
    if key in ("extra", "coupling") and not value:
        return "none"
    if value is None:
        return "chosen by itself"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value)
