"""`armdyn observe`: torques from outside in a log, and the contacts among them."""

from __future__ import annotations

from pathlib import Path

from armdyn.cli.console import JsonOption, print_json, progress_bar, show
from armdyn.cli.option_names import argument, numbers, option
from armdyn.cli.options.log import LogOptions, keep_inputs, read_logs
from armdyn.cli.options.robot import PER_JOINT, RobotOptions, open_arm
from armdyn.control.model_choice import model_for
from armdyn.control.observer import MomentumObserver
from armdyn.errors import InputError, shown
from armdyn.log.log import Log
from armdyn.present.pictures import PICTURES_IN_WORDS, check_picture
from armdyn.writing import check_writable


def observe(
    robot: RobotOptions,
    reading: LogOptions,
    log: Path = argument("LOG", "Log: CSV, Parquet, npz, mat, MCAP, db3 or HDF5."),
    free: Path | None = option(
        "Log without contacts, from which to estimate the thresholds.", "LOG"
    ),
    identified: bool | None = option(
        "Identify the arm first, from --free or LOG.",
        name="--identify/--no-identify",
        shown="if the description does not fit the torques",
    ),
    threshold: str | None = option(
        f"Contact threshold of the residual torque: {PER_JOINT}.", "X", shown="estimated"
    ),
    gain: float = option("Observer gain [1/s].", "K", default=100.0),
    span: str | None = option("Use LOG from A to B [s] only; :B and A: are open ranges.", "A:B"),
    plot: Path | None = option(f"Plot residuals and contacts as {PICTURES_IN_WORDS}.", "FILE"),
    out: Path | None = option("Write residuals and thresholds (.csv).", "FILE"),
    as_json: JsonOption = False,
) -> None:
    """Detect contacts in a log (momentum observer)."""
    for path in (plot, out):
        if path:
            inputs = [str(robot), log, *([free] if free else ())]
            keep_inputs(path.parent, [path.name], inputs)
    if plot:
        check_picture(plot)
    if out:
        check_writable(out.parent, [out.name])
    arm, _ = open_arm(robot)
    most = numbers("threshold", threshold)
    options = reading.arguments(arm.n)
    observed = _cut(read_logs(arm, [log], options)[0], span)
    calm = read_logs(arm, [free], options)[0] if free else None
    with progress_bar(as_json=as_json) as progress:
        choice = model_for(arm, observed, calm, identified=identified, progress=progress)
        observer = MomentumObserver(choice.model, gain=gain, threshold=most, free=choice.free)
        seen = observer.run(observed)
    if plot:
        seen.plot(plot)
    if out:
        seen.save(out)
    if as_json:
        print_json({**seen.to_dict(), "model": choice.note})
        return
    told = observed.notes  # when the log was read
    show(seen.grid(), "", choice.note, *(note for note in seen.notes if note not in told))


def _cut(log: Log, span: str | None) -> Log:
    """Return the part of a log that --span names."""
    if span is None:
        return log
    ends = span.split(":")
    try:
        first, last = (float(end) if end.strip() else None for end in ends)
    except ValueError:
        raise InputError(
            f"--span is {shown(span)}, expected seconds A:B; one of them may be left out."
        ) from None
    return log[first:last]
