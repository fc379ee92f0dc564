"""The floating-point type that a kernel computes with."""

from __future__ import annotations

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class ElementType:
    """An IEEE 754 floating-point type.

    Attributes:
        name: LLVM's name of the type.
        bytes: size of one number.
        code: its format character in the module `struct`.
    """

    name: str
    bytes: int
    code: str

    @property
    def bits(self) -> int:
        """Bits of one number."""
        return 8 * self.bytes

    @property
    def integer(self) -> str:
        """LLVM's name of the integer type of the same size."""
        return f"i{self.bits}"

    @property
    def infinity(self) -> int:
        """The bits of infinity; ignoring the sign, every NaN is larger and every number smaller."""
        return self.pattern(float("inf"))

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

    def constant(self, value: float) -> str:
        """Return a number as an exact LLVM literal: the bits of the double equal to it."""
        (rounded,) = struct.unpack(f"<{self.code}", struct.pack(f"<{self.code}", value))
        (bits,) = struct.unpack("<Q", struct.pack("<d", rounded))
        return f"0x{bits:016X}"

    def vector(self, width: int) -> str:
        """Return LLVM's type of a vector of this width; the scalar type if the width is 1."""
        return vector_type(self.name, width)

    def suffix(self, width: int) -> str:
        """Return the suffix of LLVM's intrinsics for vectors of this width."""
        return f"f{self.bits}" if width == 1 else f"v{width}f{self.bits}"


DOUBLE = ElementType("double", 8, "d")


def vector_type(name: str, width: int) -> str:
    """Return LLVM's type of a vector; the scalar type if the width is 1."""
    return name if width == 1 else f"<{width} x {name}>"
