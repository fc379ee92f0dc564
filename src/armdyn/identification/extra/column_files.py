"""Extra columns and couplings in files.

A TOML file of extra columns has one table for each, with one expression for each of its joints:

    [[extra]]
    name = "counterbalance"
    joint = 2                       # number from 1 or name; or several, which share the parameter
    unit = "N m"
    torque = "sin(q2)"              # for several joints a list: ["q2 - q3", "q3 - q2"]

A coupling is a table of n rows and n columns: CSV without names, or ``coupling = [[..]]`` in TOML.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_path
from armdyn.errors import FileError, InputError, shown
from armdyn.files import number_in
from armdyn.identification.extra.expression import Function, parsed
from armdyn.identification.extra.extra import Extra, Joint

KEYS = ("name", "joint", "unit", "torque")


def read_extra(path: str | os.PathLike[str], arm: Arm) -> tuple[Extra, ...]:
    """Return the extra columns of a TOML file."""
    file = checked_path(path)
    table = _toml(file)
    listed = table.get("extra")
    if not isinstance(listed, list) or not listed or set(table) != {"extra"}:
        raise FileError(file, "has no extra columns; expected tables [[extra]], and nothing else.")
    return tuple(
        _extra(file, number, one, arm) for number, one in enumerate(cast("list[object]", listed), 1)
    )


def read_coupling(path: str | os.PathLike[str], n: int) -> Array:
    """Return the coupling K ``(n, n)`` of a CSV or TOML file."""
    file = checked_path(path)
    if file.suffix.lower() == ".toml":
        rows: object = _toml(file).get("coupling")
        if rows is None:
            raise FileError(file, "has no coupling; expected coupling = [[...], ...].")
    else:
        lines = [line for line in _text(file).splitlines() if line.strip()]
        cells = [[cell.strip() for cell in line.replace(";", ",").split(",")] for line in lines]
        wrong = next((cell for row in cells for cell in row if number_in(cell) is None), None)
        if wrong is not None:
            raise FileError(file, f"has {shown(wrong)}, expected {n} rows of {n} numbers.")
        rows = [[number_in(cell) for cell in row] for row in cells]
    try:
        matrix = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.shape != (n, n):
        raise FileError(
            file, f"expected {n} rows of {n} numbers: measured torques = K joint torques."
        )
    return matrix


def _extra(file: Path, number: int, given: object, arm: Arm) -> Extra:
    where = f"{file}, extra column {number}"
    table = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    unknown = sorted(set(table) - set(KEYS))
    if unknown or not {"name", "joint", "torque"} <= set(table):
        said = f"has {', '.join(unknown)}" if unknown else "lacks a name, a joint or a torque"
        raise FileError(file, f"extra column {number} {said}; expected {', '.join(KEYS)}.")
    joint, torque = table["joint"], table["torque"]
    several = isinstance(joint, list)
    texts = cast("list[object]", torque) if isinstance(torque, list) else [torque]
    if not all(isinstance(text, str) for text in texts):
        raise FileError(file, f"extra column {number}: torque is {shown(texts)}, expected text.")
    joints = cast("list[Joint]", joint) if several else [cast(Joint, joint)]
    if len(texts) != len(joints):
        raise FileError(
            file, f"extra column {number} has {len(joints)} joints, but {len(texts)} torques."
        )
    functions = [parsed(cast(str, text), arm.n, where) for text in texts]
    try:
        return Extra(
            cast(str, table["name"]),
            tuple(joints) if several else joints[0],
            _side_by_side(functions) if several else functions[0],
            cast(str, table.get("unit", "")),
        )
    except InputError as error:
        raise FileError(file, f"extra column {number}: {error}") from None


def _side_by_side(functions: Sequence[Function]) -> Callable[[Array, Array, Array], Array]:
    def columns(q: Array, qd: Array, qdd: Array) -> Array:
        return np.stack([one(q, qd, qdd) for one in functions], axis=1)

    return columns


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
