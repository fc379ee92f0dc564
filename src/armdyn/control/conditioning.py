"""What a controller does around its law: bad samples, velocities, a start without a jump, limits.

Everything is arithmetic on `Scalar`, without branches, so that the same code runs in Python, in C
and in compiled kernels. Truth values are 1 and 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from armdyn.arrays import Array
from armdyn.scalar import Scalar, max, select, sign

Row = Sequence[Scalar]

# Consecutive bad samples that are bridged at the last velocity; then the arm is held.
BRIDGED = 5
# Consecutive samples that agree with each other, after which measurements are believed again.
BELIEVED = 10
# A sample is late after this many periods; after LOST, velocities are unknown and the law starts
# anew. Samples that come earlier than EARLY periods count as a whole period after the last one: the
# clock repeats a stamp.
LATE, LOST, EARLY = 1.5, 10.0, 0.1
# What fades is zero below this [rad/s, rad, N m]: numbers near the smallest ones take a processor
# a hundred times as long, and a period must not.
FADED = 1e-12
# Largest believable reference: of positions, and of velocities and accelerations [rad, m, s].
MOST_POSITION, MOST_RATE = 1e4, 1e6


def below(x: Scalar, most: Scalar) -> Scalar:
    """Return 1 where x < most, else 0; 0 for NaN."""
    return select(most - x, 1.0, 0.0)


def either(*truths: Scalar) -> Scalar:
    """Return 1 where one of some truths is 1."""
    return reduce(max, truths)


def both(*truths: Scalar) -> Scalar:
    """Return 1 where all truths are 1."""
    return reduce(lambda a, b: a * b, truths)


def neither(truth: Scalar) -> Scalar:
    """Return 1 for 0, and 0 for 1."""
    return 1.0 - truth


def choose(truth: Scalar, a: Row, b: Row) -> list[Scalar]:
    """Return row a where the truth is 1, else row b, whatever the other row has, NaN too."""
    return [select(truth, x, y) for x, y in zip(a, b, strict=True)]


def least(a: Scalar, b: Scalar) -> Scalar:
    """Return the smaller of two numbers."""
    return -max(-a, -b)


def clamp(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """Return x within bounds."""
    return least(max(x, low), high)


def settled(row: Row) -> list[Scalar]:
    """Return a row with zero in the place of what has faded."""
    return [select(abs(x) - FADED, x, 0.0) for x in row]


def finite(row: Row, most: float) -> Scalar:
    """Return 1 if all entries are numbers of at most this size."""
    return both(*(below(abs(x), most) for x in row))


@dataclass(frozen=True)
class Watch:
    """What a believable sample is.

    Attributes:
        period: time between samples [s].
        reach: largest positions ``(n,)`` [rad or m].
        speed: largest speeds ``(n,)`` [rad/s or m/s].
        slack: positions may jump by this much more ``(n,)`` [rad or m].
        frozen: the reference may travel so far while no position changes [rad or m].
    """

    period: float
    reach: Array
    speed: Array
    slack: Array
    frozen: float


@dataclass(frozen=True)
class Before:
    """What is kept of earlier samples: positions, velocities, and what a watch counts.

    Attributes:
        started: 1 after the first good sample.
        q: last believed positions ``(n,)``.
        v: their filtered velocities ``(n,)``.
        raw: last measured positions that were numbers ``(n,)``.
        bad: consecutive bad samples.
        agreeing: consecutive samples that agree with each other.
        travel: of the reference, since a position changed.
    """

    started: Scalar
    q: Row
    v: Row
    raw: Row
    bad: Scalar
    agreeing: Scalar
    travel: Scalar


@dataclass(frozen=True)
class Sample:
    """A sample as the law sees it.

    Attributes:
        h: time since the last sample [s].
        q: positions ``(n,)``: measured, bridged or held.
        v: filtered velocities ``(n,)``.
        ok: 1 if the measurement is believed.
        held: 1 if measurements are missing for too long.
        starting: 1 if velocities are not known yet.
        late: 1 if the sample was late.
        frozen: 1 if no position changes though the reference travels.
        after: what is kept.
    """

    h: Scalar
    q: Row
    v: Row
    ok: Scalar
    held: Scalar
    starting: Scalar
    late: Scalar
    frozen: Scalar
    after: Before


def conditioned(
    watch: Watch, cutoff: float, measured: Row, h: Scalar, speed: Scalar, before: Before
) -> Sample:
    """Return a sample as the law sees it.

    Args:
        watch: what is believable.
        cutoff: of the low-pass of velocities [rad/s].
        measured: positions ``(n,)``; may be NaN.
        h: time since the last sample, by the caller's clock [s]; may be NaN.
        speed: of the reference [rad/s or m/s].
        before: earlier samples.
    """
    T = watch.period
    lost = neither(below(h, LOST * T))
    late = neither(below(h, LATE * T))
    h = select(neither(lost), select(h - EARLY * T, h, T), T)

    numbers = both(*(below(abs(x), float(r)) for x, r in zip(measured, watch.reach, strict=True)))
    raw = choose(numbers, measured, before.raw)
    still = neither(either(*(sign(abs(x - y)) for x, y in zip(raw, before.raw, strict=True))))
    travel = select(still * before.started, before.travel + h * speed, 0.0)
    frozen = neither(below(travel, watch.frozen))
    ahead = [x + h * v for x, v in zip(before.q, before.v, strict=True)]

    def near(row: Row) -> Scalar:
        far = zip(raw, row, watch.speed, watch.slack, strict=True)
        return both(*(below(abs(x - y), h * float(v) + float(s)) for x, y, v, s in far))

    usable = numbers * neither(frozen)
    agreeing = select(usable * near(before.raw), before.agreeing + 1.0, 0.0)
    was_held = neither(below(before.bad, BRIDGED + 0.5))
    believed = select(was_held, neither(below(agreeing, BELIEVED - 0.5)), usable * near(ahead))
    ok = select(before.started, believed, numbers)
    bad = select(ok, 0.0, least(before.bad + 1.0, BRIDGED + 1.0))
    held = either(neither(below(bad, BRIDGED + 0.5)), neither(either(ok, before.started)))
    starting = ok * either(neither(before.started), was_held, lost)
    q = choose(ok, raw, choose(held, before.q, ahead))

    share = h * cutoff / (1.0 + h * cutoff)
    slopes = [(x - y) / h for x, y in zip(q, before.q, strict=True)]
    v = [y + share * (x - y) for x, y in zip(slopes, before.v, strict=True)]
    v = choose(either(starting, held), [0.0] * len(v), settled(v))
    after = Before(
        either(before.started, ok), q, v, raw, bad, least(agreeing, BELIEVED + 0.0), travel
    )
    return Sample(h, q, v, ok, held, starting, late, frozen, after)


@dataclass(frozen=True)
class Approach:
    """How the error at a start fades: critically damped, at a bounded speed.

    Attributes:
        rate: a [1/s].
        speed: largest speeds ``(m,)``.
    """

    rate: float
    speed: Array

    def faded(
        self, begin: Scalar, e: Row, de: Row, offset: Row, slope: Row, h: Scalar
    ) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """Return the offset that is added to the error, and its two derivatives.

        At a start it is the error's opposite, so that the law sees none; then it obeys
        d'' = -2 a d' - a^2 d, by the implicit Euler rule, which is stable for any h.
        """
        a, found = self.rate, list[tuple[Scalar, Scalar, Scalar]]()
        for x, dx, d, w, most in zip(e, de, offset, slope, self.speed, strict=True):
            far = 2.0 * float(most) / a  # from farther away it comes at this speed
            damped = 1.0 + h * a
            after = (w - h * a * a * clamp(d, -far, far)) / (damped * damped)
            acceleration = select(begin, 0.0, (after - w) / h)
            after = select(begin, -dx, after)
            found.append((select(begin, -x, d + h * after), after, acceleration))
        ds, slopes, accelerations = zip(*found, strict=True)
        return settled(ds), settled(slopes), list(accelerations)


def limited(tau: Row, last: Row, most: Array, step: Row) -> tuple[list[Scalar], Scalar, Scalar]:
    """Return torques within limits, and whether torques or their change were limited.

    Args:
        tau: of the law ``(n,)``.
        last: those of the last period ``(n,)``.
        most: largest torques ``(n,)``.
        step: largest changes ``(n,)``.
    """
    inside = [clamp(x, -float(m), float(m)) for x, m in zip(tau, most, strict=True)]
    steps = zip(inside, last, step, strict=True)
    near = [clamp(x, y - s, y + s) for x, y, s in steps]
    return near, _differ(tau, inside), _differ(inside, near)


def _differ(a: Row, b: Row) -> Scalar:
    return either(*(sign(abs(x - y)) for x, y in zip(a, b, strict=True)))
