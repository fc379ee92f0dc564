"""Quick calls: C functions that Python calls in place of functions and methods of arms.

A `Function`, and what an arm hands out as its method, has a C function in a field of the object
(see `Vectorcallable`), from its first call on. It takes plain arrays. Other states, such as lists,
are made such arrays and given to it once more; all else is left to Python.

Once the class of an arm has changed, all calls go to the class, so a method that is patched or
overridden later takes effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from math import prod
from types import MethodType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import ArmdynError
from armdyn.fork_safe import first_use
from armdyn.kernel.batch import LEAST_STATES, as_rows
from armdyn.kernel.call.vectorcall import Vectorcallable, has_function, set_function
from armdyn.programs.arguments import DOUBLE, SINGLE, check_state_shape, common_lead

if TYPE_CHECKING:
    from armdyn.arm.function import Function
    from armdyn.graph.program import Slot

LARGEST_SINGLE = float(np.finfo(np.float32).max)
# Types of numbers that become those of an array without being looked at.
NUMBERS = frozenset((float, int, np.float64))


def plain_states(
    states: Sequence[Any], slots: Sequence[Slot], dtype: np.dtype[Any]
) -> tuple[list[NDArray[Any]], tuple[int, ...] | None] | None:
    """Return states as arrays of one or two axes, if that is exact and makes a difference.

    Lists and tuples of numbers become arrays, as do arrays of shorter numbers.

    Returns:
        The arrays, and the leading axes of their results if they have been made one axis; None if
        the states are plain already, or have to be looked at more closely.

    Raises:
        InputError: a state has a wrong shape.
    """
    if len(states) != len(slots):
        return None
    given: list[NDArray[Any]] = []
    most, differ = 0, False
    for state in states:
        array = _plain(state, dtype)
        if array is None:
            return None
        given.append(array)
        most = max(most, array.ndim)
        differ |= array is not state
    if most <= 2:
        return (given, None) if differ else None
    for array, slot in zip(given, slots, strict=True):
        check_state_shape(array.shape, slot.name, slot.size, "")
    lead = common_lead(given, [slot.name for slot in slots])
    # of more, no rows are made before memory is looked at; of none, a state for all is looked at
    few = 0 < prod(lead) < 2 * LEAST_STATES
    return ([as_rows(array, lead) for array in given], lead) if few else None


def _plain(state: object, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Return a state as an array, if that is exact; None if it has to be looked at more closely."""
    if type(state) is np.ndarray:
        given, found, flags = state, state.dtype, state.flags
        if found == dtype:
            plain = flags.aligned and (given.ndim != 1 or flags.c_contiguous)
            return given if plain else given.copy()
        short = np.can_cast(found, SINGLE, "safe") if dtype == SINGLE else found.itemsize <= 8
        return given.astype(dtype) if short and found.kind in "iuf" else None
    if type(state) is not list and type(state) is not tuple:
        return None
    items = cast("Sequence[Any]", state)
    rows = items if items and type(items[0]) in (list, tuple) else (items,)
    try:
        if all(NUMBERS.issuperset(map(type, row)) for row in rows):
            array = np.array(items, DOUBLE)
            if dtype == DOUBLE:
                return array
            return array.astype(SINGLE) if (np.abs(array) <= LARGEST_SINGLE).all() else None
    except (TypeError, ValueError, OverflowError):  # rows of unequal length, or too large a number
        pass
    return None


class Quick(Vectorcallable):
    """An object that Python calls by a C function from its first call on."""

    @property
    def computes(self) -> Function:
        """The function that it calls."""
        """What is evaluated if the object is called with states only."""
        raise NotImplementedError

    def __call__(self, *states: Any, **options: Any) -> Any:
        """Evaluate at any states, in Python; raise the error if something is wrong with them."""
        raise NotImplementedError

    def _unusual(self, *states: Any, **options: Any) -> Any:
        """Evaluate at states that the C function does not take as they are."""
        function = self.computes
        if not options or (len(options) == 1 and "out" in options):
            try:
                plain = plain_states(states, function.program.inputs, function.dtype)
                if plain is not None:
                    arrays, lead = plain
                    if lead is None:
                        return self(*arrays, **options)
                    if options.get("out") is None:
                        return _with_lead(self(*arrays), lead)
            except ArmdynError:
                pass  # below it is raised anew, with the states as they were given
        return type(self).__call__(self, *states, **options)

    def _changed(self, *states: Any, **options: Any) -> Any:
        """Call the object as its class, which has changed, says."""
        set_function(self, 0)
        return self(*states, **options)

    def _install(self, owner: object, name: str, method: object) -> None:
        """Let Python call the C function, unless a method is overridden or patched.

        Args:
            owner: the object whose method it is.
            name: of the method.
            method: the method as originally defined in the class.
        """
        from armdyn.kernel.call.fastcall import Fallbacks, class_version

        version = class_version(type(owner))  # before the check, to notice a later change
        if not version or getattr(type(owner), name, None) is not method:
            return
        with first_use:
            kernel = self.computes.kernel
            if kernel is not None:
                fallbacks = Fallbacks(Quick._unusual, Quick._changed, owner, version)
                kernel.set_vectorcall(fallbacks, self, self.computes.largest)


def _with_lead(results: Any, lead: tuple[int, ...]) -> Any:
    if isinstance(results, tuple):
        return tuple(_with_lead(result, lead) for result in cast("tuple[Any, ...]", results))
    return results.reshape(*lead, *results.shape[1:])


class Method(Quick):
    """A method of an object, bound to it; like any bound method but for the way it is called."""

    __self__: object
    __func__: Callable[..., Any]
    __name__: str
    _function: Function

    def __init__(self, function: Callable[..., Any], owner: object) -> None:
        update_wrapper(self, MethodType(function, owner))
        self.__func__, self.__self__ = function, owner

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call the method of the class; from its second call on, C code answers."""
        owner, name, function = self.__self__, self.__name__, self.__func__
        entries = vars(owner)
        if getattr(type(owner), name, None) is not function:  # patched since
            if entries.get(name) is self:
                entries.pop(name, None)  # another thread may have been first
                return getattr(owner, name)(*args, **options)
        elif (current := entries.setdefault(name, self)) is not self and type(current) is Method:
            return current(*args, **options)
        return function(owner, *args, **options)

    @property
    def computes(self) -> Function:
        """The function that it calls."""
        return self._function

    def install(self, function: Function) -> None:
        """Let Python call the C function of what the method evaluates with states only."""
        if not has_function(self):
            self._function = function
            self._install(self.__self__, self.__name__, self.__func__)

    def __get__(self, instance: object, cls: type | None = None) -> Method:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (getattr, (self.__self__, self.__name__))

    def __repr__(self) -> str:
        return f"<bound method {self.__func__.__qualname__} of {self.__self__!r}>"
