"""How much information a motion gives about the parameters.

Torques tau = Y w with independent errors of standard deviation sigma_j determine w with the
covariance (sum Y' diag(sigma)^-2 Y)^-1, the inverse of the information matrix. A D-optimal motion
maximises the determinant of the information matrix. This determinant predicts the error of
identified models far better than the condition number does.
"""

from __future__ import annotations

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.exciting.limits import Limits
from armdyn.identification.exciting.series import Motions
from armdyn.minimal.parameters import MinimalParameters

# Penalty for a torque above its limit, per parameter, for an excess of 100 % of the limit.
PENALTY = 20.0

# Score of a motion that does not determine all parameters. Any other motion is better.
NOTHING = -1e12

# Memory [bytes] for the regressors that are evaluated together.
MEMORY = 2**25

STATES = 500


class Information:
    """Information matrices of motions."""

    def __init__(self, arm: Arm, base: MinimalParameters, limits: Limits, noise: Array) -> None:
        """Prepare the weights of rows and columns.

        Args:
            arm: the arm, for torques.
            base: the parameters to find.
            limits: limits of torque, and the ranges of the random states that scale columns.
            noise: standard deviations of the torques, ``(n,)``.
        """
        self.arm, self.base, self.torque = arm, base, limits.torque
        rng = np.random.default_rng(0)
        q = rng.uniform(limits.lower, limits.upper, (STATES, arm.n))
        qd = rng.uniform(-limits.velocity, limits.velocity, (STATES, arm.n))
        qdd = rng.uniform(-limits.acceleration, limits.acceleration, (STATES, arm.n))
        Y = base.regressor(q, qd, qdd) / noise[:, None]
        size = np.sqrt(np.mean(np.sum(Y**2, axis=1), axis=0))
        self.size = np.where(size > 0.0, size, 1.0)
        self._weights = 1.0 / (noise[:, None] * self.size)

    def scores(self, motions: Motions, more: Motions | None = None, share: float = 1.0) -> Array:
        """Return log determinants of scaled information minus torque penalties, ``(P,)``.

        Args:
            motions: whose information is taken.
            more: the same motions at more points, for the torques.
            share: of the limits of torque that may be used.
        """
        each = motions.q[0].size * len(self.base) * 8
        step = max(1, MEMORY // each)
        parts = [
            self._scores(motions[i : i + step], (more or motions)[i : i + step], share)
            for i in range(0, len(motions.q), step)
        ]
        return np.concatenate(parts)

    def _scores(self, motions: Motions, more: Motions, share: float) -> Array:
        sign, logdet = np.linalg.slogdet(self.scaled(motions))
        scores = np.where(sign > 0.0, logdet, NOTHING)
        over = np.maximum(0.0, self.effort(more) - share).sum(axis=1)
        return np.where(np.isfinite(scores), scores, NOTHING) - PENALTY * len(self.base) * over

    def scaled(self, motions: Motions) -> Array:
        """Return information per sample, ``(P, k, k)``, of parameters in units of 1 / `size`."""
        Y = self.base.regressor(motions.q, motions.qd, motions.qdd) * self._weights
        P, M = motions.q.shape[:2]
        rows = Y.reshape(P, -1, len(self.base))
        return np.swapaxes(rows, 1, 2) @ rows / M

    def effort(self, motions: Motions) -> Array:
        """Return the largest torques of the described arm, relative to their limits, ``(P, n)``."""
        tau = self.arm.inverse_dynamics(motions.q, motions.qd, motions.qdd)
        return np.abs(tau).max(axis=1) / self.torque
