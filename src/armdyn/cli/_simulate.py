"""`armdyn simulate`: let an arm move, and look."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from armdyn.arm import Arm
from armdyn.cli._console import (
    BaseOption,
    JsonOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    TipOption,
    complain,
    new_table,
    open_arm,
    plain,
    print_json,
    progress_bar,
    show,
)
from armdyn.errors import FileError, InputError, shown
from armdyn.log import Log
from armdyn.simulation import PD, Run, check_page, check_plot
from armdyn.simulation import simulate as run_simulation

RUNS = (".csv", ".txt", ".npz", ".parquet", ".pq")


def simulate(
    robot: RobotArgument,
    q0: Annotated[str | None, typer.Option(help="Positions at the beginning, by commas.")] = None,
    qd0: Annotated[str | None, typer.Option(help="Velocities at the beginning.")] = None,
    degrees: Annotated[
        bool, typer.Option("--degrees", help="Angles are given in degrees, not radians.")
    ] = False,
    until: Annotated[float, typer.Option(help="How long [s].")] = 5.0,
    torque: Annotated[
        str | None,
        typer.Option(help="Drive torques by commas, or a log whose torques are applied."),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Positions that a PD controller goes to, by commas.")
    ] = None,
    kp: Annotated[str, typer.Option(help="Its stiffness, one or one a joint.")] = "100",
    kd: Annotated[str, typer.Option(help="Its damping, one or one a joint.")] = "20",
    integrator: Annotated[
        str, typer.Option(help="rk45, dop853, rk4, ab4 or midpoint (symplectic).")
    ] = "rk45",
    method: Annotated[str, typer.Option(help="Of forward dynamics; see `armdyn ops`.")] = "auto",
    rtol: Annotated[float, typer.Option(help="Tolerance of rk45 and dop853.")] = 1e-6,
    step: Annotated[float, typer.Option(help="Step of rk4, ab4 and midpoint [s].")] = 1e-3,
    rate: Annotated[
        float | None, typer.Option(help="Samples a second; all steps if left out.")
    ] = None,
    friction: Annotated[
        bool, typer.Option("--friction/--no-friction", help="With the friction of joints.")
    ] = True,
    limits: Annotated[
        str, typer.Option(help="At the limits of joints: report, stop or spring.")
    ] = "report",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the run as .csv, .npz or .parquet."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw it, as .png, .svg or .pdf.")] = None,
    animate: Annotated[
        Path | None, typer.Option(help="Write a page (.html) in which the arm moves.")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Keep the part before a failure; exit status 1.")
    ] = False,
    tip: TipOption = None,
    base: BaseOption = None,
    strict: StrictOption = True,
    snap: SnapOption = True,
    as_json: JsonOption = False,
) -> None:
    """Let an arm move from a state under torques, friction and its weight.

    Examples:
        armdyn simulate puma560 --q0 0,-0.5,0.3,0,0,0 --until 3 --animate fall.html

        armdyn simulate puma560 --target 0.5,-1,0.5,0,0,0 -o run.csv --plot run.png
    """
    _check_files(output, plot, animate)
    arm, warned = open_arm(robot, base, tip, strict, snap)
    drive = _drive(arm, torque, target, kp, kd, degrees)
    with progress_bar("simulating") as progress:
        run = run_simulation(
            arm,
            _numbers(arm, "--q0", q0, degrees),
            _numbers(arm, "--qd0", qd0, degrees),
            until,
            drive,
            integrator,
            method,
            rtol,
            step=step,
            samples=None if rate is None else _samples(rate, until),
            friction=friction,
            limits=limits,
            progress=progress,
            partial=partial,
        )
    if output:
        run.save(output)
    if plot:
        run.plot(plot)
    if animate:
        run.animate(animate)
    written = [str(path) for path in (output, plot, animate) if path]
    if as_json:
        print_json({**run.summary(), "warnings": warned, "written": written})
    else:
        _show(run, written)
    for note in run.notes:
        complain(f"note: {note}")
    if not run.complete:
        raise typer.Exit(1)


def _check_files(output: Path | None, plot: Path | None, animate: Path | None) -> None:
    """Refuse, before anything is simulated, what could not be written."""
    if output:
        if output.suffix.lower() not in RUNS:
            raise FileError(output, "runs are written as .csv, .npz or .parquet.")
        if not output.parent.is_dir():
            raise FileError(output, f"cannot be written: no folder {output.parent}; make it first.")
    if plot:
        check_plot(plot)
    if animate:
        check_page(animate)


def _drive(
    arm: Arm, torque: str | None, target: str | None, kp: str, kd: str, degrees: bool
) -> Any:
    if target is not None:
        if torque is not None:
            raise InputError("--torque and --target both say what the drives do: give one.")
        goal = _numbers(arm, "--target", target, degrees)
        return PD(_gains("--kp", kp), _gains("--kd", kd), goal or [0.0] * arm.n)
    if torque is None:
        return None
    if Path(torque).suffix.lower() in RUNS:
        return Log.read(torque, joints=arm)
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
    table = new_table("", ("joint",), ("q first", "q last", "qd last", "largest |tau|"))
    for j, name in enumerate(run.arm.joint_names):
        largest = float(abs(run.tau[:, j]).max())
        numbers = (run.q[0, j], run.q[-1, j], run.qd[-1, j], largest)
        table.add_row(plain(name), *(f" {float(x):.6g}" for x in numbers))
    show("", table, "")
    show(f"energy {run.energy[0]:.9g} J -> {run.energy[-1]:.9g} J")
    for event in run.events[:20]:
        show(f"  {event.t:.6g} s: {plain(run.arm.joint_names[event.joint])} {event.what}")
    if len(run.events) > 20:
        show(f"  and {len(run.events) - 20} events more")
    for path in written:
        show(f"written: {plain(path)}")
