"""`armdyn fleet`: logs of many arms and days to a table, and what drifts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from armdyn.cli.console import JsonOption, complain, print_json, progress_bar, show
from armdyn.cli.option_names import argument, option
from armdyn.cli.options.cluster import ClusterOptions, opened_client
from armdyn.cli.options.identify import FitOptions
from armdyn.cli.options.log import LogOptions
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import InputError
from armdyn.monitoring.fleet import Fleet
from armdyn.monitoring.fleet import fleet as identify_fleet
from armdyn.monitoring.table import grid_of
from armdyn.present.html import check_page


@dataclass(frozen=True)
class FleetRobot(RobotOptions):
    """The robot of a fleet: an option, since the pattern comes first."""

    robot: str = option(  # pyright: ignore[reportIncompatibleVariableOverride]
        "Bundled robot, or robot file, of all arms.", "ROBOT", default=...
    )


def fleet(
    robot: FleetRobot,
    reading: LogOptions,
    fit: FitOptions,
    parallel: ClusterOptions,
    pattern: str = argument(
        "PATTERN", "Folders of the arms, such as 'logs/*/': paths or addresses of fsspec."
    ),
    out: str = option("Table, .parquet or .csv.", "TABLE", default=..., name="--out"),
    part: str | None = option(
        "Do the i-th of n parts of the work, for job arrays.", "I/N", shown="all"
    ),
    page: Path | None = option("Write a page with what drifts (.html).", "FILE"),
    as_json: JsonOption = False,
) -> None:
    """Identify all arms of a fleet day by day, and tell what drifts; exit status 1 on failures."""
    for name in ("coupling", "extra"):
        if getattr(fit, name):
            raise InputError(f"`{name}` cannot be used with a fleet; identify one arm with it.")
    if page:
        check_page(page)
    arm, _ = open_arm(robot)
    options = {k: v for k, v in fit.arguments(arm).items() if k not in ("coupling", "extra")}
    columns = {k: v for k, v in reading.arguments(arm.n, fit.gain).items() if v is not None}
    with opened_client(parallel) as client, progress_bar(as_json=as_json) as progress:
        made = identify_fleet(
            pattern, arm, out=out, part=part, client=client, reading=columns, progress=progress,
            **options,
        )  # fmt: skip
    if page:
        made.page(page)
    if as_json:
        missing = list(made.missing)
        print_json({"rows": list(made.rows), "drifting": list(made.drifting), "missing": missing})
    else:
        _show(made, out, page)
    if made.failed:
        raise typer.Exit(1)


def _show(made: Fleet, out: str, page: Path | None) -> None:
    show(grid_of(made.rows), "")
    if made.drifting:
        show(f"changed beyond error bars: {', '.join(made.drifting)}")
    elif len(made.failed) < len(made.rows):
        show("no arm changed beyond its error bars")
    if made.failed:
        complain(f"{len(made.failed)} of {len(made.rows)} rows failed: {made.failed[0]['error']}")
    if made.missing:
        show(f"{len(made.missing)} rows are missing, the first {made.missing[0]}: {out} is written "
             "by the part that finds all of them.")  # fmt: skip
    else:
        show(", ".join([out, *([str(page)] if page else ())]))
