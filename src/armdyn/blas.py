"""Threads of NumPy's linear algebra library.

OpenBLAS starts its threads for matrices of a hundred rows, and they spin while they wait for work:
on small matrices they take many times the processor time of the work itself, and slow down
everything else on a busy machine.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache

from armdyn.fork_safe import brief_lock

# Names of the functions in NumPy's wheels, and in other builds.
PREFIXES = ("scipy_", "")
SUFFIXES = ("64_", "")


@cache
def _thread_functions() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Return what gets and what sets the number of threads; None if it is not OpenBLAS."""
    file = importlib.import_module("numpy.linalg._umath_linalg").__file__
    try:
        library = ctypes.CDLL(file)
    except (OSError, TypeError):
        return None
    for prefix in PREFIXES:
        for suffix in SUFFIXES:
            names = (f"{prefix}openblas_{what}_num_threads{suffix}" for what in ("get", "set"))
            get, put = (getattr(library, name, None) for name in names)
            if get is not None and put is not None:
                put.restype = None
                return get, put
    return None


class _Users:
    """How many computations want one thread, and the number of threads before the first."""

    lock, count, threads = brief_lock(), 0, 1


@contextmanager
def one_blas_thread() -> Generator[None]:
    """Run a computation on small matrices with one thread of OpenBLAS; restore theirs afterwards.

    The number of threads belongs to the process, so it is restored after the last computation.
    """
    functions = _thread_functions()
    if functions is None:
        yield
        return
    get, put = functions
    with _Users.lock:
        if not _Users.count:
            _Users.threads = get()
            put(1)
        _Users.count += 1
    try:
        yield
    finally:
        with _Users.lock:
            _Users.count -= 1
            if not _Users.count:
                put(_Users.threads)
