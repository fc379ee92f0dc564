"""The files of a saved result, as texts by name."""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import datetime
from typing import TYPE_CHECKING

from armdyn.errors import RobotError
from armdyn.identification.about import described_values
from armdyn.identification.page.page import report_html
from armdyn.robot.formats.toml import toml_text
from armdyn.robot.formats.urdf.write import urdf_text
from armdyn.robot.model import Robot

if TYPE_CHECKING:
    from armdyn.identification.result import Result

JSON, TOML, URDF = "result.json", "identified.toml", "identified.urdf"
PARAMETERS, REPORT = "parameters.csv", "report.html"

FILES = (JSON, TOML, URDF, PARAMETERS, REPORT)
"""The names of all files."""


def texts(result: Result, made: datetime | None = None) -> dict[str, str]:
    """Return the texts of all files by name; identified.urdf only if URDF can express the arm.

    Args:
        result: what was found.
        made: the date on the report. Without it, equal results have equal files.
    """
    found = {
        JSON: json.dumps(result.to_dict(), indent=2, allow_nan=False) + "\n",
        TOML: toml_text(result.arm.robot),
        PARAMETERS: parameter_text(result),
        REPORT: report_html(result, made),
    }
    urdf = _urdf(result.arm.robot)
    return found if urdf is None else {**found, URDF: urdf}


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


def _urdf(robot: Robot) -> str | None:
    try:
        return urdf_text(robot)
    except RobotError:
        return None
