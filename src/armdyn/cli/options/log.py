"""Logs on the command line, and the options for reading them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armdyn.arm.arm import Arm
from armdyn.cli.console import complain, printed_warnings
from armdyn.cli.option_names import flag, in_options, option
from armdyn.cluster import checked_client
from armdyn.errors import InputError, LogWarning, shown
from armdyn.log.clock import at_source_times
from armdyn.log.log import Log
from armdyn.log.many import in_recorded_order, log_paths
from armdyn.log.many import read_logs as read_files
from armdyn.log.recognition.names import ROLES

# Why options of a log are refused if a verb is given none.
NO_LOG = "is given, but no log; name its file after the robot."

WHAT = ("t", "topic", *ROLES)


@dataclass(frozen=True)
class LogOptions:
    """Options for reading logs."""

    columns: list[str] | None = option(
        "Column names: t=clock, q='A?_ActPos*', tau=m1,m2; repeatable.",
        "WHAT=NAME",
        shown="recognised by name",
    )
    units: str | None = option(
        "Unit of positions: rad, deg, mrad, rev, m, mm, counts (4096 a turn), rev/65536 (steps for "
        "a turn of the joint) or m100_100 (LeRobot); one, or one per joint.",
        shown="of the column names, steps of encoders, else rad",
    )
    time_unit: str | None = option(
        "Unit of time stamps: s, ms, us or ns.", shown="inferred from the stamps"
    )
    torque_unit: str | None = option(
        "Unit of torques: 'N m', 'N cm', 'kgf cm', 'ozf in', 'lbf ft', ...",
        "UNIT",
        shown="of the column names, else N m",
    )
    gear: str | None = option(
        "Gear ratios of motor-side data (joint turns per motor turn): 1/100,1/80,...",
        "RATIOS",
        shown="joint-side data",
    )
    sort: bool = flag("--sort", "Sort rows by time; drop duplicated time stamps.")
    missing: bool = flag("--drop-missing", "Drop rows with missing values.")

    def refuse(self, why: str) -> None:
        """Refuse these options in a command without a log."""
        if names := [f"`{name}`" for name, value in vars(self).items() if value]:
            raise InputError(f"{', '.join(names)} {why}")

    def arguments(self, n: int, gain: str | None = None) -> dict[str, Any]:
        """Return the arguments of `Log.read` for an arm of n joints.

        Args:
            n: the number of joints.
            gain: the option --gain of the verb.
        """
        if gain is not None and self.torque_unit is not None:
            raise InputError(
                f"--gain is {shown(gain)} and --torque-unit is {shown(self.torque_unit)}; give one "
                "of them: a gain is the torque [N m] per unit of the log, so it contains the unit."
            )
        units = None if self.units is None else [word.strip() for word in self.units.split(",")]
        return {
            "units": units[0] if units is not None and len(units) == 1 else units,
            "time_unit": self.time_unit,
            "columns": dict(map(_column, self.columns)) if self.columns else None,
            "gear": None if self.gear is None else _gear(n, self.gear),
            "sort": self.sort,
            "missing": "drop" if self.missing else "error",
            "torque_unit": self.torque_unit,
        }


def keep_inputs(out: Path, names: Sequence[str], inputs: Sequence[str | Path]) -> None:
    """Raise an error if a result would overwrite an input file."""
    for name in names:
        for file in inputs:
            target = out / name
            if os.path.exists(target) and os.path.exists(file) and target.samefile(file):
                raise InputError(f"{file} would be replaced by a result; choose another --out.")


def read_logs(
    arm: Arm,
    paths: Sequence[Path],
    options: dict[str, Any],
    client: Any = None,
    *,
    long: bool = False,
) -> list[Log]:
    """Read logs; print warnings about suspect data, and what was guessed or done to the data.

    Paths may be patterns or folders. With a client of a cluster, its workers read the files. With
    `long`, many or large files are read block by block, not into memory.
    """
    files = [file for path in paths for file in log_paths(path)]
    cluster = checked_client(client)
    with printed_warnings(LogWarning) as messages:
        logs = read_files(files, arm, options, cluster=cluster, long=long)
    logs = [at_source_times(log) for log in in_recorded_order(logs)]
    for log in logs:
        for note in log.notes:
            if not any(f"{file}: {note}" in messages for file in files):
                complain(f"note: {log.source}: {in_options(note)}")
    return logs


def _column(words: str) -> tuple[str, str | list[str]]:
    what, equals, names = words.partition("=")
    listed = [name.strip() for name in names.split(",") if name.strip()]
    if what.strip() not in WHAT or not equals or not listed:
        raise InputError(
            f"--columns is {shown(words)}, expected one of {', '.join(WHAT)} and the names of its "
            "columns, such as t=clock or q=a1,a2,a3 or 'q=A?_ActPos*'."
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
