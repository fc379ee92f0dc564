"""Emit arithmetic in LLVM IR, on scalars or on vectors of one width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from armdyn.kernel._element import ElementType, vector_type
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._function_writer import FunctionWriter


class Writer(FunctionWriter):
    """The body of a function whose values have `width` numbers.

    Attributes:
        width: lanes of a value; 1 means scalars.
        codegen: the target and the element type.
        element: the type of the numbers.
        fma: whether multiplication and addition are fused.
        type: LLVM type of a value.
        integer: LLVM type of the bits of a value.
        flag: LLVM type of the result of a comparison.
    """

    def __init__(self, width: int, codegen: Codegen, same: FunctionWriter | None = None) -> None:
        super().__init__(same)
        self.width = width
        self.codegen = codegen
        self.element = codegen.element
        self.fma = codegen.target.fma
        self.type = self.element.vector(width)
        self.integer = vector_type(self.element.integer, width)
        self.flag = vector_type("i1", width)

    def resized(self, width: int) -> Writer:
        """Return a writer of another width into the same function."""
        return Writer(width, self.codegen, self)

    def of_type(self, element: ElementType) -> Writer:
        """Return a writer of the same width for another element type into the same function."""
        return Writer(self.width, replace(self.codegen, element=element), self)

    def converted(self, value: str, of: Writer) -> str:
        """Return a value of another writer, of the same width, in this one's element type."""
        if of.element == self.element:
            return value
        how = "fpext" if self.element.bytes > of.element.bytes else "fptrunc"
        return self.new(f"{how} {of.type} {value} to {self.type}")

    def const(self, value: float) -> str:
        """Return a constant in every lane."""
        number = self.element.constant(value)
        return number if self.width == 1 else f"splat ({self.element.name} {number})"

    def splat(self, scalar: str) -> str:
        """Return a scalar in every lane."""
        if self.width == 1:
            return scalar
        first = self.new(f"insertelement {self.type} poison, {self.element.name} {scalar}, i64 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.new(f"shufflevector {self.type} {first}, {self.type} poison, {zeros}")

    def whole(self, value: int) -> str:
        """Return an integer constant in every lane."""
        return str(value) if self.width == 1 else f"splat ({self.element.integer} {value})"

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
        """a b + c, rounded once if the target has FMA."""
        if not self.fma:
            return self.add(self.mul(a, b), c)
        return self.call("llvm.fma", a, b, c)

    def call(self, intrinsic: str, *args: str) -> str:
        """Call an intrinsic function."""
        given = ", ".join(f"{self.type} {a}" for a in args)
        return self.new(f"call {self.type} @{intrinsic}.{self.element.suffix(self.width)}({given})")

    def greater(self, a: str, b: str) -> str:
        """Return the flag a > b; not set for NaN."""
        return self.new(f"fcmp ogt {self.type} {a}, {b}")

    def select(self, flag: str, a: str, b: str) -> str:
        """Return a where the flag is set, else b."""
        return self.new(f"select {self.flag} {flag}, {self.type} {a}, {self.type} {b}")

    def load(self, base: str, at: int) -> str:
        """Load `width` numbers from position `at` of an array."""
        place = self.address(base, at)
        return self.new(f"load {self.type}, ptr {place}, align {self.element.bytes}")

    def store(self, value: str, base: str, at: int) -> None:
        """Store `width` numbers at position `at` of an array."""
        place = self.address(base, at)
        self.do(f"store {self.type} {value}, ptr {place}, align {self.element.bytes}")

    def address(self, base: str, at: int) -> str:
        """Return the address of position `at` of an array of numbers."""
        return base if at == 0 else self.address_of(base, str(at))

    def address_of(self, base: str, index: str) -> str:
        """Return the address of an element of an array whose index is a value."""
        return self.new(f"getelementptr {self.element.name}, ptr {base}, i64 {index}")

    def shuffle(self, a: str, b: str, lanes: Sequence[int]) -> str:
        """Return lanes of a (numbered from 0) and of b (numbered from `width`)."""
        mask = ", ".join(f"i32 {lane}" for lane in lanes)
        kind = f"<{len(lanes)} x i32>"
        return self.new(f"shufflevector {self.type} {a}, {self.type} {b}, {kind} <{mask}>")
