"""Tiles of eight columns stored as rows, in inline assembly (AVX-512).

LLVM compares each shuffle with all others near it. If a program has hundreds of results, this takes
longer than everything else. LLVM does not analyse inline assembly. Shuffles work in place, on two
registers and a spare one at a time, so that the other registers can hold live values.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.kernel._element import DOUBLE
from armdyn.kernel.ir._writer import Writer

SIDE = 8
_SPARE = SIDE
_BASE = SIDE + 1 + SIDE  # after the registers come the columns, which initialise them


def stores_squares(w: Writer) -> bool:
    """Return whether a writer's target has these instructions for its values."""
    return w.codegen.target.tile_assembly and w.element == DOUBLE and w.width == SIDE


def store_square(w: Writer, columns: Sequence[str], base: str, n: int, start: int) -> None:
    """Store eight columns, from the one numbered `start`, into eight rows of n numbers."""
    lines: list[str] = []
    places = [*range(SIDE), _SPARE]  # the registers of the values, and the spare register

    def split(a: int, b: int, low: str, high: str) -> None:
        """Gather some rows of two values in the first value, and the other rows in the second."""
        x, y, spare = places[a], places[b], places[-1]
        lines.append(f"{high} ${y}, ${x}, ${spare}")
        lines.append(f"{low} ${y}, ${x}, ${x}")
        places[b], places[-1] = spare, y

    for k in range(0, SIDE, 2):  # pairs of columns: one value has even rows, the other odd ones
        split(k, k + 1, "vunpcklpd", "vunpckhpd")
    for odd in (0, 1):  # of both: rows 0 and 4, and rows 2 and 6; then single rows
        for a, b in ((0, 2), (4, 6), (0, 4), (2, 6)):
            split(a + odd, b + odd, "vshuff64x2 $$0x88,", "vshuff64x2 $$0xdd,")
    lines += _stores(w, places, _BASE, n, start)
    registers = ", ".join([w.type] * (SIDE + 1))
    bound = ",".join(["=&v"] * (SIDE + 1) + [str(k) for k in range(SIDE)] + ["r", "~{memory}"])
    given = ", ".join(f"{w.type} {column}" for column in columns)
    text = r"\0A".join(lines)
    w.new(f'call {{{registers}}} asm sideeffect "{text}", "{bound}"({given}, ptr {base})')


def store_same(w: Writer, value: str, base: str, n: int, start: int) -> None:
    """Store eight columns that are all one value."""
    text = r"\0A".join(_stores(w, [0] * SIDE, 1, n, start))
    w.do(f'call void asm sideeffect "{text}", "v,r,~{{memory}}"({w.type} {value}, ptr {base})')


def _stores(w: Writer, values: Sequence[int], base: int, n: int, start: int) -> list[str]:
    """Return the instructions that store registers into rows, in order."""
    places = (w.codegen.bytes_of(row * n + start) for row in range(SIDE))
    return [f"vmovupd ${x}, {at}(${base})" for x, at in zip(values, places, strict=False)]
