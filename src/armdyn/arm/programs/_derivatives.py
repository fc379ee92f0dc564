"""Methods that differentiate traced programs, in addition to the methods of `algorithms`.

The derivative program is evaluated on the given scalars, numbers or symbols. So it is run, traced,
counted and checked like every other method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from armdyn.algorithms import QUANTITIES, Derivative, Method
from armdyn.algorithms.quantity import resolve
from armdyn.algorithms.vector import Matrix
from armdyn.arm.programs._sized_lru import remembered
from armdyn.graph import Program, Slot, directional_at, free_symbols, jacobian_at, trace
from armdyn.robot import Chain
from armdyn.scalar import Scalar

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
