"""Minimal parameters of links and of the rotors of coupled drives.

The rotor of drive i turns with the acceleration a_i of the drive, a = K^-T qdd, and loads its
torque alone: J_i a_i. Between the joints that is the full matrix K^-1 diag(J) K^-T, which no arm
describes. So the rotors are added here to the minimal parameters of the links: a rotor whose
column is a combination of columns before it is part of their values, any other one is a parameter
of its own.
"""

from __future__ import annotations

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.fit.columns import STATES
from armdyn.numerics import RANK, ROUNDING


class CoupledMinimal:
    """Minimal parameters of links and coupled rotors; replaces those of the arm in `Model`."""

    rotor = True

    def __init__(self, arm: Arm, coupling: Array) -> None:
        self._links, self._arm = arm.minimal, arm
        self._from_drives = np.linalg.inv(coupling)
        own, joined = self._sorted(arm)
        self._own = own
        k, n = len(self._links), arm.n
        self.matrix: Array = np.zeros((k + len(own), 11 * n))
        self.matrix[:k, : 10 * n] = self._links.matrix
        self.matrix[:, 10 * n :] = joined
        revolute = [arm.robot.joints[j].is_revolute for j in own]
        self.names: tuple[str, ...] = (*self._links.names, *(f"Jm{j + 1}" for j in own))
        self.units: tuple[str, ...] = (
            *self._links.units,
            *("kg m^2" if turns else "kg" for turns in revolute),
        )

    @property
    def values(self) -> Array:
        """The values of the arm as described, ``(k,)``."""
        rotors = [joint.rotor_inertia for joint in self._arm.robot.joints]
        return self.matrix @ np.concatenate([self._arm.parameters, rotors])

    @property
    def invisible(self) -> tuple[object, ...]:
        """Link parameters that no torque determines."""
        return self._links.invisible

    def regressor(self, q: Array, qd: Array, qdd: Array, *, out: Array | None = None) -> Array:
        """Return the torques of the joints ``(N, n, k)`` for a unit of every parameter."""
        k = len(self._links)
        Y = np.empty((len(q), self._arm.n, len(self.names))) if out is None else out
        Y[..., :k] = self._links.regressor(q, qd, qdd)
        Y[..., k:] = self._rotors(qdd)[..., self._own]
        return Y

    def to_parameters(self, values: Array, near: Array) -> Array:
        """Return link and rotor parameters ``(11n,)`` that have the given values."""
        k, n = len(self._links), self._arm.n
        own = 10 * n + np.array(self._own, dtype=np.int64)
        x = near.copy()
        x[own] += values[k:] - self.matrix[k:] @ x
        rotors = self.matrix[:k, 10 * n :] @ x[10 * n :]
        x[: 10 * n] = self._links.to_parameters(values[:k] - rotors, near=near[: 10 * n])
        return x

    def expression(self, name: str) -> str:
        """Return the definition of a parameter."""
        at = self.names.index(name)
        links = f"{self._links.expression(name)}" if at < len(self._links) else f"{name}: a rotor"
        more = [
            f"{factor:+.4g} Jm_{j + 1}"
            for j, factor in enumerate(self.matrix[at, 10 * self._arm.n :])
            if abs(factor) > ROUNDING
        ]
        return f"{links}; with rotors of coupled drives: {' '.join(more)}" if more else links

    def __len__(self) -> int:
        return len(self.names)

    def _rotors(self, qdd: Array) -> Array:
        """Return the torques of the joints ``(N, n, n)`` for a unit of every rotor."""
        return self._from_drives * (qdd @ self._from_drives)[:, None, :]

    def _sorted(self, arm: Arm) -> tuple[list[int], Array]:
        """Return the rotors with a parameter of their own, and the rotor part of the matrix."""
        rng = np.random.default_rng(0)
        q, qd, qdd = rng.uniform(-2.0, 2.0, (3, STATES * arm.n, arm.n))
        Y = self._links.regressor(q, qd, qdd)
        known, own = Y.reshape(-1, Y.shape[2]), list[int]()
        rotors = self._rotors(qdd).reshape(-1, arm.n)
        combinations: list[Array] = []
        for j in range(arm.n):
            size = np.linalg.norm(known, axis=0)
            Q, R = np.linalg.qr(known / size)
            along = Q.T @ rotors[:, j]
            left = rotors[:, j] - Q @ along
            if np.linalg.norm(left) > RANK * np.linalg.norm(rotors[:, j]):
                combinations.append(np.eye(known.shape[1] + 1)[-1])
                known = np.column_stack([known, rotors[:, j]])
                own.append(j)
            else:
                factors = np.linalg.solve(R, along) / size
                small = np.abs(factors * size) <= RANK * np.linalg.norm(rotors[:, j])
                combinations.append(np.where(small, 0.0, factors))
        joined = np.zeros((known.shape[1], arm.n))
        for j, column in enumerate(combinations):
            joined[: len(column), j] = column
        return own, joined
