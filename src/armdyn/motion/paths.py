"""Paths in joint space: splines through way-points, functions q(s), and their nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.checks import checked_array
from armdyn.errors import InputError
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.motion.limits import Row
from armdyn.motion.trajectory import check_positions
from armdyn.programs.evaluate import Evaluator
from armdyn.scalar import Scalar

# Paths in joint space: splines through way-points, many at a time, and functions q(s).

Indices = NDArray[np.intp]
States = tuple[Array, Array, Array]

# Way-points nearer to each other than this share of the path's length are the same point.
SAME_POINT = 1e-9
# Pieces of all paths that are computed at a time: they stay in the cache.
CHUNK = 1024
# Places at which a function is looked at for changes of direction, and steps of bisection.
LOOKED_AT, BISECTIONS = 4000, 50


class Paths(ABC):
    """Some paths q(s), 0 <= s <= 1.

    Attributes:
        n: number of joints.
        count: number of paths.
    """

    n: int
    count: int

    @abstractmethod
    def states(self, pieces: Array, s: Array) -> States:
        """Return q, dq/ds and d2q/ds2, ``(N, B, k, n)``.

        Args:
            pieces: a place inside each piece of each path, ``(N, B)``.
            s: places in these pieces, ``(N, B, k)``.
        """

    @abstractmethod
    def special(self) -> Array:
        """Return places that must be nodes, ``(B, k)``, NaN where there are fewer.

        They are knots, and where a joint changes its direction.
        """

    @abstractmethod
    def some(self, which: Indices) -> Paths:
        """Return some of the paths."""

    def at(self, s: Array) -> States:
        """Return q, dq/ds and d2q/ds2 of the only path, ``(N, n)``, at places ``(N,)``."""
        q, by_s, by_ss = self.states(s[:, None], s[:, None, None])
        return q[:, 0, 0], by_s[:, 0, 0], by_ss[:, 0, 0]


class Splines(Paths):
    """Natural cubic splines through way-points; s grows with the distance of the points.

    Attributes:
        knots: s of the way-points, ``(B, K)``.
        polynomials: coefficients of (s - knot)^0 to ^3, ``(B, K - 1, 4, n)``.
        rows: those of all pieces of all paths, ``(B (K - 1), 4n)``.
        starts: their knots, ``(B (K - 1),)``.
    """

    def __init__(self, knots: Array, polynomials: Array) -> None:
        self.knots, self.polynomials = knots, polynomials
        self.count, self.n = len(knots), polynomials.shape[-1]
        self.rows, self.starts = polynomials.reshape(-1, 4 * self.n), knots[:, :-1].reshape(-1)

    def states(self, pieces: Array, s: Array) -> States:
        """Return q, dq/ds and d2q/ds2; see `Paths`."""
        polynomials, knots = self.inside(pieces)
        t = s - knots[..., None]
        given = [polynomials[..., None, :], t[..., None]]
        q, by_s, by_ss = _spline(self.n)(given, t.shape).results
        return q, by_s, by_ss

    def inside(self, pieces: Array) -> tuple[Array, Array]:
        """Return coefficients ``(N, B, 4n)`` and knots ``(N, B)`` at a place inside each piece."""
        at = self.segments(pieces)
        return self.rows[at], self.starts[at]

    def segments(self, pieces: Array) -> Indices:
        """Return at which of `rows` and `starts` a place inside each piece is, ``(N, B)``."""
        segment = np.zeros(pieces.shape, dtype=np.intp)
        for k in range(1, self.knots.shape[1] - 1):
            segment += pieces >= self.knots[:, k]
        return segment + np.arange(self.count) * self.polynomials.shape[1]

    def chunks(self, segments: Indices) -> Iterator[tuple[slice, Array]]:
        """Yield coefficients of some pieces of all paths at a time, which stay in the cache.

        Args:
            segments: of the pieces, ``(N, B)``.

        Yields:
            Which of the N B pieces these are, and their coefficients, overwritten by the next.
        """
        flat, rows = segments.reshape(-1), chunk_rows(self.count)
        room = np.empty((rows, 4 * self.n))
        for first in range(0, len(flat), rows):
            part = slice(first, min(first + rows, len(flat)))
            found = room[: part.stop - first]
            np.take(self.rows, flat[part], axis=0, out=found, mode="clip")
            yield part, found

    def special(self) -> Array:
        """Return places that must be nodes; see `Paths`."""
        b, c, d = (self.polynomials[:, :, k] for k in (1, 2, 3))
        # roots of b + 2 c t + 3 d t^2, in the form without cancellation
        root = np.sqrt(np.maximum(c * c - 3.0 * d * b, 0.0))
        w = -(c + np.copysign(root, c))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.stack([w / (3.0 * d), b / w], axis=2)
        real = (c * c >= 3.0 * d * b)[:, :, None]
        wide = np.diff(self.knots, axis=1)[:, :, None, None]
        t = np.where(real & np.isfinite(t) & (t >= 0.0) & (t <= wide), t, np.nan)
        roots = (self.knots[:, :-1, None, None] + t).reshape(self.count, -1)
        return np.concatenate([self.knots, roots], axis=1)

    def some(self, which: Indices) -> Splines:
        """Return some of the paths."""
        return Splines(self.knots[which], self.polynomials[which])


class FunctionPath(Paths):
    """One path, given as functions."""

    def __init__(self, functions: tuple[Callable[[Array], Any], ...], knots: Array) -> None:
        self._functions, self._knots = functions, knots
        what = "positions (2, n) for the places [0, 1]"
        ends = checked_array(functions[0](np.array([0.0, 1.0])), "path", (2, "n"), what=what)
        self.n, self.count = ends.shape[1], 1

    def states(self, pieces: Array, s: Array) -> States:
        """Return q, dq/ds and d2q/ds2; see `Paths`."""
        flat = np.clip(s.reshape(-1), 0.0, 1.0)
        q, by_s, by_ss = (self._values(k, flat).reshape(*s.shape, self.n) for k in range(3))
        return q, by_s, by_ss

    def special(self) -> Array:
        """Return places that must be nodes; see `Paths`."""
        s = np.linspace(0.0, 1.0, LOOKED_AT + 1)
        by_s = self._values(1, s)
        at, joint = np.nonzero(by_s[:-1] * by_s[1:] < 0.0)
        low, high, sign = s[at], s[at + 1], np.sign(by_s[at, joint])
        for _ in range(BISECTIONS if len(at) else 0):
            middle = (low + high) / 2
            before = self._values(1, middle)[np.arange(len(at)), joint] * sign > 0.0
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        on = s[np.nonzero(by_s[1:-1] == 0.0)[0] + 1] if len(by_s) > 2 else s[:0]
        inside = self._knots[(self._knots > 0.0) & (self._knots < 1.0)]
        return np.concatenate([[0.0], high, np.unique(on), inside, [1.0]])[None]

    def some(self, which: Indices) -> FunctionPath:
        """Return some of the paths."""
        return self

    def _values(self, k: int, s: Array) -> Array:
        what = f"{('q', 'dq/ds', 'd2q/ds2')[k]} (N, {self.n}) for N places in 0..1"
        values = checked_array(self._functions[k](s), "path", (len(s), self.n), what=what)
        check_positions(values, "path")
        return values


def repeated(points: Array) -> list[InputError | None]:
    """Return an error for each path, ``(B, K, n)``, that has the same way-point twice in a row."""
    check_positions(points, "path")
    way = _distances(points)
    same = way <= SAME_POINT * way.sum(axis=1, keepdims=True)
    errors: list[InputError | None] = [None] * len(points)
    for path in np.nonzero(same.any(axis=1))[0].tolist():
        k = int(np.argmax(same[path]))
        which = f" of path {path}" if len(points) > 1 else ""
        errors[path] = InputError(
            f"way-points {k} and {k + 1}{which} are the same position: leave one out; the arm "
            "stops there only between two motions.",
            argument="path",
        )
    return errors


def chunk_rows(count: int) -> int:
    """Return how many pieces of a number of paths are computed at a time, the same of each."""
    return count * -(-CHUNK // count)


def splines(points: Array) -> Splines:
    """Return splines through way-points ``(B, K, n)``, none of which is `repeated`."""
    way = _distances(points)
    h = (way / way.sum(axis=1, keepdims=True))[:, :, None]
    knots = np.concatenate([np.zeros((len(points), 1)), np.cumsum(h[:, :, 0], axis=1)], axis=1)
    knots[:, -1] = 1.0
    slope = np.diff(points, axis=1) / h
    # the second derivatives of a natural spline: a tridiagonal system, solved for all paths
    bend = np.zeros_like(points)
    K = points.shape[1]
    ratio, right = np.zeros((len(points), K, 1)), np.zeros_like(points)
    for k in range(1, K - 1):
        pivot = 2.0 * (h[:, k - 1] + h[:, k]) - h[:, k - 1] * ratio[:, k - 1]
        ratio[:, k] = h[:, k] / pivot
        jump = 6.0 * (slope[:, k] - slope[:, k - 1])
        right[:, k] = (jump - h[:, k - 1] * right[:, k - 1]) / pivot
    for k in range(K - 2, 0, -1):
        bend[:, k] = right[:, k] - ratio[:, k] * bend[:, k + 1]
    first = slope - h * (2.0 * bend[:, :-1] + bend[:, 1:]) / 6.0
    third = np.diff(bend, axis=1) / (6.0 * h)
    return Splines(knots, np.stack([points[:, :-1], first, bend[:, :-1] / 2.0, third], axis=2))


def _distances(points: Array) -> Array:
    """Return the distances from way-point to way-point, ``(B, K - 1)``."""
    return np.sqrt(np.square(np.diff(points, axis=1)).sum(axis=-1))


def cubic(c: Row, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Return polynomials of third degree with coefficients ``(4, n)``, and two derivatives."""
    n = len(c) // 4
    p = [c[k * n : (k + 1) * n] for k in range(4)]
    q = [p[0][j] + t * (p[1][j] + t * (p[2][j] + t * p[3][j])) for j in range(n)]
    by_s = [p[1][j] + t * (2.0 * p[2][j] + 3.0 * t * p[3][j]) for j in range(n)]
    by_ss = [2.0 * p[2][j] + 6.0 * t * p[3][j] for j in range(n)]
    return q, by_s, by_ss


@lru_cache(maxsize=64)
def _spline(n: int) -> Evaluator:
    """Return the evaluator of a polynomial of third degree and its derivatives."""

    def function(c: Row, at: Row) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        return cubic(c, at[0])

    inputs, names = [Slot("polynomial", (4 * n,)), Slot("t", (1,))], ("q", "by_s", "by_ss")
    return Evaluator(trace(function, inputs, [Slot(x, (n,)) for x in names], "spline"))


# The nodes of paths, between which the acceleration along the path is constant; places between.

# From rest, s grows with the square of time: the first and the last piece are divided so.
GRADED = np.square(np.arange(1, 4) / 4.0)
# Equal nodes nearer to a special one than this share of a piece are left out.
MIN_NODE_GAP = 0.05
# Special nodes nearer to each other than this are one.
EQUAL_NODE_GAP = 1e-7
# Places in each piece at which torques are computed; just inside the ends, since dry friction has
# no sign where a joint turns.
END_INSET = 1e-4
PLACES = np.array([END_INSET, 0.25, 0.5, 0.75, 1.0 - END_INSET])
# Where friction bends more with the speed, there are more of them.
MORE_PLACES = np.concatenate([[END_INSET], np.arange(1, 8) / 8.0, [1.0 - END_INSET]])


def nodes_of(paths: Paths, pieces: int) -> Array:
    """Return the nodes ``(N + 1, B)``: equal ones, knots, and where a joint changes its direction.

    Paths with fewer nodes than others have their last one, 1, several times.
    """
    special = np.sort(paths.special(), axis=1)
    special = np.where(special > 1.0 - EQUAL_NODE_GAP, np.nan, special)
    special[:, 0] = 0.0
    close = np.diff(special, axis=1) < EQUAL_NODE_GAP
    special[:, 1:][close] = np.nan
    # in units of pieces, each special node is near to one equal node and to the graded ones
    inner = np.where(np.isnan(special[:, 1:]), -1.0, special[:, 1:]) * pieces
    nearest = np.rint(inner)
    lanes, k = np.nonzero((np.abs(inner - nearest) < MIN_NODE_GAP) & (nearest > 0.0))
    equal = np.repeat(np.arange(1, pieces)[None] / pieces, len(special), axis=0)
    equal[lanes, nearest[lanes, k].astype(np.intp) - 1] = np.nan
    graded = np.concatenate([GRADED, pieces - GRADED])
    away = np.abs(graded[:, None] - inner[:, None, :]).min(axis=2, initial=1.0)
    kept = np.where(away > MIN_NODE_GAP, graded / pieces, np.nan)
    s = np.sort(np.concatenate([special, equal, kept], axis=1), axis=1)
    s = s[:, : int((~np.isnan(s)).sum(axis=1).max())]
    return np.concatenate([np.where(np.isnan(s), 1.0, s), np.ones((len(s), 1))], axis=1).T.copy()


def places_of(length: Array, usual: Array) -> Array:
    """Return places in each piece, from its left end, ``(N, B, places)``.

    In the first and the last piece they are nearer to the ends of the path, where speeds rise from
    rest. At the start itself the arm may rest, and dry friction is none.

    Args:
        length: of the pieces, ``(N, B)``.
        usual: places elsewhere, as shares of a piece.
    """
    along = length[:, :, None] * usual
    last = np.count_nonzero(length, axis=0) - 1
    lanes = np.arange(len(last))
    along[last, lanes] = length[last, lanes, None] * (1.0 - np.square(1.0 - usual))
    along[0] = length[0, :, None] * np.square(usual)
    along[0, :, 0] = 0.0
    return along
