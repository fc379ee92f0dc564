"""`Program`: straight-line code in single-assignment form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

from armdyn.scalar import Op

ARITY: dict[Op, int] = {
    Op.INPUT: 0, Op.CONST: 0, Op.ADD: 2, Op.SUB: 2, Op.MUL: 2, Op.DIV: 2,
    Op.NEG: 1, Op.SIN: 1, Op.COS: 1, Op.SQRT: 1, Op.SIGN: 1,
    Op.ABS: 1, Op.MAX: 2, Op.SELECT: 3, Op.COPYSIGN: 2,
}  # fmt: skip

# At the end of the names of programs that are derivatives of others: gradients, in reverse mode,
# and derivatives along a direction, in forward mode.
VJP = "_vjp"
JVP = "_jvp"


@dataclass(frozen=True)
class Slot:
    """A named argument or result: an array of fixed shape, flattened in row-major order."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of scalars."""
        return prod(self.shape)


class Instruction(NamedTuple):
    """One operation; `args` index earlier ones, `value` is a constant or the index of an input."""

    op: Op
    args: tuple[int, ...] = ()
    value: float = 0.0


@dataclass(frozen=True)
class Program:
    """Straight-line code: instruction k may read only instructions before k.

    The value of an INPUT instruction is its position in the flattened inputs. `results` are the
    indices of the instructions that compute the flattened outputs.
    """

    name: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    code: tuple[Instruction, ...]
    results: tuple[int, ...]

    @cached_property
    def last_use(self) -> tuple[int, ...]:
        """For each instruction, the last one that reads it; len(code) for results."""
        last = list(range(len(self.code)))
        for k, step in enumerate(self.code):
            for arg in step.args:
                last[arg] = k
        for k in self.results:
            last[k] = len(self.code)
        return tuple(last)
