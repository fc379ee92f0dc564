"""The steps of time-optimal planning as programs: one piece of a path, for many paths at once.

`bound`: the largest speed at the left end from which all limits hold and the piece ends within what
is admissible at its right end. With U(y) the least upper bound of u and L(y) the largest lower one,
it is the first exit of U - L >= 0 from y = 0. Each pair of bounds gives one quadratic, whose exit
has a closed form. From a speed that is too high, the pair that is violated most leads to a lower
one, never below the first exit; a few such steps end there.

`cap`: where inertia nearly vanishes, the speed that can be reached at the right end falls with that
at the left one. Of the speeds up to the bound, the one with the largest sum of both is kept.

`forward`: the largest speed at the right end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from armdyn.arm import Evaluator
from armdyn.graph import Slot, trace
from armdyn.motion.timing._rows import FAR, Bend, Bound, Bounds, Drives, End, Row
from armdyn.scalar import Scalar, max, min, select, sqrt

# Steps of `bound`; it says whether more are needed.
STEPS = 4
# Speeds that `cap` compares at a time, and how often it looks closer.
COMPARED, LEVELS = 8, 3
# A bound violated by less than this share is rounding.
ROUNDING = 1e-9
LEAST = 1e-200


def slots(n: int) -> list[Slot]:
    """Return the inputs of all programs.

    Of each end dq/ds, d2q/ds2, a, b and g; limits of torques above and below; limits of
    acceleration; signs; 2 D, x at the right end, and the speeds of tangents and chords; a speed.
    With zeros as `right` and some room there, only the left end counts.
    """
    sizes = {
        "left": 5 * n, "right": 5 * n, "room_left": 2 * n, "room_right": 2 * n, "most": n,
        "sigma": n, "piece": 5, "speed": 1,
    }  # fmt: skip
    return [Slot(name, (size,)) for name, size in sizes.items()]


@lru_cache(maxsize=64)
def backward_step(drives: Drives, capped: bool) -> Evaluator:
    """Return the evaluator of `bound` and, if asked for, `cap`.

    Results are the speed, the bound, and 1 if the bound is still too high, else 0.
    """

    def function(*given: Row) -> tuple[Scalar, Scalar, Scalar]:
        bounds, y = _bounds(drives, *given[:-1]), given[-1][0]
        for _ in range(STEPS):
            y = _lowered(bounds, y)
        U, L = _between(bounds, y)
        again = select(_gap(U, L), 1.0, 0.0)
        twice, weight = given[6][0], given[6][4]
        return _capped(bounds, y, twice, weight) if capped else y, y, again

    return _evaluator(function, drives.n, ["speed", "bound", "again"], "backward")


def _capped(bounds: Bounds, most: Scalar, twice: Scalar, weight: Scalar) -> Scalar:
    """Return the speed up to a bound that saves most time.

    Args:
        bounds: of u.
        most: the bound.
        twice: 2 D.
        weight: what a speed at the right end counts, that at the left one as 1.
    """

    def worth(y: Scalar) -> Scalar:
        U, L = _between(bounds, y)
        return select(_gap(U, L), -1.0, y + weight * sqrt(max(y * y + twice * U, 0.0)))

    best, value = most, worth(most)
    low, width = 0.0 * most, most
    for _ in range(LEVELS):
        for k in range(1, COMPARED):
            y = low + width * (k / COMPARED)
            here = worth(y)
            best = select(here - value, y, best)
            value = max(value, here)
        width = width / COMPARED
        low = max(best - width, 0.0)
        width = min(best + width, most) - low
    return best


@lru_cache(maxsize=64)
def forward_step(drives: Drives) -> Evaluator:
    """Return the evaluator of `forward`."""

    def function(*given: Row) -> Scalar:
        bounds, y = _bounds(drives, *given[:-1]), given[-1][0]
        twice, top = given[6][0], given[6][1]
        x = y * y
        return sqrt(min(max(x + twice * _least(bounds.upper, x, y), 0.0), top))

    return _evaluator(function, drives.n, ["speed"], "forward")


@lru_cache(maxsize=64)
def admissible_step(drives: Drives) -> Evaluator:
    """Return the evaluator of U - L at a speed, of the limits at left ends alone."""

    def function(*given: Row) -> Scalar:
        left, _, room, _, most, sigma, _, (y,) = given
        bounds = Bounds([], [])
        bounds.add(drives, _end(drives.n, left, room), sigma, most, None)
        U, L = _between(bounds, y)
        return U - L

    return _evaluator(function, drives.n, ["gap"], "admissible")


def _evaluator(
    function: Callable[..., object], n: int, outputs: Sequence[str], name: str
) -> Evaluator:
    results = [Slot(output, ()) for output in outputs]
    return Evaluator(trace(function, slots(n), results, f"time_optimal_{name}"))


def _bounds(
    drives: Drives,
    left: Row,
    right: Row,
    room_left: Row,
    room_right: Row,
    most: Row,
    sigma: Row,
    piece: Row,
) -> Bounds:
    n = drives.n
    twice, top, touching, chord, _ = piece
    bounds = Bounds([], [])
    bounds.next_speed(twice, top)
    bounds.add(drives, _end(n, left, room_left), sigma, most, None)
    bend = Bend(twice, touching, chord)
    bounds.add(drives, _end(n, right, room_right), sigma, most, bend)
    return bounds


def _end(n: int, node: Row, room: Row) -> End:
    by_s, by_ss, a, b, g = (node[k * n : (k + 1) * n] for k in range(5))
    return End(by_s, by_ss, a, b, g, high=room[:n], low=room[n:])


def _between(bounds: Bounds, y: Scalar) -> tuple[Scalar, Scalar]:
    """Return the least upper and the largest lower bound of u at a speed."""
    x = y * y
    return _least(bounds.upper, x, y), _largest(bounds.lower, x, y)


def _gap(U: Scalar, L: Scalar) -> Scalar:
    """Return a number above zero if no u is between the bounds."""
    return L - U - ROUNDING * (abs(L) + abs(U))


def _least(bounds: Sequence[Bound], x: Scalar, y: Scalar) -> Scalar:
    least: Scalar = FAR
    for bound in bounds:
        least = min(least, bound.at(x, y))
    return least


def _largest(bounds: Sequence[Bound], x: Scalar, y: Scalar) -> Scalar:
    largest: Scalar = -FAR
    for bound in bounds:
        largest = max(largest, bound.at(x, y))
    return largest


def _lowered(bounds: Bounds, y: Scalar) -> Scalar:
    """Return y if it is admissible, else the first exit of the pair that is violated most."""
    x = y * y
    (U, upper), (L, lower) = _first(bounds.upper, x, y, -1.0), _first(bounds.lower, x, y, 1.0)
    A, B, C = upper.B - lower.B, upper.V - lower.V, min(lower.H - upper.H, 0.0)
    r = sqrt(max(B * B - 4.0 * A * C, 0.0))
    above = select(B, -2.0 * C, r - B)
    below = max(select(B, B + r, 2.0 * A), LEAST)
    return select(L - U, min(above / below, y), y)


def _first(bounds: Sequence[Bound], x: Scalar, y: Scalar, sign: float) -> tuple[Scalar, Bound]:
    """Return the bound that matters most at a speed: the least if sign is -1, else the largest."""
    best = bounds[0]
    value = best.at(x, y)
    for bound in bounds[1:]:
        here = bound.at(x, y)
        better = here - value if sign > 0.0 else value - here
        best = Bound(*(select(better, new, old) for new, old in zip(bound, best, strict=True)))
        value = max(value, here) if sign > 0.0 else min(value, here)
    return value, best
