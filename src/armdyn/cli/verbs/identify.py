"""`armdyn identify`: from logs of a moving arm to its parameters, a model and a report."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from armdyn.arm.arm import Arm
from armdyn.arm.codegen import export_c
from armdyn.cli.console import JsonOption, complain, plain, print_json, progress_bar, show
from armdyn.cli.option_names import reading_options
from armdyn.cli.options.cluster import ClusterOption, WorkersOption, opened_client
from armdyn.cli.options.identify import (
    CouplingOption,
    CutoffOption,
    DeadBandOption,
    DecimateOption,
    DelayOption,
    ExtraOption,
    FlipOption,
    FrictionOption,
    NoFrictionOption,
    PriorOption,
    RobustOption,
    RotorOption,
    TiltOption,
    TrimOption,
    WeightsOption,
    fit_options,
)
from armdyn.cli.options.log import (
    ColumnsOption,
    DropOption,
    GearOption,
    SortOption,
    TimeUnitOption,
    UnitsOption,
    keep_inputs,
    read_logs,
    reading,
)
from armdyn.cli.options.robot import (
    BaseOption,
    LenientOption,
    RobotArgument,
    SnapOption,
    TipOption,
    open_arm,
)
from armdyn.errors import ArmdynError, InputError, RobotFileError
from armdyn.identification.files import FILES
from armdyn.identification.identify import identify as identify_arm
from armdyn.identification.result import Result
from armdyn.identification.tables import torque_errors, verdict_lines
from armdyn.robot.files import into_options, name_into, not_seen_in, text_into
from armdyn.writing import check_writable, scratch_folder, write_together

# The folder of C code, and the quantities that it computes from the identified values.
C_FOLDER = "c"
STYLES = {"passed": "bold green", "usable": "bold yellow", "not passed": "bold red"}
FUNCTIONS = ("mass_matrix", "inverse_dynamics", "gravity")


def identify(
    robot: RobotArgument,
    logs: Annotated[
        list[Path],
        typer.Argument(metavar="LOG...", help="CSV, Parquet, npz or mat files, or folders."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write to.")
    ],
    test: Annotated[
        list[Path] | None,
        typer.Option(metavar="LOG", help="Test with this whole log; may be repeated."),
    ] = None,
    holdout: Annotated[
        float, typer.Option(help="Share at the end of each log to test with, if no --test.")
    ] = 0.3,
    friction: FrictionOption = None,
    no_friction: NoFrictionOption = False,
    rotor: RotorOption = None,
    physical: Annotated[
        bool, typer.Option("--physical/--no-physical", help="Links must be bodies that can exist.")
    ] = True,
    prior: PriorOption = None,
    cutoff: CutoffOption = None,
    trim: TrimOption = None,
    delay: DelayOption = None,
    tilt: TiltOption = None,
    flip: FlipOption = None,
    coupling: CouplingOption = None,
    extra: ExtraOption = None,
    dead_band: DeadBandOption = None,
    decimate: DecimateOption = None,
    weights: WeightsOption = None,
    robust: RobustOption = True,
    units: UnitsOption = None,
    time_unit: TimeUnitOption = None,
    columns: ColumnsOption = None,
    gear: GearOption = None,
    sort: SortOption = False,
    missing: DropOption = False,
    tip: TipOption = None,
    base: BaseOption = None,
    strict: LenientOption = True,
    snap: SnapOption = True,
    only_passed: Annotated[
        bool, typer.Option("--strict", help="Exit status 1 if the model has reservations, too.")
    ] = False,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the model into this file of the robot; a copy goes to DIR."
        ),
    ] = None,
    merge_branches: Annotated[
        bool,
        typer.Option(
            "--merge-branches", help="With --into: no inertia for links that do not move by joints."
        ),
    ] = False,
    payload: Annotated[bool, typer.Option("--payload", hidden=True)] = False,
    without: Annotated[Path | None, typer.Option("--without", hidden=True)] = None,
    client: ClusterOption = None,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Identify an arm from logs; exit status 1 if the result is not to be relied on."""
    if payload or without:
        raise InputError(
            "a load is found by a verb of its own: armdyn payload ROBOT HELD [--without EMPTY]."
        )
    given = [file for file in (coupling, extra, into) if file]
    new = name_into(into) if into else ""
    again = reading_options(into_options(into)) if into else {}
    names = (*FILES, new) if into else FILES
    keep_inputs(out, names, [robot, *logs, *(test or ()), *given])
    check_writable(out, names)
    check_writable(out / C_FOLDER, ())
    arm, _ = open_arm(robot, base, tip, strict, snap)
    if into:
        # is it a file of this arm?
        text_into(arm.robot, into, out / new, **again)
    fit = fit_options(
        arm, friction=friction, no_friction=no_friction, rotor=rotor, trim=trim, delay=delay,
        tilt=tilt, flip=flip, coupling=coupling, extra=extra, dead_band=dead_band, weights=weights,
        prior=prior, cutoff=cutoff, decimate=decimate,
    )  # fmt: skip
    options = reading(arm.n, units, time_unit, columns, gear, sort, missing)
    with opened_client(client, workers) as opened, progress_bar(as_json=as_json) as progress:
        read = read_logs(arm, logs, options, opened)
        held_out = read_logs(arm, test, options, opened) if test else None
        result = identify_arm(
            arm, read, physical=physical, holdout=holdout, test=held_out,
            robust=robust, progress=progress, client=opened, **fit,
        )  # fmt: skip
        progress(0, 1, "report")
        texts: dict[str, str | bytes] = {
            **result.files(made=datetime.now()),
            **_c_texts(result.arm),
        }
    refused = None
    if into:
        try:
            texts[new] = text_into(result.arm.robot, into, out / new, merge_branches, **again)
        except RobotFileError as error:  # the other files are not lost
            refused = error
    paths = write_together(out, texts, None)
    if refused is not None:
        complain(f"written all the same: {', '.join(path.name for path in paths)}")
        raise refused
    for told in not_seen_in(result.arm.robot, new) if into else ():
        complain(f"note: {new}: {told}")
    if as_json:
        print_json({**result.to_dict(), "files": [str(path) for path in paths]})
        complain(result.verdict_text)
    else:
        _show(result, out, texts)
    if not (result.passed if only_passed else result.usable):
        raise typer.Exit(1)


def _c_texts(arm: Arm) -> dict[str, str]:
    """Return the C files of the identified arm, by names in the folder c/."""
    try:
        with scratch_folder() as folder:
            paths = export_c(arm, folder, FUNCTIONS)
            return {f"{C_FOLDER}/{path.name}": path.read_text(encoding="utf-8") for path in paths}
    except OSError as error:
        raise ArmdynError(f"no temporary folder for C code: {error.strerror or error}.") from error


def _show(result: Result, out: Path, texts: Iterable[str]) -> None:
    show(torque_errors(result), "")
    first, *more = verdict_lines(result)
    head, _, rest = first.partition(": ")
    show(Text(head, style=STYLES[result.verdict]) + Text(f": {plain(rest)}"), *map(plain, more))
    said = result.advice
    if said:
        show("", "What to do better next time:", *(f"  - {words}" for words in said))
    listed = sorted(name for name in texts if "/" not in name)
    inner = sorted(name for name in texts if "/" in name)
    show("", f"{out}: {', '.join(listed)}; {', '.join(inner)}")
