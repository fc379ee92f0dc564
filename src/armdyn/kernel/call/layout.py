"""Memory layouts for fastcalls: their own words, and fields of Python objects and NumPy arrays."""

from __future__ import annotations

import ctypes
from enum import IntEnum, auto
from typing import Any

MOST_AXES = 4


class FastcallSlots(IntEnum):
    """The first words of a fastcall; the words of each input and each output follow.

    An input has one word, its length. An output has its number of axes, its size, and `MOST_AXES`
    lengths of axes. Last come the operands of the loop over a batch: their numbers per state, then
    the strides.

    OWNER is the address of an object that the called object keeps, or of that itself; VERSION is
    the version of its class for which the C function is valid. Batches have at most MOST_STATES, or
    MOST_GATHERED if they are not dense. ROWS is the address of the function for batches; it and
    BATCH, which that function calls, are 0 until the first batch. NUMBERS is how many numbers the
    inputs of a state have, and LARGEST the largest that is accepted. One state is compared with
    USUAL first: no result of smaller inputs overflows if SURE is 1; if it is 0, USUAL equals
    LARGEST.
    """

    ARRAY_TYPE = 0
    NUMBER_TYPE = auto()
    TUPLE_TYPE = auto()
    OUT = auto()
    NONE = auto()
    VECTORCALL = auto()
    ARRAY_NEW = auto()
    ARRAY_BASE = auto()
    TUPLE_NEW = auto()
    INCREF = auto()
    DECREF = auto()
    SAVE_THREAD = auto()
    RESTORE_THREAD = auto()
    ROWS = auto()
    BATCH = auto()
    KERNEL = auto()
    LOOP = auto()
    NEAR = auto()
    ORDINARY = auto()
    MOST_STATES = auto()
    MOST_GATHERED = auto()
    NUMBERS = auto()
    OWNER = auto()
    VERSION = auto()
    LARGEST = auto()
    USUAL = auto()
    SURE = auto()


class CallWords:
    """Where the words that follow `FastcallSlots` are, for some numbers of inputs and outputs.

    Attributes:
        lengths: of each input, its length.
        n_axes: of each output, its number of axes.
        counts: of each output, how many numbers it has.
        axes: of each output, the lengths of its axes.
        sizes: of the first operand, its numbers per state; those of the others follow.
        steps: of the first operand, its stride; those of the others follow.
    """

    def __init__(self, n_inputs: int, n_outputs: int) -> None:
        first, row = len(FastcallSlots) + n_inputs, 2 + MOST_AXES
        self.lengths = range(len(FastcallSlots), first)
        self.n_axes, self.counts, self.axes = (
            range(first + k, first + k + row * n_outputs, row) for k in range(3)
        )
        self.sizes = first + row * n_outputs
        self.steps = self.sizes + n_inputs + n_outputs


class StateItems(IntEnum):
    """The first items of a `FastcallState`; objects that must stay alive follow."""

    WORDS = 0
    SLOW = auto()
    CHANGED = auto()
    FIRST_BATCH = auto()


# Offsets in CPython objects on 64-bit machines.
TYPE = 8
TUPLE_SIZE = 16
TUPLE_ITEMS = 24
BYTES_ITEMS = 32
# In a class: a number that changes whenever the class or a base of it does.
VERSION_TAG = 384
# In a class: its flags, and where its instances have their C function; see `vectorcall`.
CLASS_FLAGS = 168
VECTORCALL_OFFSET = 56
# In an instance of `Vectorcallable`: its C function, and its `FastcallState`.
VECTORCALL, STATE = 16, 24
# Offsets in NumPy arrays, and in their descriptors (dtypes).
DATA, N_AXES, AXES, STRIDES, DESCRIPTION, FLAGS = 16, 24, 32, 40, 56, 64
BYTE_ORDER, TYPE_NUMBER = 26, 28

NATIVE = ord("=")
ALIGNED = 0x100
DENSE_AND_ALIGNED = 0x101
WRITEABLE = 0x400
# Flags of arrays that warn when written to, or that are a copy to be written back: left to NumPy.
UNUSUAL = 0x80002000


def vectorcall_name(n_inputs: int, n_outputs: int) -> str:
    """Return the name of the C function for these numbers of inputs and outputs."""
    return f"armdyn_vectorcall_{n_inputs}_{n_outputs}"


def batch_name(n_inputs: int, n_outputs: int) -> str:
    """Return the name of the function to which that C function leaves batches."""
    return f"armdyn_call_batch_{n_inputs}_{n_outputs}"


def number_at(x: object, offset: int, kind: Any = ctypes.c_ssize_t) -> int:
    """Return the number at an offset in a Python object."""
    return kind.from_address(id(x) + offset).value


def address_of(function: Any) -> int:
    """Return the address of a C function that `ctypes` has found."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0
