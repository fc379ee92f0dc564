"""Where programs become numbers: machine code or, for very long programs, the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.graph import Program, interpret
from armdyn.kernel import Kernel, in_threads, kept_kernel, wanted_threads

Array = NDArray[np.float64]

# Compiling straight-line code takes time that grows faster than its length: some seconds here.
LONGEST_COMPILED = 15_000


class Evaluator:
    """Evaluates a program on arrays; compiles it, or loads what was compiled, at the first call."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def kernel(self) -> Kernel | None:
        """The machine code; None for a program that is too long to be worth compiling."""
        return kept_kernel(self.program) if len(self.program.code) <= LONGEST_COMPILED else None

    def __call__(
        self, arrays: Sequence[Array], out: Array | None = None, threads: int | None = None
    ) -> list[Array]:
        """Return one array for each output.

        Args:
            arrays: one for each input, of shape ``(..., n)`` with the same leading axes.
            out: receives the only output.
            threads: how many at the most; see `wanted_threads`.
        """
        workers = wanted_threads(threads)
        kernel = self.kernel
        lead = arrays[0].shape[:-1]
        if kernel is None:
            return self._copied(self._interpreted(arrays, lead), out)
        # several threads could overwrite what another one has still to read
        direct = out is not None and not any(np.may_share_memory(out, a) for a in arrays)
        outs = [out] if out is not None and direct else self._new(lead)

        def evaluate(inputs: Sequence[Array], results: Sequence[Array]) -> None:
            kernel(*inputs, out=tuple(results) if len(results) > 1 else results[0])

        in_threads(evaluate, arrays, outs, prod(lead), workers)
        return outs if direct else self._copied(outs, out)

    def _interpreted(self, arrays: Sequence[Array], lead: tuple[int, ...]) -> list[Array]:
        try:
            return interpret(self.program, *arrays)
        except (ZeroDivisionError, ValueError):  # a single state is computed in floats
            return [np.full_like(result, np.nan) for result in self._new(lead)]

    def _new(self, lead: tuple[int, ...]) -> list[Array]:
        return [np.empty((*lead, *slot.shape)) for slot in self.program.outputs]

    def _copied(self, results: list[Array], out: Array | None) -> list[Array]:
        if out is None:
            return results
        out[...] = results[0]
        return [out]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the program: who unpickles it compiles it for his machine."""
        return (Evaluator, (self.program,))
