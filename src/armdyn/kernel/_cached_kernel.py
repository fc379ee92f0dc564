"""Kernels whose object code is cached on disk: compiled once on a machine, then loaded."""

from __future__ import annotations

from armdyn.graph import Program, Rolled
from armdyn.kernel._element import DOUBLE, ElementType
from armdyn.kernel._kernel import Kernel, object_code
from armdyn.kernel._llvm import llvm_identity
from armdyn.kernel.cache._cache import default_cache, key
from armdyn.kernel.cache._identity import identity
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.targets import target


def kernel_key(program: Program | Rolled, element: ElementType = DOUBLE) -> str:
    """Return 64 hexadecimal digits that stand for the object code of a program on this machine."""
    return _key(program, Codegen(target(), element))


def cached_kernel(program: Program | Rolled, element: ElementType = DOUBLE) -> Kernel:
    """Return a program's kernel for this machine, from the cache if it is there.

    The key covers everything that determines the object code: the program, the type of its
    numbers, the processor, LLVM's version and the compiler's own source. So cached code is never
    out of date.
    """
    codegen = Codegen(target(), element)
    name = _key(program, codegen)
    cache = default_cache()
    code = cache.get(name) if cache else None
    if code is None:
        code = object_code(program, codegen)
        if cache:
            cache.put(name, code)
    return Kernel(program, codegen, code)


def _key(program: Program | Rolled, codegen: Codegen) -> str:
    return key(*identity(program, codegen), *llvm_identity())
