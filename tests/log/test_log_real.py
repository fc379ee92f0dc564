"""Real logs of four arms, if they are there: what is read is what was measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from armdyn import Log, LogError
from armdyn.log.filters import choose_cutoff
from armdyn.log.signals import prepare
from support.beside import beside
from support.says import Said, facts, says

KR300 = {
    "t": "rec.time_cont",
    "q": "rec.act_pos_mot_deg",
    "qd": "rec.act_vel_mot_deg_per_s",
    "tau": "rec.act_torque_abs_nm",
}


def unisa(arm: str) -> Path:
    return beside("data/ur10_panda_unisa", f"{arm}_exciting_trajectory.csv")


def read(arm: str) -> Log:
    if arm in ("ur10", "panda"):
        return Log.read(unisa(arm))
    if arm == "lwr4":
        return Log.read(beside("data/lwr4/measurements_1.npz"))
    return Log.read(beside("data/kr300/data_A.mat"), columns=KR300)


@pytest.mark.parametrize(
    ("arm", "rows", "n", "rate", "words"),
    [
        ("ur10", 3441, 6, 125, "equal, 8 ms"),
        ("panda", 727, 7, 30, ("32.44", "34.2 ms")),
        ("lwr4", 5027, 7, 200, ("3.444", "6.535 ms")),
        ("kr300", 2501, 6, 250, "equal, 4 ms"),
    ],
)
def test_real_logs_are_read_and_prepared(
    arm: str, rows: int, n: int, rate: float, words: Said
) -> None:
    log = read(arm)
    assert log.q.shape == (rows, n)
    assert log.qd is not None
    assert log.tau is not None
    assert log.effort == "torque"
    assert log.rate == pytest.approx(rate, rel=1e-3)
    assert np.abs(log.q).max() < 5
    p = prepare(log)
    assert len(p.bounds) == 1
    assert any(says(note, words) for note in p.notes)
    assert any("measured velocities agree" in note for note in p.notes)
    assert p.cutoff == choose_cutoff(log)[0]
    assert 1.5 < p.cutoff < 0.41 * rate


def test_a_log_follows_the_joints_of_an_arm_of_another_name() -> None:
    names = [f"panda_joint{k}" for k in range(1, 8)]
    log = Log.read(unisa("panda"), joints=names)
    assert log.joint_names == tuple(names)
    np.testing.assert_array_equal(log.q, read("panda").q)
    with pytest.raises(LogError, match=facts("7", "6", "arm")):
        Log.read(unisa("panda"), joints=[*names[:5], "x"])


def test_a_file_of_many_arrays_asks_which_are_meant() -> None:
    with pytest.raises(LogError, match=facts("'t'", "rec.time_cont")):
        Log.read(beside("data/kr300/data_A.mat"))


def test_real_logs_survive_every_kind_of_file(tmp_path: Path) -> None:
    for arm in ("panda", "lwr4"):
        log = read(arm)
        for suffix in (".csv", ".npz", ".parquet"):
            path = tmp_path / f"{arm}{suffix}"
            log.save(path)
            again = Log.read(path)
            assert again.q.tobytes() == log.q.tobytes()
            assert again.t.tobytes() == log.t.tobytes()
            assert again.joint_names == log.joint_names
