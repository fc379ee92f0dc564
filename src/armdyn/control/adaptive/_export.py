"""Adaptive control as C: a sample of the controller, its regressor, and where it begins."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

from armdyn._checks import checked_flag, checked_path
from armdyn.arm import Arm
from armdyn.control.adaptive._law import AFTER, STATE, VALUES
from armdyn.control.adaptive._running import PreparedLaw
from armdyn.export import MARK, CFunction, CTable, c_package, prefix_of
from armdyn.files import write_together


def export_law(
    model: Arm, law: PreparedLaw, folder: str | os.PathLike[str], *, single: bool, force: bool
) -> tuple[Path, ...]:
    """Write the controller; see `AdaptiveControl.export_c`."""
    single, force = checked_flag(single, "single"), checked_flag(force, "force")
    target = checked_path(folder, "folder", what="the path of a folder")
    prefix = f"{prefix_of(model.name)}_control"
    base = law.start.base
    kind = (
        "the state of adaptation, from which links that can exist follow"
        if law.physical
        else "the state of adaptation, which is the minimal parameters"
    )
    sample = (
        f"{prefix}_sample: torques of adaptive control, and the parameters a period later.",
        "  in   q, qd: measured; q_wanted, qd_wanted, qdd_wanted: desired",
        f"  in   {STATE}: {kind}; begins with {prefix}_start",
        "  out  tau: joint torques [N m] or forces [N]",
        f"  out  {AFTER}: may be the array {STATE}, which is then updated in place",
        f"  out  {VALUES}: the minimal parameters of these torques:",
        *(f"         {k}: {base.expression(name)}" for k, name in enumerate(base.names)),
    )
    regressor = (
        f"{prefix}_regressor: Y, {base.n} x {len(base)}: Y times the minimal parameters is "
        "M(q) qddr + C(q, qd) qdr + g(q), with friction and rotors if they are among them.",
    )
    functions = [
        CFunction(f"{prefix}_sample", law.program, sample),
        CFunction(f"{prefix}_regressor", law.regressor, regressor),
    ]
    about = [
        f"Adaptive control of the arm {model.name!r}, {model.n} joints, in "
        f"{'float' if single else 'double'} precision.",
        "",
        "SI units, angles in radians. Call the sample once per period; torques are constant "
        "between samples. The functions are C99, need only math.h, allocate nothing and keep no "
        "state. They read all inputs before they write.",
    ]
    tables = [
        CTable(f"{prefix}_start", STATE, tuple(map(float, law.law.start)), ("The beginning.",))
    ]
    texts = c_package(
        prefix, functions, about=about, tables=tables, single=single, version=version("armdyn")
    )
    return write_together(target, texts, None if force else MARK)
