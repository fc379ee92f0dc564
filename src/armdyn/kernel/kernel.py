"""Compile a program to its kernel, machine code that is called with arrays; cached on disk."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from numpy.typing import ArrayLike

from armdyn.checks import LARGEST_FLOAT
from armdyn.fork_safe import first_use
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.batch_ir import CheckedBatchLoop
from armdyn.kernel.cache import default_cache, key
from armdyn.kernel.cached import identity
from armdyn.kernel.call.fastcall import Fallbacks, KernelEntry, set_vectorcall
from armdyn.kernel.call.gufunc import Result, chunk_loop, make_loop
from armdyn.kernel.call.vectorcall import Vectorcallable
from armdyn.kernel.element import DOUBLE, LOOP, ONE, ORDINARY, STREAMING, ElementType
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.jit import compile_object, load_code, load_object
from armdyn.kernel.llvm import Engine, llvm_identity
from armdyn.kernel.streaming import streams
from armdyn.kernel.strided_loop import takes_any_strides
from armdyn.kernel.targets.choice import target
from armdyn.kernel.targets.choice import target as default_target
from armdyn.kernel.targets.target import Target

# Compile a program to its kernel: machine code that is called with arrays.


def compile_program(
    program: Program | Rolled, *, target: Target | None = None, element: ElementType = DOUBLE
) -> Kernel:
    """Compile a program to machine code.

    ``Kernel(program, codegen, code)`` makes the same kernel from cached object code.

    Args:
        program: traced and verified; straight-line or rolled.
        target: the machine to compile for; default is the local one.
        element: the type of the numbers.
    """
    codegen = Codegen(target or default_target(), element)
    return Kernel(program, codegen, object_code(program, codegen))


def object_code(program: Program | Rolled, codegen: Codegen) -> bytes:
    """Compile a program to object code for a target and an element type."""
    return compile_object(program_ir(program, codegen), codegen.target)


def program_ir(program: Program | Rolled, codegen: Codegen) -> str:
    """Return a program as LLVM IR."""
    # imported here: loading cached code needs no emitter, whose modules take 10 ms
    if isinstance(program, Rolled):
        from armdyn.kernel.rolled.emit import emit_rolled

        return emit_rolled(program, codegen)
    from armdyn.kernel.straight.emit import emit

    return emit(program, codegen)


class Kernel:
    """A program as machine code.

    Attributes:
        program: the program it computes.
        target: the machine it is compiled for.
        element: the type of its numbers.
        object_code: the machine code before loading; other processes can load it too.
        any_strides: whether its inner loop accepts arrays of any strides, including inputs that
            states share.
        checked_loop: the inner loop over batches, which checks inputs and results.
    """

    def __init__(self, program: Program | Rolled, codegen: Codegen, object_code: bytes) -> None:
        self.program = program
        self.target = codegen.target
        self.element = codegen.element
        self.object_code = object_code
        self._codegen = codegen
        self._code = load_object(object_code, codegen.target)
        self.any_strides = takes_any_strides(program, codegen)
        # Looked up here: a property would hold a lock of its own (Python 3.11) and wait for LLVM's.
        address = self._code.address
        self._address, self._one = address(LOOP), address(ONE)
        safe_magnitude = ctypes.CFUNCTYPE(ctypes.c_int64)(address(ORDINARY))()
        streaming = address(STREAMING) if streams(program, codegen) else None
        self.checked_loop = CheckedBatchLoop(
            program, codegen, self._address, safe_magnitude, streaming
        )
        self._xla_code: Engine | None = None
        self._loop = make_loop(program, self.element, self._address, any_strides=self.any_strides)
        self._function = self._loop.function

    @property
    def width(self) -> int:
        """Number of states that are computed together."""
        return self._codegen.width

    @cached_property
    def ir(self) -> str:
        """The program as LLVM IR."""
        return program_ir(self.program, self._codegen)

    def __call__(self, *arrays: ArrayLike, out: Any = None) -> Result:
        """Evaluate at one state or many.

        Args:
            arrays: one for each input, of shape ``(..., *slot.shape)``; leading axes broadcast.
            out: an array that receives the result; a tuple of arrays if there are several results.

        Returns:
            An array with the broadcast leading axes of the inputs; a tuple if there are several.
        """
        return self._function(*arrays) if out is None else self._function(*arrays, out=out)

    def chunks(self, arrays: Sequence[Any], rows: int) -> Callable[[int], None]:
        """Return a function that computes one chunk of rows of dense arrays: see `chunk_loop`."""
        return chunk_loop(self.program, self.element, self._address, arrays, rows, owner=self)

    def set_vectorcall(
        self, fallbacks: Fallbacks, called: Vectorcallable, largest: float = LARGEST_FLOAT
    ) -> bool:
        """Let Python call an object by a C function for plain states; say whether it can be.

        See `set_vectorcall`; states with a number larger than `largest` are not plain.
        """
        one, batch = self._one, self.checked_loop
        entry = KernelEntry(self.program, self.element, one, batch, self, largest)
        return set_vectorcall(entry, fallbacks, called)

    @property
    def xla_handler(self) -> int:
        """Address of the function by which XLA calls the kernel; valid while this object lives."""
        from armdyn.kernel.call.xla import HANDLER, handler_ir  # for the extra JAX alone

        with first_use:
            if self._xla_code is None:
                ir = handler_ir(self.program, self._address, self._codegen)
                self._xla_code = load_code(compile_object(ir, self.target), self.target)
            return self._xla_code.address(HANDLER)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the program; unpickling compiles it for the local machine."""
        return (partial(compile_program, element=self.element), (self.program,))

    def __repr__(self) -> str:
        what = f"{self.program.name}, {len(self.object_code)} bytes"
        return f"<Kernel {what}, {self.element.name}, width {self.width}>"


# Kernels whose object code is cached on disk: compiled once on a machine, then loaded.


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
