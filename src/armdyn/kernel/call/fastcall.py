"""C functions of objects: they evaluate plain states, and leave all else to a slower callable.

Calling a NumPy gufunc takes most of a microsecond, many times longer than the dynamics of one
state; checking a batch in Python takes as long as some hundred states. The function made here
checks the arrays itself (see `fastcall_ir`). If the memory layout of Python or NumPy is not as
expected, there is none, and objects are called by `__call__`.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple, cast

import numpy as np

from armdyn.errors import SettingWarning
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.batch import LEAST_STATES
from armdyn.kernel.batch_ir import CheckedBatchLoop, batch_address
from armdyn.kernel.cached import common_code
from armdyn.kernel.call import layout
from armdyn.kernel.call.layout import (
    MOST_AXES,
    FastcallSlots,
    StateItems,
    address_of,
    batch_name,
    number_at,
    vectorcall_name,
)
from armdyn.kernel.call.vectorcall import Vectorcallable, set_function, vectorcall_works
from armdyn.kernel.element import DOUBLE, ELEMENTS, ElementType
from armdyn.kernel.targets.choice import NATIVE, target

VARIABLE, OLD_VARIABLE = "ARMDYN_FASTCALL", "ARMDYN_DOOR"

# Larger batches may run in several threads, which Python starts.
MOST_STATES = 2 * LEAST_STATES - 1

# The modules that emit the code of a fastcall.
FASTCALL_MODULES = (
    "element",
    "jit",
    "gather",
    "call.fastcall_ir",
    "call.fastcall_writer",
    "call.layout",
    "ir.codegen",
    "ir.finite_check",
    "ir.writer",
)

# Indices in the table of NumPy's C functions, and the ABI version that the first one returns.
ABI_VERSION, ARRAY_TYPE, DESCRIPTION_TYPE, ARRAY_NEW, ARRAY_BASE = 0, 2, 3, 94, 282
ABI_OF_NUMPY_2 = 0x02000000


class FastcallState(tuple[Any, ...]):
    """What a C function works with: its words, other callables and objects; see `StateItems`."""

    __slots__ = ()

    def set_version(self, version: int) -> None:
        """Make the C function valid for another version of its owner's class."""
        self._set(FastcallSlots.VERSION, version)

    def set_batch(self, rows: int, batch: int) -> None:
        """Let the C function leave batches to another one, at address `rows`."""
        self._set(FastcallSlots.BATCH, batch)
        self._set(FastcallSlots.ROWS, rows)  # last: another thread may call meanwhile

    def _set(self, slot: FastcallSlots, word: int) -> None:
        # The words are bytes that nothing else refers to, so they can be changed in place.
        at = id(self[StateItems.WORDS]) + layout.BYTES_ITEMS + 8 * slot
        ctypes.c_uint64.from_address(at).value = word


class Fallbacks(NamedTuple):
    """What a C function calls, with its object and the arguments, if it computes no result.

    Attributes:
        slow: for arguments that are not plain states.
        changed: for any arguments, after the class of the owner has changed.
        owner: the object whose class may change: the one that is called, or one that it keeps.
        version: the `class_version` of the owner with which `slow` may be called.
    """

    slow: Callable[..., Any]
    changed: Callable[..., Any]
    owner: object
    version: int


class KernelEntry(NamedTuple):
    """The machine code that a fastcall calls.

    Attributes:
        program: the program that it computes.
        element: the type of its numbers.
        one: address of the function that takes pointers to the inputs and outputs of one state.
        batch: the loop over many states.
        keep: an object that keeps the code in memory.
        largest: states with a larger number are left to the slow callable.
    """

    program: Program | Rolled
    element: ElementType
    one: int
    batch: CheckedBatchLoop
    keep: object
    largest: float


def set_vectorcall(kernel: KernelEntry, fallbacks: Fallbacks, called: Vectorcallable) -> bool:
    """Let Python call an object by a C function that calls a kernel; say whether that is possible.

    Args:
        kernel: the machine code.
        fallbacks: what is called in all other cases.
        called: the object.
    """
    shape = _shape(kernel)
    if shape is None:
        return False
    try:
        code = common_code(kernel.element, "call.fastcall_ir:fastcall_ir", FASTCALL_MODULES, *shape)
        before = getattr(called, "fastcall_state", None)
        if isinstance(before, FastcallState) and before[-1].keep is kernel.keep:
            before.set_version(fallbacks.version)
        else:  # another thread may be in a call that uses the state before, so keep that
            called.fastcall_state = _state(kernel, fallbacks, before)
        set_function(called, code.address(vectorcall_name(*shape)))
    except Exception:  # `__call__` always works
        return False
    return True


def _shape(kernel: KernelEntry) -> tuple[int, int] | None:
    """Return the numbers of inputs and outputs; None if there is no fastcall."""
    inputs, outputs = kernel.program.inputs, kernel.program.outputs
    if not kernel.one or any(len(slot.shape) != 1 for slot in inputs):
        return None
    if any(len(slot.shape) > MOST_AXES for slot in outputs) or not fastcall_works():
        return None
    return len(inputs), len(outputs)


def _state(kernel: KernelEntry, fallbacks: Fallbacks, before: object) -> FastcallState:
    """Return the state of a C function, which keeps the state before and the kernel in memory."""
    program, batch, element = kernel.program, kernel.batch, kernel.element
    largest = element.bound(kernel.largest)
    sure = batch.safe_magnitude >= 0
    given = {
        **_addresses(element),
        FastcallSlots.ROWS: 0,
        FastcallSlots.BATCH: 0,
        FastcallSlots.KERNEL: kernel.one,
        FastcallSlots.LOOP: batch.loop,
        FastcallSlots.NEAR: batch.near,
        FastcallSlots.ORDINARY: batch.safe_magnitude % 2**64,
        FastcallSlots.MOST_STATES: min(MOST_STATES, batch.most_unstreamed),
        FastcallSlots.MOST_GATHERED: MOST_STATES if batch.gathers else 0,
        FastcallSlots.OWNER: id(fallbacks.owner),
        FastcallSlots.VERSION: fallbacks.version,
        FastcallSlots.LARGEST: largest,
        FastcallSlots.USUAL: min(batch.safe_magnitude, largest) if sure else largest,
        FastcallSlots.SURE: sure,
        FastcallSlots.NUMBERS: sum(slot.size for slot in program.inputs),
    }
    words = [given[word] for word in FastcallSlots]
    words += [slot.size for slot in program.inputs]
    for slot in program.outputs:
        words += [len(slot.shape), slot.size, *slot.shape]
        words += [0] * (MOST_AXES - len(slot.shape))
    words += [*batch.sizes, *batch.steps]
    packed = struct.pack(f"={len(words)}Q", *words)
    return FastcallState((
        packed, fallbacks.slow, fallbacks.changed, _first_batch, before, kernel,
    ))  # fmt: skip


def _first_batch(called: Vectorcallable, *states: Any, **options: Any) -> Any:
    """Call an object that has no code for batches yet; load it if the states are a batch."""
    state = cast(FastcallState, called.fastcall_state)
    if any(getattr(x, "ndim", 0) == 2 for x in states) and _load_batch(state, state[-1]):
        return cast(Callable[..., Any], called)(*states, **options)
    return state[StateItems.SLOW](called, *states, **options)


def _load_batch(state: FastcallState, kernel: KernelEntry) -> bool:
    """Let a C function compute batches, too; say whether that is possible."""
    shape = len(kernel.program.inputs), len(kernel.program.outputs)
    write = "call.fastcall_ir:fastcall_batch_ir"
    try:
        code = common_code(kernel.element, write, FASTCALL_MODULES, *shape)
        state.set_batch(code.address(batch_name(*shape)), batch_address(kernel.element))
    except Exception:  # the slow callable always works
        return False
    return True


@lru_cache(maxsize=len(ELEMENTS))
def _addresses(element: ElementType) -> dict[FastcallSlots, int]:
    """Return the words that are the same for all kernels."""
    api = ctypes.pythonapi
    functions = [
        api.PyObject_Vectorcall, api.PyTuple_New, api.Py_IncRef, api.Py_DecRef,
        api.PyEval_SaveThread, api.PyEval_RestoreThread,
    ]  # fmt: skip
    call, new_tuple, incref, decref, save, restore = (address_of(f) for f in functions)
    return {
        FastcallSlots.ARRAY_TYPE: id(np.ndarray),
        FastcallSlots.NUMBER_TYPE: id(np.dtype(element.code)),  # lives as long as NumPy
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
    }


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
    return number_at(cls, layout.VERSION_TAG, ctypes.c_uint32)


@lru_cache(maxsize=1)
def _as_expected() -> bool:
    try:
        return (
            _right_machine()
            and _right_python()
            and _right_numpy()
            and vectorcall_works()
            and all(_addresses(DOUBLE).values())
        )
    except Exception:
        return False


def _right_machine() -> bool:
    """Return whether this is a tested machine: 64-bit, little-endian, LLVM's calling convention."""
    return (
        target(NATIVE).calls and sys.byteorder == "little" and ctypes.sizeof(ctypes.c_void_p) == 8
    )


def _right_python() -> bool:
    free_threading = "t" in getattr(sys, "abiflags", "") or "free-threading" in sys.version
    if sys.implementation.name != "cpython" or free_threading:
        return False
    text, pair = b"armdyn's fastcall", FastcallState(("a", "b"))
    return (
        ctypes.string_at(id(text) + layout.BYTES_ITEMS, len(text)) == text
        and number_at(pair, layout.TYPE) == id(FastcallState)
        and number_at(pair, layout.TUPLE_SIZE) == 2
        and number_at(pair, layout.TUPLE_ITEMS) == id(pair[0])
        and number_at(pair, layout.TUPLE_ITEMS + 8) == id(pair[1])
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
        return number_at(Derived, layout.VERSION_TAG, ctypes.c_uint32)

    seen = [version(), version()]
    Base.x = 2
    changed = number_at(Derived, layout.VERSION_TAG, ctypes.c_uint32)
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
    kinds = [pointer, pointer, number, pointer, pointer, pointer, number, pointer]
    new = ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)(table[ARRAY_NEW])
    hold = ctypes.PYFUNCTYPE(number, ctypes.py_object, ctypes.py_object)(table[ARRAY_BASE])
    owner = np.arange(5.0)
    length = (ctypes.c_ssize_t * 1)(3)
    flags = layout.DENSE_AND_ALIGNED | layout.WRITEABLE
    begin = owner.ctypes.data + 8
    kind = np.dtype(DOUBLE.code)
    for stolen in (kind, owner):  # by `new` and by `hold`
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(stolen))
    inside = new(id(np.ndarray), id(kind), 1, length, None, begin, flags, None)
    return hold(inside, owner) == 0 and inside.base is owner and inside.tolist() == [1.0, 2.0, 3.0]


def _laid_out(array: np.ndarray[Any, Any]) -> bool:
    """Return whether the fields of an array are at the expected offsets."""
    lengths, strides = (
        tuple((ctypes.c_ssize_t * array.ndim).from_address(number_at(array, at)))
        if array.ndim
        else ()
        for at in (layout.AXES, layout.STRIDES)
    )
    kind = array.dtype
    native = number_at(kind, layout.BYTE_ORDER, ctypes.c_uint8) == layout.NATIVE
    return (
        number_at(array, layout.DATA) == array.__array_interface__["data"][0]
        and number_at(array, layout.N_AXES, ctypes.c_int) == array.ndim
        and lengths == array.shape
        and strides == array.strides
        and number_at(array, layout.DESCRIPTION) == id(kind)
        and number_at(kind, layout.TYPE_NUMBER, ctypes.c_int) == kind.num
        and native == kind.isnative
        and number_at(array, layout.FLAGS, ctypes.c_int) == array.flags.num
    )
