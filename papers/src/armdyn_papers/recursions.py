"""The recursions that the papers print, by quantity and method: run, read, and counted.

`armdyn.operation_counts` takes the stages "printed" and "simplified" from here. Formulations 1 to 5
of [LinFang1999] are counted as Tables I to V print them, composite bodies on hand; with Table VII,
which makes those from minimal parameters, they are other methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from armdyn.algorithms.frame import frames
from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import InputError, shown
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.programs.counts import Stage, generic_chain
from armdyn.robot.chain import Chain, chain_of
from armdyn.robot.library import generic
from armdyn.scalar import Scalar, symbol
from armdyn_papers.as_printed import (
    fijany_bejczy,
    formulations,
    gibbs_appell,
    lin_1991,
    renaud,
    table_vii,
)
from armdyn_papers.as_printed.formulations import Table
from armdyn_papers.as_printed.lines import CountedLines, Lines
from armdyn_papers.as_printed.tables_i_to_v import table_i, table_ii, table_iii, table_iv, table_v
from armdyn_papers.measure import (
    bodies_before,
    bodies_of,
    composite_masses,
    elements_of_rotations,
)

# A printed recursion: lists of scalars in, and a `Lines` last; nested sequences of scalars out.
Run: TypeAlias = Callable[..., object]

Numbers: TypeAlias = list[Scalar]

# A table of a formulation: of a chain, q, moments of composite bodies, and a `Lines` last.
TableRun: TypeAlias = Callable[[Chain, Numbers, Numbers, Numbers, Lines], object]


class Printed(NamedTuple):
    """A method as its paper prints it: ``run(chain, *inputs, lines)``.

    Attributes:
        run: the recursion.
        source: the place in the paper.
        types: the arms of the papers for which its operations are printed.
        joints: the arms that it computes: of any joints, or of rotational joints.
        table: of recursions on composite bodies, which are on hand, the method's table alone.
        misprints: places in the list of errata at which the run can follow the printed form.
    """

    run: Run
    source: str
    types: tuple[int, ...] = (1,)
    joints: Literal["any", "rotational"] = "any"
    table: TableRun | None = None
    misprints: tuple[str, ...] = ()


def with_moments(table: Table) -> TableRun:
    """Return a table as a function of q and of first moments and inertias of composite bodies."""

    def run(chain: Chain, q: Numbers, c: Numbers, J: Numbers, line: Lines) -> object:
        return table(frames(chain, q), bodies_of(composite_masses(chain), c, J), line)

    return run


def with_moments_before(chain: Chain, q: Numbers, h: Numbers, J: Numbers, line: Lines) -> object:
    """Run Table V on q and on moments of composite bodies, h_i about the joint before."""
    return table_v(frames(chain, q), bodies_before(composite_masses(chain), h, J), line)


# Misprints of recursions that can be run; others, such as an index that nothing has, cannot.
OF_TABLES: dict[int, tuple[str, ...]] = {
    3: ("Table III, rotational i and j", "Table III, rotational j, translational i"),
    5: ("Table V, t_{i-1,i}", "Table V, t_1i", "Table V, D_ij"),
}
OF_TORQUES = ("section 4.1, step 1", "(12)")
OF_MATRIX = ("section 4.2, step 3",)

# By quantity and method of armdyn's table; the other methods are not printed in the papers.
PRINTED: dict[str, dict[str, Printed]] = {
    "mass_matrix": {
        **{
            f"lin_fang_{k}": Printed(
                run, f"[LinFang1999] Table {table}", (1, 2), "any", on_hand, OF_TABLES.get(k, ())
            )
            for k, table, run, on_hand in (
                (1, "I", formulations.formulation_1, with_moments(table_i)),
                (2, "II", formulations.formulation_2, with_moments(table_ii)),
                (3, "III", formulations.formulation_3, with_moments(table_iii)),
                (4, "IV", formulations.formulation_4, with_moments(table_iv)),
                (5, "V", formulations.formulation_5, with_moments_before),
            )
        },
        "lin_fang_1_minimal": Printed(
            table_vii.formulation_1,
            "[LinFang1999] Tables VII and I",
            (1, 2),
            misprints=("Table VII, Y_33", "(31)"),
        ),
        "lin_fang_2_minimal": Printed(
            table_vii.formulation_2,
            "[LinFang1999] Tables VII and II",
            (1, 2),
            misprints=("Table VII, Y_33",),
        ),
        "lin_1991": Printed(lin_1991.mass_matrix, "[Lin1991] Fig. 3"),
        "renaud": Printed(renaud.mass_matrix, "[Lin1991] Fig. A1"),
        "gibbs_appell": Printed(
            gibbs_appell.mass_matrix,
            "[Mata2002] section 4.2",
            joints="rotational",
            misprints=OF_MATRIX,
        ),
        "fijany_bejczy": Printed(fijany_bejczy.mass_matrix, "[Lin1991] (A7)-(A15)"),
    },
    "inverse_dynamics": {
        "gibbs_appell": Printed(
            gibbs_appell.inverse_dynamics,
            "[Mata2002] section 4.1",
            joints="rotational",
            misprints=OF_TORQUES,
        )
    },
    "bias": {
        "gibbs_appell": Printed(
            gibbs_appell.bias,
            "[Mata2002] section 4.2, end",
            joints="rotational",
            misprints=OF_TORQUES,
        ),
        "lin_1991": Printed(lin_1991.bias, "[Lin1991] Fig. 3"),
    },
    "forward_dynamics": {
        "gibbs_appell": Printed(
            gibbs_appell.forward_dynamics,
            "[Mata2002] Table 3",
            joints="rotational",
            misprints=(*OF_TORQUES, *OF_MATRIX),
        )
    },
}


def count_printed(quantity: str, method: str, n: int, type: int, stage: Stage) -> Operations:
    """Count the printed recursion of a method on a generic arm, as printed or simplified.

    Raises:
        InputError: the papers print no recursion of this method, or none for this type of arm.
    """
    made = generic_chain(n, type) if stage == "simplified" else chain_of(generic(n, type))
    return count_on(printed_method(quantity, method, type), quantity, made, stage)


def count_on(printed: Printed, quantity: str, chain: Chain, stage: Stage) -> Operations:
    """Count a printed recursion on a chain, as printed or simplified."""
    run, sizes = counted_run(printed, quantity, chain)
    if stage == "printed":
        return operations_of(counted_lines(run, sizes))
    program = simplified_program(run, sizes)
    found = count(program)
    free = elements_of_rotations(program, chain) if printed.table else 0
    return replace(found, mul=found.mul - free)


def counted_run(printed: Printed, quantity: str, chain: Chain) -> tuple[Run, list[int]]:
    """Return what a paper counts of a recursion, and the sizes of its inputs."""
    n = chain.n
    if printed.table is not None:
        table = printed.table
        return lambda *inputs: table(chain, *inputs), [n, 3 * n, 6 * n]
    return lambda *inputs: printed.run(chain, *inputs), [n] * len(QUANTITIES[quantity].inputs)


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


def program_of(printed: Printed, quantity: str, chain: Chain, misprints: Sequence[str]) -> Program:
    """Trace a printed recursion on a chain, simplified by exact rules, as a quantity's program."""
    row, n, line = QUANTITIES[quantity], chain.n, Lines(misprints)
    inputs = [Slot(name, (n,)) for name in row.inputs]
    outputs = [Slot(name, shape) for name, shape in row.shapes(n).items()]
    return trace(lambda *x: printed.run(chain, *x, line), inputs, outputs, quantity)


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
