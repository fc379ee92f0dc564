"""Machine code that serves all programs: compiled once, and cached on disk."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from armdyn._fork_safe import first_use
from armdyn.kernel._element import ElementType
from armdyn.kernel._jit import compile_object, load_for_good
from armdyn.kernel._llvm import Engine, llvm_identity
from armdyn.kernel.cache._cache import default_cache, key
from armdyn.kernel.cache._identity import HERE
from armdyn.kernel.cache._source_digest import source_digest
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.targets import target


def common_code(element: ElementType, write: str, modules: tuple[str, ...], *given: int) -> Engine:
    """Return a self-contained module of LLVM IR, loaded for the lifetime of the process.

    Args:
        element: the type of the numbers.
        write: the function that returns the IR, as "module:name" within `armdyn.kernel`; it is
            imported and called if the code is not in the cache.
        modules: the modules whose source determines the IR.
        given: the arguments of `write` besides the target and element type.
    """
    with first_use:  # a name can be loaded only once: no two threads may load the same name
        return _common_code(element, write, modules, *given)


@cache
def _common_code(element: ElementType, write: str, modules: tuple[str, ...], *given: int) -> Engine:
    codegen = Codegen(target(), element)
    text = source_digest(HERE, modules)
    name = key("common", text, write, repr(given), repr(codegen), *llvm_identity())
    folder = default_cache()
    code = folder.get(name) if folder else None
    if code is None:
        module, _, function = write.partition(":")
        ir = getattr(import_module(f"{HERE}.{module}"), function)(codegen, *given)
        code = compile_object(ir, codegen.target)
        if folder:
            folder.put(name, code)
    return load_for_good(code, codegen)
