"""`Family`: arms of one geometry, which one closed form solves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from armdyn.algorithms.closed_form.geometry import Pose, Row
from armdyn.algorithms.closed_form.turns import Pair
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class Position:
    """The variable of a turning joint itself, within half a turn of 0."""

    angle: Scalar


Branch: TypeAlias = tuple[Sequence[Pair | Scalar | Position], Scalar]
"""The turn, or the shift of a prismatic joint, of each joint in order; and the margin.

A turn is a pair of any length, or the joint's position itself.
"""
Solver: TypeAlias = Callable[[Sequence[Row], Pose], list[Branch]]


@dataclass(frozen=True)
class Family:
    """A closed form.

    Attributes:
        words: the geometry it needs.
        fits: says whether an arm has this geometry.
        solve: returns all branches for a frame as seen before the turn of joint 1.
        branches: their number.
        polish: number of steps of Newton's method that its results need.
    """

    words: str
    fits: Callable[[Sequence[Row]], bool]
    solve: Solver
    branches: int
    polish: int = 0
