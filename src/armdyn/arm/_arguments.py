"""Arguments of an arm's functions: states and output arrays, checked before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import check_memory, real_array
from armdyn.errors import InputError
from armdyn.robot import FIXED, MOVING, TRANSLATING

# NumPy broadcasts arrays of up to 32 axes, and results have up to one axis more than states.
MOST_AXES = 30


def checked_state(state: ArrayLike, name: str, n: int, robot: str) -> NDArray[np.float64]:
    """Return a state ``(..., n)`` as floats; does not check that they are finite."""
    array = _floats(state, name, f"real numbers of shape ({n},) or (..., {n}) for robot {robot!r}")
    check_state_shape(array.shape, name, n, robot)
    return array


def check_state_shape(shape: tuple[int, ...], name: str, n: int, robot: str) -> None:
    """Raise an error if a shape is not that of states ``(..., n)``."""
    if not shape or shape[-1] != n:
        raise InputError(
            f"`{name}` has shape {shape}, expected ({n},) or (..., {n}) for robot {robot!r}.",
            argument=name,
        )
    if len(shape) > MOST_AXES:
        raise InputError(
            f"`{name}` has {len(shape)} axes, expected at most {MOST_AXES}.", argument=name
        )


def is_lazy(value: object) -> bool:
    """Say whether a value is a collection of Dask, without importing Dask."""
    kind = type(value)
    return (
        kind is not np.ndarray
        and hasattr(value, "__dask_graph__")
        and kind.__module__.partition(".")[0] == "dask"
    )


def checked_base_motion(
    acceleration: ArrayLike | None, velocity: ArrayLike | None
) -> tuple[str, list[NDArray[np.float64]]]:
    """Return how a base moves, a name in `BASES`, and the inputs that tell it.

    Args:
        acceleration: ``(..., 3)`` or ``(..., 6)``, linear first; zero if None.
        velocity: ``(..., 6)``, linear first; zero if None.
    """
    if acceleration is None and velocity is None:
        return FIXED, []
    a = np.zeros(6)
    if acceleration is not None:
        a = _of_base(acceleration, "base_acceleration", {3: "linear", 6: "linear, then angular"})
    if velocity is None and a.shape[-1] == 3:
        return TRANSLATING, [a]
    v = np.zeros(6)
    if velocity is not None:
        v = _of_base(velocity, "base_velocity", {6: "linear, then angular"})
    if a.shape[-1] == 3:
        a = np.concatenate([a, np.zeros_like(a)], axis=-1)
    return MOVING, [a, v]


def _of_base(value: ArrayLike, name: str, sizes: Mapping[int, str]) -> NDArray[np.float64]:
    what = " or ".join(f"(..., {size}) ({order})" for size, order in sizes.items())
    numbers = f"real numbers of shape {what}, in base axes"
    array: NDArray[np.float64]
    if is_lazy(value):
        from armdyn.arm.lazy._arrays import checked_lazy

        array = checked_lazy(value, name, numbers)
    else:
        array = _floats(value, name, numbers)
    if array.ndim == 0 or array.shape[-1] not in sizes:
        raise InputError(
            f"`{name}` has shape {array.shape}, expected {what}, in base axes.", argument=name
        )
    return array


def _floats(value: ArrayLike, name: str, what: str) -> NDArray[np.float64]:
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    array = real_array(value, name, what, InputError)
    check_memory(8 * array.size, f"`{name}`", name)
    with np.errstate(over="ignore"):  # a long double beyond float64 becomes inf, refused later
        return array.astype(np.float64)


def checked_out(out: object, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return `out` if it can receive a result; else raise an error."""
    expected = f"expected a float64 array of shape {shape}"
    # a masked array may keep its old entries where it is masked
    masked = hasattr(out, "mask") and isinstance(out, np.ma.MaskedArray)
    if not isinstance(out, np.ndarray) or masked:
        raise InputError(f"{name} is {type(cast(object, out)).__name__}, {expected}.")
    array = cast("NDArray[Any]", out)
    if array.shape != shape or array.dtype != np.float64:
        raise InputError(f"{name} is {array.dtype} of shape {array.shape}, {expected}.")
    if not array.flags.writeable:
        raise InputError(f"{name} is read-only, {expected} that can be written to.")
    if not array.flags.c_contiguous and _overlaps_itself(array):
        raise InputError(
            f"{name} has entries that share memory (strides {array.strides}), {expected} whose "
            "entries are apart."
        )
    return array


def _overlaps_itself(array: NDArray[Any]) -> bool:
    """Say whether entries share memory: a stride is shorter than the span of smaller strides."""
    if array.size == 0:
        return False
    reach = array.itemsize
    axes = zip(array.strides, array.shape, strict=True)
    for step, length in sorted((abs(step), length) for step, length in axes if length > 1):
        if step < reach:
            return True
        reach += step * (length - 1)
    return False


def common_lead(arrays: Sequence[NDArray[np.float64]], names: Sequence[str]) -> tuple[int, ...]:
    """Return the common broadcast shape of the leading axes of states."""
    leads = [a.shape[:-1] for a in arrays]
    if leads.count(leads[0]) == len(leads):
        return leads[0]
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in zip(names, arrays, strict=True))
        raise InputError(f"the leading axes of the states do not broadcast: {shapes}.") from None


def checked_outs(
    out: object, quantity: str, shapes: Sequence[tuple[int, ...]]
) -> list[NDArray[np.float64]]:
    """Return the arrays for the results of a quantity, checked: one, or a tuple of several."""
    if len(shapes) == 1:
        return [checked_out(out, "`out`", shapes[0])]
    given = cast("tuple[object, ...]", out) if isinstance(out, tuple) else ()
    if len(given) != len(shapes):
        raise InputError(
            f"`out` of {quantity} is a tuple of {len(shapes)} arrays, got "
            f"{f'{len(given)} of them' if given else type(cast(object, out)).__name__}."
        )
    numbered = enumerate(zip(given, shapes, strict=True))
    outs = [checked_out(x, f"`out[{k}]`", shape) for k, (x, shape) in numbered]
    if any(np.shares_memory(a, b) for a, b in combinations(outs, 2)):
        raise InputError(f"the arrays of `out` of {quantity} overlap; give each its own memory.")
    return outs


def not_finite(arrays: Sequence[NDArray[np.float64]], names: Sequence[str]) -> InputError:
    """Return the error that names the first number that is not finite."""
    array, name = next(
        (a, name) for a, name in zip(arrays, names, strict=True) if not np.isfinite(a).all()
    )
    at = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
    return InputError(
        f"`{name}` has {array[at]} at index {at}; a state must be finite. Drop or mend such rows "
        "first.",
        argument=name,
    )
