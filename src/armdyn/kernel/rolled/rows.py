"""Inputs and outputs of a kernel of a rolled program, to and from its scratch memory.

In scratch memory the entries of a vector are columns of the block: the k-th number of every state
together. Tiles of them are transposed in loops. A matrix is moved row by row, each row starting
with the tile that contains its diagonal entry; the entries before are written at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from armdyn.kernel.ir.loops import counted
from armdyn.kernel.ir.tiles import Tile, load_tile, load_tiles, store_tile, store_tiles
from armdyn.kernel.ir.writer import Writer
from armdyn.kernel.rolled.memory import Memory, place


class Rows:
    """The arrays of a kernel, as rows of n numbers."""

    def __init__(
        self,
        w: Writer,
        lanes: int,
        n: int,
        memory: Memory,
        inputs: Mapping[str, str],
        outputs: Mapping[str, str],
    ) -> None:
        """Prepare.

        Args:
            w: emits the kernel.
            lanes: number of lanes of a vector register.
            n: numbers in a row.
            memory: scratch memory of the kernel.
            inputs: address of each input.
            outputs: address of each output.
        """
        self._w, self._lanes, self._n, self._memory = w, lanes, n, memory
        self._inputs, self._outputs = inputs, outputs

    def take(self, name: str) -> None:
        """Transpose an input of a block into scratch memory."""
        tiles = load_tiles(self._w.width, self._n)
        self._all(self._inputs[name], tiles, lambda at, size: self._load(name, at, size))

    def give(self, name: str) -> None:
        """Transpose a vector of a block from scratch memory into an output."""
        tiles = store_tiles(self._w.width, self._n)
        base = self._outputs[name]
        self._all(base, tiles, lambda at, size: self._store(name, base, self._n, at, size))

    def _all(self, base: str, tiles: list[Tile], move: Callable[[str, int], None]) -> None:
        """Move all tiles of a vector; tiles of full size in a loop."""
        size = tiles[0].size
        with counted(self._w, f"tiles.{base[1:]}", 0, self._n - self._n % size, size) as loop:
            move(loop.i, size)
        for tile in tiles[self._n // size :]:
            move(str(tile.start), tile.size)

    def _load(self, name: str, at: str, size: int) -> None:
        w = self._w
        source = place(w, self._inputs[name], at, 1)
        target = place(w, self._memory.input(w, name), at, w.width)
        for k, value in enumerate(load_tile(w, source, self._n, Tile(0, size))):
            w.store(value, target, k * w.width)

    def _store(self, name: str, base: str, pitch: int, at: str, size: int) -> None:
        w = self._w
        source = place(w, self._memory.output(w, name), at, w.width)
        values = [w.load(source, k * w.width) for k in range(size)]
        store_tile(w, values, place(w, base, at, 1), pitch, Tile(0, size))

    def take_row(self, label: str, name: str, i: str) -> None:
        """Load row i of a matrix into scratch memory."""
        w = self._w

        def move(row: str, at: str, size: int) -> None:
            source = place(w, row, at, 1)
            target = place(w, self._memory.output(w, name), at, w.width)
            if w.width == 1:
                piece = w.resized(size)
                piece.store(piece.load(source, 0), target, 0)
                return
            half = max(size // 2, min(size, 2))  # tiles are loaded by halves of vectors
            for start in range(0, size, half):
                tile = Tile(start, half)
                for k, value in enumerate(load_tile(w, source, self._n**2, tile)):
                    w.store(value, target, (start + k) * w.width)

        self._row(f"{label}.take", name, i, move)

    def give_row(self, label: str, name: str, i: str) -> None:
        """Store row i of a matrix from scratch memory."""
        w = self._w

        def move(row: str, at: str, size: int) -> None:
            if w.width == 1:
                piece = w.resized(size)
                source = place(w, self._memory.output(w, name), at, 1)
                piece.store(piece.load(source, 0), place(w, row, at, 1), 0)
            else:
                self._store(name, row, self._n**2, at, size)

        self._row(f"{label}.give", name, i, move)

    def _row(self, label: str, name: str, i: str, move: Callable[[str, str, int], None]) -> None:
        w, n, lanes = self._w, self._n, self._lanes
        base = self._outputs[name]
        row = place(w, base, i, n)
        if n < lanes:
            for tile in store_tiles(lanes, n):
                move(row, str(tile.start), tile.size)
            return
        first = w.new(f"and i64 {i}, {-lanes}")
        with counted(w, f"{label}.{base[1:]}", first, n, lanes) as loop:
            fits = w.new(f"icmp slt i64 {loop.i}, {n - lanes}")
            at = w.new(f"select i1 {fits}, i64 {loop.i}, i64 {n - lanes}")
            move(row, at, lanes)
