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
from armdyn.excitation.limits import Limits
from armdyn.minimal.parameters import MinimalParameters

# Penalty for a torque above its limit, per parameter, for an excess of 100 % of the limit: more
# than any motion gains by it.
PENALTY = 20.0

# Score of a motion that does not determine all parameters. Any other motion is better.
SINGULAR_SCORE = -1e12

# Memory [bytes] for the regressors that are evaluated together.
MEMORY = 2**25

# Random states that scale the columns.
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
        self.arm, self.base, self.torque, self._noise = arm, base, limits.torque, noise[:, None]
        Y = base.regressor(*limits.random_states(STATES)) / self._noise
        size = np.sqrt(np.mean(np.sum(Y**2, axis=1), axis=0))
        self._weights = 1.0 / (self._noise * np.where(size > 0.0, size, 1.0))

    def scores(self, states: Array, every: int = 1, share: float = 1.0) -> Array:
        """Return log determinants of scaled information minus torque penalties, ``(P,)``.

        Args:
            states: of motions, ``(3, P, M, n)``, for the torques.
            every: the information is that of every so many points.
            share: of the limits of torque that may be used.
        """
        each = states[0, 0, ::every].size * len(self.base) * 8
        step = max(1, MEMORY // each)
        parts = [states[:, i : i + step] for i in range(0, states.shape[1], step)]
        return np.concatenate([self._scores(part, every, share) for part in parts])

    def _scores(self, states: Array, every: int, share: float) -> Array:
        sign, logdet = np.linalg.slogdet(self.scaled(states[:, :, ::every]))
        scores = np.where((sign > 0.0) & np.isfinite(logdet), logdet, SINGULAR_SCORE)
        over = np.maximum(0.0, self.effort(states) - share).sum(axis=1)
        return scores - PENALTY * len(self.base) * over

    def scaled(self, states: Array) -> Array:
        """Return information per sample, ``(P, k, k)``, in units of the size of the columns."""
        P, M = states.shape[1:3]
        rows = (self.base.regressor(*states) * self._weights).reshape(P, -1, len(self.base))
        return np.swapaxes(rows, 1, 2) @ rows / M

    def effort(self, states: Array) -> Array:
        """Return the largest torques of the described arm, relative to their limits, ``(P, n)``."""
        return np.abs(self.arm.inverse_dynamics(*states)).max(axis=1) / self.torque

    def precision(self, states: Array, samples: float) -> tuple[Array, float, float]:
        """Return the precision of parameters from a recording, by states ``(3, N, n)`` of it.

        Args:
            states: at any number of points of the motion.
            samples: number of samples of the recording.

        Returns:
            Standard deviations ``(k,)``, the log determinant of the information matrix, and the
            condition number of the weighted columns, each of length 1.
        """
        Y = (self.base.regressor(*states) / self._noise).reshape(-1, len(self.base))
        size = np.linalg.norm(Y, axis=0)
        R = np.linalg.qr(Y / size, mode="r")
        size = size * np.sqrt(samples / states.shape[1])
        std = np.linalg.norm(np.linalg.inv(R), axis=1) / size
        log_det = 2.0 * float(np.sum(np.log(np.abs(np.diag(R)))) + np.sum(np.log(size)))
        singular = np.linalg.svd(R, compute_uv=False)
        return std, log_det, float(singular[0] / singular[-1])
