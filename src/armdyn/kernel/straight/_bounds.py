"""Bounds of all values that a program computes."""

from __future__ import annotations

from math import inf, sqrt

from armdyn.graph import Program
from armdyn.kernel._element import ElementType
from armdyn.scalar import Op

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
