"""Commands, currents, loads and episodes: kept through reading, writing and cutting a log."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.log.clock import at_source_times
from armdyn.log.many import in_recorded_order
from armdyn.log.recognition.patterns import understood
from armdyn.log.segments import segments
from armdyn.log.trim import trimmed, with_gain

BLOCKS = ("q_cmd", "current", "load")


def make_log(count: int = 90, joints: tuple[str, ...] = ("lift", "elbow")) -> armdyn.Log:
    """Return a log of two joints with all quantities, in two episodes."""
    t = np.arange(count) / 30
    q = np.sin(np.outer(t, [1.0, 2.0]) + 0.3)
    t = np.where(np.arange(count) < 40, t, t + 5.0)
    return armdyn.Log(
        t, q, tau=3.0 * q, joint_names=joints,
        q_cmd=q + 0.01, current=0.5 * q, load=100.0 * q,
        episodes=[slice(0, 40), slice(40, count)],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "joint"),
    [
        ("q_cmd_elbow", "elbow"), ("cmd_elbow", "elbow"), ("command_elbow", "elbow"),
        ("target_elbow", "elbow"), ("goal_elbow", "elbow"), ("desired_elbow", "elbow"),
        ("reference_elbow", "elbow"), ("action.elbow", "elbow"), ("action.elbow.pos", "elbow"),
        ("target_q_0", "0"), ("q1_ref", "1"), ("q_des[2]", "2"), ("elbow.cmd", "elbow"),
        ("desired_position_elbow", "elbow"), ("cmd3", "3"), ("target.q1", "1"),
        ("action", None), ("q_cmd", None),
    ],
)  # fmt: skip
def test_names_of_commands_are_commanded_positions(name: str, joint: str | None) -> None:
    meaning = understood(name)
    assert meaning is not None
    assert (meaning.role, meaning.joint) == ("q_cmd", joint)


@pytest.mark.parametrize(
    "name",
    ["target_qd_0", "target_current_1", "cmd_vel_x", "reference_torque_1", "goal_time", "error.q1",
     "q_error_1", "limit_q_1"],
)  # fmt: skip
def test_other_goals_and_errors_are_no_quantity_of_the_arm(name: str) -> None:
    assert understood(name) is None


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet"])
@pytest.mark.parametrize("joints", [("lift", "elbow"), ("cmd_a", "goal_b"), ("1", "2")])
def test_written_files_keep_commands_currents_loads_and_episodes(
    tmp_path: Path, suffix: str, joints: tuple[str, ...]
) -> None:
    log, path = make_log(joints=joints), tmp_path / f"log.{suffix}"
    log.save(path)
    for again in (armdyn.Log.read(path), armdyn.Log.stream(path)):
        assert again.joint_names == joints
        assert again.effort == "torque"
        assert again.episodes == log.episodes
        assert not again.extra
        for name in ("t", "q", "tau", *BLOCKS):
            np.testing.assert_array_equal(np.asarray(getattr(again, name)), getattr(log, name))


def test_parts_joins_and_copies_keep_them() -> None:
    log = make_log()
    cut = log.part(30, 60)
    assert cut.episodes == [slice(0, 10), slice(10, 30)]
    both = armdyn.Log.concat([log, cut])
    assert both.episodes == [slice(0, 40), slice(40, 90), slice(90, 100), slice(100, 120)]
    copied = pickle.loads(pickle.dumps(both))
    assert copied.episodes == both.episodes
    for name in BLOCKS:
        whole = getattr(log, name)
        np.testing.assert_array_equal(getattr(cut, name), whole[30:60])
        np.testing.assert_array_equal(getattr(copied, name), np.vstack([whole, whole[30:60]]))
        assert not getattr(copied, name).flags.writeable
    without = armdyn.Log.concat([log, replace(log, q_cmd=None)])
    assert without.q_cmd is None
    assert without.load is not None


def test_a_recording_cut_into_files_is_one_episode_again() -> None:
    log = make_log()
    parts = [log.part(0, 20), log.part(20, 60), log.part(60, 90)]
    (joined,) = in_recorded_order(parts)
    assert joined.episodes == log.episodes
    np.testing.assert_array_equal(joined.q_cmd, log.q_cmd)


def test_gains_and_trimming_keep_raw_currents_and_commands() -> None:
    log = make_log()
    scaled = with_gain(replace(log, tau=log.current, effort="current"), np.array([2.0, 3.0]))
    assert scaled.effort == "torque"
    np.testing.assert_array_equal(scaled.current, log.current)
    cut = trimmed(log, (0.5, 0.5))
    assert len(cut.q_cmd) == len(cut)
    assert cut.episodes[-1].stop == len(cut)


def test_rows_that_repeat_are_left_out_of_every_column() -> None:
    log = make_log()
    rows = np.sort([*range(len(log)), 20, 20, 70])
    t = np.arange(len(rows)) / 30 + np.where(np.arange(len(rows)) < 42, 0.0, 5.0)
    twice = armdyn.Log(
        t, log.q[rows], tau=log.tau[rows], joint_names=log.joint_names,
        **{name: getattr(log, name)[rows] for name in BLOCKS},
        episodes=[slice(0, 42), slice(42, len(rows))],
    )  # fmt: skip
    again = at_source_times(twice)
    assert again.episodes == log.episodes
    for name in BLOCKS:
        np.testing.assert_array_equal(getattr(again, name), getattr(log, name))


def test_currents_alone_are_the_effort() -> None:
    log = make_log()
    alone = armdyn.Log(log.t, log.q, current=log.current)
    assert alone.effort == "current"
    assert alone.tau is alone.current
    assert alone.measured == ["q", "tau"]


def test_summaries_tell_them() -> None:
    log = make_log()
    assert log.to_dict()["episodes"] == 2
    assert log.to_dict()["measured"] == ["q", "tau", "q_cmd", "current", "load"]
    assert "2 episodes" in log.summary()
    assert "q_cmd" in repr(log)
    assert "episodes" in log._repr_html_()


def test_clocks_that_restart_with_an_episode_go_on_after_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [(e, k / 10, e + 0.1 * k) for e in range(3) for k in range(20)]
    lines = ["episode_index,t,q1,cmd_1", *(f"{e},{t},{q},{q}" for e, t, q in rows)]
    path.write_text("\n".join(lines) + "\n")
    for log in (armdyn.Log.read(path), armdyn.Log.read(path, sort=True), armdyn.Log.stream(path)):
        assert log.episodes == [slice(0, 20), slice(20, 40), slice(40, 60)]
        np.testing.assert_allclose(np.asarray(log.q)[:, 0], [q for _, _, q in rows])
        steps = np.diff(np.asarray(log.t))
        assert (steps > 0).all()
        assert (steps[[19, 39]] > 5 * np.median(steps)).all()


def test_episodes_are_never_one_piece() -> None:
    t = np.arange(100) / 100
    log = armdyn.Log(t, np.sin(t)[:, None], episodes=[slice(0, 30), slice(30, 100)])
    assert [(one.start, one.stop) for one in segments(log)] == [(0, 30), (30, 100)]


@pytest.mark.parametrize(
    "cells", [("q_cmd_1", "nan", "2"), ("load_1", "", "3"), ("target_1", "inf", "1")]
)
def test_commands_and_loads_with_missing_numbers_stay_extra(
    tmp_path: Path, cells: tuple[str, str, str]
) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"t,q1,{cells[0]}\n0,0,1\n1,1,{cells[1]}\n2,2,{cells[2]}\n")
    log = armdyn.Log.read(path, time_unit="s")
    assert log.q_cmd is None
    assert log.load is None
    assert cells[0] in log.extra
    assert len(log) == 3
    long = armdyn.Log.stream(path, time_unit="s")
    assert long.q_cmd is None
    assert long.load is None


def test_commands_of_some_joints_or_of_two_kinds_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,q1,q2,target_q1\n0,0,1,2\n1,1,2,3\n")
    assert armdyn.Log.read(path, time_unit="s").q_cmd is None
    path.write_text("t,q1,target_q1,desired_q1\n0,0,1,2\n1,1,2,3\n")
    log = armdyn.Log.read(path, time_unit="s")
    assert log.q_cmd is None
    assert set(log.extra) == {"target_q1", "desired_q1"}
    said = armdyn.Log.read(path, time_unit="s", columns={"q_cmd": ["desired_q1"]})
    np.testing.assert_array_equal(said.q_cmd, [[2.0], [3.0]])


def test_commands_have_the_unit_and_the_side_of_positions(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,q1 [deg],cmd_1\n0,0,90\n1,90,180\n")
    log = armdyn.Log.read(path, time_unit="s")
    np.testing.assert_allclose(log.q_cmd[:, 0], [np.pi / 2, np.pi])
    path.write_text("t,q1,cmd_1\n0,0,90\n1,90,180\n")
    log = armdyn.Log.read(path, time_unit="s", units="deg", gear=[0.5])
    np.testing.assert_allclose(log.q_cmd[:, 0], [np.pi / 4, np.pi / 2])


def test_currents_beside_torques_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,q1,tau1,current_1 [mA]\n0,0,90,1000\n1,90,180,2000\n")
    log = armdyn.Log.read(path, time_unit="s", units="deg")
    assert log.effort == "torque"
    np.testing.assert_allclose(log.current[:, 0], [1.0, 2.0])
    other = armdyn.Log.read(path, time_unit="s", units="deg", torque="current")
    assert other.effort == "current"
    np.testing.assert_array_equal(other.tau, other.current)
    none = armdyn.Log.read(path, time_unit="s", units="deg", torque="none")
    assert none.tau is None
    assert none.current is None


@pytest.mark.parametrize(
    "episodes",
    [[slice(0, 40)], [slice(0, 40), slice(41, 90)], [slice(0, 90), slice(90, 90)], [0, 90],
     [slice(0, 90, 2)], [slice(0, 90.0)], [slice(None)]],
)  # fmt: skip
def test_episodes_must_be_consecutive_slices(episodes: list[slice]) -> None:
    log = make_log()
    with pytest.raises(armdyn.InputError, match="episodes"):
        armdyn.Log(log.t, log.q, episodes=episodes)
