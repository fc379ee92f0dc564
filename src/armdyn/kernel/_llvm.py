"""LLVM, loaded and initialised on first use: importing armdyn does not pay for it."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from armdyn.errors import ArmdynError


@lru_cache(maxsize=1)
def llvm() -> Any:
    """Return `llvmlite.binding`, initialised for the local machine."""
    binding: Any = import_module("llvmlite.binding")  # it has no types
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    return binding


def check_execution() -> None:
    """Raise an error if this system does not let the process run code that it has made.

    LLVM does not notice: calling such code would end the process.
    """
    try:
        llvm().check_jit_execution()
    except OSError as error:
        raise ArmdynError(
            f"armdyn compiles functions to machine code, and this system does not let the process "
            f"run it ({error.strerror or error}); allow it for Python (executable memory: "
            "MemoryDenyWriteExecute=no of systemd, execmem of SELinux, the entitlement allow-jit "
            "of macOS), or export the functions as C."
        ) from error


def llvm_identity() -> tuple[str, str, str]:
    """Return the versions of llvmlite and of LLVM itself, and the system that it makes code for.

    A folder of cached code may be shared by systems whose object files differ.
    """
    package: Any = import_module("llvmlite")
    binding = llvm()
    return str(package.__version__), str(binding.llvm_version_info), binding.get_process_triple()
