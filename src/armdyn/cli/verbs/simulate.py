"""`armdyn simulate`: simulate an arm, save and show its motion."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from armdyn.arm.arm import Arm
from armdyn.cli.console import JsonOption, complain, plain, print_json, progress_bar, show
from armdyn.cli.option_names import flag, numbers, option, separated
from armdyn.cli.options.cluster import ClusterOptions, opened_client
from armdyn.cli.options.log import LogOptions, read_logs
from armdyn.cli.options.robot import (
    DEGREES,
    PER_JOINT,
    RobotOptions,
    check_outputs,
    in_radians,
    open_arm,
)
from armdyn.cli.options.simulate import ManyArms, Sensors, spread_lines
from armdyn.errors import InputError
from armdyn.log.formats import is_log_path, written_in_words
from armdyn.present.pictures import PICTURES_IN_WORDS
from armdyn.simulation.controllers import PD
from armdyn.simulation.figures import joints_grid
from armdyn.simulation.integrators import INTEGRATORS, integrator_names
from armdyn.simulation.run import Run
from armdyn.simulation.simulate import simulate as run_simulation

# The usual exit status of an interrupted program.
INTERRUPTED = 130


OUT_RUN = option(f"Write the run as {written_in_words()}.", "FILE", name="--out")
# What --wrench expects.
WRENCH = "a force and a moment: 6 numbers by commas"
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
    q0: str | None = option("Initial positions, by commas.", "Q", shown="zero"),
    qd0: str | None = option("Initial velocities, by commas.", "QD", shown="zero"),
    degrees: bool | None = DEGREES,
    until: float = option("Duration [s].", "T", default=5.0),
    torque: str | None = option(
        "Drive torques, by commas, or a log of them.", "TAU|LOG", shown="none"
    ),
    target: str | None = option("Target positions of a PD controller, by commas.", "Q"),
    kp: str | None = option(f"Position gain of the controller: {PER_JOINT}.", "KP", shown=KP),
    kd: str | None = option(f"Velocity gain of the controller: {PER_JOINT}.", "KD", shown=KD),
    wrench: str | None = option(
        "Force and moment on the tip in base axes [N, N m]: FX,FY,FZ,MX,MY,MZ.", "F,M"
    ),
    limits: str = option("At joint limits: report (only), stop or spring.", default="report"),
    samples: float | None = option("Sampling rate [Hz].", "HZ", name="--rate", shown="all steps"),
    method: str = option("Method of forward dynamics; see armdyn ops.", default="auto"),
    partial: bool = flag("--partial", "Keep the part before a failure (exit status 1)."),
    friction: bool = option("Include joint friction.", default=True),
    stiction: float = option("Static friction, as a multiple of Coulomb friction.", default=1.0),
    integrator: str = option(f"Adaptive: {ADAPTIVE}; of fixed step: {FIXED}.", default="rk45"),
    rtol: float | None = option(f"Relative tolerance of {ADAPTIVE}.", shown=f"{RTOL:g}"),
    step: float | None = option(f"Step of {FIXED} [s].", shown=f"{STEP:g}"),
    output: Path | None = OUT_RUN,
    plot: Path | None = option(f"Plot the run as {PICTURES_IN_WORDS}.", "FILE"),
    animate: Path | None = option("Write an animation (.html).", "FILE"),
    as_json: JsonOption = False,
) -> None:
    """Simulate an arm."""
    sensors.check(many.arms is not None)
    files = (output, sensors.measured, plot, animate)
    check_outputs("runs", [output, sensors.measured], plot, animate)
    _check_used(integrator, rtol, step, target, kp, kd)
    if not _is_log(torque):
        reading.refuse("are of a log given by --torque.")
    arm, warned = open_arm(robot)
    drive = _drive(arm, torque, target, kp, kd, degrees, reading)
    start = many.arguments(arm, _in_radians(arm, "q0", q0, degrees), files, sensors.seed)
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
            qd0=_in_radians(arm, "qd0", qd0, bool(degrees)),
            until=until,
            torque=drive,
            integrator=integrator,
            method=method,
            rtol=RTOL if rtol is None else rtol,
            step=STEP if step is None else step,
            friction=friction,
            stiction=stiction,
            limits=limits,
            wrench=None if wrench is None else separated("wrench", wrench, WRENCH, 6),
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
        goal = _in_radians(arm, "target", target, degrees)
        stiffness = numbers("kp", KP if kp is None else kp)
        damping = numbers("kd", KD if kd is None else kd)
        assert goal is not None and stiffness is not None and damping is not None
        return PD(stiffness, damping, goal)
    if torque is None:
        return None
    if _is_log(torque):
        return read_logs(arm, [Path(torque)], reading.arguments(arm.n))[0]
    return _of_joints(arm, "torque", torque)


def _in_radians(arm: Arm, name: str, words: str | None, degrees: bool | None) -> list[float] | None:
    if words is None:
        return None
    return in_radians(arm, f"--{name}", _of_joints(arm, name, words), degrees)


def _of_joints(arm: Arm, name: str, words: str) -> list[float]:
    expected = f"a number for each of the {arm.n} joints of {arm.name}, by commas"
    return separated(name, words, expected, arm.n)


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
