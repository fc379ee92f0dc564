"""The arguments of a simulation, checked before any work is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_positive, checked_whole
from armdyn.errors import InputError, shown
from armdyn.simulation.events import FASTEST
from armdyn.simulation.tolerances import SAME_TIME

LIMITS = ("report", "stop", "spring")

MOST_STEPS = 100_000_000
# Largest memory for samples [bytes]: by default, and on request.
LARGEST, LARGEST_ASKED = 2**31, 2**34
# Memory overhead of a sample [bytes], in addition to its numbers.
SAMPLE_OVERHEAD = 600

# Beyond this [rad or m], the rounding of a position is larger than the motion of an arm.
FARTHEST = 1e9


def checked_states(arm: Arm, q0: object, qd0: object) -> tuple[Array, Array, bool]:
    """Return positions and velocities ``(B, n)``, and whether a batch was given."""
    q, qd = _state(arm, "q0", q0, FARTHEST), _state(arm, "qd0", qd0, FASTEST)
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
    what = f"(B, {10 * arm.n}): a row like arm.parameters for each arm"
    return checked_array(value, "parameters", ("B", 10 * arm.n), what=what)


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
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(
            f"the times of `samples` go backwards: {times[k + 1]:g} s comes after {times[k]:g} s.",
            argument="samples",
        )
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
