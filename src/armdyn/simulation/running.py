"""A simulation with checked arguments, and its run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import (
    checked_choice,
    checked_flag,
    checked_number,
    checked_per_joint,
    checked_positive,
)
from armdyn.errors import InputError, NumericalError
from armdyn.kernel.batch import wanted_threads
from armdyn.progress import reporter
from armdyn.simulation.adaptive import integrate_adaptive, integrate_members
from armdyn.simulation.events import SAME_GAP, SAME_TIME, SHORTER, TIGHTER, Event, check_energy
from armdyn.simulation.fixed import integrate_fixed
from armdyn.simulation.forces import Forces, Quantity, spring
from armdyn.simulation.integrators import INTEGRATORS
from armdyn.simulation.plant import Plant
from armdyn.simulation.run import Run
from armdyn.simulation.task import (
    LIMITS,
    Samples,
    Task,
    checked_events,
    checked_parameters,
    checked_states,
    sample_times,
    sampled_steps,
    step_count,
)

# The longest run [s], eleven days: a longer one takes hours, or its unit is not seconds.
MAX_DURATION = 1e6

# The longest step under torques from a function, as a share of the run. While nothing moves, steps
# would grow without bound and miss what the function does later.
LONGEST_STEP = 0.01

# Relative tolerances below about 100 eps of a double cannot be met; SciPy refuses them, too.
MIN_RTOL = 3e-14

# Default number of samples of a batch whose arms choose their steps.
MEMBER_SAMPLES = 101


@dataclass(frozen=True)
class Job:
    """A simulation that is ready to run.

    Attributes:
        task: what is simulated.
        rtol: relative tolerance of a step.
        atol: absolute tolerance of a step.
        times: of the samples of an adaptive integrator; None for all steps.
        steps: number of equal steps.
        keep: the steps before which a sample is recorded.
        batch: whether it is a batch.
    """

    task: Task
    rtol: float
    atol: float
    times: Array | None
    steps: int
    keep: Sequence[int]
    batch: bool


def prepared(arm: Arm, given: Mapping[str, Any]) -> Job:
    """Check the arguments of `simulate`, given by their names."""
    stepping = INTEGRATORS[checked_choice(given["integrator"], "integrator", INTEGRATORS)]
    what = "the end of the simulation [s]: time does not go backwards"
    end = checked_positive(given["until"], "until", what=what)
    if end > MAX_DURATION:
        raise InputError(
            f"`until` is {end:g} s, expected at most {MAX_DURATION:g} s.", argument="until"
        )
    rows = checked_parameters(arm, given["parameters"])
    q, qd, batch = checked_states(arm, given["q0"], given["qd0"])
    if rows is not None:
        q, qd, rows = _as_many(q, qd, rows, batch)
    batch = batch or rows is not None
    has_friction, wants_part = (checked_flag(given[x], x) for x in ("friction", "partial"))
    breakaway = checked_number(given["stiction"], "stiction", least=1.0)
    checked_positive(given["step"], "step", what="the length of a step [s]")
    for name in ("stiffness", "damping"):
        if given[name] is not None:
            checked_per_joint(given[name], name, arm.n, least=0.0)
    at_limits = checked_choice(given["limits"], "limits", LIMITS, what="way to treat limits")
    report = reporter(given["progress"])
    functions = checked_events(given["events"], batch)
    relative = checked_positive(given["rtol"], "rtol", what="a tolerance")
    absolute = 1e-3 * relative
    if given["atol"] is not None:
        absolute = checked_positive(given["atol"], "atol", what="a tolerance")
    if stepping.adaptive:
        # adaptive arms have no common steps
        wanted = MEMBER_SAMPLES if batch and given["samples"] is None else given["samples"]
        times, steps, keep = sample_times(end, wanted, q.size), 0, range(0)
        if relative < MIN_RTOL:
            raise InputError(
                f"`rtol` is {relative:g}, below what floats can hold ({MIN_RTOL:g}).",
                argument="rtol",
            )
    else:
        steps = step_count(end, given["step"])
        times, keep = None, sampled_steps(steps, given["samples"], q.size)

    count = len(q) if batch else None
    drive = Quantity("torque", given["torque"], arm, arm.n, count)
    external = Quantity("wrench", given["wrench"], arm, 6, count)
    drive.check_until(end)
    if drive.period is not None and not stepping.adaptive:
        _check_period(drive.period, end / steps)
    external.check_until(end)
    widest = np.inf
    if given["longest"] is not None:
        widest = checked_positive(given["longest"], "longest", what="the longest step [s]")
    pushing = None
    if at_limits == "spring":
        pushing = spring(arm, q, given["stiffness"], given["damping"])
    inside = stepping.family != "midpoint"
    plant = Plant(arm, given["method"], friction=has_friction, inside=inside, parameters=rows)
    forces = Forces(arm, drive, external, pushing)
    if given["longest"] is None and forces.is_function:
        widest = LONGEST_STEP * end
    task = Task(
        plant, forces, q, qd, end, stepping, at_limits, breakaway, functions, report,
        wanted_threads(given["threads"]), wants_part, widest,
    )  # fmt: skip
    _check_stops(task)
    return Job(task, relative, absolute, times, steps, keep, batch)


def integrated(job: Job) -> Run:
    """Simulate."""
    task = job.task
    if task.integrator.adaptive and job.batch:
        assert job.times is not None
        found = integrate_members(task, job.rtol, job.atol, job.times)
    elif task.integrator.adaptive:
        found = integrate_adaptive(task, job.rtol, job.atol, job.times)
    else:
        found = integrate_fixed(task, job.steps, job.keep)
    return _run(task, found, job.batch)


def _check_period(period: float, step: float) -> None:
    """Refuse steps that do not end when the controller samples."""
    parts = period / step
    if round(parts) < 1 or abs(parts - round(parts)) > SAME_GAP * parts:
        raise InputError(
            f"the controller samples every {period:g} s, but steps are {step:g} s long; expected "
            "`step` as a whole fraction of the period, and `until` as a multiple of `step`.",
            argument="step",
        )


def _as_many(q: Array, qd: Array, rows: Array, batch: bool) -> tuple[Array, Array, Array]:
    number = len(q) if batch and len(q) > 1 else len(rows)
    if len(rows) not in (1, number):
        raise InputError(
            f"there are {len(rows)} rows of `parameters` for {len(q)} states.",
            argument="parameters",
        )
    shape = (number, q.shape[1])
    q, qd = (np.array(np.broadcast_to(x, shape)) for x in (q, qd))
    return q, qd, np.array(np.broadcast_to(rows, (number, rows.shape[1])))


def _check_stops(task: Task) -> None:
    """Refuse initial positions beyond stops."""
    if task.limits == "stop":
        lower, upper = task.bounds
        wrong = (task.q < lower) | (task.q > upper)
        if wrong.any():
            row, joint = (int(k) for k in np.argwhere(wrong)[0])
            which = f" of arm {row}" if len(task.q) > 1 else ""
            raise InputError(
                f"`q0` is beyond the limits of joint {task.plant.arm.joint_names[joint]!r}{which}, "
                f"{lower[joint]:g} to {upper[joint]:g}, at which it should stop.",
                argument="q0",
            )


def _run(task: Task, found: Samples, batch: bool) -> Run:
    plant, t = task.plant, np.array(found.t)
    q, qd, qdd, tau = (np.stack(x) for x in (found.q, found.qd, found.qdd, found.tau))
    kinetic = np.stack([plant.of("kinetic_energy", a, b) for a, b in zip(q, qd, strict=True)])
    energy = kinetic + np.stack([plant.of("potential_energy", a) for a in q])
    failure = found.failure
    # constant friction, and springs that are compressed at the start, can add energy
    passive = task.forces.is_passive and task.limits != "spring" and not plant.pushes
    if failure is None and passive:
        try:
            advice = TIGHTER if task.integrator.adaptive else SHORTER
            kept = task.limits == "report" and not plant.friction.any()
            check_energy(plant.arm, t, qd, energy, kinetic, advice, kept=kept)
        except NumericalError as error:
            if not task.partial:
                raise
            failure = error
    events = in_order(found.events, task.until)
    notes = [f"incomplete: {str(failure) or 'it was interrupted.'}"] if failure else []
    notes += notes_on(events, plant.arm)
    if not batch:
        q, qd, qdd, tau, energy = (x[:, 0] for x in (q, qd, qdd, tau, energy))
    return Run(
        plant.arm, t, q, qd, qdd, tau, energy, found.evaluations, task.integrator.name, events,
        failure is None, tuple(notes),
    )  # fmt: skip


def in_order(events: Iterable[Event], until: float) -> tuple[Event, ...]:
    """Return events in the order of time, then of arms.

    Those of one arm at one time keep the order of cause and effect.
    """
    tick = SAME_TIME * until
    return tuple(sorted(events, key=lambda event: (round(event.t / tick), event.arm)))


def notes_on(events: Iterable[Event], arm: Arm) -> list[str]:
    """Return what a run says about its events."""
    passed = {event.joint for event in events if event.what.startswith("passes")}
    if not passed:
        return []
    names = ", ".join(arm.joint_names[j] for j in sorted(passed))
    return [f"limits were passed, and nothing was done about it, by: {names}."]
