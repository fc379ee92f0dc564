"""The same robot in Pinocchio, an independent library, to compare with.

The model is made from the description alone (`Robot`), not from the constants our algorithms read,
so that a mistake on the way to those constants shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.errors import MissingExtraError
from armdyn.robot import Joint, Robot


def import_pinocchio() -> Any:
    """Return the module, or raise an error that says how to get it."""
    try:
        import pinocchio  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
    except ImportError:
        raise MissingExtraError("pin", "verify", "the comparison with Pinocchio") from None
    return pinocchio  # pyright: ignore[reportUnknownVariableType]


def pinocchio_model(robot: Robot) -> Any:
    """Return Pinocchio's model of the robot: gravity and rotor inertia included, friction not."""
    pin = import_pinocchio()
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    parent = 0
    placement = pin.SE3(np.array(robot.base))
    for joint in robot.joints:
        placement = placement * _fixed_part(pin, joint)
        kind = pin.JointModelRZ() if joint.is_revolute else pin.JointModelPZ()
        parent = model.addJoint(parent, kind, placement, joint.name)
        xx, xy, xz, yy, yz, zz = joint.inertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        body = pin.Inertia(joint.mass, np.array(joint.com), tensor)
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
        placement = pin.SE3.Identity()
    model.armature = np.array([j.rotor_inertia for j in robot.joints])
    return model


def _fixed_part(pin: Any, joint: Joint) -> Any:
    """Return Rx(beta) Tx(b) Rz(theta) Tz(d); the motion about or along z comes after it."""
    x, z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    about_x = pin.SE3(pin.AngleAxis(joint.beta, x).toRotationMatrix(), joint.b * x)
    about_z = pin.SE3(pin.AngleAxis(joint.theta, z).toRotationMatrix(), joint.d * z)
    return about_x * about_z
