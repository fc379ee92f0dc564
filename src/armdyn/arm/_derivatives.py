"""Methods that the graph makes: derivatives of programs, as rows beside those of the table.

A derivative is taken of the traced program of a method at the numbers at hand, known or unknown; so
it is run, traced, counted and checked like every other method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from armdyn.algorithms import QUANTITIES, Method
from armdyn.graph import Program, Slot, free_symbols
from armdyn.robot import Chain
from armdyn.scalar import Scalar

if TYPE_CHECKING:
    from armdyn.algorithms.vector import Matrix
    from armdyn.graph import Mode

Scalars = Sequence[Scalar]

ON_GENERAL_ARMS = {"inverse_dynamics": "second_moment", "jacobian": "geometric"}
"""The cheapest methods on general arms, for arms with unknown constants."""


def derived_methods(cheapest: Callable[[Chain, str], str]) -> dict[str, dict[str, Method]]:
    """Return the rows; `cheapest` names the method of a quantity that is differentiated."""

    def chosen(chain: Chain, quantity: str) -> str:
        return ON_GENERAL_ARMS[quantity] if free_symbols(chain) else cheapest(chain, quantity)

    def inverse(mode: Mode, chain: Chain, *inputs: Scalars) -> tuple[Matrix, Matrix, Matrix]:
        from armdyn.graph import jacobian_at

        code = _traced(chain, "inverse_dynamics", chosen(chain, "inverse_dynamics"))
        given = _flat(chain, inputs)
        dq, dqd, M = jacobian_at(code, "tau", ("q", "qd", "qdd"), given, mode)
        return dq, dqd, M

    def forward(mode: Mode, chain: Chain, *inputs: Scalars) -> tuple[Matrix, Matrix, Matrix]:
        from armdyn.algorithms.forward_dynamics_derivatives import forward_dynamics_derivatives

        q, qd, tau = inputs
        return forward_dynamics_derivatives(chain, q, qd, tau, partial(inverse, mode))

    def jacobian_derivative(chain: Chain, *inputs: Scalars, frame: int) -> Matrix:
        from armdyn.graph import directional_at

        q, qd = inputs
        code = _traced(chain, "jacobian", chosen(chain, "jacobian"), frame)
        flat = directional_at(code, "J", "q", _flat(chain, [q]), qd)
        return [flat[k : k + chain.n] for k in range(0, len(flat), chain.n)]

    taken: dict[Mode, str] = {"forward": "carried forward", "reverse": "followed back"}
    return {
        "inverse_dynamics_derivatives": {
            mode: Method(partial(inverse, mode), f"inverse_dynamics, {words}")
            for mode, words in taken.items()
        },
        "forward_dynamics_derivatives": {
            mode: Method(partial(forward, mode), f"inverse_dynamics, {words}, solved for qdd")
            for mode, words in taken.items()
        },
        "jacobian_derivative": {
            "forward": Method(jacobian_derivative, "jacobian, carried forward along qd")
        },
    }


@lru_cache(maxsize=32)
def _traced(chain: Chain, quantity: str, method: str, frame: int | None = None) -> Program:
    """Trace a method with its inputs and, first of all, the unknown constants of the chain."""
    from armdyn.graph import trace

    entry = QUANTITIES[quantity]
    run = partial(entry.methods[method].run, chain)
    if frame is not None:
        run = partial(run, frame=frame)
    inputs = [Slot(name, (chain.n,)) for name in entry.inputs]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(chain.n).items()]
    return trace(run, inputs, outputs, quantity, constants=free_symbols(chain))


def _flat(chain: Chain, inputs: Sequence[Scalars]) -> list[Scalar]:
    """Return the inputs of a traced method as one list."""
    return [*free_symbols(chain), *(x for values in inputs for x in values)]
