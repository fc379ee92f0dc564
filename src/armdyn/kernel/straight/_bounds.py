"""How large what a program computes can become."""

from __future__ import annotations

from math import inf, sqrt

from armdyn.graph import Program
from armdyn.scalar import Op

# Bounds above this could be beyond the range of floats once rounding has had its part.
LARGEST = 1e300


def stays_finite(program: Program, largest: float) -> bool:
    """Say whether no step can overflow, or be no number, while inputs are at most so large.

    It is known for programs that divide by constants at the most: every step is bounded by the
    bounds of what it is made of. Of all others the answer is no.

    Args:
        program: the program.
        largest: of every input, without its sign.
    """
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
            case Op.NEG:
                bound = given[0]
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
        if not bound <= LARGEST:
            return False
        bounds.append(bound)
    return True
