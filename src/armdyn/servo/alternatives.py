"""Other explanations of a log, by likelihood: signs and order of joints, controllers, commands.

A wrong sign or a wrong order of joints can leave a fit that looks usable, so both are tried always.
An I term or gravity fed forward removes gravity from the servo error, and a command that is not the
goal of the servos adds an error that wanders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product

import numpy as np

from armdyn.arrays import Array
from armdyn.numerics import ratio
from armdyn.servo.model import Model
from armdyn.servo.rows import Flags, Rows
from armdyn.servo.solve import solve

# An explanation that is this much more likely is the better one [nats]: 20000 times. On the logs of
# `benchmarks/servo.py` wrong readings lose by more, and right ones win by hundreds.
DECISIVE = 10.0

# All signs and orders are tried of up to this many joints that carry weight; of more, single signs,
# all signs, and exchanges of two joints.
ALL_ORDERS = 3

# Times of an I term that are tried [s]; a wrong one by a factor of 1.6 still wins clearly.
INTEGRAL_TIMES = (0.2, 0.5, 1.2, 3.0)

# The neighbours of a row lie within the first time, and beyond the second [s].
NEARBY, APART = 3.0, 0.5

# Share of the variance of residuals that their neighbours in time predict, if a command wanders.
WANDERS = 0.5


@dataclass(frozen=True, eq=False)
class Reading:
    """Another meaning of the columns of a log.

    Attributes:
        source: the column that holds each joint.
        sign: of each joint's column ``(n,)``.
        gain: log-likelihood above that of the log as named [nats].
    """

    source: tuple[int, ...]
    sign: Array
    gain: float

    @property
    def flipped(self) -> tuple[int, ...]:
        """The joints whose signs are turned, from 0."""
        return tuple(np.flatnonzero(self.sign < 0.0).tolist())

    @property
    def moved(self) -> tuple[int, ...]:
        """The joints that are held by other columns, from 0."""
        return tuple(j for j, column in enumerate(self.source) if j != column)


def readings(n: int, loaded: Flags) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Yield other sources and signs of the joints that carry weight."""
    joints: list[int] = np.flatnonzero(loaded).tolist()
    same = tuple(range(n))
    few = len(joints) <= ALL_ORDERS
    sizes = range(1, len(joints) + 1) if few else (1, len(joints))
    for size in sizes:
        for turned in combinations(joints, size):
            sign = np.ones(n)
            sign[list(turned)] = -1.0
            yield same, sign
    if few:
        orders = [order for order in permutations(joints) if order != tuple(joints)]
    else:
        orders = list[tuple[int, ...]]()
        for a, b in combinations(range(len(joints)), 2):
            order = list(joints)
            order[a], order[b] = order[b], order[a]
            orders.append(tuple(order))
    for order in orders:
        yield _source(n, joints, order), np.ones(n)


def _source(n: int, joints: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Return the columns of all joints if those of some are in an order."""
    source = list(range(n))
    for joint, column in zip(joints, order, strict=True):
        source[joint] = column
    return tuple(source)


def combined_readings(n: int, loaded: Flags) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Yield other orders together with other signs of the joints that carry weight, if few."""
    joints: list[int] = np.flatnonzero(loaded).tolist()
    if len(joints) > ALL_ORDERS:
        return
    for order in permutations(joints):
        for size in range(1, len(joints) + 1) if order != tuple(joints) else ():
            for turned in combinations(joints, size):
                sign = np.ones(n)
                sign[list(turned)] = -1.0
                yield _source(n, joints, order), sign


def tried_readings(
    make: Callable[[Rows], Model], rows: Rows, loaded: Flags, likelihood: float
) -> list[Reading]:
    """Return all other readings, the most likely first.

    If one is decisive, orders are tried together with signs, too.

    Args:
        make: makes the model of some rows.
        rows: of the joints that carry weight.
        loaded: these joints ``(n,)``.
        likelihood: of the rows as named.
    """

    def tried(source: tuple[int, ...], sign: Array) -> Reading:
        other = solve(make(rows.read_as(source, sign)), polish=False)
        return Reading(source, sign, other.likelihood - likelihood)

    made = [tried(*reading) for reading in readings(len(loaded), loaded)]
    if max((reading.gain for reading in made), default=0.0) > DECISIVE:
        made += [tried(*reading) for reading in combined_readings(len(loaded), loaded)]
    return sorted(made, key=lambda reading: -reading.gain)


def exchanges_with_weightless(
    make: Callable[[Rows], Model], rows: Rows, loaded: Flags, likelihood: float
) -> list[Reading]:
    """Return readings in which a joint that carries weight is exchanged with one that does not.

    Args:
        make: makes the model of some rows.
        rows: of all joints.
        loaded: the joints that carry weight ``(n,)``.
        likelihood: of the rows as named.
    """
    made, n = list[Reading](), len(loaded)
    for a, b in product(np.flatnonzero(loaded).tolist(), np.flatnonzero(~loaded).tolist()):
        source = _source(n, (a, b), (b, a))
        other = solve(make(rows.read_as(source, np.ones(n))), polish=False)
        made.append(Reading(source, np.ones(n), other.likelihood - likelihood))
    return made


def integral_gain(model: Model, start: Array, likelihood: float) -> tuple[float, float]:
    """Return the gain of the most likely I term [nats], and its time [s].

    A servo with an I term of time T makes k (e + integral of e / T): the sum takes the place of e.
    """
    best = (-np.inf, 0.0)
    for time in INTEGRAL_TIMES:
        rows = replace(model.rows, error=model.rows.error + model.rows.integral / time)
        other = solve(replace(model, rows=rows), start, polish=False)
        best = max(best, (other.likelihood - likelihood, time))
    return best


def weightless_gain(model: Model, start: Array, likelihood: float) -> float:
    """Return the gain [nats] if servo errors carry no gravity at all."""
    none = replace(model, columns=np.zeros_like(model.columns))
    return solve(none, start, polish=False).likelihood - likelihood


def wandering_share(model: Model, x: Array, joint: int) -> float:
    """Return the share of the variance of a joint's residuals that neighbours in time predict."""
    mine = (model.rows.joint == joint) & model.rows.moving
    r = model.residuals(x)[mine]
    t, episode = model.rows.time[mine], model.rows.episode[mine]
    apart = np.abs(t[:, None] - t)
    near = (apart < NEARBY) & (apart > APART) & (episode[:, None] == episode)
    count = near.sum(axis=1)
    some = count >= 3
    if some.sum() < 20:
        return 0.0
    sums = np.asarray(near.astype(np.float64) @ r, np.float64)
    left = r[some] - sums[some] / count[some]
    return 1.0 - float(ratio(left @ left, r[some] @ r[some], 1.0))
