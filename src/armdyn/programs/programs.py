"""Make programs from a robot's constants and a row of the table; choose the cheapest method.

Programs and choices come from the cache if they are there; otherwise `tracing` is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import starmap
from typing import TYPE_CHECKING

from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import MethodError
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.cached import cached_choice, cached_program, source_digest
from armdyn.programs.key import ProgramKey
from armdyn.programs.methods import (
    AUTO,
    ROLLED,
    check_method,
    is_in_package,
    method_row,
    methods_on,
    raced_methods,
    row_of,
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
    impossible = _tracing().singular(chain)
    found = [
        name
        for name, row in QUANTITIES.items()
        if not (row.needs_invertible_mass_matrix and impossible)
    ]
    if has_load_terms(link.friction for link in chain.links):
        found.remove("friction")  # the speed does not determine it
    return tuple(found)


def resolve(key: ProgramKey) -> ProgramKey:
    """Return the key with the name of its method; "auto" becomes the fastest for the chain."""
    chain, quantity, method, base = key.chain, key.quantity, key.method, key.base
    check_method(quantity, method, base=base, mechanism=chain.mechanism)
    if method == ROLLED and not chain.is_normal:
        names = (AUTO, *straight_methods(quantity, base))
        raise MethodError(
            f"method of {quantity} for axes that have a tilt", method, names, argument="method"
        )
    return replace(key, method=fastest(chain, quantity, base)) if method == AUTO else key


def fastest(chain: Chain, quantity: str, base: str = FIXED) -> str:
    """Return the cheapest method or, for a long arm, the sweeps along its joints."""
    swept = ROLLED in methods_on(quantity, base, chain.mechanism) and chain.n >= FEWEST_ROLLED
    if not swept or not chain.is_normal or free_symbols(chain):
        return cheapest(chain, quantity, base)
    return _fastest(ProgramKey(chain, quantity, base=base), *_rows(quantity))


@remembered
def _fastest(key: ProgramKey, *rows: object) -> str:
    names = methods_on(key.quantity, key.base)
    return _cached_choice("fastest", key, names, lambda: _choose_fastest(key))


def _choose_fastest(key: ProgramKey) -> str:
    row = row_of(key.quantity)
    assert row.rolled is not None
    longest = LONGEST_STRAIGHT * row.rolled.work
    if _length(_operations(key, ROLLED)) > ROLLED_FACTOR * longest:
        return ROLLED
    if _length(_operations(key, row.general)) > longest:
        return ROLLED
    return cheapest(key.chain, key.quantity, key.base)


def _length(counted: Operations) -> int:
    return counted.multiplications + counted.additions


def cheapest(chain: Chain, quantity: str, base: str = FIXED) -> str:
    """Return the straight-line method with the fewest multiplications, then additions.

    The first of equals, of those that race.
    """
    names = raced_methods(quantity, base, chain.mechanism)
    if len(names) == 1:
        return names[0]
    return _cheapest(ProgramKey(chain, quantity, base=base), *_rows(quantity))


@remembered
def _cheapest(key: ProgramKey, *rows: object) -> str:
    names = raced_methods(key.quantity, key.base, key.chain.mechanism)
    return _cached_choice(
        "cheapest", key, names, lambda: min(names, key=lambda name: cost(_operations(key, name)))
    )


def _operations(key: ProgramKey, method: str) -> Operations:
    return _tracing().operations(key.chain, key.quantity, method, key.base)


def _cached_choice(
    what: str, key: ProgramKey, names: Sequence[str], choose: Callable[[], str]
) -> str:
    """Choose a method, or take the cached choice of an earlier process."""
    straight = (name for name in names if name != ROLLED)
    if free_symbols(key.chain) or not all(is_in_package(key.quantity, name) for name in straight):
        return choose()
    return cached_choice((what, *_on_disk(key)), names, choose)


def _rows(quantity: str) -> tuple[object, ...]:
    """Return the table rows of the methods, as cache key: a changed row is a new key."""
    row = row_of(quantity)
    return row, *row.methods.values(), *row.derived.values()


def cost(counted: Operations) -> tuple[int, int]:
    """Return the sort key for "cheaper": multiplications, divisions and roots, then additions."""
    return (counted.multiplications + counted.sqrt, counted.additions)


def code_of(key: ProgramKey) -> Program | Rolled:
    """Return the code of any method, sweeps included."""
    return _tracing().sweeps(key) if key.method == ROLLED else program(key)


def program(key: ProgramKey) -> Program:
    """Trace a method, or take the program traced earlier in this or another process."""
    if key.friction and row_of(key.quantity).friction is None:
        key = replace(key, friction=False)  # one program for both
    return _program(key, method_row(key.quantity, key.method))


@remembered
def _program(key: ProgramKey, row: object) -> Program:
    def make() -> Program:
        return _tracing().traced(key, row)

    if free_symbols(key.chain) or not is_in_package(key.quantity, key.method):
        return make()
    return cached_program(_on_disk(key), make)


def _on_disk(key: ProgramKey) -> tuple[str, ...]:
    """Return what names a program on disk: its key, and digests of the tracing code.

    So a changed method invalidates the cache by itself.
    """
    return repr(key), *starmap(source_digest, TRACING)


def _tracing():
    """Return the module that traces: 33 ms that a cached program does not need."""
    from armdyn.programs import tracing

    return tracing
