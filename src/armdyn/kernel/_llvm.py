"""LLVM, loaded and initialised on first use: importing armdyn does not pay for it."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any


@lru_cache(maxsize=1)
def llvm() -> Any:
    """Return `llvmlite.binding`, initialised for the local machine."""
    binding: Any = import_module("llvmlite.binding")  # it has no types
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    return binding


def llvm_versions() -> tuple[str, str]:
    """Return the versions of llvmlite and of LLVM itself."""
    package: Any = import_module("llvmlite")
    return str(package.__version__), str(llvm().llvm_version_info)
