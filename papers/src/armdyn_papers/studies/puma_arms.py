"""PUMAs for [Mata2002] section 5.2, which prints no inertias, and ways to hold them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm, load
from armdyn.robot import Joint

Inertias: TypeAlias = Literal["rotors", "no rotors", "recalled"]
Elbow: TypeAlias = Literal["up", "down"]

ROBOT = "puma560"

# The paper does not print the position of the tip on the last link: this is a usual flange [m].
TIP = 0.05625
# The share of the link in the bundled rotor inertia of joint 1 [kg m^2].
LINK_1 = 0.35

RECALLED = (
    (10.521, (0.0, 0.0, -0.054), (1.612, 1.612, 0.5091)),
    (15.781, (0.140, 0.0, 0.0), (0.4898, 8.0783, 8.2672)),
    (8.767, (0.0, -0.197, 0.0), (3.3768, 0.3009, 3.3768)),
    (1.052, (0.0, 0.0, -0.057), (0.181, 0.181, 0.1273)),
    (1.052, (0.0, -0.007, 0.0), (0.0735, 0.1273, 0.0735)),
    (0.351, (0.0, 0.0, 0.019), (0.0071, 0.0071, 0.0141)),
)
"""Mass [kg], centre of mass [m] and principal inertias [kg m^2] of the links.

They are recalled of a textbook that the paper cites, J. Angeles, Fundamentals of Robotic Mechanical
Systems (1997), and turned into the frames of the bundled arm. The book was not at hand, and no
public source with these numbers was found: take them as a guess.
"""

# Near the postures with the shoulder on this side; up is the one that the joint limits allow.
POSTURES: dict[Elbow, NDArray[np.float64]] = {
    "up": np.deg2rad([-20.0, -68.0, 214.0, -23.0, -59.0, -167.0]),
    "down": np.deg2rad([-20.0, 54.0, -29.0, 22.0, 66.0, 171.0]),
}


def arm_of(inertias: Inertias) -> Arm:
    """Return the PUMA with its tip on the flange and a set of inertias."""
    return _arm_of(inertias)


@cache
def _arm_of(inertias: str) -> Arm:
    robot = load(ROBOT).robot
    tool = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, TIP), (0.0, 0.0, 0.0, 1.0))
    # postures are chosen here, not by the limits
    joints = [replace(joint, lower=-np.inf, upper=np.inf) for joint in robot.joints]
    return Arm(replace(robot, joints=SETS[inertias](joints), tool=tool))


def _with_rotors(joints: list[Joint]) -> list[Joint]:
    return joints


def _without_rotors(joints: list[Joint]) -> list[Joint]:
    kept = [LINK_1, *[0.0] * (len(joints) - 1)]
    return [replace(joint, rotor_inertia=x) for joint, x in zip(joints, kept, strict=True)]


def _recalled(joints: list[Joint]) -> list[Joint]:
    return [
        replace(joint, mass=m, com=c, inertia=(x, 0.0, 0.0, y, 0.0, z), rotor_inertia=0.0)
        for joint, (m, c, (x, y, z)) in zip(joints, RECALLED, strict=True)
    ]


SETS = {"rotors": _with_rotors, "no rotors": _without_rotors, "recalled": _recalled}
