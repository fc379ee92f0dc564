"""Columns of the regression that a user supplies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_function, checked_items, checked_text, checked_whole
from armdyn.arm import Arm
from armdyn.errors import InputError, shown
from armdyn.identification.fit._columns import Column

Array = NDArray[np.float64]
Function = Callable[[Array, Array, Array], Array]

FORM = "(name, joint, function of q, qd, qdd)"


@dataclass(frozen=True)
class Extra:
    """A column of the regression that a user supplies: a spring, a counterbalance.

    Attributes:
        name: of the parameter.
        joint: the joint on which the torque acts: number from 1, or name.
        function: of q, qd, qdd ``(N, n)`` to ``(N,)``: the torque for a parameter of 1.
        unit: of the parameter.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> spring = armdyn.Extra("stiffness", 1, lambda q, qd, qdd: q[:, 0], unit="N m/rad")
        >>> result = armdyn.identify(arm, "run.csv", extra=[spring], physical=False)
        >>> result.names[-1]
        'stiffness'
    """

    name: str
    joint: int | str
    function: Function
    unit: str = ""

    def __post_init__(self) -> None:
        checked_text(self.name, "name")
        if not isinstance(self.joint, str):
            checked_whole(self.joint, "joint", 1, what="a number from 1, or a name")
        checked_function(self.function, "function", what="a function of q, qd, qdd")
        checked_text(self.unit, "unit", empty=True)


def extra_columns(arm: Arm, extra: object) -> tuple[Column, ...]:
    """Return the columns of the argument `extra`."""
    listed = tuple(_column(arm, given) for given in checked_items(extra, "extra", what=FORM))
    names = [c.name for c in listed]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"`extra` has columns of one name: {', '.join(twice)}; choose different names.",
            argument="extra",
        )
    return listed


def _column(arm: Arm, given: object) -> Column:
    one = given if isinstance(given, Extra) else _made(given)
    return Column(one.name, one.unit, "extra", _joint_index(arm, one), one.function)


def _made(given: object) -> Extra:
    """Return a column that is given as a tuple."""
    items = checked_items(given, "extra", what=FORM)
    if len(items) not in (3, 4):
        raise InputError(f"`extra` has {shown(given)}, expected {FORM}.", argument="extra")
    try:
        return Extra(*items)  # pyright: ignore[reportArgumentType]
    except InputError as error:
        raise InputError(
            f"`extra` has {shown(given)}, expected {FORM}: {error}", argument="extra"
        ) from None


def _joint_index(arm: Arm, extra: Extra) -> int:
    """Return the joint of a column as an index from 0."""
    joint = extra.joint
    if isinstance(joint, str) and joint in arm.joint_names:
        return arm.joint_names.index(joint)
    if not isinstance(joint, str) and joint <= arm.n:
        return int(joint) - 1
    raise InputError(
        f"extra column {extra.name!r}: joint is {shown(joint)}, expected a number from 1 to "
        f"{arm.n} or a name ({', '.join(arm.joint_names)}).",
        argument="extra",
    )
