"""Operation counts on the general arms of the papers."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias, cast, get_args

from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.algorithms.table import QUANTITIES
from armdyn.checks import checked_choice
from armdyn.companions import PAPERS
from armdyn.graph.count import Operations
from armdyn.programs.key import ProgramKey
from armdyn.programs.methods import check_method
from armdyn.programs.programs import resolve
from armdyn.programs.sized_lru import remembered
from armdyn.programs.tracing import operations
from armdyn.robot.chain import Chain, chain_of
from armdyn.robot.library import generic
from armdyn.robot.model import Robot

Stage: TypeAlias = Literal["printed", "simplified", "improved"]
STAGES: tuple[Stage, ...] = get_args(Stage)


def operation_counts(
    kind: str, method: str, n: int, type: int = 1, *, stage: Stage = "improved"
) -> Operations:
    """Count the operations of a method on a generic arm.

    Args:
        kind: the quantity, e.g. "mass_matrix".
        method: name of the method; "auto" for the cheapest.
        n: number of joints.
        type: 1 for all joints rotational, 2 for joint 3 translational.
        stage: "improved" for the method as it is computed here; "printed" for the recursion as its
            paper writes it, run line by line and counted by the paper's conventions (divisions and
            roots are in ``mul``, rotations are on hand); "simplified" for that recursion after
            exact rules: no product with 0 or 1, nothing computed twice or in vain. The last two
            exist for methods whose recursion a paper prints, and need the distribution
            ``armdyn-papers``. Of "lin_fang_1" to "lin_fang_5" they are Tables I to V of
            [LinFang1999], which have composite bodies on hand; the paper makes composite bodies
            from minimal parameters only, in "lin_fang_1_minimal" and "lin_fang_2_minimal".

    Returns:
        The counts of one evaluation.

    Raises:
        MethodError: the quantity or the method is unknown.
        MissingExtraError: `stage` is not "improved", and ``armdyn-papers`` is not installed.

    Examples:
        >>> armdyn.operation_counts("mass_matrix", "lin_fang_1", n=6)
        Operations(mul=320, add=285, div=0, sqrt=0, trig=10)
        >>> print(
        ...     armdyn.operation_counts("mass_matrix", "lin_fang_1_minimal", n=6, stage="printed")
        ... )
        407M 301A
    """
    checked_choice(kind, "kind", QUANTITIES, what="quantity")
    check_method(kind, method)
    checked_choice(stage, "stage", STAGES, what="stage")
    chain = generic_chain(n, type)
    method = resolve(ProgramKey(chain, kind, method)).method
    if stage == "improved":
        return operations(chain, kind, method)
    recursions = PAPERS.module("recursions", f'`stage` "{stage}"')
    return cast(Operations, recursions.count_printed(kind, method, n, type, stage))


def generic_chain(n: int, type: int = 1, seed: int = 0) -> Chain:
    """Return the constants of a generic arm, with its last frame placed to save operations.

    The zero of q_n is chosen with it, since the zero of an angle is arbitrary.
    """
    return _with_cheap_last_frame(generic(n, type, seed))


@remembered
def _with_cheap_last_frame(robot: Robot) -> Chain:
    chain = with_last_frame_chosen(chain_of(robot))
    last = chain.links[-1]
    if last.rotational:
        last = replace(last, theta=0.0, C0=1.0, S0=0.0)
    return replace(chain, links=(*chain.links[:-1], last))
