"""`armdyn ops`: the operations of every method on an arm."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, NamedTuple

from armdyn.arm.arm import Arm
from armdyn.arm.verify import tip_of
from armdyn.cli.console import JsonOption, print_json, progress_bar, show
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.graph.count import Operations
from armdyn.present.tables import Grid, Toned
from armdyn.programs.methods import methods_of, raced_methods, source
from armdyn.programs.programs import cost


class Counted(NamedTuple):
    """Operations of a method, and its critical path."""

    operations: Operations
    depth: int


def ops(
    robot: RobotOptions,
    as_json: JsonOption = False,
) -> None:
    """Count the arithmetic operations of every method on an arm.

    The cheapest method of each quantity is marked. Depth is the length of the critical path.
    """
    arm, _ = open_arm(robot)
    counted = _count(arm, as_json)
    if as_json:
        print_json({"name": arm.name, "n": arm.n, "kinds": _plain(counted)})
        return
    show(_grid(arm, counted))


def _grid(arm: Arm, counted: dict[str, dict[str, Counted]]) -> Grid:
    rows: list[tuple[str, ...]] = []
    breaks: set[int] = set()
    for quantity, several in counted.items():
        best = cheapest(quantity, several)
        breaks.add(len(rows))
        for k, (method, (o, depth)) in enumerate(several.items()):
            marked = method == best and len(several) > 1
            cells = (
                quantity if k == 0 else "", method + (" *" if marked else ""),
                source(quantity, method),
                str(o.mul), str(o.add), str(o.div), str(o.sqrt), str(o.trig), str(depth),
            )  # fmt: skip
            rows.append(tuple(Toned(cell, "strong" if marked else None) for cell in cells))
    return Grid(
        f"Operations of one evaluation, {arm.name} (friction left out; * cheapest)",
        ("quantity", "method", "source", "mul", "add", "div", "sqrt", "sin, cos", "depth"),
        3,
        tuple(rows),
        breaks=frozenset(breaks),
    )


def cheapest(quantity: str, rows: dict[str, Counted]) -> str:
    """Return the method with the lowest cost; of equals, the one that "auto" chooses."""
    raced = raced_methods(quantity)
    return min(rows, key=lambda method: (cost(rows[method].operations), method not in raced))


def _count(arm: Arm, as_json: bool) -> dict[str, dict[str, Counted]]:
    wanted = [
        (quantity, method)
        for quantity in arm.quantities
        for method in methods_of(arm.robot, quantity)
    ]
    counted: dict[str, dict[str, Counted]] = {quantity: {} for quantity in arm.quantities}
    with progress_bar(as_json=as_json) as progress:
        for done, (quantity, method) in enumerate(wanted, 1):
            found = arm.function(quantity, method, frame=tip_of(arm), friction=False)
            counted[quantity][method] = Counted(found.operations, found.depth)
            progress(done, len(wanted), "counting operations")
    return counted


def _plain(counted: dict[str, dict[str, Counted]]) -> dict[str, Any]:
    return {
        quantity: {
            "cheapest": cheapest(quantity, rows),
            "methods": {
                method: {**asdict(row.operations), "depth": row.depth}
                for method, row in rows.items()
            },
        }
        for quantity, rows in counted.items()
    }
