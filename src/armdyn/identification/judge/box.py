"""The range of positions and speeds that data cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.rows import FilteredSegment, sample
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# The box of positions, speeds and accelerations that a verdict speaks for.

# The box leaves out this share of the positions at either end, and of the highest rates.
POSITIONS = 0.01
RATES = 0.02


@dataclass(frozen=True, eq=False)
class Box:
    """Where the arm moved: a verdict says nothing about motions outside.

    Attributes:
        lower: lowest position of every joint ``(n,)``; 1 % of the samples are below.
        upper: highest position ``(n,)``; 1 % are above.
        speed: highest speed ``(n,)``; 2 % are faster.
        acceleration: highest acceleration ``(n,)``; 2 % are above.
    """

    lower: Array
    upper: Array
    speed: Array
    acceleration: Array

    def states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Return random positions, velocities and accelerations in the box, ``(count, n)`` each."""
        rng = np.random.default_rng(seed)
        unit = rng.uniform(-1.0, 1.0, (3, count, len(self.lower)))
        middle, half = 0.5 * (self.lower + self.upper), 0.5 * (self.upper - self.lower)
        return middle + unit[0] * half, unit[1] * self.speed, unit[2] * self.acceleration

    def words(self, joints: Sequence[Joint]) -> tuple[str, ...]:
        """Return the box as text, a line for each joint."""
        lines: list[str] = []
        for j, joint in enumerate(joints):
            unit = "rad" if joint.is_revolute else "m"
            lines.append(
                f"{joint.name}: {self.lower[j]:.3g} to {self.upper[j]:.3g} {unit}, "
                f"up to {self.speed[j]:.3g} {unit}/s and {self.acceleration[j]:.3g} {unit}/s^2"
            )
        return tuple(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the box as plain data for JSON."""
        return {
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "speed": self.speed.tolist(),
            "acceleration": self.acceleration.tolist(),
        }


def box_of(parts: Sequence[FilteredSegment]) -> Box:
    """Return the box of the data of a fit; its rates are in the band of the fit, without noise."""
    q, qd, qdd = list[Array](), list[Array](), list[Array]()
    for part in parts:
        for x in sample([part]):
            q.append(x.q)
            enough = len(x.q) > 2 * part.band.reach
            qd.append(part.band.rows(x.qd) if enough else x.qd)
            qdd.append(part.band.rows(x.qdd) if enough else x.qdd)
    lower, upper = np.quantile(np.concatenate(q), [POSITIONS, 1.0 - POSITIONS], axis=0)
    speed, acceleration = (
        np.quantile(np.abs(np.concatenate(x)), 1.0 - RATES, axis=0) for x in (qd, qdd)
    )
    return Box(lower, upper, speed, acceleration)


# Residuals over speed: the shape of friction that the model does not cover.

# Speeds below this share of the highest speed are slow; fewer rows than this give no answer.
SLOW = 0.15
FEWEST = 8


def by_speed(result: Result, j: int) -> tuple[Array, Array]:
    """Return velocities of a joint in the rows of the fit, and its residuals there."""
    v = np.concatenate([s.velocity[:, j] for s in result.train])
    rest = np.concatenate([s.residual[:, j] for s in result.train])
    used = np.abs(v) > result.about.dead_band[j]
    return v[used], rest[used]


def slow_excess(result: Result) -> Array:
    """Return the excess of friction at low speeds over the friction of the model, ``(n,)``.

    It is the mean residual against the motion minus twice its standard error, at least 0: the part
    that chance does not explain.
    """
    excess = np.zeros(result.arm.n)
    for j in range(result.arm.n):
        v, rest = by_speed(result, j)
        slow = np.abs(v) < SLOW * np.abs(v).max(initial=0.0)
        if slow.sum() < FEWEST:
            continue
        against = rest[slow] * np.sign(v[slow])
        error = float(against.std(ddof=1)) / np.sqrt(slow.sum() / result.correlation[j])
        excess[j] = max(float(against.mean()) - 2.0 * error, 0.0)
    return excess
