"""`armdyn identify`: from logs of a moving arm to its parameters, a model and a report."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import typer
from rich.text import Text

from armdyn.arm.arm import Arm
from armdyn.arm.codegen import export_c
from armdyn.cli.console import (
    JsonOption,
    complain,
    plain,
    print_json,
    progress_bar,
    show,
    show_text,
)
from armdyn.cli.option_names import argument, flag, option, options_but, out_folder
from armdyn.cli.options.cluster import ClusterOptions, opened_client
from armdyn.cli.options.identify import FitOptions
from armdyn.cli.options.log import LogOptions, keep_inputs, read_logs
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import ArmdynError, InputError, RobotFileError
from armdyn.identification.files import FILES
from armdyn.identification.identify import identify as identify_arm
from armdyn.identification.result import Result
from armdyn.identification.tables import torque_errors, verdict_lines
from armdyn.log.rows import shared_scratch
from armdyn.robot.files import into_options, lost_on_export, name_into, text_into
from armdyn.servo.result import ServoResult
from armdyn.writing import check_writable, scratch_folder, write_together

# The folder of C code, and the quantities that it computes from the identified values.
C_FOLDER = "c"
STYLES = {"passed": "bold green", "usable": "bold yellow", "not passed": "bold red"}
FUNCTIONS = ("mass_matrix", "inverse_dynamics", "gravity")


def identify(
    robot: RobotOptions,
    reading: LogOptions,
    fit: FitOptions,
    parallel: ClusterOptions,
    logs: list[Path] = argument(
        "LOG...", "Logs: CSV, Parquet, npz, mat, MCAP, db3 or HDF5 files, or folders."
    ),
    out: Path = out_folder(...),
    test: list[Path] | None = option("Log for validation; repeatable.", "LOG"),
    holdout: float = option(
        "Held-out end of each log for validation, if no --test.", "SHARE", default=0.3
    ),
    only_passed: bool = flag(
        "--require-passed", 'Fail (exit status 1) unless the verdict is "passed".'
    ),
    into: Path | None = option("Write a copy of this robot file with the new model.", "FILE"),
    merge_branches: bool = flag(
        "--merge-branches", "With --into: merge inertias of fixed links into the moving link."
    ),
    payload: bool = option("Refused.", default=False, name="--payload", hidden=True),
    as_json: JsonOption = False,
) -> None:
    """Identify the dynamic parameters of an arm from logs; exit status 1 if validation fails."""
    if payload:
        raise InputError("a payload has its own verb: armdyn payload ROBOT HELD [--empty LOG].")
    files = [file for file in (fit.coupling, fit.extra, into) if file]
    new = name_into(into) if into else ""
    again = robot.of_file(into_options(into)) if into else {}
    names = (*FILES, new) if into else FILES
    keep_inputs(out, names, [str(robot), *logs, *(test or ()), *files])
    check_writable(out, names)
    check_writable(out / C_FOLDER, ())
    arm, _ = open_arm(robot)
    if into:
        # is it a file of this arm?
        text_into(arm.robot, into, out / new, **again)
    fit_arguments, options = fit.arguments(arm), reading.arguments(arm.n, fit.gain)
    bar = progress_bar(as_json=as_json)
    with shared_scratch(), opened_client(parallel) as opened, bar as progress:
        progress(0, 1, "read")
        read = read_logs(arm, logs, options, opened, long=True)
        held_out = read_logs(arm, test, options, opened, long=True) if test else None
        result = identify_arm(
            arm, read, holdout=holdout, test=held_out, progress=progress, client=opened,
            **fit_arguments,
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
    for told in lost_on_export(result.arm.robot, new) if into else ():
        complain(f"note: {new}: {told}")
    if as_json:
        print_json({**result.to_dict(), "files": [str(path) for path in paths]})
        complain(result.verdict_text)
    else:
        _show(result, out, texts, robot)
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


# Options that the next command has itself, or that are of this run alone.
NOT_AGAIN = (
    "-o", "--out", "--flip", "--order", "--ignore-torque", "--gain", "--json", "--into",
)  # fmt: skip


def _with_own_options(line: str) -> str:
    """Return a line on the next command with the options of the running one."""
    head, out, folder = line.rpartition(" -o ")
    if not line.startswith("next: armdyn identify"):
        return line
    options = options_but(*NOT_AGAIN, *(word for word in head.split() if word.startswith("--")))
    return f"{head} {options}".rstrip() + out + folder


def _show(
    result: Result | ServoResult, out: Path, texts: Iterable[str], robot: RobotOptions
) -> None:
    if isinstance(result, ServoResult):
        show(result.table(), "")
        if (replay := result.replay_table()) is not None:
            show(replay, "")
        first, *more = result.verdict_lines(robot.words(), str(out))
        said = ()
    else:
        show(torque_errors(result), "")
        first, *more = verdict_lines(result, robot.words())
        said = result.advice
    head, _, rest = first.partition(": ")
    show(Text(head, style=STYLES[result.verdict]) + Text(f": {plain(rest)}"))
    for line in more:
        # a command can be pasted only if it is one line
        (show_text if line.startswith("next: ") else show)(plain(_with_own_options(line)))
    if said:
        show("", "What to do better next time:", *(f"  - {words}" for words in said))
    listed = sorted(name for name in texts if "/" not in name)
    inner = sorted(name for name in texts if "/" in name)
    show("", f"{out}: {', '.join(listed)}; {', '.join(inner)}")
