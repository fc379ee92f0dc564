"""Call machine code for one chunk of states after the other, with results that are inputs later.

A gufunc copies operands that overlap, and takes longer to look at its operands than a short chunk
takes to compute. Here the addresses of all chunks are computed in advance.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.graph import Program, Rolled
from armdyn.kernel._element import ElementType

Array = NDArray[Any]


def chunk_loop(
    program: Program | Rolled,
    element: ElementType,
    address: int,
    arrays: Sequence[Array],
    rows: int,
    owner: object,
) -> Callable[[int], None]:
    """Return a function that computes chunk k: states k rows to (k + 1) rows - 1.

    Numbers are not checked. An array that is also an input of a later chunk is read when that chunk
    is computed.

    Args:
        program: the program that the inner loop computes.
        element: the type of its numbers.
        address: of the inner loop.
        arrays: of all inputs, then of all outputs, dense: ``(chunks * rows, ...)``, or
            ``(rows, ...)`` if all chunks share it.
        rows: number of states in a chunk.
        owner: keeps the inner loop in memory.
    """
    slots = (*program.inputs, *program.outputs)
    chunks = max(len(array) for array in arrays) // rows
    size, dtype = element.bytes, np.dtype(element.code)
    for array, slot in zip(arrays, slots, strict=True):
        fits = array.shape[1:] == slot.shape and len(array) in (rows, chunks * rows)
        if not fits or array.dtype != dtype or not array.flags.c_contiguous:
            raise ValueError(f"{program.name}: {slot.name} is no dense array of {chunks} chunks")
    states = [size * prod(slot.shape) for slot in slots]
    core = [size * prod(slot.shape[k + 1 :]) for slot in slots for k in range(len(slot.shape))]
    ahead = [
        0 if len(array) == rows else rows * step for array, step in zip(arrays, states, strict=True)
    ]
    bases = np.array([array.ctypes.data for array in arrays], dtype=np.intp)
    table = bases + np.arange(chunks, dtype=np.intp)[:, None] * np.array(ahead, dtype=np.intp)
    pointer = ctypes.c_void_p
    inner = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)(address)
    count = (ctypes.c_ssize_t * 1)(rows)
    steps = (ctypes.c_ssize_t * (len(states) + len(core)))(*states, *core)
    first, next_row = table.ctypes.data, table.strides[0]
    kept = (owner, *arrays, table)

    def compute(k: int, _kept: object = kept) -> None:
        inner(first + k * next_row, count, steps, None)

    return compute
