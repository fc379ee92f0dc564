"""Exciting motions: within limits, at rest at both ends, telling much, the same for a seed."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Arm, ExcitingMotion, InputError, Joint, Log, NumericalError, Robot, excite
from armdyn.cli.app import main
from armdyn.errors import FileError
from support.identification import example_robot, small_arm

FEW = 1500


@cache
def limited_arm() -> Arm:
    """The small arm with limits of everything."""
    sizes = {"velocity": (2.0, 1.5, 2.5), "effort": (20.0, 18.0, 4.0)}
    joints = [
        replace(j, lower=-2.0, upper=1.0 + k, velocity=sizes["velocity"][k], effort=effort)
        for (k, j), effort in zip(enumerate(small_arm().robot.joints), sizes["effort"], strict=True)
    ]
    return Arm(Robot(joints, name="limited"))


@cache
def found(seed: int = 0, evaluations: int = FEW) -> ExcitingMotion:
    return excite(limited_arm(), 10.0, seed=seed, evaluations=evaluations)


def within(motion: ExcitingMotion, share: float, acceleration: np.ndarray) -> bool:
    """Whether a dense grid of the motion keeps a share of the limits of its robot."""
    arm = motion.arm
    joints = arm.robot.joints
    low, high = np.array([[j.lower, j.upper] for j in joints]).T
    middle, half = (low + high) / 2, (high - low) / 2
    _, q, qd, qdd = motion.sample(5000.0)
    tau = arm.inverse_dynamics(q, qd, qdd)
    used = [
        np.abs(q - middle).max(axis=0) / half,
        np.abs(qd).max(axis=0) / [j.velocity for j in joints],
        np.abs(qdd).max(axis=0) / acceleration,
        np.abs(tau).max(axis=0) / [j.effort for j in joints],
    ]
    # friction changes its sign within a step of the grid
    return bool(np.max(used[:3]) <= share + 1e-9 and np.max(used[3]) <= share + 1e-3)


def test_limits_are_kept_on_a_dense_grid_and_speed_is_used() -> None:
    motion = found()
    velocity = np.array([joint.velocity for joint in motion.arm.robot.joints])
    assert within(motion, 0.95, velocity / 0.25)
    used = np.max([motion.peaks[k] for k in ("position", "velocity", "torque")], axis=0)
    assert (used > 0.85).all()


def test_without_margin_no_limit_is_exceeded_either() -> None:
    a = np.array([3.0, 3.0, 3.0])
    motion = excite(limited_arm(), 10.0, acceleration=a, margin=0.0, evaluations=FEW, rate=100.0)
    assert within(motion, 1.0, a)


def test_motion_begins_and_ends_at_rest() -> None:
    motion = found()
    t, q, qd, qdd = motion.sample()
    assert t[0] == 0.0 and t[-1] == 10.0 and len(t) == 2001 and q.shape == (2001, 3)
    assert np.abs(qd[[0, -1]]).max() < 1e-13 and np.abs(qdd[[0, -1]]).max() < 1e-12


def test_search_beats_random_motions() -> None:
    """Each of these is the best of 96 random ones already."""
    random = [found(seed, 96).log_det for seed in range(5)]
    assert found().log_det > max(random)
    assert found(0, 4000).log_det > np.median(random) + 5.0


def test_the_same_seed_gives_the_same_motion_and_another_one_another() -> None:
    again = excite(limited_arm(), 10.0, seed=0, evaluations=FEW)
    assert np.array_equal(again.trajectory.sines, found().trajectory.sines)
    assert np.array_equal(again.std, found().std) and again.log_det == found().log_det
    assert not np.array_equal(found(1).trajectory.sines, found().trajectory.sines)


def test_predicted_standard_deviations_are_those_of_a_fit() -> None:
    motion, arm = found(), limited_arm()
    base = arm.minimal_with(friction=True)
    sigma = 0.01 * np.array([joint.effort for joint in arm.robot.joints])
    _, q, qd, qdd = motion.sample()
    Y = base.regressor(q, qd, qdd)
    rows = (Y / sigma[:, None]).reshape(-1, len(base))
    information = rows.T @ rows
    errors = np.random.default_rng(0).normal(size=(len(rows), 40))
    z = np.linalg.solve(information, rows.T @ errors) / motion.std[:, None]
    assert 0.9 < np.sqrt(np.mean(z**2)) < 1.1
    assert motion.log_det == pytest.approx(np.linalg.slogdet(information)[1], abs=0.5)
    assert motion.names == base.names and np.array_equal(motion.values, base.values)


def test_weak_parameters_are_those_with_large_deviations() -> None:
    motion = excite(limited_arm(), 10.0, evaluations=96, noise=2.0)
    rows = zip(motion.names, motion.std, np.abs(motion.values), strict=True)
    weak = [name for name, std, value in rows if std > 0.1 * value > 0.0]
    assert motion.weak == tuple(weak) and 0 < len(weak) < len(motion.names)


def test_parameters_are_those_asked_for() -> None:
    arm = limited_arm()
    bare = excite(arm, 5.0, friction=False, evaluations=96)
    assert bare.names == arm.minimal.names
    rotors = excite(arm, 5.0, rotor=True, evaluations=96)
    assert rotors.names == arm.minimal_with(rotor=True, friction=True).names


def test_small_torques_make_small_motions() -> None:
    arm = Arm(Robot([Joint(mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0, 0, 0.1, 0, 0.1))],
                    gravity=(0, 0, 0), name="wheel"))  # fmt: skip
    motion = excite(arm, 10.0, torque=0.05, evaluations=400, friction=False)
    _, q, qd, qdd = motion.sample(2000.0)
    assert 0.04 < np.abs(arm.inverse_dynamics(q, qd, qdd)).max() <= 0.05 * 0.95 * (1 + 1e-6)


def test_an_arm_that_cannot_hold_itself_is_told_so() -> None:
    with pytest.raises(NumericalError, match=r"even to hold the arm, joint\d takes"):
        excite(limited_arm(), 5.0, torque=1e-3, evaluations=96)


def test_missing_limits_are_assumed_and_told() -> None:
    motion = excite(small_arm(), 5.0, evaluations=96)
    said = " ".join(motion.notes)
    assert "all joints turn without limits" in said and "1.5 rad/s taken" in said
    assert "full speed in 0.25 s" in said and "no limit of torque" in said
    _, q, qd, _ = motion.sample(1000.0)
    assert np.abs(q).max() <= np.pi and np.abs(qd).max() <= 1.5
    given = excite(
        small_arm(), 5.0, evaluations=96,
        position=(-1.0, 0.5), velocity=0.7, acceleration=3.0, torque=[30.0, 30.0, 9.0], noise=0.1,
    )  # fmt: skip
    assert given.notes == ()
    _, q, qd, _ = given.sample(1000.0)
    assert q.min() > -1.0 and q.max() < 0.5 and np.abs(qd).max() < 0.7


def test_a_slide_without_limits_must_be_given_some() -> None:
    arm = Arm(Robot([Joint(kind="prismatic", mass=1.0), Joint(mass=1.0, com=(0.1, 0, 0))]))
    with pytest.raises(InputError, match="no limits of position for joint1, which slide"):
        excite(arm)
    motion = excite(arm, 5.0, position=[(-0.1, 0.3), (-1.0, 1.0)], evaluations=96)
    q = motion.trajectory.q(np.linspace(0, 5.0, 500))
    assert q[:, 0].min() > -0.1 and q[:, 0].max() < 0.3


def test_joint_with_one_limit_stays_on_its_side() -> None:
    arm = Arm(Robot([Joint(mass=1.0, com=(0.1, 0, 0), lower=1.0), Joint(upper=-1.0, mass=1.0)]))
    motion = excite(arm, 5.0, evaluations=96, friction=False)
    assert motion.limits.lower.tolist() == pytest.approx([1.0, -1.0 - 2 * np.pi])
    assert motion.limits.upper.tolist() == pytest.approx([1.0 + 2 * np.pi, -1.0])


def test_positions_beyond_the_robots_own_are_told() -> None:
    motion = excite(limited_arm(), 5.0, position=(-2.5, 0.5), evaluations=96)
    assert any("beyond the robot's own limits of all joints" in note for note in motion.notes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arm": "puma560"}, "`arm` is 'puma560'"),
        ({"duration": 0.0}, "`duration` is 0.0"),
        ({"duration": "long"}, "`duration` is 'long'"),
        ({"harmonics": 1}, "`harmonics` is 1, expected a whole number from 2"),
        ({"harmonics": 2.5}, "`harmonics` is 2.5"),
        ({"rate": -1.0}, "`rate` is -1.0, expected a number from 0.001"),
        ({"margin": False}, "`margin` is False"),
        ({"margin": np.zeros(2)}, "`margin` is array"),
        ({"margin": 1.0}, "`margin` is 1.0"),
        ({"margin": -0.1}, "`margin` is -0.1"),
        ({"repeats": 0}, "`repeats` is 0"),
        ({"evaluations": 10}, "`evaluations` is 10"),
        ({"seed": -1}, "`seed` is -1"),
        ({"seed": np.arange(3)}, "`seed` is array"),
        ({"seed": True}, "`seed` is True"),
        ({"duration": 10**400}, "`duration` is"),
        ({"duration": 1j}, "`duration` is 1j"),
        ({"noise": np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])}, "masked entries"),
        ({"torque": [True, True, True]}, "truth values"),
        ({"velocity": np.ones(3, "m8[s]")}, "durations"),
        ({"progress": 3}, "`progress` is 3"),
        ({"friction": 1}, "`friction` is 1"),
        ({"position": (1.0, -1.0)}, "`position` of joint1 is from 1 to -1"),
        ({"position": [(0, 1)] * 2}, r"or \(3, 2\) for each"),
        ({"position": (0.0, np.inf)}, "`position` has inf"),
        ({"velocity": 0.0}, "`velocity` is 0.0, expected a positive number or 3"),
        ({"velocity": [1.0, 2.0]}, r"`velocity` has shape \(2,\)"),
        ({"acceleration": np.nan}, "`acceleration` is nan"),
        ({"torque": "much"}, "`torque` is 'much'"),
        ({"noise": -1.0}, "`noise` is -1.0"),
    ],
)
def test_bad_input_is_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        excite(**{"arm": limited_arm(), **change})  # pyright: ignore[reportArgumentType]
    assert caught.value.argument == next(iter(change))


def test_progress_goes_from_little_to_all() -> None:
    seen: list[tuple[int, int, str]] = []
    excite(limited_arm(), 5.0, evaluations=400, progress=lambda *told: seen.append(told))
    counts = [done for done, _, _ in seen]
    assert {told[1:] for told in seen} == {(400, "looking for the motion")}
    assert counts == sorted(counts) and 0 < counts[0] < 200 < counts[-1] <= 400


def test_saved_motion_is_read_as_a_log(tmp_path: Path) -> None:
    motion = found()
    motion.save(tmp_path / "excite.csv", rate=50.0)
    log = Log.read(tmp_path / "excite.csv", joints=motion.arm)
    _, q, qd, qdd = motion.sample(50.0)
    assert log.qd is not None and log.qdd is not None and log.tau is None
    assert np.array_equal(log.q, q) and np.array_equal(log.qd, qd) and np.array_equal(log.qdd, qdd)
    with pytest.raises(FileError, match=r"\.csv, \.npz or \.parquet"):
        motion.save(tmp_path / "excite.doc")


def test_picture_is_written_whole(tmp_path: Path) -> None:
    found().plot(tmp_path / "excite.svg")
    text = (tmp_path / "excite.svg").read_text()
    assert "predicted torque" in text and "stroke-dasharray" in text
    with pytest.raises(FileError, match="pictures are written as"):
        found().plot(tmp_path / "excite.doc")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["excite.svg"]


def test_simulated_measurements_give_the_arm_back() -> None:
    motion, arm = found(0, 4000), limited_arm()
    t, q, qd, qdd = motion.sample(200.0)
    rng = np.random.default_rng(0)
    noise = 0.01 * np.array([joint.effort for joint in arm.robot.joints])
    tau = arm.inverse_dynamics(q, qd, qdd) + noise * rng.normal(size=q.shape)
    result = armdyn.identify(arm, Log(t, q, tau=tau, joint_names=arm.joint_names), physical=False)
    assert result.passed
    t, q, qd, qdd = found(1).sample(100.0)
    wrong = result.arm.inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd)
    assert (np.sqrt(np.mean(wrong**2, axis=0)) < 0.5 * noise).all()


@pytest.mark.slow
def test_twenty_seconds_of_a_panda_are_far_better_than_random_motions() -> None:
    arm = armdyn.load(example_robot("panda_description/urdf/panda.urdf"), tip="panda_link8")
    motion = excite(arm)
    assert len(motion.names) == 64 and motion.duration == 20.0
    velocity = np.array([joint.velocity for joint in arm.robot.joints])
    assert within(motion, 0.95, velocity / 0.25)
    random = [excite(arm, evaluations=96, seed=seed).log_det for seed in range(3)]
    assert motion.log_det > max(random) + 30.0


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["armdyn", "excite", *words])
    with pytest.raises(SystemExit) as exit_:
        main()
    return int(exit_.value.code or 0)


def test_command_writes_what_the_function_finds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    csv, png = tmp_path / "excite.csv", tmp_path / "excite.png"
    words = ["planar2", "--duration", "5", "--evaluations", "400", "--position", "-1:1"]
    assert run(monkeypatch, *words, "-o", str(csv), "--plot", str(png)) == 0
    told = capsys.readouterr()
    assert "planar2: 5 s, 1 period of 5 harmonics" in told.out and f"written: {csv}" in told.out
    assert "give --velocity for others" in told.err
    arm = armdyn.load("planar2")
    _, q, _, _ = excite(arm, 5.0, position=(-1.0, 1.0), evaluations=400).sample()
    assert np.array_equal(Log.read(csv, joints=arm).q, q)
    assert png.read_bytes().startswith(b"\x89PNG")
    assert run(monkeypatch, *words, "--json", "--velocity", "1,2") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["limits"]["velocity"] == [1.0, 2.0] and len(told["sines"]) == 5
    assert {"name", "value", "std", "weak"} == set(told["parameters"][0])
    assert told["limits"]["torque"] == [None, None]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--velocity", "fast"), "--velocity is 'fast'"),
        (("--velocity", "1,2,3"), "--velocity has shape (3,)"),
        (("--position", "1"), "--position is '1', expected LOW:HIGH"),
        (("--position", "1:-1"), "--position of joint1 is from 1 to -1"),
        (("--harmonics", "1"), "--harmonics is 1"),
        (("-o", "nowhere/excite.csv"), "no folder nowhere"),
        (("-o", "excite.doc"), "motions are written as"),
        (("--plot", "excite.doc"), "pictures are written as"),
    ],
)
def test_command_refuses_before_any_work(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    said: str,
) -> None:
    assert run(monkeypatch, "planar2", *words) == 2
    told = capsys.readouterr()
    assert said in " ".join(told.err.split()) and not told.out
