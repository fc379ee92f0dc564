"""The arguments of a simulation, checked before any work is done."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.errors import InputError, MethodError, shown
from armdyn.simulation._diagnostics import FASTEST

Array = NDArray[np.float64]

LIMITS = ("report", "stop", "spring")

MOST_STEPS = 100_000_000
# Bytes of samples: of those that nobody asked for, and of those that were asked for.
LARGEST, LARGEST_ASKED = 2**31, 2**34
# What a sample takes besides its numbers.
BESIDES = 600

# Beyond it floats do not tell how an arm moves [rad or m].
FARTHEST = 1e9


def choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return one of some names."""
    if not isinstance(value, str) or value not in choices:
        raise MethodError(name, value, choices)
    return value


def positive(name: str, value: object, what: str) -> float:
    """Return a positive, finite number."""
    try:
        number = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if isinstance(value, bool | str) or not 0.0 < number < np.inf:
        raise InputError(f"`{name}` is {shown(value)}, expected {what}.")
    return number


def states(arm: Arm, q0: object, qd0: object) -> tuple[Array, Array, bool]:
    """Return positions and velocities ``(B, n)``, and whether a batch was given."""
    given = [_state(arm, "q0", q0), _state(arm, "qd0", qd0)]
    rows = {len(x) for x in given if x.ndim == 2}
    if len(rows) > 1:
        raise InputError(
            f"`q0` has shape {given[0].shape} and `qd0` {given[1].shape}: as many of each."
        )
    number = rows.pop() if rows else 1
    if number == 0:
        raise InputError("`q0` is a batch of no states.")
    batch = any(x.ndim == 2 for x in given)
    q, qd = (np.array(np.broadcast_to(x, (number, arm.n))) for x in given)
    return q, qd, batch


def _state(arm: Arm, name: str, value: object) -> Array:
    if value is None:
        return np.zeros(arm.n)
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"`{name}` is {shown(value)}, expected numbers.") from None
    if array.ndim not in (1, 2) or array.shape[-1] != arm.n:
        raise InputError(
            f"`{name}` has shape {array.shape}, expected ({arm.n},) or (B, {arm.n}) for robot "
            f"{arm.name!r}."
        )
    if not np.isfinite(array).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"`{name}` has {array[at]} at index {at}, expected finite numbers.")
    most = FASTEST if name == "qd0" else FARTHEST
    if (np.abs(array) >= most).any():
        at = tuple(int(k) for k in np.argwhere(np.abs(array) >= most)[0])
        raise InputError(
            f"`{name}` has {array[at]:g} at index {at}, which is no state of an arm: expected less "
            f"than {most:g}."
        )
    return array


def parameter_rows(arm: Arm, value: object) -> Array | None:
    """Return link parameters ``(B, 10n)``."""
    if value is None:
        return None
    width = 10 * arm.n
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"`parameters` is {shown(value)}, expected numbers.") from None
    if array.ndim != 2 or array.shape[1] != width or not len(array):
        raise InputError(
            f"`parameters` has shape {array.shape}, expected (B, {width}): a row like "
            "arm.parameters for each arm."
        )
    if not np.isfinite(array).all():
        raise InputError("`parameters` has numbers that are not finite.")
    return array


def steps_of(until: float, step: object) -> int:
    """Return the number of equal steps, none longer than the one asked for."""
    length = positive("step", step, "the length of a step [s]")
    if length > until:
        raise InputError(f"`step` is {length:g} s, longer than the simulation ({until:g} s).")
    steps = int(np.ceil(until / length * (1 - 1e-12)))
    if steps > MOST_STEPS:
        raise InputError(f"`step` is {length:g} s: that makes {steps} steps, too many.")
    return steps


def sampled_steps(steps: int, samples: object, joints: int) -> Sequence[int]:
    """Return before which steps a sample is recorded; `joints` is how many of all arms it has."""
    if samples is None:
        if (size := _size(steps + 1, joints)) > LARGEST:
            raise InputError(
                f"the samples of all {steps} steps would take {size / 2**30:.3g} GB: say how many "
                "are wanted by `samples`."
            )
        return range(steps + 1)
    count = _count(samples, joints)
    return sorted({round(x) for x in np.linspace(0, steps, count).tolist()})


def sample_times(until: float, samples: object, joints: int) -> Array | None:
    """Return when samples are recorded: so many, or at times; None for all steps."""
    if samples is None:
        return None
    if np.ndim(cast(Any, samples)) == 0:
        return np.linspace(0.0, until, _count(samples, joints))
    try:
        times = np.array(samples, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"`samples` is {shown(samples)}, expected times.") from None
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all():
        raise InputError(f"`samples` is {shown(samples)}, expected a number or times (K,).")
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(
            f"the times of `samples` go backwards: {times[k + 1]:g} s comes after {times[k]:g} s."
        )
    if times[0] < 0.0 or times[-1] > until:
        raise InputError(f"the times of `samples` are not all between 0 and {until:g} s.")
    return times


def _count(samples: object, joints: int) -> int:
    count = operator.index(samples) if isinstance(samples, SupportsIndex) else 0
    if not 2 <= count <= MOST_STEPS:
        raise InputError(f"`samples` is {shown(samples)}, expected a whole number from 2.")
    if (size := _size(count, joints)) > LARGEST_ASKED:
        raise InputError(f"{count} samples would take {size / 2**30:.3g} GB: ask for fewer.")
    return count


def _size(samples: int, joints: int) -> int:
    """Return how many bytes samples take: four numbers a joint."""
    return samples * (32 * joints + BESIDES)


def functions(events: object, batch: bool) -> tuple[Callable[..., Any], ...]:
    """Return the functions whose zeros are looked for."""
    if events is None:
        return ()
    listed: tuple[object, ...] = (events,)
    if not callable(events) and isinstance(events, Iterable):
        listed = tuple(cast("Iterable[object]", events))
    if not all(map(callable, listed)):
        raise InputError(
            f"`events` is {shown(cast(object, events))}, expected functions of (t, q, qd)."
        )
    if batch and listed:
        raise InputError("`events` are looked for in the run of one arm, not of a batch.")
    return cast("tuple[Callable[..., Any], ...]", listed)
