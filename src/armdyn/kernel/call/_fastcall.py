"""C functions that evaluate plain states, and leave everything else to a slower callable.

Calling a NumPy gufunc takes most of a microsecond, many times longer than the dynamics of one
state; checking a batch in Python takes as long as some hundred states. The function made here
checks the arrays itself (see `_fastcall_ir`). If the memory layout of Python or NumPy is not as
expected, there is no fastcall, and callers use the slower callable.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from armdyn._checks import LARGEST_FLOAT
from armdyn.errors import SettingWarning
from armdyn.graph import Program, Rolled
from armdyn.kernel._element import DOUBLE
from armdyn.kernel.batch._batch_code import batch_address
from armdyn.kernel.batch._checked_loop import CheckedBatchLoop
from armdyn.kernel.batch._threads import LEAST_STATES
from armdyn.kernel.cache._common_code import common_code
from armdyn.kernel.call import _layout as layout
from armdyn.kernel.call._layout import MOST_AXES, FastcallSlots, fastcall_name

VARIABLE, OLD_VARIABLE = "ARMDYN_FASTCALL", "ARMDYN_DOOR"

# Larger batches may run in several threads, which Python starts.
MOST_STATES = 2 * LEAST_STATES - 1

# The modules that emit the code of a fastcall.
FASTCALL_MODULES = (
    "_element", "_jit", "_symbols", "call._fastcall_batch_ir", "call._fastcall_ir",
    "call._fastcall_writer", "call._layout", "ir._codegen", "ir._finite_check",
    "ir._function_writer",
)  # fmt: skip

FASTCALL_AND_KEYWORDS = 0x80 | 0x2

# Indices in the table of NumPy's C functions, and the ABI version that the first one returns.
ABI_VERSION, ARRAY_TYPE, DESCRIPTION_TYPE, ARRAY_NEW, ARRAY_BASE = 0, 2, 3, 93, 282
ABI_OF_NUMPY_2 = 0x02000000


class FastcallState(tuple[Any, ...]):
    """The state of a fastcall: words, the slow callable, its owner, and memory that they point to.

    It is the `__self__` of the fastcall. A fastcall is pickled as an attribute of its owner, like a
    method.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_owner, (self[2],))


def _owner(owner: object) -> object:
    return owner


def make_fastcall(
    program: Program | Rolled,
    kernel: int,
    batch: CheckedBatchLoop,
    slow: Callable[..., Any],
    *,
    keep: object,
    owner: object,
    name: str,
    doc: str,
    version: int = 0,
    largest: float = LARGEST_FLOAT,
) -> Callable[..., Any] | None:
    """Return a C function that calls a kernel; None if that is not possible.

    Args:
        program: the program that the kernel computes.
        kernel: address of the function that takes pointers to the inputs and outputs of one state.
        batch: the loop over many states.
        slow: called with the same arguments if they are not plain states.
        keep: an object that keeps the kernel in memory.
        owner: the object that has the fastcall as an attribute.
        name: the name of that attribute.
        doc: the text that `help` shows, preceded by the signature as for a C function.
        version: the `class_version` of the owner for which the fastcall is valid; 0 for any.
        largest: states with a larger number are left to `slow`.
    """
    shapes = [slot.shape for slot in program.outputs]
    if not kernel or any(len(slot.shape) != 1 for slot in program.inputs):
        return None
    if any(len(shape) > MOST_AXES for shape in shapes) or not fastcall_works():
        return None
    try:
        shape = len(program.inputs), len(shapes)
        code = common_code("call._fastcall_ir:fastcall_ir", FASTCALL_MODULES, *shape)
        most = min(MOST_STATES, batch.most_unstreamed)
        words = [*_addresses(), kernel, batch.loop, batch.near, batch.ordinary % 2**64, most]
        words += [version, DOUBLE.pattern(largest)]
        words += [slot.size for slot in program.inputs]
        for slot in program.outputs:
            words += [len(slot.shape), slot.size, *slot.shape]
            words += [0] * (MOST_AXES - len(slot.shape))
        words += [*batch.sizes, *batch.steps]
        packed = struct.pack(f"={len(words)}Q", *words)
        strings = ctypes.c_char_p(name.encode()), ctypes.c_char_p(doc.encode())
        definition = _Definition(
            strings[0], code.address(fastcall_name(*shape)), FASTCALL_AND_KEYWORDS, strings[1]
        )
        state = FastcallState((packed, slow, owner, definition, strings, keep, code))
        make = ctypes.PYFUNCTYPE(
            ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object
        )(("PyCFunction_NewEx", ctypes.pythonapi))
        return make(ctypes.addressof(definition), state, type(owner).__module__)
    except Exception:  # anything else unexpected: the slow callable always works
        return None


class _Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@lru_cache(maxsize=1)
def _addresses() -> list[int]:
    """Return the words before the kernel's, in the order of `FastcallSlots`."""
    api = ctypes.pythonapi
    functions = [
        api.PyObject_Vectorcall, api.PyTuple_New, api.Py_IncRef, api.Py_DecRef,
        api.PyEval_SaveThread, api.PyEval_RestoreThread,
    ]  # fmt: skip
    call, new_tuple, incref, decref, save, restore = (_address(f) for f in functions)
    given = {
        FastcallSlots.ARRAY_TYPE: id(np.ndarray),
        FastcallSlots.TUPLE_TYPE: id(tuple),
        FastcallSlots.OUT: id(sys.intern("out")),
        FastcallSlots.NONE: id(None),
        FastcallSlots.VECTORCALL: call,
        FastcallSlots.ARRAY_NEW: _table()[ARRAY_NEW],
        FastcallSlots.ARRAY_BASE: _table()[ARRAY_BASE],
        FastcallSlots.TUPLE_NEW: new_tuple,
        FastcallSlots.INCREF: incref,
        FastcallSlots.DECREF: decref,
        FastcallSlots.SAVE_THREAD: save,
        FastcallSlots.RESTORE_THREAD: restore,
        FastcallSlots.BATCH: batch_address(),
    }
    return [given[word] for word in FastcallSlots if word < FastcallSlots.KERNEL]


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _table() -> Any:
    inside: Any = import_module("numpy._core._multiarray_umath")
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    return (ctypes.c_void_p * (ARRAY_BASE + 1)).from_address(get(inside._ARRAY_API, None))


def fastcall_works() -> bool:
    """Return whether fastcalls are enabled, and Python and NumPy have the expected layout."""
    return _setting().lower() != "off" and _as_expected()


def _setting() -> str:
    told = os.environ.get(VARIABLE)
    if told is not None:
        return told
    told = os.environ.get(OLD_VARIABLE, "")
    if told:
        _warn_of_old_name()
    return told


@lru_cache(maxsize=1)
def _warn_of_old_name() -> None:
    warnings.warn(
        f"the environment variable {OLD_VARIABLE} is now called {VARIABLE}; set that instead.",
        SettingWarning,
        stacklevel=2,
    )


def class_version(cls: type) -> int:
    """Return a number that changes whenever a class or a base of it does; 0 if there is none."""
    if not fastcall_works():
        return 0
    getattr(cls, "__doc__", None)  # a lookup assigns a changed class its next version
    return _number(cls, layout.VERSION_TAG, ctypes.c_uint32)


@lru_cache(maxsize=1)
def _as_expected() -> bool:
    try:
        return _right_machine() and _right_python() and _right_numpy() and all(_addresses())
    except Exception:
        return False


def _right_machine() -> bool:
    """Return whether this is a tested machine: 64-bit, little-endian, LLVM's calling convention."""
    return platform.machine().lower() in ("x86_64", "amd64") and ctypes.sizeof(ctypes.c_void_p) == 8


def _right_python() -> bool:
    free_threading = "t" in getattr(sys, "abiflags", "") or "free-threading" in sys.version
    if sys.implementation.name != "cpython" or free_threading:
        return False
    text, pair = b"armdyn's fastcall", FastcallState(("a", "b"))
    return (
        ctypes.string_at(id(text) + layout.BYTES_ITEMS, len(text)) == text
        and _number(pair, layout.TYPE) == id(FastcallState)
        and _number(pair, layout.TUPLE_SIZE) == 2
        and _number(pair, layout.TUPLE_ITEMS) == id(pair[0])
        and _number(pair, layout.TUPLE_ITEMS + 8) == id(pair[1])
        and _versions_change()
    )


def _versions_change() -> bool:
    """Return whether classes have versions that change with them and with their bases."""

    class Base:
        x = 1

    class Derived(Base):
        pass

    def version() -> int:
        assert Derived.x
        return _number(Derived, layout.VERSION_TAG, ctypes.c_uint32)

    seen = [version(), version()]
    Base.x = 2
    changed = _number(Derived, layout.VERSION_TAG, ctypes.c_uint32)
    return seen[0] == seen[1] != 0 and changed != seen[0] and version() not in (0, seen[0])


def _right_numpy() -> bool:
    table = _table()
    version = ctypes.CFUNCTYPE(ctypes.c_uint)(table[ABI_VERSION])
    types = table[ARRAY_TYPE] == id(np.ndarray) and table[DESCRIPTION_TYPE] == id(np.dtype)
    if np.ndarray.__basicsize__ < layout.FLAGS + 8 or not types or version() != ABI_OF_NUMPY_2:
        return False
    known = np.arange(24.0).reshape(2, 3, 4)
    locked = known[:, ::2]
    locked.flags.writeable = False
    others = known.astype(">f8"), known.astype(np.float32), locked, np.zeros(7), np.array(3.0)
    return all(_laid_out(array) for array in (known, *others)) and _holds_on(table)


def _holds_on(table: Any) -> bool:
    """Return whether an array can be made on the memory of another object, and keeps it alive."""
    pointer, number = ctypes.c_void_p, ctypes.c_int
    kinds = [pointer, number, pointer, number, pointer, pointer, number, number, pointer]
    new = ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)(table[ARRAY_NEW])
    hold = ctypes.PYFUNCTYPE(number, ctypes.py_object, ctypes.py_object)(table[ARRAY_BASE])
    owner = np.arange(5.0)
    length = (ctypes.c_ssize_t * 1)(3)
    flags = layout.DENSE_AND_ALIGNED | layout.WRITEABLE
    begin = owner.ctypes.data + 8
    inside = new(id(np.ndarray), 1, length, layout.DOUBLE, None, begin, 0, flags, None)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))  # `hold` steals this reference
    return hold(inside, owner) == 0 and inside.base is owner and inside.tolist() == [1.0, 2.0, 3.0]


def _laid_out(array: np.ndarray[Any, Any]) -> bool:
    """Return whether the fields of an array are at the expected offsets."""
    axes = _number(array, layout.AXES)
    lengths = (ctypes.c_ssize_t * array.ndim).from_address(axes) if array.ndim else ()
    kind = array.dtype
    native = _number(kind, layout.BYTE_ORDER, ctypes.c_uint8) == layout.NATIVE
    return (
        _number(array, layout.DATA) == array.__array_interface__["data"][0]
        and _number(array, layout.N_AXES, ctypes.c_int) == array.ndim
        and tuple(lengths) == array.shape
        and _number(array, layout.DESCRIPTION) == id(kind)
        and _number(kind, layout.TYPE_NUMBER, ctypes.c_int) == kind.num
        and native == kind.isnative
        and _number(array, layout.FLAGS, ctypes.c_int) == array.flags.num
    )


def _number(x: object, offset: int, kind: Any = ctypes.c_ssize_t) -> int:
    return kind.from_address(id(x) + offset).value
