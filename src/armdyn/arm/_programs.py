"""From a robot's constants and a row of the table to a program; the choice of the cheapest."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from armdyn.algorithms import QUANTITIES, Method, Quantity
from armdyn.algorithms.friction import RULES
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.algorithms.rolled import ROLLED_METHODS
from armdyn.arm._derivatives import derived_methods
from armdyn.arm._names import AUTO, ROLLED
from armdyn.arm._recent import recent
from armdyn.arm._rolled import rolled_program
from armdyn.arm._singular import INVERTING, singular
from armdyn.errors import MethodError, RobotError
from armdyn.graph import Operations, Program, Rolled, Slot, count, count_rolled, free_symbols, trace
from armdyn.kernel import cached_choice, cached_program, source_digest
from armdyn.robot import Chain
from armdyn.scalar import Scalar

# Straight-line code of more operations than this no longer fits the cache of instructions: sweeps
# along the joints are as fast then, and soon faster.
LONGEST_STRAIGHT = 4000
# Sweeps do not know what an arm's geometry makes zero; if they take so many times more operations
# than is the limit, straight-line code would not come below it either and is not even traced.
HOPELESS = 3
# No straight-line code of arms with fewer joints than this is that long, where there are sweeps.
FEWEST_ROLLED = 10
# The cheapest methods on long general arms: one is traced to see how long straight-line code is.
ON_LONG_ARMS = {
    "mass_matrix": "split", "inverse_dynamics": "second_moment", "bias": "second_moment",
    "gravity": "lin_1994", "forward_dynamics": "denoc", "inverse_mass_matrix": "mass_matrix_udu",
}  # fmt: skip

# Steps and results of the programs that are kept for the next call: some 50 MB, or all the programs
# of several arms.
STEPS_KEPT = 300_000

# The packages whose text decides what is traced.
TRACING = (
    "armdyn.scalar", "armdyn.graph", "armdyn.graph.rolled", "armdyn.algorithms",
    "armdyn.algorithms.rolled", "armdyn.robot", "armdyn.arm",
)  # fmt: skip


def methods(quantity: str) -> tuple[str, ...]:
    """Return the names of the methods that compute a quantity, e.g. "mass_matrix"."""
    return (*straight_methods(quantity), *([ROLLED] if quantity in ROLLED_METHODS else []))


def straight_methods(quantity: str) -> tuple[str, ...]:
    """Return the names of the methods that become straight-line code."""
    return tuple(_methods(quantity))


def source(quantity: str, method: str) -> str:
    """Return the work that a method follows, or what it is made from."""
    return "sweeps along the joints" if method == ROLLED else _methods(quantity)[method].source


def quantities(chain: Chain) -> tuple[str, ...]:
    """Return everything that can be computed for this chain."""
    impossible = INVERTING if singular(chain) else ()
    return tuple(quantity for quantity in QUANTITIES if quantity not in impossible)


def resolve(chain: Chain, quantity: str, method: str) -> str:
    """Return the method's name; "auto" becomes the one that is fastest for this chain."""
    check_method(quantity, method)
    return fastest(chain, quantity) if method == AUTO else method


def check_method(quantity: str, method: str, *, straight: bool = False) -> None:
    """Refuse unknown quantities and methods; with `straight`, sweeps as well."""
    every = (AUTO, *methods(quantity))
    if not isinstance(method, str) or method not in every:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError(f"method of {quantity}", method, every)
    if straight and method == ROLLED:
        raise MethodError(
            f"straight-line method of {quantity}", method, (AUTO, *straight_methods(quantity))
        )


@lru_cache(maxsize=1024)
def fastest(chain: Chain, quantity: str) -> str:
    """Return the cheapest method, or the sweeps along the joints of a long arm."""
    if quantity not in ROLLED_METHODS or chain.n < FEWEST_ROLLED or free_symbols(chain):
        return cheapest(chain, quantity)
    decided_by = (*_decided_by(chain), quantity, "fastest")
    return cached_choice(decided_by, methods(quantity), lambda: _fastest(chain, quantity))


def _fastest(chain: Chain, quantity: str) -> str:
    # of the inverse, sweeps take twice the multiplications
    longest = LONGEST_STRAIGHT * (2 if quantity == "inverse_mass_matrix" else 1)
    if _length(operations(chain, quantity, ROLLED)) > HOPELESS * longest:
        return ROLLED
    straight = _length(operations(chain, quantity, ON_LONG_ARMS[quantity]))
    return ROLLED if straight > longest else cheapest(chain, quantity)


def _length(counted: Operations) -> int:
    return counted.multiplications + counted.additions


@lru_cache(maxsize=1024)
def cheapest(chain: Chain, quantity: str) -> str:
    """Return the straight-line method with the fewest multiplications, then additions.

    Among equals it is the first.
    """
    names = straight_methods(quantity)
    if len(names) == 1:
        return names[0]

    def choose() -> str:
        return min(names, key=lambda name: cost(operations(chain, quantity, name)))

    return (
        choose()
        if free_symbols(chain)
        else cached_choice((*_decided_by(chain), quantity), names, choose)
    )


def cost(counted: Operations) -> tuple[int, int]:
    """Return what "cheaper" compares: multiplications with divisions and roots, then additions."""
    return (counted.multiplications + counted.sqrt, counted.additions)


def operations(chain: Chain, quantity: str, method: str) -> Operations:
    """Count the operations of a method on a chain, friction left out."""
    if method == ROLLED:
        return count_rolled(sweeps(chain, quantity, friction=False))
    return count(_traced(chain, quantity, method, frame=chain.n + 1, friction=False))


def _steps(program: Program) -> int:
    return len(program.code) + len(program.results)


@recent(STEPS_KEPT, _steps)
def program(chain: Chain, quantity: str, method: str, frame: int, friction: bool) -> Program:
    """Trace a method, or take what was traced before in this or another process.

    Args:
        chain: the constants of the robot.
        quantity: what to compute.
        method: a name of `methods(quantity)`.
        frame: for quantities that ask for one: i for E_i, n + 1 for the tip.
        friction: for quantities that a drive feels: whether joint friction is part of the torque.
    """

    def make() -> Program:
        return _traced(chain, quantity, method, frame, friction)

    if free_symbols(chain):
        return make()
    return cached_program((*_decided_by(chain), quantity, method, str(frame), str(friction)), make)


@recent(STEPS_KEPT, _steps)
def _traced(chain: Chain, quantity: str, method: str, frame: int, friction: bool) -> Program:
    entry = _quantity(quantity)
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
    entry = _quantity(quantity)
    run = _methods(quantity)[method].run

    def function(*inputs: list[Scalar]) -> object:
        if entry.takes_frame:
            return run(chain, *inputs, frame=frame)
        if friction and quantity in RULES:
            return RULES[quantity](run, chain, *inputs)
        return run(chain, *inputs)

    return function


def _decided_by(chain: Chain) -> tuple[str, ...]:
    """Return what decides the programs of a chain: its constants, and the text of all that traces.

    So a changed method is another one without anybody having to say so.
    """
    return repr(chain), *map(source_digest, TRACING)


def _quantity(quantity: str) -> Quantity:
    if not isinstance(quantity, str) or quantity not in QUANTITIES:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError("quantity", quantity, QUANTITIES)
    return QUANTITIES[quantity]


def _methods(quantity: str) -> dict[str, Method]:
    return {**_quantity(quantity).methods, **DERIVED.get(quantity, {})}


DERIVED = derived_methods(cheapest)
"""The methods that are made by differentiating others, by quantity."""
