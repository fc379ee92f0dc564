"""Quantities and their methods by name: algorithms, graph derivatives and sweeps."""

from __future__ import annotations

from collections.abc import Iterable

from armdyn.algorithms.quantity import Derivative, Method, Quantity
from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import MethodError
from armdyn.programs.arguments import AUTO
from armdyn.robot.chain import BASES, FIXED, MECHANISMS, SERIAL, chain_of
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
    chain = chain_of(robot)
    if chain.is_serial and chain.is_normal:
        return methods(quantity)
    return straight_methods(quantity, mechanism=chain.mechanism)


def methods_on(quantity: str, base: str, mechanism: str = SERIAL) -> tuple[str, ...]:
    """Return the names of the methods for a kind of mechanism on a base that moves in a way.

    Args:
        quantity: what to compute.
        base: one of `BASES`.
        mechanism: one of `MECHANISMS`.
    """
    rolled = row_of(quantity).rolled
    swept = rolled is not None and mechanism == SERIAL and _allows(BASES, rolled.base, base)
    return (*straight_methods(quantity, base, mechanism), *([ROLLED] if swept else []))


def straight_methods(quantity: str, base: str = FIXED, mechanism: str = SERIAL) -> tuple[str, ...]:
    """Return the names of the methods that become straight-line code; arguments as above."""
    row = row_of(quantity)
    own = (
        name
        for name, method in row.methods.items()
        if _allows(BASES, method.base, base) and _allows(MECHANISMS, method.mechanism, mechanism)
    )
    return (*own, *(row.derived if base == FIXED else ()))


def raced_methods(quantity: str, base: str = FIXED, mechanism: str = SERIAL) -> tuple[str, ...]:
    """Return the names of the straight-line methods that "auto" compares."""
    row = row_of(quantity)

    def races(name: str) -> bool:
        race = row.methods[name].race if name in row.methods else True
        return mechanism != SERIAL if race == "trees" else race

    return tuple(name for name in straight_methods(quantity, base, mechanism) if races(name))


def _allows(order: Iterable[str], most: str, given: str) -> bool:
    listed = [*order]
    return listed.index(given) <= listed.index(most)


def source(quantity: str, method: str) -> str:
    """Return the source of a method: the publication it follows, or how it is made."""
    if method == ROLLED:
        return "sweeps along the joints"
    return method_row(quantity, method).source


def method_row(quantity: str, method: str) -> Method | Derivative:
    """Return the table row of a straight-line method."""
    row = row_of(quantity)
    return row.methods.get(method) or row.derived[method]


def check_method(
    quantity: str,
    method: str,
    *,
    straight: bool = False,
    base: str = FIXED,
    mechanism: str = SERIAL,
) -> None:
    """Refuse unknown quantities and methods, and those that do not allow the motion of the base.

    With `straight`, refuse sweeps as well; on a tree, refuse methods of serial arms.
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
        _check_base(quantity, method, base, mechanism)
    if mechanism != SERIAL:
        able = (AUTO, *methods_on(quantity, base, mechanism))
        if method not in able:
            what = f"method of {quantity} on a {mechanism}"
            raise MethodError(what, method, able, argument="method")


def _check_base(quantity: str, method: str, base: str, mechanism: str) -> None:
    if not straight_methods(quantity, base):
        names = [name for name, row in QUANTITIES.items() if _allows(BASES, row.base, base)]
        raise MethodError(f"quantity on a {base} base", quantity, names, argument="quantity")
    able = (AUTO, *methods_on(quantity, base, mechanism))
    if method not in able:
        raise MethodError(f"method of {quantity} on a {base} base", method, able, argument="method")


def is_in_package(quantity: str, method: str) -> bool:
    """Whether a method is part of armdyn's own source, so that it may be cached on disk."""
    row = method_row(quantity, method)
    if isinstance(row, Method):
        return isinstance(row.function, str)
    return all(is_in_package(row.of, name) for name in straight_methods(row.of))
