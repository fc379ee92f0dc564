"""The scratch memory of a kernel of a rolled program.

For a block of states each entry holds the numbers of all states side by side. For a single state,
columns are side by side instead, with padding behind the last one, so that column steps can process
several columns at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from armdyn.graph.rolled import Rolled, place_and_name
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.loops import counted
from armdyn.kernel.ir.tiles import Tile, load_tile, load_tiles, store_tile, store_tiles
from armdyn.kernel.ir.writer import Writer
from armdyn.kernel.rolled.step import Number

TABLE = "armdyn_table"


class Memory:
    """The scratch memory of one kernel.

    Attributes:
        size: how many numbers it holds.
        width: states that the kernel computes together.
    """

    def __init__(self, rolled: Rolled, width: int, codegen: Codegen, angles: int) -> None:
        """Lay out the memory.

        Args:
            rolled: the program.
            width: states that the kernel computes together.
            codegen: the target and the element type.
            angles: maximum number of early angles of a joint, over all sweeps.
        """
        n = rolled.n
        self._n, self.width = n, width
        self._codegen, lanes = codegen, codegen.width
        self._kept, self._n_stored = _slots(rolled, "kept")
        self._columns, self._n_columns = _slots(rolled, "column")
        self._pitch = _whole(n + lanes, lanes)
        self._starts: dict[str, int] = {}
        self.size = 0
        for slot in rolled.inputs:
            if width > 1:
                self._reserve(f"input {slot.name}", n * width)
        for slot in rolled.outputs:
            if width > 1:
                self._reserve(f"output {slot.name}", n * width)
            elif len(slot.shape) == 2:
                self._reserve(f"output {slot.name}", self._pitch)
        self._reserve("columns", self._n_columns * (n * width if width > 1 else self._pitch))
        self._reserve("kept", n * self._n_stored * width)
        self.n_angles = _whole(n * angles * width, lanes)
        for name in ("angles", "sines", "cosines"):
            self._reserve(name, self.n_angles)

    @property
    def bytes(self) -> int:
        """Size in bytes."""
        return self._codegen.bytes_of(self.size)

    def _reserve(self, name: str, size: int) -> None:
        self._starts[name] = self.size
        self.size += _whole(size, self._codegen.line_width)  # every part is aligned to a cache line

    def part(self, w: Writer, name: str) -> str:
        """Return the address of a part."""
        return w.address("%scratch", self._starts[name])

    def input(self, w: Writer, name: str) -> str:
        """Return the address of the entries of an input."""
        return self.part(w, f"input {name}")

    def output(self, w: Writer, name: str) -> str:
        """Return the address of the entries of an output: a vector, or one row of a matrix."""
        return self.part(w, f"output {name}")

    def angle(self, w: Writer, part: str, k: int, i: str) -> str:
        """Return the address of the k-th early angle of joint i, or of its sine or cosine."""
        base = w.address("%scratch", self._starts[part] + k * self._n * self.width)
        return place(w, base, i, self.width)

    def kept(self, w: Writer, i: str) -> str:
        """Return the address of the numbers that are kept for joint i."""
        return place(w, self.part(w, "kept"), i, self._n_stored * self.width)

    def stored_at(self, name: str, k: int) -> int:
        """Return the offset of a number within the numbers kept for a joint."""
        return (self._kept[name] + k) * self.width

    def column(self, w: Writer, k: str) -> str:
        """Return the address of the numbers of column k."""
        pitch = self._n_columns * self.width if self.width > 1 else 1
        return place(w, self.part(w, "columns"), k, pitch)

    def column_at(self, name: str, k: int) -> int:
        """Return the offset of a number within the numbers of a column."""
        return (self._columns[name] + k) * (self.width if self.width > 1 else self._pitch)


class Table:
    """The constants of all joints, joint after joint.

    Attributes:
        row: number of constants of a joint.
    """

    def __init__(self, rolled: Rolled, codegen: Codegen) -> None:
        self._codegen = codegen
        self._starts: dict[str, int] = {}
        self.row = 0
        for name, rows in rolled.constants.items():
            self._starts[name] = self.row
            self.row += len(rows[0])
        tables = rolled.constants.values()
        self._values = [x for i in range(rolled.n) for rows in tables for x in rows[i]]

    def at(self, name: str, k: int) -> int:
        """Return the offset of a number within the constants of a joint."""
        return self._starts[name] + k

    def text(self) -> str:
        """Return the table as IR."""
        element, line = self._codegen.element, self._codegen.target.line_bytes
        values = ", ".join(f"{element.name} {element.constant(x)}" for x in self._values or [0.0])
        kind = f"[{max(len(self._values), 1)} x {element.name}]"
        return f"@{TABLE} = internal constant {kind} [{values}], align {line}\n"


@dataclass
class Reader:
    """Loads the numbers that a step at joint i reads, in values of a writer's width.

    Attributes:
        w: emits the function.
        memory: scratch memory of the kernel.
        table: the table of constants.
        inputs: address of the entries of each input.
        i: the joint.
        brought: the values that the sweep carries.
        kept: address of the numbers that are kept for the joint.
    """

    w: Writer
    memory: Memory
    table: Table
    inputs: Mapping[str, str]
    i: str
    brought: Mapping[tuple[str, int], str]

    def __post_init__(self) -> None:
        """Emit the addresses of the joint's constants and kept numbers."""
        self._constants = place(self.w, f"@{TABLE}", self.i, self.table.row)
        self.kept = self.memory.kept(self.w, self.i)

    def read(self, number: Number) -> str:
        """Load a number that belongs to the joint."""
        w, memory = self.w, self.memory
        one = w.resized(1)
        if number.place == "carry":
            return self.brought[number.name, number.k]
        if number.place == "constant":
            value = one.load(self._constants, self.table.at(number.name, number.k))
            return w.splat(value)
        if number.place == "kept":
            at = memory.stored_at(number.name, number.k)
            # all columns of a single state share the kept numbers
            shared = memory.width == 1 and w.width > 1
            return w.splat(one.load(self.kept, at)) if shared else w.load(self.kept, at)
        return w.load(place(w, self.inputs[number.name], self.i, memory.width), 0)


def place(w: Writer, base: str, i: str, pitch: int) -> str:
    """Return the address of the i-th piece of an array of pieces."""
    at = i if pitch == 1 else w.new(f"mul nsw i64 {i}, {pitch}")
    return w.address_of(base, at)


def _slots(rolled: Rolled, place: str) -> tuple[dict[str, int], int]:
    """Return the offsets of the numbers that are written to a place, by name, and their count."""
    starts: dict[str, int] = {}
    at = 0
    for sweep in rolled.sweeps:
        for step in (sweep.step, sweep.columns):
            for slot in step.outputs if step else ():
                there, name = place_and_name(slot.name)
                if there == place and name not in starts:
                    starts[name] = at
                    at += slot.size
    return starts, at


def _whole(size: int, unit: int) -> int:
    return -(-size // unit) * unit


# Inputs and outputs of a kernel of a rolled program, to and from its scratch memory.
#
# In scratch memory the entries of a vector are columns of the block: the k-th number of every state
# together. Tiles of them are transposed in loops. A matrix is moved row by row, each row starting
# with the tile that contains its diagonal entry; the entries before are written at the end.


@dataclass(frozen=True)
class Rows:
    """The arrays of a kernel, as rows of n numbers.

    Attributes:
        w: emits the kernel.
        lanes: number of lanes of a vector register.
        n: numbers in a row.
        memory: scratch memory of the kernel.
        inputs: address of each input.
        outputs: address of each output.
    """

    w: Writer
    lanes: int
    n: int
    memory: Memory
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]

    def load_block(self, name: str) -> None:
        """Transpose an input of a block into scratch memory."""
        tiles = load_tiles(self.w.width, self.n)
        self._all(self.inputs[name], tiles, lambda at, size: self._load(name, at, size))

    def store_block(self, name: str) -> None:
        """Transpose a vector of a block from scratch memory into an output."""
        tiles = store_tiles(self.w.width, self.n)
        base = self.outputs[name]
        self._all(base, tiles, lambda at, size: self._store(name, base, self.n, at, size))

    def _all(self, base: str, tiles: list[Tile], move: Callable[[str, int], None]) -> None:
        """Move all tiles of a vector; tiles of full size in a loop."""
        size = tiles[0].size
        with counted(self.w, f"tiles.{base[1:]}", 0, self.n - self.n % size, size) as loop:
            move(loop.i, size)
        for tile in tiles[self.n // size :]:
            move(str(tile.start), tile.size)

    def _load(self, name: str, at: str, size: int) -> None:
        w = self.w
        source = place(w, self.inputs[name], at, 1)
        target = place(w, self.memory.input(w, name), at, w.width)
        for k, value in enumerate(load_tile(w, source, self.n, Tile(0, size))):
            w.store(value, target, k * w.width)

    def _store(self, name: str, base: str, pitch: int, at: str, size: int) -> None:
        w = self.w
        source = place(w, self.memory.output(w, name), at, w.width)
        values = [w.load(source, k * w.width) for k in range(size)]
        store_tile(w, values, place(w, base, at, 1), pitch, Tile(0, size))

    def take_row(self, label: str, name: str, i: str) -> None:
        """Load row i of a matrix into scratch memory."""
        w = self.w

        def move(row: str, at: str, size: int) -> None:
            source = place(w, row, at, 1)
            target = place(w, self.memory.output(w, name), at, w.width)
            if w.width == 1:
                piece = w.resized(size)
                piece.store(piece.load(source, 0), target, 0)
                return
            half = max(size // 2, min(size, 2))  # tiles are loaded by halves of vectors
            for start in range(0, size, half):
                tile = Tile(start, half)
                for k, value in enumerate(load_tile(w, source, self.n**2, tile)):
                    w.store(value, target, (start + k) * w.width)

        self._row(f"{label}.take", name, i, move)

    def give_row(self, label: str, name: str, i: str) -> None:
        """Store row i of a matrix from scratch memory."""
        w = self.w

        def move(row: str, at: str, size: int) -> None:
            if w.width == 1:
                piece = w.resized(size)
                source = place(w, self.memory.output(w, name), at, 1)
                piece.store(piece.load(source, 0), place(w, row, at, 1), 0)
            else:
                self._store(name, row, self.n**2, at, size)

        self._row(f"{label}.give", name, i, move)

    def _row(self, label: str, name: str, i: str, move: Callable[[str, str, int], None]) -> None:
        w, n, lanes = self.w, self.n, self.lanes
        base = self.outputs[name]
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
