"""`armdyn simulate`: simulate an arm, save and show its motion."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from armdyn.arm.arm import Arm
from armdyn.cli.console import JsonOption, complain, plain, print_json, progress_bar, show
from armdyn.cli.options.cluster import ClusterOption, WorkersOption, opened_client
from armdyn.cli.options.log import ColumnsOption, DropOption, SortOption, read_logs, reading
from armdyn.cli.options.robot import (
    BaseOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    TipOption,
    open_arm,
)
from armdyn.cli.options.simulate import (
    ArmsOption,
    JitterOption,
    MeasuredOption,
    NoiseQOption,
    NoiseTauOption,
    QuantisationOption,
    SeedOption,
    Sensors,
    SpreadLinksOption,
    SpreadQOption,
    many_arms,
    spread_lines,
)
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
    robot: RobotArgument,
    q0: Annotated[
        str | None, typer.Option(metavar="Q", help="Positions at the beginning, by commas.")
    ] = None,
    qd0: Annotated[
        str | None, typer.Option(metavar="QD", help="Velocities at the beginning.")
    ] = None,
    degrees: Annotated[
        bool, typer.Option("--degrees", help="Angles are given in degrees, not radians.")
    ] = False,
    until: Annotated[float, typer.Option(metavar="T", help="How long, in seconds.")] = 5.0,
    torque: Annotated[
        str | None,
        typer.Option(
            metavar="TAU|LOG", help="Drive torques by commas, or a log whose torques are applied."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="Q", help="Positions that a PD controller goes to, by commas."),
    ] = None,
    kp: Annotated[
        str | None,
        typer.Option(metavar="KP", help=f"Its stiffness, one or one a joint; else {KP}."),
    ] = None,
    kd: Annotated[
        str | None,
        typer.Option(metavar="KD", help=f"Its damping, one or one a joint; else {KD}."),
    ] = None,
    integrator: Annotated[
        str,
        typer.Option(help=f"By steps of its choice: {ADAPTIVE}; by equal steps: {FIXED}."),
    ] = "rk45",
    method: Annotated[str, typer.Option(help="Of forward dynamics; see `armdyn ops`.")] = "auto",
    rtol: Annotated[
        float | None, typer.Option(help=f"Tolerance of {ADAPTIVE}; else {RTOL:g}.")
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(help=f"Of {FIXED}, in seconds; else {STEP:g}."),
    ] = None,
    samples: Annotated[
        float | None, typer.Option("--rate", help="Samples a second; all steps if left out.")
    ] = None,
    friction: Annotated[
        bool, typer.Option("--friction/--no-friction", help="With the friction of joints.")
    ] = True,
    stiction: Annotated[
        float, typer.Option(help="What a joint at rest withstands, over Coulomb friction.")
    ] = 1.0,
    wrench: Annotated[
        str | None,
        typer.Option(
            metavar="F,M", help="Force and moment on the tip, in base axes: six numbers by commas."
        ),
    ] = None,
    limits: Annotated[
        str, typer.Option(help="At the limits of joints: report, stop or spring.")
    ] = "report",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help=f"Write the run as {written_in_words()}."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Draw it, as {PICTURES_IN_WORDS}.")
    ] = None,
    animate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page (.html) in which the arm moves."),
    ] = None,
    measured: MeasuredOption = None,
    noise_q: NoiseQOption = None,
    noise_tau: NoiseTauOption = None,
    quantisation: QuantisationOption = None,
    jitter: JitterOption = None,
    seed: SeedOption = None,
    arms: ArmsOption = None,
    spread_q: SpreadQOption = None,
    spread_links: SpreadLinksOption = None,
    client: ClusterOption = None,
    workers: WorkersOption = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Keep the part before a failure; exit status 1.")
    ] = False,
    columns: ColumnsOption = None,
    sort: SortOption = False,
    missing: DropOption = False,
    tip: TipOption = None,
    base: BaseOption = None,
    strict: StrictOption = True,
    snap: SnapOption = True,
    as_json: JsonOption = False,
) -> None:
    """Let an arm move from a state under torques, friction and its weight."""
    sensors = Sensors(noise_q, noise_tau, quantisation, jitter, None if arms else seed)
    sensors.check(measured)
    _check_files(output, measured, plot, animate)
    _check_used(integrator, rtol, step, target, kp, kd)
    _check_log(torque, columns, sort, missing)
    arm, warned = open_arm(robot, base, tip, strict, snap)
    options = reading(arm.n, None, None, columns, None, sort, missing)
    drive = _drive(arm, torque, target, kp, kd, degrees, options)
    start = many_arms(
        arm, arms, _numbers(arm, "--q0", q0, degrees), spread_q, spread_links,
        (output, measured, plot, animate), seed,
    )  # fmt: skip
    if samples is not None:
        start["samples"] = _samples(samples, until)
    elif arms:
        start["samples"] = 2
    with (
        _interruptible(),
        opened_client(client, workers) as opened,
        progress_bar(as_json=as_json) as progress,
    ):
        run = run_simulation(
            arm,
            **start,
            qd0=_numbers(arm, "--qd0", qd0, degrees),
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
    if measured:
        sensors.save(run, measured)
    if plot:
        run.plot(plot)
    if animate:
        run.animate(animate)
    written = [str(path) for path in (output, measured, plot, animate) if path]
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


def _check_log(torque: str | None, columns: list[str] | None, sort: bool, drop: bool) -> None:
    """Refuse options of a log if there is no log."""
    if (columns or sort or drop) and not _is_log(torque):
        raise InputError("--columns, --sort and --drop-missing are of a log given by --torque.")


def _is_log(torque: str | None) -> bool:
    return torque is not None and is_log_path(Path(torque))


def _drive(
    arm: Arm,
    torque: str | None,
    target: str | None,
    kp: str | None,
    kd: str | None,
    degrees: bool,
    options: dict[str, Any],
) -> Any:
    if target is not None:
        if torque is not None:
            raise InputError("--torque and --target both say what the drives do: give one.")
        goal = _numbers(arm, "--target", target, degrees)
        stiffness = _gains("--kp", KP if kp is None else kp)
        return PD(stiffness, _gains("--kd", KD if kd is None else kd), goal or [0.0] * arm.n)
    if torque is None:
        return None
    if _is_log(torque):
        return read_logs(arm, [Path(torque)], options)[0]
    return _numbers(arm, "--torque", torque, False)


def _gains(option: str, words: str) -> list[float] | float:
    values = _floats(option, words)
    return values[0] if len(values) == 1 else values


def _numbers(arm: Arm, option: str, words: str | None, degrees: bool) -> list[float] | None:
    if words is None:
        return None
    values = _floats(option, words)
    if len(values) != arm.n:
        raise InputError(f"{option} has {len(values)} numbers, but {arm.name} has {arm.n} joints.")
    if not degrees:
        return values
    joints = zip(values, arm.robot.joints, strict=True)
    return [math.radians(x) if joint.is_revolute else x for x, joint in joints]


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
