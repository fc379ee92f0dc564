"""Answers of Pinocchio for arms on a base in motion."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from armdyn import Robot
from armdyn.arm.pinocchio import pinocchio_model


def base_motion(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A random acceleration and velocity of a base, six numbers each."""
    acceleration, velocity = np.random.default_rng([seed, 41]).uniform(-3, 3, (2, 6))
    return acceleration, velocity


def on_base(
    robot: Robot,
    state: dict[str, np.ndarray],
    acceleration: np.ndarray,
    velocity: np.ndarray,
) -> dict[str, np.ndarray]:
    """Inverse dynamics, bias and forward dynamics, without friction.

    Those of a free-flyer whose motion is given: its six rates are the base velocity, and their
    rates the base acceleration.
    """
    model = pinocchio_model(robot, free_base=True)
    data = model.createData()
    q, qd, qdd, tau = (state[k] for k in ("q", "qd", "qdd", "tau"))
    placed, rates = np.array([0.0] * 6 + [1.0, *q]), np.concatenate([velocity, qd])

    def torques(accelerations: np.ndarray) -> np.ndarray:
        given = np.concatenate([acceleration, accelerations])
        return pin.rnea(model, data, placed, rates, given)[6:].copy()

    bias = torques(np.zeros(robot.n))
    M = np.column_stack([torques(unit) - bias for unit in np.eye(robot.n)])
    return {
        "inverse_dynamics": torques(qdd),
        "bias": bias,
        "forward_dynamics": np.linalg.solve((M + M.T) / 2, tau - bias),
    }
