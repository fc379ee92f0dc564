"""Operation counts on the arms that the papers count on."""

from __future__ import annotations

from functools import lru_cache

from armdyn.arm._programs import operations, resolve
from armdyn.graph import Operations
from armdyn.robot import Chain, chain_of, generic


def operation_counts(kind: str, method: str, n: int, type: int = 1) -> Operations:
    """Count the operations of a method, traced at this moment, on a generic arm.

    Args:
        kind: what is computed, e.g. "mass_matrix".
        method: by which method; "auto" for the cheapest.
        n: number of joints.
        type: 1 for all joints rotational, 2 for joint 3 translational.
    """
    chain = _generic_chain(n, type)
    return operations(chain, kind, resolve(chain, kind, method))


@lru_cache(maxsize=64)
def _generic_chain(n: int, type: int) -> Chain:
    return chain_of(generic(n, type=type))
