"""Critical paths of methods on generic arms."""

from __future__ import annotations

from functools import cache

from armdyn.algorithms import QUANTITIES
from armdyn.arm import generic_chain
from armdyn.arm.programs._tracing import straight
from armdyn.graph import depth


@cache
def critical_path(quantity: str, method: str, n: int, type: int = 1) -> int | None:
    """Return the critical path of a method; None for parts that only the papers count."""
    if quantity not in QUANTITIES:
        return None
    return depth(straight(generic_chain(n, type), quantity, method))
