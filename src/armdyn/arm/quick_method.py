"""Methods of arms whose calls become quick; what makes them so is imported when one is taken."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType, MethodType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


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
        from armdyn.arm.install_fastcall import Method

        return vars(instance).setdefault(function.__name__, Method(function, instance))


def quick(method: F) -> F:
    """Make the calls of a method quick: instances hand it out as a `Method`."""
    return cast(F, _QuickMethod(method))


def is_own_method(name: str, value: object, owner: object) -> bool:
    """Return whether an attribute is a method that an object has handed out."""
    from armdyn.arm.install_fastcall import Method

    return isinstance(value, Method) and value.__self__ is owner and value.__name__ == name
