"""How near an arm comes to what it must stay clear of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.exciting.geometry.space import Space


@dataclass(frozen=True)
class Clearance:
    """The smallest clearance between two things during a motion.

    Attributes:
        distance: between the capsules of links, or a capsule and a plane [m]; negative in contact.
        between: names of the two.
        time: when it is smallest [s].
    """

    distance: float
    between: tuple[str, str]
    time: float


def closest(space: Space, t: Array, q: Array) -> tuple[Clearance, ...]:
    """Return the smallest clearance of every contact at times ``(N,)``, the smallest first."""
    found = space.clearances(q)
    if not found.shape[1]:
        return ()
    at, least = np.argmin(found, axis=0), found.min(axis=0)
    return tuple(
        Clearance(float(least[k]), space.contacts[k].names, float(t[at[k]]))
        for k in map(int, np.argsort(least, kind="stable"))
    )
