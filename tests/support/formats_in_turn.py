"""An arm through all formats in turn; every file is read by another program too."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

from armdyn.robot.files import read_robot, write_robot
from armdyn.robot.model import Robot
from support.mjcf_texts import differences
from support.robots import relative_error
from support.urdf_compare import errors, torques

FILES = ("a.urdf", "b.xml", "c.urdf", "d.toml", "e.urdf")


def in_turn(robot: Robot, folder: Path) -> dict[str, float]:
    """Write and read an arm as `FILES`, one after the other.

    Returns the largest relative change of torques, and differences from Pinocchio and MuJoCo.
    """
    found = {"torques": 0.0, "Pinocchio": 0.0, "MuJoCo": 0.0}
    q, qd, qdd = np.random.default_rng(robot.n).uniform(-2, 2, (3, robot.n))
    expected, now = torques(robot, q, qd, qdd), robot
    for name in FILES:
        path = folder / name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write_robot(now, path)
            now = read_robot(path, strict=False)
        change = relative_error(torques(now, q, qd, qdd), expected)
        found["torques"] = max(found["torques"], change)
        if path.suffix == ".urdf":
            model = pin.buildModelFromUrdf(str(path))
            worst = max(errors(now, model, _tip(now), seeds=(0,)).values())
            found["Pinocchio"] = max(found["Pinocchio"], worst)
        elif path.suffix == ".xml":
            model = mujoco.MjModel.from_xml_path(str(path))
            worst = differences(now, model, states=1).worst()
            found["MuJoCo"] = max(found["MuJoCo"], worst)
    return found


def _tip(robot: Robot) -> str:
    """The name of a link at the tip."""
    ends = [frame.name for frame in robot.frames if frame.link == robot.n]
    at = {frame.name: np.array(frame.placement) for frame in robot.frames}
    joints = {joint.name for joint in robot.joints}
    fixed = [name for name in ends if name not in joints and not name.endswith("joint")]
    return min(fixed, key=lambda name: np.abs(at[name] - np.array(robot.tool)).max())
