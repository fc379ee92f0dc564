"""Units in the names of columns: patterns with brackets, and logs that armdyn wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from armdyn import Log, LogError
from support.identification import small_arm
from support.says import facts


def written(path: Path, heads: list[str], scale: float = 1.0) -> Path:
    t = np.arange(50) / 100.0
    q = np.outer(np.sin(t), [1.0, 0.5, 0.2]) * scale
    rows = np.column_stack([t, q, q])
    np.savetxt(path, rows, delimiter=",", header=",".join(heads), comments="")
    return path


def test_brackets_in_a_pattern_are_units(tmp_path: Path) -> None:
    heads = ["t", *(f"Axis {k} angle [deg]" for k in (1, 2, 3)), "tau1", "tau2", "tau3"]
    path = written(tmp_path / "log.csv", heads, 57.29577951308232)
    log = Log.read(path, columns={"q": "Axis * angle [deg]"})
    assert log.joint_names == ("1", "2", "3")
    np.testing.assert_allclose(log.q[:, 0], np.sin(log.t), atol=1e-9)


@pytest.mark.parametrize("far", [0.5, 40.0])
def test_degrees_are_not_asked_of_a_log_that_armdyn_wrote(tmp_path: Path, far: float) -> None:
    t = np.arange(200) / 100.0
    q = far * np.column_stack([t, -t, t]) / 2.0
    log = Log(t=t, q=q, tau=q, joint_names=small_arm().joint_names)
    log.save(tmp_path / "log.csv")
    again = Log.read(tmp_path / "log.csv", joints=small_arm())
    np.testing.assert_allclose(again.q, q)
    assert again.joint_names == log.joint_names


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_slow_and_far_logs_are_read_as_they_were_written(tmp_path: Path, suffix: str) -> None:
    """A sample a second is no sample a millisecond, and many turns are no degrees."""
    t = np.arange(30.0)
    log = Log(t=t, q=40.0 * np.sin(np.outer(t, [1.0, 2.0])))
    path = tmp_path / f"log{suffix}"
    log.save(path)
    for read in (Log.read, Log.stream):
        again = read(path)
        assert np.array_equal(again.t[:], log.t) and np.array_equal(again.q[:], log.q)


def test_a_unit_that_is_none_of_time_is_refused(tmp_path: Path) -> None:
    heads = ["t [rad]", "q1", "q2", "q3", "tau1", "tau2", "tau3"]
    with pytest.raises(LogError, match=facts("'rad'", "ms", "us", "ns", "time_unit")):
        Log.read(written(tmp_path / "log.csv", heads))
    assert Log.read(tmp_path / "log.csv", time_unit="s").t[1] == 0.01


def test_a_log_of_one_row_is_read_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,q1\n5,0.25\n")
    assert Log.stream(path).q[:].tolist() == Log.read(path).q.tolist() == [[0.25]]


def test_the_size_of_huge_efforts_is_told() -> None:
    log = Log(t=np.arange(2.0), q=np.eye(2), tau=np.array([[1e200, 0.0], [1e200, 0.0]]))
    assert [joint["effort_rms"] for joint in log.to_dict()["joints"]] == [1e200, 0.0]
