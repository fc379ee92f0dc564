"""From a robot's constants and a row of the table to a program; the choice of the cheapest."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from armdyn.algorithms import KINDS, Kind, Method
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


def methods(kind: str) -> tuple[str, ...]:
    """Return the names of the methods that compute a kind, e.g. "mass_matrix"."""
    return (*straight_methods(kind), *([ROLLED] if kind in ROLLED_METHODS else []))


def straight_methods(kind: str) -> tuple[str, ...]:
    """Return the names of the methods that become straight-line code."""
    return tuple(_methods(kind))


def source(kind: str, method: str) -> str:
    """Return the work that a method follows, or what it is made from."""
    return "sweeps along the joints" if method == ROLLED else _methods(kind)[method].source


def kinds(chain: Chain) -> tuple[str, ...]:
    """Return everything that can be computed for this chain."""
    impossible = INVERTING if singular(chain) else ()
    return tuple(kind for kind in KINDS if kind not in impossible)


def resolve(chain: Chain, kind: str, method: str) -> str:
    """Return the method's name; "auto" becomes the one that is fastest for this chain."""
    check_method(kind, method)
    return fastest(chain, kind) if method == AUTO else method


def check_method(kind: str, method: str, *, straight: bool = False) -> None:
    """Refuse a kind or a method that does not exist, or is no straight-line code where it must."""
    every = (AUTO, *methods(kind))
    if not isinstance(method, str) or method not in every:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError(f"method of {kind}", method, every)
    if straight and method == ROLLED:
        raise MethodError(
            f"straight-line method of {kind}", method, (AUTO, *straight_methods(kind))
        )


@lru_cache(maxsize=1024)
def fastest(chain: Chain, kind: str) -> str:
    """Return the cheapest method, or the sweeps along the joints of a long arm."""
    if kind not in ROLLED_METHODS or chain.n < FEWEST_ROLLED or free_symbols(chain):
        return cheapest(chain, kind)
    decided_by = (*_decided_by(chain), kind, "fastest")
    return cached_choice(decided_by, methods(kind), lambda: _fastest(chain, kind))


def _fastest(chain: Chain, kind: str) -> str:
    # of the inverse, sweeps take twice the multiplications
    longest = LONGEST_STRAIGHT * (2 if kind == "inverse_mass_matrix" else 1)
    if _length(operations(chain, kind, ROLLED)) > HOPELESS * longest:
        return ROLLED
    straight = _length(operations(chain, kind, ON_LONG_ARMS[kind]))
    return ROLLED if straight > longest else cheapest(chain, kind)


def _length(counted: Operations) -> int:
    return counted.multiplications + counted.additions


@lru_cache(maxsize=1024)
def cheapest(chain: Chain, kind: str) -> str:
    """Return the straight-line method with the fewest multiplications, then additions.

    Among equals it is the first.
    """
    names = straight_methods(kind)
    if len(names) == 1:
        return names[0]

    def choose() -> str:
        return min(names, key=lambda name: cost(operations(chain, kind, name)))

    return (
        choose()
        if free_symbols(chain)
        else cached_choice((*_decided_by(chain), kind), names, choose)
    )


def cost(counted: Operations) -> tuple[int, int]:
    """Return what "cheaper" compares: multiplications with divisions and roots, then additions."""
    return (counted.multiplications + counted.sqrt, counted.additions)


def operations(chain: Chain, kind: str, method: str) -> Operations:
    """Count the operations of a method on a chain, friction left out."""
    if method == ROLLED:
        return count_rolled(sweeps(chain, kind, friction=False))
    return count(_traced(chain, kind, method, frame=chain.n + 1, friction=False))


def _steps(program: Program) -> int:
    return len(program.code) + len(program.results)


@recent(STEPS_KEPT, _steps)
def program(chain: Chain, kind: str, method: str, frame: int, friction: bool) -> Program:
    """Trace a method, or take what was traced before in this or another process.

    Args:
        chain: the constants of the robot.
        kind: what to compute.
        method: a name of `methods(kind)`.
        frame: for kinds that ask for one: i for E_i, n + 1 for the tip.
        friction: for kinds that a drive feels: whether joint friction is part of the torque.
    """

    def make() -> Program:
        return _traced(chain, kind, method, frame, friction)

    if free_symbols(chain):
        return make()
    return cached_program((*_decided_by(chain), kind, method, str(frame), str(friction)), make)


@recent(STEPS_KEPT, _steps)
def _traced(chain: Chain, kind: str, method: str, frame: int, friction: bool) -> Program:
    entry = _kind(kind)
    _refuse_singular(chain, kind)
    if not entry.about_frames:
        chain = with_last_frame_chosen(chain)
    inputs = [Slot(name, (chain.n,)) for name in entry.inputs]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(chain.n).items()]
    run = algorithm(chain, kind, method, frame, friction)
    return trace(run, inputs, outputs, name=kind)


def sweeps(chain: Chain, kind: str, *, friction: bool) -> Rolled:
    """Return a kind as sweeps along the joints; arguments as for `program`."""
    _refuse_singular(chain, kind)
    found = rolled_program(chain, kind, friction=friction)
    assert found is not None, "methods() names the kinds that can be walked"
    return found


def _refuse_singular(chain: Chain, kind: str) -> None:
    if kind in INVERTING and (why := singular(chain)):
        raise RobotError(f"{kind} does not exist, the mass matrix is singular: {why}.")


def algorithm(
    chain: Chain, kind: str, method: str, frame: int, friction: bool
) -> Callable[..., object]:
    """Return a method as a function of its inputs, lists of scalars; arguments as for `program`."""
    entry = _kind(kind)
    run = _methods(kind)[method].run

    def function(*inputs: list[Scalar]) -> object:
        if entry.takes_frame:
            return run(chain, *inputs, frame=frame)
        if friction and kind in RULES:
            return RULES[kind](run, chain, *inputs)
        return run(chain, *inputs)

    return function


def _decided_by(chain: Chain) -> tuple[str, ...]:
    """Return what decides the programs of a chain: its constants, and the text of all that traces.

    So a changed method is another one without anybody having to say so.
    """
    return repr(chain), *map(source_digest, TRACING)


def _kind(kind: str) -> Kind:
    if not isinstance(kind, str) or kind not in KINDS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError("kind", kind, KINDS)
    return KINDS[kind]


def _methods(kind: str) -> dict[str, Method]:
    return {**_kind(kind).methods, **DERIVED.get(kind, {})}


DERIVED = derived_methods(cheapest)
"""The methods that are made by differentiating others, by kind."""
