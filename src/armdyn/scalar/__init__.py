"""The closed set of operations, and symbolic numbers that record how they were computed.

`max` and `min` are those of programs: of two numbers, floats or nodes. `abs` is Python's own.
"""

from armdyn.scalar._composed import atan2, min
from armdyn.scalar._node import (
    Node,
    Op,
    Scalar,
    constant,
    copysign,
    cos,
    max,
    select,
    sign,
    sin,
    sqrt,
    symbol,
)

__all__ = [
    "Node",
    "Op",
    "Scalar",
    "atan2",
    "constant",
    "copysign",
    "cos",
    "max",
    "min",
    "select",
    "sign",
    "sin",
    "sqrt",
    "symbol",
]
