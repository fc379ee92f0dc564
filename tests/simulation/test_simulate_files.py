"""Runs written, measured, drawn and shown; the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import armdyn
from armdyn.cli.app import app, main
from support.says import Said, facts, says

PUMA = armdyn.load("puma560")
Q0 = np.array([0.3, -0.5, 0.4, 0.2, 0.6, -0.1])
KP, KD = [100.0, 100.0, 100.0, 5.0, 5.0, 5.0], [30.0, 30.0, 30.0, 1.0, 1.0, 1.0]


@pytest.fixture(scope="module")
def run() -> armdyn.Run:
    controller = armdyn.PD(KP, KD, Q0 + 0.5)
    return armdyn.simulate(PUMA, Q0, None, 0.5, controller, samples=501, rtol=1e-9)


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet"])
def test_a_saved_run_is_read_back_as_a_log(run: armdyn.Run, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run.{suffix}"
    run.save(path)
    log = armdyn.Log.read(path, joints=PUMA)
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(log, name), getattr(run, name))
    np.testing.assert_array_equal(log.extra["energy"], run.energy)
    assert log.joint_names == PUMA.joint_names
    assert "incomplete" not in log.extra


def test_exact_measurements_are_the_run(run: armdyn.Run) -> None:
    log = run.measured()
    np.testing.assert_array_equal(log.q, run.q)
    np.testing.assert_array_equal(log.tau, run.tau)
    assert log.qd is None


def test_torques_of_a_run_are_those_that_its_motion_needs(run: armdyn.Run) -> None:
    needed = PUMA.inverse_dynamics(run.q, run.qd, run.qdd)
    np.testing.assert_allclose(run.tau, needed, atol=1e-8)


def test_measurements_have_the_noise_that_was_asked_for(run: armdyn.Run) -> None:
    noise_q = np.array([1, 2, 3, 4, 5, 6]) * 1e-4
    log = run.measured(noise_q=noise_q, noise_tau=0.3, seed=4)
    np.testing.assert_allclose((log.q - run.q).std(axis=0), noise_q, rtol=0.15)
    assert abs((log.tau - run.tau).std() - 0.3) < 0.02
    again = run.measured(noise_q=noise_q, noise_tau=0.3, seed=4)
    np.testing.assert_array_equal(again.q, log.q)
    other = run.measured(noise_q=noise_q, seed=5)
    assert (other.q != log.q).any()


def test_encoders_have_a_resolution(run: armdyn.Run) -> None:
    step = 2 * np.pi / 4096
    log = run.measured(quantisation=step)
    np.testing.assert_allclose(log.q / step, np.round(log.q / step), atol=1e-9)
    assert np.abs(log.q - run.q).max() <= step / 2 * (1 + 1e-9)
    assert np.abs(log.q - run.q).max() > 0.4 * step


def test_an_unsteady_clock_samples_the_same_motion(run: armdyn.Run) -> None:
    log = run.measured(jitter=0.1, seed=1)
    steps = np.diff(log.t)
    assert steps.min() > 0.0
    assert 0.08e-3 < steps.std() < 0.25e-3
    fine = armdyn.simulate(
        PUMA, Q0, None, 0.5, armdyn.PD(KP, KD, Q0 + 0.5), samples=log.t, rtol=1e-9
    )
    np.testing.assert_allclose(log.q, fine.q, atol=1e-9)
    np.testing.assert_allclose(log.tau, fine.tau, atol=0.02)


def test_another_rate_is_between_the_samples(run: armdyn.Run) -> None:
    log = run.measured(rate=800.0)
    assert len(log) == 401
    np.testing.assert_allclose(np.diff(log.t), 1 / 800.0, rtol=1e-9)
    np.testing.assert_allclose(log.q[4], run.q[5], atol=1e-12)
    with pytest.raises(armdyn.InputError, match=r"simulate with samples=5001"):
        run.measured(rate=10_000.0)


@pytest.mark.parametrize(
    "options",
    [{"noise_q": -1.0}, {"noise_tau": [1.0, 2.0]}, {"jitter": 0.5}, {"rate": -3.0},
     {"quantisation": "fine"}],
)  # fmt: skip
def test_wrong_measurements_are_refused(run: armdyn.Run, options: dict[str, object]) -> None:
    with pytest.raises(armdyn.InputError, match=f"`{next(iter(options))}` (is|has)"):
        run.measured(**options)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{"noise_q": 1e-5}, {"quantisation": 1e-4, "jitter": 0.05, "rate": 250.0}],
    ids=["noise", "encoders and jitter"],
)
def test_simulated_measurements_identify_the_arm(options: dict[str, float]) -> None:
    arm = armdyn.load("planar2")

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        first = np.sin(2.1 * t) + 0.4 * np.sin(5.3 * t)
        second = np.cos(3.2 * t) - 1 + 0.5 * np.sin(6 * t)
        return arm.gravity(q) + 60 * (np.array([first, second]) - q) - 8 * qd

    run = armdyn.simulate(arm, [0.0, 0.0], None, 20.0, torque, samples=10_001, rtol=1e-9)
    errors: list[np.ndarray] = []
    for seed in range(4):
        log = run.measured(noise_tau=0.05, seed=seed, **options)
        result = armdyn.identify(arm, log, friction=False, rotor=False, physical=False)
        errors.append((result.values - arm.minimal.values) / result.std)
    assert np.abs(errors).max() < 4.0
    # error bars that are too wide would hold anything
    assert 0.3 < np.sqrt(np.mean(np.square(errors))) < 1.6


def test_a_picture_is_drawn(run: armdyn.Run, tmp_path: Path) -> None:
    for suffix, magic in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        path = tmp_path / f"run.{suffix}"
        run.plot(path)
        assert path.read_bytes().startswith(magic)
    assert len((tmp_path / "run.svg").read_text()) > 10_000
    with pytest.raises(armdyn.FileError, match=facts("pictures", ".png")):
        run.plot(tmp_path / "run.bmp")
    many = armdyn.simulate(PUMA, [Q0, Q0 + 0.1], None, 0.05, integrator="rk4")
    many.plot(tmp_path / "many.png")
    assert (tmp_path / "many.png").stat().st_size > 10_000


def test_an_animation_is_the_page_of_the_run(run: armdyn.Run, tmp_path: Path) -> None:
    run.page(tmp_path / "page.html")
    run.animate(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_bytes() == (tmp_path / "page.html").read_bytes()


def test_batches_are_taken_apart_first() -> None:
    many = armdyn.simulate(PUMA, [Q0, Q0], None, 0.01, integrator="rk4")
    with pytest.raises(armdyn.InputError, match=r"take run\[k\]"):
        many.log()
    with pytest.raises(armdyn.InputError, match=facts("arm 2")):
        many[2]
    with pytest.raises(armdyn.InputError, match="for batches"):
        many[0][0]


def test_the_command_line_simulates_and_writes(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("run.csv", "run.png", "run.html")]
    words = ["simulate", "planar2", "--q0", "10,-20", "--degrees", "--until", "0.2", "--json"]
    options = ["-o", files[0], "--plot", files[1], "--animate", files[2], "--rate", "100"]
    done = CliRunner().invoke(app, [*words, *map(str, options)])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["samples"] == 21
    assert told["written"] == [str(path) for path in files]
    with pytest.warns(armdyn.LogWarning, match="never change"):  # there are no torques
        log = armdyn.Log.read(files[0])
    np.testing.assert_allclose(log.q[0], np.radians([10, -20]))
    np.testing.assert_array_equal(log.q[-1], told["q"])


def test_the_command_line_tells_what_happened() -> None:
    runner = CliRunner()
    words = ["simulate", "planar2", "--target", "0.5,0.2", "--kp", "50,40", "--until", "3"]
    done = runner.invoke(app, words)
    assert done.exit_code == 0
    assert re.search(r"joint1 +0 +0\.5", done.stdout)


def test_the_command_line_applies_the_torques_of_a_log(tmp_path: Path) -> None:
    arm = armdyn.load("planar2")
    first = armdyn.simulate(
        arm, [0.1, 0.2], None, 0.2, lambda t, q, qd: np.array([t, -t]), "rk4", step=1e-3
    )
    first.save(tmp_path / "run.csv")
    words = ["simulate", "planar2", "--q0", "0.1,0.2", "--torque", str(tmp_path / "run.csv")]
    more = ["--until", "0.2", "--integrator", "rk4", "--json"]
    told = json.loads(CliRunner().invoke(app, [*words, *more]).stdout)
    np.testing.assert_allclose(told["q"], first.q[-1], atol=1e-12)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["planar2", "--q0", "1"], ("--q0 is '1'", "2 joints of planar2")),
        (["planar2", "--q0", "a,b"], ("--q0", "commas")),
        (["planar2", "--until", "-1"], ("--until", "-1.0")),
        (["planar2", "-o", "run.xyz"], ("run.xyz", ".csv")),
        (["planar2", "--animate", "no/such/run.html"], "no folder"),
        (["planar2", "-o", "FOLDER/a.csv"], "is a folder"),
        (["planar2", "--torque", "FOLDER/back.csv"], ("back.csv", "back in time")),
        (["planar2", "--torque", "FOLDER/back.csv", "--sort"], ("0 s", "0.2 s")),
        (["planar2", "--sort"], ("--torque", "log")),
        (["planar2", "--torque", "nan,1"], ("--torque", "nan")),
        (["planar2", "--integrator", "rk4", "--step", "0.5", "--qd0", "90,80"], "unstable"),
        (["planar2", "--rate", "1e7"], "GB: ask for fewer"),
        (["planar2", "--integrator", "euler"], "choose one of: rk45"),
        (["planar2", "--torque", "1,2", "--target", "1,2"], "give one"),
    ],
)
def test_the_command_line_refuses_in_words(
    words: list[str], said: Said, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    (tmp_path / "a.csv").mkdir()
    rows = ["t,q_1,q_2,tau_1,tau_2", "0,0,0,1,1", "0.2,1,1,2,2", "0.1,2,2,1,1"]
    (tmp_path / "back.csv").write_text("\n".join(rows))
    words = [word.replace("FOLDER", str(tmp_path)) for word in words]
    monkeypatch.setattr("sys.argv", ["armdyn", "simulate", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert says(" ".join(capsys.readouterr().err.split()), said)


INTERRUPTING = """
import sys, os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
import armdyn.cli.verbs.simulate as cli
from armdyn.cli.app import main

def simulate(*given, progress, **options):
    def interrupt(done, total, what):
        if done > total // 2:
            os.kill(os.getpid(), signal.SIGINT)
        progress(done, total, what)
    return real(*given, progress=interrupt, **options)

real, cli.run_simulation = cli.run_simulation, simulate
sys.argv = ["armdyn", "simulate", "planar2", "--until", "2", "-o", sys.argv[1], *sys.argv[2:]]
main()
"""


@pytest.mark.parametrize("name", ["rk45", "midpoint"])
def test_an_interrupted_command_writes_nothing_or_a_marked_part(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run.npz"
    command = [sys.executable, "-c", INTERRUPTING, str(path), "--integrator", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr.strip().splitlines() == [
        "error: interrupted, nothing is written; --partial keeps the part before."
    ]
    assert not path.exists()
    done = subprocess.run([*command, "--partial"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert says(done.stderr, "note: incomplete")
    with pytest.warns(armdyn.LogWarning, match="never change"):  # there are no torques
        log = armdyn.Log.read(path)
    assert log.extra["incomplete"].all()
    assert 0.8 < log.t[-1] < 1.5


def test_command_writes_what_sensors_would_measure(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["puma560", "--target", "1,-1,1,0,0,0", "--until", "1", "--rate", "500"]
    pushed = ["--wrench", "0,0,-20,0,0,0", "-o", "run.csv", "--measured", "log.csv"]
    noise = ["--noise-q", "1e-3", "--noise-tau", "0.5", "--jitter", "0.05", "--seed", "3"]
    monkeypatch.setattr(sys, "argv", ["armdyn", "simulate", *words, *pushed, *noise])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code and "written: log.csv" in capsys.readouterr().out
    run, log = armdyn.Log.read("run.csv"), armdyn.Log.read("log.csv")
    assert 0.5 < (log.tau - run.tau)[50:].std() / 0.5 < 2.0  # where little moves, jitter is nothing
    assert not np.array_equal(log.t, run.t)
    to = armdyn.PD(100, 20, [1, -1, 1, 0, 0, 0])
    free = armdyn.simulate(PUMA, until=1.0, torque=to, samples=501)
    assert np.abs(free.q[-1] - run.q[-1]).max() > 0.01  # the push is felt


def test_a_summary_names_joints_and_functions(run: armdyn.Run) -> None:
    arm = armdyn.load("planar2")
    functions = [lambda t, q, qd, k=k: t - 0.01 * k for k in range(1, 5)]  # more than joints
    found = armdyn.simulate(arm, [0.3, 0.2], until=0.1, events=functions, integrator="rk4")
    lines = found.summary().splitlines()
    assert "0.04 s: function 3: event" in lines
    many = armdyn.simulate(
        arm, until=1.0, events=lambda t, q, qd: np.sin(100 * t - 0.5), integrator="rk4"
    )
    assert f"and {len(many.events) - 20} events more" in many.summary()
    # the page tells few events one by one, and of many the kinds
    assert "0.005 s: function 0: event" in armdyn.simulate(
        arm, until=0.02, events=lambda t, q, qd: t - 0.005, integrator="rk4"
    ).page().html  # fmt: skip
    assert f"event: {len(many.events)} times, first function 0 at 0.005 s" in many.page().html
