"""The alphabet: the closed set of operations, and numbers that remember how they were made."""

from armdyn.scalar._node import Node, Op, Scalar, constant, cos, sign, sin, sqrt, symbol

__all__ = ["Node", "Op", "Scalar", "constant", "cos", "sign", "sin", "sqrt", "symbol"]
