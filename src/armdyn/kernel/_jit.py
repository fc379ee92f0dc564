"""Compile IR text to object code, and load object code as callable addresses.

The two steps are separate so that object code can be cached and loaded again. LLVM's IR passes do
not run: they gain nothing in straight-line code and cost time.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from armdyn._fork_safe import first_use
from armdyn.kernel._llvm import check_execution, llvm
from armdyn.kernel._symbols import LINK
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.targets import Target

# LLVM's optimisation levels. For long straight-line code the lower level compiles in an eighth less
# time, and the code is as fast within two percent. If such code is cut into blocks, the lower level
# takes another quarter less, but the higher level several times longer: it optimises spills.
EFFORT, LESS_EFFORT = 2, 1
LONG_TEXT = 240_000
CUT = "cut."  # prefix of the labels of such blocks


class Code:
    """Loaded machine code; it stays in memory as long as this object lives."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def address(self, function: str) -> int:
        """Return the address of a function."""
        return int(self._engine.get_function_address(function))


class _OwnCode(Code):
    """Machine code in an engine of its own, which is closed together with it."""

    def __del__(self, finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not finalizing():  # bound above: at the end, modules may have no names left
            _unused.append(self._engine)
            _close_unused()


_unused: list[Any] = []


def _close_unused() -> None:
    """Close engines that are no longer used; leave it to a later call if a first call is under way.

    LLVM runs only under `first_use`, for which a fork waits. An object may be freed anywhere, also
    where waiting for a lock would never end.
    """
    if first_use.acquire(blocking=False):
        try:
            while _unused:
                _unused.pop().close()
        finally:
            first_use.release()


def compile_object(ir: str, target: Target) -> bytes:
    """Compile a module to object code for a target."""
    module = llvm().parse_assembly(ir)
    module.verify()
    effort = LESS_EFFORT if len(ir) > LONG_TEXT or f"\n{CUT}" in ir else EFFORT
    return bytes(_target_machine(target, effort).emit_object(module))


def load_object(object_code: bytes, target: Target) -> Code:
    """Load the object code of a program into this process."""
    code = load_code(object_code, target)
    link = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(code.address(LINK))
    link(*library_functions())
    return code


def load_code(object_code: bytes, target: Target) -> Code:
    """Load object code that does not call the C library."""
    _close_unused()
    return _OwnCode(_with(_engine(target), object_code))


def load_for_good(object_code: bytes, codegen: Codegen) -> Code:
    """Load object code that is never unloaded; the names of its functions must be unique.

    All such code of one element type shares an engine, which takes a twentieth of the time of a
    new one.
    """
    return Code(_with(_common_engine(codegen), object_code))


def _with(engine: Any, object_code: bytes) -> Any:
    engine.add_object_file(llvm().ObjectFileRef.from_data(object_code))
    engine.finalize_object()
    return engine


def _engine(target: Target) -> Any:
    binding = llvm()
    check_execution()
    # The engine owns its target machine: engines cannot share one.
    # Constants must be near the code that reads them: this memory manager places them there.
    return binding.create_mcjit_compiler(
        binding.parse_assembly(""), _target_machine(target), use_lmm=True
    )


@cache
def _common_engine(codegen: Codegen) -> Any:
    return _engine(codegen.target)


def _target_machine(target: Target, effort: int = EFFORT) -> Any:
    # Far addresses would cost an extra instruction per constant.
    near = {"codemodel": "small", "reloc": "pic"} if target.near_code else {}
    triple = llvm().Target.from_default_triple()
    return triple.create_target_machine(
        cpu=target.cpu, features=target.features, opt=effort, jit=True, **near
    )


@lru_cache(maxsize=1)
def library_functions() -> tuple[int | None, ...]:
    """Return the addresses of the C library's functions, as `LINK` takes them."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    functions = (library.sin, library.cos, library.malloc, library.free)
    return tuple(ctypes.cast(f, ctypes.c_void_p).value for f in functions)
