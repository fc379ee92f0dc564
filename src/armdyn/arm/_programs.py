"""From a robot's constants and a row of the table to a program; the choice of the cheapest.

Programs and choices come from the cache where they are there; else `_tracing` is imported.
"""

from __future__ import annotations

from functools import lru_cache

from armdyn.algorithms import QUANTITIES, Method, Quantity
from armdyn.algorithms.rolled import ROLLED_METHODS
from armdyn.arm._derivatives import derived_methods
from armdyn.arm._names import AUTO, ROLLED
from armdyn.arm._recent import recent
from armdyn.arm._singular import INVERTING, singular
from armdyn.errors import MethodError
from armdyn.graph import Operations, Program, Rolled, free_symbols
from armdyn.kernel import cached_choice, cached_program, source_digest
from armdyn.robot import Chain

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

# Steps and results of the programs that stay in memory for the next call: some 50 MB, or all the
# programs of several arms.
MOST_STEPS = 300_000
# The constants of a link take as much memory as so many steps: some 1.5 kB.
STEPS_OF_LINK = 13

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
    from armdyn.arm._tracing import operations

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
        from armdyn.arm._tracing import operations

        return min(names, key=lambda name: cost(operations(chain, quantity, name)))

    return (
        choose()
        if free_symbols(chain)
        else cached_choice((*_decided_by(chain), quantity), names, choose)
    )


def cost(counted: Operations) -> tuple[int, int]:
    """Return what "cheaper" compares: multiplications with divisions and roots, then additions."""
    return (counted.multiplications + counted.sqrt, counted.additions)


def steps(program: Program) -> int:
    """Return how long a program is: its steps and results."""
    return len(program.code) + len(program.results)


def key_steps(chain: Chain, quantity: str, method: str, frame: int, friction: bool) -> int:
    """Return how many steps take as much memory as the arguments of `program`."""
    return STEPS_OF_LINK * chain.n


def code_of(
    chain: Chain, quantity: str, method: str, frame: int, friction: bool
) -> Program | Rolled:
    """Return the code of any method, sweeps too; arguments as for `program`."""
    if method != ROLLED:
        return program(chain, quantity, method, frame, friction)
    from armdyn.arm._tracing import sweeps

    return sweeps(chain, quantity, friction=friction)


@recent(MOST_STEPS, steps, key_steps)
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
        from armdyn.arm._tracing import traced

        return traced(chain, quantity, method, frame, friction)

    if free_symbols(chain):
        return make()
    return cached_program((*_decided_by(chain), quantity, method, str(frame), str(friction)), make)


def _decided_by(chain: Chain) -> tuple[str, ...]:
    """Return what decides the programs of a chain: its constants, and the text of all that traces.

    So a changed method is another one without anybody having to say so.
    """
    return repr(chain), *map(source_digest, TRACING)


def quantity_of(quantity: str) -> Quantity:
    """Return the row of a quantity, or raise an error that names all quantities."""
    if not isinstance(quantity, str) or quantity not in QUANTITIES:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError("quantity", quantity, QUANTITIES)
    return QUANTITIES[quantity]


def method_of(quantity: str, method: str) -> Method:
    """Return the row of a method."""
    return _methods(quantity)[method]


def _methods(quantity: str) -> dict[str, Method]:
    return {**quantity_of(quantity).methods, **DERIVED.get(quantity, {})}


DERIVED = derived_methods(cheapest)
"""The methods that are made by differentiating others, by quantity."""
