"""Long arms: programs that sweep along the joints instead of straight-line code."""

from __future__ import annotations

from functools import lru_cache

from armdyn.algorithms import QUANTITIES
from armdyn.algorithms.rolled import ROLLED_METHODS
from armdyn.graph import Rolled, Slot, free_symbols, roll
from armdyn.robot import Chain


@lru_cache(maxsize=64)
def rolled_program(chain: Chain, quantity: str, *, friction: bool) -> Rolled | None:
    """Trace the sweeps that compute a quantity; None if there are none.

    Args:
        chain: the constants of the robot; none may be symbolic.
        quantity: what to compute.
        friction: for quantities that a drive feels: whether joint friction is part of the torque.
    """
    if quantity not in ROLLED_METHODS or free_symbols(chain):
        return None
    plan, n = ROLLED_METHODS[quantity](chain, friction), chain.n
    return roll(
        quantity,
        [Slot(name, (n,)) for name in QUANTITIES[quantity].inputs],
        [Slot(name, shape) for name, shape in QUANTITIES[quantity].shapes(n).items()],
        plan.constants,  # pyright: ignore[reportArgumentType]
        plan.sweeps,
        plan.symmetric,
    )
