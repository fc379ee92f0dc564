"""Fastcalls: C functions in the place of methods that are called with states only.

A method of a class is a descriptor without `__set__`, so an entry of that name in the instance
comes first: that is how the value of a `functools.cached_property` is found, and so is the fastcall
of an arm's method. The fastcall leaves every unusual call to the method itself. Once the class of
its owner has changed it leaves all calls to the class, so a method that is patched or overridden
later is the one that is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armdyn.arm._function import Function


def install_fastcall(
    owner: object, name: str, method: Callable[..., Any], function: Function
) -> None:
    """Leave a fastcall in an instance, unless its class has another method of that name.

    Args:
        owner: the instance.
        name: of the method.
        method: what the name stands for in the class as it is defined.
        function: what the method evaluates if it is given states only.
    """
    entries = vars(owner)
    kernel = function.kernel
    if kernel is None or name in entries:
        return
    from armdyn.kernel.call._fastcall import class_version

    version = class_version(type(owner))  # before the next line: a later change is noticed
    if not version or getattr(type(owner), name, None) is not method:
        return

    def slow(*states: Any, **options: Any) -> Any:
        if entries.get(name) is not fastcall or class_version(type(owner)) == version:
            return method(owner, *states, **options)
        entries.pop(name, None)  # another thread may have been first
        return getattr(owner, name)(*states, **options)

    fastcall = kernel.fastcall(
        slow,
        owner=owner,
        name=name,
        doc=described(method.__get__(owner)),
        version=version,
        largest=function.largest,
    )
    if fastcall is not None:
        entries[name] = fastcall


def described(method: Callable[..., Any]) -> str:
    """Return the signature and the docstring of a method as C functions carry them."""
    given = inspect.signature(method)
    names = [x.replace(annotation=inspect.Parameter.empty) for x in given.parameters.values()]
    bare = given.replace(parameters=names, return_annotation=inspect.Signature.empty)
    return f"{method.__name__}{bare}\n--\n\n{inspect.getdoc(method) or ''}"
