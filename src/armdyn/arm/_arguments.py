"""Arguments of an arm's functions: states and output arrays, checked before any work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import check_memory, real_array
from armdyn.errors import InputError

# NumPy broadcasts arrays of up to 32 axes, and results have up to one axis more than states.
MOST_AXES = 30


def checked_state(state: ArrayLike, name: str, n: int, robot: str) -> NDArray[np.float64]:
    """Return a state ``(..., n)`` as floats; does not check that they are finite."""
    if type(state) is np.ndarray and state.dtype == np.float64:
        array = state
    else:
        what = f"real numbers of shape ({n},) or (..., {n}) for robot {robot!r}"
        array = real_array(state, name, what, InputError)
        check_memory(8 * array.size, f"`{name}`", name)
        with np.errstate(over="ignore"):  # a long double beyond float64 becomes inf, refused later
            array = array.astype(np.float64)
    if array.ndim == 0 or array.shape[-1] != n:
        raise InputError(
            f"`{name}` has shape {array.shape}, expected ({n},) or (..., {n}) for robot {robot!r}.",
            argument=name,
        )
    if array.ndim > MOST_AXES:
        raise InputError(
            f"`{name}` has {array.ndim} axes, expected at most {MOST_AXES}.", argument=name
        )
    return array


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
