"""Trace methods on the constants of a robot: programs, sweeps and their operation counts.

All tracing code is imported here; cached programs do not need it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from armdyn.algorithms import mass_matrix_udu
from armdyn.algorithms.base_motion import on_base
from armdyn.algorithms.coordinates import on_coordinates
from armdyn.algorithms.friction import friction_under_load as law
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.algorithms.quantity import Derivative, Method, Quantity, resolve
from armdyn.algorithms.table import QUANTITIES
from armdyn.algorithms.vector import Matrix
from armdyn.arrays import Array
from armdyn.errors import RobotError
from armdyn.graph.count import Operations, count
from armdyn.graph.derive import directional_at, jacobian_at
from armdyn.graph.program import Program, Slot
from armdyn.graph.rolled import Rolled, count_rolled
from armdyn.graph.trace import trace
from armdyn.kernel.kernel import cached_kernel
from armdyn.programs.key import TIP, ProgramKey
from armdyn.programs.methods import ROLLED, method_row, row_of
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
    columns = row.shapes(chain.dof)[output][-1]
    return [flat[k : k + columns] for k in range(0, len(flat), columns)]


def _program(derivative: Derivative, cheapest: Choice, chain: Chain, frame: int = TIP) -> Program:
    """Return the program to differentiate; with symbolic constants, that of the general method."""
    row = QUANTITIES[derivative.of]
    name = row.general if free_symbols(chain) else cheapest(chain, derivative.of)
    return _traced(ProgramKey(chain, derivative.of, name, frame), row.methods[name])


@remembered
def _traced(key: ProgramKey, method: Method) -> Program:
    """Trace a method; its inputs are preceded by the symbolic constants of the chain."""
    chain, row = key.chain, QUANTITIES[key.quantity]
    run = partial(_by_coordinates(method, row), chain)
    if row.takes_frame:
        run = partial(run, frame=key.frame)
    inputs = [Slot(name, (chain.dof,)) for name in row.inputs]
    outputs = output_slots(key.quantity, chain)
    return trace(run, inputs, outputs, key.quantity, constants=free_symbols(chain))


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
    return _rolled(ProgramKey(chain, quantity, ROLLED, friction=friction), row)


@remembered
def _rolled(key: ProgramKey, row: Quantity) -> Rolled:
    assert row.rolled is not None
    chain = key.chain
    return roll(
        key.quantity,
        [Slot(name, (chain.n,)) for name in row.inputs],
        [Slot(name, shape) for name, shape in row.shapes(chain.n).items()],
        row.rolled.sweeps(chain, *([key.friction] if row.friction else [])),
    )


def operations(chain: Chain, quantity: str, method: str, base: str = FIXED) -> Operations:
    """Count the operations of a method on a chain, without friction."""
    if method == ROLLED:
        return count_rolled(sweeps(ProgramKey(chain, quantity, method, friction=False)))
    return count(straight(chain, quantity, method, base))


def straight(chain: Chain, quantity: str, method: str, base: str = FIXED) -> Program:
    """Trace a method on a chain, without friction; not the sweeps."""
    key = ProgramKey(chain, quantity, method, friction=False, base=base)
    return traced(key, method_row(quantity, method))


@remembered
def traced(key: ProgramKey, row: object) -> Program:
    """Trace a method; with `row`, a new method of the same name is traced anew."""
    entry = row_of(key.quantity)
    refuse_singular(key.chain, key.quantity)
    if not entry.frame_dependent:
        key = replace(key, chain=with_last_frame_chosen(key.chain))
    inputs = input_slots(key.quantity, key.chain.dof, key.base)
    outputs = output_slots(key.quantity, key.chain)
    return trace(algorithm(key), inputs, outputs, name=key.quantity)


def input_slots(quantity: str, n: int, base: str = FIXED) -> list[Slot]:
    """Return the inputs of a quantity of n joints, those that tell the motion of the base last."""
    states = [Slot(name, (n,)) for name in row_of(quantity).inputs]
    return [*states, *(Slot(name, (size,)) for name, size in BASES[base].items())]


def output_slots(quantity: str, chain: Chain) -> list[Slot]:
    """Return the outputs of a quantity of a robot."""
    shapes = row_of(quantity).shapes(chain.dof, len(chain.link_numbers))
    return [Slot(name, shape) for name, shape in shapes.items()]


def sweeps(key: ProgramKey) -> Rolled:
    """Return a quantity as sweeps along the joints."""
    refuse_singular(key.chain, key.quantity)
    found = rolled_program(key.chain, key.quantity, friction=key.friction)
    assert found is not None, "methods() names the quantities that have sweeps"
    return found


def algorithm(key: ProgramKey) -> Callable[..., object]:
    """Return a method as a function of its inputs, lists of scalars.

    Inputs that tell the motion of the base may follow, see `BASES`.
    """
    entry, row = row_of(key.quantity), method_row(key.quantity, key.method)
    if isinstance(row, Method):
        run = _by_coordinates(row, entry)
    else:
        run = derived_method(row, cheapest).run

    def function(*given: list[Scalar]) -> object:
        inputs, motion = given[: len(entry.inputs)], given[len(entry.inputs) :]
        arm = on_base(key.chain, *motion) if motion else key.chain
        if entry.takes_frame:
            return run(arm, *inputs, frame=key.frame)
        if key.friction and entry.friction:
            return resolve(entry.friction)(run, arm, *inputs)
        return run(arm, *inputs)

    return function


def _by_coordinates(method: Method, row: Quantity) -> Callable[..., Any]:
    """Return a method as a function of coordinates, which of a serial arm are its joints."""
    return method.run if method.projected else on_coordinates(method.run, row.inputs, row.outputs)


# Friction as a function of speeds and of the torques that gears transmit.


def friction_under_load(chain: Chain) -> Program:
    """Trace friction with the inputs qd and load."""
    n = (chain.dof,)
    inputs = [Slot("qd", n), Slot("load", n)]
    return trace(partial(law, chain), inputs, [Slot("tau", n)], name="friction")


# Arms whose mass matrix is singular in every position.

# M scaled to a unit diagonal is singular if its smallest eigenvalue is below this (no unit). Real
# arms, heavy at the base and light at the wrist, stay many orders of magnitude above it.
SINGULAR = 1e-13
# A diagonal entry of M below this times the largest is a rounded zero. No unit.
RESIDUE = 1e-16
# For arms with more joints, machine code computes M; plain Python would take seconds.
MANY_JOINTS = 60


def refuse_singular(chain: Chain, quantity: str) -> None:
    """Refuse a quantity that divides by a mass matrix that has no inverse."""
    if QUANTITIES[quantity].needs_invertible_mass_matrix and (why := singular(chain)):
        raise RobotError(f"{quantity} does not exist, the mass matrix is singular: {why}.")


@remembered
def singular(chain: Chain) -> str:
    """Return why the mass matrix has no inverse at any state; empty if it has one.

    It is checked at one state without symmetry: a matrix singular there is singular everywhere.
    """
    M = _mass_matrix(chain, [0.3 + 0.7 * i for i in range(chain.dof)])
    still = [i + 1 for i in range(chain.dof) if not M[i, i] > RESIDUE * M.max(initial=0.0)]
    why = "give the links behind it mass and inertia, or the joint a rotor inertia"
    if still:
        return f"nothing that joint {still[0]} moves resists it: {why}"
    scale = 1.0 / np.sqrt(np.diag(M))
    if _smallest(M * np.outer(scale, scale)) < SINGULAR:
        return "some joints can move together without moving any mass: give their links inertia"
    return ""


def _mass_matrix(chain: Chain, q: list[float]) -> Array:
    if not chain.is_serial:
        return np.array(mass_matrix_udu.mass_matrix(chain, q), dtype=np.float64)
    sweeps = None
    if chain.n > MANY_JOINTS:
        sweeps = rolled_program(chain, "mass_matrix", friction=False)
    if sweeps is not None:
        return np.asarray(cached_kernel(sweeps)(np.array(q)))
    return np.array(QUANTITIES["mass_matrix"].methods["lin_fang_1"].run(chain, q), dtype=np.float64)


def _smallest(M: Array) -> float:
    """Return the smallest eigenvalue of M or, if M is large, the smallest pivot, which is faster.

    If M is singular, both are zero up to rounding.
    """
    if len(M) <= MANY_JOINTS:
        return float(np.abs(np.linalg.eigvalsh(M)).min())
    try:
        return float(np.diag(np.linalg.cholesky(M)).min() ** 2)
    except np.linalg.LinAlgError:
        return 0.0
