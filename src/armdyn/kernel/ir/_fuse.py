"""Fuse multiplications and additions here: the same choice for every width and LLVM version.

A product that only one sum reads is fused into it. A product that is read twice stays separate:
fused into both sums, it would be computed twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from armdyn.graph import Instruction, Program
from armdyn.scalar import Op


class Fused(NamedTuple):
    """(+/-) a b (+/-) c, rounded once."""

    args: tuple[int, int, int]
    minus_product: bool = False
    minus_addend: bool = False


Step: TypeAlias = Instruction | Fused
"""One step of a kernel."""


def fused(program: Program, fma: bool) -> list[Step | None]:
    """Return the program's steps with products fused into sums; None for a fused product."""
    steps: list[Step | None] = list(program.code)
    if not fma:
        return steps
    reads = Counter(arg for step in program.code for arg in step.args)
    reads.update(program.results)
    depth = _depth(program.code)
    for k, step in enumerate(program.code):
        if step.op not in (Op.ADD, Op.SUB):
            continue
        left, right = step.args
        free = [
            side for side in (left, right) if program.code[side].op is Op.MUL and reads[side] == 1
        ]
        if not free:
            continue
        # of two products, fuse the one that is ready later: the sum waits for it anyway
        product = max(free, key=lambda side: (depth[side], side))
        a, b = program.code[product].args
        difference = step.op is Op.SUB
        steps[product] = None
        steps[k] = Fused(
            (a, b, left if product == right else right),
            minus_product=difference and product == right,
            minus_addend=difference and product == left,
        )
    return steps


def _depth(code: Sequence[Instruction]) -> list[int]:
    depth: list[int] = []
    for step in code:
        depth.append(1 + max((depth[arg] for arg in step.args), default=-1))
    return depth
