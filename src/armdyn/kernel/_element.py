"""The type of the numbers that a kernel computes with."""

from __future__ import annotations

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class ElementType:
    """A floating-point type of IEEE 754.

    Attributes:
        name: as LLVM calls it.
        bytes: of one number.
        code: of the module `struct`.
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
        """The integer of as many bits, as LLVM calls it."""
        return f"i{self.bits}"

    @property
    def infinity(self) -> int:
        """The bits of infinity; without its sign no number has larger ones, and every NaN has."""
        return self.pattern(float("inf"))

    @property
    def largest(self) -> float:
        """The largest finite number."""
        raw = (self.infinity - 1).to_bytes(self.bytes, "little")
        (value,) = struct.unpack(f"<{self.code}", raw)
        return value

    def pattern(self, value: float) -> int:
        """Return the bits of a number, as an integer with a sign."""
        raw = struct.pack(f"<{self.code}", value)
        return int.from_bytes(raw, "little", signed=True)

    def constant(self, value: float) -> str:
        """Return a number as LLVM spells it exactly: the bits of the double that is equal to it."""
        (rounded,) = struct.unpack(f"<{self.code}", struct.pack(f"<{self.code}", value))
        (bits,) = struct.unpack("<Q", struct.pack("<d", rounded))
        return f"0x{bits:016X}"

    def vector(self, width: int) -> str:
        """Return the type of some numbers side by side; of one it is the number itself."""
        return vector_type(self.name, width)

    def suffix(self, width: int) -> str:
        """Return what LLVM appends to the name of an intrinsic function of such vectors."""
        return f"f{self.bits}" if width == 1 else f"v{width}f{self.bits}"


DOUBLE = ElementType("double", 8, "d")


def vector_type(name: str, width: int) -> str:
    """Return LLVM's type of a vector; of one lane it is the lane itself."""
    return name if width == 1 else f"<{width} x {name}>"
