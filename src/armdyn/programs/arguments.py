"""Arguments of an arm's functions: states and output arrays, checked before any work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import combinations
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.checks import REAL, check_memory, real_array
from armdyn.errors import InputError, shown
from armdyn.robot.chain import FIXED, MOVING, TRANSLATING, Chain
from armdyn.robot.model import IDENTITY, NamedFrame

# NumPy broadcasts arrays of up to 32 axes, and results have up to one axis more than states.
MOST_AXES = 30

# The name that stands for the cheapest method.
AUTO = "auto"

DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)


def checked_dtype(dtype: object) -> np.dtype[Any]:
    """Return the type of numbers that an arm computes with."""
    found = None
    if dtype is not None:  # to NumPy, None means float64
        with suppress(Exception):  # whatever the value raises
            found = np.dtype(cast(Any, dtype))
    if found is None or found not in (DOUBLE, SINGLE):
        raise InputError(
            f"`dtype` is {shown(dtype)}, expected numpy.float64 or numpy.float32.", argument="dtype"
        )
    return found


def check_precision(found: np.dtype[Any], dtype: np.dtype[Any], name: str) -> None:
    """Raise an error if numbers of an array would have to be rounded to single precision."""
    if dtype == SINGLE and not np.can_cast(found, SINGLE, "safe"):
        raise InputError(
            f"`{name}` is an array of {found}, but the arm computes in float32. If `{name}` shall "
            f"be rounded, give `{name}.astype(np.float32)`; to compute in double, load the arm "
            "with `dtype=np.float64`.",
            argument=name,
        )


def checked_state(
    state: ArrayLike, name: str, n: int, robot: str, dtype: np.dtype[Any] = DOUBLE
) -> NDArray[np.float64]:
    """Return a state ``(..., n)`` as floats; does not check that they are finite."""
    what = f"real numbers of shape ({n},) or (..., {n}) for robot {robot!r}"
    array = _floats(state, name, what, dtype)
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


def checked_lazy(value: Any, name: str, what: str, dtype: np.dtype[Any] = DOUBLE) -> Any:
    """Return a Dask array of real numbers and known shape.

    Args:
        value: value of the argument, a collection of Dask.
        name: name of the argument.
        what: description of the expected array.
        dtype: the type of numbers that it is for.
    """
    if not isinstance(value, dask_array().Array):
        raise InputError(
            f"`{name}` is a Dask {type(value).__name__}, expected a Dask array: {what}.",
            argument=name,
        )
    if value.dtype.kind not in REAL:
        raise InputError(
            f"`{name}` is a Dask array of {value.dtype}, expected {what}. `astype(float)` converts "
            "numbers that are stored as objects or text.",
            argument=name,
        )
    check_precision(value.dtype, dtype, name)
    if any(np.isnan(size) for size in value.shape):
        raise InputError(
            f"`{name}` is a Dask array with chunks of unknown sizes, its shape is {value.shape}; "
            f"expected {what}. Call its method `compute_chunk_sizes` first.",
            argument=name,
        )
    return value


def dask_array() -> Any:
    """Return the module dask.array, which has no types of its own."""
    return import_module("dask.array")


def checked_base_motion(
    acceleration: ArrayLike | None, velocity: ArrayLike | None, dtype: np.dtype[Any] = DOUBLE
) -> tuple[str, list[NDArray[np.float64]]]:
    """Return how a base moves, a name in `BASES`, and the inputs that tell it.

    Args:
        acceleration: ``(..., 3)`` or ``(..., 6)``, linear first; zero if None.
        velocity: ``(..., 6)``, linear first; zero if None.
        dtype: the type of the arm's numbers.
    """
    if acceleration is None and velocity is None:
        return FIXED, []
    a = np.zeros(6, dtype)
    if acceleration is not None:
        sizes = {3: "linear", 6: "linear, then angular"}
        a = _of_base(acceleration, "base_acceleration", sizes, dtype)
    if velocity is None and a.shape[-1] == 3:
        return TRANSLATING, [a]
    v = np.zeros(6, dtype)
    if velocity is not None:
        v = _of_base(velocity, "base_velocity", {6: "linear, then angular"}, dtype)
    if a.shape[-1] == 3:
        a = np.concatenate([a, np.zeros_like(a)], axis=-1)
    return MOVING, [a, v]


def _of_base(
    value: ArrayLike, name: str, sizes: Mapping[int, str], dtype: np.dtype[Any]
) -> NDArray[np.float64]:
    what = " or ".join(f"(..., {size}) ({order})" for size, order in sizes.items())
    numbers = f"real numbers of shape {what}, in base axes"
    array: NDArray[np.float64]
    if is_lazy(value):
        array = checked_lazy(value, name, numbers, dtype)
    else:
        array = _floats(value, name, numbers, dtype)
    if array.ndim == 0 or array.shape[-1] not in sizes:
        raise InputError(
            f"`{name}` has shape {array.shape}, expected {what}, in base axes.", argument=name
        )
    return array


def _floats(value: ArrayLike, name: str, what: str, dtype: np.dtype[Any]) -> NDArray[np.float64]:
    if type(value) is np.ndarray and value.dtype == dtype:
        return value
    array = real_array(value, name, what, InputError)
    check_memory(dtype.itemsize * array.size, f"`{name}`", name)
    if dtype == SINGLE:
        for found in _dtypes(value, array):
            check_precision(found, dtype, name)
    with np.errstate(over="ignore"):  # a long double beyond float64 becomes inf, refused later
        floats = array.astype(dtype)
    if dtype == SINGLE and (beyond := np.isinf(floats) & np.isfinite(array)).any():
        raise InputError(
            f"`{name}` has {array[beyond][0]}, beyond the largest float32 number, "
            f"{np.finfo(np.float32).max}; to compute in double, load the arm with "
            "`dtype=np.float64`.",
            argument=name,
        )
    return floats


def _dtypes(value: object, array: NDArray[Any]) -> Iterator[np.dtype[Any]]:
    """Yield the types of the arrays that a value has; numbers in lists have none of their own."""
    if not isinstance(value, list | tuple | int | float):
        yield array.dtype
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            if not isinstance(item, int | float | np.number):
                yield from _dtypes(item, np.asarray(cast(Any, item)))


def checked_out(
    out: object, name: str, shape: tuple[int, ...], dtype: np.dtype[Any] = DOUBLE
) -> NDArray[np.float64]:
    """Return `out` if it can receive a result; else raise an error."""
    expected = f"expected a {dtype} array of shape {shape}"
    # a masked array may keep its old entries where it is masked
    masked = hasattr(out, "mask") and isinstance(out, np.ma.MaskedArray)
    if not isinstance(out, np.ndarray) or masked:
        raise InputError(f"{name} is {type(cast(object, out)).__name__}, {expected}.")
    array = cast("NDArray[Any]", out)
    if array.shape != shape or array.dtype != dtype:
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
    out: object, quantity: str, shapes: Sequence[tuple[int, ...]], dtype: np.dtype[Any] = DOUBLE
) -> list[NDArray[np.float64]]:
    """Return the arrays for the results of a quantity, checked: one, or a tuple of several."""
    if len(shapes) == 1:
        return [checked_out(out, "`out`", shapes[0], dtype)]
    given = cast("tuple[object, ...]", out) if isinstance(out, tuple) else ()
    if len(given) != len(shapes):
        raise InputError(
            f"`out` of {quantity} is a tuple of {len(shapes)} arrays, got "
            f"{f'{len(given)} of them' if given else type(cast(object, out)).__name__}."
        )
    numbered = enumerate(zip(given, shapes, strict=True))
    outs = [checked_out(x, f"`out[{k}]`", shape, dtype) for k, (x, shape) in numbered]
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


# Joints whose angle is theta + q: large positions lose digits in the sum.
#
# If theta is a multiple of pi/2, nothing is added and any position is exact. Otherwise the sum is
# rounded before the sine: in double the error of an angle is 7e-12 rad at 1e5 rad, in float 4e-6
# rad at 100 rad, and it grows with q. Larger positions are refused.

# The largest position of such a joint [rad], by the type of numbers.
LARGEST_ANGLE = {np.dtype(np.float64): 1e5, np.dtype(np.float32): 100.0}


@dataclass(frozen=True)
class OffsetJoints:
    """The joints of an arm whose theta is added to q.

    Attributes:
        indices: of the joints, from 0.
        names: of the joints.
    """

    indices: tuple[int, ...]
    names: tuple[str, ...]

    def check(self, q: NDArray[np.float64]) -> None:
        """Raise an error if a position ``(..., n)`` is too large."""
        angles = q[..., list(self.indices)]
        largest = LARGEST_ANGLE[q.dtype]
        wrong = np.argwhere(~(np.abs(angles) <= largest))
        if len(wrong):
            at = tuple(int(k) for k in wrong[0])
            index = (*at[:-1], self.indices[at[-1]])
            where = f" at index {index}" if len(index) > 1 else ""
            raise InputError(
                f"`q` has joint {self.names[at[-1]]!r} at {angles[at]:g} rad{where}: there theta + "
                f"q has lost digits; expected at most {largest:g} rad. Wrap the angle to "
                "+-pi first.",
                argument="q",
            )


def offset_joints(chain: Chain, names: Sequence[str]) -> OffsetJoints | None:
    """Return the joints of an arm whose theta is added to q; None if there are none."""
    found = [
        k for k, link in enumerate(chain.links) if link.rotational and link.C0 * link.S0 != 0.0
    ]
    if not chain.is_serial:
        rows = enumerate(chain.couplings)
        found = sorted({x for k, row in rows if k in found or row.offset for x, _ in row.factors})
    return OffsetJoints(tuple(found), tuple(names[k] for k in found)) if found else None


# Frames of a robot's file by their names: the chain whose tip they are.

# Names that a message lists.
MOST_LISTED = 12


def at_frame(chain: Chain, frame: NamedFrame) -> Chain:
    """Return a chain whose tip is the frame."""
    base = chain.base if frame.link else IDENTITY  # frames of the base are given in its frame
    carrier = chain.link_numbers[frame.link - 1] if frame.link else 0
    return replace(chain, base=base, tool=frame.placement, carrier=carrier)


def frame_in_words(given: object, names: Sequence[str], n: int) -> str:
    """Return what a frame may be, for a message; names near a wrong one come first."""
    import difflib

    near = difflib.get_close_matches(given, names, n=3) if isinstance(given, str) else []
    listed = ", ".join(near or names[:MOST_LISTED])
    if near:
        listed = f"a frame such as {listed}"
    elif len(names) > MOST_LISTED:
        listed = f"a frame ({listed} and {len(names) - MOST_LISTED} more)"
    else:
        listed = f"a joint or frame ({listed})"
    return f"'tip', {listed} or a number from 0 to {n}"
