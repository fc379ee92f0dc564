"""Arms that weigh themselves: a closed-form servo makes logs whose truth is known."""

from __future__ import annotations

import ctypes
import json
import runpy
import shlex
import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import armdyn
from armdyn.cli.app import main
from armdyn.log.log import Log
from armdyn.servo.model import NEAR_SIDE, Layout, _band, _density, model_of
from armdyn.servo.prior import gravity_of, random_poses
from armdyn.servo.result import ServoResult
from armdyn.servo.rows import rows_of
from armdyn.servo.servos import SERVOS
from armdyn.servo.solve import solve
from armdyn.servo.weigh import weigh
from support.c_code import STRICT, needs_gcc
from support.pages import ROOT
from support.servo import FRICTION, LAG, STIFFNESS, described, made_log, true_arm

ELBOW, WRIST = 2, 3


@cache
def weighed() -> ServoResult:
    return weigh(described(), made_log(), servo="sts3215")


def droop_error(result: ServoResult, spring: float = 0.0) -> np.ndarray:
    q = random_poses(described(), 200, 5, 0.8)
    true = (true_arm().gravity(q) / STIFFNESS + spring * q)[:, 1:4]
    return np.sqrt(np.mean((result.droop(q)[:, 1:4] - true) ** 2, 0) / np.mean(true**2, 0))


def test_droop_friction_and_lag_are_those_of_the_servos() -> None:
    result = weighed()
    assert result.verdicts[1:4] == ("passed",) * 3
    assert result.verdict == "passed" and result.cause is None
    assert (droop_error(result) < (0.03, 0.03, 0.06)).all()
    assert np.allclose(result.friction_angle, FRICTION, rtol=0.15)
    assert np.allclose(result.lag, LAG, atol=0.01)
    assert (np.abs(result.stiffness - STIFFNESS)[1:4] < 2.5 * result.stiffness_std[1:4]).all()


def test_droop_is_that_of_the_model_and_of_the_identified_arm() -> None:
    result = weighed()
    q = random_poses(described(), 50, 6)
    model = result.model.droop(result.solution.x, q)
    assert np.allclose(result.droop(q), model, atol=1e-7)
    assert all(joint.mass > 0.0 for joint in result.arm.robot.joints)


def test_error_bars_contain_cables_beyond_the_poses_of_a_log() -> None:
    spring = 0.003
    result = weigh(described(), made_log(spring=spring, share=0.4, poses=40), servo="sts3215")
    error, bar = droop_error(result, spring), result.droop_error[1:4]
    assert error[2] > 0.2 and (error < 2.5 * bar).all()
    assert result.verdicts[WRIST] == "not passed"


def test_a_hung_mass_fixes_the_scale() -> None:
    hung = made_log(extra=0.1, seed=3, poses=12)
    result = weigh(described(), made_log(), servo="sts3215", hung=hung, hung_mass=0.1)
    assert result.scale == "mass"
    assert np.allclose(result.stiffness[1:4], STIFFNESS, rtol=0.05)
    assert result.scale_std < 0.5 * weighed().scale_std


def test_a_stated_gain_fixes_the_scale() -> None:
    result = weigh(described(), made_log(), kp=STIFFNESS)
    assert result.scale == "kp"
    assert np.allclose(result.stiffness[1:4], STIFFNESS, rtol=0.08)


def test_servos_of_unknown_type_are_found_from_the_described_masses() -> None:
    result = weigh(described(), made_log())
    assert result.scale == "description"
    assert (droop_error(result) < (0.03, 0.03, 0.06)).all()


def _model():
    arm, log = described(), made_log(poses=8)
    loaded = np.array([False, True, True, True, False, False])
    rows = rows_of(arm, log, loaded)
    return model_of(arm, gravity_of(arm), rows, np.full(6, 1 / 7.8), 0.2, 0.1, np.zeros(24))


def test_gradients_are_those_of_differences() -> None:
    model = _model()
    layout = model.layout
    x = 0.3 * np.random.default_rng(0).standard_normal(layout.size)
    x[layout.of("noise")] = 1.5
    _, compact = model.evaluate(x)
    G = np.zeros((len(compact), layout.size))
    for j in range(layout.n):
        mine = model.rows.joint == j
        G[np.ix_(mine, layout.columns(j))] = compact[mine]
    for k in range(layout.size):
        step = np.zeros(layout.size)
        step[k] = 1e-6
        by = (model.evaluate(x + step)[0] - model.evaluate(x - step)[0]) / 2e-6
        assert np.abs(by - G[:, k]).max() <= 1e-5 * max(np.abs(G[:, k]).max(), 1.0), k


def test_gradients_of_droops_are_those_of_differences() -> None:
    model = _model()
    x = 0.3 * np.random.default_rng(1).standard_normal(model.layout.size)
    q = random_poses(described(), 7, 2)
    G = model.droop_gradient(x, q)
    for k in range(model.layout.size):
        step = np.zeros(len(x))
        step[k] = 1e-6
        by = (model.droop(x + step, q) - model.droop(x - step, q)) / 2e-6
        assert np.abs(by - G[..., k]).max() < 1e-8, k


def test_parameters_that_overflow_warn_nobody() -> None:
    model = _model()
    x = np.zeros(model.layout.size)
    x[model.layout.of("noise")] = 300.0
    with pytest.raises(RuntimeWarning):
        model.evaluate(x)
    assert np.isfinite(solve(model, x).x).all()


@pytest.mark.parametrize("side", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("moving", [False, True])
def test_likelihoods_are_densities(side: float, moving: bool) -> None:
    errors = np.linspace(-1.0, 1.0, 200_001)
    full = np.ones_like(errors)
    band = _band(0.1 * full, 0.05 * full, 0.03 * full)
    p, *_ = _density(errors, band, side * full, 0.004 * full, full.astype(bool) & moving)
    assert np.isclose(np.trapezoid(p, errors), 1.0, atol=1e-9)
    if not moving:
        above = np.trapezoid(np.where(errors > band.centre, p, 0.0), errors)
        assert np.isclose(above, 0.5 + side * (NEAR_SIDE - 0.5), atol=0.05)


def test_layout_has_every_parameter_once() -> None:
    layout = Layout(12, 6)
    own = [layout.columns(j)[layout.shared :] for j in range(6)]
    assert sorted(np.concatenate([np.arange(layout.shared), *own])) == list(range(layout.size))


def test_no_row_is_near_a_limit_or_across_an_episode() -> None:
    arm, log = described(), made_log(poses=8)
    half = len(log) // 2
    cut = replace(log, episodes=[slice(0, half), slice(half, len(log))])
    loaded = np.ones(6, dtype=bool)
    rows = rows_of(arm, cut, loaded)
    assert set(rows.episode.tolist()) == {0, 1}
    assert (rows.time[rows.episode == 1] > log.t[half] + 0.3).all()
    upper = np.array([joint.upper for joint in arm.robot.joints])
    at_stop = replace(log, q=np.tile(upper, (len(log), 1)))
    assert len(rows_of(arm, at_stop, loaded)) == 0


def test_a_wrong_sign_is_named() -> None:
    log = made_log()
    sign = np.ones(6)
    sign[ELBOW] = -1.0
    result = weigh(described(), replace(log, q=log.q * sign, q_cmd=log.q_cmd * sign))
    assert result.verdict == "not passed"
    assert result.cause is not None and result.cause.option == "--flip elbow_flex"
    again = weigh(described(), replace(log, q=log.q * sign, q_cmd=log.q_cmd * sign), flip=[ELBOW])
    assert again.verdict == "passed"


@pytest.mark.parametrize(("first", "second"), [(ELBOW, WRIST), (0, 1)])
def test_exchanged_joints_are_named(first: int, second: int) -> None:
    log, order = made_log(), list(range(6))
    order[first], order[second] = second, first
    result = weigh(described(), replace(log, q=log.q[:, order], q_cmd=log.q_cmd[:, order]))
    assert result.verdict == "not passed"
    assert result.cause is not None and result.cause.kind == "order"
    assert set(result.cause.joints) == {first + 1, second + 1}


def _follow(command: str, log: Log, capsys, monkeypatch, folder) -> int:
    """Run a command where `log.csv` is a log; return the exit status."""
    log.save(folder / "log.csv")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize("spoil", ["sign", "order", "both"])
def test_next_command_leads_to_a_model_that_passes(spoil, tmp_path, monkeypatch, capsys) -> None:
    log, order, sign = made_log(), list(range(6)), np.ones(6)
    if spoil != "order":
        sign[ELBOW] = -1.0
    if spoil != "sign":
        order[ELBOW], order[WRIST] = WRIST, ELBOW
    wrong = replace(log, q=(log.q * sign)[:, order], q_cmd=(log.q_cmd * sign)[:, order])
    command = "armdyn identify so101 log.csv --signal command --servo sts3215 -o out"
    for _ in range(2):
        status = _follow(command, wrong, capsys, monkeypatch, tmp_path)
        said = capsys.readouterr().out
        command = next(line for line in said.splitlines() if line.startswith("next: "))[6:]
        if status == 0:
            break
        assert command.startswith("armdyn identify so101 log.csv --signal command --")
    assert status == 0 and "--hung HUNG_LOG" in command
    if spoil == "sign":
        heavy = made_log(extra=0.1, seed=3, poses=12)
        bad = replace(heavy, q=heavy.q * sign, q_cmd=heavy.q_cmd * sign)
        bad.save(tmp_path / "heavy.csv")
        hung = command.replace("HUNG_LOG", "heavy.csv")
        assert _follow(hung, wrong, capsys, monkeypatch, tmp_path) == 0
        said = capsys.readouterr().out
        assert "scaled by the hung mass" in said
        command = next(line for line in said.splitlines() if line.startswith("next: "))[6:]
        assert _follow(command, wrong, capsys, monkeypatch, tmp_path) == 0


def test_next_command_after_a_poor_log_is_a_better_motion(tmp_path, monkeypatch, capsys) -> None:
    result = weigh(described(), made_log(integral=0.7), servo="sts3215")
    assert result.next_command == "armdyn excite so101 --static -o poses.csv"
    assert _follow(result.next_command, made_log(), capsys, monkeypatch, tmp_path) == 0
    assert (tmp_path / "poses.csv").exists()


def _dataset(log: Log, folder, units: str = "m100_100"):
    """Write a log as a LeRobot dataset; return its path."""
    pytest.importorskip("pyarrow")
    runpy.run_path(str(ROOT / "benchmarks" / "lerobot_dataset.py"))["write_log"](
        folder, log, "v3.0", units
    )
    return folder


@pytest.mark.parametrize("units", ["m100_100", "deg"])
def test_a_lerobot_dataset_is_weighed_by_the_command_line(
    units, tmp_path, monkeypatch, capsys
) -> None:
    log = made_log()
    at = np.arange(0.0, log.t[-1], 1.0 / 30.0)
    q, goals = (
        np.column_stack([np.interp(at, log.t, column) for column in x.T])
        for x in (log.q, log.q_cmd)
    )
    half = len(at) // 2
    slow = Log(at, q, q_cmd=goals, joint_names=log.joint_names,
               episodes=[slice(0, half), slice(half, len(at))])  # fmt: skip
    _dataset(slow, tmp_path / "dataset", units)
    words = "armdyn identify so101 dataset --servo sts3215 -o out"
    assert _follow(words, log, capsys, monkeypatch, tmp_path) == 0
    answer = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))
    assert answer["verdict"] != "not passed"
    stiffness = [joint["stiffness"] for joint in answer["joints"]]
    assert np.allclose(stiffness[1:3], STIFFNESS, rtol=0.35)


def test_a_dataset_at_rest_or_of_another_robot_is_refused(tmp_path, monkeypatch, capsys) -> None:
    log = made_log()
    still = replace(log, q=log.q[:1] + 0.0 * log.q, q_cmd=log.q_cmd[:1] + 0.0 * log.q_cmd)
    other = replace(log, q_cmd=np.roll(log.q_cmd, len(log) // 3, axis=0))
    for name, one, options, reason in (
        ("still", still, "--units deg", "too little can be weighed"),
        ("other", other, "", "the action is not the goal of these joints"),
    ):
        _dataset(one, tmp_path / name, "deg")
        words = f"armdyn identify so101 {name} {options} --signal command -o out"
        assert _follow(words, log, capsys, monkeypatch, tmp_path) == 2
        said = capsys.readouterr().err
        assert reason in said and "armdyn excite so101 --static" in said
        assert not (tmp_path / "out").exists()


def test_arguments_of_the_other_signal_are_refused() -> None:
    arm, log = described(), made_log()
    for name, value in (("friction", False), ("cutoff", 5.0), ("gain", np.ones(6)), ("test", log),
                        ("rotor", True), ("tilt", False), ("ignore_torque", [1])):  # fmt: skip
        with pytest.raises(armdyn.InputError, match=f"`{name}` is for torques") as refused:
            armdyn.identify(arm, log, signal="command", **{name: value})
        assert refused.value.argument == name
    torques = Log(log.t, log.q, tau=log.q, joint_names=log.joint_names)
    for name, value in (("kp", 8.0), ("servo", "sts3215"), ("hung", log), ("hung_mass", 0.1),
                        ("hung_at", np.zeros(3)), ("order", [2, 1, 3, 4, 5, 6])):  # fmt: skip
        with pytest.raises(armdyn.InputError, match=f"`{name}` is for commands") as refused:
            armdyn.identify(arm, torques, **{name: value})
        assert refused.value.argument == name


def test_order_names_each_column_once_and_joints_in_another_order_are_refused() -> None:
    arm, log = described(), made_log()
    with pytest.raises(armdyn.InputError, match="`order` has the columns shoulder_pan"):
        armdyn.identify(arm, log, order=["shoulder_pan", "elbow_flex"])
    names = log.joint_names[::-1]
    with pytest.raises(armdyn.InputError, match="in another order"):
        armdyn.identify(arm, replace(log, joint_names=names))


def test_an_integral_term_is_named() -> None:
    result = weigh(described(), made_log(integral=0.7), servo="sts3215")
    assert result.verdict == "not passed"
    assert result.cause is not None and result.cause.kind == "integral"


@pytest.mark.parametrize("degrees", [3.0, 10.0])
def test_a_wandering_command_is_named(degrees: float) -> None:
    log, rng = made_log(), np.random.default_rng(4)
    knots = np.arange(0.0, log.t[-1] + 6.0, 6.0)
    walk = [np.interp(log.t, knots, rng.standard_normal(len(knots))) for _ in range(6)]
    wandering = replace(log, q_cmd=log.q_cmd + np.deg2rad(degrees) * np.array(walk).T)
    result = weigh(described(), wandering, servo="sts3215")
    assert result.verdict == "not passed"
    assert result.cause is not None and result.cause.kind == "command"


def test_gravity_that_is_fed_forward_is_named() -> None:
    log = made_log()
    fed = replace(log, q_cmd=log.q_cmd - true_arm().gravity(log.q) / STIFFNESS)
    result = weigh(described(), fed, servo="sts3215")
    assert result.verdict == "not passed"
    assert result.cause is not None and "no gravity" in result.cause.what


def test_logs_without_commands_or_of_other_robots_are_refused() -> None:
    log = made_log()
    with pytest.raises(armdyn.InputError, match="no commanded positions"):
        weigh(described(), replace(log, q_cmd=None))
    other = np.random.default_rng(0).standard_normal(log.q.shape).cumsum(axis=0) * 0.02
    with pytest.raises(armdyn.InputError, match="not the goal of these joints"):
        weigh(described(), replace(log, q_cmd=other))


@pytest.mark.parametrize("later", [0, 1, 3])
def test_copies_of_positions_are_no_goals(later: int) -> None:
    log = made_log()
    goals = np.vstack([log.q[later:], np.tile(log.q[-1:], (later, 1))])
    with pytest.raises(armdyn.InputError, match="is a copy of the position"):
        weigh(described(), replace(log, q_cmd=goals))


def test_options_of_servos_say_that_a_log_has_no_commands(tmp_path, monkeypatch, capsys) -> None:
    log = replace(made_log(), q_cmd=None)
    words = "armdyn identify so101 log.csv --servo sts3215 -o out"
    assert _follow(words, log, capsys, monkeypatch, tmp_path) == 2
    assert "no commanded positions" in capsys.readouterr().err
    words = "armdyn identify so101 log.csv --mass 0.1 -o out"
    assert _follow(words, made_log(), capsys, monkeypatch, tmp_path) == 2
    assert "--hung is missing: --mass" in capsys.readouterr().err


def test_samples_at_a_limit_of_relative_targets_are_left_out() -> None:
    log, limit = made_log(poses=40), 0.06
    assert log.q_cmd is not None
    error = np.clip(log.q_cmd - log.q, -limit, limit)
    assert (np.abs(error[:, 1:3]) == limit).mean(axis=0).min() > 0.1
    result = weigh(described(), replace(log, q_cmd=log.q + error), servo="sts3215")
    assert result.verdicts[1:3] == ("passed",) * 2
    assert (droop_error(result)[:2] < 0.04).all()
    notes = [note for note in result.notes if "max_relative_target" in note]
    assert any(note.startswith("Goals of shoulder_lift are at most 3.") for note in notes)
    assert not any("max_relative_target" in note for note in weighed().notes)


def test_logs_on_stops_or_of_one_pose_are_refused_with_what_to_record() -> None:
    log, arm = made_log(), described()
    upper = np.array([joint.upper for joint in arm.robot.joints])
    wave = 0.001 * np.sin(log.t)[:, None]
    stopped = replace(log, q=upper + wave, q_cmd=upper + wave)
    with pytest.raises(armdyn.InputError, match="24 poses"):
        weigh(arm, stopped)
    one = log.part(0, 25)
    still = replace(one, q=np.tile(one.q[:1], (25, 1)), q_cmd=np.tile(one.q_cmd[:1], (25, 1)))
    with pytest.raises(armdyn.InputError, match="24 poses"):
        weigh(arm, still)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(armdyn.InputError, match="hung_mass"):
        weigh(described(), made_log(), hung_mass=0.1)
    with pytest.raises(armdyn.ArmdynError, match="servo"):
        weigh(described(), made_log(), servo="sts9999")


def test_offsets_give_back_the_goals_of_the_log() -> None:
    log, offsets = made_log(), weighed().offsets
    offsets.reset()
    qd = np.gradient(log.q, log.t, axis=0)
    goals = np.array([offsets(q, v) for q, v in zip(log.q, qd, strict=True)])
    moving = np.abs(qd).min(axis=1) > 0.02
    before = np.sqrt(np.mean((log.q_cmd - log.q)[moving] ** 2, axis=0))
    after = np.sqrt(np.mean((log.q_cmd - goals)[moving] ** 2, axis=0))
    assert (after[1:3] < before[1:3] / 5.0).all()


def test_exported_offsets_compute_the_same(tmp_path) -> None:
    result = weighed()
    names = {path.name for path in result.export_offsets(tmp_path)}
    assert {"offsets.py", "identified.toml", "so101_offsets.c", "so101.c"} <= names
    q = random_poses(described(), 1, 8)[0]
    result.offsets.reset()
    expected = result.offsets(q, np.full(6, 0.3))
    code = (
        "import numpy as np, offsets;"
        "w = offsets.OffsetAction(rate=1.0, unit=1.0);"
        f"q = np.array({q.tolist()});"
        "n = offsets.ARM.joint_names;"
        "w({f'{a}.pos': x - 0.3 for a, x in zip(n, q)});"
        "d = w({f'{a}.pos': x for a, x in zip(n, q)});"
        "print(*(repr(float(d[f'{a}.pos'])) for a in n))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert np.allclose([float(word) for word in run.stdout.split()], expected, atol=1e-9)


@needs_gcc
@pytest.mark.parametrize("single", [False, True])
def test_c_of_offsets_computes_the_same(single: bool, tmp_path) -> None:
    result = weighed()
    result.export_offsets(tmp_path, single=single)
    sources = [tmp_path / "c" / name for name in ("so101_offsets.c", "so101.c")]
    command = ["gcc", *STRICT, "-fPIC", "-shared", *map(str, sources), "-lm", "-o"]
    subprocess.run([*command, str(tmp_path / "offsets.so")], check=True)
    library = ctypes.CDLL(str(tmp_path / "offsets.so"))
    real = np.float32 if single else np.float64
    bound = 1e-5 if single else 1e-13
    rng = np.random.default_rng(0)
    side, offsets = np.zeros(6, real), result.offsets
    offsets.reset()
    for q in random_poses(described(), 200, 4):
        qd = np.round(rng.uniform(-0.05, 0.05, 6), 3) * rng.choice([0.0, 1.0], 6)
        q32, qd32 = q.astype(real), qd.astype(real)
        goal, droop, effort = np.zeros(6, real), np.zeros(6, real), np.zeros(6, real)
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (q32, qd32, side, goal)]
        library.so101_command(*pointers)
        library.so101_gravity_droop(pointers[0], droop.ctypes.data_as(ctypes.c_void_p))
        library.so101_compensation(pointers[0], effort.ctypes.data_as(ctypes.c_void_p))
        assert np.abs(goal - offsets(q32, qd32)).max() < bound
        assert np.abs(droop - offsets.droop(q32)).max() < bound
        assert np.abs(effort - offsets.compensation(q32)).max() < bound
        assert np.array_equal(side, offsets.side)


def test_compensation_is_a_duty_where_the_servo_is_known_and_a_torque_elsewhere() -> None:
    q = random_poses(described(), 40, 4)
    duty = weighed().offsets
    torque = true_arm().gravity(q) / STIFFNESS * SERVOS["sts3215"].duty
    assert duty.effort_unit == "duty"
    assert np.allclose(duty.compensation(q)[:, 1:4], torque[:, 1:4], atol=0.02)
    free = weigh(described(), made_log(), kp=STIFFNESS).offsets
    assert free.effort_unit == "N m"
    assert np.allclose(free.compensation(q)[:, 1:3], true_arm().gravity(q)[:, 1:3], atol=0.1)


def test_replay_follows_left_out_positions(tmp_path) -> None:
    replay = weighed().replay
    assert replay is not None
    errors = replay.errors
    log = made_log()
    assert len(replay.t) < 0.35 * len(log)
    assert np.allclose(replay.measured[-1], log.q[-1])
    assert (errors["identified"][1:4] < 0.4 * errors["nominal"][1:4]).all()
    assert (errors["identified"] < 0.3 * errors["described"]).all()
    page = tmp_path / "report.html"
    weighed().report(page)
    assert "Replay of left-out episodes" in page.read_text(encoding="utf-8")


def test_episodes_are_left_out_whole_and_their_goals_replayed() -> None:
    log = made_log()
    cuts = np.linspace(0, len(log), 6).astype(int)
    parts = [slice(a, b) for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]
    result = weigh(described(), replace(log, episodes=parts), servo="sts3215")
    assert len(result.left_out) == 2
    assert np.allclose(result.left_out[0][0].q, log.q[parts[3]])
    assert result.replay is not None and len(result.replay.t) == parts[4].stop - parts[3].start


def test_saved_files_load_again(tmp_path) -> None:
    mujoco = pytest.importorskip("mujoco")
    result = weighed()
    result.save(tmp_path)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "identified.xml"))
    assert np.allclose(model.actuator_gainprm[:, 0], result.stiffness, rtol=1e-5)
    assert np.allclose(model.actuator_forcerange, [-2.85, 2.85])
    drives = result.arm.robot.joints
    for values, name in ((model.dof_damping, "viscous"), (model.dof_armature, "rotor_inertia")):
        assert np.allclose(values, [getattr(joint, name) for joint in drives], rtol=1e-4)
    friction = result.friction_angle * result.stiffness
    assert np.allclose(model.dof_frictionloss, friction, rtol=0.4)
    assert np.allclose(model.body_mass[1:], [joint.mass for joint in drives], rtol=1e-4)
    q = random_poses(described(), 5, 9)
    loaded = armdyn.load(tmp_path / "identified.toml")
    assert np.allclose(loaded.gravity(q), result.arm.gravity(q))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "shoulder_lift" in page and "Zero offsets" in page


def test_the_table_of_servos_says_where_its_numbers_are_from() -> None:
    for name, servo in SERVOS.items():
        assert servo.name == name and servo.source and servo.law
