"""From a robot's constants and a row of the table to a program; the choice of the cheapest."""

from __future__ import annotations

from functools import lru_cache

from armdyn.algorithms import KINDS, Kind
from armdyn.algorithms.friction import friction as friction_torque
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.arm._singular import INVERTING, singular
from armdyn.errors import MethodError, RobotError
from armdyn.graph import Operations, Program, Slot, count, trace
from armdyn.robot import Chain
from armdyn.scalar import Scalar

AUTO = "auto"

# Kinds whose torque a drive feels, so that friction belongs to them; the sign with which friction
# acts on the last input or, for a torque that is the answer, on the output.
WITH_FRICTION = ("inverse_dynamics", "forward_dynamics")


def methods(kind: str) -> tuple[str, ...]:
    """Return the names of the methods that compute a kind, e.g. "mass_matrix"."""
    return tuple(_kind(kind).methods)


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
    known = (AUTO, *_kind(kind).methods)
    if not isinstance(method, str) or method not in known:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError(f"method of {kind}", method, known)


@lru_cache(maxsize=1024)
def cheapest(chain: Chain, kind: str) -> str:
    """Return the method with the fewest multiplications, then additions; the first among equals."""
    names = _kind(kind).methods
    if len(names) == 1:
        return next(iter(names))
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
        friction: for `WITH_FRICTION`: whether joint friction is part of the torque.
    """
    entry = _kind(kind)
    run = entry.methods[method].run
    if kind in INVERTING and (why := singular(chain)):
        raise RobotError(f"{kind} does not exist, the mass matrix is singular: {why}.")
    if not entry.about_frames:
        chain = with_last_frame_chosen(chain)

    def function(*inputs: list[Scalar]) -> object:
        if entry.takes_frame:
            return run(chain, *inputs, frame=frame)
        if not friction or kind not in WITH_FRICTION:
            return run(chain, *inputs)
        lost = friction_torque(chain, inputs[1])
        if kind == "forward_dynamics":
            q, qd, tau = inputs
            return run(chain, q, qd, [t - f for t, f in zip(tau, lost, strict=True)])
        return [t + f for t, f in zip(run(chain, *inputs), lost, strict=True)]

    inputs = [Slot(name, (chain.n,)) for name in entry.inputs]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(chain.n).items()]
    return trace(function, inputs, outputs, name=kind)


def _kind(kind: str) -> Kind:
    if not isinstance(kind, str) or kind not in KINDS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError("kind", kind, KINDS)
    return KINDS[kind]
