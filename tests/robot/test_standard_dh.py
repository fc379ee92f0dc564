"""Standard DH: published torques, Pinocchio models made directly in standard DH, exact zeros."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import RobotError, RobotWarning
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.robot.chain import chain_of
from armdyn.robot.joint import Joint
from armdyn.robot.library import random_joint
from armdyn.robot.model import Robot
from armdyn.robot.standard_dh import from_standard_dh
from support.beside import beside
from support.robots import relative_error
from support.says import Said, facts, says

HALF_PI = math.pi / 2


def torques(robot: Robot, q: Any, qd: Any, qdd: Any) -> list[float]:
    return inverse_dynamics(chain_of(robot), list(q), list(qd), list(qdd))  # type: ignore


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    text = beside("data/golden/puma560_standard_dh.json").read_text()
    return json.loads(text)["robots"]["puma560_standard_dh"]


def puma_of(golden: dict[str, Any], parameters: str) -> Robot:
    """The golden links give inertia about the frame's origin and m c: here about the COM and c."""
    masses, coms, inertias = [], [], []
    for row in np.reshape(golden[parameters], (6, 10)):
        xx, xy, xz, yy, yz, zz, *mc, m = (float(x) for x in row)
        c = np.array(mc) / m if m else np.zeros(3)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        I = J - m * (c @ c * np.eye(3) - np.outer(c, c))
        masses.append(m)
        coms.append(c)
        inertias.append(I[np.triu_indices(3)])
    return from_standard_dh(
        [(0.0, d, a, alpha) for alpha, a, d in golden["dh_alpha_a_d"]],
        masses=masses,
        coms=coms,
        inertias=inertias,
        name="puma",
        strict=False,
    )


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
@pytest.mark.parametrize(
    ("parameters", "suffix"), [("dynparm_test", "pcorke"), ("dynparm_test2", "assrt2")]
)
def test_puma_gives_the_published_torques(
    golden: dict[str, Any], parameters: str, suffix: str
) -> None:
    robot = puma_of(golden, parameters)
    q, qd, qdd = (golden[key] for key in ("q_test", "dq_test", "ddq_test"))
    zero = [0.0] * 6
    expected = {key: np.ravel(golden[f"{key}_{suffix}"]) for key in ("tau", "g", "c")}
    g = torques(robot, q, zero, zero)
    assert relative_error(torques(robot, q, qd, qdd), expected["tau"]) < 1e-13
    assert relative_error(g, expected["g"]) < 1e-13
    assert relative_error(np.subtract(torques(robot, q, qd, zero), g), expected["c"]) < 1e-12


def test_puma_tip_is_at_the_published_pose(golden: dict[str, Any]) -> None:
    with pytest.warns(RobotWarning):
        robot = puma_of(golden, "dynparm_test")
    T = np.array(robot.base)
    for j, q in zip(robot.joints, golden["q_test"], strict=True):
        T = T @ step_x(j.beta, j.b) @ step_z(j.theta + q, j.d)
    assert np.abs(T @ np.array(robot.tool) - golden["T_pcorke"]).max() < 1e-14


def step_x(angle: float, length: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def step_z(angle: float, length: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, length], [0, 0, 0, 1.0]])


def random_placement(rng: np.random.Generator) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    T[:3, :3] *= np.linalg.det(T[:3, :3])
    T[:3, 3] = rng.normal(size=3)
    return T


def random_columns(rng: np.random.Generator, n: int, right_angles: bool) -> dict[str, Any]:
    kinds = ["prismatic" if rng.random() < 0.4 else "revolute" for _ in range(n)]
    links = [random_joint(rng, False) for _ in range(n)]
    angle = rng.choice([0.0, HALF_PI, -HALF_PI, math.pi], n) if right_angles else None
    alpha = rng.uniform(-3, 3, n) if angle is None else angle
    return {
        "rows": np.column_stack([rng.uniform(-1, 1, (n, 3)), alpha]),
        "kinds": kinds,
        "masses": [j.mass for j in links],
        "coms": [j.com for j in links],
        "inertias": [j.inertia for j in links],
        "rotor_inertias": rng.uniform(0, 1, n),
        "gravity": rng.normal(size=3) * 5,
        "base": random_placement(rng),
        "tool": random_placement(rng),
    }


def pinocchio_in_standard_dh(columns: dict[str, Any]) -> Any:
    """Joint i sits in standard frame i-1, its body in frame i: nothing here is modified DH."""
    model = pin.Model()
    model.gravity.linear = np.array(columns["gravity"])
    parent, placement = 0, pin.SE3(columns["base"])
    for i, (theta, d, a, alpha) in enumerate(columns["rows"]):
        kind = columns["kinds"][i]
        joint = pin.JointModelRZ() if kind == "revolute" else pin.JointModelPZ()
        parent = model.addJoint(parent, joint, placement, f"joint{i + 1}")
        far_end = pin.SE3(step_z(theta, d) @ step_x(alpha, a))
        xx, xy, xz, yy, yz, zz = columns["inertias"][i]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        body = pin.Inertia(columns["masses"][i], np.array(columns["coms"][i]), tensor)
        model.appendBodyToJoint(parent, body, far_end)
        placement = far_end
    tip = pin.Frame("tip", parent, placement * pin.SE3(columns["tool"]), pin.FrameType.OP_FRAME)
    model.addFrame(tip)
    model.armature = np.array(columns["rotor_inertias"])
    return model


@pytest.mark.parametrize("right_angles", [False, True])
@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize("seed", range(4))
def test_random_arms_match_pinocchio_in_standard_dh(n: int, seed: int, right_angles: bool) -> None:
    rng = np.random.default_rng([seed, n, right_angles])
    columns = random_columns(rng, n, right_angles)
    robot = from_standard_dh(**columns)
    model = pinocchio_in_standard_dh(columns)
    data = model.createData()
    q, qd, qdd = rng.uniform(-2, 2, (3, n))
    expected = pin.rnea(model, data, q, qd, qdd)
    assert relative_error(torques(robot, q.tolist(), qd.tolist(), qdd.tolist()), expected) < 1e-12
    pin.framesForwardKinematics(model, data, q)
    T = np.array(robot.base)
    for j, qi in zip(robot.joints, q, strict=True):
        turn, slide = (qi, 0.0) if j.is_revolute else (0.0, qi)
        T = T @ step_x(j.beta, j.b) @ step_z(j.theta + turn, j.d + slide)
    assert np.abs(T @ np.array(robot.tool) - data.oMf[-1].homogeneous).max() < 1e-12


def test_first_joint_has_no_twist_and_right_angles_leave_no_residue() -> None:
    robot = from_standard_dh(
        [(0.0, 0.1, 0.0, HALF_PI), (0.0, 0.0, 0.3, -HALF_PI), (0.2, 0.0, 0.0, HALF_PI)],
        masses=[1.0, 2.0, 3.0],
        coms=[(0.0, 0.2, 0.0), (-0.1 - 0.2, 0.0, -0.5), (0.0, 0.0, -0.1)],
        inertias=[(0.1, 0.0, 0.0, 0.2, 0.0, 0.25), (0.3, 0.02, 0.0, 0.3, 0.0, 0.4), (0.0,) * 6],
    )
    first, second, third = robot.joints
    assert (first.beta, first.b) == (0.0, 0.0)
    assert (second.beta, second.b, third.beta, third.b) == (HALF_PI, 0.0, -HALF_PI, 0.3)
    assert first.com == (0.0, 0.0, 0.2)
    assert first.inertia == (0.1, 0.0, 0.0, 0.25, 0.0, 0.2)
    assert second.com == (0.0, -0.5, 0.0)  # -0.1 - 0.2 + 0.3 is 5e-17 in floats
    assert second.inertia == (0.3, 0.0, -0.02, 0.4, 0.0, 0.3)
    assert robot.tool == ((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1))
    every = [x for j in robot.joints for x in (*j.com, *j.inertia)] + list(np.ravel(robot.tool))
    assert not any(math.copysign(1.0, x) < 0 for x in every if x == 0.0)


def test_columns_that_frames_do_not_touch_are_passed_on() -> None:
    robot = from_standard_dh(
        [(0.1, 0.2, 0.3, 0.4), (0.5, 0.6, 0.7, 0.8)],
        kinds=["prismatic", "revolute"],
        rotor_inertias=[1, 2], viscous=[3, 4], coulomb=[5, 6], offsets=[7, -8], lower=[-1, -2],
        upper=[1, 2], velocity=[3, 4], effort=[5, 6], names=["slide", "turn"], name="two",
    )  # fmt: skip
    joint = robot.joints[1]
    assert [j.kind for j in robot.joints] == ["prismatic", "revolute"]
    assert (joint.theta, joint.d, joint.beta, joint.b) == (0.5, 0.6, 0.4, 0.3)
    assert (joint.rotor_inertia, joint.viscous, joint.coulomb, joint.offset) == (2, 4, 6, -8)
    assert (joint.lower, joint.upper, joint.velocity, joint.effort) == (-2, 2, 4, 6)
    assert (joint.name, robot.name) == ("turn", "two")


ROW = (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"rows": []}, "`rows` is empty"),
        ({"rows": 5}, ("`rows`", "5", "(theta, d, a, alpha)")),
        ({"rows": [1.0, 2.0]}, "expected rows (theta, d, a, alpha)"),
        ({"rows": [ROW, ROW[:3]]}, "`rows[1]` has 3 entries, expected 4"),
        ({"rows": [(0, 0, "x", 0)]}, "`rows[0]`: `a` is 'x', expected a number"),
        ({"rows": [(0, 0, 0, math.nan)]}, ("`rows[0]`", "`alpha`", "nan")),
        ({"masses": [1.0]}, ("`masses`", "1", "2")),
        ({"masses": 1.0}, "`masses` is 1.0, expected 2 entries"),
        ({"kinds": ["revolute", "R"]}, ("1", "`kind`", "'R'")),
        ({"coms": [(0, 0, 0), (0, 0)]}, ("1", "`com`", "2")),
        ({"masses": [1.0, -1.0]}, ("`mass`", "-1")),
        ({"inertias": [(1,) * 6, (0,) * 6]}, ("'joint1'", "`mass`", "`inertia`")),
        ({"tool": np.eye(3)}, "`tool` has shape (3, 3)"),
        ({"base": 2 * np.eye(4)}, "`base` is not a placement"),
    ],
)
def test_wrong_input_is_named(arguments: dict[str, Any], fragment: Said) -> None:
    with pytest.raises(RobotError) as error:
        from_standard_dh(**{"rows": [ROW, ROW], **arguments})
    assert says(error.value, fragment)


DEGREES = [(0.0, 0.4, 0.0, 90.0), (-90.0, 0.0, 0.5, 0.0), (0.0, 0.1, 0.0, 0.0)]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (DEGREES, r"degrees=True.*`rows\[0\]`: `alpha` is 90; `rows\[1\]`: `theta` is -90"),
        ([(0, 0, 0, 0), (0, 0, 0.3, 22.5)], r"degrees=True.*`rows\[1\]`: `alpha` is 22.5"),
        ([(0, 0, 0, 0), (7, 0, 0.3, 0)], r"degrees=True.*`rows\[1\]`: `theta` is 7\b"),
    ],
)
def test_degrees_are_not_taken_for_radians(rows: list, said: str) -> None:
    with pytest.raises(RobotError, match=said):
        from_standard_dh(rows)
    with pytest.warns(RobotWarning, match="degrees, expected radians") as caught:
        robot = from_standard_dh(rows, strict=False)
    assert len(caught) == 1 and robot.joints[1].theta == rows[1][0]


def test_degrees_that_are_told_are_converted() -> None:
    limits = {"lower": [-180.0, -90.0, -0.2], "upper": [180.0, math.inf, 0.3]}
    robot = from_standard_dh(
        DEGREES, kinds=["revolute", "revolute", "prismatic"], velocity=[90.0, 45.0, 2.0],
        degrees=True, **limits,
    )  # fmt: skip
    assert [joint.beta for joint in robot.joints] == [0.0, math.pi / 2, 0.0]
    assert robot.joints[1].theta == -math.pi / 2
    assert [joint.lower for joint in robot.joints] == [-math.pi, -math.pi / 2, -0.2]
    assert [joint.upper for joint in robot.joints] == [math.pi, math.inf, 0.3]
    assert [joint.velocity for joint in robot.joints] == [math.pi / 2, math.pi / 4, 2.0]
    with pytest.raises(RobotError, match=facts("0", "`lower`", "'x'")):
        from_standard_dh([ROW], lower=["x"], degrees=True)


@pytest.mark.parametrize("angle", [math.pi, 2 * math.pi, -3 * math.pi, 6.0, -5.5, 1.5708, 17.3])
def test_radians_are_not_taken_for_degrees(angle: float) -> None:
    robot = from_standard_dh([(angle, 0.0, 0.1, angle), (0.0, 0.0, 0.2, angle)])
    assert (robot.joints[0].theta, robot.joints[1].beta) == (angle, angle)


def test_joints_in_degrees_are_refused(tmp_path) -> None:
    joints = [Joint(mass=1.0), Joint(beta=90.0, b=0.1), Joint(theta=-45.0)]
    said = r"joint 'joint2': `beta` is 90, which is math.radians\(90\).*'joint3': `theta` is -45"
    with pytest.raises(RobotError, match=said):
        Robot(joints)
    with pytest.warns(RobotWarning, match=said):
        robot = Robot(joints, strict=False)
    # a file of it is read back, with one warning
    armdyn.save(armdyn.Arm(robot), tmp_path / "arm.toml")
    with pytest.warns(RobotWarning, match=said) as caught:
        again = armdyn.load(tmp_path / "arm.toml").robot
    assert again == robot and len(caught) == 1


def test_loose_reading_warns_once() -> None:
    with pytest.warns(RobotWarning, match="joint1") as caught:
        from_standard_dh([ROW], inertias=[(1.0,) * 6], strict=False)
    assert len(caught) == 1
