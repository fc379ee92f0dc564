"""Compile IR text to object code, and load object code as callable addresses.

The two steps are separate so that object code can be cached and loaded again. LLVM's IR passes do
not run: they gain nothing in straight-line code and cost time.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache, lru_cache
from typing import Any

from armdyn.kernel.element import LINK
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.llvm import Engine, compile_ir
from armdyn.kernel.targets.target import Target

# LLVM's optimisation levels. For long straight-line code the lower level compiles in an eighth less
# time, and the code is as fast within two percent. If such code is cut into blocks, the lower level
# takes another quarter less, but the higher level several times longer: it optimises spills.
EFFORT, LESS_EFFORT = 2, 1
LONG_TEXT = 240_000
CUT = "cut."  # prefix of the labels of such blocks


def compile_object(ir: str, target: Target) -> bytes:
    """Compile a module to object code for a target."""
    effort = LESS_EFFORT if len(ir) > LONG_TEXT or f"\n{CUT}" in ir else EFFORT
    return compile_ir(ir, **_machine(target, effort))


def load_object(object_code: bytes, target: Target) -> Engine:
    """Load the object code of a program into this process."""
    code = load_code(object_code, target)
    link = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(code.address(LINK))
    link(*library_functions())
    return code


def load_code(object_code: bytes, target: Target) -> Engine:
    """Load object code that does not call the C library."""
    engine = Engine(**_machine(target))
    engine.add(object_code)
    return engine


def load_for_good(object_code: bytes, codegen: Codegen) -> Engine:
    """Load object code that is never unloaded; the names of its functions must be unique.

    All such code of one element type shares an engine, which takes a twentieth of the time of a
    new one.
    """
    engine = _common_engine(codegen)
    engine.add(object_code)
    return engine


@cache
def _common_engine(codegen: Codegen) -> Engine:
    return Engine(**_machine(codegen.target))


def _machine(target: Target, effort: int = EFFORT) -> dict[str, Any]:
    # Far addresses would cost an extra instruction per constant.
    near = {"codemodel": "small", "reloc": "pic"} if target.near_code else {}
    return {"cpu": target.cpu, "features": target.features, "opt": effort, **near}


@lru_cache(maxsize=1)
def library_functions() -> tuple[int | None, ...]:
    """Return the addresses of the C library's functions, as `LINK` takes them."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    functions = (library.sin, library.cos, library.malloc, library.free)
    return tuple(ctypes.cast(f, ctypes.c_void_p).value for f in functions)
