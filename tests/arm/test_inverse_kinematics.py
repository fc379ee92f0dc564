"""Inverse kinematics: reachable poses are reached, others end with a clear answer."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import armdyn
from armdyn import Arm, InputError, Joint, Robot, UnreachedError
from armdyn.kinematics.poses import rotation_vectors
from support.identification import example_robot
from support.poses import turned
from support.says import Said, facts

ARMS = ("puma560", "ur5", "panda", "stanford", "scara", "generic7")


def named(name: str) -> Arm:
    if name == "ur5":
        return armdyn.load(example_robot("ur_description/urdf/ur5_robot.urdf"))
    if name == "panda":
        path = example_robot("panda_description/urdf/panda.urdf")
        return armdyn.load(path, tip="panda_link8")
    return Arm(armdyn.generic(7)) if name == "generic7" else armdyn.load(name)


def random_positions(arm: Arm, count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    low = [max(joint.lower, -np.pi) for joint in arm.robot.joints]
    high = [min(joint.upper, np.pi) for joint in arm.robot.joints]
    return rng.uniform(low, high, (count, arm.n))


def errors(arm: Arm, q: np.ndarray, pose: np.ndarray) -> tuple[float, float]:
    """Distance and angle, the latter by the chord, which is exact for small ones."""
    T = arm.pose(q)
    angle = 2 * np.arcsin(min(1.0, np.linalg.norm(T[:3, :3] - pose[:3, :3]) / np.sqrt(8)))
    return float(np.linalg.norm(T[:3, 3] - pose[:3, 3])), float(angle)


def success(arm: Arm, count: int, seed: int) -> float:
    """Share of random reachable poses that are reached to 1e-6 within the limits."""
    good = 0
    for q in random_positions(arm, count, seed):
        pose = arm.pose(q)
        try:
            found = arm.inverse_kinematics(pose)
        except UnreachedError:
            continue
        inside = all(j.lower <= x <= j.upper for j, x in zip(arm.robot.joints, found, strict=True))
        good += inside and max(errors(arm, found, pose)) < 1e-6
    return good / count


@pytest.mark.parametrize("name", ARMS)
def test_random_reachable_poses_are_reached(name: str) -> None:
    assert success(named(name), 40, 0) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["puma560", "ur5", "panda"])
def test_of_a_thousand_reachable_poses_99_percent_are_reached(name: str) -> None:
    assert success(named(name), 1000, 1) >= 0.99


def test_answer_is_the_nearest_to_the_start() -> None:
    arm = named("puma560")
    for k, q in enumerate(random_positions(arm, 20, 4)):
        near = arm.inverse_kinematics(arm.pose(q), q)
        assert np.abs(near - q).max() < 1e-6, k


def test_turns_are_taken_back_to_the_start() -> None:
    """UR5's joints have two turns: the answer is in the turn of the start."""
    arm = named("ur5")
    q = np.array([0.3, -1.0, 1.2, 0.3, 0.8, 0.2])
    for turn in (-1.0, 1.0):
        start = q + 2 * np.pi * turn * np.array([0, 0, 0, 0, 0, 1.0]) * 0.95
        found = arm.inverse_kinematics(arm.pose(q), start)
        assert np.abs(found - start).max() <= np.pi + 1e-9


def test_the_same_question_has_the_same_answer() -> None:
    arm = named("panda")
    pose = arm.pose(random_positions(arm, 1, 2)[0])
    first, second = arm.inverse_kinematics(pose), arm.inverse_kinematics(pose)
    assert np.array_equal(first, second)


def test_any_frame_can_be_asked_for() -> None:
    arm = named("puma560")
    q = random_positions(arm, 1, 5)[0]
    pose = arm.pose(q, frame=5)
    found = arm.inverse_kinematics(pose, frame=5)
    assert np.abs(arm.pose(found, frame=5) - pose).max() < 1e-7


def test_half_a_turn_away_is_no_dead_end() -> None:
    """The rotation error is half a turn: its vector has no direction of its own."""
    arm = Arm(Robot([Joint(d=0.1), Joint(beta=-np.pi / 2), Joint(beta=np.pi / 2)]))
    pose = arm.pose([np.pi, 0.0, 0.0])
    found = arm.inverse_kinematics(pose, [0.0, 0.0, 0.0], restarts=0)
    assert max(errors(arm, found, pose)) < 1e-8


@pytest.mark.parametrize("name", ["puma560", "panda"])
def test_unreachable_pose_says_how_near_it_got(name: str) -> None:
    arm = named(name)
    pose = arm.pose(arm.inverse_kinematics(arm.pose(random_positions(arm, 1, 6)[0])))
    pose[:3, 3] += [5.0, 0.0, 0.0]
    with pytest.raises(UnreachedError, match=facts("128 starts", "nearest")) as caught:
        arm.inverse_kinematics(pose)
    error = caught.value
    position, rotation = errors(arm, np.array(error.q), pose)
    assert error.position == pytest.approx(position) and 3.0 < position < 6.0
    assert error.rotation == pytest.approx(rotation, abs=1e-7)
    assert pickle.loads(pickle.dumps(error)).q == error.q
    assert isinstance(error, armdyn.NumericalError)


def test_pose_beyond_a_joint_limit_is_not_reached() -> None:
    free = Arm(Robot([Joint(), Joint(b=1.0), Joint(b=1.0)]))
    narrow = [Joint(), Joint(b=1.0, lower=-0.5, upper=0.5), Joint(b=1.0)]
    pose = free.pose([0.2, 1.5, 0.1])
    assert max(errors(free, free.inverse_kinematics(pose), pose)) < 1e-8
    with pytest.raises(UnreachedError) as caught:
        Arm(Robot(narrow)).inverse_kinematics(pose)
    assert abs(caught.value.q[1]) == pytest.approx(0.5)


def test_joints_at_their_limits_are_left_out_of_steps() -> None:
    """Three joints near their limits: steps that push them beyond do not stop the others."""
    right = np.pi / 2
    rows = [
        (0.0, 0.0, 0.0, -3.14, 1.22), (right, 0.013, 0.0, -0.349066, 2.79),
        (-right, 0.035, -0.3127, -1.92, 1.22), (-right, 0.015, 0.0, -2.36, 0.1745),
        (right, -0.015, -0.25, -2.618, 2.618), (-right, 0.013, 0.0, -1.8326, 0.61),
        (right, -0.013, 0.0, -2.618, 2.618),
    ]  # fmt: skip
    arm = Arm(Robot([Joint(beta=t, b=b, d=d, lower=x, upper=y) for t, b, d, x, y in rows]))
    assert arm.closed_form is None
    pose = arm.pose([-1.0979, -0.34905, -0.3685, 0.17449, 0.719, -1.83257, -1.974])
    assert np.abs(arm.pose(arm.inverse_kinematics(pose)) - pose).max() < 1e-7


def test_sliding_joints_without_limits_are_moved_far() -> None:
    arm = Arm(Robot([Joint(kind="prismatic"), Joint(kind="prismatic", beta=np.pi / 2), Joint()]))
    pose = arm.pose([30.0, -20.0, 1.0])
    assert np.abs(arm.inverse_kinematics(pose) - [30.0, -20.0, 1.0]).max() < 1e-7


def test_rotation_vectors_are_right_from_nothing_to_half_a_turn() -> None:
    axes = np.random.default_rng(0).normal(size=(50, 3))
    axes = np.vstack([axes, np.eye(3), -np.eye(3)])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    for angle in (0.0, 1e-12, 1e-5, 0.7, 3.0, np.pi - 1e-9):
        R = np.array([turned(list(axis), angle) for axis in axes])
        assert np.abs(rotation_vectors(R) - angle * axes).max() < 1e-15 + 1e-7 * (angle > 3.1)
    half = rotation_vectors(np.diag([1.0, -1.0, -1.0])[None])[0]
    assert np.abs(np.abs(half) - [np.pi, 0, 0]).max() < 1e-15


def _not_a_rotation() -> np.ndarray:
    T = np.eye(4)
    T[0, 0] = 1.1
    return T


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pose": np.eye(3)}, ("`pose`", "(3, 3)", "4x4")),
        ({"pose": "here"}, "`pose` is 'here'"),
        ({"pose": np.full((4, 4), np.nan)}, "not finite"),
        ({"pose": _not_a_rotation()}, "is no rotation"),
        ({"pose": np.diag([1.0, 1.0, -1.0, 1.0])}, "is a reflection"),
        ({"pose": np.vstack([np.eye(4)[:3], np.ones(4)])}, "the last row"),
        ({"start": [0.0] * 5}, "`start` has shape (5,)"),
        ({"start": [np.inf] * 6}, ("`start`", "inf", "0")),
        ({"start": [9.0] * 6}, ("joint1", "9", "limits")),
        ({"tolerance": 0.0}, "`tolerance` is 0.0"),
        ({"tolerance": "fine"}, "`tolerance` is 'fine'"),
        ({"restarts": -1}, "`restarts` is -1"),
        ({"restarts": 1.5}, "`restarts` is 1.5"),
        ({"seed": True}, "`seed` is True"),
        ({"frame": "hand"}, "`frame` is 'hand'"),
    ],
)
def test_bad_input_is_refused(change: dict[str, object], words: Said) -> None:
    arm = named("puma560")
    with pytest.raises(InputError, match=facts(words)):
        arm.inverse_kinematics(**{"pose": np.eye(4), **change})  # pyright: ignore[reportArgumentType]


def test_out_receives_the_positions_and_methods_are_named() -> None:
    arm = armdyn.load("puma560")
    pose = arm.pose(np.full(6, 0.3))
    out = np.full(6, 7.0)
    assert arm.inverse_kinematics(pose, out=out) is out
    searched = arm.inverse_kinematics(pose, method="damped_least_squares")
    assert np.abs(out - searched).max() < 1e-7
    far = pose.copy()
    far[:3, 3] = 10.0
    kept = out.copy()
    with pytest.raises(armdyn.UnreachedError):
        arm.inverse_kinematics(far, restarts=3, out=out)
    assert np.array_equal(out, kept)
    with pytest.raises(armdyn.InputError, match=facts("float64", "(6,)")):
        arm.inverse_kinematics(pose, out=np.zeros(5))
    with pytest.raises(armdyn.MethodError, match="no method of inverse_kinematics 'newton'"):
        arm.inverse_kinematics(pose, method="newton")


def test_many_poses_are_reached_at_once() -> None:
    """By the closed form, and by the search, one start for all or one for each."""
    arm = armdyn.load("puma560")
    q = random_positions(arm, 6, 3).reshape(2, 3, 6)
    poses = arm.pose(q)
    near = arm.inverse_kinematics(poses, q)
    assert near.shape == (2, 3, 6) and np.abs(near - q).max() < 1e-8
    one = arm.inverse_kinematics(poses, q[0, 0])
    assert np.abs(arm.pose(one) - poses).max() < 1e-9
    assert np.array_equal(one[1, 2], arm.inverse_kinematics(poses[1, 2], q[0, 0]))
    searched = arm.inverse_kinematics(poses[:, :1], q[0, 0], method="damped_least_squares")
    assert np.abs(arm.pose(searched) - poses[:, :1]).max() < 1e-7
    assert arm.inverse_kinematics(poses[:0]).shape == (0, 3, 6)
    fine = arm.inverse_kinematics(poses[0, 0], tolerance=1e-12)
    assert max(errors(arm, fine, poses[0, 0])) < 1e-12
    poses[1, 1, :3, 3] += 5.0
    with pytest.raises(UnreachedError, match=facts("`pose[1, 1]`")):
        arm.inverse_kinematics(poses, restarts=2)


def test_the_closed_form_finds_the_nearest_of_all_branches() -> None:
    arm = armdyn.load("ur5")
    starts = random_positions(arm, 50, 8)
    poses = arm.pose(random_positions(arm, 50, 9))
    found = arm.inverse_kinematics(poses, starts)
    every = arm.inverse_kinematics_all(poses)
    assert np.abs(arm.pose(found) - poses).max() < 1e-9
    # joint 3 has one turn, the others two: their nearest turn is always within the limits
    away = every.q - starts[:, None]
    free = np.arange(6) != 2
    away = np.where(free, (away + np.pi) % (2 * np.pi) - np.pi, away)
    least = np.where(every.valid, np.linalg.norm(away, axis=-1), np.inf).min(axis=-1)
    assert np.allclose(np.linalg.norm(found - starts, axis=-1), least)


@pytest.mark.parametrize("name", ["puma560", "ur5", "panda"])
def test_one_pose_has_the_answer_of_many(name: str) -> None:
    """A program chooses the answer for one pose; branches of many are compared in arrays."""
    arm, rng = named(name), np.random.default_rng(8)
    lower, upper = ([getattr(joint, x) for joint in arm.robot.joints] for x in ("lower", "upper"))
    starts = rng.uniform(lower, upper, (300, arm.n))  # turns to choose from, on a UR5
    poses = arm.pose(random_positions(arm, 300, 9))
    many = arm.inverse_kinematics(poses, start=starts)
    alone = [arm.inverse_kinematics(*given) for given in zip(poses, starts, strict=True)]
    np.testing.assert_allclose(alone, many, rtol=0, atol=1e-9)
    np.testing.assert_allclose(arm.pose(many), poses, rtol=0, atol=1e-9)


def test_one_pose_that_is_none_is_told() -> None:
    arm = armdyn.load("puma560")
    pose = arm.pose(np.zeros(6))
    for wrong, words in (
        (np.nan, "not finite"),
        (2.0, "rotation"),
        (1e300, "rotation|finite|large"),
    ):
        bad = pose.copy()
        bad[0, 0] = wrong
        with pytest.raises(armdyn.ArmdynError, match=words):
            arm.inverse_kinematics(bad)
