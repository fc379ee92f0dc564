"""A result as plain data, and the files of a saved result, as texts by name."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from armdyn.errors import RobotError
from armdyn.identification.arguments import described_values
from armdyn.identification.page.page import report_html
from armdyn.robot.formats.toml import toml_text
from armdyn.robot.formats.urdf.write import urdf_text

if TYPE_CHECKING:
    from armdyn.identification.result import Result


def texts(result: Result, made: datetime | None = None) -> dict[str, str]:
    """Return the texts of all files by name; identified.urdf only if URDF can express the arm.

    Args:
        result: of the identification.
        made: the date on the report. Without it, equal results have equal files.
    """
    files = {name: text(result, made) for name, text in WRITERS.items()}
    return {name: text for name, text in files.items() if text}


def parameter_text(result: Result) -> str:
    """Return the parameters as CSV, numbers in full."""
    weak, described = set(result.weak), described_values(result).tolist()
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(["name", "unit", "kind", "joint", "value", "std", "described", "known"])
    for i, column in enumerate(result.model.columns):
        joint = "" if column.joint < 0 else result.arm.joint_names[column.joint]
        known = "no" if column.name in weak else "yes"
        numbers = [repr(float(x)) for x in (result.values[i], result.std[i])]
        cad = repr(described[i]) if math.isfinite(described[i]) else ""
        table.writerow([column.name, column.unit, column.kind, joint, *numbers, cad, known])
    return lines.getvalue()


def _urdf_text(result: Result, _: datetime | None) -> str:
    """Return the arm as URDF; nothing if URDF cannot express it."""
    with suppress(RobotError):
        return urdf_text(result.arm.robot)
    return ""


WRITERS: dict[str, Callable[[Result, datetime | None], str]] = {
    "result.json": lambda result, _: json.dumps(result.to_dict(), indent=2, allow_nan=False) + "\n",
    "identified.toml": lambda result, _: toml_text(result.arm.robot),
    "parameters.csv": lambda result, _: parameter_text(result),
    "report.html": report_html,
    "identified.urdf": _urdf_text,
}

# The names of all files.
FILES = tuple(WRITERS)


def plain_data(result: Result) -> dict[str, Any]:
    """Return a result as numbers, texts, lists and dictionaries."""
    errors, columns = result.errors, result.model.columns
    rows = zip(columns, result.values.tolist(), result.std.tolist(), strict=True)
    measures = {
        "torque_error": errors.per_joint, "rms": errors.rms, "sigma": result.sigma,
        "rows_worth_one": result.correlation, "outliers": result.clipped,
        "expected_error": result.excitation.per_joint, "torque_error_at_rest": errors.at_rest,
        "share_at_rest": errors.share_at_rest,
    }  # fmt: skip
    plain = ("passed", "verdict", "verdict_text", "next_command", "torque_scale")
    lists = ("verdicts", "reasons", "reservations", "weak", "not_identifiable", "notes", "advice")
    return {
        "robot": result.arm.name,
        **{key: getattr(result, key) for key in plain},
        **{key: list(getattr(result, key)) for key in lists},
        "cause": None if result.cause is None else result.cause.to_dict(),
        "findings": [finding.to_dict() for finding in result.findings],
        "gravity": {
            "verdict": result.gravity_verdict,
            "error": [_number(x) for x in result.gravity_error],
        },
        "box": result.box.to_dict(),
        "torque_error": {
            "definition": "|measured - predicted| / |measured| in the band of the fit, "
            "where a joint moves",
            "held_out": result.held_out,
            "total": _number(errors.total),
            "unfiltered": _number(errors.unfiltered),
            "of_the_fit": _number(result.train_errors.total),
        },
        "joints": [
            {"name": name, "rows": result.counts[j]}
            | {key: _number(values[j]) for key, values in measures.items()}
            for j, name in enumerate(result.arm.joint_names)
        ],
        "parameters": [
            {"name": c.name, "unit": c.unit, "value": value, "std": std, "kind": c.kind}
            for c, value, std in rows
        ],
        "natural_parameters": dict(
            zip(result.arm.parameter_names, result.parameters.tolist(), strict=True)
        ),
        "excitation": {
            "expected_error": result.excitation.expected_error,
            "condition": _number(result.excitation.condition),
            "determined": result.determined,
            "prior_strength": result.prior_strength,
        },
        "bias": {
            "change": result.bias.change, "by_chance": result.bias.expected,
            "small": result.bias.small, "words": result.bias.words,
        },
        "logs": [asdict(source) for source in result.about.sources],
        "settings": {
            **result.about.settings, "cutoff_used": result.cutoff, "delay_used": result.delay,
            "tilt_used": result.tilt,
        },
    }  # fmt: skip


def _number(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None
