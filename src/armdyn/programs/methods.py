"""Quantities and their methods by name: algorithms, graph derivatives and sweeps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms.quantity import Derivative, Method, Quantity
from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import MethodError, RobotError
from armdyn.graph.rolled import Rolled
from armdyn.programs.arguments import AUTO
from armdyn.programs.sized_lru import remembered
from armdyn.robot.chain import BASES, FIXED, Chain
from armdyn.robot.model import Robot

# The method that is sweeps along the joints, instead of a paper's formulas.
ROLLED = "rolled"


def row_of(quantity: str) -> Quantity:
    """Return the row of a quantity; if there is none, raise an error that lists all."""
    if not isinstance(quantity, str) or quantity not in QUANTITIES:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError("quantity", quantity, QUANTITIES, argument="quantity")
    return QUANTITIES[quantity]


def methods(quantity: str) -> tuple[str, ...]:
    """Return the names of the methods of a quantity, such as "mass_matrix".

    Args:
        quantity: a name of `Arm.quantities`.

    Returns:
        Names of the methods, without "auto".

    Raises:
        MethodError: the quantity is unknown.

    Examples:
        >>> armdyn.methods("udu")
        ('denoc', 'mass_matrix_udu')
    """
    return methods_on(quantity, FIXED)


def methods_of(robot: Robot, quantity: str) -> tuple[str, ...]:
    """Return the names of the methods that compute a quantity of a robot.

    Sweeps along the joints do not take joints with a tilt.
    """
    tilted = any(joint.tilt for joint in robot.joints)
    return straight_methods(quantity) if tilted else methods(quantity)


def methods_on(quantity: str, base: str) -> tuple[str, ...]:
    """Return the names of the methods for a base that moves in a way of `BASES`."""
    rolled = row_of(quantity).rolled
    swept = rolled is not None and _allows(rolled.base, base)
    return (*straight_methods(quantity, base), *([ROLLED] if swept else []))


def straight_methods(quantity: str, base: str = FIXED) -> tuple[str, ...]:
    """Return the names of the methods that become straight-line code."""
    row = row_of(quantity)
    own = (name for name, method in row.methods.items() if _allows(method.base, base))
    return (*own, *(row.derived if base == FIXED else ()))


def raced_methods(quantity: str, base: str = FIXED) -> tuple[str, ...]:
    """Return the names of the straight-line methods that "auto" compares."""
    row, names = row_of(quantity), straight_methods(quantity, base)
    return tuple(name for name in names if name not in row.methods or row.methods[name].race)


def _allows(most: str, base: str) -> bool:
    order = [*BASES]
    return order.index(base) <= order.index(most)


def source(quantity: str, method: str) -> str:
    """Return the source of a method: the publication it follows, or how it is made."""
    if method == ROLLED:
        return "sweeps along the joints"
    return method_row(quantity, method).source


def method_row(quantity: str, method: str) -> Method | Derivative:
    """Return the table row of a straight-line method."""
    row = row_of(quantity)
    return row.methods.get(method) or row.derived[method]


def check_method(quantity: str, method: str, *, straight: bool = False, base: str = FIXED) -> None:
    """Refuse unknown quantities and methods, those that do not allow the motion of the base.

    With `straight`, refuse sweeps as well.
    """
    every = (AUTO, *methods(quantity))
    if not isinstance(method, str) or method not in every:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise MethodError(f"method of {quantity}", method, every, argument="method")
    if straight and method == ROLLED:
        raise MethodError(
            f"straight-line method of {quantity}",
            method,
            (AUTO, *straight_methods(quantity, base)),
            argument="method",
        )
    if base != FIXED:
        _check_base(quantity, method, base)


def _check_base(quantity: str, method: str, base: str) -> None:
    if not straight_methods(quantity, base):
        names = [name for name, row in QUANTITIES.items() if _allows(row.base, base)]
        raise MethodError(f"quantity on a {base} base", quantity, names, argument="quantity")
    able = (AUTO, *methods_on(quantity, base))
    if method not in able:
        raise MethodError(f"method of {quantity} on a {base} base", method, able, argument="method")


def is_in_package(quantity: str, method: str) -> bool:
    """Whether a method is part of armdyn's own source, so that it may be cached on disk."""
    row = method_row(quantity, method)
    if isinstance(row, Method):
        return isinstance(row.function, str)
    return all(is_in_package(row.of, name) for name in straight_methods(row.of))


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
    M = _mass_matrix(chain, [0.3 + 0.7 * i for i in range(chain.n)])
    still = [i + 1 for i in range(chain.n) if not M[i, i] > RESIDUE * M.max(initial=0.0)]
    why = "give the links behind it mass and inertia, or the joint a rotor inertia"
    if still:
        return f"nothing that joint {still[0]} moves resists it: {why}"
    scale = 1.0 / np.sqrt(np.diag(M))
    if _smallest(M * np.outer(scale, scale)) < SINGULAR:
        return "some joints can move together without moving any mass: give their links inertia"
    return ""


def _mass_matrix(chain: Chain, q: list[float]) -> NDArray[np.float64]:
    sweeps = _sweeps(chain) if chain.n > MANY_JOINTS else None
    if sweeps is not None:
        from armdyn.kernel.kernel import cached_kernel

        return np.asarray(cached_kernel(sweeps)(np.array(q)))
    return np.array(QUANTITIES["mass_matrix"].methods["lin_fang_1"].run(chain, q), dtype=np.float64)


def _sweeps(chain: Chain) -> Rolled | None:
    from armdyn.programs.tracing import rolled_program

    return rolled_program(chain, "mass_matrix", friction=False)


def _smallest(M: NDArray[np.float64]) -> float:
    """Return the smallest eigenvalue of M or, if M is large, the smallest pivot, which is faster.

    If M is singular, both are zero up to rounding.
    """
    if len(M) <= MANY_JOINTS:
        return float(np.abs(np.linalg.eigvalsh(M)).min())
    try:
        return float(np.diag(np.linalg.cholesky(M)).min() ** 2)
    except np.linalg.LinAlgError:
        return 0.0
