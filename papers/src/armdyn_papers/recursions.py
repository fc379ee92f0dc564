"""The recursions that the papers print, by quantity and method, and counts of them.

`armdyn.operation_counts` takes the stages "printed" and "simplified" from here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import InputError, shown
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.programs.counts import Stage, generic_chain
from armdyn.robot.chain import Chain, chain_of
from armdyn.robot.library import generic
from armdyn.scalar import symbol
from armdyn_papers.printed import fijany_bejczy, gibbs_appell, lin_1991, renaud, table_vii
from armdyn_papers.printed.lines import CountedLines, Lines

Run: TypeAlias = Callable[..., object]
"""A printed recursion: lists of scalars in, and a `Lines` last; nested sequences of scalars out."""


class Printed(NamedTuple):
    """A method as its paper prints it: ``run(chain, *inputs, lines)``.

    `types` are the arms of the papers for which it is printed.
    """

    run: Run
    types: tuple[int, ...] = (1,)


PRINTED: dict[str, dict[str, Printed]] = {
    "mass_matrix": {
        "lin_fang_1": Printed(table_vii.formulation_1, (1, 2)),
        "lin_fang_2": Printed(table_vii.formulation_2, (1, 2)),
        "lin_fang_3": Printed(table_vii.formulation_3, (1, 2)),
        "lin_fang_4": Printed(table_vii.formulation_4, (1, 2)),
        "lin_fang_1_minimal": Printed(table_vii.formulation_1, (1, 2)),
        "lin_fang_2_minimal": Printed(table_vii.formulation_2, (1, 2)),
        "lin_1991": Printed(lin_1991.mass_matrix),
        "renaud": Printed(renaud.mass_matrix),
        "gibbs_appell": Printed(gibbs_appell.mass_matrix),
        "fijany_bejczy": Printed(fijany_bejczy.mass_matrix),
    },
    "inverse_dynamics": {"gibbs_appell": Printed(gibbs_appell.inverse_dynamics)},
    "bias": {
        "gibbs_appell": Printed(gibbs_appell.bias),
        "lin_1991": Printed(lin_1991.bias),
    },
    "forward_dynamics": {"gibbs_appell": Printed(gibbs_appell.forward_dynamics)},
}
"""By quantity and method of armdyn's table; the other methods are not printed in the papers."""


def count_printed(quantity: str, method: str, n: int, type: int, stage: Stage) -> Operations:
    """Count the printed recursion of a method on a generic arm, as printed or simplified.

    Raises:
        InputError: the papers print no recursion of this method, or none for this type of arm.
    """
    if stage == "simplified":
        return count(simplified_program(*run_of(quantity, method, generic_chain(n, type), type)))
    chain = chain_of(generic(n, type))
    return operations_of(counted_lines(*run_of(quantity, method, chain, type)))


def printed_method(quantity: str, method: str, type: int) -> Printed:
    """Return the recursion of a method as its paper prints it, or say that there is none."""
    there = PRINTED.get(quantity, {})
    found = there.get(method)
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
