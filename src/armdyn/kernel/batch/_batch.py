"""A batch of states, evaluated part by part, in threads if it is large.

The loop checks inputs and results for non-finite numbers while it computes, which costs little.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import LARGEST_FLOAT
from armdyn.kernel._symbols import BAD_INPUT, BAD_RESULT
from armdyn.kernel.batch._new_rows import as_rows
from armdyn.kernel.batch._threads import LEAST_STATES, in_threads

if TYPE_CHECKING:
    from armdyn.kernel._kernel import Kernel

Array = NDArray[Any]

# Bytes of a part: enough that starting it costs little.
PART = 2**22
# A part has a multiple of this many states: only the last part ends within a block of states.
WHOLE_BLOCKS = 64
# To copy more rows than this takes longer than to start a loop over them.
FEW = 512


class Batch:
    """States, and arrays for their results.

    Attributes:
        inputs_within: False once an input is found to be too large or not finite.
        results_finite: False once a result is found not to be finite.
    """

    def __init__(
        self,
        kernel: Kernel,
        arrays: Sequence[Array],
        outs: Sequence[Array],
        lead: tuple[int, ...],
        threads: int,
        largest: float = LARGEST_FLOAT,
    ) -> None:
        """Prepare the loop over the states.

        Args:
            kernel: the machine code.
            arrays: one for each input, of shape ``(..., n)``.
            outs: receive the outputs; dense, and apart from the inputs.
            lead: common broadcast shape of the leading axes of the inputs.
            threads: largest number of threads.
            largest: a batch with a larger or non-finite input is refused.
        """
        n_states, shape = prod(lead), (lead if lead else (1,))
        slots = (*kernel.program.inputs, *kernel.program.outputs)
        self.inputs_within = self.results_finite = True
        self._kernel, self._largest = kernel, largest
        self._threads = min(threads, max(1, n_states // LEAST_STATES))
        size = kernel.element.bytes * sum(slot.size for slot in slots)
        part = max(1, PART // max(1, size) // WHOLE_BLOCKS) * WHOLE_BLOCKS
        if n_states <= part or all(_are_rows(a, shape) for a in arrays):
            self._inputs = [as_rows(a, lead) for a in arrays]
            self._outs = [o.reshape(n_states, *o.shape[len(lead) :]) for o in outs]
            self._loop = kernel.checked_loop.of([*self._inputs, *self._outs], largest)
            self._length, self._part = n_states, part
        else:  # rows are made part by part: all of them may be much larger than the arrays
            self._inputs = [np.broadcast_to(a, (*shape, a.shape[-1])) for a in arrays]
            self._outs, self._loop = list(outs), None
            each = n_states // shape[0]
            self._length = shape[0]
            self._part = max(1, part // each) if each < FEW else 1

    def compute(self) -> None:
        """Fill the output arrays; stop when an input is refused."""
        in_threads(self._compute, self._length, self._part, self._threads)

    def _compute(self, i: int, j: int) -> None:
        if not self.inputs_within:
            return
        bad = self._loop(i, j) if self._loop else self._compute_rows(i, j)
        if bad == BAD_INPUT:  # only False is written: other threads write too
            self.inputs_within = False
        elif bad == BAD_RESULT:
            self.results_finite = False

    def _compute_rows(self, i: int, j: int) -> int:
        # of two axes, the rows of one index need no copy
        at = i if self._part == 1 and self._inputs[0].ndim > 2 else slice(i, j)
        inputs, outs = ([x[at] for x in arrays] for arrays in (self._inputs, self._outs))
        batch = Batch(self._kernel, inputs, outs, inputs[0].shape[:-1], 1, self._largest)
        batch.compute()
        if not batch.inputs_within:
            return BAD_INPUT
        return 0 if batch.results_finite else BAD_RESULT


def _are_rows(a: Array, lead: tuple[int, ...]) -> bool:
    """Return whether rows of the states need no copy."""
    plain = len(lead) == 1 or a.flags.c_contiguous
    dense = a.flags.aligned and min(a.strides) >= 0
    return dense and (a.size == a.shape[-1] or (plain and a.shape[:-1] == lead))
