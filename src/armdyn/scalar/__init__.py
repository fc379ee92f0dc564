"""The closed set of operations, and symbolic numbers that record how they were computed.

`max` and `min` are those of programs: of two numbers, floats or nodes. `abs` is Python's own.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names
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

if TYPE_CHECKING:
    from armdyn.scalar._composed import atan2, min

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

# Few programs need these.
__getattr__ = lazy_names(__name__, {"atan2": "_composed", "min": "_composed"})
