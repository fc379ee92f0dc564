"""Logs in text files: headers in any sane naming, and what is wrong told with its line."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from armdyn import InputError, Log, LogError, LogWarning
from support.logs import HEADER, ROWS, fault, text, written
from support.says import Said, facts, says


@pytest.mark.parametrize(
    "header",
    [
        "t,q1,q2,tau1,tau2",
        "T,Q_1,Q_2,TAU_1,TAU_2",
        "time,q[0],q[1],tau[0],tau[1]",
        "Time (s),pos_1,pos_2,effort_1,effort_2",
        "timestamp,position_a,position_b,torque_a,torque_b",
        "stamp,joint_position_a,joint_position_b,joint_torque_a,joint_torque_b",
        "t [s],q1 [rad],q2 [rad],tau1 [N m],tau2 [Nm]",
        "seconds,actual_q_0,actual_q_1,effort_0,effort_1",
        "t,a.pos,b.pos,a.effort,b.effort",
        "t,/joint_states/a/position,/joint_states/b/position,a_torque,b_torque",
        "t,/joint_states/position/a,/joint_states/position/b,tau_a,tau_b",
        "# t q1 q2 tau1 tau2",
    ],
)
def test_headers_of_many_habits_mean_the_same(tmp_path: Path, header: str) -> None:
    rows = ROWS if "#" not in header else [row.replace(",", " ") for row in ROWS]
    log = Log.read(written(tmp_path, text(header, *rows)))
    np.testing.assert_array_equal(log.t, [0, 0.01, 0.02])
    np.testing.assert_array_equal(log.q, [[0.1, 0.2], [0.2, 0.4], [0.3, 0.6]])
    np.testing.assert_array_equal(log.tau, [[1, 2], [3, 4], [5, 6]])
    assert log.effort == "torque"
    assert log.extra == {}


@pytest.mark.parametrize("prefix", ["qd", "dq", "v", "vel", "velocity", "q_dot", "joint_velocity"])
def test_velocities_by_their_names(tmp_path: Path, prefix: str) -> None:
    log = Log.read(written(tmp_path, text(f"t,q1,{prefix}_1", "0,1,5", "1e-2,2,6")))
    np.testing.assert_array_equal(log.qd, [[5], [6]])


@pytest.mark.parametrize("prefix", ["qdd", "ddq", "a", "acc", "acceleration"])
def test_accelerations_by_their_names(tmp_path: Path, prefix: str) -> None:
    log = Log.read(written(tmp_path, text(f"t,q1,{prefix}1", "0,1,5", "1e-2,2,6")))
    np.testing.assert_array_equal(log.qdd, [[5], [6]])


def test_columns_stand_in_any_order_and_follow_the_joints_of_the_arm(tmp_path: Path) -> None:
    path = written(
        tmp_path, text("tau_b,q_b,t,q_a,q_grip,tau_a", "2,0.2,0,0.1,9,1", "4,0.4,.01,.2,8,3")
    )
    log = Log.read(path, joints=["a", "b"])
    np.testing.assert_array_equal(log.q, [[0.1, 0.2], [0.2, 0.4]])
    np.testing.assert_array_equal(log.tau, [[1, 2], [3, 4]])
    assert log.joint_names == ("a", "b")
    assert any("grip" in note for note in log.notes)
    numbered = Log.read(written(tmp_path, text("q2,t,q1,q10", "2,0,1,3", "5,.1,4,6")))
    np.testing.assert_array_equal(numbered.q, [[1, 2, 3], [4, 5, 6]])


def test_names_that_differ_in_a_common_part_are_matched_and_told(tmp_path: Path) -> None:
    path = written(tmp_path, text("t,q_fer_joint2,q_fer_joint1", "0,2,1", ".1,4,3"))
    log = Log.read(path, joints=["panda_joint1", "panda_joint2"])
    np.testing.assert_array_equal(log.q, [[1, 2], [3, 4]])
    assert any("fer_joint1 = panda_joint1" in note for note in log.notes)


@pytest.mark.parametrize(
    ("joints", "words"),
    [(["x", "y"], "names differ"), (["a", "b", "c"], ("2", "arm 3")), (["a"], None)],
)
def test_joints_of_another_arm(tmp_path: Path, joints: list[str], words: Said | None) -> None:
    path = written(tmp_path, text(HEADER, *ROWS))
    if words is None:
        assert Log.read(path, joints=joints).n == 1
    else:
        assert says(fault(path, joints=joints), words)


@pytest.mark.parametrize(
    ("names", "stamps"),
    [
        ("time_ms", (8, 16)),
        ("t [us]", (8000, 16000)),
        ("timestamp_ns", (8_000_000, 16_000_000)),
        ("t", (8, 16)),
        ("t", (8000, 16000)),
        ("t", (8_000_000, 16_000_000)),
        ("t", (0.008, 0.016)),
        ("sec,nanosec", ("0,8000000", "0,16000000")),
        ("header.stamp.sec,header.stamp.nanosec", ("1700000000,999000000", "1700000001,7000000")),
        ("t", (1700000000.008, 1700000000.016)),
        ("stamp", (1700000000008, 1700000000016)),
    ],
)
def test_stamps_of_every_unit(tmp_path: Path, names: str, stamps: tuple[object, object]) -> None:
    log = Log.read(written(tmp_path, text(f"{names},q1", f"{stamps[0]},1", f"{stamps[1]},2")))
    assert log.duration == pytest.approx(0.008, abs=3e-7)
    assert log.t[0] < 1.5


def test_a_unit_of_time_that_is_not_clear_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, text("t,q1", "0,1", "300,2"))
    assert "time_unit" in str(fault(path))
    assert Log.read(path, time_unit="us").duration == pytest.approx(300e-6)


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (text(HEADER, ROWS[0], "0.01,0.2,0.4,3", ROWS[2]), 3, ("4 columns", "5")),
        (text(HEADER, ROWS[0], "0.01,0.2,0.4,3,4,5", ROWS[2]), 3, "has 6 columns"),
        (text(HEADER, ROWS[0], "0.01,0.2,x,3,4", ROWS[2]), 3, ("'q_b'", "'x'", "number")),
        (text(HEADER, "0,0.1,x,3,4", ROWS[1]), 2, ("'q_b'", "'x'", "number")),
        (text(HEADER, ROWS[0], "0.01,0.2,,3,4", ROWS[2]), 3, "'q_b' is empty"),
        (text(HEADER, ROWS[0], "0.01,0.2,NaN,3,4", ROWS[2]), 3, ("'q_b'", "number")),
        (text(HEADER, ROWS[0], "0.01,0.2,inf,3,4", ROWS[2]), 3, "'q_b' is inf"),
        (text(HEADER, *ROWS, ROWS[1]), 5, "back in time"),
        (text(HEADER, *ROWS, ROWS[2]), 5, "repeats the stamp"),
        (text("# a comment", "", HEADER, ROWS[0], "", ROWS[0]), 6, "repeats the stamp"),
        (text(HEADER, ROWS[0], ROWS[1].replace(",", ";"), ROWS[2]), 3, "separated by ';'"),
        (text("t,q_a,q_a", "0,1,2"), 1, ("'q_a'", "columns")),
    ],
)
def test_a_wrong_row_is_told_with_its_line(
    tmp_path: Path, content: str, line: int, words: Said
) -> None:
    error = fault(written(tmp_path, content))
    assert error.line == line
    assert says(error, words)
    assert f"run.csv, line {line}:" in str(error)


def test_lines_are_right_beyond_the_first_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armdyn.log.text.csv.BLOCK", 64)
    rows = [f"{k / 100},{k % 7},{k % 5}" for k in range(200)]
    whole = Log.read(written(tmp_path, text("t,q1,tau1", *rows)))
    np.testing.assert_array_equal(whole.q[:, 0], [k % 7 for k in range(200)])
    rows[150] = "1.5,oops,3"
    error = fault(written(tmp_path, text("t,q1,tau1", *rows)))
    assert error.line == 152


def test_both_readers_give_the_same_bits_and_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    numbers = np.random.default_rng(0).normal(size=(500, 3)) * 10.0 ** np.arange(-300, 200)[:, None]
    rows = [f"{k / 100},{a!r},{b:.17e},{c:.3g},x" for k, (a, b, c) in enumerate(numbers.tolist())]
    path = written(tmp_path, text("t,q1,q2,q3,frame", *rows))
    plain = Log.read(path, units="rad")
    rows[300] = "3.0,1,,3,x"
    rows[400] = "4.0,1,2,y,x"
    faulty = written(tmp_path, text("t,q1,q2,q3,frame", *rows), "faulty.csv")
    monkeypatch.setattr("armdyn.log.text.csv.LONG_TEXT_CHARACTERS", 0)
    assert Log.read(path, units="rad").q.tobytes() == plain.q.tobytes()
    np.testing.assert_array_equal(plain.q[:, 0], numbers[:, 0])
    assert fault(faulty).line == 402
    rows[400] = rows[399].replace("3.99", "4.00")
    faulty = written(tmp_path, text("t,q1,q2,q3,frame", *rows), "faulty.csv")
    assert fault(faulty, units="rad").line == 302


@pytest.mark.parametrize("last", ["0.03,0.3", "0.03,0.3,0.6,5,", "0.03,0.3,0.6,5,1e-", "0"])
def test_a_last_row_that_is_cut_off_is_left_out_and_told(tmp_path: Path, last: str) -> None:
    path = written(tmp_path, text(HEADER, *ROWS) + last)
    if last.endswith(","):  # an empty cell: nobody can tell it from a missing number
        assert "line 5" in str(fault(path))
        return
    with pytest.warns(LogWarning, match=facts("5", "cut off")):
        log = Log.read(path)
    assert len(log) == 3
    assert any("cut off" in note for note in log.notes)


def test_a_last_row_without_an_end_of_line_is_kept(tmp_path: Path) -> None:
    assert len(Log.read(written(tmp_path, text(HEADER, *ROWS).rstrip("\n")))) == 3


def test_rows_with_missing_numbers_are_dropped_if_asked(tmp_path: Path) -> None:
    log = Log.read(
        written(tmp_path, text(HEADER, ROWS[0], "0.01,,0.4,3,4", ROWS[2])), missing="drop"
    )
    np.testing.assert_array_equal(log.t, [0, 0.02])
    assert any(says(n, "1 rows", "line 3") for n in log.notes)


def test_unordered_rows_are_sorted_if_asked(tmp_path: Path) -> None:
    path = written(tmp_path, text(HEADER, ROWS[2], ROWS[0], ROWS[1], "0.01,9,9,9,9"))
    log = Log.read(path, sort=True)
    np.testing.assert_array_equal(log.tau, [[1, 2], [3, 4], [5, 6]])
    assert any("sorted" in note and "1 with the stamp" in note for note in log.notes)


@pytest.mark.parametrize(
    "content",
    [
        text(HEADER, *ROWS, end="\r\n"),
        text(HEADER, *ROWS, end="\r"),
        "﻿" + text(HEADER, *ROWS),
        text(HEADER, *ROWS).replace(",", ";"),
        text(HEADER, *ROWS).replace(",", "\t"),
        text(HEADER, *ROWS).replace(",", " | "),
        text(HEADER, *ROWS).replace(",", "  "),
        text(HEADER, *ROWS).replace(",", ";").replace(".", ","),
        text(*(f"{line}," for line in (HEADER, *ROWS))),
        text(*(",".join(f'"{x}"' for x in line.split(",")) for line in (HEADER, *ROWS))),
        text("% made by a robot", "", HEADER, ROWS[0], "", "# a comment", *ROWS[1:], "", ""),
        text(f"{HEADER},frame", *(f"{row},base link" for row in ROWS)),
    ],
)
def test_dialects_of_text_read_alike(tmp_path: Path, content: str) -> None:
    log = Log.read(written(tmp_path, content))
    np.testing.assert_array_equal(log.q, [[0.1, 0.2], [0.2, 0.4], [0.3, 0.6]])
    np.testing.assert_array_equal(log.tau, [[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\n\n\n", "rows"),
        (b"\x00\x01\x02\xff" * 100, "text"),
        (b"\xff\xfet\x00,\x00q\x00", "UTF-16"),
        (b"t,q1\n", ("header", "rows")),
        (b"t,q1", ("header", "rows")),
        (b"t,q1,q2\n0,1\n", ("header", "rows")),
        (b"x" * 1_000_000 + b"\n0\n", ("line 1", "column 1", "1000000")),
        (b"t,q\n0,x\n", ("line 2", "'q'", "'x'")),
        (b't,"q1' + b"1" * 140_000 + b"\n0,1\n", ("line 1", "column 2", "quote")),
        (b't,q1\n0,"1' + b"1" * 140_000 + b"\n1,2\n", ("line 2", "'q1' is '\"")),
        (b't,q1\n0,"' + b"1," * 70_000 + b"\n1,2\n", "line 2: has 70002 columns"),
        (b"t,q1\n" + b"1" * 1_000_000 + b",2\n0,1\n", "'t'"),
        (b"\x89PNG\r\n\x1a\n\xfe\xff binary", "column"),
        (b"1,2,3\n4,5,6\n", "no time stamps"),
        (b"t,foo,bar\n0,1,2\n", ("positions", "t, foo, bar")),
        (b"foo,q1\n0,1\n", ("time stamps", "foo, q1")),
    ],
)
def test_hostile_files_are_refused_in_words(tmp_path: Path, content: bytes, words: Said) -> None:
    path = written(tmp_path, content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)
        with pytest.raises(LogError, match=facts(words)) as caught:
            Log.read(path)
    assert len(str(caught.value)) < 1000


def test_paths_that_are_no_logs(tmp_path: Path) -> None:
    assert "no such file" in str(fault(tmp_path / "none.csv"))
    assert "is a folder" in str(fault(tmp_path))
    assert "not read. Save the sheet as CSV" in str(fault(written(tmp_path, "x", "run.xlsx")))
    assert "not read. Logs are .csv" in str(fault(written(tmp_path, "x", "run.doc")))
    assert f"--src {tmp_path / 'a.bag'} --dst a" in str(fault(written(tmp_path, "x", "a.bag")))
    for wrong in ("", 3, None):
        with pytest.raises(InputError, match=facts("path")):
            Log.read(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("t,time,q1", ("'t'", "'time'")),
        ("t,q_1,position_1", ("'q'", "'q_1'", "'position_1'")),
    ],
)
def test_columns_that_are_not_clear_are_listed(tmp_path: Path, header: str, words: Said) -> None:
    row = ",".join("0" for _ in header.split(","))
    error = fault(written(tmp_path, text(header, row)))
    assert says(error, words)
    assert "columns=" in str(error)


def test_columns_can_be_said(tmp_path: Path) -> None:
    path = written(tmp_path, text("clock,time,alpha,beta,m1,m2", "0,5,1,2,3,4", ".1,6,5,6,7,8"))
    said = {"t": "clock", "q": ["beta", "alpha"], "tau": ["m2", "m1"]}
    log = Log.read(path, columns=said, joints=["x", "y"])
    np.testing.assert_array_equal(log.q, [[2, 1], [6, 5]])
    np.testing.assert_array_equal(log.tau, [[4, 3], [8, 7]])
    assert log.joint_names == ("x", "y")
    np.testing.assert_array_equal(log.extra["time"], [5, 6])
    starred = Log.read(path, columns={"t": "clock", "q": "m*"})
    np.testing.assert_array_equal(starred.q, [[3, 4], [7, 8]])
    for wrong in ({"t": "clok"}, {"q": "z*"}):
        error = fault(path, columns=wrong)
        assert "clock" in str(error)
    with pytest.raises(InputError, match="has the key 'x'"):
        Log.read(path, columns={"x": "clock"})


def test_a_file_without_a_header_is_read_by_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, text("0,1,2", "0.1,3,4"))
    log = Log.read(path, columns={"t": "1", "q": ["2"], "tau": ["3"]})
    np.testing.assert_array_equal(log.q, [[1], [3]])
    assert any("no header" in note for note in log.notes)
