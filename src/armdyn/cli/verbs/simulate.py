"""`armdyn simulate`: simulate an arm, save and show its motion."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from armdyn.arm.arm import Arm
from armdyn.cli.console import JsonOption, complain, plain, print_json, progress_bar, show
from armdyn.cli.options.cluster import ClusterOptions, opened_client
from armdyn.cli.options.log import LogOptions, read_logs
from armdyn.cli.options.robot import PER_JOINT, DegreesOption, RobotOptions, in_radians, open_arm
from armdyn.cli.options.simulate import ManyArms, Sensors, spread_lines
from armdyn.errors import FileError, InputError, shown
from armdyn.log.formats import format_written, is_log_path, written_in_words
from armdyn.present.html import check_page
from armdyn.present.pictures import PICTURES_IN_WORDS, check_picture
from armdyn.simulation.controllers import PD
from armdyn.simulation.figures import joints_grid
from armdyn.simulation.integrators import INTEGRATORS, integrator_names
from armdyn.simulation.run import Run
from armdyn.simulation.simulate import simulate as run_simulation

# The usual exit status of an interrupted program.
INTERRUPTED = 130


# Default values of options.
KP, KD, RTOL, STEP = "100", "20", 1e-6, 1e-3

# Adaptive integrators, and integrators of fixed step.
ADAPTIVE = ", ".join(integrator_names(adaptive=True))
FIXED = ", ".join(integrator_names(adaptive=False))


def simulate(
    robot: RobotOptions,
    reading: LogOptions,
    sensors: Sensors,
    many: ManyArms,
    parallel: ClusterOptions,
    q0: Annotated[
        str | None,
        typer.Option(metavar="Q", help="Initial positions, by commas.", show_default="zero"),
    ] = None,
    qd0: Annotated[
        str | None,
        typer.Option(metavar="QD", help="Initial velocities, by commas.", show_default="zero"),
    ] = None,
    degrees: DegreesOption = None,
    until: Annotated[float, typer.Option(metavar="T", help="Duration [s].")] = 5.0,
    torque: Annotated[
        str | None,
        typer.Option(
            metavar="TAU|LOG",
            help="Drive torques, by commas, or a log of them.",
            show_default="none",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="Q", help="Target positions of a PD controller, by commas."),
    ] = None,
    kp: Annotated[
        str | None,
        typer.Option(
            metavar="KP", help=f"Position gain of the controller: {PER_JOINT}.", show_default=KP
        ),
    ] = None,
    kd: Annotated[
        str | None,
        typer.Option(
            metavar="KD", help=f"Velocity gain of the controller: {PER_JOINT}.", show_default=KD
        ),
    ] = None,
    wrench: Annotated[
        str | None,
        typer.Option(
            metavar="F,M",
            help="Force and moment on the tip in base axes [N, N m]: FX,FY,FZ,MX,MY,MZ.",
        ),
    ] = None,
    limits: Annotated[
        str, typer.Option(help="At joint limits: report (only), stop or spring.")
    ] = "report",
    samples: Annotated[
        float | None,
        typer.Option("--rate", metavar="HZ", help="Sampling rate [Hz].", show_default="all steps"),
    ] = None,
    method: Annotated[
        str, typer.Option(help="Method of forward dynamics; see armdyn ops.")
    ] = "auto",
    partial: Annotated[
        bool, typer.Option("--partial", help="Keep the part before a failure (exit status 1).")
    ] = False,
    friction: Annotated[
        bool, typer.Option("--friction/--no-friction", help="Include joint friction.")
    ] = True,
    stiction: Annotated[
        float, typer.Option(help="Static friction, as a multiple of Coulomb friction.")
    ] = 1.0,
    integrator: Annotated[
        str, typer.Option(help=f"Adaptive: {ADAPTIVE}; of fixed step: {FIXED}.")
    ] = "rk45",
    rtol: Annotated[
        float | None,
        typer.Option(help=f"Relative tolerance of {ADAPTIVE}.", show_default=f"{RTOL:g}"),
    ] = None,
    step: Annotated[
        float | None, typer.Option(help=f"Step of {FIXED} [s].", show_default=f"{STEP:g}")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help=f"Write the run as {written_in_words()}."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Plot the run as {PICTURES_IN_WORDS}.")
    ] = None,
    animate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an animation (.html).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate an arm."""
    sensors.check(many.arms is not None)
    files = (output, sensors.measured, plot, animate)
    _check_files(*files)
    _check_used(integrator, rtol, step, target, kp, kd)
    if not _is_log(torque):
        reading.refuse("are of a log given by --torque.")
    arm, warned = open_arm(robot)
    drive = _drive(arm, torque, target, kp, kd, degrees, reading)
    start = many.arguments(arm, _positions(arm, "--q0", q0, degrees), files, sensors.seed)
    if samples is not None:
        start["samples"] = _samples(samples, until)
    elif many.arms:
        start["samples"] = 2
    with (
        _interruptible(),
        opened_client(parallel) as opened,
        progress_bar(as_json=as_json) as progress,
    ):
        run = run_simulation(
            arm,
            **start,
            qd0=_velocities(arm, qd0, degrees),
            until=until,
            torque=drive,
            integrator=integrator,
            method=method,
            rtol=RTOL if rtol is None else rtol,
            step=STEP if step is None else step,
            friction=friction,
            stiction=stiction,
            limits=limits,
            wrench=None if wrench is None else _six("--wrench", wrench),
            progress=progress,
            partial=partial,
            client=opened,
        )
    if output:
        run.save(output)
    sensors.save(run)
    if plot:
        run.plot(plot)
    if animate:
        run.animate(animate)
    written = [str(path) for path in files if path]
    if as_json:
        print_json({**run.to_dict(), "warnings": warned, "written": written})
    else:
        _show(run, written)
    for note in run.notes:
        complain(f"note: {note}")
    if not run.complete:
        raise typer.Exit(1)


def _check_files(
    output: Path | None, measured: Path | None, plot: Path | None, animate: Path | None
) -> None:
    """Refuse, before the simulation, files that cannot be written."""
    for path in (output, measured, plot, animate):
        if path and path.is_dir():
            raise FileError(path, "is a folder; give the name of a file in it.")
        if path and path.exists() and not path.is_file():
            raise FileError(path, "is not a regular file and will not be replaced by one.")
    for path in (output, measured):
        if path:
            format_written(path, "runs")
        if path and not path.parent.is_dir():
            raise FileError(path, f"cannot be written: no folder {path.parent}; make it first.")
    if plot:
        check_picture(plot)
    if animate:
        check_page(animate)


@contextmanager
def _interruptible() -> Generator[None, None, None]:
    """Report what happens to a simulation that the user interrupts."""
    try:
        yield
    except KeyboardInterrupt:
        complain("error: interrupted, nothing is written; --partial keeps the part before.")
        raise typer.Exit(INTERRUPTED) from None


def _check_used(
    integrator: str,
    rtol: float | None,
    step: float | None,
    target: str | None,
    kp: str | None,
    kd: str | None,
) -> None:
    """Refuse an option that has no effect: the user expects one."""
    if target is None and (kp is not None or kd is not None):
        raise InputError("--kp and --kd are of the controller that --target asks for; give it too.")
    row = INTEGRATORS.get(integrator)
    if step is not None and row and row.adaptive:
        raise InputError(f"--step does nothing with {integrator}, which chooses its steps: --rtol.")
    if rtol is not None and row and not row.adaptive:
        raise InputError(f"--rtol does nothing with {integrator}, whose steps are fixed: --step.")


def _is_log(torque: str | None) -> bool:
    return torque is not None and is_log_path(Path(torque))


def _drive(
    arm: Arm,
    torque: str | None,
    target: str | None,
    kp: str | None,
    kd: str | None,
    degrees: bool | None,
    reading: LogOptions,
) -> Any:
    if target is not None:
        if torque is not None:
            raise InputError("--torque and --target both say what the drives do: give one.")
        goal = _positions(arm, "--target", target, degrees)
        stiffness = _gains("--kp", KP if kp is None else kp)
        return PD(stiffness, _gains("--kd", KD if kd is None else kd), goal or [0.0] * arm.n)
    if torque is None:
        return None
    if _is_log(torque):
        return read_logs(arm, [Path(torque)], reading.arguments(arm.n))[0]
    return _numbers(arm, "--torque", torque)


def _gains(option: str, words: str) -> list[float] | float:
    values = _floats(option, words)
    return values[0] if len(values) == 1 else values


def _positions(
    arm: Arm, option: str, words: str | None, degrees: bool | None
) -> list[float] | None:
    return None if words is None else in_radians(arm, option, _numbers(arm, option, words), degrees)


def _velocities(arm: Arm, words: str | None, degrees: bool | None) -> list[float] | None:
    return (
        None
        if words is None
        else in_radians(arm, "--qd0", _numbers(arm, "--qd0", words), bool(degrees))
    )


def _numbers(arm: Arm, option: str, words: str) -> list[float]:
    values = _floats(option, words)
    if len(values) != arm.n:
        raise InputError(f"{option} has {len(values)} numbers, but {arm.name} has {arm.n} joints.")
    return values


def _six(option: str, words: str) -> list[float]:
    values = _floats(option, words)
    if len(values) != 6:
        raise InputError(f"{option} has {len(values)} numbers, expected a force and a moment: 6.")
    return values


def _floats(option: str, words: str) -> list[float]:
    try:
        return [float(word) for word in words.split(",")]
    except ValueError:
        raise InputError(f"{option} is {shown(words)}, expected numbers with commas.") from None


def _samples(rate: float, until: float) -> int:
    count = rate * until
    if not 1.0 <= count <= 1e8:
        raise InputError(f"--rate is {rate:g}: in {until:g} s that is no number of samples.")
    return round(count) + 1


def _show(run: Run, written: list[str]) -> None:
    show(
        f"{run.arm.name}: {run.t[-1]:g} s by {run.integrator}, {run.evaluations} evaluations of "
        f"the dynamics, {len(run)} samples"
    )
    if run.batch is not None:
        show("", f"positions at the end of {run.batch} arms, mean and spread:", *spread_lines(run))
        return
    show("", joints_grid(run), "")
    show(f"energy {run.energy[0]:.9g} J -> {run.energy[-1]:.9g} J")
    for event in run.events[:20]:
        show(f"  {event.t:.6g} s: {plain(run.arm.joint_names[event.joint])} {event.what}")
    if len(run.events) > 20:
        show(f"  and {len(run.events) - 20} events more")
    for path in written:
        show(f"written: {plain(path)}")
