"""Hoist the part of a program that depends only on constants, to compute it once, offline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from armdyn.graph._interpret import ARRAYS, evaluate
from armdyn.graph._program import Instruction, Program
from armdyn.graph._simplify import simplify
from armdyn.scalar import Op


def hoist(
    program: Program, rows: Sequence[Sequence[float]], column: Callable[[tuple[float, ...]], int]
) -> Program:
    """Return the program with every value that depends only on its first inputs made an input.

    Args:
        program: its first inputs are constants that differ from row to row.
        rows: values of those inputs; all rows have the same length.
        column: takes the values, one per row, of a hoisted number that the rest of the program
            reads, and returns the index of the input that replaces it. A number that is equal in
            all rows becomes a constant of the program instead.
    """
    offline = _offline(program, len(rows[0]))
    read = {arg for k, step in enumerate(program.code) if not offline[k] for arg in step.args}
    taken = [k for k in sorted(read | set(program.results)) if offline[k]]
    values = _values(program, taken, rows)
    code = list(program.code)
    for k, numbers in zip(taken, values, strict=True):
        same = all(x == numbers[0] for x in numbers)
        op, value = (Op.CONST, numbers[0]) if same else (Op.INPUT, float(column(numbers)))
        code[k] = Instruction(op, (), value)
    return simplify(replace(program, code=tuple(code)))


def _offline(program: Program, n_constants: int) -> list[bool]:
    """Return for every instruction whether it depends only on the first inputs."""
    known: list[bool] = []  # numbers written in the program are known too
    for step in program.code:
        if step.op is Op.INPUT:
            known.append(step.value < n_constants)
        else:
            known.append(all(known[arg] for arg in step.args))
    return [
        is_known and step.op is not Op.CONST
        for is_known, step in zip(known, program.code, strict=True)
    ]


def _values(
    program: Program, taken: Sequence[int], rows: Sequence[Sequence[float]]
) -> list[tuple[float, ...]]:
    """Return the values of some instructions in all rows."""
    if not taken:
        return []
    part = simplify(replace(program, results=tuple(taken)))  # drops unused instructions
    with np.errstate(all="ignore"):  # non-finite values appear in the result and are checked there
        found = evaluate(part, list(np.array(rows).T), ARRAYS)
    return [tuple(numbers.tolist()) for numbers in found]
