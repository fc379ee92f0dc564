"""Arms as MJCF: MuJoCo agrees with them, and they come back."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn import Joint, Robot
from armdyn.errors import RobotError, RobotFileError, RobotWarning
from armdyn.robot.files import read_robot, write_robot
from support.formats_in_turn import in_turn
from support.mjcf_texts import Reference, differences, random_mjcf
from support.published import PUBLISHED, published
from support.robots import FAMILIES, random_robot
from support.says import facts
from support.urdf_compare import torques

LINK = {"mass": 1.0, "com": (0.2, 0.0, 0.0), "inertia": (0.01, 0.0, 0.0, 0.02, 0.0, 0.02)}


def through(robot: Robot, path: Path) -> Robot:
    """Write a robot and read it back, without the warnings of that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        write_robot(robot, path)
    return read_robot(path)


def torque_error(a: Robot, b: Robot) -> float:
    q, qd, qdd = np.random.default_rng(3).uniform(-2, 2, (3, a.n))
    ours = torques(a, q, qd, qdd)
    return float(np.abs(ours - torques(b, q, qd, qdd)).max() / np.abs(ours).max())


@pytest.mark.parametrize("name", armdyn.robots())
def test_bundled_arms_come_back(name: str, tmp_path: Path) -> None:
    robot = armdyn.load(name).robot
    back = through(robot, tmp_path / "arm.xml")
    assert torque_error(robot, back) < 1e-14
    for old, new in zip(robot.joints, back.joints, strict=True):
        for field in ("name", "kind", "lower", "upper", "velocity", "effort", "rotor_inertia"):
            assert getattr(new, field) == getattr(old, field)


@pytest.mark.parametrize("family", FAMILIES)
def test_random_arms_come_back_and_are_mujocos(family: str, tmp_path: Path) -> None:
    robot = random_robot(family, 4, seed=5)
    path = tmp_path / "arm.xml"
    back = through(robot, path)
    assert torque_error(robot, back) < 1e-13
    model = mujoco.MjModel.from_xml_path(str(path))
    assert differences(back, model, states=1).worst() < 1e-12


@pytest.mark.parametrize("family", FAMILIES)
def test_formats_in_turn_change_nothing(family: str, tmp_path: Path) -> None:
    """URDF -> MJCF -> URDF -> TOML -> URDF, each read by Pinocchio or MuJoCo too."""
    found = in_turn(random_robot(family, 5, seed=8), tmp_path)
    assert found["torques"] < 1e-12
    assert max(found["Pinocchio"], found["MuJoCo"]) < 1e-10


@pytest.mark.parametrize(("name", "base", "tip"), [row[:3] for row in PUBLISHED[::2]])
def test_formats_in_turn_do_not_change_a_published_arm(
    name: str, base: str | None, tip: str | None, tmp_path: Path
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        robot = read_robot(published(name), base=base, tip=tip, snap=False)
    rotors = [replace(j, rotor_inertia=0.1 + k) for k, j in enumerate(robot.joints)]
    found = in_turn(replace(robot, joints=tuple(rotors)), tmp_path)
    assert found["torques"] < 1e-12
    assert max(found["Pinocchio"], found["MuJoCo"]) < 1e-10


def test_every_term_of_friction_and_every_limit_comes_back(tmp_path: Path) -> None:
    drives = {
        "viscous": 0.5, "coulomb": 0.25, "offset": -0.1, "load_friction": 0.1, "stribeck": 0.2,
        "stribeck_velocity": 0.3, "root_friction": 0.05, "rotor_inertia": 0.7, "lower": -1.0,
        "upper": math.inf, "velocity": 2.5, "effort": 40.0,
    }  # fmt: skip
    robot = Robot([Joint(**LINK, **drives), Joint(b=0.4, **LINK)])
    with pytest.warns(RobotWarning, match="MuJoCo has nothing for `load_friction`"):
        write_robot(robot, tmp_path / "arm.xml")
    text = (tmp_path / "arm.xml").read_text()
    assert "<!-- MuJoCo has nothing for `stribeck`" in text
    back = read_robot(tmp_path / "arm.xml")
    for field, value in drives.items():
        assert getattr(back.joints[0], field) == value
    assert back.joints[1].velocity == math.inf


def test_links_without_mass_share_a_body(tmp_path: Path) -> None:
    spherical = [
        Joint(name="yaw"), Joint(beta=math.pi / 2, d=0.1, name="pitch"),
        Joint(beta=-math.pi / 2, kind="prismatic", name="reach", **LINK),
        Joint(b=0.3, name="last", rotor_inertia=0.1),
    ]  # fmt: skip
    robot = Robot(spherical)
    path = tmp_path / "arm.xml"
    back = through(robot, path)
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.nbody == 4  # the world, two links, the tip
    assert model.body_jntnum.tolist() == [0, 3, 1, 0]
    assert torque_error(robot, back) < 1e-12
    assert differences(back, model, states=1).worst() < 1e-12


def test_thin_rods_and_point_masses_are_taken_by_mujoco(tmp_path: Path) -> None:
    rod = {"mass": 1.0, "com": (0.1, 0.0, 0.0)}
    tilted = np.diag([0.0, 0.02, 0.02])
    c, s = math.cos(0.3), math.sin(0.3)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    xx, xy, xz, yy, yz, zz = ((R @ tilted @ R.T)[k] for k in zip(*np.triu_indices(3), strict=True))
    joints = [
        Joint(**rod), Joint(b=0.2, inertia=(0, 0, 0, 0.02, 0, 0.02), **rod),
        Joint(b=0.2, inertia=(xx, xy, xz, yy, yz, zz), **rod),
    ]  # fmt: skip
    robot = Robot(joints)
    assert torque_error(robot, through(robot, tmp_path / "arm.xml")) < 1e-12


def test_a_body_that_cannot_exist_is_refused(tmp_path: Path) -> None:
    with pytest.warns(RobotWarning):
        robot = Robot([Joint(**LINK | {"inertia": (0.01, 0, 0, 0.01, 0, 0.05)})], strict=False)
    with pytest.raises(RobotError, match=facts("'joint1'", "MJCF", "triangle")):
        write_robot(robot, tmp_path / "arm.xml")
    assert not (tmp_path / "arm.xml").exists()
    near = Robot([Joint(**LINK | {"inertia": (0.01, 0, 0, 0.02, 0, 0.03 * (1 + 5e-10))})])
    with pytest.warns(RobotWarning, match=facts("triangle", "5.0e-10")):
        write_robot(near, tmp_path / "arm.xml")
    assert read_robot(tmp_path / "arm.xml").n == 1


def test_names_that_xml_cannot_have_are_refused(tmp_path: Path) -> None:
    robot = Robot([replace(Joint(**LINK), name="a\x01")])
    with pytest.raises(RobotError, match=facts("XML")):
        write_robot(robot, tmp_path / "arm.xml")
    odd = Robot([Joint(**LINK, name='a<b>"&é')], name="x--y")
    assert through(odd, tmp_path / "arm.xml").joints[0].name == 'a<b>"&é'


def test_an_arm_too_long_for_mujoco_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="nested up to"):
        write_robot(Robot([Joint(b=0.1, **LINK)] * 500), tmp_path / "arm.xml")


def test_nothing_is_snapped_when_armdyn_wrote_the_file(tmp_path: Path) -> None:
    robot = Robot([Joint(**LINK), Joint(beta=math.pi / 2 + 3e-6, b=2e-7, **LINK)])
    back = through(robot, tmp_path / "arm.xml")
    assert back.joints[1].beta == pytest.approx(math.pi / 2 + 3e-6, abs=1e-15)
    assert back.joints[1].b == pytest.approx(2e-7, abs=1e-18)


def test_frames_of_a_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(random_mjcf(4))
    robot = read_robot(path, snap=False)
    back = through(robot, tmp_path / "back.xml")
    assert torque_error(robot, back) < 1e-12
    massive = {0, *(k for k, joint in enumerate(robot.joints, 1) if joint.mass)}
    frames = {frame.name: frame for frame in back.frames}
    arms = Reference(robot), Reference(back)
    q = np.linspace(-1, 1, robot.n)
    kept = [frame.name for frame in robot.frames if frame.link in massive]
    assert len(kept) > 5
    assert set(kept) <= set(frames)
    for name in kept[::4]:
        a, b = (arm.pose(q, frame=name) for arm in arms)
        assert np.abs(a - b).max() < 1e-13


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(RobotFileError, match="no folder"):
        write_robot(armdyn.load("planar2").robot, tmp_path / "none" / "arm.xml")
