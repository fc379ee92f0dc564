"""`Program`: straight-line code in single-assignment form, and its invariants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

from armdyn.errors import GraphError
from armdyn.scalar import Op

# `Program`: straight-line code in single-assignment form.

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


# The invariants of a program, checked after every pass.


def verify(program: Program) -> Program:
    """Return the program if it is valid, else raise a `GraphError` that names the instruction.

    The invariants: an instruction reads as many earlier instructions as its operation takes;
    constants are finite; inputs exist and are read once; there is a result for every output scalar.

    There are no branches: `select` and `max` choose between numbers that are both computed. So both
    must be finite, and where a program is differentiated, their derivatives too: the guard goes
    inside, `sqrt(select(x, x, 1.0))`. What is chosen where x is 0, NaN or as small as rounding must
    not matter. The sign of a zero is not kept, so `copysign` may take either sign there.
    """
    n_inputs = sum(slot.size for slot in program.inputs)
    n_outputs = sum(slot.size for slot in program.outputs)
    seen: set[float] = set()
    for k, step in enumerate(program.code):
        fault = None
        if len(step.args) != ARITY[step.op]:
            fault = f"reads {len(step.args)} values, takes {ARITY[step.op]}"
        elif any(not 0 <= arg < k for arg in step.args):
            fault = "reads a value that is not there yet"
        elif step.op is Op.CONST and not math.isfinite(step.value):
            fault = "the constant is not finite"
        elif step.op is Op.INPUT:
            if step.value not in range(n_inputs):
                fault = f"there are only {n_inputs} inputs"
            elif step.value in seen:
                fault = "this input is read twice"
            seen.add(step.value)
        if fault:
            raise GraphError(f"{program.name}, instruction {k} ({step}): {fault}")
    if len(program.results) != n_outputs:
        raise GraphError(f"{program.name}: {len(program.results)} results for {n_outputs} outputs")
    if any(not 0 <= k < len(program.code) for k in program.results):
        raise GraphError(f"{program.name}: a result is no instruction")
    return program
