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

    VERSION is the version of the owner's class for which the fastcall is valid. LARGEST is the
    largest input that is accepted. One state is compared with USUAL first: no result of smaller
    inputs overflows if SURE is 1; if it is 0, USUAL equals LARGEST.
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
    USUAL = auto()
    SURE = auto()


class StateItems(IntEnum):
    """The first items of a `FastcallState`; objects that must stay alive follow."""

    WORDS = 0
    SLOW = auto()
    OWNER = auto()
    CHANGED = auto()


# Offsets in CPython objects on 64-bit machines.
TYPE = 8
TUPLE_SIZE = 16
TUPLE_ITEMS = 24
BYTES_ITEMS = 32
# In a class: a number that changes whenever the class or a base of it does.
VERSION_TAG = 384
# In a class: its flags, and where its instances have their C function; see `_vectorcall`.
CLASS_FLAGS = 168
VECTORCALL_OFFSET = 56
# In an instance of `Vectorcallable`: its C function, and its `FastcallState`.
VECTORCALL, STATE = 16, 24
# Offsets in NumPy arrays, and in their descriptors (dtypes).
DATA, N_AXES, AXES, DESCRIPTION, FLAGS = 16, 24, 32, 56, 64
BYTE_ORDER, TYPE_NUMBER = 26, 28

NATIVE = ord("=")
DENSE_AND_ALIGNED = 0x101
WRITEABLE = 0x400
# Flags of arrays that warn when written to, or that are a copy to be written back: left to NumPy.
UNUSUAL = 0x80002000


def fastcall_name(n_inputs: int, n_outputs: int) -> str:
    """Return the name of the C function for these numbers of inputs and outputs."""
    return f"armdyn_fastcall_{n_inputs}_{n_outputs}"


def vectorcall_name(n_inputs: int, n_outputs: int) -> str:
    """Return the name of the same function for calls of an object instead of a method."""
    return f"armdyn_vectorcall_{n_inputs}_{n_outputs}"


def number_at(x: object, offset: int, kind: Any = ctypes.c_ssize_t) -> int:
    """Return the number at an offset in a Python object."""
    return kind.from_address(id(x) + offset).value


def address_of(function: Any) -> int:
    """Return the address of a C function that `ctypes` has found."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0
