"""Fastcalls: C functions that replace methods called with states only.

A method is a descriptor without `__set__`, so an instance attribute of the same name takes
precedence; `functools.cached_property` relies on this too. A fastcall is stored as such an
attribute. It passes every unusual call to the method. Once the class of its owner has changed, it
passes all calls to the class, so a method that is patched or overridden later takes effect.
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
    """Install a fastcall in an instance, unless the method is overridden or patched.

    Args:
        owner: the instance.
        name: of the method.
        method: the method as originally defined in the class.
        function: the function that the method evaluates if called with states only.
    """
    entries = vars(owner)
    kernel = function.kernel
    if kernel is None or name in entries:
        return
    from armdyn.kernel.call._fastcall import class_version

    version = class_version(type(owner))  # before the check, to notice a later change
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
    """Return signature and docstring of a method in the text format of C functions."""
    given = inspect.signature(method)
    names = [x.replace(annotation=inspect.Parameter.empty) for x in given.parameters.values()]
    bare = given.replace(parameters=names, return_annotation=inspect.Signature.empty)
    return f"{method.__name__}{bare}\n--\n\n{inspect.getdoc(method) or ''}"
