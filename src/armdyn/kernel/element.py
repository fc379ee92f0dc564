"""The floating-point type that a kernel computes with."""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass
from math import copysign, inf
from typing import Any


@dataclass(frozen=True)
class ElementType:
    """An IEEE 754 floating-point type.

    Attributes:
        name: LLVM's name of the type.
        bytes: size of one number.
        code: its format character, in the module `struct` and in NumPy.
        type_number: NumPy's number of the type.
        safe_magnitude: larger inputs (SI units) do not occur in practice, and most programs cannot
            overflow for smaller ones.
    """

    name: str
    bytes: int
    code: str
    type_number: int
    safe_magnitude: float

    @property
    def bits(self) -> int:
        """Bits of one number."""
        return 8 * self.bytes

    @property
    def integer(self) -> str:
        """LLVM's name of the integer type of the same size."""
        return f"i{self.bits}"

    @property
    def c_integer(self) -> Any:
        """The type of that integer in the module `ctypes`."""
        return ctypes.c_int64 if self.bytes == 8 else ctypes.c_int32

    @property
    def infinity(self) -> int:
        """The bits of infinity; ignoring the sign, every NaN is larger and every number smaller."""
        return self.pattern(inf)

    @property
    def largest(self) -> float:
        """The largest finite number."""
        raw = (self.infinity - 1).to_bytes(self.bytes, "little")
        (value,) = struct.unpack(f"<{self.code}", raw)
        return value

    def pattern(self, value: float) -> int:
        """Return the bits of a number as a signed integer."""
        raw = struct.pack(f"<{self.code}", value)
        return int.from_bytes(raw, "little", signed=True)

    def rounded(self, value: float) -> float:
        """Return the number of this type that is nearest; infinity beyond the largest one."""
        try:
            (found,) = struct.unpack(f"<{self.code}", struct.pack(f"<{self.code}", value))
        except OverflowError:
            return copysign(inf, value)
        return found

    def bound(self, largest: float) -> int:
        """Return the bits of the largest number of this type that does not exceed a bound > 0."""
        if largest >= self.largest:
            return self.pattern(self.largest)
        nearest = self.rounded(largest)
        return self.pattern(nearest) - (nearest > largest)

    def constant(self, value: float) -> str:
        """Return a number, rounded to the type, as LLVM's literal: the bits of an equal double."""
        rounded = self.rounded(value)
        (bits,) = struct.unpack("<Q", struct.pack("<d", rounded))
        return f"0x{bits:016X}"

    def vector(self, width: int) -> str:
        """Return LLVM's type of a vector of this width; the scalar type if the width is 1."""
        return vector_type(self.name, width)

    def suffix(self, width: int) -> str:
        """Return the suffix of LLVM's intrinsics for vectors of this width."""
        return f"f{self.bits}" if width == 1 else f"v{width}f{self.bits}"


DOUBLE = ElementType("double", 8, "d", type_number=12, safe_magnitude=1e15)
FLOAT = ElementType("float", 4, "f", type_number=11, safe_magnitude=1e9)

# The types that kernels compute with, by the format character of their NumPy type.
ELEMENTS = {element.code: element for element in (DOUBLE, FLOAT)}


def vector_type(name: str, width: int) -> str:
    """Return LLVM's type of a vector; the scalar type if the width is 1."""
    return name if width == 1 else f"<{width} x {name}>"


# Names of the functions in the object code of a program.

# Computes one state, given pointers to its inputs and outputs.
ONE = "armdyn_one"

# Computes a block of states, one in each lane of a vector.
BLOCK = "armdyn_block"

# Computes any number of states; the inner loop of a NumPy gufunc.
LOOP = "armdyn_loop"

# Computes blocks of states whose results are streamed to memory.
STREAMING = "armdyn_streaming"

# Returns the largest magnitude of inputs for which all results are certain to be finite.
ORDINARY = "armdyn_ordinary"

# Takes the addresses of the functions of the C library.
LINK = "armdyn_link"

# What the functions that compute a batch return, if not 0.
BAD_INPUT, BAD_RESULT = 1, 2
