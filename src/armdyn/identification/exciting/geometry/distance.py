"""Distances between segments, many at once."""

from __future__ import annotations

import numpy as np

from armdyn.arrays import Array


def segment_distance(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return the distances between segments ab and cd, given by their ends ``(3, ...)``.

    The nearest points a + s (b - a) and c + t (d - c) minimise a convex quadratic over the unit
    square: s for lines, cut to its segment, then t for this s, and s again where t was cut. Where
    segments are parallel, any s is as good; points are segments of no length.
    """
    u, v, w = b - a, d - c, a - c
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    uw, vw = _dot(u, w), _dot(v, w)
    s = np.clip(_ratio(uv * vw - uw * vv, uu * vv - uv * uv), 0.0, 1.0)
    t = np.clip(_ratio(uv * s + vw, vv), 0.0, 1.0)
    s = np.clip(_ratio(uv * t - uw, uu), 0.0, 1.0)
    gap = w + s * u - t * v
    return np.sqrt(_dot(gap, gap))


def _dot(x: Array, y: Array) -> Array:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def _ratio(over: Array, under: Array) -> Array:
    """Return quotients, 0 where the denominator vanishes."""
    return np.divide(over, under, out=np.zeros_like(over), where=under > 0.0)
