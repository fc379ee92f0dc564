"""Trace methods on the constants of a robot: programs, sweeps and their operation counts.

All tracing code is imported here; cached programs do not need it.
"""

from __future__ import annotations

from collections.abc import Callable

from armdyn.algorithms import Method
from armdyn.algorithms.base_motion import on_base
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.algorithms.quantity import resolve
from armdyn.arm.programs._derivatives import derived_method
from armdyn.arm.programs._methods import method_row, row_of
from armdyn.arm.programs._names import ROLLED
from armdyn.arm.programs._programs import cheapest
from armdyn.arm.programs._rolled import rolled_program
from armdyn.arm.programs._singular import refuse_singular
from armdyn.arm.programs._sized_lru import remembered
from armdyn.graph import Operations, Program, Rolled, Slot, count, count_rolled, trace
from armdyn.robot import BASES, FIXED, Chain
from armdyn.scalar import Scalar


def operations(chain: Chain, quantity: str, method: str, base: str = FIXED) -> Operations:
    """Count the operations of a method on a chain, without friction."""
    if method == ROLLED:
        return count_rolled(sweeps(chain, quantity, friction=False))
    return count(straight(chain, quantity, method, base))


def straight(chain: Chain, quantity: str, method: str, base: str = FIXED) -> Program:
    """Trace a method on a chain, without friction; not the sweeps."""
    row = method_row(quantity, method)
    return traced(chain, quantity, method, chain.n + 1, False, base, row)


@remembered
def traced(
    chain: Chain, quantity: str, method: str, frame: int, friction: bool, base: str, row: object
) -> Program:
    """Trace a method; `row` is part of the key, so a new method of the same name is traced anew."""
    entry = row_of(quantity)
    refuse_singular(chain, quantity)
    if not entry.about_frames:
        chain = with_last_frame_chosen(chain)
    inputs = input_slots(quantity, chain.n, base)
    outputs = [Slot(name, shape) for name, shape in entry.shapes(chain.n).items()]
    run = algorithm(chain, quantity, method, frame, friction)
    return trace(run, inputs, outputs, name=quantity)


def input_slots(quantity: str, n: int, base: str = FIXED) -> list[Slot]:
    """Return the inputs of a quantity of n joints, those that tell the motion of the base last."""
    states = [Slot(name, (n,)) for name in row_of(quantity).inputs]
    return [*states, *(Slot(name, (size,)) for name, size in BASES[base].items())]


def sweeps(chain: Chain, quantity: str, *, friction: bool) -> Rolled:
    """Return a quantity as sweeps along the joints; arguments as for `program`."""
    refuse_singular(chain, quantity)
    found = rolled_program(chain, quantity, friction=friction)
    assert found is not None, "methods() names the quantities that have sweeps"
    return found


def algorithm(
    chain: Chain, quantity: str, method: str, frame: int, friction: bool
) -> Callable[..., object]:
    """Return a method as a function of its inputs, lists of scalars; arguments as for `program`.

    Inputs that tell the motion of the base may follow, see `BASES`.
    """
    entry, row = row_of(quantity), method_row(quantity, method)
    run = (row if isinstance(row, Method) else derived_method(row, cheapest)).run

    def function(*given: list[Scalar]) -> object:
        inputs, motion = given[: len(entry.inputs)], given[len(entry.inputs) :]
        arm = on_base(chain, *motion) if motion else chain
        if entry.takes_frame:
            return run(arm, *inputs, frame=frame)
        if friction and entry.friction:
            return resolve(entry.friction)(run, arm, *inputs)
        return run(arm, *inputs)

    return function
