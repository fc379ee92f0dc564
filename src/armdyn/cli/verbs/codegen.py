"""`armdyn codegen`: functions of an arm as C for controllers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from armdyn.arm.codegen import budget_of_c, export_c
from armdyn.cli.console import JsonOption, print_json, show
from armdyn.cli.option_names import flag, option, out_folder
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import InputError, shown
from armdyn.export.budget import Budget
from armdyn.present.tables import Grid


def codegen(
    robot: RobotOptions,
    functions: str = option(
        "Functions to generate, such as mass_matrix,inverse_dynamics.", "F,F", default=...
    ),
    folder: Path = out_folder(...),
    single: bool = flag("--float", "Single precision (float) instead of double."),
    methods: list[str] | None = option(
        "Use this method (see armdyn ops); repeatable.",
        "FUNCTION=METHOD",
        name="--method",
        shown="the cheapest",
    ),
    parameters: bool = flag("--parameters", "Pass masses, inertias and friction as arguments."),
    minimal: bool = flag("--minimal", "Pass the base parameters and friction as arguments."),
    budget: bool = flag(
        "--budget", "Print operation counts, code size and stack on Cortex-M7, M4F."
    ),
    force: bool = flag("--force", "Overwrite files that armdyn did not write."),
    as_json: JsonOption = False,
) -> None:
    """Generate C99 code for functions of an arm, with a self-test."""
    wanted = [name.strip() for name in functions.split(",") if name.strip()]
    chosen = dict(_chosen(words) for words in methods or ())
    if parameters and minimal:
        raise InputError("--parameters and --minimal exclude each other; choose one.")
    arm, _ = open_arm(robot)
    taken = "minimal" if minimal else parameters
    paths = export_c(
        arm, folder, wanted, single=single, methods=chosen, parameters=taken, force=force
    )
    costs = None
    if budget:
        costs = budget_of_c(arm, wanted, single=single, methods=chosen, parameters=taken)
    if as_json:
        files = [str(path) for path in paths]
        told = {} if costs is None else {"budget": budget_data(costs)}
        print_json({"name": arm.name, "functions": wanted, "files": files, **told})
        return
    header, source, selftest = paths
    show(
        f"{header}  declarations, orders and units",
        f"{source}  {len(wanted)} function{'s' if len(wanted) > 1 else ''}",
        f"{selftest}  recorded vectors; to run it:",
        f"  cc -std=c99 {source} {selftest} -lm -o selftest && ./selftest",
    )
    if costs is not None:
        kind = "float" if single else "double"
        show(
            "",
            budget_grid(costs, kind),
            f"Code and stack, without the C library's: {costs.source}.",
        )


def budget_grid(costs: Budget, kind: str) -> Grid:
    """Return what functions cost as a table."""
    cores = list(next(iter(costs.sizes.values())))
    about = "" if costs.compiled else "about "
    rows = [
        (
            name, str(o.mul), str(o.add), str(o.div), str(o.sqrt), str(o.trig),
            *(f"{about}{bytes_}" for core in cores for bytes_ in costs.sizes[name][core]),
        )
        for name, o in costs.operations.items()
    ]  # fmt: skip
    return Grid(
        f"Operations, and bytes of code and stack, in {kind}",
        (
            "function", "mul", "add", "div", "sqrt", "sin, cos",
            *(f"{core} {what}" for core in cores for what in ("code", "stack")),
        ),
        1,
        tuple(rows),
    )  # fmt: skip


def budget_data(costs: Budget) -> dict[str, Any]:
    """Return what functions cost as plain data for JSON."""
    functions = {
        name: {
            "operations": asdict(o),
            **{core: size._asdict() for core, size in costs.sizes[name].items()},
        }
        for name, o in costs.operations.items()
    }
    return {"source": costs.source, "compiled": costs.compiled, "functions": functions}


def _chosen(words: str) -> tuple[str, str]:
    quantity, equals, name = words.partition("=")
    if not equals or not quantity or not name:
        raise InputError(
            f"--method is {shown(words)}, expected a function and its method, such as "
            "mass_matrix=lin_fang_1."
        )
    return quantity.strip(), name.strip()
