"""Evaluate programs: by machine code or, for very long programs, by the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import LARGEST_FLOAT
from armdyn.fork_safe import first_use
from armdyn.graph.interpret import interpret
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.batch import Batch, all_finite, all_within, new_rows, wanted_threads
from armdyn.kernel.element import DOUBLE, ElementType
from armdyn.kernel.kernel import Kernel, cached_kernel

# Longest program (steps plus results) that is compiled. Compile time grows faster than the length:
# some seconds here.
LONGEST_COMPILED = 15_000


class Outcome(NamedTuple):
    """The outcome of an evaluation.

    Attributes:
        results: one array for each output; none if an input is too large or not finite.
        inputs_within: whether all inputs are finite and within the bound `largest`.
        results_finite: whether all results are finite.
    """

    results: list[Array]
    inputs_within: bool
    results_finite: bool


class Evaluator:
    """Evaluates a program on arrays; compiles it or loads it from the cache at the first call.

    Args:
        program: the program.
        element: the type of the numbers of all arrays.
    """

    def __init__(self, program: Program | Rolled, element: ElementType = DOUBLE) -> None:
        self.program = program
        self.element = element
        self._kernel: Kernel | None = None

    @property
    def kernel(self) -> Kernel | None:
        """The machine code; None for a program that is too long to be worth compiling."""
        if self._kernel is None and not self._too_long:
            with first_use:
                if self._kernel is None:  # another thread may have been first
                    self._kernel = cached_kernel(self.program, self.element)
        return self._kernel

    @property
    def _too_long(self) -> bool:
        program = self.program
        if isinstance(program, Rolled):
            return False
        return len(program.code) + len(program.results) > LONGEST_COMPILED

    def __call__(
        self,
        arrays: Sequence[Array],
        lead: tuple[int, ...],
        out: Sequence[Array] | None = None,
        threads: int | None = None,
        largest: float = LARGEST_FLOAT,
    ) -> Outcome:
        """Evaluate at one state or many.

        Args:
            arrays: one for each input, of shape ``(..., n)``.
            lead: common broadcast shape of their leading axes.
            out: arrays that receive the outputs; a large batch may write to them even if an input
                is refused.
            threads: largest number of threads; see `wanted_threads`.
            largest: inputs with a larger or non-finite number are refused.
        """
        workers = wanted_threads(threads)
        kernel = self.kernel
        # no state is computed of an empty batch, but a state for all of it is looked at
        if 0 in lead and not all(all_within(a, largest) for a in arrays):
            return Outcome([], inputs_within=False, results_finite=False)
        if kernel is None:
            return self._interpreted(arrays, lead, out, largest)
        # one state is looked at before `out` is written; of many, a thread could overwrite an input
        # that another has yet to read
        direct = (
            out is not None
            and prod(lead) > 1
            and all(o.flags.carray for o in out)
            and not any(np.may_share_memory(o, a) for o in out for a in arrays)
        )
        outs = list(out) if out is not None and direct else self._new(lead)
        batch = Batch(kernel, arrays, outs, lead, workers, largest)
        batch.compute()
        if not batch.inputs_within:
            return Outcome([], inputs_within=False, results_finite=False)
        return Outcome(outs if direct else self._copied(outs, out), True, batch.results_finite)

    def _interpreted(
        self,
        arrays: Sequence[Array],
        lead: tuple[int, ...],
        out: Sequence[Array] | None,
        largest: float,
    ) -> Outcome:
        if not all(all_within(a, largest) for a in arrays):
            return Outcome([], inputs_within=False, results_finite=False)

        assert isinstance(self.program, Program), "sweeps are always compiled"
        with np.errstate(all="ignore"):
            try:
                # in double, whatever the type of the results
                given = (a.astype(np.float64, copy=False) for a in arrays)
                results = interpret(
                    self.program, *(np.broadcast_to(a, (*lead, a.shape[-1])) for a in given)
                )
            except (ZeroDivisionError, ValueError):  # a single state is computed in floats
                results = [np.full_like(result, np.nan) for result in self._new(lead)]
            results = [np.asarray(x).astype(self.element.code, copy=False) for x in results]
        return Outcome(self._copied(results, out), True, all(map(all_finite, results)))

    def _new(self, lead: tuple[int, ...]) -> list[Array]:
        return [new_rows(lead, slot.shape, self.element) for slot in self.program.outputs]

    def _copied(self, results: list[Array], out: Sequence[Array] | None) -> list[Array]:
        if out is None:
            return results
        for target, result in zip(out, results, strict=True):
            target[...] = result
        return list(out)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the program; unpickling recompiles for the local CPU."""
        return (Evaluator, (self.program, self.element))
