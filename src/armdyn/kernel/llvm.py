"""LLVM: the only module that calls llvmlite, and only under `first_use`.

A fork waits for `first_use`, so LLVM and its locks are idle in the child. No object of llvmlite
leaves this module, since it would call LLVM wherever it is freed: functions close them, and an
`Engine` that is freed is closed under the lock. llvmlite is imported at the first use: importing
armdyn does not pay for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from typing import Any

from armdyn.errors import ArmdynError
from armdyn.fork_safe import first_use


@contextmanager
def _llvm() -> Generator[Any, None, None]:
    """Hold the lock and give `llvmlite.binding`; close engines that were freed meanwhile."""
    with first_use:
        binding = _binding()
        with suppress(IndexError):  # a finalizer may empty the list in between
            while _unused:
                _unused.pop().close()
        yield binding


@lru_cache(maxsize=1)
def _binding() -> Any:
    """Return `llvmlite.binding`, initialised for the local machine."""
    binding: Any = import_module("llvmlite.binding")  # it has no types
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    return binding


def llvm_identity() -> tuple[str, str, str]:
    """Return the versions of llvmlite and of LLVM itself, and the system that it makes code for.

    A folder of cached code may be shared by systems whose object files differ.
    """
    with _llvm() as binding:
        package: Any = import_module("llvmlite")
        return (
            str(package.__version__),
            str(binding.llvm_version_info),
            binding.get_process_triple(),
        )


def host_processor() -> tuple[str, dict[str, bool]]:
    """Return the name of this machine's processor and its features, as LLVM calls them."""
    with _llvm() as binding:
        try:
            features = dict(binding.get_host_cpu_features())
        except RuntimeError:  # LLVM does not detect them on every platform; use the name alone
            features = {}
        return str(binding.get_host_cpu_name()), features


def compile_ir(ir: str, **machine: Any) -> bytes:
    """Compile a module of IR to object code.

    Args:
        ir: the text of the module.
        machine: the processor and options, as llvmlite's `create_target_machine` takes them.
    """
    # LLVM keeps every constant as long as its context: a common one would grow with every arm.
    with (
        _llvm() as binding,
        binding.create_context() as context,
        binding.parse_assembly(ir, context) as module,
    ):
        module.verify()
        with _target_machine(binding, machine) as compiler:
            return bytes(compiler.emit_object(module))


class Engine:
    """Loaded machine code; it stays in memory as long as this object lives."""

    def __init__(self, **machine: Any) -> None:
        """Make an engine without code; for `machine` see `compile_ir`."""
        with _llvm() as binding:
            _check_execution(binding)
            # The engine owns its module and target machine: engines cannot share one.
            # Constants must be near the code that reads them: this memory manager places them so.
            with binding.parse_assembly("") as module, _target_machine(binding, machine) as made:
                self._engine = binding.create_mcjit_compiler(module, made, use_lmm=True)

    def add(self, object_code: bytes) -> None:
        """Load object code; a name of a function can be added only once."""
        with _llvm() as binding, binding.ObjectFileRef.from_data(object_code) as file:
            self._engine.add_object_file(file)
            self._engine.finalize_object()

    def address(self, function: str) -> int:
        """Return the address of a function."""
        with _llvm():
            return int(self._engine.get_function_address(function))

    def __del__(self, finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # An object may be freed anywhere, also where waiting for a lock would never end: if
        # another thread holds the lock, the next use of LLVM closes the engine.
        if not finalizing() and hasattr(self, "_engine"):  # at the end, modules may lose names
            _unused.append(self._engine)
            if first_use.acquire(blocking=False):
                try:
                    with _llvm():
                        pass
                finally:
                    first_use.release()


_unused: list[Any] = []


def _target_machine(binding: Any, machine: dict[str, Any]) -> Any:
    return binding.Target.from_default_triple().create_target_machine(jit=True, **machine)


def _check_execution(binding: Any) -> None:
    """Raise an error if this system does not let the process run code that it has made.

    LLVM does not notice: calling such code would end the process.
    """
    try:
        binding.check_jit_execution()
    except OSError as error:
        raise ArmdynError(
            f"armdyn compiles functions to machine code, and this system does not let the process "
            f"run it ({error.strerror or error}); allow it for Python (executable memory: "
            "MemoryDenyWriteExecute=no of systemd, execmem of SELinux, the entitlement allow-jit "
            "of macOS), or export the functions as C."
        ) from error
