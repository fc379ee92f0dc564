"""Counted loops in IR, and memory from the C library for large arrays."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from armdyn.kernel.ir.sincos import LIBRARY
from armdyn.kernel.ir.writer import Writer

# Counted loops.


class Counted:
    """A loop that is being written.

    Attributes:
        i: its counter.
        carried: the values from the previous iteration, or from the start.
        following: the values for the next iteration; set while the body is emitted.
    """

    def __init__(self, i: str, carried: list[str]) -> None:
        self.i = i
        self.carried = carried
        self.following: Sequence[str] = ()


@contextmanager
def counted(
    w: Writer,
    label: str,
    first: str | int,
    past: int,
    by: int = 1,
    carried: Sequence[tuple[str, str]] = (),
) -> Generator[Counted, None, None]:
    """Emit a loop around its body; the body runs at least once.

    Args:
        w: emits the function.
        label: distinguishes the loop from others.
        first: where the counter starts.
        past: the loop ends before the counter reaches this number.
        by: step of the counter.
        carried: type and initial value of every loop-carried value.
    """
    loop = Counted(f"%{label}.i", [f"%{label}.c{k}" for k in range(len(carried))])
    for part in ("from", "head"):
        w.jump(f"{label}.{part}")
        w.begin(f"{label}.{part}")
    w.do(f"{loop.i} = phi i64 [ {first}, %{label}.from ], [ %{label}.next, %{label}.tail ]")
    for name, (kind, start) in zip(loop.carried, carried, strict=True):
        w.do(f"{name} = phi {kind} [ {start}, %{label}.from ], [ {name}.next, %{label}.tail ]")
    yield loop
    w.jump(f"{label}.tail")
    w.begin(f"{label}.tail")
    # copies that give the values the names that the loop header already uses
    for name, (kind, _), value in zip(loop.carried, carried, loop.following, strict=True):
        w.do(f"{name}.next = bitcast {kind} {value} to {kind}")
    w.do(f"%{label}.next = add nsw i64 {loop.i}, {by}")
    w.do(f"%{label}.more = icmp s{'lt' if by > 0 else 'gt'} i64 %{label}.next, {past}")
    w.branch(f"%{label}.more", f"{label}.head", f"{label}.done")
    w.begin(f"{label}.done")


# Memory from the C library, for arrays that are too large for the stack.

# Positions in the table of the C library's functions.
MALLOC, FREE = 2, 3


def allocated(w: Writer, size: int) -> str:
    """Allocate `size` bytes; the address is null if that fails."""
    return w.new(f"call ptr {_function(w, MALLOC)}(i64 {size + w.codegen.target.line_bytes})")


def aligned(w: Writer, memory: str) -> str:
    """Return the first address in allocated memory that is aligned to a cache line, or null."""
    line = w.codegen.target.line_bytes
    number = w.new(f"ptrtoint ptr {memory} to i64")
    # null stays null
    rounded = w.new(f"and i64 {w.new(f'add i64 {number}, {line - 1}')}, {-line}")
    return w.new(f"inttoptr i64 {rounded} to ptr")


def release(w: Writer, memory: str) -> None:
    """Free allocated memory."""
    w.do(f"call void {_function(w, FREE)}(ptr {memory})")


def _function(w: Writer, k: int) -> str:
    place = w.new(f"getelementptr ptr, ptr @{LIBRARY}, i64 {k}")
    return w.new(f"load ptr, ptr {place}, align 8")
