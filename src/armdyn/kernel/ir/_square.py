"""Tiles of eight columns as rows, in the machine's own words.

LLVM weighs every shuffle against all others near it, which takes it longer than all else where a
program has hundreds of results. What is written here it takes as it is. Shuffles work in place, two
registers and a spare one at a time, so that there is room for what else is waiting.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.kernel._element import DOUBLE
from armdyn.kernel.ir._writer import Writer

SIDE = 8
_SPARE = SIDE
_BASE = SIDE + 1 + SIDE  # behind the registers come the columns once more, as what they begin with


def stores_squares(w: Writer) -> bool:
    """Say whether a writer's target has these instructions for its values."""
    return w.codegen.target.tile_assembly and w.element == DOUBLE and w.width == SIDE


def store_square(w: Writer, columns: Sequence[str], base: str, n: int, start: int) -> None:
    """Store eight columns, from the one numbered `start`, into eight rows of n numbers."""
    lines: list[str] = []
    places = [*range(SIDE), _SPARE]  # the registers of the values, and the one that is spare

    def split(a: int, b: int, low: str, high: str) -> None:
        """Let the first of two values have what both have for some rows, the second the rest."""
        x, y, spare = places[a], places[b], places[-1]
        lines.append(f"{high} ${y}, ${x}, ${spare}")
        lines.append(f"{low} ${y}, ${x}, ${x}")
        places[b], places[-1] = spare, y

    for k in range(0, SIDE, 2):  # pairs of columns: one value has even rows, the other odd ones
        split(k, k + 1, "vunpcklpd", "vunpckhpd")
    for odd in (0, 1):  # of both kinds, values of rows 0 and 4, and of 2 and 6; then of one row
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
    """Return what stores registers into rows, the first of them first."""
    places = (w.codegen.bytes_of(row * n + start) for row in range(SIDE))
    return [f"vmovupd ${x}, {at}(${base})" for x, at in zip(values, places, strict=False)]
