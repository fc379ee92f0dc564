"""URDFs read here give the numbers that Pinocchio gives for the same file."""

from __future__ import annotations

import site
from pathlib import Path

import pinocchio as pin
import pytest

from armdyn.robot.urdf import parse_urdf, read_urdf
from urdf.compare import errors, random_urdf

EXACT = 1e-11
SNAPPED = 1e-4

# file, base, tip (None: the default), the link at which poses are compared, joints
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


@pytest.mark.parametrize(("name", "base", "tip", "end", "count"), PUBLISHED)
def test_published_arm_matches_pinocchio(
    name: str, base: str | None, tip: str | None, end: str, count: int
) -> None:
    path = published(name)
    model = pin.buildModelFromUrdf(str(path))
    as_written = read_urdf(path, base=base, tip=tip, snap=False)
    assert as_written.n == count
    found = errors(as_written, model, end, base)
    assert max(found.values()) < EXACT, found
    found = errors(read_urdf(path, base=base, tip=tip), model, end, base)
    assert max(found.values()) < SNAPPED, found


@pytest.mark.parametrize("seed", range(12))
def test_random_chain_matches_pinocchio(seed: int) -> None:
    """Skew, parallel, antiparallel, meeting, coincident and right axes, revolute and prismatic."""
    for n in (1, 2, 3, 5, 8):
        text = random_urdf(n, seed)
        model = pin.buildModelFromXML(text)
        for snap in (False, True):
            robot = parse_urdf(text, tip="tip", snap=snap)
            found = errors(robot, model, "tip", seeds=[seed])
            assert max(found.values()) < EXACT, (n, snap, found)


def test_only_sliding_joints_match_pinocchio() -> None:
    for seed in range(8):
        text = random_urdf(4, seed, prismatic=1.0)
        found = errors(parse_urdf(text, tip="tip"), pin.buildModelFromXML(text), "tip")
        assert max(found.values()) < EXACT, found


def test_nearly_parallel_axes_lose_no_more_than_their_angle() -> None:
    """Their common normal is far away; taking it at any price would cost all digits."""
    for angle in (1e-13, 1e-9, 3e-6, 9e-6, 1.1e-5, 1e-4, 1e-2):
        text = PAIR.format(angle=angle)
        robot = parse_urdf(text, snap=False)
        found = errors(robot, pin.buildModelFromXML(text), "c")
        assert max(found.values()) < (1.1e-5 if angle < 1e-5 else 1e-15 / angle**2 + 1e-12), found
        said = any("rad from parallel" in note for note in robot.notes)
        assert said == (1e-12 < angle < 1e-3), robot.notes


BODY = """<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.2" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>"""
PAIR = f"""<robot name="pair">
<link name="a"/><link name="b">{BODY}</link><link name="c">{BODY}</link>
<joint name="1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<origin rpy="1.1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="2" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
<origin xyz="0.4 0.2 0.1" rpy="0 {{angle}} 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
