"""Memory layouts for fastcalls: their own words, and fields of Python objects and NumPy arrays."""

from __future__ import annotations

from enum import IntEnum, auto

MOST_AXES = 4


class FastcallSlots(IntEnum):
    """The first words of a fastcall; the words of each input and each output follow.

    An input has one word, its length. An output has its number of axes, its size, and `MOST_AXES`
    lengths of axes. Last come the operands of the loop over a batch: their numbers per state, then
    the strides.

    VERSION is the version of the owner's class when the fastcall was made, or 0 if any is valid.
    LARGEST is the largest input that is accepted.
    """

    ARRAY_TYPE = 0
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
    BATCH = auto()
    KERNEL = auto()
    LOOP = auto()
    NEAR = auto()
    ORDINARY = auto()
    MOST_STATES = auto()
    VERSION = auto()
    LARGEST = auto()


# Offsets in CPython objects on 64-bit machines.
TYPE = 8
TUPLE_SIZE = 16
TUPLE_ITEMS = 24
BYTES_ITEMS = 32
# In a class: a number that changes whenever the class or a base of it does.
VERSION_TAG = 384
# Offsets in NumPy arrays, and in their descriptors (dtypes).
DATA, N_AXES, AXES, DESCRIPTION, FLAGS = 16, 24, 32, 56, 64
BYTE_ORDER, TYPE_NUMBER = 26, 28

NATIVE = ord("=")
DOUBLE = 12
DENSE_AND_ALIGNED = 0x101
WRITEABLE = 0x400
# Flags of arrays that warn when written to, or that are a copy to be written back: left to NumPy.
UNUSUAL = 0x80002000


def fastcall_name(n_inputs: int, n_outputs: int) -> str:
    """Return the name of the C function for these numbers of inputs and outputs."""
    return f"armdyn_fastcall_{n_inputs}_{n_outputs}"
