"""Paths of the tip: on the line by either way of inverse kinematics, and planned within limits."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn import InputError, UnreachedError
from armdyn.motion import straight_line as _line
from armdyn.motion.optimal import TimeOptimal, time_optimal
from armdyn.motion.straight_line import TipLine
from support.says import facts

START = np.array([0.3, -1.0, 1.2, 0.3, 0.8, 0.2])


def test_closed_form_and_integration_give_the_same_path(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = armdyn.load("ur5")
    goal = arm.pose(START + 0.1 * np.array([2, -1, 1, 2, -1, 3]))
    s = np.linspace(0.0, 1.0, 50)
    lines = [TipLine(arm, START, goal)]
    monkeypatch.setattr(_line, "_on_one_branch", lambda *_: None)
    lines.append(TipLine(arm, START, goal))
    for derivative, allowed in ((0, 1e-6), (1, 1e-4), (2, 1e-2)):
        a, b = (line(s, derivative) for line in lines)
        np.testing.assert_allclose(a, b, atol=allowed)
    assert max(line.deviation for line in lines) < 1e-6
    np.testing.assert_allclose(arm.pose(lines[0].goal), goal, atol=1e-9)


def test_a_straight_line_is_followed_within_limits() -> None:
    arm = armdyn.load("ur5")
    goal = arm.pose(START)
    goal[:3, 3] += [0.1, -0.2, 0.15]
    motion = time_optimal(arm, TipLine(arm, START, goal), nodes=60)
    assert isinstance(motion, TimeOptimal)
    _, q, qd, qdd = motion.sample(1000.0)
    T = arm.pose(q)[:, :3, 3]
    way = (goal[:3, 3] - T[0]) / np.linalg.norm(goal[:3, 3] - T[0])
    off = T - T[0]
    assert np.abs(off - np.outer(off @ way, way)).max() < 1e-6
    assert (np.abs(qd) <= 1.001 * motion.limits.velocity).all()
    tau = arm.inverse_dynamics(q, qd, qdd)
    assert (np.abs(tau) <= 1.001 * motion.limits.effort).all()


def test_a_line_out_of_reach_or_of_no_length_is_told() -> None:
    arm = armdyn.load("ur5")
    goal = arm.pose(START)
    with pytest.raises(InputError, match=facts("no motion")):
        TipLine(arm, START, goal)
    goal[0, 3] += 3.0
    with pytest.raises(UnreachedError, match=facts("straight line")):
        TipLine(arm, START, goal)
