"""A NumPy gufunc around machine code, made through NumPy's C interface.

NumPy then handles broadcasting, strides, casting, `out` and overlap, and releases the GIL. If
NumPy's layout is not as expected, or the loop accepts only dense arrays, `PlainLoop` does the same
in Python, slower for a single state.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.graph.program import Program, Slot
from armdyn.graph.rolled import Rolled
from armdyn.kernel.element import DOUBLE, ElementType

Array = NDArray[Any]
Result = Array | tuple[Array, ...]

# Indices in the table of NumPy's C functions for ufuncs; part of its binary interface.
UFUNC_TYPE = 0
FROM_FUNC_AND_DATA_AND_SIGNATURE = 31
NO_IDENTITY = -1


def signature(program: Program | Rolled) -> str:
    """Return the shapes of a program as a NumPy signature, e.g. "(6),(6)->(6,6)"."""
    left, right = (
        ",".join(f"({','.join(map(str, slot.shape))})" for slot in slots)
        for slots in (program.inputs, program.outputs)
    )
    return f"{left}->{right}"


def make_loop(
    program: Program | Rolled, element: ElementType, address: int, *, any_strides: bool
) -> Gufunc | PlainLoop:
    """Return what calls the inner loop at an address; its `function` is valid while it lives.

    Args:
        program: the program that the loop computes.
        element: the type of its numbers.
        address: address of the inner loop.
        any_strides: whether it accepts arrays of any strides; else only dense ones.
    """
    if any_strides and gufuncs_work():
        return Gufunc(program, element, address)
    return PlainLoop(program, element, address)


class Gufunc:
    """A true gufunc and the memory that it points to."""

    def __init__(self, program: Program | Rolled, element: ElementType, address: int) -> None:
        n_inputs, n_outputs = len(program.inputs), len(program.outputs)
        n = n_inputs + n_outputs
        # NumPy stores the pointers but does not own the memory
        self._memory = (
            (ctypes.c_void_p * 1)(address),
            (ctypes.c_void_p * 1)(None),
            ctypes.create_string_buffer(bytes([element.type_number] * n), n),
            ctypes.create_string_buffer(program.name.encode()),
            ctypes.create_string_buffer(b"Compiled by armdyn."),
            ctypes.create_string_buffer(signature(program).encode()),
        )
        functions, data, types, name, doc, shapes = (ctypes.addressof(x) for x in self._memory)
        pointer, number = ctypes.c_void_p, ctypes.c_int
        make = ctypes.PYFUNCTYPE(
            ctypes.py_object, pointer, pointer, pointer, number, number, number, number, pointer,
            pointer, number, pointer,
        )(_table()[FROM_FUNC_AND_DATA_AND_SIGNATURE])  # fmt: skip
        self.function: Any = make(
            functions, data, types, 1, n_inputs, n_outputs, NO_IDENTITY, name, doc, 0, shapes
        )


class PlainLoop:
    """Replaces a gufunc: makes arrays dense and passes them to the inner loop."""

    def __init__(self, program: Program | Rolled, element: ElementType, address: int) -> None:
        pointer = ctypes.c_void_p
        self._program = program
        self._element = element
        self._dtype = np.dtype(element.code)
        self._inner = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)(address)

    def function(self, *arrays: ArrayLike, out: Any = None) -> Result:
        """Evaluate at one state or many; leading axes broadcast."""
        slots = self._program.inputs
        if len(arrays) != len(slots):
            raise TypeError(f"{self._program.name} takes {len(slots)} arrays, got {len(arrays)}")
        given = [self._converted(array) for array in arrays]
        for array, slot in zip(given, slots, strict=True):
            if array.shape[array.ndim - len(slot.shape) :] != slot.shape:
                raise ValueError(
                    f"{self._program.name}: {slot.name} has shape {array.shape}, expected "
                    f"(..., {', '.join(map(str, slot.shape))})"
                )
        leads = [a.shape[: a.ndim - len(s.shape)] for a, s in zip(given, slots, strict=True)]
        targets = cast("Sequence[Array | None]", out if isinstance(out, tuple) else (out,))
        leads += [
            target.shape[: target.ndim - len(slot.shape)]
            for target, slot in zip(targets, self._program.outputs, strict=False)
            if target is not None
        ]
        lead = np.broadcast_shapes(*leads)
        rows = [
            np.ascontiguousarray(np.broadcast_to(a, (*lead, *s.shape)))
            for a, s in zip(given, slots, strict=True)
        ]
        results = [np.empty((*lead, *slot.shape), self._dtype) for slot in self._program.outputs]
        self._call(rows, results, prod(lead))
        for k, target in enumerate(targets):
            if target is not None:
                np.copyto(target, results[k], casting="same_kind")
                results[k] = target
        if len(results) > 1:
            return tuple(results)
        return results[0] if results[0].ndim else results[0][()]

    def _converted(self, array: ArrayLike) -> Array:
        given = np.asarray(array)
        if not np.can_cast(given.dtype, self._dtype, "same_kind"):
            raise TypeError(f"cannot make {self._dtype} of {given.dtype}")
        return given.astype(self._dtype, copy=False)

    def _call(self, rows: Sequence[Array], results: Sequence[Array], count: int) -> None:
        arrays = [*rows, *results]
        shapes = [slot.shape for slot in (*self._program.inputs, *self._program.outputs)]
        size = self._element.bytes
        core = [size * prod(shape[k + 1 :]) for shape in shapes for k in range(len(shape))]
        steps = [*(size * prod(shape) for shape in shapes), *core]
        pointers = [array.ctypes.data for array in arrays]
        self._inner(
            (ctypes.c_void_p * len(pointers))(*pointers),
            (ctypes.c_ssize_t * 1)(count),
            (ctypes.c_ssize_t * len(steps))(*steps),
            None,
        )


def _table() -> Any:
    inside: Any = import_module("numpy._core._multiarray_umath")
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return (ctypes.c_void_p * (FROM_FUNC_AND_DATA_AND_SIGNATURE + 1)).from_address(
        get(inside._UFUNC_API, None)
    )


@lru_cache(maxsize=1)
def gufuncs_work() -> bool:
    """Return whether NumPy makes gufuncs as expected: make one that doubles numbers, and try it."""
    try:
        # the first entry is a known type, so this is the expected table
        if _table()[UFUNC_TYPE] != id(np.ufunc):
            return False
        return _doubling_works()
    except Exception:  # anything else unexpected: `PlainLoop` always works
        return False


def _doubling_works() -> bool:
    @ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
    def double(args: int, dims: int, steps: int, _data: int) -> None:
        pointers = (ctypes.c_void_p * 2).from_address(args)
        strides = (ctypes.c_ssize_t * 4).from_address(steps)
        for i in range(ctypes.c_ssize_t.from_address(dims).value):
            for k in range(3):
                source = (pointers[0] or 0) + i * strides[0] + k * strides[2]
                target = (pointers[1] or 0) + i * strides[1] + k * strides[3]
                value = ctypes.c_double.from_address(source).value
                ctypes.c_double.from_address(target).value = 2.0 * value

    slots = (Slot("x", (3,)),)
    program = Program("self_test", slots, slots, (), ())
    address = ctypes.cast(double, ctypes.c_void_p).value or 0
    given = np.arange(12.0).reshape(4, 3)[:, ::-1]
    return bool(np.array_equal(Gufunc(program, DOUBLE, address).function(given), 2.0 * given))


# Call machine code for one chunk of states after the other, with results that are inputs later.
#
# A gufunc copies operands that overlap, and takes longer to look at its operands than a short chunk
# takes to compute. Here the addresses of all chunks are computed in advance.


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
