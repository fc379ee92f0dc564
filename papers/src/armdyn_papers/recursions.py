"""Counts of a recursion as its paper prints it, and of the same recursion after exact rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, cast, get_args

from armdyn.algorithms import QUANTITIES
from armdyn.algorithms.printed.lines import CountedLines, Lines
from armdyn.algorithms.quantity import Printed
from armdyn.errors import InputError, shown
from armdyn.graph import Operations, Program, Slot, trace
from armdyn.robot import Chain
from armdyn.scalar import symbol

Stage: TypeAlias = Literal["printed", "simplified", "improved"]
STAGES: tuple[Stage, ...] = get_args(Stage)

Run: TypeAlias = Callable[..., object]
"""A printed recursion: lists of scalars in, and a `Lines` last; nested sequences of scalars out."""


def printed_method(quantity: str, method: str, type: int) -> Printed:
    """Return the recursion of a method as its paper prints it, or say that there is none."""
    methods = QUANTITIES[quantity].methods
    found = methods[method].printed if method in methods else None
    there = [name for name, row in methods.items() if row.printed]
    if found is None:
        instead = f"the methods that have one are {', '.join(there)}" if there else "none has one"
        raise InputError(
            f"the papers print no recursion of {quantity} by {shown(method)}: {instead}. "
            "Leave `stage` out to count the traced program.",
            argument="stage",
        )
    if type not in found.types:
        raise InputError(
            f"the paper prints {quantity} by {shown(method)} for rotational joints only; `type` "
            f"{type} has a translational one. Take type 1, or leave `stage` out.",
            argument="type",
        )
    return found


def counted_lines(run: Run, sizes: Sequence[int]) -> CountedLines:
    """Run a printed recursion on symbols, inputs of these sizes, and count its lines."""
    lines = CountedLines()
    run(*([symbol(f"x{k}_{i}") for i in range(size)] for k, size in enumerate(sizes)), lines)
    return lines


def simplified_program(run: Run, sizes: Sequence[int]) -> Program:
    """Trace a printed recursion and simplify it by exact rules."""
    inputs = [Slot(f"x{k}", (size,)) for k, size in enumerate(sizes)]
    symbols = [[symbol("x") for _ in range(size)] for size in sizes]
    results = _size(run(*symbols, Lines()))
    return trace(lambda *x: run(*x, Lines()), inputs, [Slot("results", (results,))])


def run_of(quantity: str, method: str, chain: Chain, type: int) -> tuple[Run, list[int]]:
    """Return the printed recursion of a method on a chain, and the sizes of its inputs."""
    found = printed_method(quantity, method, type)
    sizes = [chain.n] * len(QUANTITIES[quantity].inputs)
    return lambda *inputs: found.run(chain, *inputs), sizes


def operations_of(lines: CountedLines) -> Operations:
    """Return the sum of the lines; divisions and roots are multiplications, as in the papers."""
    M, A = lines.total
    return Operations(mul=M, add=A)


def _size(value: object) -> int:
    if isinstance(value, list | tuple):
        return sum(_size(item) for item in cast("Sequence[Any]", value))
    return 1
