"""The closed set of operations, and symbolic numbers that record how they were computed."""

from armdyn.scalar._node import Node, Op, Scalar, constant, cos, sign, sin, sqrt, symbol

__all__ = ["Node", "Op", "Scalar", "constant", "cos", "sign", "sin", "sqrt", "symbol"]
