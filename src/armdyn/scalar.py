"""The closed set of operations, for floats and symbolic numbers (`Node`) alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum, unique
from typing import TypeAlias, cast

# `Node`: a symbolic number that records how it is computed from others.
#
# Algorithms are written for `Scalar` values. Run on floats, they compute numbers; run on nodes, the
# same code records the program. Recording simplifies nothing: evaluating the recorded program does
# the float operations of the algorithm one by one, so the two agree bit for bit. Simplification is
# a later pass (`armdyn.graph`).


@unique
class Op(Enum):
    """The closed set of operations: every interpreter of a program has one rule for each."""

    INPUT = "input"
    CONST = "const"
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    NEG = "neg"
    SIN = "sin"
    COS = "cos"
    SQRT = "sqrt"
    SIGN = "sign"  # -1, 0 or 1; the sign of Coulomb friction
    ABS = "abs"
    MAX = "max"  # a if a > b else b
    SELECT = "select"  # (x, a, b): a if x > 0 else b; both sides are computed
    COPYSIGN = "copysign"  # the size of the first, the sign of the second

    __hash__ = object.__hash__  # members are unique; that of `Enum` is written in Python


class Node:
    """A recorded operation; `args` are the nodes it reads, `value` is that of an INPUT or CONST."""

    __slots__ = ("args", "op", "value")
    __array_ufunc__ = None  # NumPy scalars must defer arithmetic to Node, not wrap it in arrays

    def __init__(self, op: Op, args: tuple[Node, ...] = (), value: float | str = 0.0) -> None:
        self.op = op
        self.args = args
        self.value = value

    def __add__(self, other: Scalar) -> Node:
        return Node(Op.ADD, (self, as_node(other)))

    def __radd__(self, other: float) -> Node:
        return Node(Op.ADD, (as_node(other), self))

    def __sub__(self, other: Scalar) -> Node:
        return Node(Op.SUB, (self, as_node(other)))

    def __rsub__(self, other: float) -> Node:
        return Node(Op.SUB, (as_node(other), self))

    def __mul__(self, other: Scalar) -> Node:
        return Node(Op.MUL, (self, as_node(other)))

    def __rmul__(self, other: float) -> Node:
        return Node(Op.MUL, (as_node(other), self))

    def __truediv__(self, other: Scalar) -> Node:
        return Node(Op.DIV, (self, as_node(other)))

    def __rtruediv__(self, other: float) -> Node:
        return Node(Op.DIV, (as_node(other), self))

    def __neg__(self) -> Node:
        return Node(Op.NEG, (self,))

    def __abs__(self) -> Node:
        return Node(Op.ABS, (self,))

    def __bool__(self) -> bool:
        # A program has no branches: `if x` on an unknown number would silently pick one.
        raise TypeError("a traced number has no truth value: an algorithm may not branch on it")

    def __repr__(self) -> str:
        if self.op in (Op.INPUT, Op.CONST):
            return str(self.value)
        return f"{self.op.name.lower()}(...)"  # printing a whole graph would be endless


# The numbers of algorithms: a float, or a node of a program being recorded.
Scalar: TypeAlias = float | Node


def constant(value: float) -> Node:
    """Make the node of a known number."""
    return Node(Op.CONST, (), float(value))


def symbol(name: str) -> Node:
    """Make a symbol: an input of the program."""
    return Node(Op.INPUT, (), name)


def as_node(x: Scalar) -> Node:
    """Return `x` itself if it is a node, else its constant."""
    return x if isinstance(x, Node) else constant(x)


def sin(x: Scalar) -> Scalar:
    """Sine of an angle [rad]."""
    return Node(Op.SIN, (x,)) if isinstance(x, Node) else math.sin(x)


def cos(x: Scalar) -> Scalar:
    """Cosine of an angle [rad]."""
    return Node(Op.COS, (x,)) if isinstance(x, Node) else math.cos(x)


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    if isinstance(x, Node):
        return Node(Op.SQRT, (x,))
    # an array stands for a number of many states
    return math.sqrt(x) if isinstance(x, float | int) else x**0.5  # pyright: ignore[reportUnnecessaryIsInstance]


def sign(x: Scalar) -> Scalar:
    """Return -1, 0 or 1."""
    return Node(Op.SIGN, (x,)) if isinstance(x, Node) else float((x > 0) - (x < 0))


def max(a: Scalar, b: Scalar) -> Scalar:
    """Return a if a > b, else b."""
    if isinstance(a, Node) or isinstance(b, Node):
        return Node(Op.MAX, (as_node(a), as_node(b)))
    return a if a > b else b


def select(x: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """Return a where x > 0, else b; both are computed, so both must be finite numbers."""
    if isinstance(x, Node) or isinstance(a, Node) or isinstance(b, Node):
        return Node(Op.SELECT, (as_node(x), as_node(a), as_node(b)))
    return a if x > 0 else b


def copysign(a: Scalar, x: Scalar) -> Scalar:
    """Return |a| with the sign of x; if x is 0, either sign."""
    if isinstance(a, Node) or isinstance(x, Node):
        return Node(Op.COPYSIGN, (as_node(a), as_node(x)))
    return math.copysign(a, x)


# Functions composed of operations: the lesser of two numbers, and the angle of a plane vector.

# atan(t) / t as a polynomial in t^2 for |t| <= tan(pi/8): the minimax of degree 10, by
# `mpmath.chebyfit`; its error is 3.5e-17.
ARC = (
    1.0,
    -0.3333333333332844,
    0.1999999999885511,
    -0.14285714180976467,
    0.11111106180455946,
    -0.09090773074808414,
    0.07689953496306857,
    -0.06640233930429408,
    0.056883492268090106,
    -0.04348052215716462,
    0.021135373157693246,
)
EIGHTH = math.tan(math.pi / 8)
# Less than any length, so that the vector (0, 0) divides by no zero.
TINY = 1e-200


def min(a: Scalar, b: Scalar) -> Scalar:
    """Return the lesser of two numbers."""
    return -max(-a, -b)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Return the angle of the vector (x, y) in [-pi, pi]; 0 for (0, 0).

    The vector is mirrored into the first octant, and turned by pi/4 if that brings it nearer to
    the x axis; there, a polynomial gives the angle. The error is a few units in the last place.
    """
    across, along = abs(y), abs(x)
    steep = across - along
    # `min` would negate both, and what follows
    small, big = select(steep, along, across), max(along, across)
    far = small - EIGHTH * big
    t = select(far, small - big, small) / max(select(far, small + big, big), TINY)
    z = t * t
    total: Scalar = ARC[-1]
    for coefficient in reversed(ARC[:-1]):
        total = total * z + coefficient
    angle = t * total + select(far, math.pi / 4, 0.0)
    angle = select(steep, math.pi / 2 - angle, angle)
    return copysign(select(-x, math.pi - angle, angle), y)


# The symbols that a value depends on.


def free_symbols(value: object) -> list[Node]:
    """Return the input nodes that a value depends on, in the order of traversal.

    `value` is a number, a sequence of such values or a dataclass of them.
    """
    found: dict[Node, None] = {}
    seen: set[Node] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Node):
            if item.op is Op.INPUT:
                found[item] = None
            if item not in seen:
                seen.add(item)
                stack += reversed(item.args)
        elif isinstance(item, list | tuple):
            stack += reversed(cast("Sequence[object]", item))
        elif is_dataclass(item):
            stack += [getattr(item, f.name) for f in reversed(fields(item))]
    return list(found)
