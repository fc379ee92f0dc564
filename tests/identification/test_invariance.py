"""A result does not depend on how a recording is stored: files, their order, units and names."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from armdyn import Arm, Log, Result
from armdyn.cli.options.log import read_logs
from armdyn.identification.identify import identify
from armdyn.log.many import in_recorded_order
from support.identification import recorded, small_arm, with_torque


def described_wrongly() -> Arm:
    """The small arm with masses that are wrong by a fifth."""
    joints = [replace(j, mass=1.2 * j.mass) for j in small_arm().robot.joints]
    return Arm(small_arm().robot.with_joints(joints))


def assert_same(one: Result, other: Result, scale: float = 1.0) -> None:
    assert one.verdict == other.verdict
    assert one.torque_error_total == pytest.approx(other.torque_error_total, rel=1e-6)
    np.testing.assert_allclose(one.torque_error, other.torque_error, rtol=1e-6)
    assert one.train_errors.total == pytest.approx(other.train_errors.total, rel=1e-6)
    # values that the data do not show are rounding of zero
    np.testing.assert_allclose(scale * one.values, other.values, rtol=1e-6, atol=1e-9 * scale)


def cut(log: Log, *samples: int) -> list[Log]:
    ends = [0, *samples, len(log)]
    return [log.part(a, b) for a, b in pairwise(ends)]


def test_a_log_in_several_files_in_any_order_is_one_log(tmp_path: Path) -> None:
    log, arm = recorded(small_arm()), described_wrongly()
    a, b, c = cut(log, 1500, 1507)
    whole = identify(arm, log)
    again = identify(arm, [c, a, b])
    assert_same(whole, again)
    np.testing.assert_array_equal(whole.values, again.values)
    assert len(again.train) == len(whole.train)
    assert any("joined" in note for note in again.notes)
    paths = [tmp_path / f"{k}.csv" for k in range(3)]
    for part, path in zip((b, c, a), paths, strict=True):
        part.save(path)
    assert_same(whole, identify(arm, paths))
    assert_same(whole, identify(arm, read_logs(arm, paths, {})))


def test_parts_of_a_log_for_the_test_are_one_log() -> None:
    log, other = recorded(small_arm()), recorded(small_arm(), seed=1)
    a, b = cut(other, 1100)
    whole = identify(small_arm(), log, test=other)
    assert_same(whole, identify(small_arm(), log, test=[b, a]))
    assert len(whole.test) == 1


def test_streams_are_joined_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armdyn.log.rows.BLOCK", 640)
    log = recorded(small_arm())
    paths = [tmp_path / "later.csv", tmp_path / "first.csv"]
    for part, path in zip(reversed(cut(log, 1500)), paths, strict=True):
        part.save(path)
    joined = in_recorded_order([Log.stream(path) for path in paths])
    assert [len(one) for one in joined] == [len(log)]
    np.testing.assert_array_equal(joined[0].q[:], log.q)
    assert_same(identify(small_arm(), log), identify(small_arm(), joined))


def test_independent_logs_may_come_in_any_order() -> None:
    logs = [recorded(small_arm(), seed=seed, duration=12.0) for seed in range(3)]
    one = identify(small_arm(), logs)
    other = identify(small_arm(), [logs[2], logs[0], logs[1]])
    assert_same(one, other)
    assert len(one.train) == 3
    in_order = [note for result in (one, other) for note in result.notes if "order" in note]
    assert in_order  # one of both is not as listed


@pytest.mark.parametrize("steps", [1.0, 1.4, 4.0])
def test_a_pause_that_is_no_gap_is_one_recording(steps: float) -> None:
    a, b = cut(recorded(small_arm()), 2000)
    shift = (steps - 1.0) * a.median_step
    (joined,) = in_recorded_order([replace(b, t=b.t + shift), a])
    assert joined.t[2000] - joined.t[1999] == pytest.approx(steps * a.median_step)


def test_what_is_no_continuation_stays_apart() -> None:
    a, b = cut(recorded(small_arm()), 2000)
    step = a.median_step
    others = [
        replace(b, t=b.t + 9.0 * step),  # a gap
        replace(b, t=b.t - 5.0 * step),  # an overlap
        replace(b, q=b.q + 0.5),  # another motion
        replace(b, qd=np.zeros_like(b.q)),  # other columns
        replace(b, joint_names=("a", "b", "c")),
        replace(b, t=b.t[0] + 3.0 * (b.t - b.t[0])),  # another rate
    ]
    for other in others:
        assert len(in_recorded_order([a, other])) == 2


def test_stamps_since_1970_tell_that_files_continue(tmp_path: Path) -> None:
    log = recorded(small_arm(), duration=8.0)
    parts = cut(log, 700)
    paths: list[Path] = []
    for k, part in enumerate(parts):
        t = 1.7e9 + 0.5 + part.t
        names = ["time", *(f"q{j}" for j in (1, 2, 3)), *(f"tau{j}" for j in (1, 2, 3))]
        assert part.tau is not None
        rows = np.column_stack([t, part.q, part.tau])
        paths.append(tmp_path / f"{k}.csv")
        np.savetxt(paths[-1], rows, "%.17g", ",", header=",".join(names), comments="")
    read = [Log.read(path) for path in paths]
    assert all(one.t[0] == 0.0 for one in read)
    (joined,) = in_recorded_order(read[::-1])
    np.testing.assert_allclose(joined.t, log.t, atol=5e-7)
    began = np.datetime64("2026-01-01")
    dates = [cast(Any, began + (1e6 * part.t).astype("timedelta64[us]")) for part in parts]
    logs = [Log(t, part.q) for t, part in zip(dates, parts, strict=True)]
    (joined,) = in_recorded_order(logs[::-1])
    np.testing.assert_allclose(joined.t, log.t, atol=1e-6)


def test_another_unit_of_torque_changes_no_error() -> None:
    log, arm = recorded(small_arm()), described_wrongly()
    assert log.tau is not None
    one, other = identify(arm, log), identify(arm, with_torque(log, 1000.0 * log.tau))
    assert_same(one, other, scale=1000.0)


def test_other_names_of_joints_change_nothing() -> None:
    log, arm = recorded(small_arm()), described_wrongly()
    names = ("z", "base yaw", "a-1")
    joints = [replace(j, name=x) for j, x in zip(arm.robot.joints, names, strict=True)]
    other = Arm(arm.robot.with_joints(joints))
    assert_same(identify(arm, log), identify(other, replace(log, joint_names=names)))
