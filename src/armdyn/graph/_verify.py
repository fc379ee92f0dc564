"""The invariants of a program, checked after every pass."""

from __future__ import annotations

import math

from armdyn.errors import GraphError
from armdyn.graph._program import ARITY, Program
from armdyn.scalar import Op


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
