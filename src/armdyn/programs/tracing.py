"""Trace methods on the constants of a robot: programs, sweeps and their operation counts.

All tracing code is imported here; cached programs do not need it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from armdyn.algorithms.base_motion import on_base
from armdyn.algorithms.friction import friction_under_load as law
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.algorithms.quantity import Derivative, Method, Quantity, resolve
from armdyn.algorithms.table import QUANTITIES
from armdyn.algorithms.vector import Matrix
from armdyn.graph.count import Operations, count
from armdyn.graph.derive import directional_at, jacobian_at
from armdyn.graph.program import Program, Slot
from armdyn.graph.rolled import Rolled, count_rolled
from armdyn.graph.trace import trace
from armdyn.programs.methods import ROLLED, method_row, refuse_singular, row_of
from armdyn.programs.programs import cheapest
from armdyn.programs.roll import roll
from armdyn.programs.sized_lru import remembered
from armdyn.robot.chain import BASES, FIXED, Chain
from armdyn.scalar import Scalar, free_symbols

# Methods that differentiate traced programs, in addition to the methods of `algorithms`.
#
# The derivative program is evaluated on the given scalars, numbers or symbols. So it is run,
# traced, counted and checked like every other method.

Scalars = Sequence[Scalar]
Choice = Callable[[Chain, str], str]


@lru_cache(maxsize=64)
def derived_method(derivative: Derivative, cheapest: Choice) -> Method:
    """Return the method of a row; `cheapest` names the method that is differentiated."""
    derivatives = partial(_along if derivative.along else _partials, derivative, cheapest)
    if derivative.then is None:
        return Method(derivatives, derivative.source)
    answer = resolve(derivative.then)

    def run(chain: Chain, *inputs: Scalars) -> Any:
        return answer(chain, *inputs, derivatives)

    return Method(run, derivative.source)


def _partials(
    derivative: Derivative, cheapest: Choice, chain: Chain, *inputs: Scalars
) -> tuple[Matrix, ...]:
    """Return the derivatives of the only output by each input."""
    row, code = QUANTITIES[derivative.of], _program(derivative, cheapest, chain)
    (output,) = row.outputs
    given = _flat(chain, inputs)
    return tuple(jacobian_at(code, output, row.inputs, given, derivative.mode))


def _along(
    derivative: Derivative, cheapest: Choice, chain: Chain, *inputs: Scalars, frame: int
) -> Matrix:
    """Return the derivative of the only output, a matrix, along the last input."""
    *states, direction = inputs
    row, code = QUANTITIES[derivative.of], _program(derivative, cheapest, chain, frame)
    (output,), (by,) = row.outputs, row.inputs
    flat = directional_at(code, output, by, _flat(chain, states), direction)
    columns = row.shapes(chain.n)[output][-1]
    return [flat[k : k + columns] for k in range(0, len(flat), columns)]


def _program(
    derivative: Derivative, cheapest: Choice, chain: Chain, frame: int | None = None
) -> Program:
    """Return the program to differentiate; with symbolic constants, that of the general method."""
    row = QUANTITIES[derivative.of]
    name = row.general if free_symbols(chain) else cheapest(chain, derivative.of)
    return _traced(chain, derivative.of, row.methods[name], frame)


@remembered
def _traced(chain: Chain, quantity: str, method: Method, frame: int | None) -> Program:
    """Trace a method; its inputs are preceded by the symbolic constants of the chain."""
    row = QUANTITIES[quantity]
    run = partial(method.run, chain)
    if frame is not None:
        run = partial(run, frame=frame)
    inputs = [Slot(name, (chain.n,)) for name in row.inputs]
    outputs = [Slot(name, shape) for name, shape in row.shapes(chain.n).items()]
    return trace(run, inputs, outputs, quantity, constants=free_symbols(chain))


def _flat(chain: Chain, inputs: Sequence[Scalars]) -> list[Scalar]:
    """Return the inputs of a traced method as one list."""
    return [*free_symbols(chain), *(x for values in inputs for x in values)]


# Long arms: programs that sweep along the joints instead of straight-line code.


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
    return roll(
        quantity,
        [Slot(name, (chain.n,)) for name in row.inputs],
        [Slot(name, shape) for name, shape in row.shapes(chain.n).items()],
        row.rolled.sweeps(chain, *([friction] if row.friction else [])),
    )


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
    if not entry.frame_dependent:
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


# Friction as a function of speeds and of the torques that gears transmit.


def friction_under_load(chain: Chain) -> Program:
    """Trace friction with the inputs qd and load."""
    n = (chain.n,)
    inputs = [Slot("qd", n), Slot("load", n)]
    return trace(partial(law, chain), inputs, [Slot("tau", n)], name="friction")
