"""Load the columns of a block of states from its rows, and store them: transposes in registers.

A block is `width` states of n numbers each, one after the other in memory, as in a NumPy array. A
program needs the k-th number of every state in one vector. Tiles of some columns are loaded or
stored as pieces of rows and transposed by shuffles. Short pieces, several in a vector, need fewer
shuffles; whole vectors need fewer stores, and a processor does one store at a time. An odd last
column is moved together with the previous column, which is then moved twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from armdyn.kernel.element import DOUBLE
from armdyn.kernel.ir.writer import Writer


class Tile(NamedTuple):
    """Columns that are loaded or stored together; their number is a power of two."""

    start: int
    size: int

    @property
    def columns(self) -> range:
        """The columns' numbers."""
        return range(self.start, self.start + self.size)


def load_tiles(width: int, n: int) -> list[Tile]:
    """Return tiles that cover n columns of a block of `width` rows, for loading."""
    return _tiles(max(width // 2, 2), n)


def store_tiles(width: int, n: int) -> list[Tile]:
    """Return tiles that cover n columns of a block of `width` rows, for storing."""
    return [Tile(k, 1) for k in range(n)] if width == 1 else _tiles(width, n)


def _tiles(largest: int, n: int) -> list[Tile]:
    if n == 1:
        return [Tile(0, 1)]
    found: list[Tile] = []
    at = 0
    while at < n:
        size = largest
        while size > 2 and size > n - at:
            size //= 2
        found.append(Tile(min(at, n - size), size))
        at += size
    return found


def load_tile(w: Writer, base: str, n: int, tile: Tile) -> list[str]:
    """Load the columns of a tile from rows of n numbers."""
    if tile.size == 1:
        return [w.load(base, 0)]
    vectors = [_joined(w, base, [r * n + tile.start for r in rows]) for rows in _rows(w, tile)]
    return transposed(w, vectors)


def store_tile(w: Writer, columns: Sequence[str], base: str, n: int, tile: Tile) -> None:
    """Store the columns of a tile into rows of n numbers."""
    if tile.size == 1:
        w.store(columns[0], base, 0)
        return
    if tile.size == w.width:
        pieces = list(zip(transposed(w, columns), _rows(w, tile), strict=True))
    else:
        pieces = _pieces_of_rows(w, columns)
    piece = w.resized(tile.size)
    for vector, rows in pieces:
        for k, r in enumerate(rows):
            lanes = range(k * tile.size, (k + 1) * tile.size)
            part = w.shuffle(vector, "poison", lanes) if len(rows) > 1 else vector
            piece.store(part, base, r * n + tile.start)


def _pieces_of_rows(w: Writer, columns: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Return vectors of pieces of rows, and their rows; for fewer columns than vector lanes."""
    low, high = _unpack(w)
    pairs = list(zip(columns[::2], columns[1::2], strict=True))
    vectors = [
        (w.shuffle(a, b, lanes), list(range(odd, w.width, 2)))
        for odd, lanes in enumerate((low, high))
        for a, b in pairs
    ]
    size = 2
    while size < len(columns):  # put pieces of two vectors side by side
        first = [lane for k in range(0, w.width // 2, size) for lane in _both(w, k, size)]
        second = [lane + w.width // 2 for lane in first]
        couples = list(zip(vectors[::2], vectors[1::2], strict=True))
        half = len(couples[0][0][1]) // 2
        vectors = [
            (w.shuffle(a, b, lanes), rows[:half] if lanes is first else rows[half:])
            for lanes in (first, second)
            for (a, rows), (b, _) in couples
        ]
        size *= 2
    return vectors


def _both(w: Writer, start: int, size: int) -> list[int]:
    """Return the lanes of a piece of one vector, and of the same piece of another."""
    piece = list(range(start, start + size))
    return piece + [w.width + lane for lane in piece]


def transposed(w: Writer, vectors: Sequence[str]) -> list[str]:
    """Transpose pieces of rows, ordered as in `_rows`, into columns; or columns into rows.

    Neighbouring rows are interleaved within pairs of lanes, then pairs are sorted into place.
    Processors do all these shuffles without an index vector.
    """
    low, high = _unpack(w)
    pairs = list(zip(vectors[::2], vectors[1::2], strict=True))
    evens = _sorted_pairs(w, [w.shuffle(a, b, low) for a, b in pairs])
    odds = _sorted_pairs(w, [w.shuffle(a, b, high) for a, b in pairs])
    return [column for pair in zip(evens, odds, strict=True) for column in pair]


def _sorted_pairs(w: Writer, values: list[str]) -> list[str]:
    """Sort m values, in which every m-th pair of lanes belongs together, into m whole values."""
    if len(values) == 1:
        return values
    first = [lane for pair in range(0, w.width, 2) for lane in (2 * pair, 2 * pair + 1)]
    second = [lane + 2 for lane in first]
    couples = list(zip(values[::2], values[1::2], strict=True))
    evens = _sorted_pairs(w, [w.shuffle(a, b, first) for a, b in couples])
    odds = _sorted_pairs(w, [w.shuffle(a, b, second) for a, b in couples])
    return [value for pair in zip(evens, odds, strict=True) for value in pair]


def _rows(w: Writer, tile: Tile) -> list[list[int]]:
    """Return the rows whose pieces share a vector; vectors of even and odd rows alternate."""
    step = 2 * w.width // tile.size
    return [
        list(range(first + odd, first + step, 2))
        for first in range(0, w.width, step)
        for odd in (0, 1)
    ]


def _joined(w: Writer, base: str, places: Sequence[int]) -> str:
    """Load pieces of rows one after the other into one vector."""
    size = w.width // len(places)
    parts = [w.resized(size).load(base, at) for at in places]
    while len(parts) > 1:
        both = w.resized(size)
        couples = zip(parts[::2], parts[1::2], strict=True)
        parts = [both.shuffle(a, b, range(2 * size)) for a, b in couples]
        size *= 2
    return parts[0]


def _unpack(w: Writer) -> tuple[list[int], list[int]]:
    """Return the lanes that interleave the even, and the odd, lanes of two vectors."""
    low = [lane for even in range(0, w.width, 2) for lane in (even, w.width + even)]
    return low, [lane + 1 for lane in low]


# Tiles of eight columns stored as rows, in inline assembly (AVX-512).
#
# LLVM compares each shuffle with all others near it. If a program has hundreds of results, this
# takes longer than everything else. LLVM does not analyse inline assembly. Shuffles work in place,
# on two registers and a spare one at a time, so that the other registers can hold live values.

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
