"""Inverse kinematics of parts of poses, along paths, and where no pose is reached."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn.kinematics.poses import aligning_vectors
from support.poses import turned
from support.says import Said, facts

PUMA = armdyn.load("puma560")
LOWER, UPPER = ([getattr(j, side) for j in PUMA.robot.joints] for side in ("lower", "upper"))


def states(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(LOWER, UPPER, (count, 6))


POSES, STARTS = PUMA.pose(states(6, 0)).reshape(2, 3, 4, 4), states(6, 1).reshape(2, 3, 6)


@pytest.mark.parametrize("axes", ["target", "base"])
@pytest.mark.parametrize(
    "only",
    ["position", "rotation", "direction", "position and direction", (1, 1, 0, 0, 0, 0),
     (0, 0, 1, 1, 1, 1), [False, True, True, False, True, True]],
)  # fmt: skip
def test_parts_of_poses_are_reached_and_the_rest_is_free(only, axes: str) -> None:
    q = PUMA.inverse_kinematics(POSES, STARTS, only=only, axes=axes)
    assert q.shape == (2, 3, 6) and (q >= LOWER).all() and (q <= UPPER).all()
    T = PUMA.pose(q)
    names = {
        "position": (1, 1, 1, 0, 0, 0), "rotation": (0, 0, 0, 1, 1, 1),
        "direction": (0, 0, 0, 1, 1, 0), "position and direction": (1, 1, 1, 1, 1, 0),
    }  # fmt: skip
    flags = np.array(names.get(only, only) if isinstance(only, str) else only, dtype=bool)
    axes = "target" if isinstance(only, str) else axes
    R, here = POSES[..., :3, :3], T[..., :3, :3]
    off = T[..., :3, 3] - POSES[..., :3, 3]
    if axes == "target":
        off = (np.swapaxes(R, -1, -2) @ off[..., None])[..., 0]
    assert np.abs(off[..., flags[:3]]).max(initial=0.0) < 1e-7
    assert flags[:3].all() or np.abs(off[..., ~flags[:3]]).max() > 0.01  # something was free
    if flags[3:].all():
        assert np.abs(here - R).max() < 1e-7
    elif flags[3:].any():
        free = int(np.flatnonzero(~flags[3:])[0])
        if axes == "target":
            assert np.abs(here[..., free] - R[..., free]).max() < 1e-7
        else:
            assert np.abs(here[..., free, :] - R[..., free, :]).max() < 1e-7
        assert np.abs(here - R).max() > 0.01


def test_one_pose_has_the_answer_it_has_among_many() -> None:
    many = PUMA.inverse_kinematics(POSES, STARTS, only="position")
    one = PUMA.inverse_kinematics(POSES[1, 2], STARTS[1, 2], only="position")
    assert np.array_equal(one, many[1, 2])


def test_least_turns_between_directions() -> None:
    rng = np.random.default_rng(2)
    u = rng.normal(size=(20, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = np.vstack([np.roll(u[:10], 1, axis=0), -u[10:15], u[15:]])
    for a, b, turn in zip(u, v, aligning_vectors(u, v), strict=True):
        angle = float(np.linalg.norm(turn))
        R = turned(list(turn / angle), angle) if angle else np.eye(3)
        assert np.abs(R @ a - b).max() < 1e-12
        assert angle == pytest.approx(np.arccos(np.clip(a @ b, -1.0, 1.0)), abs=1e-7)


def test_joints_behind_the_frame_stay_at_their_start() -> None:
    q, start = states(2, 3)
    pose = PUMA.pose(q, frame=4)
    found = PUMA.inverse_kinematics(pose, start, frame=4)
    assert np.abs(PUMA.pose(found, frame=4) - pose).max() < 1e-7
    assert np.array_equal(found[4:], start[4:])


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_a_path_stays_on_one_branch(name: str) -> None:
    arm = armdyn.load(name)
    middle = np.array([0.3, -0.9, 1.2, -1.4, 0.7, 1.5, 0.2])[: arm.n]
    q = middle + np.linspace(0.0, 0.6, 50)[:, None] * np.linspace(1.0, 0.4, arm.n)
    if name == "panda":
        q[:, 6] = middle[6]
    poses = arm.pose(q)
    found = arm.inverse_kinematics(poses, q[0], follow=True)
    assert np.abs(found - q).max() < 1e-8
    several = arm.inverse_kinematics(np.stack([poses, poses[::-1]]), q[[0, -1]], follow=True)
    assert np.abs(several[1] - q[::-1]).max() < 1e-8 and np.array_equal(several[0], found)


def test_a_path_of_many_turns_stays_within_the_limits() -> None:
    """UR5's last joint has two turns: it goes on past half a turn, where angles jump."""
    arm = armdyn.load("ur5")
    q = np.tile([0.3, -1.0, 1.2, 0.3, 0.8, 0.0], (200, 1))
    q[:, 5] = np.linspace(-6.0, 6.0, 200)
    found = arm.inverse_kinematics(arm.pose(q), q[0], follow=True)
    assert np.abs(found - q).max() < 1e-8
    near = arm.inverse_kinematics(arm.pose(q), [0.3, -1.0, 1.2, 0.3, 0.8, 0.0], follow=True)
    assert np.abs(np.diff(near, axis=0)).max() < 0.1 and np.abs(near[:, 5]).max() <= 2 * np.pi


def test_paths_without_a_closed_form() -> None:
    """Of parts of poses, and where the branch ends at a pose out of reach."""
    q = np.linspace(0.1, 0.6, 6) + np.linspace(0.0, 0.3, 12)[:, None]
    poses = PUMA.pose(q)
    found = PUMA.inverse_kinematics(poses, q[0], follow=True, only="position and direction")
    assert np.abs(PUMA.pose(found)[:, :3, 2:] - poses[:, :3, 2:]).max() < 1e-7
    assert np.abs(np.diff(found, axis=0)).max() < 0.3
    poses[5, :3, 3] += 5.0
    marked = PUMA.inverse_kinematics(poses, q[0], follow=True, unreached="nan", restarts=1)
    assert np.isnan(marked[5]).all() and np.abs(np.delete(marked - q, 5, axis=0)).max() < 1e-7


def test_poses_out_of_reach_have_the_nearest_answer_or_none() -> None:
    poses = POSES.copy()
    poses[1, 1, :3, 3] = [3.0, 0.0, 0.0]
    near = PUMA.inverse_kinematics(poses, STARTS, unreached="nearest", restarts=8)
    away = np.abs(PUMA.pose(near) - poses).max(axis=(-1, -2))
    assert np.isfinite(near).all() and away[1, 1] > 1.0
    assert np.delete(away.ravel(), 4).max() < 1e-7
    none = PUMA.inverse_kinematics(poses, STARTS, unreached="nan", restarts=1)
    assert (
        np.isnan(none[1, 1]).all() and np.isfinite(np.delete(none.reshape(6, 6), 4, axis=0)).all()
    )
    with pytest.raises(armdyn.UnreachedError, match=r"`pose\[1, 1\]`"):
        PUMA.inverse_kinematics(poses, STARTS, restarts=1)


def test_arms_of_few_joints_reach_positions() -> None:
    arm = armdyn.load("planar2")
    pose = arm.pose([0.4, 0.9])
    pose[:3, :3] = replace_rotation(0.3)
    with pytest.raises(armdyn.UnreachedError):
        arm.inverse_kinematics(pose, restarts=2)
    found = arm.inverse_kinematics(pose, [0.3, 0.8], only="position")
    assert np.abs(found - [0.4, 0.9]).max() < 1e-7


def replace_rotation(angle: float) -> np.ndarray:
    return turned([1.0, 0.0, 0.0], angle)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"only": "place"}, "'place'"),
        ({"only": (1, 0, 0)}, "six truth values"),
        ({"only": (0, 0, 0, 0, 0, 0)}, "asks for nothing"),
        ({"only": (1, 1, 1, 1, 0, 0)}, "one axis"),
        ({"only": (1, 1, 1, 0, 0, 2)}, "six truth values"),
        ({"axes": "tip"}, "no axes 'tip'"),
        ({"unreached": "ignore"}, "'ignore'"),
        ({"follow": True}, "got a single pose"),
        ({"follow": 1}, "`follow` is 1"),
    ],
)
def test_bad_input_is_refused(change: dict[str, object], words: Said) -> None:
    with pytest.raises(armdyn.ArmdynError, match=facts(words)):
        PUMA.inverse_kinematics(np.eye(4), **change)  # pyright: ignore[reportArgumentType]
