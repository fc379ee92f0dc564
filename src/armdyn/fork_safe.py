"""Locks that no other thread holds during a fork, so that the child finds them free.

A lock that another thread holds at a fork stays locked in the child, where that thread does not
exist. So a fork acquires these locks first: it waits until a first call in another thread has
traced, compiled and loaded its program, so that LLVM runs in no other thread. It also waits for
threads that call LLVM through llvmlite without armdyn, as Numba does, and for threads that import a
module: Python's own module locks have the same problem.
"""

from __future__ import annotations

import _imp
import os
import sys
import time
from contextlib import AbstractContextManager
from functools import cached_property
from importlib import import_module
from threading import RLock, get_ident
from typing import Any

# Held while a program is traced, compiled or loaded, and at every call of LLVM.
first_use = RLock()

Lock = AbstractContextManager[bool]

# Seconds that a fork waits while imports make no progress: one that waits for the forking thread
# never ends. On a busy machine, a module may take seconds.
PATIENCE_SECONDS = 30.0

_module_locks: dict[str, Any] = getattr(import_module("importlib._bootstrap"), "_module_locks", {})
_brief: list[Any] = []
_taken: list[Any] = []
_endless: set[str] = set()  # modules whose import a fork has once waited for in vain


def brief_lock() -> Lock:
    """Return a new lock for code that acquires no other lock and releases this one soon."""
    lock = RLock()
    _brief.append(lock)
    return lock


def _take() -> None:
    progress, since = None, 0.0
    while True:
        # in this order: a thread that holds `first_use` may wait for one of the others
        _taken[:] = [first_use, *_brief, *_locks_of_llvmlite()]
        for lock in _taken:
            lock.acquire()
        _imp.acquire_lock()  # no thread begins an import from now on
        imports = _imports_of_others()
        if progress != (imports, len(sys.modules)):
            progress, since = (imports, len(sys.modules)), time.monotonic()
        elif time.monotonic() - since > PATIENCE_SECONDS:
            _endless.update(imports)
        if imports <= _endless and len(_taken) == 1 + len(_brief) + len(_locks_of_llvmlite()):
            return
        _let_go()
        time.sleep(0.001)


def _locks_of_llvmlite() -> list[Any]:
    """Return the lock under which llvmlite calls LLVM, if llvmlite is imported."""
    library = getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None)
    lock = getattr(getattr(library, "_lock", None), "_lock", None)
    return [lock] if hasattr(lock, "acquire") else []


def _imports_of_others() -> set[str]:
    """Return the modules that other threads are importing, as far as Python shows.

    A lock exists as long as a thread acquires, holds or releases it; it shows an owner in between.
    """
    locks = [(name, found()) for name, found in list(_module_locks.items())]
    return {name for name, lock in locks if lock and getattr(lock, "owner", None) != get_ident()}


def _let_go() -> None:
    _imp.release_lock()
    for lock in reversed(_taken):
        lock.release()


def _in_child() -> None:
    _let_go()
    if sys.version_info < (3, 12):  # later, a `cached_property` has no lock
        _free_properties()


def _free_properties() -> None:
    """Give every cached property of armdyn a new lock: another thread may have held the old."""
    modules = [module for name, module in sys.modules.items() if name.startswith("armdyn")]
    classes = {x for module in modules for x in vars(module).values() if isinstance(x, type)}
    for found in [x for cls in classes for x in vars(cls).values()]:
        if isinstance(found, cached_property):
            found.lock = RLock()  # pyright: ignore[reportAttributeAccessIssue]


if hasattr(os, "register_at_fork"):  # not on Windows, where processes do not fork
    os.register_at_fork(before=_take, after_in_parent=_let_go, after_in_child=_in_child)
