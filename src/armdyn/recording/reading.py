"""Files that cannot be read as they are: what is wrong with them, and the log all the same.

A log is read as every verb reads it. If that fails, options that mend one thing are tried, one
after the other: the first that helps tells what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from armdyn.arm.arm import Arm
from armdyn.errors import LogError
from armdyn.log.log import Log
from armdyn.recording.check import LogCheck, check_log
from armdyn.recording.fault import Fault

# What mends a file: the kind of the fault, the arguments of `Log.read`, and the option that says
# the same. Radians are not what positions are, but the checks then tell what they are.
REMEDIES: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("time order", {"sort": True}, "--sort"),
    ("missing values", {"missing": "drop"}, "--drop-missing"),
    ("", {"units": "rad"}, ""),
)


def check_file(path: Path, arm: Arm | None, options: Mapping[str, Any]) -> LogCheck:
    """Read a recording and check it.

    Args:
        path: of the log.
        arm: the arm, or None.
        options: arguments of `Log.read`.

    Raises:
        LogError: no remedy makes the file readable.
    """
    log, faults = read_recording(path, arm, options)
    return check_log(log, arm, faults=faults)


def read_recording(
    path: Path, arm: Arm | None, options: Mapping[str, Any]
) -> tuple[Log, list[Fault]]:
    """Return a log, and the faults of its file.

    Args:
        path: of the log.
        arm: the arm, or None.
        options: arguments of `Log.read`.

    Raises:
        LogError: no remedy makes the file readable.
    """
    try:
        return Log.read(path, joints=arm, **options), []
    except LogError as error:
        first = error
    for count in range(1, len(REMEDIES) + 1):
        for some in combinations(REMEDIES, count):
            more = {key: value for _, remedy, _ in some for key, value in remedy.items()}
            if "units" in more and options.get("units") is not None:
                continue
            faults: list[Fault] = []
            try:
                log = Log.read(path, joints=arm, **{**options, **more})
            except LogError:
                continue
            for kind, remedy, option in some:
                if kind:
                    why = _why(path, arm, {**options, **more}, remedy, first)
                    faults.append(Fault(kind, why, option=option))
            return log, faults
    raise first


def _why(
    path: Path, arm: Arm | None, options: dict[str, Any], remedy: dict[str, Any], first: LogError
) -> str:
    """Return the message of the file without one remedy."""
    try:
        Log.read(path, joints=arm, **{k: v for k, v in options.items() if k not in remedy})
    except LogError as error:
        return str(error)
    return str(first)
