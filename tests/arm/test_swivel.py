"""Arms with a shoulder, an elbow and a wrist: all branches at a swivel angle of the elbow."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
import pytest

import armdyn
from armdyn.kinematics.families import swivel_form
from armdyn.robot.chain import chain_of
from support.says import facts

RIGHT = np.pi / 2


@lru_cache(maxsize=2)
def arm_with(offset: float, skew: float = 0.0) -> armdyn.Arm:
    """The geometry of a KUKA LWR; with an offset elbow that of a Barrett WAM."""
    lengths = (0.36, 0.0, 0.42, 0.0, 0.4, 0.0, 0.126)
    twists = (0.0, -RIGHT, RIGHT + skew, RIGHT, -RIGHT, -RIGHT - skew, RIGHT)
    offsets = (0.0, 0.0, 0.0, offset, -offset, 0.0, 0.0)
    joints = [
        armdyn.Joint(beta=beta, b=b, d=d, theta=0.1 * k)
        for k, (beta, b, d) in enumerate(zip(twists, offsets, lengths, strict=True))
    ]
    return armdyn.Arm(armdyn.Robot(joints))


def swivel(arm: armdyn.Arm, q: np.ndarray) -> np.ndarray:
    """The swivel angle, from the points of shoulder, elbow and wrist."""
    S, E, W = (arm.pose(q, frame)[..., :3, 3] for frame in (2, 4, 6))
    n = (W - S) / np.linalg.norm(W - S, axis=-1, keepdims=True)
    e2 = np.cross([0.0, 0.0, 1.0], n)
    e2 /= np.linalg.norm(e2, axis=-1, keepdims=True)
    e1 = np.cross(e2, n)
    return np.arctan2(((E - S) * e2).sum(axis=-1), ((E - S) * e1).sum(axis=-1))


def away(found: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.abs((found - q[..., None, :] + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)


def test_originals_are_found_at_their_swivel_angle() -> None:
    arm = arm_with(0.0)
    assert arm.closed_form is not None and arm.closed_form.endswith("or the swivel angle")
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (400, 7))
    poses, psi = arm.pose(q), swivel(arm, q)
    found = arm.inverse_kinematics_all(poses, swivel=psi, limits=False)
    assert found.q.shape == (400, 8, 7) and found.valid.all() and found.complete.all()
    assert np.abs(arm.pose(found.q) - poses[:, None]).max() < 1e-13
    assert away(found.q, q).min(axis=-1).max() < 1e-9
    turned = swivel(arm, found.q) - psi[:, None]
    assert np.abs((turned + np.pi) % (2 * np.pi) - np.pi).max() < 1e-9
    # all of them are among those at their own joint 7
    at_7 = arm.inverse_kinematics_all(poses, redundancy=found.q[:, 3, 6], limits=False)
    assert np.where(at_7.valid, away(at_7.q, found.q[:, 3]), 9.0).min(axis=-1).max() < 1e-6


@pytest.mark.parametrize(("offset", "skew"), [(0.045, 0.0), (0.0, 0.3)])
def test_offset_elbows_and_skew_shoulders(offset: float, skew: float) -> None:
    arm = arm_with(offset, skew)
    form = swivel_form(chain_of(arm.robot))
    assert form is not None
    for q in np.random.default_rng(1).uniform(-3.0, 3.0, (20, 7)):
        T = arm.pose(q)
        found = form.solutions(T.ravel().tolist(), float(swivel(arm, q)))
        good = np.array([x for x, margin in found if margin > -1e-9])
        assert np.abs(arm.pose(good) - T).max() < 1e-12
        assert away(good, q).min() < 1e-8


def test_a_grid_of_swivel_angles_and_none() -> None:
    arm = arm_with(0.0)
    pose = arm.pose(np.linspace(0.2, 1.0, 7))
    grid = arm.inverse_kinematics_all(pose, swivel=np.linspace(-3.0, 3.0, 5))
    assert grid.q.shape == (5, 8, 7) and grid.valid.all()
    far = pose.copy()
    far[:3, 3] += 5.0
    beyond = arm.inverse_kinematics_all(far, swivel=0.3)
    assert np.isfinite(beyond.q).all() and not beyond.valid.any() and (beyond.margin < 0.0).all()
    assert np.abs(arm.pose(beyond.q)[:, :3, :3] - far[:3, :3]).max() < 1e-12
    assert np.abs(beyond.q[:, 3] + 0.3).min() < 1e-7  # the elbow is stretched


def test_stretched_arms_and_wrists_over_the_shoulder() -> None:
    """The swivel angle is counted from x there, and the pose is reached all the same."""
    arm = arm_with(0.0)
    up = np.array([0.0, -0.1, -0.2, -0.3, -0.4, -0.5, -0.6])
    bent = np.array([[0.0] * 7, [0, 0, 0, 1.2, 0, 0, 0], [0, 0.4, 0, 0, 0, 0.7, 0]])
    states = up + bent
    poses = arm.pose(states)
    found = arm.inverse_kinematics_all(poses, swivel=0.7, limits=False)
    assert np.isfinite(found.q).all() and found.valid.any(axis=-1).all()
    reached = np.abs(arm.pose(found.q) - poses[:, None]).max(axis=(-1, -2))
    assert reached[found.valid].max() < 1e-9


def test_bad_swivel_angles() -> None:
    with pytest.raises(armdyn.InputError, match=facts("shoulder", "elbow", "wrist")):
        armdyn.load("ur5").inverse_kinematics_all(np.eye(4), swivel=0.1)
    arm = arm_with(0.0)
    with pytest.raises(armdyn.InputError, match="not both"):
        arm.inverse_kinematics_all(np.eye(4), swivel=0.1, redundancy=0.2)
    with pytest.raises(armdyn.InputError, match="`swivel` has nan"):
        arm.inverse_kinematics_all(np.eye(4), swivel=np.nan)
    with pytest.raises(armdyn.InputError, match="does not broadcast"):
        arm.inverse_kinematics_all(np.stack([np.eye(4)] * 2), swivel=[0.1, 0.2, 0.3])


def test_states_that_are_singular_twice_are_solved_at_their_joint_7() -> None:
    """A stretched arm with its wrist in line: margins say little there."""
    arm = arm_with(0.0)
    zero = -0.1 * np.arange(7)
    turns = (0.0, RIGHT, np.pi, -RIGHT)
    right = np.array(
        [(*q, 0.0) for q in product(turns, (0.0, np.pi), turns, (0.0, np.pi), turns, turns)]
    )
    for away in (0.0, 1e-12, 1e-9, 3e-9, 1e-8, 1e-7, 1e-6, 1e-3):
        q = zero + right + away * np.arange(1, 8)
        poses = arm.pose(q)
        found = arm.inverse_kinematics_all(poses, redundancy=q[:, 6], limits=False)
        assert found.valid.any(axis=-1).all()
        reached = np.abs(arm.pose(found.q) - poses[:, None]).max(axis=(-1, -2))
        assert reached[found.valid].max() < 1e-9
