"""Make programs from a robot's constants and a row of the table; choose the cheapest method.

Programs and choices come from the cache if they are there; otherwise `tracing` is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import starmap
from typing import TYPE_CHECKING

from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import MethodError
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.cached import cached_choice, cached_program, source_digest
from armdyn.programs.methods import (
    AUTO,
    ROLLED,
    check_method,
    is_in_package,
    method_row,
    methods_on,
    raced_methods,
    row_of,
    singular,
    straight_methods,
)
from armdyn.programs.sized_lru import remembered
from armdyn.robot.chain import FIXED, Chain
from armdyn.robot.friction import has_load_terms
from armdyn.scalar import free_symbols

if TYPE_CHECKING:
    from armdyn.graph.count import Operations

# Straight-line code with more operations no longer fits the instruction cache: sweeps along the
# joints are then as fast, and faster for longer arms.
LONGEST_STRAIGHT = 4000
# Sweeps do not use the zeros of an arm's geometry. If they exceed the limit by this factor,
# straight-line code would exceed it too and is not traced.
ROLLED_FACTOR = 3
# With fewer joints, straight-line code of quantities that have sweeps never exceeds the limit.
FEWEST_ROLLED = 10

# Packages whose source text determines the traced programs, and their modules (None: all).
TRACING = (
    ("armdyn", ("scalar",)), ("armdyn.graph", None), ("armdyn.algorithms", None),
    ("armdyn.algorithms.rolled", None), ("armdyn.robot", None), ("armdyn.programs", None),
)  # fmt: skip


def quantities(chain: Chain) -> tuple[str, ...]:
    """Return everything that can be computed for this chain."""
    impossible = singular(chain)
    found = [
        name
        for name, row in QUANTITIES.items()
        if not (row.needs_invertible_mass_matrix and impossible)
    ]
    if has_load_terms(link.friction for link in chain.links):
        found.remove("friction")  # the speed does not determine it
    return tuple(found)


def resolve(chain: Chain, quantity: str, method: str, base: str = FIXED) -> str:
    """Return the method's name; "auto" becomes the fastest for this chain."""
    check_method(quantity, method, base=base)
    if method == ROLLED and not chain.is_normal:
        names = (AUTO, *straight_methods(quantity, base))
        raise MethodError(
            f"method of {quantity} for axes that have a tilt", method, names, argument="method"
        )
    return fastest(chain, quantity, base) if method == AUTO else method


def fastest(chain: Chain, quantity: str, base: str = FIXED) -> str:
    """Return the cheapest method or, for a long arm, the sweeps along its joints."""
    swept = ROLLED in methods_on(quantity, base) and chain.n >= FEWEST_ROLLED and chain.is_normal
    if not swept or free_symbols(chain):
        return cheapest(chain, quantity, base)
    return _fastest(chain, quantity, base, *_rows(quantity))


@remembered
def _fastest(chain: Chain, quantity: str, base: str, *rows: object) -> str:
    def choose() -> str:
        from armdyn.programs.tracing import operations

        row = row_of(quantity)
        assert row.rolled is not None
        longest = LONGEST_STRAIGHT * row.rolled.work
        if _length(operations(chain, quantity, ROLLED, base)) > ROLLED_FACTOR * longest:
            return ROLLED
        straight = _length(operations(chain, quantity, row.general, base))
        return ROLLED if straight > longest else cheapest(chain, quantity, base)

    return _cached_choose(
        chain, quantity, methods_on(quantity, base), choose, "fastest", *_base_key(base)
    )


def _length(counted: Operations) -> int:
    return counted.multiplications + counted.additions


def cheapest(chain: Chain, quantity: str, base: str = FIXED) -> str:
    """Return the straight-line method with the fewest multiplications, then additions.

    The first of equals, of those that race.
    """
    names = raced_methods(quantity, base)
    return names[0] if len(names) == 1 else _cheapest(chain, quantity, base, *_rows(quantity))


@remembered
def _cheapest(chain: Chain, quantity: str, base: str, *rows: object) -> str:
    names = raced_methods(quantity, base)

    def choose() -> str:
        from armdyn.programs.tracing import operations

        return min(names, key=lambda name: cost(operations(chain, quantity, name, base)))

    return _cached_choose(chain, quantity, names, choose, *_base_key(base))


def _base_key(base: str) -> tuple[str, ...]:
    """Return what the motion of the base adds to a key of the cache."""
    return () if base == FIXED else (base,)


def _cached_choose(
    chain: Chain, quantity: str, names: Sequence[str], choose: Callable[[], str], *what: str
) -> str:
    """Choose, or take the cached choice of an earlier process."""
    straight = (name for name in names if name != ROLLED)
    if free_symbols(chain) or not all(is_in_package(quantity, name) for name in straight):
        return choose()
    return cached_choice((*_cache_key(chain), quantity, *what), names, choose)


def _rows(quantity: str) -> tuple[object, ...]:
    """Return the table rows of the methods, as cache key: a changed row is a new key."""
    row = row_of(quantity)
    return row, *row.methods.values(), *row.derived.values()


def cost(counted: Operations) -> tuple[int, int]:
    """Return the sort key for "cheaper": multiplications, divisions and roots, then additions."""
    return (counted.multiplications + counted.sqrt, counted.additions)


def code_of(
    chain: Chain, quantity: str, method: str, frame: int, friction: bool, base: str = FIXED
) -> Program | Rolled:
    """Return the code of any method, sweeps included; arguments as for `program`."""
    if method != ROLLED:
        return program(chain, quantity, method, frame, friction, base)
    from armdyn.programs.tracing import sweeps

    return sweeps(chain, quantity, friction=friction)


def program(
    chain: Chain, quantity: str, method: str, frame: int, friction: bool, base: str = FIXED
) -> Program:
    """Trace a method, or take the program traced earlier in this or another process.

    Args:
        chain: the constants of the robot.
        quantity: what to compute.
        method: a name from `methods(quantity)`.
        frame: for quantities that take one: i for E_i, n + 1 for the tip.
        friction: whether the torques include joint friction, for quantities that depend on it.
        base: how the base moves, see `BASES`; the inputs that tell it follow the others.
    """
    friction = friction and row_of(quantity).friction is not None  # one program for both
    return _program(chain, quantity, method, frame, friction, base, method_row(quantity, method))


@remembered
def _program(
    chain: Chain, quantity: str, method: str, frame: int, friction: bool, base: str, row: object
) -> Program:
    def make() -> Program:
        from armdyn.programs.tracing import traced

        return traced(chain, quantity, method, frame, friction, base, row)

    if free_symbols(chain) or not is_in_package(quantity, method):
        return make()
    key = (quantity, method, str(frame), str(friction), *_base_key(base))
    return cached_program((*_cache_key(chain), *key), make)


def _cache_key(chain: Chain) -> tuple[str, ...]:
    """Return the cache key of a chain's programs: its constants and digests of the tracing code.

    So a changed method invalidates the cache by itself.
    """
    return repr(chain), *starmap(source_digest, TRACING)
