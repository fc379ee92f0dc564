"""Write one function of LLVM IR as text: names, blocks, branches and fields of structures."""

from __future__ import annotations

from collections.abc import Iterable

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
