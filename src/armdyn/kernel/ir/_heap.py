"""Memory from the C library, for arrays that are too large for the stack."""

from __future__ import annotations

from armdyn.kernel.ir._sincos import LIBRARY
from armdyn.kernel.ir._writer import Writer

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
