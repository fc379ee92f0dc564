"""The results of a program, stored in tiles as soon as they are computed; bounds of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

from armdyn.graph.program import Program
from armdyn.kernel.element import ElementType
from armdyn.kernel.ir.tiles import (
    Tile,
    store_same,
    store_square,
    store_tile,
    store_tiles,
    stores_squares,
)
from armdyn.kernel.ir.writer import Writer
from armdyn.scalar import Op

# The results of a program, stored in tiles as soon as their columns are computed.

# An output is wide from this many columns on: then LLVM's compile time per tile matters.
WIDE_OUTPUT_COLUMNS = 128


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
        elif self.n >= WIDE_OUTPUT_COLUMNS and self.tile.size == w.width and stores_squares(w):
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
        self.wide = any(slot.size >= WIDE_OUTPUT_COLUMNS for slot in program.outputs)
        at = 0
        for j, slot in enumerate(program.outputs):
            results = program.results[at : at + slot.size]
            at += slot.size
            for tile in store_tiles(width, slot.size):
                wanted = tuple(results[k] for k in tile.columns)
                same = len(set(wanted)) == 1 and program.code[wanted[0]].op is Op.CONST
                self.all.append(Store(f"%o{j}", slot.size, tile, wanted, same))


# Bounds of all values that a program computes.

# Bounds may reach this fraction of the largest number: the rest covers the rounding of all steps.
MARGIN = 1e-8


def stays_finite(program: Program, largest: float, element: ElementType) -> bool:
    """Return whether no step can overflow or give NaN for inputs up to a magnitude.

    Each step is bounded from the bounds of its operands. This works only for programs that divide
    only by constants; for all others the answer is False.

    Args:
        program: the program.
        largest: largest magnitude of every input.
        element: the type of the numbers.
    """
    most = MARGIN * element.largest
    bounds: list[float] = []
    for step in program.code:
        given = [bounds[k] for k in step.args]
        match step.op:
            case Op.INPUT:
                bound = largest
            case Op.CONST:
                bound = abs(float(step.value))
            case Op.ADD | Op.SUB:
                bound = given[0] + given[1]
            case Op.MUL:
                bound = given[0] * given[1]
            case Op.NEG | Op.ABS | Op.COPYSIGN:
                bound = given[0]
            case Op.MAX:
                bound = max(given)
            case Op.SELECT:
                bound = max(given[1], given[2])
            case Op.SIN | Op.COS | Op.SIGN:
                bound = 1.0
            case Op.DIV:
                by = program.code[step.args[1]]
                known = by.op is Op.CONST and by.value
                bound = given[0] / abs(float(by.value)) if known else inf
            case Op.SQRT:
                under = program.code[step.args[0]]
                known = under.op is Op.CONST and float(under.value) >= 0.0
                bound = sqrt(given[0]) if known else inf
        if not bound <= most:
            return False
        bounds.append(bound)
    return True
