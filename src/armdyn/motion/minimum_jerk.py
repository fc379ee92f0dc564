"""Motions through waypoints with minimum jerk.

Of all motions through given positions at given times, at rest at both ends, the one with the least
integral of squared jerk is a spline of fifth degree with four continuous derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import Array
from armdyn.checks import checked_array
from armdyn.errors import InputError, shown
from armdyn.motion.trajectory import (
    MET,
    Trajectory,
    check_positions,
    check_shortest,
    checked_duration,
    checked_limits,
)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class MinimumJerk(Trajectory):
    """A minimum-jerk motion through waypoints; speed and acceleration are zero at both ends.

    Examples:
        >>> from armdyn.motion import MinimumJerk
        >>> motion = MinimumJerk([[0.0], [1.0], [0.5]], times=[0.0, 1.0, 2.0])
        >>> motion.q([0.0, 1.0, 2.0]).ravel()
        array([0. , 1. , 0.5])

    Attributes:
        waypoints: positions, ``(m, n)``.
        times: of the waypoints, ``(m,)``, from 0.
    """

    waypoints: Array
    times: Array
    _splines: tuple[Any, Any, Any]

    def __init__(
        self,
        waypoints: ArrayLike,
        times: ArrayLike | None = None,
        *,
        velocity: ArrayLike = np.inf,
        acceleration: ArrayLike = np.inf,
    ) -> None:
        """Move through waypoints at given times, or as quickly as limits allow.

        Args:
            waypoints: positions, ``(m, n)``, two or more.
            times: increasing, ``(m,)``, from 0 [s]. If left out, they follow from the limits: each
                segment's time is in proportion to its time at full speed.
            velocity: largest, for all joints or one each.
            acceleration: largest, for all joints or one each.

        Raises:
            InputError: an argument is wrong, or the motion at the given times exceeds a limit.
        """
        q = checked_array(waypoints, "waypoints", ("m", "n"), frozen=True, what="positions (m, n)")
        m, n = q.shape
        if m < 2:
            raise InputError(
                "`waypoints` is a single position, expected two or more.", argument="waypoints"
            )
        check_positions(q, "waypoints")
        v = checked_limits(velocity, "velocity", n)
        a = checked_limits(acceleration, "acceleration", n)
        given = None if times is None else _checked_times(times, m)
        t = _proportional(q, v, a) if given is None else given
        splines = _splines(t, q)
        excess = _excess(splines, v, a)
        if given is not None and excess > 1.0 + MET:
            raise InputError(
                f"at the given `times` the motion exceeds a limit; take them {excess:.4g} times as "
                "long, or leave them out.",
                argument="times",
            )
        if given is None:
            check_shortest(excess * float(t[-1]))
            t = t * excess
            splines = _splines(t, q)
        t.flags.writeable = False
        self._set(waypoints=q, times=t, _splines=splines, duration=float(t[-1]), n=n)

    def _states(self, t: Array) -> tuple[Array, Array, Array]:
        q, qd, qdd = (np.asarray(spline(t), dtype=np.float64) for spline in self._splines)
        return q, qd, qdd


def _checked_times(times: ArrayLike, m: int) -> Array:
    what = f"{m} increasing numbers, one a waypoint, from 0"
    t = checked_array(times, "times", ("m",), what=what)
    if len(t) != m or t[0] != 0.0 or not (np.diff(t) > 0.0).all():
        raise InputError(f"`times` is {shown(times)}, expected {what}.", argument="times")
    checked_duration(t[-1], "times")
    return t


def _proportional(q: Array, v: Array, a: Array) -> Array:
    """Return times in proportion to the time of each segment; the caller scales them."""
    way = np.abs(np.diff(q, axis=0))
    if not way.max(axis=1).all():
        k = int(np.flatnonzero(way.max(axis=1) == 0.0)[0])
        raise InputError(
            f"`waypoints` {k} and {k + 1} are the same: leave one out, or give `times`.",
            argument="waypoints",
        )
    if np.isfinite(v).any():
        steps = (way / v).max(axis=1)
    elif np.isfinite(a).any():
        steps = np.sqrt((way / a).max(axis=1))
    else:
        raise InputError(
            "without limits of velocity or acceleration, give `times`.", argument="times"
        )
    # a segment in which only unlimited joints move takes as long as a short one
    steps = np.maximum(steps, 1e-3 * steps.max())
    if not steps.max() > 0.0:
        raise InputError("no joint that moves has a limit: give `times`.", argument="times")
    check_shortest(float(steps.sum()))
    return np.concatenate([[0.0], np.cumsum(steps)])


def _splines(t: Array, q: Array) -> tuple[Any, Any, Any]:
    make = import_module("scipy.interpolate").make_interp_spline
    rest = [(1, np.zeros(q.shape[1])), (2, np.zeros(q.shape[1]))]
    try:
        spline = make(t, q, k=5, bc_type=(rest, rest))
    except (ValueError, np.linalg.LinAlgError):
        spline = None
    if spline is None or not np.abs(spline(t) - q).max() <= MET * np.abs(q).max():
        steps = np.diff(t)
        raise InputError(
            f"`times` has steps from {steps.min():g} to {steps.max():g} s, expected steps of "
            "similar length: with these no spline through `waypoints` can be computed.",
            argument="times",
        )
    return spline, spline.derivative(1), spline.derivative(2)


def _excess(splines: tuple[Any, Any, Any], v: Array, a: Array) -> float:
    """Return the factor on all times with which the motion just meets the limits."""
    _, qd, qdd = splines
    fast, hard = np.abs(_peaks(qd)), np.abs(_peaks(qdd))
    return float(max((fast / v).max(), np.sqrt((hard / a).max())))


def _peaks(spline: Any) -> Array:
    """Return the largest absolute value of each joint's spline: at ends, knots and extrema."""
    ppoly = import_module("scipy.interpolate").PPoly
    knots = np.unique(spline.t)
    found = np.abs(np.asarray(spline(knots), dtype=np.float64)).max(axis=0)
    for j in range(len(found)):
        one = type(spline)(spline.t, np.ascontiguousarray(spline.c[:, j]), spline.k)
        roots = np.asarray(ppoly.from_spline(one.derivative()).roots(extrapolate=False))
        roots = roots[np.isfinite(roots)]
        if len(roots):
            found[j] = max(found[j], float(np.abs(one(roots)).max()))
    return found
