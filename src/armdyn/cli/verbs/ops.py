"""`armdyn ops`: what every method costs on an arm."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from armdyn.arm import Arm, cost, methods, source
from armdyn.cli._console import JsonOption, new_table, print_json, progress_bar, show
from armdyn.cli.options.robot import (
    BaseOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    TipOption,
    open_arm,
)
from armdyn.graph import Operations


def ops(
    robot: RobotArgument,
    tip: TipOption = None,
    base: BaseOption = None,
    strict: StrictOption = True,
    snap: SnapOption = True,
    as_json: JsonOption = False,
) -> None:
    """Count the operations of every method on an arm, and mark the cheapest."""
    arm, _ = open_arm(robot, base, tip, strict, snap)
    counted = _count(arm)
    if as_json:
        print_json({"name": arm.name, "n": arm.n, "kinds": _plain(counted)})
        return
    table = new_table(
        f"Operations of one evaluation, {arm.name} (friction left out; * cheapest)",
        ("quantity", "method", "source"),
        ("mul", "add", "div", "sqrt", "sin, cos"),
    )
    for kind, rows in counted.items():
        best = cheapest(rows)
        for k, (method, o) in enumerate(rows.items()):
            mark = " *" if method == best and len(rows) > 1 else ""
            table.add_row(
                kind if k == 0 else "", method + mark, source(kind, method),
                str(o.mul), str(o.add), str(o.div), str(o.sqrt), str(o.trig),
                style="bold" if mark else None,
                end_section=k == len(rows) - 1,
            )  # fmt: skip
    show(table)


def cheapest(rows: dict[str, Operations]) -> str:
    """Return the method that "auto" takes: the first of those with the lowest cost."""
    return min(rows, key=lambda method: cost(rows[method]))


def _count(arm: Arm) -> dict[str, dict[str, Operations]]:
    wanted = [(kind, method) for kind in arm.kinds for method in methods(kind)]
    counted: dict[str, dict[str, Operations]] = {kind: {} for kind in arm.kinds}
    with progress_bar("tracing") as progress:
        for done, (kind, method) in enumerate(wanted, 1):
            counted[kind][method] = arm.function(kind, method, friction=False).operations
            progress(done, len(wanted))
    return counted


def _plain(counted: dict[str, dict[str, Operations]]) -> dict[str, Any]:
    return {
        kind: {
            "cheapest": cheapest(rows),
            "methods": {method: asdict(operations) for method, operations in rows.items()},
        }
        for kind, rows in counted.items()
    }
