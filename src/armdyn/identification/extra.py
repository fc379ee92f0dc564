"""Additional columns of the regression, from arguments or files; couplings from files.

A TOML file of extra columns has one table for each, with one expression for each of its joints:

    [[extra]]
    name = "counterbalance"
    joint = 2                       # number from 1 or name; or several, which share the parameter
    unit = "N m"
    torque = "sin(q2)"              # for several joints a list: ["q2 - q3", "q3 - q2"]

An expression can do nothing but arithmetic: numbers, pi, q1.., qd1.., qdd1.., + - * / ^,
parentheses, and the functions of `FUNCTIONS`. Python's parser makes the tree; only the nodes of
this grammar are accepted, and nothing is ever executed but the functions of these tables.

A coupling is a table of n rows and n columns: CSV without names, or ``coupling = [[..]]`` in TOML.
"""

from __future__ import annotations

import ast
import math
import os
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_function, checked_items, checked_path, checked_text, checked_whole
from armdyn.errors import FileError, InputError, shown
from armdyn.files import number_in
from armdyn.identification.arguments import joint_indices
from armdyn.identification.fit.columns import Column, Function

Joint = int | str

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

# Characters that no expression has, and the form of its numbers.
_FOREIGN = re.compile(r"[^\w\s.+*/^()-]", re.ASCII)
_NUMBER = re.compile(r"[\d.]+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)

FORM = "(name, joint, function of q, qd, qdd)"

KEYS = ("name", "joint", "unit", "torque")


@dataclass(frozen=True)
class Extra:
    """An additional column of the regression: a spring, a counterbalance.

    Attributes:
        name: of the parameter.
        joint: the joint on which the torque acts: number from 1, or name. Several joints share
            the parameter; None stands for all joints.
        function: of q, qd, qdd ``(N, n)`` to ``(N,)``: the torque for a parameter of 1. For
            several joints to ``(N, m)``, a column for each of them.
        unit: of the parameter.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> spring = armdyn.Extra("stiffness", 1, lambda q, qd, qdd: q[:, 0], unit="N m/rad")
        >>> result = armdyn.identify(arm, "run.csv", extra=[spring], physical=False)
        >>> result.names[-1]
        'stiffness'

        A spring between both links, with one parameter:

        >>> def between(q, qd, qdd):
        ...     return np.stack([q[:, 0] - q[:, 1], q[:, 1] - q[:, 0]], axis=1)
        >>> both = armdyn.Extra("stiffness", (1, 2), between, unit="N m/rad")
        >>> result = armdyn.identify(arm, "run.csv", extra=[both], physical=False)
        >>> result.names[-1]
        'stiffness'
    """

    name: str
    joint: Joint | Sequence[Joint] | None
    function: Function
    unit: str = ""

    def __post_init__(self) -> None:
        checked_text(self.name, "name")
        for joint in _listed(self.joint):
            if not isinstance(joint, str):
                what = "a number from 1, a name, several of them, or None"
                checked_whole(joint, "joint", 1, what=what)
        checked_function(self.function, "function", what="a function of q, qd, qdd")
        checked_text(self.unit, "unit", empty=True)


def _listed(joint: object) -> tuple[Joint, ...]:
    if joint is None:
        return ()
    several = isinstance(joint, list | tuple)
    return tuple(cast("Sequence[Joint]", joint)) if several else (cast(Joint, joint),)


def extra_columns(arm: Arm, extra: object) -> tuple[Column, ...]:
    """Return the columns of the argument `extra`."""
    columns = tuple(_column(arm, one) for one in checked_items(extra, "extra", what=FORM))
    names = [column.name for column in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise _wrong(f"`extra` has columns of one name: {', '.join(twice)}; rename them.")
    return columns


def _wrong(message: str) -> InputError:
    return InputError(message, argument="extra")


def _column(arm: Arm, item: object) -> Column:
    one = item if isinstance(item, Extra) else _extra_of_tuple(item)
    what = f"a number from 1 to {arm.n} or a name ({', '.join(arm.joint_names)})"
    subject = f"extra column {one.name!r}: joint is"
    joints = arm.joint_names if one.joint is None else _listed(one.joint)
    # NumPy's integers, which `Extra` accepts, become numbers of Python
    numbers = [joint if isinstance(joint, str) else int(joint) for joint in joints]
    indices = joint_indices(
        arm, numbers, lambda joint: _wrong(f"{subject} {shown(joint)}, expected {what}.")
    )
    if not indices or len(set(indices)) < len(indices):
        raise _wrong(f"{subject} {shown(one.joint)}, expected different joints.")
    if one.joint is None or isinstance(one.joint, list | tuple):
        return Column(one.name, one.unit, "extra", -1, one.function, shared=tuple(indices))
    return Column(one.name, one.unit, "extra", indices[0], one.function)


def _extra_of_tuple(item: object) -> Extra:
    items, reason = checked_items(item, "extra", what=FORM), "."
    if len(items) in (3, 4):
        try:
            return Extra(*items)  # pyright: ignore[reportArgumentType]
        except InputError as error:
            reason = f": {error}"
    raise _wrong(f"`extra` has {shown(item)}, expected {FORM}{reason}")


def read_extra(path: str | os.PathLike[str], arm: Arm) -> tuple[Extra, ...]:
    """Return the extra columns of a TOML file."""
    file = checked_path(path)
    table = _toml(file)
    listed = table.get("extra")
    if not isinstance(listed, list) or not listed or set(table) != {"extra"}:
        raise FileError(file, "has no extra columns; expected tables [[extra]], and nothing else.")
    return tuple(
        _extra_of_table(file, f"extra column {k}", one, arm)
        for k, one in enumerate(cast("list[object]", listed), 1)
    )


def read_coupling(path: str | os.PathLike[str], n: int) -> Array:
    """Return the coupling K ``(n, n)`` of a CSV or TOML file."""
    file = checked_path(path)
    what = f"{n} rows of {n} numbers: measured torques = K joint torques."
    if file.suffix.lower() == ".toml":
        rows: object = _toml(file).get("coupling", "none")
        what = f"coupling = [[...], ...] with {what}"
    else:
        lines = [line for line in _text(file).splitlines() if line.strip()]
        rows = [[cell.strip() for cell in line.replace(";", ",").split(",")] for line in lines]
        wrong = [cell for row in rows for cell in row if number_in(cell) is None]
        if wrong:
            raise FileError(file, f"has {shown(wrong[0])}, expected {what}")
    try:
        matrix = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.shape != (n, n):
        raise FileError(file, f"expected {what}")
    return matrix


def _extra_of_table(file: Path, where: str, item: object, arm: Arm) -> Extra:
    table = cast("dict[str, object]", item) if isinstance(item, dict) else {}
    unknown = sorted(set(table) - set(KEYS))
    if unknown or not {"name", "joint", "torque"} <= set(table):
        fault = f"has {', '.join(unknown)}" if unknown else "lacks a name, a joint or a torque"
        raise FileError(file, f"{where} {fault}; expected {', '.join(KEYS)}.")
    joint, texts = cast("Joint | list[Joint]", table["joint"]), _listed(table["torque"])
    count = len(_listed(joint))
    if len(texts) != count or not all(isinstance(text, str) for text in texts):
        said = (
            f"torque is {shown(table['torque'])}, expected an expression for each of {count} joints"
        )
        raise FileError(file, f"{where}: {said}.")

    def columns(q: Array, qd: Array, qdd: Array) -> Array:
        return np.stack([one(q, qd, qdd) for one in functions], axis=1)

    try:
        functions = [parsed(str(text), arm.n) for text in texts]
        function = columns if isinstance(joint, list) else functions[0]
        return Extra(cast(str, table["name"]), joint, function, cast(str, table.get("unit", "")))
    except InputError as error:
        raise FileError(file, f"{where}: {error}") from None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise FileError(file, f"cannot be read: {why}.") from None


def _toml(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(_text(file))
    except tomllib.TOMLDecodeError as error:
        raise FileError(file, f"is not TOML: {error}.") from None


def parsed(text: str, n: int) -> Function:
    """Return the function of q, qd, qdd ``(N, n)`` to ``(N,)`` that a text describes.

    Raises:
        InputError: the text is no such expression.
    """

    def wrong(why: str) -> InputError:
        return _wrong(
            f"{shown(text)}: {why}; expected arithmetic of q1 to q{n}, qd1.., qdd1.., numbers, pi "
            f"and {', '.join(FUNCTIONS)}."
        )

    if foreign := _FOREIGN.search(text):
        raise wrong(f"{foreign[0]!r} is not understood")
    source = " ".join(text.replace("^", "**").split())
    try:
        tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise wrong(getattr(error, "msg", "it is nested too deeply")) from None

    def value(node: ast.expr, names: dict[str, Array], depth: int = 1) -> Array:
        if depth > DEEPEST:
            raise wrong("it is nested too deeply")
        segment = ast.get_source_segment(source, node) or ""
        match node:
            case ast.Constant() if _NUMBER.fullmatch(segment):
                return np.array(float(segment))
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                operation, inner = OPERATORS[type(op)], [operand]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                operation, inner = OPERATORS[type(op)], [left, right]
            case ast.Call(func=ast.Name(id=name), args=[only], keywords=[]) if name in FUNCTIONS:
                operation, inner = FUNCTIONS[name], [only]
            case _:
                raise wrong(f"{segment!r} is not known")
        return operation(*(value(one, names, depth + 1) for one in inner))

    def column(q: Array, qd: Array, qdd: Array) -> Array:
        names = {"pi": np.array(math.pi)}
        for name, x in (("q", q), ("qd", qd), ("qdd", qdd)):
            names |= {f"{name}{j + 1}": x[:, j] for j in range(n)}
        with np.errstate(all="ignore"):  # numbers that are not finite are refused by name
            return np.broadcast_to(value(tree, names), (len(q),))

    column(*np.zeros((3, 1, n)))  # a text that is wrong is refused now
    return column
