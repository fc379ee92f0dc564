"""Columns of the regression that a user supplies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_function, checked_items, checked_text, checked_whole
from armdyn.errors import InputError, shown
from armdyn.identification.fit.columns import Column

Function = Callable[[Array, Array, Array], Array]

Joint = int | str

FORM = "(name, joint, function of q, qd, qdd)"


@dataclass(frozen=True)
class Extra:
    """A column of the regression that a user supplies: a spring, a counterbalance.

    Attributes:
        name: of the parameter.
        joint: the joint on which the torque acts: number from 1, or name. Several joints share
            the parameter; None stands for all joints.
        function: of q, qd, qdd ``(N, n)`` to ``(N,)``: the torque for a parameter of 1. For
            several joints to ``(N, m)``, a column for each of them.
        unit: of the parameter.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> spring = armdyn.Extra("stiffness", 1, lambda q, qd, qdd: q[:, 0], unit="N m/rad")
        >>> result = armdyn.identify(arm, "run.csv", extra=[spring], physical=False)
        >>> result.names[-1]
        'stiffness'

        A spring between both links, with one parameter:

        >>> def between(q, qd, qdd):
        ...     return np.stack([q[:, 0] - q[:, 1], q[:, 1] - q[:, 0]], axis=1)
        >>> both = armdyn.Extra("stiffness", (1, 2), between, unit="N m/rad")
        >>> result = armdyn.identify(arm, "run.csv", extra=[both], physical=False)
        >>> result.names[-1]
        'stiffness'
    """

    name: str
    joint: Joint | Sequence[Joint] | None
    function: Function
    unit: str = ""

    def __post_init__(self) -> None:
        checked_text(self.name, "name")
        for joint in _listed(self.joint):
            if not isinstance(joint, str):
                what = "a number from 1, a name, several of them, or None"
                checked_whole(joint, "joint", 1, what=what)
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
    if one.joint is None:
        shared = tuple(range(arm.n))
    else:
        shared = tuple(_joint_index(arm, one.name, joint) for joint in _listed(one.joint))
    if not shared or len(set(shared)) < len(shared):
        raise InputError(
            f"extra column {one.name!r}: joint is {shown(one.joint)}, expected different joints.",
            argument="extra",
        )
    if one.joint is None or not isinstance(one.joint, int | str):
        return Column(one.name, one.unit, "extra", -1, one.function, shared=shared)
    return Column(one.name, one.unit, "extra", shared[0], one.function)


def _listed(joint: object) -> tuple[Joint, ...]:
    if joint is None:
        return ()
    several = isinstance(joint, list | tuple)
    return tuple(cast("Sequence[Joint]", joint)) if several else (cast(Joint, joint),)


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


def _joint_index(arm: Arm, name: str, joint: Joint) -> int:
    """Return a joint of a column as an index from 0."""
    if isinstance(joint, str) and joint in arm.joint_names:
        return arm.joint_names.index(joint)
    if not isinstance(joint, str) and joint <= arm.n:
        return int(joint) - 1
    raise InputError(
        f"extra column {name!r}: joint is {shown(joint)}, expected a number from 1 to "
        f"{arm.n} or a name ({', '.join(arm.joint_names)}).",
        argument="extra",
    )
