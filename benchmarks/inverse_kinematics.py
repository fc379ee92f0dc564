"""All branches of inverse kinematics: errors, originals found, counts and times of some arms.

    python benchmarks/inverse_kinematics.py --states 100000

With EAIK installed (`pip install eaik==1.2.2`), its time for a pose, called from Python, and
whether its solutions are the same are printed too. One thread each, in one run.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

import numpy as np

import armdyn
from armdyn.algorithms.closed_form import closed_form
from armdyn.robot import chain_of

ARMS = ("ur5", "puma560", "kinova", "panda", "xarm7", "stanford", "scara", "so101")
SAME = 1e-6


def states(arm: armdyn.Arm, count: int) -> np.ndarray:
    """Random positions: any turn, and slides of 0.2 m to 0.9 m."""
    turns = [joint.is_revolute for joint in arm.robot.joints]
    low, high = np.where(turns, -np.pi, 0.2), np.where(turns, np.pi, 0.9)
    return np.random.default_rng(0).uniform(low, high, (count, arm.n))


def wrapped(away: np.ndarray) -> np.ndarray:
    """Differences of angles, whole turns aside."""
    return (away + np.pi) % (2 * np.pi) - np.pi


def peer(arm: armdyn.Arm, locked: tuple[int, float] | None) -> Any:
    """The same arm in EAIK, by axes and points at zero; None if it cannot be."""
    try:
        from eaik.IK_HP import HPRobot
    except ImportError:
        return None
    if not all(joint.is_revolute for joint in arm.robot.joints):
        return None
    zero = np.zeros(arm.n)
    J, tip = arm.jacobian(zero), arm.pose(zero)
    points = [np.zeros(3), *(arm.pose(zero, i)[:3, 3] for i in range(1, arm.n + 1)), tip[:3, 3]]
    P = np.diff(np.array(points), axis=0)
    return HPRobot(J[3:].T, P, fixed_axes=[locked] if locked else [])


def clock(function: Any, repeats: int) -> float:
    """The least time of some calls [s]."""
    best = np.inf
    for _ in range(repeats):
        begin = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - begin)
    return best


def compared(arm: armdyn.Arm, other: Any, poses: np.ndarray, found: Any) -> tuple[int, int]:
    """How many poses have the same set of solutions, and of how many."""
    same = 0
    for k, pose in enumerate(poses):
        theirs = other.IK(pose)
        Q = np.atleast_2d(np.array(theirs.Q))
        Q = Q[~np.array(theirs.is_LS, dtype=bool)]
        ours = found.q[k][found.valid[k]][:, : Q.shape[-1]]
        away = np.abs(wrapped(ours[:, None] - Q[None])).max(axis=-1)
        same += bool((away.min(axis=0, initial=9.0) < SAME).all()) and bool(
            (away.min(axis=1, initial=9.0) < SAME).all()
        )
    return same, len(poses)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--compared", type=int, default=3000)
    parser.add_argument("--arms", nargs="+", default=list(ARMS), metavar="ARM")
    options = parser.parse_args()
    os.environ["ARMDYN_THREADS"] = "1"
    for name in options.arms:
        arm = armdyn.load(name)
        form = closed_form(chain_of(arm.robot))
        assert form is not None
        q = states(arm, options.states)
        if form.given is not None:
            q[:, form.given] = 0.4
        given = None if form.given is None else 0.4
        poses = arm.pose(q)

        def ours(arm: Any = arm, poses: Any = poses, given: Any = given) -> Any:
            return arm.inverse_kinematics_all(poses, redundancy=given, limits=False)

        found = ours()
        error = np.abs(arm.pose(found.q) - poses[:, None]).max(axis=(-1, -2))[found.valid].max()
        turns = np.array([joint.is_revolute for joint in arm.robot.joints])
        away = found.q - q[:, None]
        away = np.abs(np.where(turns, wrapped(away), away)).max(axis=-1)
        original = np.where(found.valid, away, np.inf).min(axis=-1)
        counts, times = np.unique(found.valid.sum(axis=-1), return_counts=True)
        each = clock(ours, 5) / len(poses)
        listed = ", ".join(f"{c}: {t}" for c, t in zip(counts, times, strict=True))
        print(
            f"{name} ({form.words}): error {error:.1e}, original within {original.max():.1e} "
            f"({int((original > 1e-5).sum())} not within 1e-5), branches {listed}; "
            f"{each * 1e9:.0f} ns a pose"
        )
        other = peer(arm, None if form.given is None else (form.given, 0.4))
        if other is None or not other.hasKnownDecomposition():
            continue
        few = poses[: options.compared].copy()  # its tip is not turned at zero
        few[:, :3, :3] = few[:, :3, :3] @ arm.pose(np.zeros(arm.n))[:3, :3].T
        theirs = clock(lambda other=other, few=few: [other.IK(pose) for pose in few], 2) / len(few)
        batched = clock(lambda other=other, few=few: other.IK_batched(few, 1), 2) / len(few)
        same, of = compared(arm, other, few, found)
        print(
            f"    EAIK {theirs * 1e6:.1f} us a pose ({theirs / each:.0f} times), in a batch "
            f"{batched * 1e6:.1f} us ({batched / each:.0f} times); same sets {same} of {of}"
        )


if __name__ == "__main__":
    main()
