"""Evaluate the expressions of xacro files: a walk over the syntax tree, without Python's `eval`.

Only the syntax that has a method here is known; all else is refused. So an expression ends soon, in
a value (`values`) or in an error.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn

from armdyn.robot.formats.isolated.serve import Refused
from armdyn.robot.formats.xacro.values import (
    MAX_BITS,
    METHODS,
    Budget,
    Function,
    check_size,
    checked,
    elements_of,
)

# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false


# Characters of an expression; those of arms have at most some hundred.
MAX_EXPRESSION = 10_000

Names = Mapping[str, Any]


def evaluate(text: str, names: Names) -> Any:
    """Return the value of an expression.

    Args:
        text: the expression.
        names: values, functions and namespaces by name; mappings of xacro with attributes of
            their own count as namespaces.

    Raises:
        Refused: the expression does what only programs do, or takes too much.
        Exception: what Python raises for wrong operands, unknown names and such.
    """
    if len(text) > MAX_EXPRESSION:
        raise Refused(f"an expression has {len(text)} characters, more than {MAX_EXPRESSION}")
    return checked(_Walk(names).value(ast.parse(text.strip(), mode="eval").body))


class _Walk:
    """The values of the nodes of a syntax tree."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._local: dict[str, Any] = {}  # targets of comprehensions

    def value(self, node: ast.expr) -> Any:
        """Return the value of a node."""
        Budget.spend(1)
        visit = getattr(self, f"_{type(node).__name__}", None)
        if visit is None:
            _refuse(f"{type(node).__name__!r} (Python's name of that syntax)")
        return visit(node)

    def _Constant(self, node: ast.Constant) -> Any:
        return checked(node.value)

    def _Name(self, node: ast.Name) -> Any:
        if node.id in self._local:
            return self._local[node.id]
        _refuse_private(node.id)
        try:
            return self._names[node.id]
        except KeyError:
            raise NameError(f"name {node.id!r} is not defined") from None

    def _Attribute(self, node: ast.Attribute) -> Any:
        _refuse_private(node.attr)
        return _member(self.value(node.value), node.attr)

    def _Subscript(self, node: ast.Subscript) -> Any:
        whole = checked(self.value(node.value))
        if isinstance(node.slice, ast.Slice):
            ends = (node.slice.lower, node.slice.upper, node.slice.step)
            key: Any = slice(*(None if end is None else checked(self.value(end)) for end in ends))
        else:
            key = checked(self.value(node.slice))
        if type(whole) is dict and not isinstance(key, slice) and key not in whole:
            _no_key(whole, key)
        return checked(whole[key])

    def _List(self, node: ast.List) -> Any:
        return checked([self.value(item) for item in node.elts])

    def _Tuple(self, node: ast.Tuple) -> Any:
        return checked(tuple(self.value(item) for item in node.elts))

    def _Dict(self, node: ast.Dict) -> Any:
        if None in node.keys:
            _refuse("'**'")
        return checked(
            {self.value(k): self.value(v) for k, v in zip(node.keys, node.values, strict=True) if k}
        )

    def _UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = checked(self.value(node.operand))
        return checked(_operator(UNARY, node.op)(operand))

    def _BinOp(self, node: ast.BinOp) -> Any:
        compute = _operator(BINARY, node.op)
        return checked(compute(checked(self.value(node.left)), checked(self.value(node.right))))

    def _BoolOp(self, node: ast.BoolOp) -> Any:
        stop = isinstance(node.op, ast.Or)
        value: Any = None
        for operand in node.values:
            value = checked(self.value(operand))
            if bool(value) is stop:
                break
        return value

    def _Compare(self, node: ast.Compare) -> bool:
        left = checked(self.value(node.left))
        for op, operand in zip(node.ops, node.comparators, strict=True):
            right = checked(self.value(operand))
            if not _operator(COMPARISONS, op)(left, right):
                return False
            left = right
        return True

    def _IfExp(self, node: ast.IfExp) -> Any:
        return self.value(node.body if checked(self.value(node.test)) else node.orelse)

    def _Call(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Attribute):
            _refuse_private(function.attr)
            called = _method(self.value(function.value), function.attr)
        else:
            called = self.value(function)
        if not isinstance(called, Function):
            raise TypeError(f"{checked(called)!r:.100} is no function")
        arguments = [self.value(argument) for argument in node.args]
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                _refuse("'**'")
            named[keyword.arg] = self.value(keyword.value)
        for argument in (*arguments, *named.values()):
            if not (called.is_higher and isinstance(argument, Function)):
                checked(argument)
        return checked(called.call(*arguments, **named))

    def _ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        return checked(self._items(node.elt, node.generators))

    _GeneratorExp = _ListComp

    def _items(self, item: ast.expr, loops: list[ast.comprehension]) -> list[Any]:
        """Return the items of a comprehension, whose variables are known inside it only."""
        if not loops:
            return [self.value(item)]
        items: list[Any] = []
        outside = dict(self._local)
        for element in elements_of(self.value(loops[0].iter)):
            self._bind(loops[0].target, element)
            if all(self.value(condition) for condition in loops[0].ifs):
                items += self._items(item, loops[1:])
            check_size(len(items))
        self._local = outside
        return items

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._local[target.id] = value
        elif isinstance(target, ast.Tuple):
            for part, one in zip(target.elts, elements_of(value), strict=True):
                self._bind(part, one)
        else:
            _refuse("an assignment")


def _refuse(what: str) -> NoReturn:
    raise Refused(f"the expression uses {what}, which is refused for safety")


def _refuse_private(name: str) -> None:
    if name.startswith("__"):
        _refuse(repr(name))


def _operator(table: Mapping[type, Callable[..., Any]], op: ast.AST) -> Callable[..., Any]:
    if type(op) not in table:
        _refuse(f"the operator {type(op).__name__!r}")
    return table[type(op)]


def _no_key(table: dict[Any, Any], key: object) -> NoReturn:
    keys = ", ".join(map(repr, list(table)[:20]))
    raise NameError(f"the table has no key {key!r:.100}; its keys are: {keys}")


def _member(owner: Any, name: str) -> Any:
    """Return what `owner.name` is: a member of a namespace, or the value of a key."""
    if type(owner) is dict:
        return owner[name] if name in owner else _no_key(owner, name)
    if isinstance(owner, Mapping):
        try:
            return owner[name]
        except KeyError:
            raise NameError(f"name {name!r} is not defined") from None
    _refuse(f"the attribute {name!r} of a {type(owner).__name__}")


def _method(owner: Any, name: str) -> Any:
    """Return the function that `owner.name(...)` calls."""
    if name in METHODS.get(type(owner), ()):
        return Function(name, partial(METHODS[type(owner)][name], owner))
    return _member(owner, name)


# --- operators


def _repeated(a: Any, b: Any) -> Any:
    for whole, count in ((a, b), (b, a)):
        if type(whole) in (str, list, tuple) and isinstance(count, int):
            check_size(len(whole) * count)
    return a * b


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() * b > MAX_BITS:
        raise Refused(f"an integer has more than {MAX_BITS} bits")
    return a**b


# What may stand behind a per cent sign: flags, digits, a letter.
FORMAT = re.compile(r"%[-+ 0#]*(\d{0,3})(\.\d{1,3})?[sdifFeEgGxX%]|[^%]")


def _remainder(a: Any, b: Any) -> Any:
    if type(a) is str and FORMAT.sub("", a):
        _refuse(f"the format {a!r:.100}")
    return a % b


UNARY: dict[type, Callable[..., Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
_op: Any = operator  # its types are not complete
BINARY: dict[type, Callable[..., Any]] = {
    ast.Add: _op.add, ast.Sub: _op.sub, ast.Mult: _repeated, ast.Div: _op.truediv,
    ast.FloorDiv: _op.floordiv, ast.Mod: _remainder, ast.Pow: _power,
}  # fmt: skip
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip
