"""Critical paths of methods on generic arms."""

from __future__ import annotations

from functools import cache

from armdyn.algorithms import QUANTITIES
from armdyn.arm import generic_chain
from armdyn.arm.programs._tracing import straight
from armdyn.graph import depth
from armdyn.report._measure import PROGRAMS


@cache
def critical_path(quantity: str, method: str, n: int, type: int = 1) -> int | None:
    """Return the critical path of a method, or of a part that only the papers count.

    None if a part has no program of its own, as what one quantity takes beside another.
    """
    chain = generic_chain(n, type)
    if quantity in QUANTITIES:
        return depth(straight(chain, quantity, method))
    return depth(PROGRAMS[quantity](method, chain)) if quantity in PROGRAMS else None
