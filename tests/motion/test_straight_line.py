"""Straight lines of the tip: on the line, within limits, and plain words where it cannot be."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn import Arm, InputError, UnreachedError
from armdyn.motion.straight_line import StraightLine
from support.identification import example_robot
from support.poses import turned
from support.says import Said, facts

PUMA = [0.3, -0.5, 3.0, 0.3, 0.8, 0.2]
UR5 = [0.3, -1.0, 1.2, 0.3, 0.8, 0.2]
PANDA = [0.1, -0.7, 0.3, -2.0, 0.2, 1.8, 0.5]


def arm_and_start(name: str) -> tuple[Arm, np.ndarray]:
    if name == "puma560":
        return armdyn.load("puma560"), np.array(PUMA)
    if name == "ur5":
        return armdyn.load(example_robot("ur_description/urdf/ur5_robot.urdf")), np.array(UR5)
    panda = example_robot("panda_description/urdf/panda.urdf")
    return armdyn.load(panda, tip="panda_link8"), np.array(PANDA)


def moved(T: np.ndarray, shift: list[float], angle: float = 0.0) -> np.ndarray:
    goal = T.copy()
    goal[:3, 3] += shift
    goal[:3, :3] = goal[:3, :3] @ turned([0.2, -0.5, 0.7], angle)
    return goal


@pytest.mark.parametrize("name", ["puma560", "ur5", "panda"])
@pytest.mark.parametrize("angle", [0.0, 0.6])
def test_tip_moves_straight_and_turns_about_one_axis(name: str, angle: float) -> None:
    arm, start = arm_and_start(name)
    first = arm.pose(start)
    goal = moved(first, [0.05, -0.1, 0.08], angle)
    line = StraightLine(arm, start, goal, speed=0.2, acceleration=0.8)
    _, q, _, _ = line.sample(500.0)
    T = arm.pose(q)
    way = T[:, :3, 3] - first[:3, 3]
    along = (goal[:3, 3] - first[:3, 3]) / np.linalg.norm(goal[:3, 3] - first[:3, 3])
    assert np.abs(way - np.outer(way @ along, along)).max() < 1e-6
    assert np.abs(T[-1] - goal).max() < 1e-8 and np.abs(q[0] - start).max() == 0.0
    # how far it has turned is how far it has moved
    share = way @ along / (way[-1] @ along)
    cosine = (np.einsum("kij,ij->k", T[:, :3, :3], first[:3, :3]) - 1) / 2
    assert np.abs(np.arccos(np.clip(cosine, -1, 1)) - share * angle).max() < 1e-6
    axis = goal[:3, :3] @ first[:3, :3].T - (goal[:3, :3] @ first[:3, :3].T).T
    between = T[:, :3, :3] @ first[:3, :3].T
    cross = np.cross(_vee(between - np.swapaxes(between, 1, 2)), _vee(axis[None]))
    assert np.abs(cross).max() < 1e-6
    assert line.deviation < 1e-6


def _vee(A: np.ndarray) -> np.ndarray:
    return np.stack([A[:, 2, 1], A[:, 0, 2], A[:, 1, 0]], axis=1)


def test_speed_and_acceleration_of_the_tip_are_kept_and_reached() -> None:
    arm, start = arm_and_start("puma560")
    line = StraightLine(arm, start, moved(arm.pose(start), [0.1, -0.1, 0.1]), speed=0.1)
    t, q, qd, qdd = line.sample(2000.0)
    J = arm.jacobian(q)
    speed = np.linalg.norm(np.einsum("kij,kj->ki", J[:, :3], qd), axis=1)
    assert speed.max() == pytest.approx(0.1, rel=1e-6)
    gained = np.einsum("kij,kj->ki", J[:, :3], qdd)
    gained += np.einsum("kij,kj->ki", arm.jacobian_derivative(q, qd)[:, :3], qd)
    assert np.linalg.norm(gained, axis=1).max() == pytest.approx(1.0, rel=1e-6)
    slope = np.gradient(q, t, axis=0)[1:-1]
    assert np.abs(slope - qd[1:-1]).max() < 2e-3
    assert not qd[[0, -1]].any()


def test_turning_counts_where_it_takes_longer() -> None:
    arm, start = arm_and_start("puma560")
    goal = moved(arm.pose(start), [0.0, 0.0, 0.0], 0.5)
    slow = StraightLine(arm, start, goal, turning_speed=0.1, shape="quintic")
    assert slow.duration == pytest.approx(0.5 * 1.875 / 0.1)
    _, q, qd, _ = slow.sample(100.0)
    w = np.einsum("kij,kj->ki", arm.jacobian(q)[:, 3:], qd)
    assert np.linalg.norm(w, axis=1).max() == pytest.approx(0.1, rel=1e-4)


def test_limits_of_the_joints_slow_the_motion_down() -> None:
    arm, start = arm_and_start("puma560")
    goal = moved(arm.pose(start), [0.05, -0.1, 0.08])
    quick = StraightLine(arm, start, goal)
    slow = StraightLine(arm, start, goal, velocity=0.05, joint_acceleration=0.5)
    assert slow.duration > 2 * quick.duration
    _, _, qd, qdd = slow.sample(3000.0)
    assert np.abs(qd).max() <= 0.05 * (1 + 1e-6) and np.abs(qdd).max() <= 0.5 * (1 + 1e-6)
    with pytest.raises(InputError, match=facts("limits", "motion takes")):
        StraightLine(arm, start, goal, velocity=0.05, duration=quick.duration)


def test_line_out_of_reach_says_where_it_ends() -> None:
    arm, start = arm_and_start("puma560")
    with pytest.raises(UnreachedError, match=r"at \d+\.\d% of the straight line") as caught:
        StraightLine(arm, start, moved(arm.pose(start), [1.0, 0.0, 0.0]))
    assert caught.value.position > 1e-3 and len(caught.value.q) == 6


def test_joint_limit_on_the_way_ends_the_line() -> None:
    arm, start = arm_and_start("puma560")
    start[5] = 4.0  # the last joint ends at 4.64
    goal = arm.pose(start)
    goal[:3, :3] = goal[:3, :3] @ turned([0.0, 0.0, 1.0], 1.5)
    with pytest.raises(UnreachedError, match=r"at 4\d.\d% of the straight line") as caught:
        StraightLine(arm, start, goal)
    assert caught.value.q[5] == pytest.approx(arm.robot.joints[5].upper)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"speed": 0.0}, "`speed` is 0.0"),
        ({"velocity": [1.0]}, "`velocity`"),
        ({"tolerance": -1.0}, "`tolerance`"),
        ({"start": [0.0]}, "`start` has shape (1,)"),
        ({"start": [9.0, 0, 0, 0, 0, 0]}, "outside its limits"),
        ({"pose": np.eye(3)}, "`pose` has shape (3, 3)"),
        ({"pose": None}, "`pose` is None"),
        ({"arm": "puma560"}, "expected an armdyn.Arm"),
        ({"duration": 1e-3}, ("limits", "motion takes")),
    ],
)
def test_bad_input_is_refused(change: dict[str, object], words: Said) -> None:
    arm, start = arm_and_start("puma560")
    given = {"arm": arm, "start": start, "pose": moved(arm.pose(start), [0.0, 0.1, 0.0])}
    with pytest.raises(InputError, match=facts(words)):
        StraightLine(**{**given, **change})  # pyright: ignore[reportArgumentType]


def test_no_motion_is_an_error() -> None:
    arm, start = arm_and_start("puma560")
    with pytest.raises(InputError, match="at the `pose` already"):
        StraightLine(arm, start, arm.pose(start))
