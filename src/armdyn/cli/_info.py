"""`armdyn info`: what an arm is."""

from __future__ import annotations

import math
from dataclasses import asdict

from rich.markup import escape
from rich.table import Table

from armdyn.cli._console import (
    BaseOption,
    JsonOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    TipOption,
    open_arm,
    print_json,
    results,
)
from armdyn.robot import IDENTITY, Joint, Placement, Robot


def info(
    robot: RobotArgument,
    tip: TipOption = None,
    base: BaseOption = None,
    strict: StrictOption = True,
    snap: SnapOption = True,
    as_json: JsonOption = False,
) -> None:
    """Describe an arm: geometry, masses, limits, warnings."""
    arm, warned = open_arm(robot, base, tip, strict, snap)
    description = arm.robot
    if as_json:
        print_json(
            {
                "name": arm.name,
                "n": arm.n,
                "gravity": description.gravity,
                "base": description.base,
                "tool": description.tool,
                "joints": [asdict(joint) for joint in description.joints],
                "total_mass": _total_mass(description),
                "notes": description.notes,
                "warnings": warned,
            }
        )
        return
    out = results()
    out.print(
        f"[bold]{arm.name}[/bold]: {arm.n} joints ({_pattern(description)}), "
        f"{_total_mass(description):.6g} kg, gravity {_vector(description.gravity)} m/s²"
    )
    for title, placement in (("base", description.base), ("tool", description.tool)):
        if placement != IDENTITY:
            out.print(f"{title}: {_placement(placement)}")
    out.print(_geometry(description))
    out.print(_inertia(description))
    if any(_has_drive(j) for j in description.joints):
        out.print(_drives(description))
    for note in description.notes:
        out.print(f"note: {note}", markup=False)
    for sentence in warned:
        out.print(f"warning: {sentence}", markup=False)


def _pattern(robot: Robot) -> str:
    return "".join("R" if j.is_revolute else "P" for j in robot.joints)


def _total_mass(robot: Robot) -> float:
    return sum(j.mass for j in robot.joints)


def _vector(v: tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in v) + ")"


def _placement(T: Placement) -> str:
    at = _vector(tuple(row[3] for row in T[:3]))
    rotation = "; ".join(" ".join(f"{x:.6g}" for x in row[:3]) for row in T[:3])
    return f"at {at} m, rotation rows {rotation}"


def _number(x: float) -> str:
    return "" if math.isinf(x) else f"{x:.6g}"


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", header_style="bold")
    for k, column in enumerate(columns):
        # folded where the terminal is narrow: a number must never lose its tail
        justify = "left" if k == 0 else "right"
        table.add_column(escape(column), justify=justify, overflow="fold")
    return table


def _geometry(robot: Robot) -> Table:
    table = _table(
        "Geometry and limits (modified DH; q adds to the starred column; rad or m)",
        "joint", "kind", "beta [°]", "b [m]", "theta [°]", "d [m]", "lower", "upper", "velocity",
        "effort",
    )  # fmt: skip
    for j in robot.joints:
        theta, d = f"{math.degrees(j.theta):.6g}", f"{j.d:.6g}"
        theta, d = (theta + "*", d) if j.is_revolute else (theta, d + "*")
        table.add_row(
            j.name, j.kind, f"{math.degrees(j.beta):.6g}", f"{j.b:.6g}", theta, d,
            *(_number(x) for x in (j.lower, j.upper, j.velocity, j.effort)),
        )  # fmt: skip
    return table


def _inertia(robot: Robot) -> Table:
    table = _table(
        "Links (centre of mass in the link's frame; inertia about it)",
        "link of", "mass [kg]", "x [m]", "y", "z", "xx [kg m²]", "xy", "xz", "yy", "yz", "zz",
    )  # fmt: skip
    for j in robot.joints:
        table.add_row(j.name, *(f"{x:.6g}" for x in (j.mass, *j.com, *j.inertia)))
    return table


def _has_drive(j: Joint) -> bool:
    return any((j.rotor_inertia, j.viscous, j.coulomb, j.offset))


def _drives(robot: Robot) -> Table:
    table = _table("Drives", "joint", "rotor inertia", "viscous", "Coulomb", "offset")
    for j in robot.joints:
        row = (j.rotor_inertia, j.viscous, j.coulomb, j.offset)
        table.add_row(j.name, *(f"{x:.6g}" for x in row))
    return table
