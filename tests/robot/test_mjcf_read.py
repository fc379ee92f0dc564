"""MJCF files: the arm is MuJoCo's own, and what it lacks is told."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn.errors import RobotFileError, RobotWarning
from support.beside import beside
from support.mjcf_texts import TWO_LINKS, differences, mjcf, random_mjcf, without_assets
from support.says import facts, says

INERTIAL = '<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.02 0.02"/>'
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


@pytest.fixture
def model(tmp_path: Path):
    """Write a model to a file."""

    def write(text: str, name: str = "arm.xml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def chain(*bodies: str) -> str:
    """Bodies, each in the one before."""
    return "".join(bodies) + "</body>" * len(bodies)


def link(name: str, joint: str, inside: str = INERTIAL) -> str:
    """A body with a joint, to be closed by `chain`."""
    return f'<body name="{name}" pos="0 0 0.2">{inside}<joint name="{joint}" axis="0 1 0"/>'


def refused(path: Path, **options: object) -> str:
    with pytest.raises(RobotFileError) as error:
        armdyn.load(path, **options)
    return str(error.value)


def notes(path: Path, **options: object) -> str:
    return " ".join(armdyn.load(path, **options).robot.notes)


def test_a_model_is_mujocos(model) -> None:
    arm = armdyn.load(model(TWO_LINKS))
    assert arm.name == "two"
    assert arm.joint_names == ("shoulder", "elbow")
    shoulder, elbow = arm.robot.joints
    assert (shoulder.lower, shoulder.upper, shoulder.rotor_inertia, shoulder.viscous) == (
        -2, 2, 0.1, 0.5,
    )  # fmt: skip
    assert elbow.coulomb == 0.3
    found = differences(arm, mujoco.MjModel.from_xml_string(TWO_LINKS))
    assert found.frames == 3
    assert found.worst() < 1e-14


@pytest.mark.parametrize("seed", range(12))
def test_random_models_are_mujocos(model, seed: int) -> None:
    """All ways to write orientations, joints with anchors, references and several in a body."""
    text = random_mjcf(seed)
    theirs = mujoco.MjModel.from_xml_string(text)
    tip = max(range(theirs.nbody), key=lambda body: _depth(theirs, body))
    arm = armdyn.load(model(text), snap=False, tip=theirs.body(tip).name)
    found = differences(arm.robot, theirs, states=2)
    assert found.frames > 1
    assert found.worst() < 1e-12


def _depth(theirs: mujoco.MjModel, body: int) -> int:
    return 0 if body == 0 else 1 + _depth(theirs, int(theirs.body_parentid[body]))


@pytest.mark.parametrize(
    ("file", "n"),
    [
        ("franka_emika_panda/panda.xml", 7),
        ("kuka_iiwa_14/iiwa14.xml", 7),
        ("trs_so_arm100/so_arm100.xml", 6),
        ("universal_robots_ur5e/ur5e.xml", 6),
    ],
)
def test_published_models_are_mujocos(file: str, n: int) -> None:
    path = beside("data/mjcf", file)
    theirs = without_assets(path)
    exact = armdyn.load(path, snap=False)
    assert exact.n == n
    assert differences(exact.robot, theirs, states=2).worst() < 1e-12
    snapped = differences(armdyn.load(path).robot, theirs, states=1)
    assert snapped.worst() < 7 * 1e-5  # seven angles of SO-ARM100 are written as 1.57079


def test_joints_of_one_body_become_links_without_mass(model) -> None:
    body = (
        '<body name="a"><inertial pos="0 0.1 0" mass="2" diaginertia="0.1 0.1 0.1"/>'
        '<joint name="x" type="slide" axis="1 0 0" ref="0.3"/>'
        '<joint name="yaw" pos="0.1 0 0" ref="0.5"/><joint name="roll" axis="1 0 0"/></body>'
    )
    text = mjcf(body)
    arm = armdyn.load(model(text), snap=False)
    assert [joint.mass for joint in arm.robot.joints] == [0.0, 0.0, 2.0]
    assert [joint.kind for joint in arm.robot.joints] == ["prismatic", "revolute", "revolute"]
    assert "a" in arm.frames
    assert not any("behind" in frame for frame in arm.frames)
    assert differences(arm.robot, mujoco.MjModel.from_xml_string(text)).worst() < 1e-14


def test_a_frozen_joint_stands_at_its_reference(model) -> None:
    finger = (
        '<body name="finger" pos="0 0 0.1"><inertial pos="0.1 0 0" mass="0.2" '
        'diaginertia="0.001 0.001 0.001"/><joint name="grip" axis="1 0 0" ref="0.7"/></body>'
    )
    text = mjcf(chain(link("a", "j1"), link("b", "j2", INERTIAL + finger)))
    path = model(text)
    arm = armdyn.load(path, tip="b", snap=False)
    assert arm.n == 2
    assert "Frozen at `qpos0`" in " ".join(arm.robot.notes)
    assert differences(arm.robot, mujoco.MjModel.from_xml_string(text)).worst() < 1e-14


GRIPPER = chain(
    link("a", "j1"),
    link("hand", "j2"),
) .removesuffix("</body></body>") + (
    '<body name="left"><inertial pos="0 0.1 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>'
    '<joint name="f1" type="slide" axis="0 1 0"/></body>'
    '<body name="right"><inertial pos="0 -0.1 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>'
    '<joint name="f2" type="slide" axis="0 -1 0"/></body></body></body>'
)  # fmt: skip


def test_joints_that_equalities_and_tendons_drive_stand_still(model) -> None:
    more = (
        '<equality><joint joint1="f1" joint2="f2"/></equality>'
        '<tendon><fixed name="split"><joint joint="f1" coef="0.5"/><joint joint="f2" coef="0.5"/>'
        '</fixed></tendon><actuator><motor joint="j1"/><motor name="grip" tendon="split"/>'
        "</actuator>"
    )
    arm = armdyn.load(model(mjcf(GRIPPER, more)))
    assert arm.joint_names == ("j1", "j2")
    told = " ".join(arm.robot.notes)
    assert says(told, "equalities", "tendons")
    assert "'f1 at 0', 'f2 at 0'" in told
    assert says(told, "effort: 'grip'")


def test_a_gripper_can_be_left_out_before_anything_is_checked(model) -> None:
    impossible = GRIPPER.replace("1e-4 1e-4 1e-4", "1e-4 1e-4 9e-4")
    more = '<actuator><motor joint="f1"/></actuator>'
    path = model(mjcf(impossible, more))
    assert "A + B >= C" in refused(path)
    arm = armdyn.load(path, without=["left", "right"])
    assert arm.n == 2
    assert "left" not in arm.frames
    assert says(refused(path, without=["lefd"]), "'lefd'", "'left'")
    assert "`without` leaves it out" in refused(path, without=["left", "right"], tip="left")


def test_limits_of_effort_come_from_actuators(model) -> None:
    bodies = chain(*(link(f"b{k}", f"j{k}") for k in range(6)))
    more = (
        "<actuator>"
        '<motor joint="j0" ctrlrange="-2 2" gear="-10"/>'
        '<position joint="j1" kp="100" ctrlrange="-3 3" forcerange="-40 40"/>'
        '<motor joint="j2" forcerange="-30 50"/>'
        '<motor joint="j3" forcerange="-10 10"/><motor joint="j3" forcerange="-5 5"/>'
        '<position joint="j4" kp="100"/>'
        "</actuator>"
    )
    text = mjcf(bodies.replace('name="j5"', 'name="j5" actuatorfrcrange="-7 7"'), more)
    arm = armdyn.load(model(text))
    assert [joint.effort for joint in arm.robot.joints] == [20, 40, 30, 15, np.inf, 7]
    told = " ".join(arm.robot.notes)
    assert says(told, "effort", "direction", "joints 'j2'")
    assert says(told, "effort limit", "joints 'j4'")


def test_springs_and_other_forces_that_an_arm_lacks_are_told(model) -> None:
    bodies = chain(link("a", "j1"), link("b", "j2"))
    spring = bodies.replace('name="j2"', 'name="j2" stiffness="3" springref="0.4"')
    with pytest.warns(RobotWarning, match=facts("Springs", "'j2'")):
        assert "Springs" in notes(model(mjcf(spring)))
    drag = bodies.replace('name="j2"', 'name="j2" damping="1 0.5"')
    with pytest.warns(RobotWarning, match=facts("Damping", "'j2'")):
        armdyn.load(model(mjcf(drag)))
    tendon = '<tendon><fixed armature="0.1"><joint joint="j1" coef="1"/></fixed></tendon>'
    with pytest.warns(RobotWarning, match=facts("tendons", "'j1'")):
        armdyn.load(model(mjcf(bodies, tendon)))
    loop = '<equality><connect body1="b" anchor="0 0 0"/></equality>'
    with pytest.warns(RobotWarning, match=facts("loops", "<connect>", "b and world")):
        armdyn.load(model(mjcf(bodies, loop)))
    weightless = bodies.replace('name="b"', 'name="b" gravcomp="1"')
    assert says(notes(model(mjcf(weightless))), "Gravity", "`gravcomp`")
    medium = '<option density="1.2"/>'
    assert "drag of a medium" in notes(model(mjcf(bodies, medium)))
    off = '<option><flag gravity="disable" frictionloss="disable"/></option>'
    arm = armdyn.load(model(mjcf(bodies.replace('name="j1"', 'name="j1" frictionloss="2"'), off)))
    assert arm.robot.gravity == (0.0, 0.0, 0.0)
    assert arm.robot.joints[0].coulomb == 0.0
    assert "Switched off by <flag>" in " ".join(arm.robot.notes)


def test_a_gripper_with_springs_and_loops_is_no_reason_to_warn(model) -> None:
    springy = GRIPPER.replace('name="f1"', 'name="f1" stiffness="3"')
    loop = '<equality><connect body1="left" body2="right" anchor="0 0 0"/></equality>'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert armdyn.load(model(mjcf(springy, loop))).n == 2


def test_free_and_ball_joints_are_refused_by_name(model) -> None:
    ball = chain(link("a", "j1"), f'<body name="b">{INERTIAL}<joint name="round" type="ball"/>')
    assert "joint 'round'" in refused(model(mjcf(ball)), tip="b")
    assert "of type 'ball'" in refused(model(mjcf(ball)), tip="b")
    floating = chain(f'<body name="a">{INERTIAL}<freejoint name="float"/>', link("b", "j1"))
    assert "joint 'float'" in refused(model(mjcf(floating)), tip="b")
    assert armdyn.load(model(mjcf(floating)), base="a").n == 1


def test_a_scene_with_other_things_in_it_has_an_arm(model) -> None:
    box = f'<body name="box" pos="1 0 0">{INERTIAL}<freejoint/></body>'
    mocap = '<body name="hand target" mocap="true"/>'
    floor = '<geom type="plane" size="1 1 1"/>'
    weld = '<equality><weld body1="hand target" body2="b"/></equality>'
    text = mjcf(box + mocap + floor + chain(link("a", "j1"), link("b", "j2")), weld)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm = armdyn.load(model(text))
    assert arm.joint_names == ("j1", "j2")


def test_one_of_two_arms_is_chosen_by_base_and_tip(model) -> None:
    arms = chain(link("a1", "l1"), link("a2", "l2")) + chain(link("b1", "r1"), link("b2", "r2"))
    path = model(mjcf(arms))
    assert "Possible tips: 'a2', 'b2'" in refused(path)
    assert armdyn.load(path, tip="b2").joint_names == ("r1", "r2")
    assert "did you mean 'b2'" in refused(path, tip="b22")


MESHED = (
    '<asset><mesh name="m" file="m.obj"/></asset>',
    chain(link("a", "j1"), link("b", "j2", '<geom type="mesh" mesh="m"/>')),
)


def test_meshes_are_needed_only_where_they_tell_masses(model, tmp_path: Path) -> None:
    asset, bodies = MESHED
    visual = bodies.replace(
        '<geom type="mesh" mesh="m"/>', f'{INERTIAL}<geom type="mesh" mesh="m"/>'
    )
    assert armdyn.load(model(mjcf(visual, asset))).n == 2
    message = refused(model(mjcf(bodies, asset)))
    assert says(message, "mass", "'b'")
    assert "'m'" in message
    light = bodies.replace("<geom", '<geom type="box" size="0.1 0.1 0.1"/><geom density="0"')
    assert armdyn.load(model(mjcf(light, asset))).robot.joints[1].mass == pytest.approx(8.0)
    hidden = bodies.replace("<geom", '<geom type="box" size="0.1 0.1 0.1"/><geom group="4"')
    settings = 'angle="radian" inertiagrouprange="0 3"'
    assert armdyn.load(model(mjcf(hidden, asset, settings))).n == 2
    (tmp_path / "m.obj").write_text(TETRAHEDRON)
    arm = armdyn.load(model(mjcf(bodies, asset)), snap=False)
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    assert differences(arm.robot, theirs).worst() < 1e-12


def test_a_mesh_in_another_folder_must_be_permitted(model, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/m.obj").write_text(TETRAHEDRON)
    asset, bodies = MESHED
    path = model(mjcf(bodies, asset, 'angle="radian" meshdir="../meshes"'), "models/arm.xml")
    assert says(refused(path), "outside", "folder")
    assert armdyn.load(path, packages=[tmp_path / "meshes"]).n == 2


@pytest.mark.parametrize(
    "settings",
    [
        'inertiafromgeom="true"',
        'boundmass="3" boundinertia="0.5"',
        'balanceinertia="true"',
        'settotalmass="10"',
    ],
)
def test_settings_of_the_compiler_are_mujocos(
    model, settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log of warnings to the current folder
    odd = '<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.02 0.025"/>'
    if "balance" in settings:
        odd = odd.replace("0.025", "0.09")
    bodies = chain(link("a", "j1"), link("b", "j2", odd + '<geom type="box" size="0.1 0.2 0.1"/>'))
    if "boundmass" not in settings:
        bodies = bodies.replace('name="a"', 'name="a" ')
    text = mjcf(bodies, "", f'angle="radian" {settings}')
    if "inertiafromgeom" in settings:
        text = text.replace(INERTIAL, f'{INERTIAL}<geom type="sphere" size="0.1"/>')
    arm = armdyn.load(model(text), snap=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # `settotalmass` is deprecated
        theirs = mujoco.MjModel.from_xml_string(text)
    assert differences(arm.robot, theirs, states=1).worst() < 1e-12


def test_includes_and_attached_models_are_read(model, tmp_path: Path) -> None:
    model("<mujoco><default><joint armature='0.5'/></default></mujoco>", "parts/defaults.xml")
    bodies = chain(link("a", "j1"), '<body name="end">')
    model(f"<x>{bodies}</x>", "parts/arm_bodies.xml")
    tool = mjcf(chain(link("t", "spin"))).replace("<mujoco>", '<mujoco model="tool">')
    model(tool, "tool.xml")
    main = (
        '<mujoco><include file="parts/defaults.xml"/><asset><model file="tool.xml"/></asset>'
        '<worldbody><include file="parts/arm_bodies.xml"/><body name="bench">'
        '<attach model="tool" body="t" prefix="x_"/></body></worldbody></mujoco>'
    )
    path = model(main)
    arm = armdyn.load(path, tip="end", snap=False)
    assert arm.robot.joints[0].rotor_inertia == 0.5
    assert differences(arm.robot, mujoco.MjModel.from_xml_path(str(path)), states=1).worst() < 1e-14
    assert armdyn.load(path, tip="x_t").joint_names == ("x_spin",)


def test_unnamed_bodies_and_joints_get_names(model) -> None:
    unnamed = chain(
        f'<body>{INERTIAL}<joint axis="0 1 0"/>', f'<body name="b">{INERTIAL}<joint axis="0 1 0"/>'
    )
    arm = armdyn.load(model(mjcf(unnamed)))
    assert arm.joint_names == ("body1_joint", "b_joint")


def test_gravity_is_that_of_the_option(model) -> None:
    arm = armdyn.load(model(mjcf(chain(link("a", "j1")), '<option gravity="1 2 -3"/>')))
    assert arm.robot.gravity == (1.0, 2.0, -3.0)


def test_a_urdf_called_xml_is_still_a_urdf(model) -> None:
    path = model("<mujoco/>")
    assert "no joint moves" in refused(path)
    armdyn.save(armdyn.load("planar2"), path.with_suffix(".urdf"))
    other = path.with_name("other.xml")
    other.write_bytes(path.with_suffix(".urdf").read_bytes())
    assert armdyn.load(other).n == 2
