"""Write LLVM IR as text: functions and blocks, and arithmetic on scalars or vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from armdyn.kernel.element import ElementType, vector_type
from armdyn.kernel.ir.codegen import Codegen

# Write one function of LLVM IR as text: names, blocks, branches and fields of structures.

# The metadata that rare branches refer to; a module that has such branches ends with it.
RARE = '!0 = !{!"branch_weights", i32 1, i32 1000000}'


class _Body:
    """The state that all writers of one function share."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.block = ""
        self.names = 0


class FunctionWriter:
    """The body of one function, written from top to bottom.

    Args:
        same: another writer of the same function; default is a new function.
    """

    def __init__(self, same: FunctionWriter | None = None) -> None:
        self._body: _Body = same._body if same else _Body()

    @property
    def lines(self) -> list[str]:
        """The text so far."""
        return self._body.lines

    @property
    def block(self) -> str:
        """The label of the current block."""
        return self._body.block

    def do(self, text: str) -> None:
        """Emit an instruction without a value."""
        self._body.lines.append(f"  {text}")

    def new(self, text: str) -> str:
        """Emit an instruction and return the name of its value."""
        self._body.names += 1
        name = f"%t{self._body.names}"
        self._body.lines.append(f"  {name} = {text}")
        return name

    def new_label(self, stem: str) -> str:
        """Return an unused label."""
        self._body.names += 1
        return f"{stem}{self._body.names}"

    def begin(self, label: str) -> None:
        """Begin a basic block."""
        self._body.block = label
        self._body.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        """End the block with a jump to another one."""
        self.do(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str, *, rare: bool = False) -> None:
        """End the block with a branch to one of two others; `rare`: the first is rarely taken."""
        weights = ", !prof !0" if rare else ""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}{weights}")

    def phi(self, kind: str, *values: tuple[str, str]) -> str:
        """Emit a phi: the value that belongs to the predecessor block.

        Args:
            kind: type of the value.
            values: each value and the label of its block.
        """
        return self.new(f"phi {kind} " + ", ".join(f"[ {x}, %{block} ]" for x, block in values))

    def field(self, base: str, offset: int) -> str:
        """Return the address at a byte offset from a pointer."""
        return self.new(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load_field(self, kind: str, base: str, offset: int) -> str:
        """Load a value at a byte offset from a pointer."""
        return self.new(f"load {kind}, ptr {self.field(base, offset)}")

    def store_field(self, kind: str, value: str, base: str, offset: int) -> None:
        """Store a value at a byte offset from a pointer."""
        self.do(f"store {kind} {value}, ptr {self.field(base, offset)}")

    def at_entry(self, instructions: Iterable[str]) -> None:
        """Insert instructions at the top of the entry block, before those already emitted."""
        self._body.lines[1:1] = [f"  {text}" for text in instructions]

    def text(self, head: str) -> str:
        """Return the whole function.

        Args:
            head: linkage, type, name, parameters and attributes, as LLVM writes them.
        """
        return "\n".join([f"define {head} {{", *self._body.lines, "}"]) + "\n"


# Emit arithmetic in LLVM IR, on scalars or on vectors of one width.


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
