"""The report on servos as one HTML page: the verdict, a row and a drawing per joint."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from armdyn.present.html import STYLE, Html, document, joined, listed, section, sentence, tag
from armdyn.present.scatter import Trace, scatter
from armdyn.present.tables import Grid
from armdyn.servo.words import HEADS

if TYPE_CHECKING:
    from armdyn.servo.result import ServoResult


SERVO_ERRORS = (
    "Measured servo errors [°] over those of the model: equal ones lie on the line. Blue: holds. "
    "Orange: moving rows."
)


def report_html(result: ServoResult, made: datetime | None = None) -> str:
    """Return a report as one self-contained page.

    Args:
        result: to report on.
        made: the date on the page. Without it, equal results have equal pages.
    """
    title = f"Servos of {result.described.name}"
    when = f", {made:%Y-%m-%d %H:%M}" if made else ""
    words = f"{result.seconds:.0f} s of log, {result.off_stops:.0%} of it off the stops{when}"
    body = tag(
        "body",
        tag("h1", title),
        tag("p", words, class_="sub"),
        _verdict(result),
        section("Joints", result.table().html(), sentence(result.scale_words), key="joints"),
        section("Servo, friction and gravity", _servos(result).html(), key="servos"),
        _findings(result),
        section("Servo errors", sentence(SERVO_ERRORS),
                _grid(_drawing(result, j) for j in range(result.described.n)), key="errors"),
        _replay(result),
        section("What a servo error cannot show", listed(result.notes), key="limits"),
        tag("p", f"armdyn {version('armdyn')}", class_="sub"),
    )  # fmt: skip
    return document(title, body, STYLE)


def _verdict(result: ServoResult) -> Html:
    parts = [tag("p", HEADS[result.verdict].capitalize() + ".", class_="head")]
    if result.cause is not None:
        parts.append(tag("p", tag("b", "Most likely cause: "), f"{result.cause.what}."))
    parts.append(tag("p", tag("b", "Next: "), tag("code", result.next_command)))
    style = "failed" if result.verdict == "not passed" else result.verdict
    return tag("div", *parts, class_=f"verdict {style}")


def _servos(result: ServoResult) -> Grid:
    """Return servo, friction and gravity of each joint."""
    v, size = result.values, np.degrees(result.evidence.size)
    kind = result.servo.name if result.servo is not None else "unknown type"
    rows = [
        (
            name, kind, f"{result.stiffness[j]:.3g}", f"{v.inertia[j] * result.stiffness[j]:.2g}",
            f"{np.degrees(v.moving[j]):.2f}", f"{np.degrees(v.still[j]):.2f}", f"{v.load[j]:.1%}",
            f"{size[j]:.2f}" if result.evidence.loaded[j] else "-",
        )
        for j, name in enumerate(result.described.joint_names)
    ]  # fmt: skip
    heads = (
        "joint", "servo", "stiffness [N m/rad]", "rotor inertia [kg m²]", "Coulomb friction [°]",
        "band at rest [°]", "friction per load", "gravity, rms droop [°]",
    )  # fmt: skip
    return Grid(f"Servo, friction and gravity of {result.described.name}", heads, 2, tuple(rows))


def _replay(result: ServoResult) -> Html:
    """Return the replay of left-out episodes: a table, and a drawing per joint."""
    replay, table = result.replay, result.replay_table()
    if replay is None or table is None:
        return Html("")
    words = (
        f"Goals of {replay.t[-1]:.0f} s that were left out of the fit, simulated through the servo "
        "law: simulated less measured positions. Black: ideal servos, at their goals at once. "
        "Red: described arm on nominal servos. Blue: identified."
    )
    drawings = [
        tag("figure", scatter([], [
                Trace(replay.t, np.degrees((q - replay.measured)[:, j]), kind)
                for q, kind in ((replay.goals, "is"), (replay.nominal, "said"),
                                (replay.identified, "rest"))
            ], "time [s]", f"{name}: errors of simulated positions [°]", name))
        for j, name in enumerate(result.described.joint_names) if result.evidence.loaded[j]
    ]  # fmt: skip
    return section("Replay of left-out episodes", table.html(), sentence(words), _grid(drawings),
                   key="replay")  # fmt: skip


def _findings(result: ServoResult) -> Html:
    if not result.findings:
        return Html("")
    words = [f"{finding.what}; {finding.option}." for finding in result.findings]
    return section("What explains the log better", listed(words), key="findings")


def _drawing(result: ServoResult, joint: int) -> Html:
    """Return measured servo errors over expected ones, moving rows and holds."""
    rows = result.model.rows
    mine = rows.joint == joint
    if not mine.any():
        return Html("")
    expected = np.degrees(rows.error - result.model.residuals(result.solution.x))[mine]
    measured = np.degrees(rows.error[mine])
    moving = rows.moving[mine]
    name = result.described.joint_names[joint]
    ends = np.array([expected.min(), expected.max()])
    drawing = scatter(
        [
            (expected[moving], measured[moving], "dots others"),
            (expected[~moving], measured[~moving], "dots"),
        ],
        [Trace(ends, ends, "zero")],
        "expected servo error [°]",
        f"{name}: measured over expected servo errors",
        name,
    )
    return tag("figure", drawing)


def _grid(drawings: Iterable[Html]) -> Html:
    return tag("div", joined(list(drawings)), class_="grid")
