"""`Task`: a checked, complete simulation; its arguments, and its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_positive, checked_whole
from armdyn.errors import InputError, shown
from armdyn.kinematics.turns import joint_limits
from armdyn.progress import Progress
from armdyn.simulation.events import MAX_SPEED, SAME_TIME, Event
from armdyn.simulation.forces import Forces, check_increasing
from armdyn.simulation.plant import Plant
from armdyn.simulation.stiction import StictionState

if TYPE_CHECKING:
    from armdyn.simulation.integrators import Integrator

# `Task`: a checked, complete simulation; `Samples`: its records.

# The name of a run in progress reports, and the number of reports.
SIMULATING = "simulating"
PROGRESS_PARTS = 100


@dataclass(frozen=True)
class Task:
    """A simulation.

    Attributes:
        plant: the arms.
        forces: what acts on them.
        q: positions at the beginning ``(B, n)``.
        qd: velocities at the beginning.
        until: when it ends [s].
        integrator: the method of integration.
        limits: "report", "stop" or "spring".
        stiction: the breakaway torque, as a multiple of Coulomb friction.
        events: functions of (t, q, qd) of one arm; their zeros are events.
        progress: called with (done, total, what) about once per percent.
        threads: the largest number of threads.
        partial: whether to return the part before a failure.
        longest: the longest step of an adaptive integrator [s].
    """

    plant: Plant
    forces: Forces
    q: Array
    qd: Array
    until: float
    integrator: Integrator
    limits: str
    stiction: float
    events: tuple[Callable[..., Any], ...]
    progress: Progress
    threads: int
    partial: bool
    longest: float

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper limits of the joints."""
        return joint_limits(self.plant.arm.robot.joints)

    @property
    def stops(self) -> tuple[Array, Array] | None:
        """Limits at which joints stop."""
        return self.bounds if self.limits == "stop" else None

    def holds(self) -> StictionState | None:
        """Return which joints are held at first; None if none ever is."""
        if not (self.plant.dry or self.limits == "stop"):
            return None
        return StictionState(self.plant, self.q, self.qd, self.stiction, self.stops)

    def part(self, rows: slice, forces: Forces) -> Task:
        """Return the simulation of some of the arms, under their own forces."""
        plant, q, qd = self.plant.part(rows), self.q[rows], self.qd[rows]
        return replace(self, plant=plant, forces=forces, q=q, qd=qd)


@dataclass
class Samples:
    """Recorded samples: times, and for each time arrays ``(B, n)``."""

    t: list[float] = field(default_factory=list[float])
    q: list[Array] = field(default_factory=list[Array])
    qd: list[Array] = field(default_factory=list[Array])
    qdd: list[Array] = field(default_factory=list[Array])
    tau: list[Array] = field(default_factory=list[Array])
    events: list[Event] = field(default_factory=list[Event])
    evaluations: int = 0
    failure: BaseException | None = None

    def add(self, t: float, q: Array, qd: Array, qdd: Array, tau: Array) -> None:
        """Record a state; the arrays are copied."""
        self.t.append(t)
        for column, value in ((self.q, q), (self.qd, qd), (self.qdd, qdd)):
            column.append(value.copy())
        self.tau.append(np.broadcast_to(tau, q.shape).copy())

    @classmethod
    def together(cls, parts: Sequence[Samples], firsts: Iterable[int]) -> Samples:
        """Return the samples of parts of a batch as those of the whole, up to the first failure.

        Args:
            parts: the samples.
            firsts: number of the first arm of each part.
        """
        shortest = min(parts, key=lambda part: len(part.t))
        evaluations = max(part.evaluations for part in parts)
        result = cls(t=shortest.t, evaluations=evaluations, failure=shortest.failure)
        for name in ("q", "qd", "qdd", "tau"):
            columns = zip(*(getattr(part, name) for part in parts), strict=False)
            setattr(result, name, [np.concatenate(column) for column in columns])
        result.events = [
            replace(event, arm=first + event.arm)
            for part, first in zip(parts, firsts, strict=True)
            for event in part.events
            if shortest.failure is None or event.t <= shortest.t[-1]
        ]
        return result


# The arguments of a simulation, checked before any work is done.

LIMITS = ("report", "stop", "spring")

# More steps are taken to be a mistake of the unit of time.
MOST_STEPS = 100_000_000
# Largest memory for samples [bytes]: by default, and on request.
LARGEST, LARGEST_ASKED = 2**31, 2**34
# Memory overhead of a sample [bytes], in addition to its numbers.
SAMPLE_OVERHEAD = 600

# Beyond this [rad or m], the rounding of a position is larger than the motion of an arm.
MAX_POSITION = 1e9


def checked_states(arm: Arm, q0: object, qd0: object) -> tuple[Array, Array, bool]:
    """Return positions and velocities ``(B, n)``, and whether a batch was given."""
    q, qd = _state(arm, "q0", q0, MAX_POSITION), _state(arm, "qd0", qd0, MAX_SPEED)
    rows = {len(x) for x in (q, qd) if x.ndim == 2}
    if len(rows) > 1:
        raise InputError(
            f"`q0` has shape {q.shape} and `qd0` {qd.shape}: as many of each.", argument="qd0"
        )
    number = rows.pop() if rows else 1
    batch = q.ndim == 2 or qd.ndim == 2
    q, qd = (np.array(np.broadcast_to(x, (number, arm.n))) for x in (q, qd))
    return q, qd, batch


def _state(arm: Arm, name: str, value: object, most: float) -> Array:
    if value is None:
        return np.zeros(arm.n)
    what = f"({arm.n},) or (B, {arm.n}) for robot {arm.name!r}"
    array = checked_array(value, name, (arm.n,), ("B", arm.n), empty=True, what=what)
    if not array.size:
        raise InputError(f"`{name}` is a batch of no states.", argument=name)
    if (np.abs(array) >= most).any():
        at = tuple(int(k) for k in np.argwhere(np.abs(array) >= most)[0])
        raise InputError(
            f"`{name}` has {array[at]:g} at index {at}, which is no state of an arm: expected less "
            f"than {most:g}.",
            argument=name,
        )
    return array


def checked_parameters(arm: Arm, value: object) -> Array | None:
    """Return link parameters ``(B, 10n)``."""
    if value is None:
        return None
    count = 10 * len(arm.robot.links)
    what = f"(B, {count}): a row like arm.parameters for each arm"
    return checked_array(value, "parameters", ("B", count), what=what)


def step_count(until: float, step: object) -> int:
    """Return the number of equal steps, none longer than `step`."""
    length = checked_positive(step, "step", what="the length of a step [s]")
    if length > until:
        raise InputError(
            f"`step` is {length:g} s, longer than the simulation ({until:g} s).", argument="step"
        )
    steps = int(np.ceil(until / length * (1 - SAME_TIME)))
    if steps > MOST_STEPS:
        raise InputError(
            f"`step` is {length:g} s: that makes {steps} steps, too many.", argument="step"
        )
    return steps


def sampled_steps(steps: int, samples: object, joints: int) -> Sequence[int]:
    """Return the steps before which a sample is recorded; `joints` counts those of all arms."""
    if samples is None:
        if (size := _size(steps + 1, joints)) > LARGEST:
            raise InputError(
                f"the samples of all {steps} steps would take {size / 2**30:.3g} GB: say how many "
                "are wanted by `samples`.",
                argument="samples",
            )
        return range(steps + 1)
    count = _count(samples, joints)
    return sorted({round(x) for x in np.linspace(0, steps, count).tolist()})


def sample_times(until: float, samples: object, joints: int) -> Array | None:
    """Return the times of the samples, from a number of samples or from times; None: all steps."""
    if samples is None:
        return None
    given = isinstance(samples, list | tuple) or (isinstance(samples, np.ndarray) and samples.ndim)
    if not given:
        return np.linspace(0.0, until, _count(cast(object, samples), joints))
    times = checked_array(cast(object, samples), "samples", ("K",), what="a number or times (K,)")
    check_increasing(times, "samples")
    if times[0] < 0.0 or times[-1] > until:
        raise InputError(
            f"the times of `samples` are not all between 0 and {until:g} s.", argument="samples"
        )
    return times


def _count(samples: object, joints: int) -> int:
    count = checked_whole(samples, "samples", 2, MOST_STEPS, what="a whole number from 2")
    if (size := _size(count, joints)) > LARGEST_ASKED:
        raise InputError(
            f"{count} samples would take {size / 2**30:.3g} GB: ask for fewer.", argument="samples"
        )
    return count


def _size(samples: int, joints: int) -> int:
    """Return the memory of the samples in bytes: four numbers per joint."""
    return samples * (32 * joints + SAMPLE_OVERHEAD)


def checked_events(events: object, batch: bool) -> tuple[Callable[..., Any], ...]:
    """Return the functions whose zeros are events."""
    if events is None:
        return ()
    listed: tuple[object, ...] = (events,)
    if isinstance(events, Sequence) and not isinstance(events, str | bytes):
        listed = tuple(cast("Sequence[object]", events))
    if not all(map(callable, listed)):
        raise InputError(
            f"`events` is {shown(cast(object, events))}, expected functions of (t, q, qd).",
            argument="events",
        )
    if batch and listed:
        raise InputError(
            "`events` are looked for in the run of one arm, not of a batch.", argument="events"
        )
    return cast("tuple[Callable[..., Any], ...]", listed)
