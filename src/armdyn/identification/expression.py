"""Arithmetic of joint states as text: ``sin(q2) * sqrt(abs(qd2))``.

A small grammar that can do nothing but arithmetic: numbers, pi, q1.., qd1.., qdd1.., + - * / ^,
parentheses, and the functions of `FUNCTIONS`. Python's parser makes the tree; only the nodes of
this grammar are accepted, and nothing is ever executed but the functions of these tables.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError, shown

Function = Callable[[Array, Array, Array], Array]

FUNCTIONS: dict[str, Callable[..., Array]] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "exp": np.exp,
    "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign,
}  # fmt: skip

OPERATORS: dict[type[ast.AST], Callable[..., Array]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
    ast.Pow: np.power, ast.USub: np.negative, ast.UAdd: np.positive,
}  # fmt: skip

# Deeper trees are a mistake, or an attack on the stack: two frames each, of 1000.
DEEPEST = 200

_TOKENS = re.compile(
    r"\A(?:\s*(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])|[A-Za-z]+\d*|[-+*/^()]))*\s*",
    re.ASCII,
)


def parsed(text: str, n: int, where: str) -> Function:
    """Return the function of q, qd, qdd ``(N, n)`` to ``(N,)`` that a text describes.

    Raises:
        InputError: the text is no such expression; the message begins with `where`.
    """

    def wrong(why: str) -> InputError:
        return InputError(
            f"{where}: {shown(text)}: {why}; expected arithmetic of q1 to q{n}, "
            f"qd1.., qdd1.., numbers, pi and {', '.join(FUNCTIONS)}.",
            argument="extra",
        )

    def function(node: ast.expr, depth: int) -> Function:
        if depth > DEEPEST:
            raise wrong("it is nested too deeply")
        segment = ast.get_source_segment(source, node) or ""
        match node:
            case ast.Constant(value=value) if type(value) in (int, float):
                return _constant(float(segment))
            case ast.Name(id="pi"):
                return _constant(math.pi)
            case ast.Name(id=name) if state := re.fullmatch(r"q(d{0,2})(\d+)", name):
                which, j = len(state[1]), int(state[2]) - 1
                if 0 <= j < n:
                    return lambda q, qd, qdd: (q, qd, qdd)[which][:, j]
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                return _applied(OPERATORS[type(op)], function(operand, depth + 1))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                sides = function(left, depth + 1), function(right, depth + 1)
                return _applied(OPERATORS[type(op)], *sides)
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in FUNCTIONS:
                return _applied(FUNCTIONS[name], function(inner, depth + 1))
            case _:
                pass
        raise wrong(f"{segment!r} is not known")

    rest = _TOKENS.sub("", text, count=1)
    if rest:
        raise wrong(f"{rest[:10].strip()!r} is not understood")
    source = " ".join(text.replace("^", "**").split())
    try:
        tree = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        raise wrong(error.msg) from None
    except (ValueError, RecursionError, MemoryError):
        raise wrong("it is nested too deeply") from None
    value = function(tree, 1)

    def column(q: Array, qd: Array, qdd: Array) -> Array:
        with np.errstate(all="ignore"):  # numbers that are not finite are refused by name
            return np.broadcast_to(value(q, qd, qdd), (len(q),))

    return column


def _constant(x: float) -> Function:
    return lambda q, qd, qdd: np.full(len(q), x)


def _applied(operation: Callable[..., Array], *inner: Function) -> Function:
    return lambda q, qd, qdd: operation(*(one(q, qd, qdd) for one in inner))
