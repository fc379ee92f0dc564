"""Methods traced on the constants of a robot: programs, sweeps, and what they cost.

All that traces is imported from here; what is in the cache needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable

from armdyn.algorithms.friction import RULES
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.arm._names import ROLLED
from armdyn.arm._programs import MOST_STEPS, key_steps, method_of, quantity_of, steps
from armdyn.arm._recent import recent
from armdyn.arm._rolled import rolled_program
from armdyn.arm._singular import INVERTING, singular
from armdyn.errors import RobotError
from armdyn.graph import Operations, Program, Rolled, Slot, count, count_rolled, trace
from armdyn.robot import Chain
from armdyn.scalar import Scalar


def operations(chain: Chain, quantity: str, method: str) -> Operations:
    """Count the operations of a method on a chain, friction left out."""
    if method == ROLLED:
        return count_rolled(sweeps(chain, quantity, friction=False))
    return count(traced(chain, quantity, method, frame=chain.n + 1, friction=False))


@recent(MOST_STEPS, steps, key_steps)
def traced(chain: Chain, quantity: str, method: str, frame: int, friction: bool) -> Program:
    """Trace a method; arguments as for `program`."""
    entry = quantity_of(quantity)
    _refuse_singular(chain, quantity)
    if not entry.about_frames:
        chain = with_last_frame_chosen(chain)
    inputs = [Slot(name, (chain.n,)) for name in entry.inputs]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(chain.n).items()]
    run = algorithm(chain, quantity, method, frame, friction)
    return trace(run, inputs, outputs, name=quantity)


def sweeps(chain: Chain, quantity: str, *, friction: bool) -> Rolled:
    """Return a quantity as sweeps along the joints; arguments as for `program`."""
    _refuse_singular(chain, quantity)
    found = rolled_program(chain, quantity, friction=friction)
    assert found is not None, "methods() names the quantities that can be walked"
    return found


def _refuse_singular(chain: Chain, quantity: str) -> None:
    if quantity in INVERTING and (why := singular(chain)):
        raise RobotError(f"{quantity} does not exist, the mass matrix is singular: {why}.")


def algorithm(
    chain: Chain, quantity: str, method: str, frame: int, friction: bool
) -> Callable[..., object]:
    """Return a method as a function of its inputs, lists of scalars; arguments as for `program`."""
    entry = quantity_of(quantity)
    run = method_of(quantity, method).run

    def function(*inputs: list[Scalar]) -> object:
        if entry.takes_frame:
            return run(chain, *inputs, frame=frame)
        if friction and quantity in RULES:
            return RULES[quantity](run, chain, *inputs)
        return run(chain, *inputs)

    return function
