"""Logs on the command line, and the options for reading them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from armdyn.arm.arm import Arm
from armdyn.cli.console import complain
from armdyn.cluster import checked_client
from armdyn.errors import InputError, LogWarning, shown
from armdyn.log.clock import at_source_times
from armdyn.log.log import Log
from armdyn.log.many import log_paths, read_logs_on

UnitsOption = Annotated[
    str | None, typer.Option(help="Of positions: rad, deg, m or mm; one, or by commas one each.")
]
TimeUnitOption = Annotated[str | None, typer.Option(help="Of time stamps: s, ms, us or ns.")]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHAT=NAME", help="Columns by name: t=clock, q='axis*_angle'; may be repeated."
    ),
]
GearOption = Annotated[
    str | None,
    typer.Option(
        metavar="RATIOS", help="Motor-side data: joint turns per motor turn, by commas: 1/100,..."
    ),
]
SortOption = Annotated[
    bool, typer.Option("--sort", help="Put rows in order of time, drop equal time stamps.")
]
DropOption = Annotated[bool, typer.Option("--drop-missing", help="Leave out rows with gaps.")]

WHAT = ("t", "q", "qd", "qdd", "tau", "current")


def reading(
    n: int,
    units: str | None,
    time_unit: str | None,
    columns: list[str] | None,
    gear: str | None,
    sort: bool,
    drop: bool,
) -> dict[str, Any]:
    """Return the options of `Log.read` for an arm of n joints."""
    several = None if units is None else [word.strip() for word in units.split(",")]
    return {
        "units": several[0] if several is not None and len(several) == 1 else several,
        "time_unit": time_unit,
        "columns": dict(_column(words) for words in columns) if columns else None,
        "gear": None if gear is None else _gear(n, gear),
        "sort": sort,
        "missing": "drop" if drop else "error",
    }


def keep_inputs(out: Path, names: Sequence[str], inputs: Sequence[str | Path]) -> None:
    """Raise an error if a result would overwrite an input file."""
    for name in names:
        for given in inputs:
            target = out / name
            if target.exists() and Path(given).exists() and target.samefile(given):
                raise InputError(f"{given} would be replaced by a result; choose another --out.")


def read_logs(
    arm: Arm, paths: Sequence[Path], options: dict[str, Any], client: Any = None
) -> list[Log]:
    """Read logs; print warnings about suspect data, and what was guessed or done to the data.

    Paths may be patterns or folders. With a client of a cluster, its workers read the files.
    """
    files = [file for path in paths for file in log_paths(path)]
    cluster = checked_client(client)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LogWarning)
        if cluster is not None:
            logs = read_logs_on(cluster, files, arm, options)
        else:
            logs = [Log.read(path, joints=arm, **options) for path in files]
    logs = [at_source_times(log) for log in logs]
    said = [str(warning.message) for warning in caught]
    for words in said:
        complain(f"warning: {words}")
    for log in logs:
        for note in log.notes:
            if f"{log.source}: {note}" not in said:
                complain(f"note: {log.source}: {note}")
    return logs


def _column(words: str) -> tuple[str, str | list[str]]:
    what, equals, names = words.partition("=")
    listed = [name.strip() for name in names.split(",") if name.strip()]
    if what.strip() not in WHAT or not equals or not listed:
        raise InputError(
            f"--columns is {shown(words)}, expected one of {', '.join(WHAT)} and the names of its "
            "columns, such as t=clock or q=a1,a2,a3 or q=axis*_angle."
        )
    return what.strip(), listed[0] if len(listed) == 1 else listed


def _gear(n: int, words: str) -> list[float] | list[list[float]]:
    """Return ratios, one per joint, or a square matrix of them row by row."""
    numbers = [_ratio(words, word) for word in words.split(",")]
    if n > 1 and n * n == len(numbers):
        return [numbers[k : k + n] for k in range(0, n * n, n)]
    return numbers


def _ratio(words: str, word: str) -> float:
    over, _, under = word.partition("/")
    try:
        return float(over) / float(under or 1.0)
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"--gear is {shown(words)}, expected ratios by commas, such as 1/100,1/100,1/80."
        ) from None
