"""Capsules that enclose triangles: few, small, and nothing sticks out.

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

# Capsules for a solid, at most; another one must make the volume this much smaller.
MOST = 3
WORTH = 0.85

# Edges of split triangles, as a share of the size of the solid, and the most triangles.
FINE = 0.2
MOST_TRIANGLES = 2000

# Rounds of moving triangles between capsules; rounds of finding the smallest circle.
ROUNDS = 4
CIRCLE_ROUNDS = 16

# Capsules tried when one is made smaller, and room for rounding in a radius.
POLISHING = 500
ROUNDING = 1e-12


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


def enclosing(triangles: Array) -> list[Fit]:
    """Return capsules that enclose triangles ``(T, 3, 3)``."""
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    fine = _split(triangles, max(FINE * size, 1e-12))
    best = [_polished(_fit(fine.reshape(-1, 3)), fine.reshape(-1, 3))]
    volume = best[0].volume
    for count in range(2, MOST + 1):
        found = min((_shared(fine, count, axis) for axis in range(2)), key=_volume)
        if _volume(found) > WORTH * volume:
            continue
        best, volume = found, _volume(found)
    return best


def _volume(fits: list[Fit]) -> float:
    return sum(fit.volume for fit in fits)


def _shared(triangles: Array, count: int, axis: int) -> list[Fit]:
    """Return the smallest capsules found that share triangles, first cut across an axis."""
    middle = triangles.mean(axis=1)
    centred = middle - middle.mean(axis=0)
    place: Array = centred @ np.linalg.eigh(centred.T @ centred).eigenvectors[:, 2 - axis]
    low, high = float(place.min()), float(place.max())
    cuts: Array = low + (high - low) * np.arange(1, count) / count
    group = np.searchsorted(cuts, place)
    best: list[Fit] = []
    members: list[Array] = []
    for _ in range(ROUNDS):
        kept = [k for k in range(count) if (group == k).any()]
        parts = [triangles[group == k].reshape(-1, 3) for k in kept]
        fits = [_fit(part) for part in parts]
        if not best or _volume(fits) < _volume(best):
            best, members = fits, parts
        outside = np.stack([distances(triangles, fit).max(axis=1) - fit.radius for fit in fits])
        again = np.argmin(outside, axis=0)
        if len(kept) == 1 or np.array_equal(again, group):
            break
        group = again
    return [_polished(fit, part) for fit, part in zip(best, members, strict=True)]


def _polished(fit: Fit, points: Array) -> Fit:
    """Return a capsule around points that is smaller than a given one, if one is near."""
    corners = corners_of(points)
    size = float(np.ptp(corners, axis=0).max())
    if not size > 0.0:
        return fit

    def around(ends: Array) -> Fit:
        a, b = ends[:3], ends[3:]
        return Fit(a, b, float(distances(corners, Fit(a, b, 0.0)).max()) * (1 + ROUNDING))

    def volume(ends: Array) -> float:
        return around(ends).volume / size**3

    optimize: Any = import_module("scipy.optimize")
    found = optimize.minimize(
        volume,
        np.concatenate([fit.a, fit.b]),
        method="Nelder-Mead",
        options={
            "maxfev": POLISHING,
            "initial_simplex": np.concatenate([fit.a, fit.b]) + 0.05 * size * np.eye(7, 6, -1),
        },
    )
    best = around(np.asarray(found.x, dtype=np.float64))
    return best if best.volume < fit.volume else fit


def distances(points: Array, fit: Fit) -> Array:
    """Return distances of points ``(..., 3)`` from the axis of a capsule."""
    along = fit.b - fit.a
    square = float(along @ along)
    share = (points - fit.a) @ along / square if square > 0.0 else np.zeros(points.shape[:-1])
    nearest = fit.a + np.clip(share, 0.0, 1.0)[..., None] * along
    return np.linalg.norm(points - nearest, axis=-1)


def _fit(points: Array) -> Fit:
    """Return a small capsule around points ``(P, 3)``, along one of their axes or of the frame."""
    points = corners_of(points)
    axes = np.linalg.eigh(np.cov(points.T)).eigenvectors.T if len(points) > 1 else np.eye(3)
    tries = (_along(points, axis) for axis in (*axes, *np.eye(3)))
    return min(tries, key=lambda fit: fit.volume)


def corners_of(points: Array) -> Array:
    """Return the corners of the convex hull: a convex solid around them holds all points."""
    spatial: Any = import_module("scipy.spatial")
    try:
        return points[spatial.ConvexHull(points).vertices]
    except spatial.QhullError:  # flat, or too few
        return np.unique(points, axis=0)


def _along(points: Array, axis: Array) -> Fit:
    """Return the capsule of least radius along a direction, as short as possible."""
    u, v = np.linalg.svd(axis[None]).Vh[1:]
    flat: Array = np.stack([points @ u, points @ v], axis=1)
    height = points @ axis
    centre = _circle(flat)
    off = np.linalg.norm(flat - centre, axis=1)
    radius = float(off.max())
    room = np.sqrt(np.maximum(radius**2 - off**2, 0.0))
    low, high = float((height + room).min()), float((height - room).max())
    low, high = (low, high) if low < high else ((low + high) / 2,) * 2
    base = centre[0] * u + centre[1] * v
    a, b = base + low * axis, base + high * axis
    # rounding, and a centre that is only nearly that of the smallest circle
    fit = Fit(a, b, radius)
    return Fit(a, b, float(distances(points, fit).max()) * (1 + ROUNDING))


def _circle(flat: Array) -> Array:
    """Return the centre of nearly the smallest circle around points (Badoiu and Clarkson)."""
    centre = (flat.min(axis=0) + flat.max(axis=0)) / 2
    for k in range(1, CIRCLE_ROUNDS + 1):
        far = flat[int(np.argmax(((flat - centre) ** 2).sum(axis=1)))]
        centre = centre + (far - centre) / (k + 8)
    return centre


def _split(triangles: Array, edge: float) -> Array:
    """Return triangles with edges no longer than `edge`, as far as their number allows."""
    while len(triangles) < MOST_TRIANGLES:
        edges = np.linalg.norm(np.roll(triangles, -1, axis=1) - triangles, axis=2)
        longest = np.argmax(edges, axis=1)
        rows = np.arange(len(triangles))
        large = edges[rows, longest] > edge
        if not large.any():
            break
        cut, which = triangles[large], longest[large]
        rows = np.arange(len(cut))
        start, end = cut[rows, which], cut[rows, (which + 1) % 3]
        other, middle = cut[rows, (which + 2) % 3], (start + end) / 2
        halves = [np.stack([start, middle, other], 1), np.stack([middle, end, other], 1)]
        triangles = np.concatenate([triangles[~large], *halves])
    return triangles
