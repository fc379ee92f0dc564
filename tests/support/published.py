"""Published URDF files."""

from __future__ import annotations

import site
from pathlib import Path

import pytest

PUBLISHED = [
    ("ur_description/urdf/ur5_robot.urdf", None, None, "wrist_3_link", 6),
    ("ur_description/urdf/ur5_robot.urdf", None, "tool0", "tool0", 6),
    ("ur_description/urdf/ur10_robot.urdf", None, "ee_link", "ee_link", 6),
    ("ur_description/urdf/ur3_gripper.urdf", None, None, "wrist_3_link", 6),
    ("panda_description/urdf/panda.urdf", None, None, "panda_hand", 7),
    ("panda_description/urdf/panda.urdf", None, "panda_rightfinger", "panda_rightfinger", 7),
    ("panda_description/urdf/panda.urdf", None, "panda_leftfinger", "panda_leftfinger", 8),
    ("kinova_description/robots/kinova.urdf", None, None, "j2s6s200_link_6", 6),
    ("xarm_description/urdf/xarm7.urdf", None, None, "link_eef", 7),
    ("z1_description/urdf/z1.urdf", None, None, "gripperMover", 7),
    ("so_arm_description/urdf/so100.urdf", None, None, "jaw", 6),
    ("so_arm_description/urdf/so101.urdf", None, "gripper_frame_link", "gripper_frame_link", 5),
    ("talos_data/robots/talos_left_arm.urdf", None, None, "gripper_left_motor_double_link", 7),
    (
        "talos_data/robots/talos_reduced.urdf", "torso_2_link", "gripper_right_base_link",
        "gripper_right_base_link", 7,
    ),
    ("baxter_description/urdf/baxter.urdf", None, "left_gripper", "left_gripper", 7),
    ("tiago_description/robots/tiago.urdf", None, "arm_tool_link", "arm_tool_link", 8),
    ("romeo_description/urdf/romeo.urdf", "torso", "l_wrist", "l_wrist", 7),
]  # fmt: skip


def published(name: str) -> Path:
    for folder in site.getsitepackages():
        path = Path(folder, "cmeel.prefix/share/example-robot-data/robots", name)
        if path.exists():
            return path
    pytest.skip(f"{name} is not installed: pip install example-robot-data")
