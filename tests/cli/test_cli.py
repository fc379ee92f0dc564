"""The command line by exit status and output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import armdyn
from armdyn.algorithms.newton_euler import gravity
from armdyn.algorithms.quantity import Method
from armdyn.algorithms.table import QUANTITIES
from armdyn.cli import console as _console
from armdyn.cli.app import main

ROBOTS = armdyn.robots()


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


@pytest.mark.parametrize("robot", ROBOTS)
def test_info_describes_every_bundled_robot(monkeypatch, capsys, robot) -> None:
    status, out, err = run(monkeypatch, capsys, "info", robot)
    arm = armdyn.load(robot)
    assert (status, err) == (0, "")
    assert robot in out
    assert all(name in out for name in arm.joint_names)
    status, out, _ = run(monkeypatch, capsys, "info", robot, "--json")
    told = json.loads(out)
    assert told["n"] == arm.n
    assert [j["mass"] for j in told["joints"]] == [j.mass for j in arm.robot.joints]


def test_ops_counts_every_method_and_marks_the_cheapest(monkeypatch, capsys) -> None:
    status, out, _ = run(monkeypatch, capsys, "ops", "scara", "--json")
    told = json.loads(out)["kinds"]
    arm = armdyn.load("scara")
    assert status == 0 and set(told) == set(QUANTITIES)
    for quantity, rows in told.items():
        assert list(rows["methods"]) == list(armdyn.methods(quantity))
        assert rows["cheapest"] == arm.function(quantity).method
    status, out, _ = run(monkeypatch, capsys, "ops", "scara")
    assert status == 0
    assert f"{arm.function('mass_matrix').method} *" in out
    assert "[LinFang1999] Table I" in out


@pytest.mark.parametrize(
    "robot", ["ascher2", "scara", pytest.param("puma560", marks=pytest.mark.slow)]
)
def test_verify_agrees_on_bundled_robots(monkeypatch, capsys, robot) -> None:
    status, out, err = run(monkeypatch, capsys, "verify", robot, "--json")
    told = json.loads(out)
    assert status == 0, err
    assert told["passed"] and told["pinocchio"]
    assert len(told["checks"]) == sum(len(armdyn.methods(quantity)) for quantity in QUANTITIES)
    assert "methods agree" in err


def test_verify_names_the_method_that_disagrees(monkeypatch, capsys) -> None:
    def wrong(chain, q):
        return [x * (1 + 1e-7) for x in gravity(chain, q)]

    monkeypatch.setitem(QUANTITIES["gravity"].methods, "slightly_off", Method(wrong, "a mistake"))
    status, out, err = run(monkeypatch, capsys, "verify", "planar3")
    assert status == 1
    assert err.strip() == "disagreement: gravity slightly_off."
    assert out.count("DISAGREES") == 1


def test_verify_compares_with_pinocchio(monkeypatch, capsys) -> None:
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    status, out, err = run(monkeypatch, capsys, "verify", "planar2")
    assert status == 0 and "to Pinocchio" in " ".join(out.split())
    assert "not compared" not in err


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_verify_without_pinocchio_says_so_and_has_no_column_for_it(
    monkeypatch, capsys, words
) -> None:
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    status, out, err = run(monkeypatch, capsys, "verify", "planar2", *words)
    told, agree = err.splitlines()
    assert status == 0 and agree.endswith("methods agree.")
    assert told.startswith("Pinocchio was not compared") and 'pip install "armdyn[verify]"' in told
    if words:
        assert json.loads(out)["pinocchio"] is None
    else:
        assert "Pinocchio" not in out and "tolerance" in out


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["info", "pumma560"], 2, "puma560"),
        (["info", "nowhere/arm.urdf"], 2, "nowhere"),
        (["verify", "puma560", "--states", "0"], 2, "states"),
        (["verify", "puma560", "--states", "9999999999999999999999"], 2, "states"),
        (["frobnicate"], 2, "frobnicate"),
        (["info"], 2, "ROBOT"),
        (["ops", "puma560", "--tip", "hand"], 2, "Leave --tip out"),
    ],
)
def test_wrong_words_end_in_status_two_and_a_hint(monkeypatch, capsys, words, status, text) -> None:
    got, out, err = run(monkeypatch, capsys, *words)
    assert got == status
    assert out == ""
    assert text.lower() in err.lower()
    assert "Traceback" not in err


def test_impossible_inertia_is_an_error_or_with_no_strict_a_warning(
    monkeypatch, capsys, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.toml"
    joint = armdyn.Joint(mass=1.0, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 5.0), name="elbow")
    with pytest.warns(armdyn.RobotWarning):
        armdyn.save(armdyn.Robot([joint], name="bad", strict=False), bad)
    bad.write_text(bad.read_text().replace("strict = false\n", ""))
    status, out, err = run(monkeypatch, capsys, "info", str(bad))
    assert (status, out) == (2, "") and "elbow" in err and "triangle" in err
    assert "or pass --no-strict to use it all the same" in err
    status, out, err = run(monkeypatch, capsys, "info", str(bad), "--no-strict")
    assert status == 0 and err.startswith("warning:") and "elbow" in err


ODD = ["[/bold]", "[red]elbow[/red]", ":smile:", "\x1b[31mred", "two\nlines", "é & <x>"]


@pytest.mark.parametrize("verb", ["info", "ops", "verify"])
def test_names_are_shown_as_they_are_and_steer_nothing(
    monkeypatch, capsys, tmp_path: Path, verb
) -> None:
    rod = armdyn.Joint(b=0.1, mass=1.0, inertia=(1, 0, 0, 1, 0, 1))
    joints = [replace(rod, name=name) for name in ODD]
    armdyn.save(armdyn.Robot(joints, name="[/i] \x1b[31m"), tmp_path / "odd.toml")
    status, out, err = run(monkeypatch, capsys, verb, str(tmp_path / "odd.toml"))
    assert status == 0, err
    assert "\x1b" not in out + err
    assert r"[/i] \x1b[31m" in out
    if verb == "info":
        shown = [name.replace("\x1b", r"\x1b").replace("\n", r"\n") for name in ODD]
        assert [line.split(" revolute")[0].rstrip() for line in out.splitlines()[5:11]] == shown


def test_narrow_terminal_cuts_no_number(monkeypatch, capsys, tmp_path: Path) -> None:
    robot = armdyn.generic(6)
    joints = [
        replace(j, name=f"arm_joint_{k}", lower=-2.89725, upper=2.89725, velocity=2.175, effort=87)
        for k, j in enumerate(robot.joints)
    ]
    robot = replace(robot, joints=tuple(joints))
    armdyn.save(robot, tmp_path / "arm.toml")
    monkeypatch.setattr(_console, "PIPE_WIDTH", 80)
    _, out, _ = run(monkeypatch, capsys, "info", str(tmp_path / "arm.toml"))
    words = out.split()
    assert max(map(len, out.splitlines())) <= 80
    for j in robot.joints:
        for x in (j.b, j.d, j.mass, *j.com, *j.inertia, j.lower, j.velocity):
            assert f"{x:.6g}" in words
    for line in run(monkeypatch, capsys, "verify", "planar2")[1].splitlines():
        assert len(line) <= 80 and "…" not in line


def command(tail: str, **environment: str) -> subprocess.CompletedProcess[str]:
    line = f"'{Path(sys.executable).with_name('armdyn')}' {tail}"
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, encoding="latin-1",
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("tail", "status", "text"),
    [
        (
            "info scara > /dev/full",
            2,
            "error: the results cannot be printed to standard output: No",
        ),
        ("info scara --json > /dev/full", 2, "error: the results cannot be printed"),
        ("info scara >&-", 2, "error: standard output is closed"),
        ("verify planar2 2> /dev/full", 0, ""),
        ("verify planar2 2>&-", 0, ""),
        ("info nowhere.toml 2>&-", 2, ""),
        ("info scara | true; exit ${PIPESTATUS[0]}", 0, ""),
    ],
)
def test_output_that_cannot_be_printed_is_an_error_without_traceback(tail, status, text) -> None:
    done = command(tail)
    assert done.returncode == status
    assert done.stderr.startswith(text)
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_terminal_without_unicode_gets_question_marks() -> None:
    done = command("info scara", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "m/s?" in done.stdout


def test_version_and_help(monkeypatch, capsys) -> None:
    assert run(monkeypatch, capsys, "--version")[1].startswith("armdyn ")
    status, out, _ = run(monkeypatch, capsys, "--help")
    assert status == 0 and all(verb in out for verb in ("info", "ops", "tables", "verify"))


def test_installed_command_runs() -> None:
    command = Path(sys.executable).with_name("armdyn")
    done = subprocess.run([command, "info", "planar2"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "planar2" in done.stdout


def test_package_can_be_run_as_the_command() -> None:
    words = [sys.executable, "-m", "armdyn", "info", "planar2", "--json"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0 and json.loads(done.stdout)["name"] == "planar2"
