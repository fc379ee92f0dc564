"""The results of a program, stored in tiles as soon as their columns are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.graph import Program
from armdyn.kernel.ir._square import store_same, store_square, stores_squares
from armdyn.kernel.ir._tiles import Tile, store_tile, store_tiles
from armdyn.kernel.ir._writer import Writer
from armdyn.scalar import Op

# An output is wide from this many columns on: then LLVM's compile time per tile matters.
WIDE = 128


@dataclass(frozen=True)
class Store:
    """Some columns of an output.

    Attributes:
        base: address of the output.
        n: columns of the output.
        tile: the columns that are stored.
        results: the instructions that compute them.
        constant: whether all columns are the same constant.
    """

    base: str
    n: int
    tile: Tile
    results: tuple[int, ...]
    constant: bool

    def write(self, w: Writer, values: Sequence[str]) -> None:
        """Store the values of the results."""
        if w.width == 1:
            w.store(values[0], self.base, self.tile.start)
        elif self.n >= WIDE and self.tile.size == w.width and stores_squares(w):
            if self.constant:
                store_same(w, values[0], self.base, self.n, self.tile.start)
            else:
                store_square(w, values, self.base, self.n, self.tile.start)
        else:
            store_tile(w, values, self.base, self.n, self.tile)


class Stores:
    """How a program's results are stored in values of a width.

    Attributes:
        all: every tile of every output.
        wide: whether an output is wide.
    """

    def __init__(self, program: Program, width: int) -> None:
        self.all: list[Store] = []
        self.wide = any(slot.size >= WIDE for slot in program.outputs)
        at = 0
        for j, slot in enumerate(program.outputs):
            results = program.results[at : at + slot.size]
            at += slot.size
            for tile in store_tiles(width, slot.size):
                wanted = tuple(results[k] for k in tile.columns)
                same = len(set(wanted)) == 1 and program.code[wanted[0]].op is Op.CONST
                self.all.append(Store(f"%o{j}", slot.size, tile, wanted, same))
