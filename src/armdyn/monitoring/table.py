"""The table of a fleet: columns of single values, as Parquet, CSV and text."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import io
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from armdyn.errors import FileError, MissingExtraError
from armdyn.monitoring.drift import KINDS
from armdyn.monitoring.work import Row
from armdyn.present.tables import Grid, Tone, Toned, percent
from armdyn.robot.friction import FRICTION_TERMS

TEXTS = ("arm", "day", "day_from", "error", "verdict", "cause", "cause_text", "gravity_verdict",
         "since", "drift")  # fmt: skip

TONES: dict[str, Tone] = {"passed": "good", "usable": "fair", "not passed": "bad"}

# Rows of a table on a terminal; the file has all.
SHOWN = 60


def check_suffix(address: str) -> None:
    """Refuse, before any work, a table of another format.

    Raises:
        FileError: the suffix is neither .parquet nor .csv.
        MissingExtraError: pyarrow is not installed.
    """
    suffix = PurePosixPath(address).suffix.lower()
    if suffix not in (".parquet", ".csv"):
        raise FileError(address, "tables are written as .parquet or .csv.")
    if suffix == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise MissingExtraError("pyarrow", "parquet", "a table as Parquet")


def columns_of(rows: Sequence[Row], joints: Sequence[str]) -> dict[str, list[Any]]:
    """Return the columns of the table by name; None where a row has no value."""
    made: dict[str, list[Any]] = {
        name: [row.get(name) for row in rows] for name in ("arm", "day", "day_from", "logs")
    }
    for name in (
        "duration", "error", "verdict", "cause", "cause_text", "total_error", "expected_total",
        "gravity_verdict", "since",
    ):  # fmt: skip
        made[name] = [row.get(name) for row in rows]
    made["drift"] = ["; ".join(row["drift"]) or None for row in rows]
    made["exceeds_error_bars"] = [None if row["since"] is None else bool(row["drift"])
                                  for row in rows]  # fmt: skip
    for name in ("torque_error", "torque_error_std", "expected_error", "gravity_error"):
        for j, joint in enumerate(joints):
            made[f"{name}_{joint}"] = [row[name][j] if name in row else None for row in rows]
    for kind in KINDS:
        for what in ("size", "bar"):
            ending = "" if what == "size" else "_std"
            for j, joint in enumerate(joints):
                made[f"{kind.replace(' ', '_')}_change{ending}_{joint}"] = [
                    None if row["changes"] is None else row["changes"][kind][what][j]
                    for row in rows
                ]
    for j, joint in enumerate(joints):
        for kind in FRICTION_TERMS:
            terms = [_term(row, j, kind) for row in rows]
            if any(one is not None for one in terms):
                for key, ending in (("value", ""), ("std", "_std")):
                    name = f"friction_{kind.removesuffix('_friction')}{ending}_{joint}"
                    made[name] = [None if one is None else one[key] for one in terms]
    return made


def _term(row: Row, j: int, kind: str) -> Row | None:
    listed: list[Row] = row["friction"][j] if "friction" in row else []
    return next((one for one in listed if one["kind"] == kind), None)


def table_bytes(address: str, rows: Sequence[Row], joints: Sequence[str]) -> bytes:
    """Return the table in the format of the suffix; equal rows give equal bytes."""
    columns = columns_of(rows, joints)
    if PurePosixPath(address).suffix.lower() == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([["" if x is None else x for x in row]
                          for row in zip(*columns.values(), strict=True)])  # fmt: skip
        return text.getvalue().encode()
    arrow, parquet = (importlib.import_module(x) for x in ("pyarrow", "pyarrow.parquet"))
    kinds: dict[str, Any] = dict.fromkeys(TEXTS, arrow.string())
    kinds |= {"logs": arrow.int64(), "exceeds_error_bars": arrow.bool_()}
    arrays = [arrow.array(x, kinds.get(name, arrow.float64())) for name, x in columns.items()]
    file = io.BytesIO()
    parquet.write_table(arrow.table(arrays, names=list(columns)), file)
    return file.getvalue()


def grid_of(rows: Sequence[Row]) -> Grid:
    """Return the table for a terminal: drifting and failed rows first, then the others."""
    order = sorted(range(len(rows)), key=lambda k: (-_urgency(rows[k]), k))
    more = len(rows) - SHOWN
    cells = tuple(_cells(rows[k]) for k in order[:SHOWN])
    title = f"{len(rows)} rows" + (f", {SHOWN} of them shown" if more > 0 else "")
    heads = ("arm", "day", "verdict", "torque error", "expected", "gravity", "what changed")
    return Grid(title, heads, 3, cells, words_after=2)


def _urgency(row: Row) -> int:
    return 2 if row["drift"] else 1 if row["error"] is not None else 0


def _cells(row: Row) -> tuple[str, ...]:
    if row["error"] is not None:
        failed = Toned("failed", "bad"), "–", "–", "–", row["error"]
        return row["arm"], row["day"], *failed
    words = "; ".join(row["drift"])
    changed = Toned(words, "bad") if words else Toned(_nothing(row), "faint")
    return (
        row["arm"],
        row["day"],
        Toned(row["verdict"], TONES.get(row["verdict"])),
        *(percent(float("nan") if row[x] is None else row[x])
          for x in ("total_error", "expected_total")),
        Toned(row["gravity_verdict"], TONES.get(row["gravity_verdict"])),
        changed,
    )  # fmt: skip


def _nothing(row: Row) -> str:
    since = row["since"]
    return "first row" if since is None else f"nothing beyond error bars since {since}"
