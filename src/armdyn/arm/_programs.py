"""From a robot's constants and a row of the table to a program; the choice of the cheapest."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from armdyn.algorithms import KINDS, Kind, Method
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.arm._derivatives import derived_methods
from armdyn.arm._friction import RULES, with_friction
from armdyn.arm._singular import INVERTING, singular
from armdyn.errors import MethodError, RobotError
from armdyn.graph import Operations, Program, Slot, count, trace
from armdyn.robot import Chain
from armdyn.scalar import Scalar

AUTO = "auto"


def methods(kind: str) -> tuple[str, ...]:
    """Return the names of the methods that compute a kind, e.g. "mass_matrix"."""
    return tuple(_methods(kind))


def source(kind: str, method: str) -> str:
    """Return the work that a method follows, or what it is made from."""
    return _methods(kind)[method].source


def kinds(chain: Chain) -> tuple[str, ...]:
    """Return everything that can be computed for this chain."""
    impossible = INVERTING if singular(chain) else ()
    return tuple(kind for kind in KINDS if kind not in impossible)


def resolve(chain: Chain, kind: str, method: str) -> str:
    """Return the method's name; "auto" becomes the one that is cheapest for this chain."""
    check_method(kind, method)
    return cheapest(chain, kind) if method == AUTO else method


def check_method(kind: str, method: str) -> None:
    """Refuse a kind or a method that does not exist."""
    known = (AUTO, *methods(kind))
    if not isinstance(method, str) or method not in known:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError(f"method of {kind}", method, known)


@lru_cache(maxsize=1024)
def cheapest(chain: Chain, kind: str) -> str:
    """Return the method with the fewest multiplications, then additions; the first among equals."""
    names = methods(kind)
    if len(names) == 1:
        return names[0]
    return min(names, key=lambda name: cost(operations(chain, kind, name)))


def cost(counted: Operations) -> tuple[int, int]:
    """Return what "cheaper" compares: multiplications with divisions and roots, then additions."""
    return (counted.multiplications + counted.sqrt, counted.additions)


def operations(chain: Chain, kind: str, method: str) -> Operations:
    """Count the operations of a method on a chain, friction left out."""
    return count(program(chain, kind, method, frame=chain.n + 1, friction=False))


@lru_cache(maxsize=256)
def program(chain: Chain, kind: str, method: str, frame: int, friction: bool) -> Program:
    """Trace a method.

    Args:
        chain: the constants of the robot.
        kind: what to compute.
        method: a name of `methods(kind)`.
        frame: for kinds that ask for one: i for E_i, n + 1 for the tip.
        friction: for kinds that a drive feels: whether joint friction is part of the torque.
    """
    entry = _kind(kind)
    if kind in INVERTING and (why := singular(chain)):
        raise RobotError(f"{kind} does not exist, the mass matrix is singular: {why}.")
    if not entry.about_frames:
        chain = with_last_frame_chosen(chain)
    inputs = [Slot(name, (chain.n,)) for name in entry.inputs]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(chain.n).items()]
    run = algorithm(chain, kind, method, frame, friction)
    return trace(run, inputs, outputs, name=kind)


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
            return with_friction(kind, run, chain, inputs)
        return run(chain, *inputs)

    return function


def _kind(kind: str) -> Kind:
    if not isinstance(kind, str) or kind not in KINDS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError("kind", kind, KINDS)
    return KINDS[kind]


def _methods(kind: str) -> dict[str, Method]:
    return {**_kind(kind).methods, **DERIVED.get(kind, {})}


DERIVED = derived_methods(cheapest)
"""The methods that are made by differentiating others, by kind."""
