"""`Function`: one quantity of one arm by one method, called on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.arm._singular import INVERTING
from armdyn.errors import InputError, MethodError, NumericalError
from armdyn.graph import Operations, Program, count, interpret, show

LANGUAGES = ("python",)

# NumPy broadcasts arrays of up to 32 axes, and results have up to one axis more than states.
MOST_AXES = 30


class Function:
    """A quantity of an arm, ready to be called.

    Attributes:
        kind: what it computes.
        method: by whose formulas.
        robot: name of the arm, for messages.
        program: the traced code.
    """

    def __init__(self, program: Program, method: str, robot: str) -> None:
        self.kind = program.name
        self.method = method
        self.robot = robot
        self.program = program
        # The one place where programs become numbers.
        self._evaluate = interpret

    @property
    def operations(self) -> Operations:
        """What one call costs, counted on the traced code."""
        return count(self.program)

    def __call__(
        self, *states: ArrayLike, out: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64] | tuple[NDArray[np.float64], ...]:
        """Evaluate at one state or many.

        Args:
            states: one array of shape ``(n,)`` or ``(..., n)`` for each input; leading axes
                broadcast.
            out: an array of float64 that receives the result (where there is one result).

        Returns:
            An array whose leading axes are those of the states, or a tuple of arrays.
        """
        wanted = [slot.name for slot in self.program.inputs]
        if len(states) != len(wanted):
            raise InputError(
                f"{self.kind} takes {len(wanted)} arrays ({', '.join(wanted)}), got {len(states)}."
            )
        arrays = [
            _checked(state, slot.name, slot.shape[0], self.robot)
            for state, slot in zip(states, self.program.inputs, strict=True)
        ]
        arrays = _broadcast(arrays, wanted)
        if out is not None:
            self._check_out(out, arrays[0].shape[:-1])
        results = self._finite(arrays)
        if len(results) > 1:
            return tuple(results)
        if out is None:
            return results[0]
        out[...] = results[0]
        return out

    def _check_out(self, out: object, lead: tuple[int, ...]) -> None:
        first, *others = self.program.outputs
        if others:
            raise InputError(f"{self.kind} returns {1 + len(others)} arrays and takes no `out`.")
        shape = (*lead, *first.shape)
        expected = f"expected a float64 array of shape {shape}"
        # a masked array may keep its old entries where it is masked
        if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
            raise InputError(f"`out` is {type(cast(object, out)).__name__}, {expected}.")
        array = cast(NDArray[Any], out)
        if array.shape != shape or array.dtype != np.float64:
            raise InputError(f"`out` is {array.dtype} of shape {array.shape}, {expected}.")
        if not array.flags.writeable:
            raise InputError(f"`out` is read-only, {expected} that can be written to.")

    def _finite(self, arrays: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Evaluate, and refuse to return what is not a number."""
        try:
            with np.errstate(all="ignore"):  # judged below, with the state that did it
                results = self._evaluate(self.program, *arrays)
        except (ZeroDivisionError, ValueError):  # a single state divides and takes roots in floats
            raise NumericalError(self._not_finite(())) from None
        for result in results:
            if not np.isfinite(result).all():
                lead = arrays[0].ndim - 1
                at = np.argwhere(~np.isfinite(result))[0][:lead]
                raise NumericalError(self._not_finite(tuple(int(k) for k in at)))
        return results

    def _not_finite(self, at: tuple[int, ...]) -> str:
        where = f" at the state of index {at}" if at else ""
        why = (
            "the mass matrix is singular or not positive there: does every joint move a mass?"
            if self.kind in INVERTING
            else "the state is too large."
        )
        return f"{self.kind} of robot {self.robot!r} by {self.method!r} is not finite{where}: {why}"

    def source(self, language: str = "python") -> str:
        """Return the traced code in a language; "python" needs only the standard library."""
        if language not in LANGUAGES:
            raise MethodError("language", language, LANGUAGES)
        return show(self.program)

    def __repr__(self) -> str:
        counted = self.operations
        return f"<Function {self.kind} of {self.robot!r} by {self.method!r}: {counted}>"


def _checked(state: ArrayLike, name: str, n: int, robot: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(state)
        # complex numbers and objects would lose something; truth values are no angles
        if array.dtype.kind not in "iuf":
            raise TypeError
        with np.errstate(over="ignore"):  # a longer float too large for ours is refused as infinite
            array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise InputError(
            f"`{name}` is not an array of real numbers; expected shape ({n},) or (..., {n}) for "
            f"robot {robot!r}."
        ) from None
    if array.ndim == 0 or array.shape[-1] != n:
        raise InputError(
            f"`{name}` has shape {array.shape}, expected ({n},) or (..., {n}) for robot {robot!r}."
        )
    if array.ndim > MOST_AXES:
        raise InputError(f"`{name}` has {array.ndim} axes, expected at most {MOST_AXES}.")
    if np.ma.is_masked(state):
        raise InputError(
            f"`{name}` has masked entries; a state must be complete. Drop or mend such rows first."
        )
    if not np.isfinite(array).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InputError(
            f"`{name}` has {array[at]} at index {at}; a state must be finite. Drop or mend such "
            "rows first."
        )
    return array


def _broadcast(
    arrays: Sequence[NDArray[np.float64]], names: Sequence[str]
) -> list[NDArray[np.float64]]:
    try:
        lead = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in zip(names, arrays, strict=True))
        raise InputError(f"the leading axes of the states do not broadcast: {shapes}.") from None
    return [np.broadcast_to(a, (*lead, a.shape[-1])) for a in arrays]
