"""Capsules around solids: all points within a radius of a segment.

A capsule is convex, so it encloses a triangle if it encloses its corners. Large triangles are split
first. Then triangles move between a few capsules, as points move between the means of k-means;
every capsule is fitted to its triangles in closed form along the best of some axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.numerics import ROUNDING


@dataclass(frozen=True)
class EnclosingEffort:
    """How hard small capsules around a solid are sought.

    Attributes:
        capsules: the most capsules for a solid.
        worth: another capsule must reduce the volume to this share.
        edge: longest edge of split triangles, as a share of the size of the solid.
        triangles: splitting stops at this number of triangles.
        rounds: of moving triangles between capsules.
        circle_rounds: of finding the smallest circle.
        tries: capsules tried when one is made smaller.
        first_try: distance between the first of these tries, as a share of the size of the solid.
    """

    capsules: int = 3
    worth: float = 0.85
    edge: float = 0.2
    triangles: int = 2000
    rounds: int = 4
    circle_rounds: int = 16
    tries: int = 500
    first_try: float = 0.05


EFFORT = EnclosingEffort()


@dataclass(frozen=True)
class Fit:
    """A capsule: the ends of its axis, ``(3,)`` each, and its radius."""

    a: Array
    b: Array
    radius: float

    @property
    def volume(self) -> float:
        """Volume, hemispheres included."""
        length = float(np.linalg.norm(self.b - self.a))
        return np.pi * self.radius**2 * (length + 4.0 / 3.0 * self.radius)


def segment_distance(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return the distances between segments ab and cd, given by their ends ``(3, ...)``.

    The nearest points a + s (b - a) and c + t (d - c) minimise a convex quadratic over the unit
    square: s for lines, clipped to its segment, then t for this s, and s again where t was clipped.
    For parallel segments any s is optimal; points are segments of length zero.
    """
    u, v, w = b - a, d - c, a - c
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    uw, vw = _dot(u, w), _dot(v, w)
    s = _share(uv * vw - uw * vv, uu * vv - uv * uv)
    t = _share(uv * s + vw, vv)
    s = _share(uv * t - uw, uu)
    gap = w + s * u - t * v
    return np.sqrt(_dot(gap, gap))


def _dot(x: Array, y: Array) -> Array:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def _share(over: Array, under: Array) -> Array:
    """Return quotients clipped to 0 ... 1, and 0 where the denominator vanishes."""
    return np.clip(np.divide(over, under, out=np.zeros_like(over), where=under > 0.0), 0.0, 1.0)


def distances(points: Array, a: Array, b: Array) -> Array:
    """Return distances of points ``(..., 3)`` from the segment ab."""
    along = b - a
    square = float(along @ along)
    share = (points - a) @ along / square if square > 0.0 else np.zeros(points.shape[:-1])
    nearest = a + np.clip(share, 0.0, 1.0)[..., None] * along
    return np.linalg.norm(points - nearest, axis=-1)


def corners_of(points: Array) -> Array:
    """Return the corners of the convex hull: a convex solid around them holds all points."""
    spatial: Any = import_module("scipy.spatial")
    try:
        return points[spatial.ConvexHull(points).vertices]
    except spatial.QhullError:  # flat, or too few
        return np.unique(points, axis=0)


def enclosing(triangles: Array) -> list[Fit]:
    """Return capsules that enclose triangles ``(T, 3, 3)``."""
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    fine = _split(triangles, max(EFFORT.edge * size, 1e-12))
    best = [_polished(_fit(fine.reshape(-1, 3)), fine.reshape(-1, 3))]
    for count in range(2, EFFORT.capsules + 1):
        several = min((_shared(fine, count, axis) for axis in range(2)), key=_volume)
        if _volume(several) <= EFFORT.worth * _volume(best):
            best = several
    return best


def _volume(fits: list[Fit]) -> float:
    return sum(fit.volume for fit in fits)


def _shared(triangles: Array, count: int, axis: int) -> list[Fit]:
    """Return the smallest capsules that share triangles, which are first cut across an axis."""
    middle = triangles.mean(axis=1)
    centred = middle - middle.mean(axis=0)
    place: Array = centred @ np.linalg.eigh(centred.T @ centred).eigenvectors[:, 2 - axis]
    low, high = float(place.min()), float(place.max())
    cuts: Array = low + (high - low) * np.arange(1, count) / count
    group = np.searchsorted(cuts, place)
    best: list[Fit] = []
    members: list[Array] = []
    for _ in range(EFFORT.rounds):
        parts = [triangles[group == k].reshape(-1, 3) for k in range(count) if (group == k).any()]
        fits = [_fit(part) for part in parts]
        if not best or _volume(fits) < _volume(best):
            best, members = fits, parts
        outside = [distances(triangles, fit.a, fit.b).max(axis=1) - fit.radius for fit in fits]
        again = np.argmin(outside, axis=0)
        if len(parts) == 1 or np.array_equal(again, group):
            break
        group = again
    return [_polished(fit, part) for fit, part in zip(best, members, strict=True)]


def _around(a: Array, b: Array, points: Array) -> Fit:
    """Return the smallest capsule around points whose axis is ab."""
    return Fit(a, b, float(distances(points, a, b).max()) * (1 + ROUNDING))


def _polished(fit: Fit, points: Array) -> Fit:
    """Return a smaller capsule around points near a given one, or that one."""
    corners = corners_of(points)
    size = float(np.ptp(corners, axis=0).max())
    if not size > 0.0:
        return fit
    start = np.concatenate([fit.a, fit.b])
    simplex = start + EFFORT.first_try * size * np.eye(7, 6, -1)
    optimize: Any = import_module("scipy.optimize")
    options = {"maxfev": EFFORT.tries, "initial_simplex": simplex}

    def volume(ends: Array) -> float:
        return _around(ends[:3], ends[3:], corners).volume / size**3

    ends: Array = optimize.minimize(volume, start, method="Nelder-Mead", options=options).x
    return min(fit, _around(ends[:3], ends[3:], corners), key=lambda one: one.volume)


def _fit(points: Array) -> Fit:
    """Return a small capsule around points ``(P, 3)``, along one of their axes or of the frame."""
    points = corners_of(points)
    axes = np.linalg.eigh(np.cov(points.T)).eigenvectors.T if len(points) > 1 else np.eye(3)
    tries = (_along(points, axis) for axis in (*axes, *np.eye(3)))
    return min(tries, key=lambda fit: fit.volume)


def _along(points: Array, axis: Array) -> Fit:
    """Return the capsule of least radius along a direction, as short as possible."""
    u, v = np.linalg.svd(axis[None]).Vh[1:]
    flat: Array = np.stack([points @ u, points @ v], axis=1)
    height = points @ axis
    centre = _circle(flat)
    off = np.linalg.norm(flat - centre, axis=1)
    spare = np.sqrt(np.maximum(float(off.max()) ** 2 - off**2, 0.0))
    low, high = float((height + spare).min()), float((height - spare).max())
    low, high = (low, high) if low < high else ((low + high) / 2,) * 2
    base = centre[0] * u + centre[1] * v
    return _around(base + low * axis, base + high * axis, points)


def _circle(flat: Array) -> Array:
    """Return the centre of nearly the smallest circle around points (Badoiu and Clarkson)."""
    centre = (flat.min(axis=0) + flat.max(axis=0)) / 2
    for k in range(1, EFFORT.circle_rounds + 1):
        far = flat[int(np.argmax(((flat - centre) ** 2).sum(axis=1)))]
        centre = centre + (far - centre) / (k + 8)
    return centre


def _split(triangles: Array, edge: float) -> Array:
    """Return triangles with edges no longer than `edge`, as far as their number allows."""
    while len(triangles) < EFFORT.triangles:
        edges = np.linalg.norm(np.roll(triangles, -1, axis=1) - triangles, axis=2)
        large = edges.max(axis=1) > edge
        if not large.any():
            break
        cut, which = triangles[large], np.argmax(edges[large], axis=1)
        start, end, other = (cut[np.arange(len(cut)), (which + k) % 3] for k in range(3))
        middle = (start + end) / 2
        halves = [np.stack([start, middle, other], 1), np.stack([middle, end, other], 1)]
        triangles = np.concatenate([triangles[~large], *halves])
    return triangles
