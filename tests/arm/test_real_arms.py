"""Published arms: every method of `Arm` against Pinocchio; and what the arms cost."""

from __future__ import annotations

from pathlib import Path

import pytest

import armdyn
from armdyn.arm.verify import verify
from support.published import published

ARMS = {
    "ur_description/urdf/ur5_robot.urdf": None,
    "panda_description/urdf/panda.urdf": None,
    "kinova_description/robots/kinova.urdf": None,
    "so_arm_description/urdf/so101.urdf": "gripper_frame_link",
    "tiago_description/robots/tiago.urdf": "arm_tool_link",
}
# Files that are also read as they are written are read so only.
SNAPPED = [name for name in ARMS if "kinova" not in name and "so_arm" not in name]
# Files with angles and axes that are rounded, or not quite parallel.
AS_WRITTEN = [
    ("kinova_description/robots/kinova.urdf", False),
    ("so_arm_description/urdf/so101.urdf", False),
]


@pytest.mark.slow  # compiles every method of every arm
@pytest.mark.parametrize(("name", "snap"), [*((name, True) for name in SNAPPED), *AS_WRITTEN])
def test_all_methods_agree_on_a_published_arm(name: str, snap: bool) -> None:
    arm = armdyn.load(published(name), tip=ARMS[name], snap=snap)
    report = verify(arm, n_states=5)
    assert report.passed, report.offenders


def test_snapping_a_rounded_right_angle_saves_a_quarter_of_the_products() -> None:
    """This file writes right angles to ten digits: as they stand they keep dead terms alive."""
    path = published("kinova_description/robots/kinova.urdf")
    snapped, as_written = (armdyn.load(path, snap=s).function("mass_matrix") for s in (True, False))
    assert snapped.operations.mul < 3 / 4 * as_written.operations.mul


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("ur_description/urdf/ur5_robot.urdf", "UR5 takes {}"),
        ("panda_description/urdf/panda.urdf", "Panda\n{}"),
    ],
)
def test_readme_tells_what_real_arms_cost(name: str, claim: str) -> None:
    counted = armdyn.load(published(name)).function("mass_matrix").operations
    readme = Path(__file__).parents[2] / "README.md"
    assert claim.format(counted) in readme.read_text(encoding="utf-8")
