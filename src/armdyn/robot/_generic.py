"""Generic arms: robots with no special geometry, on which operation counts are measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armdyn._checks import checked_seed, checked_whole
from armdyn.robot._joint import Joint
from armdyn.robot._robot import Robot

# Arms of up to 500 joints are supported; operation counts also cover somewhat longer ones. A larger
# number of joints is taken to be a mistake.
MOST_JOINTS = 2000


def generic(n: int, type: int = 1, seed: int = 0) -> Robot:
    """Return an arm of n joints with no constant equal to zero, one or another constant.

    Twists, lengths, offsets, masses, centres of mass, inertias and the direction of gravity are
    random. theta of a revolute joint and d of a prismatic joint are zero, since the zero of a joint
    variable is arbitrary.

    Args:
        n: number of joints, up to 2000.
        type: 1 for all joints rotational, 2 for joint 3 translational (the papers' Types 1 and 2).
        seed: of the random numbers.

    Examples:
        >>> robot = armdyn.generic(6, type=2)
        >>> [joint.kind for joint in robot.joints][1:4]
        ['revolute', 'prismatic', 'revolute']
    """
    n, seed = checked_whole(n, "n", 1, MOST_JOINTS), checked_seed(seed)
    what = "1 (all rotational) or 2 (joint 3 slides)"
    type = checked_whole(type, "type", 1, 2, what=what)
    rng = np.random.default_rng(seed)
    joints = [random_joint(rng, prismatic=type == 2 and i == 3) for i in range(1, n + 1)]
    joints = [j if j.is_revolute else replace(j, d=0.0) for j in joints]
    g = rng.uniform(0.3, 1.0, 3) * rng.choice([-1.0, 1.0], 3)
    return Robot(joints, gravity=tuple(9.81 * g / np.linalg.norm(g)), name=f"generic{n}-type{type}")


def random_joint(rng: np.random.Generator, prismatic: bool) -> Joint:
    """Return a joint with a random link; it is made of point masses, so its inertia is possible."""
    sign = rng.choice([-1.0, 1.0], 4)
    beta = float(sign[0] * rng.uniform(0.3, 1.2))
    b, d = (float(x) for x in sign[1:3] * rng.uniform(0.1, 0.6, 2))
    theta = float(sign[3] * rng.uniform(0.3, 1.2)) if prismatic else 0.0
    points = rng.uniform(-0.2, 0.3, (5, 3))
    masses = rng.uniform(0.2, 1.5, 5)
    m = float(masses.sum())
    c = masses @ points / m
    r = points - c
    I = sum(
        (mk * (rk @ rk * np.eye(3) - np.outer(rk, rk)) for mk, rk in zip(masses, r, strict=True)),
        np.zeros((3, 3)),
    )
    xx, xy, xz, yy, yz, zz = (float(I[k]) for k in zip(*np.triu_indices(3), strict=True))
    return Joint(
        kind="prismatic" if prismatic else "revolute",
        beta=beta, b=b, theta=theta, d=d, mass=m,
        com=(float(c[0]), float(c[1]), float(c[2])), inertia=(xx, xy, xz, yy, yz, zz),
    )  # fmt: skip
