"""Long arms: programs that sweep along the joints instead of straight-line code."""

from __future__ import annotations

from armdyn.algorithms import QUANTITIES, Quantity
from armdyn.arm.programs._sized_lru import remembered
from armdyn.graph import Rolled, Slot, free_symbols, roll
from armdyn.robot import Chain


def rolled_program(chain: Chain, quantity: str, *, friction: bool) -> Rolled | None:
    """Trace the sweeps that compute a quantity; None if there are none.

    Args:
        chain: the constants of the robot; none may be symbolic.
        quantity: what to compute.
        friction: whether the torques include joint friction, for quantities that depend on it.
    """
    row = QUANTITIES[quantity]
    if row.rolled is None or free_symbols(chain):
        return None
    return _rolled(chain, quantity, row, friction)


@remembered
def _rolled(chain: Chain, quantity: str, row: Quantity, friction: bool) -> Rolled:
    assert row.rolled is not None
    found = row.rolled.sweeps(chain, *([friction] if row.friction else []))
    return roll(
        quantity,
        [Slot(name, (chain.n,)) for name in row.inputs],
        [Slot(name, shape) for name, shape in row.shapes(chain.n).items()],
        found.constants,
        found.sweeps,
        found.symmetric,
    )
