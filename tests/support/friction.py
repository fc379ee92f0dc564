"""Arms with every term of friction, and the law written out: shared by the tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armdyn import Robot

FIELDS = (
    "viscous", "coulomb", "offset", "load_friction", "stribeck", "stribeck_velocity",
    "root_friction", "rotor_inertia",
)  # fmt: skip


def with_all_terms(robot: Robot, *, rotors: bool = True, most: float = 0.9, seed: int = 0) -> Robot:
    """The robot with friction of every term; every fourth joint has none of the load.

    Args:
        robot: the arm.
        rotors: whether two joints of three have a rotor; else none has.
        most: the largest friction of the load.
        seed: of the numbers.
    """
    rng = np.random.default_rng([seed, robot.n])
    joints = [
        replace(
            joint,
            viscous=rng.uniform(0.1, 0.5), coulomb=rng.uniform(0.5, 1.0), offset=rng.normal(),
            load_friction=rng.uniform(0.0, most) * (i % 4 != 3),
            stribeck=rng.uniform(-0.4, 0.4), stribeck_velocity=rng.uniform(0.05, 0.5),
            root_friction=rng.uniform(-0.2, 0.3),
            rotor_inertia=10.0 ** rng.uniform(-2.0, 1.0) * rotors * (i % 3 != 1),
        )
        for i, joint in enumerate(robot.joints)
    ]  # fmt: skip
    return replace(robot, joints=joints)


def constants(robot: Robot) -> dict[str, np.ndarray]:
    """The numbers of the joints by field."""
    return {name: np.array([getattr(j, name) for j in robot.joints]) for name in FIELDS}


def law(robot: Robot, qd: np.ndarray, load: np.ndarray) -> np.ndarray:
    """The law of friction, written out."""
    F, s = constants(robot), np.sign(qd)
    fading = F["stribeck"] / (1.0 + (qd / np.where(F["stribeck"], F["stribeck_velocity"], 1)) ** 2)
    dry = F["coulomb"] + F["load_friction"] * np.abs(load) + fading
    smooth = F["offset"] + F["viscous"] * qd + F["root_friction"] * np.sqrt(np.abs(qd)) * s
    return smooth + dry * s
