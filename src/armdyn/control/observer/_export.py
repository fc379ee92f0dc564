"""The momentum observer as C: the first sample, and every further one."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

from armdyn._checks import checked_path
from armdyn.arm import Arm
from armdyn.control.observer._levels import Levels
from armdyn.control.observer._program import AFTER, STATE
from armdyn.export import MARK, CFunction, CTable, c_package, prefix_of
from armdyn.files import write_together
from armdyn.graph import Program


def export_observer(
    arm: Arm,
    programs: tuple[Program, Program],
    levels: Levels | None,
    folder: str | os.PathLike[str],
    single: bool,
    force: bool,
) -> tuple[Path, ...]:
    """Write the observer; see `MomentumObserver.export_c`."""
    target = checked_path(folder, "folder", what="the path of a folder")
    prefix = f"{prefix_of(arm.name)}_observer"
    first, step = programs
    measured = "  in   q, qd: measured; tau: torques of the drives"
    begin = (f"{prefix}_start: the state at the first sample.", measured, f"  out  {AFTER}")
    go_on = (
        f"{prefix}_step: torques from outside at the next sample.",
        measured,
        "  in   h: time since the last sample [s]; after a gap, start anew",
        f"  in   {STATE}: of the last sample",
        "  out  residual: torques from outside [N m] or [N]",
        f"  out  {AFTER}: may be the array {STATE}, which is then updated in place",
    )
    functions = [
        CFunction(f"{prefix}_start", first, begin),
        CFunction(f"{prefix}_step", step, go_on),
    ]
    tables: list[CTable] = []
    if levels is not None:
        words = {
            "moving": "Residuals beyond these are contacts, at usual speeds.",
            "slow": "The same while a joint is slower than the next table, and soon after.",
            "slow_speed": "Speeds [rad/s] or [m/s].",
            "resting": "The same while a joint is slower than the next table, and soon after.",
            "resting_speed": "Speeds [rad/s] or [m/s].",
        }
        tables = [
            CTable(f"{prefix}_{x}", "", tuple(map(float, getattr(levels, x))), (said,))
            for x, said in words.items()
        ]
    about = [
        f"Momentum observer of the arm {arm.name!r}, {arm.n} joints, in "
        f"{'float' if single else 'double'} precision.",
        "",
        "SI units, angles in radians. The functions are C99, need only math.h, allocate nothing "
        "and keep no state. They read all inputs before they write.",
    ]
    texts = c_package(
        prefix, functions, about=about, tables=tables, single=single, version=version("armdyn")
    )
    return write_together(target, texts, None if force else MARK)
