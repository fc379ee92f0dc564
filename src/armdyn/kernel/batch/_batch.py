"""A batch of states, evaluated part by part, in threads if it is large.

Inputs and results are checked for non-finite numbers. In a plain batch the loop checks them while
it computes, which costs little; otherwise they are checked part by part.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import LARGEST_FLOAT
from armdyn.kernel.batch._all_finite import all_finite, all_within
from armdyn.kernel.batch._batch_code import BAD_INPUT, BAD_RESULT
from armdyn.kernel.batch._threads import LEAST_STATES, in_threads

if TYPE_CHECKING:
    from armdyn.kernel._kernel import Kernel

Array = NDArray[Any]

# Bytes of a part: enough that starting it costs little.
PART = 2**22
# A part has a multiple of this many states: only the last part ends within a block of states.
WHOLE_BLOCKS = 64


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
        """Check the inputs that cannot be checked part by part.

        Args:
            kernel: the kernel to evaluate.
            arrays: one for each input, of shape ``(..., n)``.
            outs: one for each output, of shape ``(*lead, ...)``; must not overlap the inputs.
            lead: the broadcast leading axes of the inputs; at least one axis.
            threads: the maximum number of threads.
            largest: larger inputs are refused, like non-finite ones.
        """
        n_states = prod(lead)
        plain = [a.shape[:-1] == lead and _is_dense(a) for a in arrays]
        # inputs that states share, or that are not dense, are checked once, first of all
        others = [a for a, is_plain in zip(arrays, plain, strict=True) if not is_plain]
        self.inputs_within = all(all_within(a, largest) for a in others)
        self.results_finite = True
        self._kernel = kernel
        self._largest = largest
        self._checked_loop = None
        one_for_all = all(a.size == a.shape[-1] and _is_dense(a) for a in others)
        if one_for_all and (kernel.any_strides or not others) and all(map(_is_dense, outs)):
            inputs = [
                a.reshape(n_states, a.shape[-1]) if is_plain else a.reshape(-1)
                for a, is_plain in zip(arrays, plain, strict=True)
            ]
            outs = [o.reshape(n_states, *o.shape[len(lead) :]) for o in outs]
            lead = (n_states,)
            self._checked_loop = kernel.checked_loop.of([*inputs, *outs], largest)
            if others and largest < LARGEST_FLOAT:  # then the loop detects only non-finite inputs
                plain_ones = (a for a, is_plain in zip(arrays, plain, strict=True) if is_plain)
                self.inputs_within &= all(all_within(a, largest) for a in plain_ones)
        else:
            inputs = [np.broadcast_to(a, (*lead, a.shape[-1])) for a in arrays]
        self._inputs, self._outs = inputs, outs
        self._plain = [a for a, is_plain in zip(inputs, plain, strict=True) if is_plain]
        self._length = lead[0]
        slots = (*kernel.program.inputs, *kernel.program.outputs)
        size = kernel.element.bytes * sum(slot.size for slot in slots) * prod(lead[1:])
        whole = WHOLE_BLOCKS if self._checked_loop else 1
        self._part = max(1, PART // max(1, size) // whole) * whole
        self._threads = min(threads, max(1, n_states // LEAST_STATES))

    def compute(self) -> None:
        """Fill the output arrays; stop when an input is refused."""
        in_threads(self._compute, self._length, self._part, self._threads)

    def _compute(self, i: int, j: int) -> None:
        if not self.inputs_within:
            return
        if self._checked_loop:
            bad = self._checked_loop(i, j)
            if bad == BAD_INPUT:  # only False is written: other threads write too
                self.inputs_within = False
            elif bad == BAD_RESULT:
                self.results_finite = False
            return
        if not all(all_within(a[i:j], self._largest) for a in self._plain):
            self.inputs_within = False
            return
        outs = [o[i:j] for o in self._outs]
        with np.errstate(all="ignore"):  # the results are checked below
            out = tuple(outs) if len(outs) > 1 else outs[0]
            self._kernel(*(a[i:j] for a in self._inputs), out=out)
        if not all(map(all_finite, outs)):
            self.results_finite = False


def _is_dense(array: Array) -> bool:
    return array.flags.c_contiguous and array.flags.aligned
