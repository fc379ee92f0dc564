"""Write one function of LLVM IR as text: names, blocks, branches and fields of structures."""

from __future__ import annotations

from collections.abc import Iterable


class _Body:
    """What all writers of one function share."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.block = ""
        self.names = 0


class FunctionWriter:
    """The body of one function, written from top to bottom.

    Args:
        same: a writer of the function; default is a new function.
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
        """Write an instruction without a value."""
        self._body.lines.append(f"  {text}")

    def new(self, text: str) -> str:
        """Write an instruction and return the name of its value."""
        self._body.names += 1
        name = f"%t{self._body.names}"
        self._body.lines.append(f"  {name} = {text}")
        return name

    def new_label(self, stem: str) -> str:
        """Return a label that is not taken."""
        self._body.names += 1
        return f"{stem}{self._body.names}"

    def begin(self, label: str) -> None:
        """Begin a basic block."""
        self._body.block = label
        self._body.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        """End the block: go to another one."""
        self.do(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str, *, rare: bool = False) -> None:
        """End the block: go to one of two others; `rare` says that the first is hardly taken."""
        weights = ", !prof !0" if rare else ""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}{weights}")

    def phi(self, kind: str, *values: tuple[str, str]) -> str:
        """Return the value that belongs to the block that control came from.

        Args:
            kind: type of the value.
            values: each value and the label of its block.
        """
        return self.new(f"phi {kind} " + ", ".join(f"[ {x}, %{block} ]" for x, block in values))

    def field(self, base: str, offset: int) -> str:
        """Return the address some bytes behind a pointer."""
        return self.new(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load_field(self, kind: str, base: str, offset: int) -> str:
        """Load a value some bytes behind a pointer."""
        return self.new(f"load {kind}, ptr {self.field(base, offset)}")

    def store_field(self, kind: str, value: str, base: str, offset: int) -> None:
        """Store a value some bytes behind a pointer."""
        self.do(f"store {kind} {value}, ptr {self.field(base, offset)}")

    def at_entry(self, instructions: Iterable[str]) -> None:
        """Write instructions at the top of the first block, before all that is written already."""
        self._body.lines[1:1] = [f"  {text}" for text in instructions]

    def text(self, head: str) -> str:
        """Return the whole function.

        Args:
            head: linkage, type, name, parameters and attributes, as LLVM writes them.
        """
        return "\n".join([f"define {head} {{", *self._body.lines, "}"]) + "\n"
