"""Fastcalls: C functions that replace methods called with states only.

A method is a descriptor without `__set__`, so an instance attribute of the same name takes
precedence; `functools.cached_property` relies on this too. A fastcall is stored as such an
attribute. A `Function` is itself called; it has its C function in a field of the object, see
`Vectorcallable`.

A fastcall passes every unusual call to the method. Once the class of its owner has changed, it
passes all calls to the class, so a method that is patched or overridden later takes effect.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armdyn.arm._function import Function
    from armdyn.kernel.call._fastcall import Fallbacks


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

    def changed(owner: object, *states: Any, **options: Any) -> Any:
        if entries.get(name) is not fastcall:  # called by a reference that somebody has kept
            return method(owner, *states, **options)
        entries.pop(name, None)  # another thread may have been first
        return getattr(owner, name)(*states, **options)

    fallbacks = _fallbacks(type(owner), name, method, changed)
    if fallbacks is None:
        return
    fastcall = kernel.fastcall(
        fallbacks,
        owner=owner,
        name=name,
        doc=_described(method.__get__(owner)),
        largest=function.largest,
    )
    if fastcall is not None:
        entries[name] = fastcall


def install_vectorcall(
    function: Function, method: Callable[..., Any], changed: Callable[..., Any]
) -> None:
    """Let Python call a function by a C function, unless `__call__` is overridden or patched.

    Args:
        function: the function.
        method: `__call__` as originally defined in the class.
        changed: called with the function and the arguments after the class has changed.
    """
    kernel = function.kernel
    fallbacks = _fallbacks(type(function), "__call__", method, changed)
    if kernel is not None and fallbacks is not None:
        kernel.set_vectorcall(fallbacks, function, function.largest)


def _fallbacks(
    cls: type, name: str, method: Callable[..., Any], changed: Callable[..., Any]
) -> Fallbacks | None:
    """Return what fastcalls of a method call; None if the class has another method."""
    from armdyn.kernel.call._fastcall import Fallbacks, class_version

    version = class_version(cls)  # before the check, to notice a later change
    if not version or getattr(cls, name, None) is not method:
        return None
    return Fallbacks(method, changed, version)


def _described(method: Callable[..., Any]) -> str:
    """Return signature and docstring of a method in the text format of C functions."""
    given = inspect.signature(method)
    names = [x.replace(annotation=inspect.Parameter.empty) for x in given.parameters.values()]
    bare = given.replace(parameters=names, return_annotation=inspect.Signature.empty)
    return f"{method.__name__}{bare}\n--\n\n{inspect.getdoc(method) or ''}"
