"""Objects that Python calls through a C function of their own: the vectorcall protocol (PEP 590).

Python calls an object by looking up `__call__` in its class, binding it, and packing the arguments
into a tuple. This takes a quarter of the time of a call for one state. If a class has the flag
`Py_TPFLAGS_HAVE_VECTORCALL`, its instances have a pointer to a C function, which Python calls
directly; if the pointer is null, it calls `__call__` as usual.

Only C declares such a pointer, so the base class `Vectorcallable` is made by `PyType_FromSpec`. A
class that is defined in Python does not inherit the flag, since a `__call__` that is assigned to it
later would be ignored. Here the C function compares the version of the class itself, so
`set_function` sets the flag.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from armdyn.kernel.call import layout
from armdyn.kernel.call.layout import address_of, number_at

HAVE_VECTORCALL = 1 << 11
BASE_TYPE = 1 << 10  # a class that can be derived from
# Slots of a class, and types of its members, as CPython numbers them.
TP_DOC, TP_MEMBERS = 56, 72
OBJECT, SIZE, READ_ONLY = 16, 19, 1


class _Member(ctypes.Structure):
    """CPython's PyMemberDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Slot(ctypes.Structure):
    """CPython's PyType_Slot."""

    _fields_ = (("slot", ctypes.c_int), ("value", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    """CPython's PyType_Spec."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basic_size", ctypes.c_int),
        ("item_size", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


_DOC = "An object that may have a C function, which Python calls in its place."
_kept: list[object] = []


def _made() -> type:
    """Return the base class: an object with two more fields, `VECTORCALL` and `STATE`."""
    try:
        head, pointer = object.__basicsize__, ctypes.sizeof(ctypes.c_void_p)
        members = (_Member * 3)(
            (b"__vectorcalloffset__", SIZE, head, READ_ONLY, None),
            (b"fastcall_state", OBJECT, head + pointer, 0, b"What the C function works with."),
        )
        doc = ctypes.c_char_p(_DOC.encode())
        slots = (_Slot * 3)(
            (TP_MEMBERS, ctypes.addressof(members)), (TP_DOC, ctypes.cast(doc, ctypes.c_void_p))
        )
        name = f"{__name__}.Vectorcallable".encode()
        spec = _Spec(name, head + 2 * pointer, 0, BASE_TYPE, slots)
        _kept.extend((spec, slots, members, doc))  # the class refers to their texts
        make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(
            ("PyType_FromSpec", ctypes.pythonapi)
        )
        return make(ctypes.addressof(spec))
    except Exception:  # not CPython: objects are called by `__call__`
        return type("Vectorcallable", (), {"__doc__": _DOC, "__module__": __name__})


if TYPE_CHECKING:

    class Vectorcallable:
        """An object that may have a C function, which Python calls in its place.

        The garbage collector does not see `fastcall_state`, and so never clears it while the object
        is alive. It must not refer to the object.
        """

        fastcall_state: tuple[object, ...]

else:
    Vectorcallable = _made()


def set_function(x: Vectorcallable, address: int) -> None:
    """Let Python call an object by a C function; 0: by `__call__`."""
    ctypes.c_void_p.from_address(id(x) + layout.VECTORCALL).value = address
    # One byte: Python changes other bytes of the flags when a class changes.
    flags = ctypes.c_uint8.from_address(id(type(x)) + layout.CLASS_FLAGS + 1)
    flags.value |= HAVE_VECTORCALL >> 8


def has_function(x: Vectorcallable) -> bool:
    """Return whether Python calls an object by a C function.

    From Python 3.12 on, a class loses the flag when `__call__` is assigned.
    """
    flagged = type(x).__flags__ & HAVE_VECTORCALL and hasattr(x, "fastcall_state")
    return bool(flagged and number_at(x, layout.VECTORCALL))


def vectorcall_works() -> bool:
    """Return whether Python calls objects as expected; this is tried on a class."""

    class Trial(Vectorcallable):
        def __call__(self) -> str:
            return "called"

    trial = Trial()
    if (
        Vectorcallable.__basicsize__ != layout.STATE + 8
        or number_at(Trial, layout.CLASS_FLAGS) != Trial.__flags__
        or number_at(Trial, layout.VECTORCALL_OFFSET) != layout.VECTORCALL
    ):
        return False
    trial.fastcall_state = ("state",)
    calls: list[object] = [trial()]
    # a C function of one argument, the object that is called
    set_function(trial, address_of(ctypes.pythonapi.PyObject_Type))
    calls.append(trial())
    set_function(trial, 0)
    calls.append(trial())
    return calls == ["called", Trial, "called"] and number_at(trial, layout.STATE) == id(
        trial.fastcall_state
    )
