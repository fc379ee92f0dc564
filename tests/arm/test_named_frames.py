"""Frames by the names of a robot's file: where they are, how they move, and that they last."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import InputError, Joint, Robot, RobotError
from armdyn.robot.model import IDENTITY, NamedFrame
from support.published import published
from support.says import facts
from support.urdf_compare import pin_configuration
from support.urdf_texts import ARM, fixed, joint, links

ROUNDING = 1e-12


def peer(model: pin.Model, q: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Pose and Jacobian of a frame by Pinocchio; of links and joints with one name, the link."""
    data = model.createData()
    given = pin_configuration(model, q)
    pin.computeJointJacobians(model, data, given)
    pin.updateFramePlacements(model, data)
    found = [k for k, frame in enumerate(model.frames) if frame.name == name]
    body = [k for k in found if model.frames[k].type == pin.FrameType.BODY]
    k = (body or found)[0]
    J = pin.getFrameJacobian(model, data, k, pin.LOCAL_WORLD_ALIGNED)
    return data.oMf[k].homogeneous, J


ARMS = [
    ("ur_description/urdf/ur5_robot.urdf", None, None),
    ("panda_description/urdf/panda.urdf", None, "panda_link8"),
    ("kinova_description/robots/kinova.urdf", None, None),
    ("xarm_description/urdf/xarm7.urdf", None, None),
    ("z1_description/urdf/z1.urdf", None, None),
    ("so_arm_description/urdf/so100.urdf", None, None),
    ("so_arm_description/urdf/so101.urdf", None, None),
]


@pytest.mark.parametrize(("name", "base", "tip"), ARMS)
def test_every_frame_of_a_file_is_where_pinocchio_has_it(
    name: str, base: str | None, tip: str | None
) -> None:
    path = published(name)
    arm = armdyn.load(path, base=base, tip=tip, snap=False)
    model = pin.buildModelFromUrdf(str(path))
    others = [model.getJointId(n) for n in model.names[1:] if n not in arm.joint_names]
    model = pin.buildReducedModel(model, others, pin.neutral(model)) if others else model
    q = np.random.default_rng(1).uniform(-1, 1, arm.n)
    known = {frame.name for frame in model.frames} - {"universe"}
    assert known <= {*arm.frames, *arm.joint_names}
    chosen = [arm.frames[k] for k in np.linspace(0, len(arm.frames) - 1, 3).astype(int)]
    for frame in {*chosen, arm.joint_names[2]} & known:
        T, J = peer(model, q, frame)
        assert np.abs(arm.pose(q, frame=frame) - T).max() < 1e-11, frame
        assert np.abs(arm.jacobian(q, frame=frame) - J).max() < 1e-11, frame
    for frame in arm.robot.frames:  # the rest by the description alone
        T = np.array(frame.placement)
        if frame.link:
            T = arm.pose(q, frame=frame.link) @ T
        assert np.abs(peer(model, q, frame.name)[0] - T).max() < 1e-11, frame.name


@pytest.fixture
def arm(tmp_path: Path) -> armdyn.Arm:
    """An arm with a link beside it, a frozen finger, and a base on a mount."""
    more = (
        links("mount", "camera", "finger") + fixed("m", "mount", "base")
        + fixed("c", "a", "camera") + joint("g", "b", "finger", "prismatic")
    )  # fmt: skip
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.replace("</robot>", more + "</robot>"))
    return armdyn.load(path, base="base", tip="tool")


def test_frames_are_those_of_links_and_joints(arm: armdyn.Arm) -> None:
    joints = ("j1", "j2", "tool_joint", "m", "c", "g")
    assert set(arm.frames) == {"mount", "base", "a", "b", "tool", "camera", "finger", *joints}
    q = np.array([0.3, -0.4])
    assert np.array_equal(arm.pose(q, frame="base"), np.eye(4))
    assert arm.pose(q, frame="mount")[2, 3] == pytest.approx(-0.4, abs=1e-15)
    assert np.allclose(arm.pose(q, frame="tool"), arm.pose(q), atol=1e-15)
    assert np.array_equal(arm.pose(q, frame="j2"), arm.pose(q, frame="b"))
    assert np.array_equal(arm.pose(q, frame="camera"), arm.pose(q, frame="c"))
    assert not arm.jacobian(q, frame="base").any()
    J = arm.jacobian(q, frame="camera")
    assert J[5, 0] == 1.0 and not J[:, 1].any()


def test_derivative_and_inverse_take_the_names(arm: armdyn.Arm) -> None:
    q, qd, h = np.array([0.3, -0.4]), np.array([0.7, 0.2]), 1e-6
    for frame in ("finger", "j2", "camera"):
        dJ = arm.jacobian_derivative(q, qd, frame=frame)
        ahead, behind = (arm.jacobian(q + s * h * qd, frame=frame) for s in (1, -1))
        assert np.abs(dJ - (ahead - behind) / (2 * h)).max() < 1e-8
    found = arm.inverse_kinematics(arm.pose(q, frame="finger"), q + 0.1, frame="finger")
    assert np.abs(found - q).max() < 1e-6
    f = arm.function("pose", frame="finger")
    assert f is arm.function("pose", frame="finger")
    assert f(np.stack([q, q])).shape == (2, 4, 4)


def test_numbers_stay_frames_of_the_description(arm: armdyn.Arm) -> None:
    q = np.array([0.3, -0.4])
    assert not np.allclose(arm.pose(q, frame=2), arm.pose(q, frame="j2"))
    assert np.allclose(arm.pose(q, frame=2)[:3, 2], arm.pose(q, frame="j2")[:3, 1], atol=1e-15)
    plain = armdyn.load("planar2")
    assert plain.frames == ()
    assert np.array_equal(plain.pose(q, frame="joint2"), plain.pose(q, frame=2))


def test_frames_last_in_files_copies_and_changes(arm: armdyn.Arm, tmp_path: Path) -> None:
    q = np.array([0.3, -0.4])
    for name in ("again.urdf", "again.toml"):
        armdyn.save(arm, tmp_path / name)
        again = armdyn.load(tmp_path / name)
        assert set(again.frames) == set(arm.frames)
        for frame in arm.frames:
            off = np.abs(again.pose(q, frame=frame) - arm.pose(q, frame=frame)).max()
            assert off < ROUNDING, (name, frame)
        assert np.abs(again.pose(q) - arm.pose(q)).max() < ROUNDING
    assert pickle.loads(pickle.dumps(arm)).frames == arm.frames
    assert armdyn.Arm(arm.robot.with_joints(arm.robot.joints)).frames == arm.frames


def test_frames_decide_no_code(arm: armdyn.Arm) -> None:
    plain = armdyn.Arm(Robot(arm.robot.joints, arm.robot.gravity, arm.robot.base, arm.robot.tool))
    for quantity in ("mass_matrix", "pose"):
        assert plain.function(quantity).program == arm.function(quantity).program


def test_unknown_frame_proposes_near_ones(arm: armdyn.Arm) -> None:
    with pytest.raises(InputError, match=facts("`frame`", "'finge'", "finger")) as caught:
        arm.pose([0.0, 0.0], frame="finge")
    assert caught.value.argument == "frame"
    with pytest.raises(InputError, match=facts("0 to 2")):
        arm.jacobian([0.0, 0.0], frame=3)


def test_frames_of_a_robot_are_checked() -> None:
    frame = NamedFrame("a", 1, IDENTITY)
    assert Robot([Joint(mass=1.0)], frames=[frame]).frames == (frame,)
    for wrong, words in (
        ([frame, frame], "'a' twice"),
        ([NamedFrame("a", 2, IDENTITY)], "of links 0 to 1"),
        ([3], "NamedFrame objects"),
        (3, "NamedFrame objects"),
    ):
        with pytest.raises(RobotError, match=words):
            Robot([Joint(mass=1.0)], frames=wrong)  # type: ignore[arg-type]
