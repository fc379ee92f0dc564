"""The lower triangle of a matrix that was computed above its diagonal: its mirror image, or zero.

The mirror image is copied in tiles that are transposed in registers. If the size of the matrix is
not a multiple of the width, the last tiles overlap the previous ones; their entries above the
diagonal are then in a tile that is already symmetric.
"""

from __future__ import annotations

from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._counted import counted
from armdyn.kernel.ir._tiles import Tile, load_tile
from armdyn.kernel.ir._writer import Writer


def mirror_function(name: str, n: int, codegen: Codegen) -> str:
    """Return a function that copies the upper triangle of an n x n matrix into the lower one."""
    w = Writer(codegen.width, codegen)
    w.begin("entry")
    size = codegen.width
    if n < size:
        with counted(w, "row", 0, n) as row, counted(w, "column", 0, n) as column:
            one = w.resized(1)
            above, below = (_place(w, n, i, k) for i, k in ((row.i, column.i), (column.i, row.i)))
            is_below = w.new(f"icmp sgt i64 {column.i}, {row.i}")
            where = w.new(f"select i1 {is_below}, ptr {below}, ptr {above}")
            one.store(one.load(above, 0), where, 0)
    else:
        full = n - n % size
        if full > size:  # tiles that touch neither the diagonal nor the last columns
            with counted(w, "down", size, full, size) as down:
                with counted(w, "along", 0, full, size) as along:
                    inside = w.new(f"icmp slt i64 {along.i}, {down.i}")
                    w.branch(inside, "tile", "none")
                    w.begin("tile")
                    _tile(w, n, down.i, along.i)
                    w.jump("none")
                    w.begin("none")
        with counted(w, "diagonal", 0, full, size) as diagonal:
            _tile(w, n, diagonal.i, diagonal.i, on_diagonal=True)
        if full < n:
            last = str(n - size)
            with counted(w, "last", 0, full, size) as loop:
                _tile(w, n, last, loop.i)
            _tile(w, n, last, last, on_diagonal=True)
    w.do("ret void")
    return w.text(f"internal void @{name}(ptr noalias nocapture %m) noinline nounwind")


def zero_function(name: str, n: int, codegen: Codegen) -> str:
    """Return a function that writes zeros below the diagonal of an n x n matrix."""
    w = Writer(1, codegen)
    w.begin("entry")
    with counted(w, "row", 0, n) as row, counted(w, "column", 0, n) as column:
        place = _place(w, n, row.i, column.i)
        is_below = w.new(f"icmp slt i64 {column.i}, {row.i}")
        w.store(w.select(is_below, w.const(0.0), w.load(place, 0)), place, 0)
    w.do("ret void")
    return w.text(f"internal void @{name}(ptr noalias nocapture %m) noinline nounwind")


def _tile(w: Writer, n: int, i: str, k: str, on_diagonal: bool = False) -> None:
    """Emit the copy of the tile at (i, k); on the diagonal only of the entries below it."""
    size = w.width
    columns = load_tile(w, _place(w, n, k, i), n, Tile(0, size))
    target = _place(w, n, i, k)
    for r, value in enumerate(columns):
        if on_diagonal:
            there = w.load(target, r * n)
            value = w.shuffle(value, there, [c if c < r else size + c for c in range(size)])
        w.store(value, target, r * n)


def _place(w: Writer, n: int, i: str, k: str) -> str:
    row = w.new(f"mul i64 {i}, {n}")
    at = w.new(f"add i64 {row}, {k}")
    return w.address_of("%m", at)
