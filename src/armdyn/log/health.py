"""The health of a recording: joints that never move, torques that are constant or cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.log.log import Log
from armdyn.log.rows import blocks, extremes

# A joint with a smaller range [rad or m] never moves.
RESTING = 1e-3

# A torque that changes by less than this share of its size is constant.
CONSTANT = 1e-3


@dataclass(frozen=True)
class Saturation:
    """When a torque is cut off.

    Attributes:
        share: it stands at its extreme value in more than this share of the samples.
        near: this share of its range is near the extreme value, and
        crowded: at least this share of the samples near the extreme value is at it.
        steps: a torque in steps stands at the extreme one less than this many times as often as at
            the next.
    """

    share: float = 0.005
    near: float = 0.05
    crowded: float = 0.5
    steps: float = 4.0


SATURATION = Saturation()


def saturated(names: Sequence[str], logs: Sequence[Log], ignored: Sequence[int] = ()) -> list[str]:
    """Return a sentence for every joint whose torque often stands at its extreme value."""
    share = share_at_extremes([log.tau for log in logs if log.tau is not None])
    return [
        f"the torque of {name} stands at its extreme value in {x:.1%} of the samples: it is cut "
        "off. Leave these motions out, or make them slower."
        for j, (name, x) in enumerate(zip(names, share.tolist(), strict=True))
        if x > SATURATION.share and j not in ignored
    ]


def share_at_extremes(columns: Sequence[Array], distinct: float = np.inf) -> Array:
    """Return the share of the samples at which columns ``(N, n)`` are cut off ``(n,)``.

    A column of few steps also stands at its extreme value often, but as often a little below.

    Args:
        columns: arrays ``(N, n)``.
        distinct: an extreme value that is this many times as frequent as the next value is a bound,
            however many samples are near it.
    """
    low, high = extremes(columns)
    near, n = SATURATION.near * (high - low), len(low)
    at, beside, count = np.zeros((2, n)), np.zeros((2, n)), 0
    second = np.stack([np.full(n, np.inf), np.full(n, -np.inf)])
    for rows in _chunks(columns):
        at += (rows == low).sum(axis=0), (rows == high).sum(axis=0)
        beside += (rows <= low + near).sum(axis=0), (rows >= high - near).sum(axis=0)
        second[0] = np.minimum(second[0], np.where(rows > low, rows, np.inf).min(axis=0))
        second[1] = np.maximum(second[1], np.where(rows < high, rows, -np.inf).max(axis=0))
        count += len(rows)
    step = np.zeros((2, n))
    for rows in _chunks(columns):
        step += (rows == second[0]).sum(axis=0), (rows == second[1]).sum(axis=0)
    cut = (at > SATURATION.crowded * beside) & (at > SATURATION.steps * step)
    cut |= step < at / distinct
    share = np.max(np.where(cut, at, 0.0), axis=0) / max(count, 1)
    return np.where(high > low, share, 0.0)


def _chunks(columns: Sequence[Array]) -> Iterator[Array]:
    """Yield the rows of columns in memory or in files, some at a time."""
    for column in columns:
        for a, b in blocks(len(column)):
            yield column[a:b]


def still_joints(names: Sequence[str], logs: Sequence[Log]) -> list[str]:
    """Return a sentence for every joint that never moves."""
    low, high = extremes([log.q for log in logs])
    return [
        f"{name} never moves (its range is {width:.2g}): its friction, and what only its motion "
        "shows, cannot be known."
        for name, width in zip(names, (high - low).tolist(), strict=True)
        if width < RESTING
    ]


def moved(logs: Sequence[Log]) -> list[bool]:
    """Return which joints move at all."""
    low, high = extremes([log.q for log in logs])
    return [bool(width >= RESTING) for width in high - low]


def constant_columns(columns: Sequence[Array]) -> list[int]:
    """Return which columns of arrays ``(N, n)`` never change."""
    low, high = extremes(columns)
    return np.flatnonzero(high - low <= CONSTANT * np.maximum(-low, high)).tolist()
