"""Long arms and Pinocchio's answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from armdyn import Robot
from armdyn.arm.pinocchio import pinocchio_model

ROLLED = (
    "mass_matrix", "inverse_dynamics", "bias", "gravity", "forward_dynamics", "inverse_mass_matrix",
)  # fmt: skip
"""The quantities that sweeps along the joints compute."""


def with_drives(robot: Robot, seed: int) -> Robot:
    """The robot with a rotor and friction of all kinds at every joint."""
    rng = np.random.default_rng(seed)
    numbers = rng.uniform(0.05, 0.6, (robot.n, 4))
    joints = [
        replace(joint, rotor_inertia=a, viscous=b, coulomb=c, offset=-d)
        for joint, (a, b, c, d) in zip(robot.joints, numbers.tolist(), strict=True)
    ]
    return Robot(joints, gravity=robot.gravity, base=robot.base, tool=robot.tool, name=robot.name)


def pinocchio(robot: Robot, quantity: str, state: dict[str, np.ndarray]) -> np.ndarray:
    model = pinocchio_model(robot)
    return asked(model, model.createData(), quantity, state)


def asked(
    model: pin.Model, data: pin.Data, quantity: str, state: dict[str, np.ndarray]
) -> np.ndarray:
    q, qd, qdd, tau = (state.get(name) for name in ("q", "qd", "qdd", "tau"))
    match quantity:
        case "gravity":
            return pin.computeGeneralizedGravity(model, data, q)
        case "bias":
            return pin.nonLinearEffects(model, data, q, qd)
        case "inverse_dynamics":
            return pin.rnea(model, data, q, qd, qdd)
        case "forward_dynamics":
            return pin.aba(model, data, q, qd, tau)
        case _:
            rule = pin.crba if quantity == "mass_matrix" else pin.computeMinverse
            upper = np.triu(rule(model, data, q))
            return upper + np.triu(upper, 1).T
