"""Whether commands are the goals of joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Log
from armdyn.log.goals import goal_match, match_goals


def followed(
    rate: float = 50.0, lag: float = 0.08, seed: int = 0, n: int = 4, jitter: float = 0.0
) -> Log:
    """A log of drives that follow smooth goals with a lag, droop and steps of encoders."""
    rng = np.random.default_rng(seed)
    fine = np.arange(int(20.0 * 1000.0)) / 1000.0
    frequency = 2 * np.pi * rng.uniform(0.05, 0.4, (5, n))
    phase = rng.uniform(0.0, 2 * np.pi, (5, n))
    goal = 0.3 * np.sin(fine[:, None, None] * frequency + phase).sum(axis=1)
    q = np.stack([np.interp(fine - lag, fine, x) for x in goal.T], axis=1)
    q -= 0.04 * np.cos(q)
    t = np.arange(int(20.0 * rate)) / rate
    t = t + jitter / rate * rng.random(len(t))
    step = 2 * np.pi / 4096
    q, goal = (np.stack([np.interp(t, fine, x) for x in y.T], axis=1) for y in (q, goal))
    return Log(t, step * np.round(q / step), q_cmd=goal)


@pytest.mark.parametrize("rate", [30.0, 100.0, 500.0])
@pytest.mark.parametrize("lag", [0.0, 0.03, 0.11])
def test_goals_match_and_the_lag_is_that_of_the_drives(rate: float, lag: float) -> None:
    match = goal_match(followed(rate, lag))
    assert match.is_goal and match.matches.all() and not match.exchanged
    assert np.abs(match.lag - lag).max() < 0.005
    assert "is the goal of these joints" in match.words


def test_jittered_stamps_and_gaps_do_not_matter() -> None:
    log = followed(100.0, 0.05, jitter=0.5)
    cut = Log.concat([log.part(0, 700), log.part(1000, 2000)])
    match = goal_match(cut)
    assert match.is_goal
    assert np.abs(match.lag - 0.05).max() < 0.01


def test_exchanged_commands_are_named() -> None:
    log = followed()
    assert log.q_cmd is not None
    match = goal_match(replace(log, q_cmd=log.q_cmd[:, [0, 2, 1, 3]]))
    assert not match.is_goal
    assert match.exchanged == ((1, 2),)
    assert match.matches.tolist() == [True, False, False, True]
    assert "joint2: command 3 explains it better" in match.words
    turned = goal_match(replace(log, q_cmd=log.q_cmd[:, [1, 2, 0, 3]]))
    assert turned.exchanged == ((0, 2, 1),)


@pytest.mark.parametrize(
    ("factor", "words"),
    [(-1.0, "reversed"), (180 / np.pi, "in degrees"), (0.7, "slope on its command 1.4")],
)
def test_a_wrong_factor_is_named(factor: float, words: str) -> None:
    log = followed()
    assert log.q_cmd is not None
    goals = np.array(log.q_cmd)
    goals[:, 1] *= factor
    match = goal_match(replace(log, q_cmd=goals))
    assert match.matches.tolist() == [True, False, True, True]
    assert words in match.words and "joint2" in match.words and "joint1" not in match.words


def test_increments_are_no_goals() -> None:
    log = followed()
    assert log.q_cmd is not None
    match = goal_match(replace(log, q_cmd=np.gradient(log.q_cmd, axis=0)))
    assert not match.is_goal and not match.matches.any()
    assert "not the goal" in match.words


def test_a_command_that_is_stamped_late_has_a_negative_lag() -> None:
    log = followed(100.0, 0.02)
    assert log.q_cmd is not None
    late = np.concatenate([np.repeat(log.q_cmd[:1], 6, axis=0), log.q_cmd[:-6]])
    match = goal_match(replace(log, q_cmd=late))
    assert np.abs(match.lag + 0.04).max() < 0.005


def test_joints_at_rest_are_not_judged() -> None:
    log = followed()
    assert log.q_cmd is not None
    q, goals = np.array(log.q), np.array(log.q_cmd)
    q[:, 0], goals[:, 0] = 0.4, 0.42
    match = goal_match(replace(log, q=q, q_cmd=goals))
    assert match.judged.tolist() == [False, True, True, True] and match.is_goal
    assert match.to_dict()["joints"][0]["slope"] is None
    still = goal_match(replace(log, q=np.zeros_like(q), q_cmd=np.zeros_like(q)))
    assert not still.is_goal and "none moves" in still.words


def test_a_joint_that_ignores_its_command_is_no_match() -> None:
    log = followed()
    q = np.array(log.q)
    q[:, 2] = 0.4
    match = goal_match(replace(log, q=q))
    assert match.judged.all() and match.matches.tolist() == [True, True, False, True]


def test_another_number_of_columns_is_no_goal() -> None:
    log = followed()
    assert log.q_cmd is not None
    match = match_goals([(np.asarray(log.q), log.q_cmd[:, :3])], 0.02, log.joint_names)
    assert not match.is_goal and "3 columns for 4 joints" in match.words
    more = match_goals([(log.q[:, :3], np.asarray(log.q_cmd))], 0.02, log.joint_names[:3])
    assert not more.is_goal


def test_short_logs_and_logs_without_commands() -> None:
    log = followed()
    assert not goal_match(log.part(0, 5)).is_goal
    with pytest.raises(armdyn.InputError, match="no commanded positions"):
        goal_match(replace(log, q_cmd=None))
