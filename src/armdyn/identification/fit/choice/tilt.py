"""A tilt of gravity: the base of an arm is not quite as described.

A mount that is tilted by one degree loads the first joint, which carries nothing else, with some
per cent of the torque of the second. If the data show such a tilt clearly, gravity of the arm is
turned, and the arm is fitted again. Something else may look like a tilt in one part of a log, so
both halves of the data must agree on it, and it must exceed its own scatter between blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.blocks import Blocks
from armdyn.identification.fit.choice.evidence import Evidence, Relevant
from armdyn.identification.fit.choice.wide import TILT
from armdyn.identification.fit.gravity import tilts
from armdyn.numerics import scaled_inverse

# Halves agree if their tilts differ by at most this share of the tilt.
AGREEMENT = 0.5
# The square of the tilt in standard deviations, by the jackknife over blocks.
SIGNIFICANT = 16.0
# A larger tilt [rad] is no tilt: the description is of another mount.
MOST = np.radians(15.0)


@dataclass(frozen=True, eq=False)
class Tilt:
    """By how much gravity is turned.

    Attributes:
        change: of gravity in the base frame ``(3,)``, which keeps its size [m/s^2].
        links: natural parameters ``(10n,)`` of the links that it was found with.
        angle: [rad].
        deviation: standard deviation of the angle [rad].
        halves: angles between the described gravity and that of either half of the data [rad].
        errors: relative errors of the torques without it and with it.
    """

    change: Array
    links: Array
    angle: float
    deviation: float
    halves: tuple[float, float]
    errors: tuple[float, float]


def tilt_of(
    evidence: Evidence, found: Relevant, blocks: Blocks, gravity: Array, links: Array
) -> Tilt | None:
    """Return the tilt in a fit; None if there is none, or it is not the same everywhere.

    Args:
        evidence: makes fits.
        found: a fit.
        blocks: its rows.
        gravity: as described ``(3,)``.
        links: natural parameters that the columns of the tilt were made with.
    """
    group = next((g for g in found.groups if g.what == TILT), None)
    if group is None:
        return None
    at = list(group.columns)
    c: Array = found.values[at]
    angle = float(np.linalg.norm(c))
    total, count = blocks.squares.sum(axis=0), blocks.count
    middle = count // 2
    halves = (slice(0, middle), slice(middle, count))
    first, second = (
        evidence.like(found, 2.0 * blocks.squares[half].sum(axis=0)).values[at] for half in halves
    )
    without = np.array([evidence.like(found, total - one).values[at] for one in blocks.squares])
    off = without - without.mean(axis=0)
    scatter: Array = (count - 1) / count * off.T @ off
    sure = float(c @ scaled_inverse(scatter) @ c)
    if (
        angle > MOST
        or sure < SIGNIFICANT
        or float(np.linalg.norm(first - second)) > AGREEMENT * angle
    ):
        return None
    along: Array = c / angle
    angles = (float(np.linalg.norm(first)), float(np.linalg.norm(second)))
    new = gravity + c @ tilts(gravity)
    change = new * (np.linalg.norm(gravity) / np.linalg.norm(new)) - gravity
    bar = float(np.sqrt(along @ scatter @ along))
    plain = evidence.fit([g for g in found.groups if g is not group], found)
    errors = (evidence.error(plain), evidence.error(found))
    return Tilt(change, links, angle, bar, angles, errors)
