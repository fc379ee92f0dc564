"""A log file read as a whole: SI units, joint side, stamps in order, or an error."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from armdyn.errors import LogWarning
from armdyn.log.columns._match import matched
from armdyn.log.columns._names import EXTRA
from armdyn.log.columns._plausible import check_angles, still_joints
from armdyn.log.columns._stamps import clock_of, ordered
from armdyn.log.formats._registry import format_read
from armdyn.log.reading._options import ReadOptions
from armdyn.log.reading._samples import block_of, complete_rows, to_joint_side, to_si, told_with


def read_arrays(file: Path, options: ReadOptions) -> dict[str, Any]:
    """Return the arguments of `Log` for a file."""
    found = format_read(file)
    with told_with(file):
        table = found.table(file, options.of_format)
    match = matched(table, options.joint_names, options.columns, options.torque)
    blocks = {role: block_of(table, role, match) for role in match.names}
    n = blocks["q"].shape[1]
    gears, scale = options.gear_matrix(n), options.scales(n)
    table.notes += match.notes
    t = clock_of(table, match.time, match.nanosec, options.time_unit).seconds(table)
    rows = complete_rows(table, match, t, blocks, options.missing)
    rows = ordered(table, t, rows, options.sort)
    t, blocks = t[rows], {role: block[rows] for role, block in blocks.items()}
    said = to_si(blocks, match, scale)
    if gears is not None:
        to_joint_side(blocks, gears, options.motor_side, table.notes)
    labels = match.joints or tuple(f"joint{k}" for k in range(1, n + 1))
    if not said:
        check_angles(table, labels, blocks["q"], options.joints)
    still = still_joints(labels, blocks)
    for words in (*table.lost, *still):
        warnings.warn(f"{file}: {words}", LogWarning, stacklevel=4)
    used = {match.time, match.nanosec, *(name for part in match.names.values() for name in part)}
    return {
        "t": t,
        "q": blocks["q"],
        "qd": blocks.get("qd"),
        "qdd": blocks.get("qdd"),
        "tau": blocks.get("tau", blocks.get("current")),
        "joint_names": labels,
        "effort": "current" if "current" in blocks else "torque",
        "extra": {
            k.removeprefix(EXTRA): v[rows] for k, v in table.columns.items() if k not in used
        },
        "source": str(file),
        "notes": (*table.notes, *table.lost, *still),
    }
