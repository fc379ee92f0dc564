"""A program that another library calls: its machine code, and its derivatives in both modes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.fork_safe import first_use
from armdyn.graph.derive import jvp_program, vjp_program
from armdyn.graph.interpret import interpret
from armdyn.graph.program import Program, Slot
from armdyn.kernel.batch import LEAST_STATES
from armdyn.kernel.element import ELEMENTS
from armdyn.kernel.kernel import kernel_key
from armdyn.programs.arguments import DOUBLE
from armdyn.programs.evaluate import Evaluator

# Batches with fewer states run in one thread, where checks in Python would take longer than some.
MANY_STATES = 2 * LEAST_STATES


class KernelOp:
    """A program as an operation on flat arrays ``(..., size)``, one for each input.

    Attributes:
        program: the program; its inputs are vectors.
        name: a name that no other program has, in this or in another process.
        dtype: the type of all numbers.
        evaluate: its machine code.
        primal: the program whose `jvp` this one is, if it is one.
    """

    def __init__(
        self, program: Program, name: str, dtype: np.dtype[Any], primal: KernelOp | None = None
    ) -> None:
        self.program = program
        self.name = name
        self.dtype = dtype
        self.evaluate = Evaluator(program, ELEMENTS[dtype.char])
        self.primal = primal

    @cached_property
    def vjp(self) -> KernelOp:
        """The gradient: of the inputs and a flat cotangent for each output."""
        with first_use:
            return kernel_op_of(vjp_program(self.program), self.dtype)

    @cached_property
    def jvp(self) -> KernelOp:
        """The derivative along a direction: of the inputs and a flat tangent for each."""
        with first_use:
            program = jvp_program(self.program)
            return KernelOp(program, _name(program, self.dtype), self.dtype, self)

    def unchecked(self, arrays: Sequence[Array], threads: int) -> list[Array]:
        """Evaluate at arrays ``(*lead, size)``; numbers that are not finite pass through."""
        lead = arrays[0].shape[:-1]
        kernel = self.evaluate.kernel
        if kernel is None or prod(lead) >= MANY_STATES:
            found = self.evaluate(arrays, lead, threads=threads)
            if found.inputs_within:
                return found.results
        with np.errstate(all="ignore"):
            if kernel is None:
                return [x.astype(self.dtype) for x in interpret(self.program, *arrays)]
            results = kernel(*arrays)
        return list(results) if isinstance(results, tuple) else [np.asarray(results)]


_kernel_ops: dict[str, KernelOp] = {}


def kernel_op_of(program: Program, dtype: np.dtype[Any] = DOUBLE) -> KernelOp:
    """Return the operation of a program; the same object for equal programs.

    Libraries keep operations for good, so these are kept too.
    """
    flat = replace(program, inputs=tuple(Slot(s.name, (s.size,)) for s in program.inputs))
    name = _name(flat, dtype)
    return _kernel_ops.setdefault(name, KernelOp(flat, name, dtype))


def _name(program: Program, dtype: np.dtype[Any]) -> str:
    return f"{program.name}_{kernel_key(program, ELEMENTS[dtype.char])[:32]}"
