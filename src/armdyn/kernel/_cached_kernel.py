"""Kernels whose object code is cached on disk: compiled once on a machine, then loaded."""

from __future__ import annotations

from armdyn.graph import Program, Rolled
from armdyn.kernel._kernel import Kernel, object_code
from armdyn.kernel._llvm import llvm_versions
from armdyn.kernel.cache._cache import default_cache, key
from armdyn.kernel.cache._identity import identity
from armdyn.kernel.targets import target


def kernel_key(program: Program | Rolled) -> str:
    """Return 64 hexadecimal digits that stand for the object code of a program on this machine."""
    return key(*identity(program, target()), *llvm_versions())


def cached_kernel(program: Program | Rolled) -> Kernel:
    """Return a program's kernel for this machine, from the cache if it is there.

    The key covers everything that determines the object code: the program, the processor, LLVM's
    version and the compiler's own source. So cached code is never out of date.
    """
    machine = target()
    name = kernel_key(program)
    cache = default_cache()
    code = cache.get(name) if cache else None
    if code is None:
        code = object_code(program, machine)
        if cache:
            cache.put(name, code)
    return Kernel(program, machine, code)
