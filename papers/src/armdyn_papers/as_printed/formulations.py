"""The inertia matrix by Tables I to V of [LinFang1999], on natural inertia parameters.

The tables take the composite bodies as numbers on hand: the paper prints no algorithm that makes
them from natural parameters, and Table VI counts none. Here they are the sums over links.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from armdyn.algorithms.composite import Composite, composites
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.lin_fang_5 import CompositeBefore, composites_before
from armdyn.algorithms.vector import Matrix
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar
from armdyn_papers.as_printed.lines import Lines
from armdyn_papers.as_printed.tables_i_to_v import table_i, table_ii, table_iii, table_iv, table_v

Table: TypeAlias = Callable[[Sequence[Frame], Sequence[Composite], Lines], Matrix]


def formulation_1(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix by Table I."""
    return _by_table(table_i, chain, q, line)


def formulation_2(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix by Table II."""
    return _by_table(table_ii, chain, q, line)


def formulation_3(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix by Table III."""
    return _by_table(table_iii, chain, q, line)


def formulation_4(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix by Table IV."""
    return _by_table(table_iv, chain, q, line)


def formulation_5(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix by Table V."""
    F = frames(chain, q)
    bodies = [
        CompositeBefore(body.m, line.given(body.h), line.given(body.J3))
        for body in composites_before(F, composites(chain, F))
    ]
    return table_v(F, bodies, line)


def _by_table(table: Table, chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    F = frames(chain, q)
    bodies = [
        Composite(body.m, line.given(body.c), line.given(body.J)) for body in composites(chain, F)
    ]
    return table(F, bodies, line)
