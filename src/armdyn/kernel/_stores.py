"""The results of a program: stored in tiles as soon as their columns are there.

A wide output would need thousands of shuffles, one after the other in the kernel. Its columns are
kept instead, and functions that are called at the end make rows of them, tile by tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armdyn.graph import Program, Slot
from armdyn.kernel._rows import Tile, store_tile, store_tiles, transposed
from armdyn.kernel._text import Writer
from armdyn.scalar import Op

# Columns of an output that is wide.
WIDE = 128
TILE = "armdyn_tile"
FILL = "armdyn_fill"


@dataclass(frozen=True)
class Store:
    """Some columns of an output.

    Attributes:
        base: where the output is; of a wide one, where its columns are kept.
        n: columns of the output.
        tile: which of them.
        results: the instructions whose values they are.
        wide: whether the output is wide.
    """

    base: str
    n: int
    tile: Tile
    results: tuple[int, ...]
    wide: bool

    def write(self, w: Writer, values: Sequence[str]) -> None:
        """Store the values of the results."""
        if self.wide or w.width == 1:
            w.store(values[0], self.base, w.width * self.tile.start)
        else:
            store_tile(w, values, self.base, self.n, self.tile)


class Stores:
    """How a program's results are stored in values of a width."""

    def __init__(self, program: Program, width: int) -> None:
        self.all: list[Store] = []
        self._wide: list[tuple[int, int, list[tuple[Tile, float | None]]]] = []
        at = 0
        for j, slot in enumerate(program.outputs):
            results = program.results[at : at + slot.size]
            at += slot.size
            wide = is_wide(slot, width)
            tiles = [Tile(k, 1) for k in range(slot.size)] if width == 1 else []
            if wide:
                parts = list(_parts(program, results, width))
                needed = {k for tile, value in parts if value is None for k in tile.columns}
                tiles = [Tile(k, 1) for k in sorted(needed)]
                self._wide.append((j, slot.size, parts))
            base = f"%c{j}" if wide else f"%o{j}"
            for tile in tiles or store_tiles(width, slot.size):
                wanted = tuple(results[k] for k in tile.columns)
                self.all.append(Store(base, slot.size, tile, wanted, wide))

    @property
    def tiles(self) -> list[Store]:
        """Those of outputs that are not wide."""
        return [store for store in self.all if not store.wide]

    def memory(self, w: Writer) -> list[str]:
        """Return the lines that reserve memory for the columns of wide outputs."""
        return [f"  %c{j} = alloca [{w.width * n} x double], align 64" for j, n, _ in self._wide]

    def finish(self, w: Writer) -> None:
        """Write the rows of wide outputs."""
        for j, n, parts in self._wide:
            for tile, value in parts:
                to = w.address(f"%o{j}", tile.start)
                if value is None:
                    columns = w.address(f"%c{j}", w.width * tile.start)
                    w.do(f"call void @{TILE}(ptr {columns}, ptr {to}, i64 {n})")
                else:
                    w.do(f"call void @{FILL}({w.type} {w.const(value)}, ptr {to}, i64 {n})")


def is_wide(slot: Slot, width: int) -> bool:
    """Tell whether the columns of an output are kept until the end."""
    return width > 1 and slot.size >= max(WIDE, width)


def wide_functions(width: int) -> str:
    """Return `TILE`, which makes rows of columns, and `FILL`, which stores one value as rows.

    Both take where the first row begins and how many doubles are from row to row.
    """
    tile, fill = Writer(width, fma=False), Writer(width, fma=False)
    columns = [tile.load("%columns", width * k) for k in range(width)]
    for w, values in ((tile, transposed(tile, columns)), (fill, ["%value"] * width)):
        place = "%to"
        for k, value in enumerate(values):
            place = w.new(f"getelementptr double, ptr {place}, i64 %n") if k else place
            w.store(value, place, 0)
        w.do("ret void")
    how = "noinline nounwind"
    return "\n".join(
        [
            f"define internal void @{TILE}(ptr %columns, ptr %to, i64 %n) {how} {{",
            *tile.lines,
            "}",
            f"define internal void @{FILL}({fill.type} %value, ptr %to, i64 %n) {how} {{",
            *fill.lines,
            "}\n",
        ]
    )


def _parts(
    program: Program, results: Sequence[int], width: int
) -> Iterator[tuple[Tile, float | None]]:
    """Yield tiles of `width` columns that cover a row, with their value if it is one constant."""
    done = 0
    n = len(results)
    for start, stop in [*_constant_runs(program, results, width), (n, n)]:
        for at in range(done, start, width):
            yield Tile(min(at, n - width), width), None
        for at in range(start, stop, width):
            yield Tile(min(at, stop - width), width), program.code[results[start]].value
        done = stop


def _constant_runs(
    program: Program, results: Sequence[int], width: int
) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of columns that are one constant, where they are at least `width`."""
    start = 0
    for k in range(1, len(results) + 1):
        if k < len(results) and results[k] == results[start]:
            continue
        if k - start >= width and program.code[results[start]].op is Op.CONST:
            yield start, k
        start = k
