"""IR text to object code, and object code to addresses that can be called.

The two are apart so that object code can be kept and loaded again. IR is compiled as it is: the
passes of LLVM that rewrite IR find nothing to gain in straight-line code and cost time.
"""

from __future__ import annotations

import ctypes
import sys
from functools import lru_cache
from typing import Any

from armdyn.kernel._host import Host
from armdyn.kernel._llvm import llvm
from armdyn.kernel._sincos import LINK


class Code:
    """Loaded machine code; it stays in memory as long as this object lives."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def address(self, function: str) -> int:
        """Return where a function begins."""
        return int(self._engine.get_function_address(function))


def compile_object(ir: str, host: Host) -> bytes:
    """Return the object code of a module for a machine."""
    module = llvm().parse_assembly(ir)
    module.verify()
    return bytes(_target_machine(host).emit_object(module))


def load_object(object_code: bytes, host: Host) -> Code:
    """Load object code into this process."""
    binding = llvm()
    # The engine owns its target machine: it cannot be shared with another one.
    # Constants have to be near the code that reads them: this memory manager sees to it.
    engine = binding.create_mcjit_compiler(
        binding.parse_assembly(""), _target_machine(host), use_lmm=True
    )
    engine.add_object_file(binding.ObjectFileRef.from_data(object_code))
    engine.finalize_object()
    code = Code(engine)
    link = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address(LINK))
    link(*_sine_and_cosine())
    return code


def _target_machine(host: Host) -> Any:
    # Far addresses would cost an instruction for every constant. On Windows there is no choice.
    near = {} if sys.platform == "win32" else {"codemodel": "small", "reloc": "pic"}
    target = llvm().Target.from_default_triple()
    return target.create_target_machine(
        cpu=host.cpu, features=host.features, opt=2, jit=True, **near
    )


@lru_cache(maxsize=1)
def _sine_and_cosine() -> tuple[int | None, ...]:
    """Return where the C library has them."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    return tuple(ctypes.cast(f, ctypes.c_void_p).value for f in (library.sin, library.cos))
