"""Text files as programs write them: preambles, rows of units, dates, lists, tables of ROS."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.errors import LogError
from armdyn.log.turns import Turns

STEP = 0.01
T = STEP * np.arange(40)
Q = np.stack([0.4 * np.sin(3.0 * T), 0.2 * np.cos(2.0 * T)], axis=1)
TAU = np.stack([2.0 + T, 1.0 - T], axis=1)
JOINTS = ("arm_1_joint", "arm_2_joint")


def numbers(row: np.ndarray) -> str:
    return ",".join(f"{x:.9f}" for x in row)


def plain(k: int) -> str:
    return numbers(np.concatenate([[T[k]], Q[k], TAU[k]]))


def listed(k: int) -> str:
    return f'{T[k]:.6f},"{list(JOINTS)}","{Q[k].tolist()}","{TAU[k].tolist()}"'


def array(k: int) -> str:
    each = (f"\"array('d', {x.tolist()})\"" for x in (Q[k], TAU[k]))
    return ",".join([f"{T[k]:.6f}", *each])


def stamped(k: int) -> str:
    return f"2026-11-18T23:59:59.{10 * k:03d}+01:00,{numbers(np.concatenate([Q[k], TAU[k]]))}"


def german(k: int) -> str:
    cells = [f"{x:.9f}".replace(".", ",") for x in np.concatenate([Q[k], TAU[k]])]
    return ";".join([f"18.11.2026 10:00:00,{10 * k:03d}", *cells])


def message(k: int) -> str:
    at = 1_700_000_000_000_000_000 + round(1e9 * T[k])
    return f"{at},{k},{at},,{','.join(JOINTS)},{numbers(np.concatenate([Q[k], TAU[k]]))}"


def echoed(k: int) -> str:
    begin = f"1700000000,{round(1e9 * T[k])},,{','.join(JOINTS)}"
    return f"{begin},{numbers(np.concatenate([Q[k], 0 * Q[k], TAU[k]]))}"


PLAIN = "t,q1,q2,tau1,tau2"
MESSAGE = (
    "%time,field.header.seq,field.header.stamp,field.header.frame_id,field.name0,field.name1,"
    "field.position0,field.position1,field.effort0,field.effort1"
)
LAYOUTS = {
    "preamble": ("Robot: UR10\nSerial: 7\nStep: 8 ms\n\n" + PLAIN, plain),
    "preamble_in_columns": ("Robot,UR10\nSerial,7\n" + PLAIN, plain),
    "units": (PLAIN + "\ns,rad,rad,Nm,Nm", plain),
    "units_in_brackets": (PLAIN + "\n[s],[rad],[rad],[Nm],", plain),
    "index": (",t,q1,q2,tau1,tau2", lambda k: f"{k},{plain(k)}"),
    "lists": ("time,name,position,effort", listed),
    "arrays": ("time,position,effort", array),
    "dates": ("timestamp,q1,q2,tau1,tau2", stamped),
    "german": ("Datum;q1;q2;tau1;tau2", german),
    "rostopic": (MESSAGE, message),
    "ros2_topic_echo": ("", echoed),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_read_whole_and_in_blocks(tmp_path: Path, name: str) -> None:
    header, row = LAYOUTS[name]
    path = tmp_path / "log.csv"
    path.write_text("\n".join([*([header] if header else []), *map(row, range(len(T))), ""]))
    for log in (armdyn.Log.read(path), armdyn.Log.stream(path)):
        assert log.tau is not None
        np.testing.assert_allclose(np.asarray(log.t[:]) - log.t[0], T, atol=1e-6)
        np.testing.assert_allclose(np.asarray(log.q[:]), Q, atol=1e-8)
        np.testing.assert_allclose(np.asarray(log.tau[:]), TAU, atol=1e-8)


def test_dates_tell_the_clock_of_the_recorder(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["timestamp,q1,q2,tau1,tau2", *map(stamped, range(len(T)))]))
    assert armdyn.Log.read(path).origin == np.datetime64("2026-11-18T22:59:59").astype(float)


def test_units_of_a_row_are_those_of_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\n".join([PLAIN, "s,deg,deg,Nmm,Nmm", *map(plain, range(len(T)))]))
    log = armdyn.Log.read(path)
    assert log.tau is not None
    np.testing.assert_allclose(log.q, np.radians(Q), atol=1e-8)
    np.testing.assert_allclose(log.tau, 1e-3 * TAU, atol=1e-8)


@pytest.mark.parametrize("name", ["lists", "rostopic", "ros2_topic_echo"])
def test_names_in_rows_are_those_of_the_joints(tmp_path: Path, name: str) -> None:
    header, row = LAYOUTS[name]
    path = tmp_path / "log.csv"
    path.write_text("\n".join([*([header] if header else []), *map(row, range(len(T)))]))
    log = armdyn.Log.read(path, joints=JOINTS[::-1])
    np.testing.assert_allclose(log.q, Q[:, ::-1], atol=1e-8)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (listed(5).replace("arm_1", "leg_1"), "leg_1_joint"),
        (listed(5).replace("]", ", 1.0]"), "list of"),
        (f"{T[5]}", "has 1 columns"),
    ],
)
def test_a_row_that_differs_is_told_with_its_line(tmp_path: Path, line: str, words: str) -> None:
    lines = ["time,name,position,effort", *map(listed, range(len(T)))]
    lines[6] = line
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(LogError, match=f"line 7: .*{words}"):
        armdyn.Log.read(path)


def test_a_last_line_that_is_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["time,name,position,effort", *map(listed, range(len(T)))])[:-9])
    with pytest.warns(armdyn.LogWarning, match="cut off"):
        assert len(armdyn.Log.read(path)) == len(T) - 1


def test_a_rate_stands_for_time_stamps(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [numbers(np.concatenate([[k], Q[k], TAU[k]])) for k in range(len(T))]
    path.write_text("\n".join(["sample,q1,q2,tau1,tau2", *rows]))
    with pytest.raises(LogError, match="'100 Hz'"):
        armdyn.Log.read(path)
    for log in (
        armdyn.Log.read(path, columns={"t": "100 Hz"}),
        armdyn.Log.stream(path, columns={"t": "100 Hz"}),
    ):
        np.testing.assert_allclose(np.asarray(log.t[:]), T, atol=1e-12)
    with pytest.raises(LogError, match="expected 5 to"):
        armdyn.Log.read(path, columns={"t": "1 Hz"})


def test_points_are_no_positions_of_joints(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    heads = "t,q1,q2,tau1,tau2,position.x,position.y,position.z"
    rows = [f"{plain(k)},1.0,2.0,{T[k]}" for k in range(len(T))]
    path.write_text("\n".join([heads, *rows]))
    log = armdyn.Log.read(path)
    assert log.joint_names == ("1", "2")
    assert any("pose" in note for note in log.notes)


def test_stamps_of_messages_are_preferred_to_those_of_their_recording(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [f"{T[k] + 0.001 * (k % 3)},{plain(k)}" for k in range(len(T))]
    path.write_text("\n".join(["time,header.stamp,q1,q2,tau1,tau2", *rows]))
    np.testing.assert_allclose(armdyn.Log.read(path).t, T, atol=1e-8)


@pytest.mark.parametrize("low", [0.0, -np.pi])
def test_whole_turns_are_put_back(tmp_path: Path, low: float) -> None:
    t = 0.01 * np.arange(600)
    q = np.column_stack([1.5 * np.sin(3.0 * t), 4.0 * t - 6.0, 0.3 * t])
    wrapped = (q - low) % (2.0 * np.pi) + low
    goals = (q + 0.02 - low) % (2.0 * np.pi) + low
    path = tmp_path / "log.csv"
    heads = "t,q1,q2,q3,q_cmd_1,q_cmd_2,q_cmd_3"
    np.savetxt(path, np.column_stack([t, wrapped, goals]), delimiter=",", header=heads, comments="")
    for log in (armdyn.Log.read(path, units="rad"), armdyn.Log.stream(path, units="rad")):
        whole = (np.asarray(log.q[:]) - q) / (2.0 * np.pi)
        np.testing.assert_allclose(whole, np.round(whole[0]) * np.ones_like(whole), atol=1e-8)
        assert log.q_cmd is not None
        np.testing.assert_allclose(np.asarray(log.q_cmd[:]) - np.asarray(log.q[:]), 0.02, atol=1e-8)
        assert any("whole turn" in note and "3 (" not in note for note in log.notes)


def test_without_a_jump_every_bit_stays() -> None:
    # As wide as more than half a turn, but too short to judge.
    t, q = np.arange(4.0) / 8.0, np.array([[1.0], [2.0], [6.0], [-0.0]])
    assert Turns(1).unwrapped(t, q).tobytes() == q.tobytes()


def test_turns_are_put_back_across_blocks() -> None:
    t = 0.01 * np.arange(400)
    q = np.column_stack([5.0 * t, -5.0 * t])
    turns, parts = Turns(2), []
    for a in range(0, 400, 37):
        parts.append(turns.unwrapped(t[a : a + 37], q[a : a + 37] % (2.0 * np.pi)))
    made = np.vstack(parts)
    np.testing.assert_allclose(np.diff(made, axis=0), np.diff(q, axis=0), atol=1e-9)


def test_motion_over_a_gap_is_no_jump() -> None:
    turns = Turns(1)
    q = turns.unwrapped(np.array([0.0, 0.1, 3.0, 3.1]), np.array([[0.0], [0.1], [6.3], [6.4]]))
    np.testing.assert_array_equal(q[:, 0], [0.0, 0.1, 6.3, 6.4])
