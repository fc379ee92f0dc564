"""The steps of time-optimal planning as programs: one piece of a path, for many paths at once.

`bound`: the largest speed at the left end from which all limits hold and the piece ends within what
is admissible at its right end. With U(y) the least upper bound of u and L(y) the largest lower one,
it is the first exit of U - L >= 0 from y = 0. Each pair of bounds gives one quadratic, whose exit
has a closed form. From a speed that is too high, the pair that is violated most leads to a lower
one, never below the first exit; a few such steps end there.

`cap`: where inertia nearly vanishes, the speed that can be reached at the right end falls with that
at the left one. Of the speeds up to the bound, the one with the largest sum of both is kept. That
is rare: `bound` says whether it may be so.

`forward`: the largest speed at the right end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce

from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.motion.limits import NO_LOWER, NO_UPPER, Bend, Bound, Bounds, Drives, End, Row
from armdyn.programs.evaluate import Evaluator
from armdyn.scalar import Scalar, max, min, select, sqrt

# Steps of `bound`; it says whether more are needed.
STEPS = 4
# Speeds that `cap` compares at a time, and how often it looks closer.
SPEEDS_COMPARED, LEVELS = 8, 3
# Speeds at which `admissible_step` looks at a time.
SPEEDS_TOGETHER = 8
# A bound violated by less than this share is rounding.
ROUNDING = 1e-9
# Less than any denominator that occurs, so that nothing is divided by zero.
LEAST = 1e-200


def slots(n: int) -> list[Slot]:
    """Return the inputs of all programs.

    Of each end dq/ds, d2q/ds2, a, b and g; limits of torques above and below; limits of
    acceleration; signs; 2 D, the weight of `cap` and the least speed of tangents; at the right end
    the largest admissible speed and the speed of the last pass; a speed at the left end.
    With zeros as `right` and some room there, only the left end counts.
    """
    sizes = {
        "left": 5 * n, "right": 5 * n, "room_left": 2 * n, "room_right": 2 * n, "most": n,
        "sigma": n, "piece": 3, "top": 1, "last": 1, "speed": 1,
    }  # fmt: skip
    return [Slot(name, (size,)) for name, size in sizes.items()]


# What `bound` says: the bound is final; a lower speed may save time; the bound is still too high.
FINAL, MAY_FALL, TOO_HIGH = 0.0, 1.0, 2.0


@lru_cache(maxsize=64)
def bound_step(drives: Drives) -> Evaluator:
    """Return the evaluator of `bound`.

    Results are the speed, that of the right end if the piece has no length, the bound, and what is
    left to do.
    """

    def function(*given: Row) -> tuple[Scalar, Scalar, Scalar]:
        bounds, y = _bounds(drives, *given[:-1]), given[-1][0]
        for _ in range(STEPS):
            y = _lowered(bounds, y)
        x = y * y
        (U, upper), L = _first(bounds.upper, x, y, -1.0), _largest(bounds.lower, x, y)
        (twice, weight, _), (top,) = given[6:8]
        state = select(_falls(upper, y, twice, weight), MAY_FALL, FINAL)
        state = select(twice, select(_gap(U, L), TOO_HIGH, state), FINAL)
        return select(twice, y, top), y, state

    return _evaluator(function, drives.n, ["speed", "bound", "state"], "bound")


def _falls(upper: Bound, most: Scalar, twice: Scalar, weight: Scalar) -> Scalar:
    """Return a number above zero if a speed below the bound may be worth more than the bound.

    The bound of u that is least at the bound is nowhere below the least one. With it, the worth of
    a speed is y + w sqrt(p), p a quadratic in y; the root is convex or concave wherever p > 0. If
    it is convex, no speed is worth more than both ends of 0..most; if it is concave, none is worth
    more than the bound if the last one that `cap` tries is not.
    """
    B, V, H = upper
    a, b, c = 1.0 - twice * B, -0.5 * twice * V, twice * H  # p = a y^2 + 2 b y + c

    def worth(y: Scalar) -> Scalar:
        return y + weight * sqrt(max((a * y + 2.0 * b) * y + c, 0.0))

    best = worth(most)
    convex, turn = a * c - b * b, a * most + b
    concave_falls = worth(most * (1.0 - SPEEDS_COMPARED**-LEVELS)) - best
    # p that falls first and rises later may be below zero between
    dips = select(-b, turn, -1.0)
    return select(convex, worth(0.0 * most) - best, max(concave_falls, dips))


@lru_cache(maxsize=64)
def cap_step(drives: Drives) -> Evaluator:
    """Return the evaluator of `cap`; the speed given is the bound."""

    def function(*given: Row) -> Scalar:
        bounds, (twice, weight, _) = _bounds(drives, *given[:-1]), given[6]
        return _capped(bounds, given[-1][0], twice, weight)

    return _evaluator(function, drives.n, ["speed"], "cap")


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
        for k in range(1, SPEEDS_COMPARED):
            y = low + width * (k / SPEEDS_COMPARED)
            here = worth(y)
            best = select(here - value, y, best)
            value = max(value, here)
        width = width / SPEEDS_COMPARED
        low = max(best - width, 0.0)
        width = min(best + width, most) - low
    return best


@lru_cache(maxsize=64)
def forward_step(drives: Drives) -> Evaluator:
    """Return the evaluator of `forward`."""

    def function(*given: Row) -> Scalar:
        bounds, y = _bounds(drives, *given[:-1]), given[-1][0]
        twice, (top,) = given[6][0], given[7]
        x = y * y
        reached = sqrt(min(max(x + twice * _least(bounds.upper, x, y), 0.0), top * top))
        return select(twice, reached, y)

    return _evaluator(function, drives.n, ["speed"], "forward")


@lru_cache(maxsize=64)
def admissible_step(drives: Drives) -> Evaluator:
    """Return the evaluator of U - L at some speeds, of the limits at left ends alone."""
    n = drives.n

    def function(left: Row, room: Row, most: Row, sigma: Row, speeds: Row) -> list[Scalar]:
        bounds = Bounds([], [])
        bounds.add(drives, _end(n, left, room), sigma, most, None)
        between = (_between(bounds, y) for y in speeds)
        return [U - L for U, L in between]

    sizes = {"left": 5 * n, "room": 2 * n, "most": n, "sigma": n, "speeds": SPEEDS_TOGETHER}
    inputs = [Slot(name, (size,)) for name, size in sizes.items()]
    return Evaluator(
        trace(function, inputs, [Slot("gap", (SPEEDS_TOGETHER,))], "time_optimal_admissible")
    )


def _evaluator(
    function: Callable[..., object], n: int, outputs: Sequence[str], name: str
) -> Evaluator:
    results = [Slot(output, ()) for output in outputs]
    return Evaluator(trace(function, slots(n), results, f"time_optimal_{name}"))


def _bounds(drives: Drives, *given: Row) -> Bounds:
    """Return the bounds of u from all inputs but the speed, see `slots`."""
    left, right, room_left, room_right, most, sigma, piece, top, last = given
    n = drives.n
    twice, _, least = piece
    touching, chord = max(min(last[0], top[0]), least), max(top[0], least)
    bounds = Bounds([], [])
    bounds.next_speed(twice, top[0] * top[0])
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
    return reduce(min, (bound.at(x, y) for bound in bounds), NO_UPPER.H)


def _largest(bounds: Sequence[Bound], x: Scalar, y: Scalar) -> Scalar:
    return reduce(max, (bound.at(x, y) for bound in bounds), NO_LOWER.H)


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
