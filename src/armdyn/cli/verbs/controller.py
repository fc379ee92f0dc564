"""`armdyn controller`: a controller of an arm as a C package."""

from __future__ import annotations

from pathlib import Path

from armdyn.cli.console import JsonOption, print_json, show
from armdyn.cli.option_names import flag, option, out_folder, separated
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.cli.verbs.codegen import budget_data, budget_grid
from armdyn.control.controller import LAWS, Controller
from armdyn.control.controller_files import budget_of_controller

NUMBERS = "numbers by commas, one or one a joint"


def controller(
    robot: RobotOptions,
    folder: Path = out_folder(...),
    law: str = option(f"Control law: {', '.join(LAWS)}.", "LAW", default=LAWS[0]),
    rate: float = option("Samples per second.", "HZ", default=1000.0),
    bandwidth: float | None = option("Bandwidth of the law [rad/s].", "W", shown="10"),
    kp: str | None = option("Stiffness, one or one a joint.", "K,K", shown="by the bandwidth"),
    kd: str | None = option("Damping, one or one a joint.", "K,K", shown="critical"),
    limit: str | None = option("Largest torques [N m or N].", "T,T", shown="those of the robot"),
    friction: float | None = option(
        "Share of the friction that is compensated, 0 to 1.", "X", shown="1 if the joints are led"
    ),
    contact: str | None = option(
        "Observe torques from outside; contacts are beyond these [N m or N].", "T,T"
    ),
    single: bool = flag("--float", "Single precision (float) instead of double."),
    budget: bool = flag(
        "--budget", "Print operation counts, code size and stack on Cortex-M7, M4F."
    ),
    force: bool = flag("--force", "Overwrite files that armdyn did not write."),
    as_json: JsonOption = False,
) -> None:
    """Generate a controller in C: law, limits, filters, loops for POSIX and microcontrollers."""
    arm, _ = open_arm(robot)
    made = Controller(
        arm, law, rate=rate, bandwidth=bandwidth, friction=friction,
        kp=_numbers("kp", kp), kd=_numbers("kd", kd), limit=_numbers("limit", limit),
        contact=_numbers("contact", contact),
    )  # fmt: skip
    paths = made.export_c(folder, single=single, force=force)
    costs = budget_of_controller(made, single=single) if budget else None
    if as_json:
        told = {} if costs is None else {"budget": budget_data(costs)}
        files = [str(path) for path in paths]
        print_json({"name": arm.name, "law": law, "rate": rate, "files": files, **told})
        return
    what = {".h": "declarations, status", ".c": "the controller"}
    show(
        *(f"{path}  {what[path.suffix]}" for path in paths[:2]),
        f"{folder / 'main_posix.c'}, {folder / 'main_bare.c'}  loops; your drives go into robot.h",
        f"  make -C {folder} loop test && {folder / 'loop'}",
    )
    if costs is not None:
        kind = "float" if single else "double"
        show(
            "",
            budget_grid(costs, kind),
            f"Code and stack, without the C library's: {costs.source}.",
        )


def _numbers(name: str, words: str | None) -> float | list[float] | None:
    if words is None:
        return None
    values = separated(name, words, NUMBERS)
    return values[0] if len(values) == 1 else values
