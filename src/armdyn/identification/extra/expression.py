"""Arithmetic of joint states as text: ``sin(q2) * sqrt(abs(qd2))``.

A small grammar that can do nothing but arithmetic: numbers, pi, q1.., qd1.., qdd1.., + - * / ^,
parentheses, and the functions of `FUNCTIONS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError, shown

Function = Callable[[Array, Array, Array], Array]

FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "exp": np.exp,
    "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign,
}  # fmt: skip

STATES = ("q", "qd", "qdd")

# Deeper nesting is a mistake, or an attack on the stack.
DEEPEST = 50

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z]+\d*)"
    r"|(?P<sign>\*\*|[-+*/^()]))",
    re.ASCII,
)


def parsed(text: str, n: int, where: str) -> Function:
    """Return the function of q, qd, qdd ``(N, n)`` to ``(N,)`` that a text describes.

    Raises:
        InputError: the text is no such expression; the message begins with `where`.
    """
    return _Parser(text, n, where).whole()


class _Parser:
    def __init__(self, text: str, n: int, where: str) -> None:
        self.text, self.n, self.where = text, n, where
        self.tokens, self.at, self.depth = self._tokens(), 0, 0

    def whole(self) -> Function:
        found = self._sum()
        if self.at < len(self.tokens):
            raise self._wrong(f"{self.tokens[self.at]!r} is not expected there")

        def column(q: Array, qd: Array, qdd: Array) -> Array:
            with np.errstate(all="ignore"):  # what is not finite is refused by name
                return np.broadcast_to(found(q, qd, qdd), (len(q),))

        return column

    def _tokens(self) -> list[str]:
        listed: list[str] = []
        at, end = 0, len(self.text.rstrip())
        while at < end:
            token = _TOKEN.match(self.text, at)
            if token is None:
                raise self._wrong(f"{self.text[at : at + 10].strip()!r} is not understood")
            listed.append(token[token.lastgroup or 0])
            at = token.end()
        return listed

    def _wrong(self, why: str) -> InputError:
        return InputError(
            f"{self.where}: {shown(self.text)}: {why}; expected arithmetic of q1 to q{self.n}, "
            f"qd1.., qdd1.., numbers, pi and {', '.join(FUNCTIONS)}.",
            argument="extra",
        )

    def _take(self, *wanted: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def _sum(self) -> Function:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._wrong("it is nested too deeply")
        left = self._product()
        while sign := self._take("+", "-"):
            left = _combined(np.add if sign == "+" else np.subtract, left, self._product())
        self.depth -= 1
        return left

    def _product(self) -> Function:
        left = self._signed()
        while sign := self._take("*", "/"):
            left = _combined(np.multiply if sign == "*" else np.divide, left, self._signed())
        return left

    def _signed(self) -> Function:
        minus = False
        while sign := self._take("-", "+"):
            minus ^= sign == "-"
        value = self._power()
        return _applied(np.negative, value) if minus else value

    def _power(self) -> Function:
        base = self._atom()
        if self._take("^", "**"):
            self.depth += 1
            if self.depth > DEEPEST:
                raise self._wrong("it is nested too deeply")
            base = _combined(np.power, base, self._signed())
            self.depth -= 1
        return base

    def _atom(self) -> Function:
        if self.at >= len(self.tokens):
            raise self._wrong("it ends too early")
        token = self.tokens[self.at]
        self.at += 1
        if token == "(":
            return self._closed()
        if token in FUNCTIONS:
            if not self._take("("):
                raise self._wrong(f"{token} needs an argument in parentheses")
            return _applied(FUNCTIONS[token], self._closed())
        if token[0].isdigit() or token[0] == ".":
            return _constant(float(token))
        if token == "pi":
            return _constant(math.pi)
        return self._state(token)

    def _closed(self) -> Function:
        inner = self._sum()
        if not self._take(")"):
            raise self._wrong("a parenthesis is not closed")
        return inner

    def _state(self, token: str) -> Function:
        found = re.fullmatch(r"(q|qd|qdd)(\d+)", token)
        if found is None or not 1 <= int(found[2]) <= self.n:
            raise self._wrong(f"{token!r} is not known")
        which, j = STATES.index(found[1]), int(found[2]) - 1

        def state(q: Array, qd: Array, qdd: Array) -> Array:
            return (q, qd, qdd)[which][:, j]

        return state


def _constant(value: float) -> Function:
    def constant(q: Array, qd: Array, qdd: Array) -> Array:
        return np.full(len(q), value)

    return constant


def _applied(function: Callable[[Array], Array], inner: Function) -> Function:
    def value(q: Array, qd: Array, qdd: Array) -> Array:
        return function(inner(q, qd, qdd))

    return value


def _combined(function: Callable[[Array, Array], Array], a: Function, b: Function) -> Function:
    def value(q: Array, qd: Array, qdd: Array) -> Array:
        return function(a(q, qd, qdd), b(q, qd, qdd))

    return value
