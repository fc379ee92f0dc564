"""`armdyn identify` by exit status, words and files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Log
from armdyn.cli.app import main
from armdyn.identification.files import FILES
from armdyn.present.tables import percent
from support.identification import recorded, small_arm

MAIN = "from armdyn.cli.app import main; main()"
C = ["small.c", "small.h", "small_selftest.c"]


def run(monkeypatch, capsys, *words: object) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", "identify", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, " ".join(err.split())


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """Robots small.toml and blank.toml (without masses), logs run.csv, other.csv and poor.csv."""
    folder = tmp_path_factory.mktemp("identify")
    armdyn.save(small_arm(), folder / "small.toml")
    armdyn.save(small_arm(described=False), folder / "blank.toml")
    recorded(small_arm()).save(folder / "run.csv")
    recorded(small_arm(), seed=5).save(folder / "other.csv")
    t = np.arange(4000) / 200.0
    phase = 2 * np.pi * 0.1 * t[:, None]
    q, qd = 0.2 * np.sin(phase) * np.ones(3), 0.04 * np.pi * np.cos(phase) * np.ones(3)
    tau = small_arm().inverse_dynamics(q, qd, -((0.2 * np.pi) ** 2) * q)
    noise = np.random.default_rng(0).normal(size=tau.shape)
    Log(t=t, q=q, tau=tau + noise).save(folder / "poor.csv")
    return folder


def with_lines(source: Path, target: Path, change) -> Path:
    """A copy of a text file with its lines changed."""
    lines = source.read_text().splitlines(keepends=True)
    target.write_text("".join(change(lines)))
    return target


def test_one_command_writes_a_model_a_report_and_c(monkeypatch, capsys, place, tmp_path) -> None:
    out = tmp_path / "new" / "folder"
    status, told, err = run(monkeypatch, capsys, place / "small.toml", place / "run.csv", "-o", out)
    assert (status, err) == (0, "")
    assert sorted(p.name for p in out.iterdir()) == sorted([*FILES, "c"])
    assert sorted(p.name for p in (out / "c").iterdir()) == C
    verdict = json.loads((out / "result.json").read_text())
    assert verdict["passed"] is True and "\npassed: torque error" in told
    for joint in verdict["joints"]:
        assert percent(joint["torque_error"]) in told
    truth, q = small_arm(), np.random.default_rng(1).uniform(-1, 1, (50, 3))
    for name in ("identified.toml", "identified.urdf"):
        found = armdyn.load(out / name)
        off = found.inverse_dynamics(q, q, q) - truth.inverse_dynamics(q, q, q)
        assert np.sqrt(np.mean(off**2)) < 0.1
    assert "Identification of small" in (out / "report.html").read_text()


def test_the_model_goes_into_the_file_of_the_robot(monkeypatch, capsys, place, tmp_path) -> None:
    armdyn.save(armdyn.load(place / "small.toml"), tmp_path / "mine.urdf")
    mine = tmp_path / "mine.urdf"
    text = mine.read_text().replace("</robot>", "  <!-- my <gripper> -->\n</robot>")
    mine.write_text(text)
    out = tmp_path / "out"
    line = (mine, place / "run.csv", "-o", out, "--into", mine)
    status, told, _ = run(monkeypatch, capsys, *line)
    assert status == 0 and "mine.urdf" in told
    assert mine.read_text() == text
    found, model = armdyn.load(out / "mine.urdf"), armdyn.load(out / "identified.toml")
    q = np.random.default_rng(1).uniform(-1, 1, (5, 3))
    expected = model.inverse_dynamics(q, q, q)
    assert np.abs(found.inverse_dynamics(q, q, q) / expected - 1).max() < 1e-11
    new = (out / "mine.urdf").read_text().splitlines()
    kept = [a for a, b in zip(text.splitlines(), new, strict=False) if a == b]
    assert "  <!-- my <gripper> -->" in new and len(kept) > len(new) / 2
    other = tmp_path / "other.urdf"
    armdyn.save(armdyn.load("planar2"), other)
    status, _, err = run(monkeypatch, capsys, *line[:-1], other)
    assert status == 2 and "does not describe this arm" in err


def test_the_c_code_is_that_of_the_identified_arm(monkeypatch, capsys, place, tmp_path) -> None:
    run(monkeypatch, capsys, place / "small.toml", place / "run.csv", "-o", tmp_path)
    code = tmp_path / "c"
    found = armdyn.load(tmp_path / "identified.toml")
    again = found.export_c(tmp_path / "again", ["mass_matrix", "inverse_dynamics", "gravity"])
    assert [p.read_text() for p in again] == [(code / p.name).read_text() for p in again]
    build = ["cc", "-std=c99", code / "small.c", code / "small_selftest.c", "-lm", "-o", code / "t"]
    subprocess.run(build, check=True, capture_output=True)
    assert subprocess.run([code / "t"], check=False, capture_output=True).returncode == 0


def test_a_result_that_does_not_pass_is_written_with_status_1(
    monkeypatch, capsys, place, tmp_path
) -> None:
    words = (place / "blank.toml", place / "poor.csv", "-o", tmp_path / "out")
    status, told, _ = run(monkeypatch, capsys, *words)
    assert status == 1
    assert "failed validation: torque error" in told
    verdict = json.loads((tmp_path / "out" / "result.json").read_text())
    assert verdict["passed"] is False and verdict["reasons"]
    assert "Failed validation" in (tmp_path / "out" / "report.html").read_text()


def test_json_has_the_numbers_and_the_files(monkeypatch, capsys, place, tmp_path) -> None:
    words = (place / "small.toml", place / "run.csv", "-o", tmp_path, "--json", "--no-physical")
    status, told, err = run(monkeypatch, capsys, *words)
    result = json.loads(told)
    assert status == 0 and err.startswith("passed: ")
    files = result.pop("files")
    assert result == json.loads((tmp_path / "result.json").read_text())
    assert all(Path(name).is_file() for name in files) and len(files) == len(FILES) + len(C)
    arm = armdyn.load(place / "small.toml")
    log = Log.read(place / "run.csv", joints=arm)
    same = armdyn.identify(arm, log, physical=False)
    assert [p["value"] for p in result["parameters"]] == same.values.tolist()
    assert [p["std"] for p in result["parameters"]] == same.std.tolist()
    assert result["settings"]["physical"] is False


def test_options_reach_the_identification(monkeypatch, capsys, place, tmp_path) -> None:
    status, told, err = run(
        monkeypatch, capsys, place / "small.toml", place / "run.csv", "-o", tmp_path, "--json",
        "--test", place / "other.csv", "--no-friction", "--rotor", "--no-physical",
        "--cutoff", "9",
    )  # fmt: skip
    assert status in (0, 1), err
    result = json.loads(told)
    asked = {"rotor": True, "physical": False, "cutoff": 9.0, "cutoff_used": 9.0}
    assert not [p for p in result["parameters"] if p["kind"] in ("viscous", "coulomb", "offset")]
    assert {key: result["settings"][key] for key in asked} == asked
    assert [(Path(x["file"]).name, x["held_out"]) for x in result["logs"]] == [
        ("run.csv", False), ("other.csv", True),
    ]  # fmt: skip
    assert result["logs"][0]["samples"] == 4000


def test_logs_of_motors_in_other_units_and_names(monkeypatch, capsys, place, tmp_path) -> None:
    log = recorded(small_arm())
    gear = np.array([1 / 100, -1 / 50, 1 / 80])
    heads = ["clock", *(f"axis{k}_angle" for k in (1, 2, 3)), *(f"m{k}" for k in (1, 2, 3))]
    rows = np.column_stack([1e3 * log.t, np.rad2deg(log.q / gear), log.tau * gear])
    path = tmp_path / "motor.csv"
    np.savetxt(path, rows, delimiter=",", header=",".join(heads), comments="", fmt="%.17g")
    status, told, err = run(
        monkeypatch, capsys, place / "small.toml", path, "-o", tmp_path / "out", "--json",
        "--units", "deg", "--time-unit", "ms", "--gear", "1/100,-1/50,1/80", "--columns", "t=clock",
        "--columns", "q=axis*_angle", "--columns", "tau=m1,m2,m3",
    )  # fmt: skip
    assert status == 0, err
    found = [p["value"] for p in json.loads(told)["parameters"]]
    same = armdyn.identify(small_arm(), log)
    np.testing.assert_allclose(found, same.values, atol=1e-3 * np.abs(same.values).max())


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--gear", "1/100,x,3", "--gear is '1/100,x,3', expected ratios"),
        ("--gear", "1,2", "--gear has shape (2,), expected (3,) ratios"),
        ("--columns", "speed=v", "--columns is 'speed=v', expected one of t, "),
        ("--units", "grad", "grad"),
        ("--holdout", "1.5", "--holdout is 1.5"),
        ("--cutoff", "-3", "--cutoff is -3"),
    ],
)
def test_wrong_options_are_errors_and_nothing_is_written(
    monkeypatch, capsys, place, tmp_path, option, value, words
) -> None:
    out = tmp_path / "out"
    status, told, err = run(
        monkeypatch, capsys, place / "small.toml", place / "run.csv", "-o", out, option, value
    )
    assert (status, told) == (2, "")
    assert err.startswith("error: ") and words in err
    assert not out.exists()


def test_a_log_in_degrees_is_asked_about(monkeypatch, capsys, place, tmp_path) -> None:
    log = recorded(small_arm())
    rows = np.column_stack([log.t, np.rad2deg(log.q), log.tau])
    path = tmp_path / "deg.csv"
    heads = "t,q1,q2,q3,tau1,tau2,tau3"
    np.savetxt(path, rows, delimiter=",", header=heads, comments="", fmt="%.17g")
    words = (place / "small.toml", path, "-o", tmp_path / "out")
    status, _, err = run(monkeypatch, capsys, *words)
    assert status == 2
    assert "are they degrees? Say --units deg, or --units rad if they are radians." in err
    assert not (tmp_path / "out").exists()
    assert run(monkeypatch, capsys, *words, "--units", "deg")[0] == 0


def test_a_log_of_another_arm_is_an_error(monkeypatch, capsys, place, tmp_path) -> None:
    status, _, err = run(monkeypatch, capsys, "puma560", place / "run.csv", "-o", tmp_path / "out")
    assert status == 2 and err.startswith("error: ") and "run.csv" in err
    assert not (tmp_path / "out").exists()


def test_a_log_that_broke_off_is_told_and_used(monkeypatch, capsys, place, tmp_path) -> None:
    cut = with_lines(place / "run.csv", tmp_path / "cut.csv", lambda x: [*x[:-1], x[-1][:30]])
    status, _, err = run(monkeypatch, capsys, place / "small.toml", cut, "-o", tmp_path / "out")
    assert status == 0
    assert err.startswith("warning: ") and "the last line, 4001, is cut off" in err
    assert "the last line, 4001, is cut off" in (tmp_path / "out" / "report.html").read_text()


def test_unordered_rows_are_an_error_with_advice(monkeypatch, capsys, place, tmp_path) -> None:
    mixed = with_lines(
        place / "run.csv", tmp_path / "mixed.csv", lambda x: [*x[:50], x[51], x[50], *x[52:]]
    )
    words = (place / "small.toml", mixed, "-o", tmp_path / "out")
    status, _, err = run(monkeypatch, capsys, *words)
    assert status == 2 and "--sort puts rows in order" in err
    assert run(monkeypatch, capsys, *words, "--sort")[0] == 0


def test_missing_numbers_are_an_error_with_advice(monkeypatch, capsys, place, tmp_path) -> None:
    def blank(lines: list[str]) -> list[str]:
        cells = lines[70].split(",")
        return [*lines[:70], ",".join([cells[0], "", *cells[2:]]), *lines[71:]]

    holes = with_lines(place / "run.csv", tmp_path / "holes.csv", blank)
    words = (place / "small.toml", holes, "-o", tmp_path / "out")
    status, _, err = run(monkeypatch, capsys, *words)
    assert status == 2 and "line 71" in err and "--drop-missing leaves them out" in err
    assert run(monkeypatch, capsys, *words, "--drop-missing")[0] == 0


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(
    monkeypatch, capsys, place, tmp_path
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the work was begun")

    monkeypatch.setattr("armdyn.cli.verbs.identify.open_arm", never)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken" / "report.html").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "c").write_text("mine")
    for name, words in (
        ("file", "not a folder"),
        ("file/inner", "cannot be made a folder"),
        ("taken", "not a regular file"),
        ("other", "not a folder"),
    ):
        status, _, err = run(
            monkeypatch, capsys, place / "small.toml", place / "run.csv", "-o", tmp_path / name
        )
        assert status == 2 and words in err, name
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "other", "taken"]
    assert (tmp_path / "file").read_text() == "mine"


def test_a_full_disk_leaves_the_folder_as_it_was(monkeypatch, capsys, place, tmp_path) -> None:
    old = tmp_path / "out"
    old.mkdir()
    (old / "result.json").write_text("before")
    calls = iter(range(100))

    def full(_: int) -> None:
        # the files that C is taken from, and the first ones of the result, still have room
        if next(calls) >= 6:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    for out in (old, tmp_path / "new"):
        status, _, err = run(
            monkeypatch, capsys, place / "small.toml", place / "run.csv", "-o", out
        )
        assert status == 2 and "No space left on device" in err
    assert next(calls) > 7
    assert [p.name for p in old.iterdir()] == ["result.json"]
    assert (old / "result.json").read_text() == "before"
    assert not (tmp_path / "new").exists()


def test_results_never_replace_what_is_read(monkeypatch, capsys, place, tmp_path) -> None:
    armdyn.save(small_arm(), tmp_path / "identified.toml")
    before = (tmp_path / "identified.toml").read_text()
    status, _, err = run(
        monkeypatch, capsys, tmp_path / "identified.toml", place / "run.csv", "-o", tmp_path
    )
    assert status == 2 and "would be replaced by a result" in err
    assert (tmp_path / "identified.toml").read_text() == before


def test_no_bar_on_a_pipe_and_no_traceback(place, tmp_path) -> None:
    words = ["-c", MAIN, "identify", place / "small.toml", place / "run.csv"]
    done = subprocess.run(
        [sys.executable, *words, "-o", tmp_path / "out"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run(
        [sys.executable, *words, tmp_path / "none.csv", "-o", tmp_path / "out"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and "none.csv" in done.stderr


def test_plain_least_squares_can_be_loaded_again(monkeypatch, capsys, place, tmp_path) -> None:
    words = (place / "blank.toml", place / "poor.csv", "-o", tmp_path, "--no-physical", "--json")
    _, told, _ = run(monkeypatch, capsys, *words)
    assert any("physically inconsistent" in note for note in json.loads(told)["notes"])
    with pytest.warns(armdyn.RobotWarning, match="joint"):
        found = armdyn.load(tmp_path / "identified.toml")
    assert "strict = false" in (tmp_path / "identified.toml").read_text()
    result = json.loads((tmp_path / "result.json").read_text())
    wanted = list(result["natural_parameters"].values())
    np.testing.assert_allclose(found.parameters, wanted, atol=1e-15)


def test_guesses_about_units_are_told(monkeypatch, capsys, place, tmp_path) -> None:
    log = recorded(small_arm())
    rows = np.column_stack([1e3 * log.t, log.q, log.tau])
    heads = "time,q1,q2,q3,tau1,tau2,tau3"
    np.savetxt(tmp_path / "ms.csv", rows, delimiter=",", header=heads, comments="", fmt="%.17g")
    words = (place / "small.toml", tmp_path / "ms.csv", "-o", tmp_path / "out")
    _, _, err = run(monkeypatch, capsys, *words)
    assert "note: " in err and "'time' is taken as [ms]" in err


def test_extra_columns_and_couplings_come_from_files(monkeypatch, capsys, place, tmp_path) -> None:
    log = recorded(small_arm())
    assert log.tau is not None
    more = np.zeros_like(log.tau)
    more[:, 1], more[:, 2] = log.q[:, 1] - log.q[:, 2], log.q[:, 2] - log.q[:, 1]
    armdyn.Log(t=log.t, q=log.q, tau=log.tau + 3.0 * more).save(tmp_path / "spring.csv")
    (tmp_path / "extra.toml").write_text(
        '[[extra]]\nname = "k"\njoint = [2, "joint3"]\nunit = "N m/rad"\n'
        'torque = ["q2 - q3", "-(q2 - q3) * cos(0)^2"]\n'
    )
    (tmp_path / "K.csv").write_text("1, 0, 0\n0, 1, 0\n0, 0, 1\n")
    _, told, err = run(
        monkeypatch, capsys, place / "small.toml", tmp_path / "spring.csv", "-o", tmp_path / "out",
        "--extra", tmp_path / "extra.toml", "--coupling", tmp_path / "K.csv", "--json",
        "--prior", "0.5", "--dead-band", "0.02", "--decimate", "8", "--trim", "0.5:0.5",
        "--weights", "0.05,0.05,0.05", "--no-robust", "--delay", "0",
    )  # fmt: skip
    result = json.loads(told)
    found = {p["name"]: p["value"] for p in result["parameters"]}
    assert found["k"] == pytest.approx(3.0, abs=0.1), err
    asked = {"prior": 0.5, "decimate": 8, "robust": False}
    assert {key: result["settings"][key] for key in asked} == asked


@pytest.mark.parametrize(
    ("option", "text", "words"),
    [
        ("--extra", '[[extra]]\nname = "k"\njoint = 2\ntorque = "__import__(1)"', "is not"),
        ("--extra", '[[extra]]\nname = "k"\njoint = 2\ntorque = "q2 # - q3"', "'#' is not"),
        ("--extra", '[[extra]]\nname = "k"\njoint = 2\ntorque = "q2.T"', "'q2.T' is not known"),
        ("--extra", '[[extra]]\nname = "k"\njoint = 2\ntorque = "0x1"', "'0x1' is not known"),
        ("--extra", '[[extra]]\nname = "k"\njoint = 2\ntorque = "sin(q9)"', "'q9' is not known"),
        ("--extra", '[[extra]]\nname = "k"\njoint = 2\ntorque = "sin(q2"', "never closed"),
        ("--extra", '[[extra]]\nname = "k"\njoint = 9\ntorque = "q2"', "from 1 to 3"),
        ("--extra", '[[extra]]\nname = "k"\njoint = [1, 2]\ntorque = "q2"', "each of 2 joints"),
        ("--extra", '[[extra]]\nname = "k"', "lacks a name, a joint or a torque"),
        ("--extra", "x = 1", "has no extra columns"),
        ("--coupling", "1,0,0", "expected 3 rows of 3 numbers"),
        ("--coupling", "1,0,0\n0,x,0\n0,0,1", "has 'x'"),
        ("--coupling", "1,0,0\n0,0,0\n0,0,1", "invertible"),
    ],
)
def test_wrong_files_of_columns_are_errors(
    monkeypatch, capsys, place, tmp_path, option, text, words
) -> None:
    file = tmp_path / ("given.toml" if option == "--extra" else "given.csv")
    file.write_text(text)
    out = tmp_path / "out"
    status, told, err = run(
        monkeypatch, capsys, place / "small.toml", place / "run.csv", "-o", out, option, file
    )
    assert (status, told) == (2, "") and words in err, err
    assert not out.exists()


@pytest.mark.parametrize("joined", [False, True])
def test_gains_with_signs_are_taken_as_printed(
    joined: bool, monkeypatch, capsys, place, tmp_path
) -> None:
    gains = np.array([-20.7, 16.3, 4.5])
    log = recorded(small_arm())
    assert log.tau is not None
    Log(t=log.t, q=log.q, tau=log.tau / gains, effort="current").save(tmp_path / "amps.csv")
    words = ",".join(map(str, gains.tolist()))
    option = [f"--gain={words}"] if joined else ["--gain", words]
    robot, out = place / "small.toml", tmp_path / "out"
    status, _, _ = run(monkeypatch, capsys, robot, tmp_path / "amps.csv", "-o", out, *option)
    assert status == 0
    result = json.loads((out / "result.json").read_text())
    assert result["passed"] and result["settings"]["gain"] == gains.tolist()


def test_the_unit_of_torque_is_an_option(monkeypatch, capsys, place, tmp_path) -> None:
    log = recorded(small_arm())
    assert log.tau is not None
    Log(t=log.t, q=log.q, tau=log.tau / 0.0980665).save(tmp_path / "servo.csv")
    robot, out = place / "small.toml", tmp_path / "out"
    words = robot, tmp_path / "servo.csv", "-o", out, "--torque-unit"
    assert run(monkeypatch, capsys, *words, "kgf cm")[0] == 0
    status, _, err = run(monkeypatch, capsys, *words, "kgf cm", "--gain", "-1")
    assert status == 2 and "--torque-unit" in err and "--gain" in err
    status, _, err = run(monkeypatch, capsys, *words, "furlong")
    assert status == 2 and "--torque-unit" in err
