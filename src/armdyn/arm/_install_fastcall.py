"""Quick calls: C functions that Python calls in place of functions and methods of arms.

A `Function`, and what an arm hands out as its method, has a C function in a field of the object
(see `Vectorcallable`), from its first call on. It takes plain arrays. Other states, such as lists,
are made such arrays and given to it once more; all else is left to Python.

Once the class of an arm has changed, all calls go to the class, so a method that is patched or
overridden later takes effect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from armdyn._fork_safe import first_use
from armdyn.arm._arguments import plain_states
from armdyn.errors import ArmdynError
from armdyn.kernel.call._vectorcall import Vectorcallable, set_function

if TYPE_CHECKING:
    from armdyn.arm._function import Function

F = TypeVar("F", bound=Callable[..., Any])


class Quick(Vectorcallable):
    """An object that Python calls by a C function from its first call on."""

    @property
    def computes(self) -> Function:
        """What is evaluated if the object is called with states only."""
        raise NotImplementedError

    def __call__(self, *states: Any, **options: Any) -> Any:
        """Evaluate at any states, in Python; raise the error if something is wrong with them."""
        raise NotImplementedError

    def _unusual(self, *states: Any, **options: Any) -> Any:
        """Evaluate at states that the C function does not take as they are."""
        function = self.computes
        if not options or (len(options) == 1 and "out" in options):
            plain = plain_states(states, function.program.inputs, function.dtype)
            if plain is not None:
                arrays, lead = plain
                try:
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
        from armdyn.kernel.call._fastcall import Fallbacks, class_version

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
        return self._function

    def install(self, function: Function) -> None:
        """Let Python call the C function of what the method evaluates with states only."""
        self._function = function
        self._install(self.__self__, self.__name__, self.__func__)

    def __get__(self, instance: object, cls: type | None = None) -> Method:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (getattr, (self.__self__, self.__name__))

    def __repr__(self) -> str:
        return f"<bound method {self.__func__.__qualname__} of {self.__self__!r}>"


class _QuickMethod:
    """A method whose class hands out the function, and whose instances hand out a `Method`.

    It is a descriptor without `__set__`, so an instance attribute of the same name takes
    precedence; `functools.cached_property` relies on this too. The `Method` is stored as such an
    attribute: whoever has taken it has the object that later becomes quick. To tools that look into
    the class, such as `unittest.mock`, it is a function.
    """

    __class__ = FunctionType  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._function(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_function"), name)

    def __get__(self, instance: object, cls: type | None = None) -> Callable[..., Any]:
        function = self._function
        if instance is None:
            return function
        if getattr(type(instance), function.__name__, None) is not function:
            return MethodType(function, instance)  # overridden, and called by `super()`
        return vars(instance).setdefault(function.__name__, Method(function, instance))


def quick(method: F) -> F:
    """Make the calls of a method quick: instances hand it out as a `Method`."""
    return cast(F, _QuickMethod(method))


def is_own_method(name: str, value: object, owner: object) -> bool:
    """Return whether an attribute is a method that an object has handed out."""
    return isinstance(value, Method) and value.__self__ is owner and value.__name__ == name
