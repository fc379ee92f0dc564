"""Quick ways in for one state, in the place of methods that are called without options.

A call that is out of the ordinary in any way goes through the door to the method itself, so that
doors change nothing but the time.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armdyn.arm._function import Function


def install_fastcall(
    function: Function, owner: object, method: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a method by its door, or the method itself where there is none.

    Args:
        function: what the method calls if it is given states only; compiled already.
        owner: whose method it is.
        method: bound to its owner.
    """
    kernel = function.kernel
    if kernel is None:
        return method
    name = method.__name__
    fastcall = kernel.fastcall(method, owner=owner, name=name, doc=_described(method))
    return fastcall or method


def install_in_function(function: Function, plain: type[Function]) -> None:
    """Let a function be called by its door, if there is one.

    Python looks for `__call__` in the class of what is called: the function gets one of its own.
    A function of a class that is made of `plain` keeps it, for that may do more.
    """
    if type(function) is not plain:
        return
    method = MethodType(plain.__call__, function)
    fastcall = install_fastcall(function, function, method)
    if fastcall is method:
        return

    def reduce(self: Function) -> tuple[Any, ...]:
        return (_unopened, (plain,), self.__getstate__())

    words = ("__module__", "__qualname__", "__doc__")
    members = {word: getattr(plain, word) for word in words}
    members |= {
        "__call__": fastcall,
        "__reduce__": reduce,
        "__signature__": inspect.signature(method),
    }
    function.__class__ = type(plain.__name__, (plain,), members)


def _unopened(plain: type[Function]) -> Function:
    return plain.__new__(plain)


def _described(method: Callable[..., Any]) -> str:
    """Return the signature and the words of a method as functions of C carry them."""
    given = inspect.signature(method)
    names = [x.replace(annotation=inspect.Parameter.empty) for x in given.parameters.values()]
    bare = given.replace(parameters=names, return_annotation=inspect.Signature.empty)
    return f"{method.__name__}{bare}\n--\n\n{inspect.getdoc(method) or ''}"
