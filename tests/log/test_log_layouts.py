"""Headers of real software: what their columns are, and that nothing is read in a wrong unit."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import armdyn
from armdyn.errors import ArmdynError, LogError
from armdyn.log.recognition.names import ROLES, meaning
from armdyn.log.recognition.suggest import matching

T = np.arange(60) * 0.008
# Two joints that move, in SI units; not multiples of a step of any encoder.
Q = np.column_stack([0.7 * np.sin(3 * T + 0.1), 0.4 * np.cos(2 * T)])
SI = {
    "t": T[:, None], "q": Q, "qd": np.gradient(Q, T, axis=0), "tau": 9.0 * Q + 1.0,
    "current": 2.0 * Q - 0.3, "q_cmd": Q + 0.01, "load": 30.0 * Q, "x": np.ones((60, 1)),
}  # fmt: skip
DEG, MILLI = 180.0 / np.pi, 1e3


def column(name: str, role: str, joint: int = 0, factor: float = 1.0) -> tuple[str, np.ndarray]:
    return name, SI[role][:, joint] * factor


def both(form: str, role: str, factor: float = 1.0, begin: int = 1) -> list[tuple[str, np.ndarray]]:
    """Return the columns of both joints, of a name with their number."""
    return [column(form.format(begin + k), role, k, factor) for k in (0, 1)]


def named(form: str, role: str, factor: float = 1.0) -> list[tuple[str, np.ndarray]]:
    """Return the columns of both joints, of a name with theirs."""
    names = ("shoulder_pan", "elbow_flex")
    return [column(form.format(name), role, k, factor) for k, name in enumerate(names)]


def t(name: str, factor: float = 1.0) -> list[tuple[str, np.ndarray]]:
    return [column(name, "t", 0, factor)]


# Layouts of software, and the quantities that they have.
LAYOUTS: dict[str, tuple[list[tuple[str, np.ndarray]], str]] = {
    "ur_rtde": (
        t("timestamp") + both("target_q_{}", "q_cmd", begin=0)
        + both("target_moment_{}", "load", begin=0)
        + both("actual_q_{}", "q", begin=0) + both("actual_qd_{}", "qd", begin=0)
        + both("actual_current_{}", "current", begin=0) + [column("actual_TCP_pose_0", "x")]
        + [column("actual_TCP_speed_0", "x"), column("robot_mode", "x")],
        "q qd current q_cmd",
    ),
    "libfranka": (
        t("time", MILLI) + [column("success_rate", "x")] + both("state.q[{}]", "q", begin=0)
        + both("state.dq[{}]", "qd", begin=0) + both("state.tau_J[{}]", "tau", begin=0)
        + both("state.tau_ext_hat_filtered[{}]", "load", begin=0)
        + both("cmd.q_d[{}]", "q_cmd", begin=0) + both("cmd.tau_J_d[{}]", "load", begin=0)
        + [column(f"cmd.O_T_EE_d[{k}]", "x") for k in range(16)],
        "q qd tau q_cmd",
    ),
    "libfranka_old": (
        t("duration", MILLI) + both("q[{}]", "q", begin=0) + both("q_d[{}]", "q_cmd", begin=0)
        + both("dq[{}]", "qd", begin=0) + both("dq_d[{}]", "load", begin=0)
        + both("tau_J[{}]", "tau", begin=0) + both("theta[{}]", "load", begin=0),
        "q qd tau q_cmd",
    ),
    "kuka_rsi": (
        t("IPOC", MILLI) + both("AIPos.A{} [deg]", "q", DEG) + both("ASPos.A{} [deg]", "q_cmd", DEG)
        + both("MACur.A{}", "current") + [column("RIst.X", "x"), column("RIst.A", "x")],
        "q q_cmd current",
    ),
    "kuka_rsi_without_units": (
        t("IPOC", MILLI) + both("AIPos_A{}", "q", DEG) + both("ASPos_A{}", "q_cmd", DEG)
        + both("MACur_A{}", "current"),
        "q q_cmd current",
    ),
    "kuka_trace": (
        t("Timestamp [ms]", MILLI) + both("A{}_ActPos(deg)", "q", DEG)
        + both("A{}_CmdPos(deg)", "q_cmd", DEG) + both("A{}_MotCurr(A)", "current"),
        "q q_cmd current",
    ),
    "kuka_krl": (
        t("Time (s)") + both("$AXIS_ACT.A{} [°]", "q", DEG) + both("$TORQUE_AXIS_ACT[{}]", "tau")
        + both("$CURR_ACT[{}] [A]", "current"),
        "q tau current",
    ),
    "kuka_pyfri": (
        [*t("time"), column("index", "x"), column("dt", "x"), *both("mp{}", "q"),
         *both("ip{}", "q_cmd"), *both("mt{}", "tau"), *both("et{}", "load")],
        "q tau q_cmd",
    ),
    "kuka_fri_1": (
        t("t") + both("msrJntPos[{}]", "q", begin=0) + both("cmdJntPos[{}]", "q_cmd", begin=0)
        + both("msrJntTrq[{}]", "tau", begin=0),
        "q tau q_cmd",
    ),
    "plc_export": (
        t("time [us]", 1e6) + both("Axis{}.Position [deg]", "q", DEG)
        + both("Axis{}.Velocity [deg/s]", "qd", DEG) + both("Axis{}.Torque [Nm]", "tau"),
        "q qd tau",
    ),
    "camel": (t("Time_ms", MILLI) + both("J{}Pos(rad)", "q") + both("J{}Vel(rad/s)", "qd")
              + both("J{}Torque(Nm)", "tau"), "q qd tau"),
    "joint_first": (t("t [s]") + both("Joint_{}_Position (°)", "q", DEG)
                    + both("Joint_{}_Torque (Nm)", "tau"), "q tau"),
    "rates": (t("t_us", 1e6) + both("q{}_deg", "q", DEG) + both("qd{}_deg_s", "qd", DEG)
              + both("current_{}_mA", "current", MILLI), "q qd current"),
    "rpm": (t("time") + both("angle_deg_{}", "q", DEG) + both("speed_{} [rpm]", "qd", 30 / np.pi)
            + both("torque_mNm_{}", "tau", MILLI), "q qd tau"),
    "ros_flat": (
        t("time") + named("/joint_states/{}/position", "q")
        + named("/joint_states/{}/velocity", "qd") + named("/joint_states/{}/effort", "tau"),
        "q qd tau",
    ),
    "plotjuggler": (
        t("__time") + named("/joint_states/position/{}", "q")
        + named("/joint_states/effort/{}", "tau"),
        "q tau",
    ),
    "drake": (
        t("time_us", 1e6) + both("joint_position_measured[{}]", "q", begin=0)
        + both("joint_torque_measured[{}]", "tau", begin=0)
        + both("joint_position_commanded[{}]", "q_cmd", begin=0),
        "q tau q_cmd",
    ),
    "lerobot_csv": (
        t("timestamp") + named("observation.state.{}.pos [deg]", "q", DEG)
        + named("action.{}.pos [deg]", "q_cmd", DEG) + [column("episode_index", "x")],
        "q q_cmd",
    ),
    "mujoco": (t("time") + both("qpos_{}", "q", begin=0) + both("qvel_{}", "qd", begin=0), "q qd"),
    "abb": (t("Time [s]") + both("Axis {} position [deg]", "q", DEG)
            + both("Axis {} torque [Nm]", "tau"), "q tau"),
    "fanuc": (t("Time(ms)", MILLI) + both("J{} Position (deg)", "q", DEG)
              + both("J{} Current (A)", "current") + both("J{} Disturbance", "load"), "q current"),
    "axis_units": (t("time [ms]", MILLI) + both("A{} [deg]", "q", DEG)
                   + both("A{} [Nm]", "tau"), "q tau"),
    "effort_in_amperes": (t("t") + both("q{}", "q") + both("effort_{} [A]", "current"),
                          "q current"),
    "tau_in_milliamperes": (t("t") + both("q{}", "q") + both("tau_{}_mA", "current", MILLI),
                            "q current"),
    "percent": (t("t") + both("q{}", "q") + both("torque_{} [%]", "load"), "q load"),
    "imperial": (t("t") + both("q{}", "q")
                 + both("torque_{} [lbf in]", "tau", 1 / 0.1129848290276167), "q tau"),
    "units_before": (t("t") + both("pos[deg]_{}", "q", DEG) + both("torque[Nm]_{}", "tau"),
                     "q tau"),
    "joints": (t("t") + named("{}", "q") + named("{}_torque", "tau"), "q tau"),
    "joints_in_degrees": (t("t") + named("{} (deg)", "q", DEG) + named("{} torque", "tau"),
                          "q tau"),
    "joints_deg": (t("t") + named("{}_deg", "q", DEG) + named("{}_torque_Nm", "tau"), "q tau"),
    "drive_objects": (t("t") + both("Position actual value {}", "q")
                      + both("Torque actual value {}", "tau"), "q tau"),
    "permille": (t("t") + both("q{}", "q") + both("torque_permille_{}", "load"), "q load"),
    "spaces": (t("Elapsed Time [s]") + both("Motor {} actual position [rad]", "q")
               + both("Motor {} actual current [A]", "current"), "q current"),
}  # fmt: skip


def written(
    path: Path,
    columns: list[tuple[str, np.ndarray]],
    change: Callable[[str], str] = str,
) -> Path:
    heads = ",".join(change(name) for name, _ in columns)
    rows = np.column_stack([values for _, values in columns])
    np.savetxt(path, rows, delimiter=",", header=heads, comments="", fmt="%.17g", encoding="utf-8")
    return path


def check(log: armdyn.Log, roles: str) -> None:
    np.testing.assert_allclose(log.t, T, atol=1e-9)
    for role in ("q", "qd", "tau", "current", "q_cmd", "load"):
        values = getattr(log, role)
        if role == "tau" and log.effort == "current":
            continue
        if role in roles.split():
            assert values is not None, role
            np.testing.assert_allclose(values, SI[role], rtol=1e-9, atol=1e-9, err_msg=role)
        else:
            assert values is None, role


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_read_in_si_units_in_any_order_and_case(tmp_path: Path, name: str) -> None:
    columns, roles = LAYOUTS[name]
    check(armdyn.Log.read(written(tmp_path / "log.csv", columns)), roles)
    mixed = [columns[k] for k in np.random.default_rng(len(name)).permutation(len(columns))]
    is_named = any("shoulder" in head for head, _ in columns)
    if not is_named:  # names alone have the order of the file
        check(armdyn.Log.read(written(tmp_path / "log.csv", mixed)), roles)
    joints = ["shoulder_pan", "elbow_flex"] if is_named else ["one", "two"]
    for change in (str, str.lower, str.upper):
        path = written(tmp_path / "log.csv", mixed, change)
        check(armdyn.Log.read(path, joints=joints), roles)


def test_efforts_in_amperes_are_said_to_be_currents(tmp_path: Path) -> None:
    for name in ("effort_in_amperes", "tau_in_milliamperes"):
        log = armdyn.Log.read(written(tmp_path / "log.csv", LAYOUTS[name][0]))
        assert log.effort == "current"
        assert any("currents, not as torques" in note for note in log.notes)
    heads = t("t") + both("q{}", "q") + both("drive {} (A)", "current")
    path = written(tmp_path / "log.csv", heads)
    log = armdyn.Log.read(path, columns={"tau": "drive * (A)"})
    assert log.effort == "current"
    assert any("currents, not as torques" in note for note in log.notes)


def test_the_torque_of_a_controllers_model_is_no_measurement(tmp_path: Path) -> None:
    log = armdyn.Log.read(written(tmp_path / "log.csv", LAYOUTS["ur_rtde"][0]))
    assert log.effort == "current"
    assert any("target_moment_0" in note for note in log.notes)
    asked = armdyn.Log.read(tmp_path / "log.csv", columns={"tau": "target_moment_?"})
    assert asked.effort == "torque"


@pytest.mark.parametrize("unit", ["[quux]", "[counts]", "[inc]", "(raw)", "[V]", "[Nm]", "[deg/s]"])
def test_positions_of_an_unknown_unit_are_never_read_silently(tmp_path: Path, unit: str) -> None:
    path = written(tmp_path / "log.csv", t("t") + both(f"pos_{{}} {unit}", "q"))
    with pytest.raises(LogError, match="unit of 'pos_1"):
        armdyn.Log.read(path)
    assert armdyn.Log.read(path, units="rad").n == 2


@pytest.mark.parametrize("role", ["qd", "tau", "current"])
def test_other_quantities_of_an_unknown_unit_are_left_out_with_a_note(
    tmp_path: Path, role: str
) -> None:
    path = written(
        tmp_path / "log.csv", t("t") + both("q{}", "q") + both(f"{role}_{{}} [quux]", role)
    )
    log = armdyn.Log.read(path)
    assert log.qd is None and log.tau is None
    assert any("quux" in note for note in log.notes)


def test_positions_without_a_unit_are_told_to_be_radians(tmp_path: Path) -> None:
    log = armdyn.Log.read(written(tmp_path / "log.csv", t("t") + both("J{}Pos", "q")))
    assert any("taken as rad" in note for note in log.notes)
    assert "--units rad" in log.command
    plain = armdyn.Log.read(written(tmp_path / "log.csv", t("t") + both("q{}", "q")))
    assert plain.notes == ()


def test_efforts_of_other_things_than_joints_are_left_out_with_a_note(tmp_path: Path) -> None:
    columns = [*t("t"), *both("q{}", "q"), column("battery_current", "load")]
    log = armdyn.Log.read(written(tmp_path / "log.csv", columns))
    assert log.tau is None and log.current is None
    assert any("battery_current" in note for note in log.notes)


@pytest.mark.parametrize("role", ["tau", "current"])
def test_a_joint_without_effort_has_zeros_and_is_named(tmp_path: Path, role: str) -> None:
    one = [column(f"{role}2", role, 1)]
    path = written(tmp_path / "log.csv", [*t("t"), *both("q{}", "q"), *one])
    for read in (armdyn.Log.read, armdyn.Log.stream):
        with pytest.warns(armdyn.LogWarning, match="efforts never change.* 1"):
            log = read(path)
        assert log.tau is not None
        np.testing.assert_allclose(np.asarray(log.tau), SI[role] * [0.0, 1.0])
        assert any(f"there is no {role} of 1" in note for note in log.notes)


def test_velocities_of_some_joints_are_left_out_with_a_note(tmp_path: Path) -> None:
    columns = [*t("t"), *both("q{}", "q"), column("qd2", "qd", 1), *both("tau{}", "tau")]
    log = armdyn.Log.read(written(tmp_path / "log.csv", columns))
    assert log.qd is None and log.tau is not None
    assert any("qd is left out" in note for note in log.notes)


def test_efforts_of_other_names_are_offered_in_the_order_of_the_positions(tmp_path: Path) -> None:
    columns = [*t("t"), *named("q_{}", "q"), column("tau_x", "tau"), column("tau_y", "tau", 1)]
    path = written(tmp_path / "log.csv", columns)
    with pytest.raises(LogError, match="same order") as caught:
        armdyn.Log.read(path)
    log = armdyn.Log.read(path, columns=caught.value.columns)
    np.testing.assert_allclose(log.tau, SI["tau"])


def test_efforts_by_the_names_of_the_columns_of_positions(tmp_path: Path) -> None:
    columns = [*t("t"), *named("{}", "q"), *named("{}_torque", "tau")]
    path = written(tmp_path / "log.csv", columns)
    said = {"q": ["elbow_flex", "shoulder_pan"]}
    log = armdyn.Log.read(path, columns=said, joints=["one", "two"])
    np.testing.assert_allclose(log.q, Q[:, ::-1])
    np.testing.assert_allclose(log.tau, SI["tau"][:, ::-1])


def test_efforts_after_names_of_several_words_are_suggested(tmp_path: Path) -> None:
    joints = ["shoulder_pan_joint", "elbow_joint"]
    columns = [(f"{joint}/pos", Q[:, k]) for k, joint in enumerate(joints)]
    columns += [(f"{joint}/eff", SI["tau"][:, k]) for k, joint in enumerate(joints)]
    path = written(tmp_path / "log.csv", [*t("stamp"), *columns])
    (note,) = [note for note in armdyn.Log.read(path).notes if "may be right" in note]
    said = ast.literal_eval(note.partition("columns=")[2].partition(" may be")[0])
    np.testing.assert_allclose(armdyn.Log.read(path, columns=said).tau, SI["tau"])


# Steps of encoders.

COUNTS = np.array([1500, 2100]) + np.round(500 * Q).astype(int)


@pytest.mark.parametrize(("unit", "digits"), [("deg", 3), ("deg", 6), ("rad", 5), ("rad", 9)])
@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_steps_of_servo_drives_tell_degrees_from_radians(
    tmp_path: Path, unit: str, digits: int, suffix: str
) -> None:
    step = 360 / 4096 if unit == "deg" else 2 * np.pi / 4096
    values = np.round((COUNTS - 2048) * step, digits)
    path = tmp_path / f"log.{suffix}"
    if suffix == "csv":
        written(path, [("t", T), ("pos_1", values[:, 0]), ("pos_2", values[:, 1])])
    else:
        np.savez(path, t=T, position=values)
    for log in (armdyn.Log.read(path), armdyn.Log.stream(path)):
        expected = (COUNTS - 2048) * 2 * np.pi / 4096
        np.testing.assert_allclose(np.asarray(log.q), expected, atol=1e-5)
        assert any(f"taken as {unit}" in note for note in log.notes)
        assert f"--units {unit}" in log.command


def test_digits_are_no_steps_of_an_encoder(tmp_path: Path) -> None:
    """Radians of three digits have the step of an encoder of 0.001 degrees."""
    for form in ("pos_{}", "j{}.pos", "q{}"):
        rounded = [(name, np.round(x, 3)) for name, x in both(form, "q")]
        log = armdyn.Log.read(written(tmp_path / "log.csv", [("t", T), *rounded]))
        np.testing.assert_allclose(log.q, np.round(Q, 3))


def test_registers_of_servo_drives_are_counts_from_the_middle(tmp_path: Path) -> None:
    columns = [("t", T)]
    for k in (0, 1):
        columns += [
            (f"Present_Position_{k + 1}", COUNTS[:, k]),
            (f"Goal_Position_{k + 1}", COUNTS[:, k] + 8),
            (f"Present_Velocity_{k + 1}", COUNTS[:, k]), (f"Present_Load_{k + 1}", COUNTS[:, k]),
            (f"Present_Current_{k + 1}", COUNTS[:, k]),
        ]  # fmt: skip
    path = written(tmp_path / "log.csv", columns)
    with pytest.warns(armdyn.LogWarning, match="zero at 2048"):
        log = armdyn.Log.read(path)
    np.testing.assert_allclose(log.q, (COUNTS - 2048) * 2 * np.pi / 4096)
    np.testing.assert_allclose(log.q_cmd - log.q, np.full(Q.shape, 8 * 2 * np.pi / 4096))
    assert log.qd is None and log.load is not None and log.effort == "current"
    assert "--units counts" in log.command
    again = armdyn.Log.read(path, units="counts")
    np.testing.assert_array_equal(again.q, log.q)
    assert not any("zero at" in note for note in again.notes)


def test_drives_are_numbered_as_by_dynamixel_wizard(tmp_path: Path) -> None:
    columns = [("Time(ms)", MILLI * T)]
    columns += [(f"[ID:{k + 1:03d}] Present Position", COUNTS[:, k]) for k in (0, 1)]
    columns += [(f"[ID:{k + 1:03d}] Present Current", np.round(50 * Q[:, k])) for k in (0, 1)]
    with pytest.warns(armdyn.LogWarning, match="zero at 2048"):
        log = armdyn.Log.read(written(tmp_path / "log.csv", columns), joints=["one", "two"])
    np.testing.assert_allclose(log.q, (COUNTS - 2048) * 2 * np.pi / 4096)
    assert log.effort == "current"
    assert any("currents in the numbers of the drives" in note for note in log.notes)


def test_steps_of_any_encoder_are_a_share_of_a_turn(tmp_path: Path) -> None:
    steps = np.round(Q * 1e6 / (2 * np.pi))
    path = written(tmp_path / "log.csv", [("t", T), ("pos_1", steps[:, 0]), ("pos_2", steps[:, 1])])
    with pytest.raises(LogError, match=r"units=.rev/"):
        armdyn.Log.read(path)
    for units in ("rev/1000000", ["rev/1000000", "rev/1000000.0"]):
        log = armdyn.Log.read(path, units=units)
        np.testing.assert_allclose(log.q, Q, atol=1e-5)
        assert "--units rev/1000000" in log.command
    for wrong in ("rev/0", "rev/", "rev/-4", "rev/x", "rev/1e9", ["rad", "rev/0"], ["rad", 3]):
        with pytest.raises(armdyn.InputError, match="units"):
            armdyn.Log.read(path, units=wrong)


def test_whole_numbers_are_asked_about_with_an_option_that_works(tmp_path: Path) -> None:
    path = written(
        tmp_path / "log.csv", [("t", T), ("pos_1", COUNTS[:, 0]), ("pos_2", COUNTS[:, 1])]
    )
    with pytest.raises(LogError, match='units="counts"') as caught:
        armdyn.Log.read(path)
    assert "deg" in str(caught.value)
    assert np.abs(armdyn.Log.read(path, units="counts").q).max() < 3.2


def test_degrees_without_steps_are_refused_with_an_option_that_works(tmp_path: Path) -> None:
    path = written(tmp_path / "log.csv", t("t") + both("pos_{}", "q", DEG))
    with pytest.raises(LogError, match='units="deg"'):
        armdyn.Log.read(path)
    np.testing.assert_allclose(armdyn.Log.read(path, units="deg").q, Q)


# Patterns.


def test_patterns_take_columns_in_natural_order(tmp_path: Path) -> None:
    names = [f"A{k}_Foo (deg)" for k in (10, 2, 1, 3, 4, 5, 6, 7, 8, 9)]
    numbers = {name: np.full(60, float(name[1:].split("_")[0])) for name in names}
    path = written(tmp_path / "log.csv", [("t", T), *numbers.items()])
    for pattern in ("A*_Foo*", "A*_Foo (deg)", "A*"):
        with pytest.warns(armdyn.LogWarning):
            log = armdyn.Log.read(path, columns={"q": pattern})
        np.testing.assert_allclose(log.q[0] * DEG, np.arange(1, 11))
    with pytest.warns(armdyn.LogWarning):
        nine = armdyn.Log.read(path, columns={"q": "A[1-5]_Foo*"})
        assert nine.joint_names == ("1", "2", "3", "4", "5")
        assert armdyn.Log.read(path, columns={"q": "A?_Foo*"}).n == 9
    with pytest.raises(LogError, match=r"matches 9 columns: A1_Foo \(deg\), .* 2 columns"):
        armdyn.Log.read(path, columns={"q": "A?_Foo*"}, joints=["one", "two"])
    with pytest.raises(LogError, match="no column is like 'B"):
        armdyn.Log.read(path, columns={"q": "B?_Foo*"})


def test_patterns_of_names_go_to_the_joints_of_these_names(tmp_path: Path) -> None:
    columns = [*t("t"), column("elbow_winkel", "q", 1), column("lift_winkel", "q", 0)]
    path = written(tmp_path / "log.csv", columns)
    log = armdyn.Log.read(path, columns={"q": "*_winkel"}, joints=["lift", "elbow"])
    np.testing.assert_allclose(log.q, Q)


@given(st.lists(st.text("A1?*[]x_", max_size=6), max_size=6), st.text("A1?*[]x_!-", max_size=6))
def test_any_pattern_matches_without_failing(names: list[str], pattern: str) -> None:
    hits = [name for name, _ in matching(pattern, names)]
    assert set(hits) <= set(names)
    if pattern in names and not set("?*[]") & set(pattern):
        assert hits.count(pattern) == names.count(pattern)


# Suggestions.


@pytest.mark.parametrize(
    "heads",
    [
        ("tick", "w1", "w2", "m1_Drehmoment", "m2_Drehmoment"),
        ("clk", "Achse 1, Ist", "Achse 2, Ist", "k1", "k2"),
        ("a b", "[x]1", "[x]2", "*y1", "*y2"),
        ("clk", "links_winkel", "rechts_winkel", "links_foo", "rechts_foo"),
    ],
)
def test_unknown_columns_are_suggested_as_options_that_work_when_pasted(
    tmp_path: Path, heads: tuple[str, ...]
) -> None:
    rough = np.random.default_rng(1).normal(size=(60, 2))
    path = tmp_path / "log.csv"
    heads_line = ",".join(f'"{name}"' for name in heads)
    np.savetxt(path, np.column_stack([T, Q, rough]), delimiter=",", header=heads_line, comments="")
    with pytest.raises(LogError) as caught:
        armdyn.Log.read(path, joints=["one", "two"])
    python = re.search(r"columns=(\{.*\})", str(caught.value))
    assert python is not None
    columns = ast.literal_eval(python[1])
    log = armdyn.Log.read(path, joints=["one", "two"], columns=columns)
    np.testing.assert_allclose(log.q, Q)


# Hostile headers.


@given(st.text(max_size=60))
@settings(max_examples=300)
def test_any_name_has_a_meaning_or_none(name: str) -> None:
    found = meaning(name)
    assert found is None or found.role in (*ROLES, "t", "nanosec", "episode")


@given(
    st.lists(
        st.text(st.characters(blacklist_categories=("Cs",)), max_size=12)
        | st.sampled_from(
            ["t", "q1", "q2", "<b>q1</b>", "q1", "", "[bold]q[/bold]", "q*", "q\\", "tau1"]
        ),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=150, deadline=None)
def test_hostile_headers_are_read_or_refused_in_words(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "log.csv"
    heads = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    rows = "\n".join(",".join(f"{k * 0.01:g}" for _ in names) for k in range(5))
    path.write_text(f"{heads}\n{rows}\n", encoding="utf-8")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", armdyn.LogWarning)
            armdyn.Log.read(path)
    except ArmdynError as error:
        assert len(str(error)) < 20_000


def test_ten_thousand_columns_are_refused_soon_and_shortly(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    heads = ",".join(f"column{k}x" for k in range(10_000))
    path.write_text(f"{heads}\n{','.join(['1'] * 10_000)}\n{','.join(['2'] * 10_000)}\n")
    with pytest.raises(LogError, match="and 9960 more") as caught:
        armdyn.Log.read(path)
    assert len(str(caught.value)) < 3000


def test_shares_of_a_rated_torque_are_offered_as_torques_with_a_gain(tmp_path: Path) -> None:
    columns = [*t("t"), *both("q{}", "q"), *both("Motor torque {} [%]", "load")]
    path = written(tmp_path / "log.csv", columns)
    log = armdyn.Log.read(path)
    (note,) = [note for note in log.notes if "kept as load" in note]
    said = ast.literal_eval(note.partition("columns=")[2].removesuffix("."))
    assert log.tau is None
    np.testing.assert_allclose(armdyn.Log.read(path, columns=said).tau, SI["load"])
