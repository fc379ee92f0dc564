"""All branches: they reach the pose, the original is among them, degenerate states are finite."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np
import pytest

import armdyn
from armdyn.kinematics import branch_solver
from armdyn.kinematics.elimination import AT_ONCE
from armdyn.kinematics.families import closed_form
from armdyn.robot.chain import chain_of
from support.arms import SKEW_WRISTS, wrist_arm
from support.poses import turned
from support.says import Said, facts

RIGHT = np.pi / 2


@lru_cache(maxsize=8)
def loaded(name: str) -> armdyn.Arm:
    """Each is compiled once."""
    return armdyn.load(name)


def states(arm: armdyn.Arm, count: int, seed: int = 0) -> np.ndarray:
    """Random positions within the limits, and within half a turn."""
    low = np.array([max(j.lower, -np.pi if j.is_revolute else -0.5) for j in arm.robot.joints])
    high = np.array([min(j.upper, np.pi if j.is_revolute else 0.5) for j in arm.robot.joints])
    return np.random.default_rng(seed).uniform(low, high, (count, arm.n))


def given(arm: armdyn.Arm, q: np.ndarray) -> np.ndarray | None:
    form = closed_form(chain_of(arm.robot))
    assert form is not None
    return None if form.given is None else q[..., form.given]


def off(arm: armdyn.Arm, found: np.ndarray, q: np.ndarray) -> np.ndarray:
    """How far branches are from positions, whole turns aside."""
    turns = np.array([joint.is_revolute for joint in arm.robot.joints])
    away = found - q[..., None, :]
    away = np.where(turns, (away + np.pi) % (2 * np.pi) - np.pi, away)
    return np.abs(away).max(axis=-1)


def errors(arm: armdyn.Arm, found: np.ndarray, poses: np.ndarray) -> np.ndarray:
    return np.abs(arm.pose(found) - poses[..., None, :, :]).max(axis=(-1, -2))


def check(arm: armdyn.Arm, words: str, count: int = 400, even: bool = True) -> None:
    """Branches are exact, the original is one of them, and their number is even."""
    assert arm.closed_form == words
    q = states(arm, count)
    poses = arm.pose(q)
    found = arm.inverse_kinematics_all(poses, redundancy=given(arm, q), limits=False)
    assert np.isfinite(found.q).all() and np.isfinite(found.margin).all()
    assert errors(arm, found.q, poses)[found.valid].max() < 1e-9
    nearest = np.where(found.valid, off(arm, found.q, q), np.inf).min(axis=-1)
    assert nearest.max() < 1e-5
    if even:
        assert (found.valid.sum(axis=-1) % 2 == 0).all()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ur5", "three parallel axes"),
        ("puma560", "wrist, axes 2 and 3 parallel"),
        ("panda", "wrist, axes 1 and 2 meet (seen from the tip), joint 7 given"),
    ],
)
def test_real_arms(name: str, words: str) -> None:
    check(loaded(name), words)


@pytest.mark.parametrize("words", SKEW_WRISTS)
def test_arms_of_every_family(words: str) -> None:
    twists = (-RIGHT, RIGHT) if "meet" in words else (-1.0, 1.3)
    unrolled(words, wrist_arm(SKEW_WRISTS[words], twists), 12)


def unrolled(words: str, arm: armdyn.Arm, count: int) -> None:
    """On floats: the compiled code is tested with the real arms."""
    assert arm.closed_form == words
    form = closed_form(chain_of(arm.robot))
    assert form is not None
    for q in states(arm, count, seed=1):
        T = arm.pose(q)
        found = form.solutions(T.ravel().tolist())
        margin = np.array([m for _, m in found])
        angles = np.array([x for x, _ in found])
        assert errors(arm, angles, T)[margin >= -1e-9].max() < 1e-10
        assert np.where(margin >= -1e-9, off(arm, angles, q), np.inf).min() < 1e-5
        assert (margin >= -1e-9).sum() in (1, 2, 4, 6, 8)


def plane(*joints: armdyn.Joint) -> armdyn.Arm:
    tool = np.eye(4)
    tool[:3, 3] = [0.1, 0.2, 0.3]
    return armdyn.Arm(armdyn.Robot(joints, tool=tuple(map(tuple, tool))))


TURN, SLIDE = armdyn.Joint(d=0.1, theta=0.3), armdyn.Joint(kind="prismatic", b=0.2, theta=0.4)
FAR, OVER = replace(TURN, b=0.5), replace(TURN, b=-0.4, beta=np.pi)


@pytest.mark.parametrize(
    ("words", "arm"),
    [
        ("wrist, joint 3 slides, axes 1 and 2 meet", armdyn.load("stanford")),
        ("parallel axes", armdyn.load("scara")),
        ("parallel axes", armdyn.load("planar2")),
        ("parallel axes", armdyn.load("planar3")),
        ("parallel axes", plane(replace(TURN, beta=0.5, b=0.2), OVER, SLIDE, FAR)),
        ("parallel axes", plane(SLIDE, TURN, OVER, OVER)),
        ("parallel axes", plane(TURN, replace(SLIDE, beta=np.pi), FAR)),
        ("one axis", plane(TURN, SLIDE)),
        ("one axis", plane(TURN)),
    ],
    ids=str,
)
def test_sliding_joints_and_parallel_axes(words: str, arm: armdyn.Arm) -> None:
    unrolled(words, arm, 10)


def test_few_joints_reach_few_poses() -> None:
    arm = armdyn.load("scara")
    poses = arm.pose(states(arm, 30))
    found = arm.inverse_kinematics_all(poses)
    assert found.q.shape == (30, 2, 4) and found.valid.any(axis=-1).all()
    tilted = poses.copy()
    tilted[:, :3, :3] = poses[:, :3, :3] @ turned([1.0, 0.0, 0.0], 0.1)
    none = arm.inverse_kinematics_all(tilted)
    assert not none.valid.any() and np.isfinite(none.q).all()


@pytest.mark.parametrize("name", ["ur5", "puma560"])
def test_degenerate_states_are_finite_and_solved(name: str) -> None:
    """Joints at right angles: axes in line, stretched elbows; and very near to them."""
    arm = loaded(name)
    right = np.array(list(product((0.0, RIGHT, np.pi, -RIGHT), repeat=6)))
    for away in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
        poses = arm.pose(right + away * np.arange(1, 7))
        found = arm.inverse_kinematics_all(poses, limits=False)
        assert np.isfinite(found.q).all()
        assert found.valid.any(axis=-1).all()
        assert errors(arm, found.q, poses)[found.valid].max() < 1e-9


@pytest.mark.parametrize(
    ("name", "away", "limits", "degrees"),
    [
        ("so100", 0.0, False, [0, -75, -150, -30, -75, 60]),  # a root that was not there yet
        ("so100", 0.0, False, [150, 60, 0, 150, 0, 105]),  # axes 4 and 6 nearly parallel
        ("so100", 1e-5, False, [135, 135, -15, 30, 0, 150]),
        ("so100", 0.0, True, [-105, 150, 0, -30, 0, 15]),  # joint 3 at its limit
        ("so100", 0.0, True, [-60, 0, -60, 0, 0, 15]),  # 2, 3, 4 and 6 parallel, 2 at a limit
        ("so100", 0.0, True, [0, 0, -60, 0, 0, 105]),
        ("so100", 0.0, True, [-90, 0, -60, 0, 0, 0]),
        ("ur5", 1e-7, False, [30, 0, 0, -120, 180, -120]),  # and a stretched elbow
        ("panda", 0.0, True, [-90, 0, -90, -120, -30, 30, 15]),  # axes 1 and 3 in line
        ("panda", 0.0, True, [-30, 0, -150, -45, -45, 0, -135]),
        ("stanford", 0.0, True, [90, -60, 0.2032, 90, 0, 90]),  # axes 4 and 6 in line
    ],
)
def test_special_angles_are_solved(
    name: str, away: float, limits: bool, degrees: list[float]
) -> None:
    """States near which the closed form had no answer; and others at multiples of 15 degrees."""
    arm = loaded(name)
    turns = [joint.is_revolute for joint in arm.robot.joints]
    lower, upper = (np.array([getattr(j, x) for j in arm.robot.joints]) for x in ("lower", "upper"))
    rng = np.random.default_rng(0)
    one = np.where(turns, np.radians(degrees), degrees)
    q = np.vstack([one, one + rng.integers(-12, 13, (300, arm.n)) * np.where(turns, RIGHT / 6, 0)])
    q += away * rng.choice([-1.0, 1.0], q.shape)
    if limits:
        q = q[((q >= lower - 1e-12) & (q <= upper + 1e-12)).all(axis=-1)]
        q = np.clip(q, lower, upper)
    poses = arm.pose(q)
    found = arm.inverse_kinematics_all(poses, redundancy=given(arm, q), limits=limits)
    assert found.valid.any(axis=-1).all()
    assert errors(arm, found.q, poses)[found.valid].max() < 2e-9
    beyond = np.abs(found.q - np.clip(found.q, lower, upper)).max(axis=-1)
    assert beyond[found.valid].max() <= 1e-9 or not limits  # as near as poses are


def test_poses_out_of_reach_are_marked_and_have_an_answer() -> None:
    arm = loaded("puma560")
    poses = arm.pose(states(arm, 50))
    poses[:, :3, 3] *= 3.0
    poses[:, :3, 3] += [0.0, 0.0, 5.0]
    found = arm.inverse_kinematics_all(poses)
    assert not found.valid.any() and (found.margin < 0.0).all() and np.isfinite(found.q).all()
    best = errors(arm, found.q, poses).min(axis=-1)
    assert (best < np.linalg.norm(poses[:, :3, 3], axis=-1)).all()
    turned = np.abs(arm.pose(found.q)[..., :3, :3] - poses[:, None, :3, :3]).max()
    assert turned < 1e-12  # the rotation is reached all the same


def test_states_do_not_depend_on_their_neighbours() -> None:
    arm = loaded("ur5")
    poses = arm.pose(states(arm, 37))
    many = arm.inverse_kinematics_all(poses)
    order = np.random.default_rng(3).permutation(37)
    assert np.array_equal(arm.inverse_kinematics_all(poses[order]).q, many.q[order])
    one = arm.inverse_kinematics_all(poses[5])
    assert np.array_equal(one.q, many.q[5]) and np.array_equal(one.valid, many.valid[5])
    shaped = arm.inverse_kinematics_all(poses[:36].reshape(2, 3, 6, 4, 4))
    assert np.array_equal(shaped.margin, many.margin[:36].reshape(2, 3, 6, 8))
    assert arm.inverse_kinematics_all(poses[:0]).q.shape == (0, 8, 6)


def test_limits_choose_whole_turns_and_mark_branches() -> None:
    arm = loaded("puma560")
    lower, upper = ([getattr(j, side) for j in arm.robot.joints] for side in ("lower", "upper"))
    q = np.random.default_rng(5).uniform(lower, upper, (300, 6))
    found = arm.inverse_kinematics_all(arm.pose(q))
    inside = (found.q >= lower).all(axis=-1) & (found.q <= upper).all(axis=-1)
    assert inside[found.valid].all()
    free = arm.inverse_kinematics_all(arm.pose(q), limits=False)
    assert np.array_equal(found.valid, free.valid & inside)
    assert np.where(found.valid, off(arm, found.q, q), np.inf).min(axis=-1).max() < 1e-5


def test_limits_change_marks_but_no_position() -> None:
    arm = armdyn.load("puma560")
    q = np.random.default_rng(7).uniform(-np.pi, np.pi, (200, 6))
    poses = arm.pose(q)
    within, anywhere = (arm.inverse_kinematics_all(poses, limits=x) for x in (True, False))
    np.testing.assert_array_equal(within.q, anywhere.q)
    np.testing.assert_array_equal(within.margin, anywhere.margin)
    lower, upper = (np.array([getattr(j, x) for j in arm.robot.joints]) for x in ("lower", "upper"))
    inside = ((anywhere.q >= lower) & (anywhere.q <= upper)).all(axis=-1)
    np.testing.assert_array_equal(within.valid, anywhere.valid & inside)
    assert anywhere.valid.any(axis=-1).all() and not within.valid.any(axis=-1).all()


def test_one_redundancy_for_many_poses_is_that_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    part, many = 64, 128
    monkeypatch.setattr(branch_solver, "PART", part)
    monkeypatch.setattr(branch_solver, "MANY_POSES", many)
    arm = armdyn.load("panda")
    rng = np.random.default_rng(0)
    poses = arm.pose(rng.uniform(-1.0, 1.0, (many + 5, 7)))
    shared = arm.inverse_kinematics_all(poses, redundancy=0.3)
    some = [0, 1, part, many, many + 4]
    each = arm.inverse_kinematics_all(poses[some], redundancy=np.full(5, 0.3))
    for name in ("q", "valid", "margin", "complete"):
        np.testing.assert_array_equal(getattr(shared, name)[some], getattr(each, name))


def test_joints_far_from_zero_are_found_within_their_limits() -> None:
    robot = armdyn.load("puma560").robot
    ranges = [(9.0, 14.0), (-20.0, -15.0), (5.0, 9.0), (-3.0, 8.0), (-1.0, np.inf), (-np.inf, -7.0)]
    joints = [
        replace(j, lower=low, upper=high)
        for j, (low, high) in zip(robot.joints, ranges, strict=True)
    ]
    arm = armdyn.Arm(replace(robot, joints=joints))
    form = closed_form(chain_of(arm.robot))
    assert form is not None
    from armdyn.kinematics.branch_programs import branches

    rng = np.random.default_rng(2)
    for q in rng.uniform([9, -20, 5, -3, -1, -13], [14, -15, 9, 8, 5, -7], (20, 6)):
        T = arm.pose(q)
        found, margin, beyond, defect = branches(form, ranges, [True] * 6, T.ravel().tolist(), None)
        assert defect < 1e-14
        valid = (np.array(margin) >= -1e-9) & (np.array(beyond) <= 1e-9)
        assert np.where(valid, off(arm, np.array(found), q), np.inf).min() < 1e-5
        chosen = np.array(found)[valid]
        assert (chosen >= [r[0] for r in ranges]).all() and (chosen <= [r[1] for r in ranges]).all()


def test_all_whole_turns_within_the_limits() -> None:
    """UR5: five joints of two turns, one of one turn. The original itself is found."""
    arm = loaded("ur5")
    lower, upper = ([getattr(j, side) for j in arm.robot.joints] for side in ("lower", "upper"))
    q = np.random.default_rng(6).uniform(lower, upper, (20, 6))
    poses = arm.pose(q)
    found = arm.inverse_kinematics_all(poses, limits="turns")
    assert found.q.shape == (20, 8 * 32, 6) and found.margin.shape == (20, 8 * 32)
    assert errors(arm, found.q, poses)[found.valid].max() < 1e-9
    assert ((found.q >= lower) & (found.q <= upper))[found.valid].all()
    away = np.abs(found.q - q[:, None]).max(axis=-1)
    assert np.where(found.valid, away, np.inf).min(axis=-1).max() < 1e-6
    one = arm.inverse_kinematics_all(poses)
    assert np.array_equal(found.valid.sum(axis=-1), 32 * one.valid.sum(axis=-1))


def test_the_joint_to_spare_is_given_or_tried() -> None:
    arm = loaded("panda")
    q = states(arm, 3, seed=4)
    poses = arm.pose(q)
    everywhere = arm.inverse_kinematics_all(poses)
    assert everywhere.q.shape == (3, 24 * 8, 7) and everywhere.valid.any(axis=-1).all()
    assert errors(arm, everywhere.q, poses)[everywhere.valid].max() < 1e-12
    grid = arm.inverse_kinematics_all(poses[:, None], redundancy=np.linspace(-2.0, 2.0, 5))
    assert grid.q.shape == (3, 5, 8, 7)
    assert np.array_equal(grid.q[1, 2, :, 6], np.zeros(8))


def test_other_frames_of_the_last_link() -> None:
    arm = loaded("ur5")
    q = states(arm, 1)[0]
    found = arm.inverse_kinematics_all(arm.pose(q, frame=6), frame=6)
    got = arm.pose(found.q[found.valid], frame=6)
    assert np.abs(got - arm.pose(q, frame=6)).max() < 1e-12
    with pytest.raises(armdyn.InputError, match="no closed form"):
        arm.inverse_kinematics_all(arm.pose(q, frame=3), frame=3)


def test_rough_rotations_are_made_exact() -> None:
    arm = loaded("ur5")
    pose = arm.pose(states(arm, 1)[0])
    rough = pose + np.random.default_rng(0).normal(scale=1e-8, size=(4, 4)) * [[1], [1], [1], [0]]
    found = arm.inverse_kinematics_all(rough)
    assert found.valid.any() and errors(arm, found.q, rough)[found.valid].max() < 1e-7


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda T: 2.0 * T, ("last row", "`poses")),
        (lambda T: T @ np.diag([1.0, 1.0, -1.0, 1.0]), "reflection"),
        (lambda T: T @ np.diag([1.0, 1.1, 1.0, 1.0]), "`poses[1]` is no rotation"),
        (lambda T: T * np.nan, "not finite"),
        (lambda T: T[:3], "shape"),
        (lambda T: "tip", "poses"),
    ],
)
def test_what_is_no_pose(change, message: Said) -> None:
    arm = loaded("ur5")
    pose = arm.pose(np.full(6, 0.3))
    wrong = change(pose)
    given = np.stack([pose, wrong]) if np.shape(wrong) == (4, 4) else wrong
    with pytest.raises(armdyn.InputError, match=facts(message)) as caught:
        arm.inverse_kinematics_all(given)
    assert caught.value.argument == "poses"


def test_arms_without_closed_form_say_so() -> None:
    arm = armdyn.Arm(armdyn.generic(5))
    assert arm.closed_form is None
    with pytest.raises(armdyn.InputError, match="no closed form"):
        arm.inverse_kinematics_all(np.eye(4))
    with pytest.raises(armdyn.InputError, match="joint to spare"):
        loaded("ur5").inverse_kinematics_all(np.eye(4), redundancy=0.3)


def test_axes_with_a_tilt_have_no_closed_form() -> None:
    """It would be wrong by the tilt; the search is not."""
    robot = loaded("ur5").robot
    joints = [replace(j, tilt=1e-4 * (k in (2, 3))) for k, j in enumerate(robot.joints)]
    arm = armdyn.Arm(replace(robot, joints=tuple(joints)))
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.7, 0.2])
    assert arm.closed_form is None
    with pytest.raises(armdyn.InputError, match="no closed form"):
        arm.inverse_kinematics_all(arm.pose(q))
    found = arm.inverse_kinematics(arm.pose(q), q + 0.05)
    assert np.abs(arm.pose(found) - arm.pose(q)).max() < 1e-8
    for form in (arm.minimal.khalil_gautier, arm.minimal.kappas):
        with pytest.raises(armdyn.InputError, match=facts("closed form")):
            form()


def test_any_six_turning_joints_are_solved_by_elimination() -> None:
    """Originals are found in random arms, marks are right, and numbers are even."""
    for seed in range(4):
        arm = armdyn.Arm(armdyn.generic(6, seed=seed))
        assert arm.closed_form == "generic"
        q = states(arm, 3, seed)
        poses = arm.pose(q)
        found = arm.inverse_kinematics_all(poses, limits=False)
        assert found.q.shape == (3, 16, 6) and np.isfinite(found.q).all()
        assert errors(arm, found.q, poses)[found.valid].max() < 1e-9
        assert (found.margin[found.valid] > 0.0).all()
        assert np.where(found.valid, off(arm, found.q, q), np.inf).min(axis=-1).max() < 1e-6
        assert (found.valid.sum(axis=-1) % 2 == 0).all()
    many = arm.inverse_kinematics_all(arm.pose(states(arm, AT_ONCE + 7, 9)), limits=False)
    shaped = arm.inverse_kinematics_all(arm.pose(states(arm, AT_ONCE + 7, 9))[-3:, None])
    np.testing.assert_array_equal(shaped.valid[:, 0], many.valid[-3:])
    np.testing.assert_allclose(shaped.q[:, 0], many.q[-3:], atol=1e-9)
    np.testing.assert_allclose(shaped.margin[:, 0], many.margin[-3:], atol=1e-9)
    assert many.valid.any(axis=-1).all() and many.complete.all()
    assert arm.inverse_kinematics_all(poses[:0]).q.shape == (0, 16, 6)
    far = poses[0].copy()
    far[:3, 3] += 50.0
    none = arm.inverse_kinematics_all(far)
    assert not none.valid.any() and none.complete and none.margin[0] < -10.0
    # the first branch is the nearest answer: stretched towards the pose
    reach = np.linalg.norm(arm.pose(none.q[0])[:3, 3] - arm.pose(none.q[0], 1)[:3, 3])
    middle = np.linalg.norm(arm.pose(none.q[1])[:3, 3] - far[:3, 3])
    assert np.linalg.norm(arm.pose(none.q[0])[:3, 3] - far[:3, 3]) < middle and reach > 0.0
    assert np.abs(arm.inverse_kinematics(poses[1], q[1]) - q[1]).max() < 1e-6
