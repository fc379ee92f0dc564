"""Locks that no other thread holds during a fork, so that the child finds them free.

A lock that another thread holds at a fork stays locked in the child, where that thread does not
exist. So a fork acquires these locks first: it waits until a first call in another thread has
traced, compiled and loaded its program, so that LLVM runs in no other thread. It also waits for
threads that import a module of armdyn: Python's own module locks have the same problem.
"""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager
from importlib import import_module
from threading import RLock, get_ident
from typing import Any

first_use = RLock()
"""Held while a program is traced, compiled or loaded."""

Lock = AbstractContextManager[bool]

# Seconds that a fork waits for imports. An import that waits for the forking thread never ends.
PATIENCE = 5.0

_brief: list[Any] = []
_taken: list[Any] = []


def brief_lock() -> Lock:
    """Return a new lock for code that acquires no other lock and releases this one soon."""
    lock = RLock()
    _brief.append(lock)
    return lock


def _take() -> None:
    give_up = time.monotonic() + PATIENCE
    while True:
        # in this order: a thread that holds `first_use` may wait for one of the others
        _taken[:] = [first_use, *_brief]
        for lock in _taken:
            lock.acquire()
        if not _others_import() or time.monotonic() > give_up:
            return
        _let_go()
        time.sleep(0.001)


def _others_import() -> bool:
    """Return whether another thread is importing a module of armdyn, as far as Python shows."""
    locks: dict[str, Any] = getattr(import_module("importlib._bootstrap"), "_module_locks", {})
    ours = [reference() for name, reference in list(locks.items()) if name.startswith("armdyn")]
    return any(getattr(lock, "owner", None) not in (None, get_ident()) for lock in ours)


def _let_go() -> None:
    for lock in reversed(_taken):
        lock.release()


if hasattr(os, "register_at_fork"):  # not on Windows, where processes do not fork
    os.register_at_fork(before=_take, after_in_parent=_let_go, after_in_child=_let_go)
