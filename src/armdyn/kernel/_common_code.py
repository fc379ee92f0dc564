"""Machine code that belongs to no program: made once for all of them, and kept on disk."""

from __future__ import annotations

from functools import cache

from armdyn.kernel._cache import default_cache, key
from armdyn.kernel._host import host
from armdyn.kernel._jit import Code, compile_object, load_code
from armdyn.kernel._llvm import llvm_versions


@cache
def common_code(text: str) -> Code:
    """Return a module of LLVM IR that needs nothing from outside, loaded to stay in memory."""
    machine = host()
    name = key("common", text, repr(machine), *llvm_versions())
    folder = default_cache()
    code = folder.get(name) if folder else None
    if code is None:
        code = compile_object(text, machine)
        if folder:
            folder.put(name, code)
    return load_code(code, machine)
