"""What the numbers of a log mean: units, efforts, sides of the drives, and what cannot be right."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import InputError, Log, LogWarning
from support.logs import HEADER, fault, text, written
from support.says import says


def test_currents_are_taken_where_there_are_no_torques(tmp_path: Path) -> None:
    path = written(tmp_path, text("t,q1,i1", "0,1,5", ".1,2,6"))
    log = Log.read(path)
    assert log.effort == "current"
    np.testing.assert_array_equal(log.tau, [[5], [6]])
    assert "no torques" in str(fault(path, torque="torque"))
    both = written(tmp_path, text("t,q1,current_1 [mA],tau1", "0,1,5,7", ".1,2,6,8"))
    np.testing.assert_array_equal(Log.read(both).tau, [[7], [8]])
    np.testing.assert_allclose(Log.read(both, torque="current").tau, [[5e-3], [6e-3]])
    assert Log.read(both, torque="none").tau is None
    with pytest.raises(InputError, match="`torque` is 'volts'"):
        Log.read(both, torque="volts")


def test_targets_and_errors_are_not_measurements(tmp_path: Path) -> None:
    header = "t,q1,target_q_1,q_ref_1,position_error_1,cmd_torque_1"
    log = Log.read(written(tmp_path, text(header, "0,1,2,3,4,5", ".1,2,3,4,5,6")))
    assert log.n == 1
    assert log.tau is None
    assert len(log.extra) == 4


def test_degrees_are_converted_by_option_and_by_header(tmp_path: Path) -> None:
    rows = ("0,90,10", ".1,180,20")
    said = Log.read(written(tmp_path, text("t,q1,qd1", *rows)), units="deg")
    header = Log.read(written(tmp_path, text("t,q1 [deg],qd1 [deg/s]", *rows)))
    ending = Log.read(written(tmp_path, text("t,q1_deg,qd1_deg_per_s", *rows)))
    for log in (said, header, ending):
        np.testing.assert_allclose(log.q, [[math.pi / 2], [math.pi]])
        np.testing.assert_allclose(log.qd, [[math.pi / 18], [math.pi / 9]])
    mixed = Log.read(written(tmp_path, text("t,q1,q2", *rows)), units=["deg", "mm"])
    np.testing.assert_allclose(mixed.q, [[math.pi / 2, 0.01], [math.pi, 0.02]])
    for wrong in ("turns", ["deg"]):
        with pytest.raises(InputError, match="`units` is"):
            Log.read(written(tmp_path, text("t,q1,q2", *rows)), units=wrong)


class Limited:
    """What the reader asks of an arm."""

    def __init__(self, kind: str, lower: float, upper: float) -> None:
        joint = type("J", (), {"kind": kind, "lower": lower, "upper": upper})()
        self.joint_names = ("a",)
        self.robot = type("R", (), {"joints": (joint,)})()


def test_degrees_are_detected_and_asked_about(tmp_path: Path) -> None:
    far = written(tmp_path, text("t,q_a", "0,-90", ".1,90"), "far.csv")
    near = written(tmp_path, text("t,q_a", "0,-6", ".1,6"), "near.csv")
    wild = written(tmp_path, text("t,q_a", "0,-90", ".1,4.05e4", ".2,0.5"), "wild.csv")
    assert 'units="deg"' in str(fault(far))
    assert "A number is wrong" in str(fault(wild))
    assert Log.read(far, units="rad").q[1, 0] == 90
    assert Log.read(near).q[1, 0] == 6
    assert says(fault(near, joints=Limited("revolute", -2, 2)), "limits", "-2", "2 rad")
    assert Log.read(near, joints=Limited("revolute", -6, 6)).n == 1
    assert Log.read(far, joints=Limited("prismatic", -1, 1)).n == 1
    assert Log.read(far, joints=Limited("revolute", -100, 100)).n == 1
    assert 'units="deg"' in str(fault(far, joints=Limited("revolute", -0.1, 0.1)))
    beyond = Log.read(near, joints=Limited("revolute", 3.0, 3.2))
    assert any("beyond its limits" in note for note in beyond.notes)


def test_a_stuck_joint_and_a_constant_effort_are_told(tmp_path: Path) -> None:
    path = written(tmp_path, text(HEADER, "0,1,2,3,4", ".1,1,3,4,4"))
    with pytest.warns(LogWarning) as caught:
        log = Log.read(path)
    assert [("at rest" in str(w.message), "efforts" in str(w.message)) for w in caught] == [
        (True, False), (False, True),
    ]  # fmt: skip
    assert any(says(note, "stuck", ": a.") for note in log.notes)
    assert any(says(note, "measured", ": b.") for note in log.notes)


def test_motor_side_data_come_to_the_joints_by_the_gear_matrix(tmp_path: Path) -> None:
    gear = np.array([[0.01, 0.0], [0.002, 0.02]])
    path = written(
        tmp_path, text("t,q_a,q_b,qd_a,qd_b,tau_a,tau_b", "0,1,2,3,4,5,6", ".1,2,3,4,5,6,7")
    )
    log = Log.read(path, gear=gear)
    np.testing.assert_allclose(log.q[0], gear @ [1, 2])
    np.testing.assert_allclose(log.tau[0], np.linalg.inv(gear).T @ [5, 6])
    power = np.sum(log.tau * log.qd, axis=1)
    np.testing.assert_allclose(power, [3 * 5 + 4 * 6, 4 * 6 + 5 * 7])
    only = Log.read(path, gear=[0.01, 0.02], motor_side="tau")
    np.testing.assert_allclose(only.q[0], [1, 2])
    np.testing.assert_allclose(only.tau[0], [500, 300])
    for wrong in ([1.0], [[1, 2], [2, 4]], [math.nan, 1], "ab"):
        with pytest.raises(InputError, match="`gear`"):
            Log.read(path, gear=wrong)
    with pytest.raises(InputError, match="`motor_side`"):
        Log.read(path, gear=gear, motor_side="speed")


def test_the_unit_of_torques_is_an_option(tmp_path: Path) -> None:
    path = written(tmp_path, text("t,q_a,tau_a", "0,0,1", ".1,1,2"))
    for read in (Log.read, Log.stream):
        log = read(path, torque_unit="kgf cm")
        np.testing.assert_allclose(np.asarray(log.tau)[:, 0], [0.0980665, 0.196133])
        assert "--torque-unit 'kgf cm'" in log.command
    named = written(tmp_path, text("t,q_a,tau_a [mNm]", "0,0,1", ".1,1,2"), "named.csv")
    np.testing.assert_allclose(Log.read(named, torque_unit="N m").tau[:, 0], [1, 2])
    for wrong in ("A", "kg", "", 3.0):
        with pytest.raises(InputError, match="torque_unit"):
            Log.read(path, torque_unit=wrong)  # type: ignore[arg-type]
    for header, words in (("t,q_a,i_a", "currents"), ("t,q_a,x", "no torques")):
        other = written(tmp_path, text(header, "0,0,1", ".1,1,2"), "other.csv")
        with pytest.raises(InputError, match=words):
            Log.read(other, torque_unit="mN m")
    slider = armdyn.Arm(armdyn.Robot([armdyn.Joint(name="a", kind="prismatic")]))
    with pytest.raises(InputError, match="forces"):
        Log.read(path, joints=slider, torque_unit="mN m")


def test_two_rows_show_the_unit_of_time_in_blocks_too(tmp_path: Path) -> None:
    path = written(tmp_path, text("Time,q_a,tau_a", "0,0,1", "100000,1,2"))
    for log in (Log.read(path), Log.stream(path)):
        np.testing.assert_allclose(np.asarray(log.t), [0.0, 0.1])
        assert any("[us]" in note for note in log.notes)


def test_text_in_the_column_of_time_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, text("t,q_a,tau_a", "0,0,1", "x,1,2"))
    for read in (Log.read, Log.stream):
        with pytest.raises(armdyn.LogError, match=r"line 3.*'x'"):
            read(path)
