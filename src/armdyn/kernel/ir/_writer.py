"""Write LLVM IR as text: one value of a vector width at a time, names handed out in order."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from armdyn.kernel.ir._function_writer import FunctionWriter


def bits(value: float) -> str:
    """Return a double as LLVM spells it exactly: the digits of its bit pattern."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


class Writer(FunctionWriter):
    """The body of one function, in values of `width` doubles.

    Attributes:
        width: lanes of a value; 1 writes scalars.
        fma: whether the machine fuses multiplication and addition.
    """

    def __init__(self, width: int, fma: bool, same: FunctionWriter | None = None) -> None:
        super().__init__(same)
        self.width = width
        self.fma = fma
        self.type = vector(width)
        self.integer = "i64" if width == 1 else f"<{width} x i64>"
        self.flag = "i1" if width == 1 else f"<{width} x i1>"
        self.suffix = "f64" if width == 1 else f"v{width}f64"

    def resized(self, width: int) -> Writer:
        """Return a writer of another width into the same function."""
        return Writer(width, self.fma, self)

    def const(self, value: float) -> str:
        """Return a constant in every lane."""
        return bits(value) if self.width == 1 else f"splat (double {bits(value)})"

    def splat(self, scalar: str) -> str:
        """Return a scalar in every lane."""
        if self.width == 1:
            return scalar
        first = self.new(f"insertelement {self.type} poison, double {scalar}, i64 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.new(f"shufflevector {self.type} {first}, {self.type} poison, {zeros}")

    def whole(self, value: int) -> str:
        """Return an integer constant in every lane."""
        return str(value) if self.width == 1 else f"splat (i64 {value})"

    def add(self, a: str, b: str) -> str:
        """a + b."""
        return self.new(f"fadd {self.type} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """a - b."""
        return self.new(f"fsub {self.type} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """a b."""
        return self.new(f"fmul {self.type} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """a / b."""
        return self.new(f"fdiv {self.type} {a}, {b}")

    def neg(self, a: str) -> str:
        """-a."""
        return self.new(f"fneg {self.type} {a}")

    def muladd(self, a: str, b: str, c: str) -> str:
        """a b + c, rounded once where the machine can."""
        if not self.fma:
            return self.add(self.mul(a, b), c)
        return self.call("llvm.fma", a, b, c)

    def call(self, intrinsic: str, *args: str) -> str:
        """Call an intrinsic function of doubles."""
        given = ", ".join(f"{self.type} {a}" for a in args)
        return self.new(f"call {self.type} @{intrinsic}.{self.suffix}({given})")

    def select(self, flag: str, a: str, b: str) -> str:
        """Return a where the flag is set, else b."""
        return self.new(f"select {self.flag} {flag}, {self.type} {a}, {self.type} {b}")

    def load(self, base: str, at: int) -> str:
        """Load `width` doubles from position `at` of an array."""
        return self.new(f"load {self.type}, ptr {self.address(base, at)}, align 8")

    def store(self, value: str, base: str, at: int) -> None:
        """Store `width` doubles at position `at` of an array."""
        self.do(f"store {self.type} {value}, ptr {self.address(base, at)}, align 8")

    def address(self, base: str, at: int) -> str:
        """Return the address of position `at` of an array of doubles."""
        return base if at == 0 else self.new(f"getelementptr double, ptr {base}, i64 {at}")

    def shuffle(self, a: str, b: str, lanes: Sequence[int]) -> str:
        """Return lanes of a (numbered from 0) and of b (numbered from `width`)."""
        mask = ", ".join(f"i32 {lane}" for lane in lanes)
        kind = f"<{len(lanes)} x i32>"
        return self.new(f"shufflevector {self.type} {a}, {self.type} {b}, {kind} <{mask}>")


def vector(width: int) -> str:
    """Return the type of `width` doubles."""
    return "double" if width == 1 else f"<{width} x double>"
