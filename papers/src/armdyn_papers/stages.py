"""What the papers count, in three stages: as printed, simplified, and with our algebra.

The improved stage is `armdyn_papers.measure`. Of the other two a row has none if the
papers do not print its recursion.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from armdyn.algorithms.cholesky import cholesky, solve
from armdyn.algorithms.frame import frames
from armdyn.algorithms.vector import symmetric_full
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Program
from armdyn.programs.counts import Stage, generic_chain
from armdyn.robot.chain import Chain, chain_of
from armdyn.robot.library import generic
from armdyn.scalar import Scalar
from armdyn_papers.as_printed.lin_1991 import both
from armdyn_papers.as_printed.lines import CountedLines, Line, Lines
from armdyn_papers.as_printed.table_vii import INERTIA
from armdyn_papers.as_printed.table_vii import composites as table_vii
from armdyn_papers.measure import (
    PARTS,
    elements_of_rotations,
    measure,
    needed_of_composites,
)
from armdyn_papers.recursions import (
    PRINTED,
    Run,
    counted_lines,
    counted_run,
    operations_of,
    run_of,
    simplified_program,
)

Numbers: TypeAlias = list[Scalar]


@cache
def staged(
    quantity: str, method: str, n: int, type: int = 1, stage: Stage = "improved"
) -> Operations | None:
    """Count the operations at a stage; quantities as in `papers.Measure`, None if there is none."""
    if stage == "improved":
        return None if quantity in ONLY_PRINTED else measure(quantity, method, n, type)
    if stage == "simplified":
        program = simplified(quantity, method, n, type)
        if program is None:
            return None
        found = count(program)
        free = elements_of_rotations(program, generic_chain(n, type)) if quantity == GIVEN else 0
        found = Operations(found.mul - free, found.add, found.div, found.sqrt, found.trig)
        return _beyond_matrix(quantity, method, n, type, stage, found)
    lines = printed_lines(quantity, method, n, type)
    if lines is None:
        return None
    return _beyond_matrix(quantity, method, n, type, stage, operations_of(lines))


@cache
def printed_lines(quantity: str, method: str, n: int, type: int = 1) -> CountedLines | None:
    """Run the recursion as printed and count its lines; None if it is not printed."""
    found = _run(quantity, method, chain_of(generic(n, type)), type)
    if found is None:
        return None
    lines = counted_lines(*found)
    if quantity in ONLY_PRINTED:  # one run of the lines of the inertia
        lines.lines = {text: _once(lines.lines[text]) for text in INERTIA if text in lines.lines}
    return lines


@cache
def simplified(quantity: str, method: str, n: int, type: int = 1) -> Program | None:
    """Return the program of the printed recursion after exact rules; None if it is not printed."""
    if quantity in ONLY_PRINTED:
        return None
    found = _run(quantity, method, generic_chain(n, type), type)
    return None if found is None else simplified_program(*found)


def _run(quantity: str, method: str, chain: Chain, type: int) -> tuple[Run, list[int]] | None:
    """Return a printed recursion as a function of lists and a `Lines`, and the lists' sizes."""
    if quantity in PRINTED_PARTS:
        found = PRINTED_PARTS[quantity](method, chain)
        return None if type == 2 and quantity in ROTATIONAL else found
    found = PRINTED.get(quantity, {}).get(method)
    if found is None or type not in found.types:
        return None
    return run_of(quantity, method, chain, type)


def _beyond_matrix(
    quantity: str, method: str, n: int, type: int, stage: Stage, found: Operations
) -> Operations:
    """Take off what the row before has done already."""
    before = {"bias beside mass_matrix": "mass_matrix", "substitution": "factorisation"}
    if quantity not in before:
        return found
    part = staged(before[quantity], method, n, type, stage)
    assert part is not None
    return Operations(
        found.mul - part.mul, found.add - part.add, found.div - part.div, found.sqrt - part.sqrt
    )


def _once(line: Line) -> Line:
    """Return one run of a line at a link in the middle; those at the ends cost less or nothing."""
    times = line.times - (1 if line.M % line.times or line.A % line.times else 0)
    return Line(1, line.M // times, line.A // times)


def _composites(method: str, chain: Chain) -> tuple[Run, list[int]]:
    def run(q: Numbers, line: Lines) -> Any:
        return needed_of_composites(frames(chain, q), table_vii(chain, q, line))

    return run, [chain.n]


def _on_hand(method: str, chain: Chain) -> tuple[Run, list[int]]:
    return counted_run(PRINTED["mass_matrix"][method], "mass_matrix", chain)


def _both(method: str, chain: Chain) -> tuple[Run, list[int]]:
    def run(q: Numbers, qd: Numbers, line: Lines) -> Any:
        return both(chain, q, qd, line)

    return run, [chain.n, chain.n]


def _factorisation(method: str, chain: Chain) -> tuple[Run, list[int]]:
    n = chain.n

    def run(X: Numbers, line: Lines) -> Any:
        return line("L", cholesky(_symmetric(X, n)))

    return run, [n * (n + 1) // 2]


def _substitution(method: str, chain: Chain) -> tuple[Run, list[int]]:
    n = chain.n

    def run(X: Numbers, y: Numbers, line: Lines) -> Any:
        return line("L and the solution", solve(_symmetric(X, n), y))

    return run, [n * (n + 1) // 2, n]


def _symmetric(lower: Numbers, n: int) -> list[list[Scalar]]:
    return symmetric_full([lower[i * (i + 1) // 2 :][: i + 1] for i in range(n)])


GIVEN = "mass_matrix, composites on hand"

# Parts of a table that simplification does not tell apart from the rest.
ONLY_PRINTED = ("inertia of a joint",)

# Parts that are printed for rotational joints only.
ROTATIONAL = ("mass_matrix and bias", "bias beside mass_matrix")

PRINTED_PARTS: dict[str, Callable[[str, Chain], tuple[Run, list[int]]]] = {
    "composites": _composites,
    "inertia of a joint": _composites,
    GIVEN: _on_hand,
    "mass_matrix and bias": _both,
    "bias beside mass_matrix": _both,
    "factorisation": _factorisation,
    "substitution": _substitution,
}
assert set(PRINTED_PARTS) <= {*PARTS, *ONLY_PRINTED}
