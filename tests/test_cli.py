"""The command line by exit status and output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import armdyn
from armdyn.algorithms import KINDS, Method
from armdyn.algorithms.newton_euler import gravity
from armdyn.cli._app import main

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
    assert status == 0 and set(told) == set(KINDS)
    for kind, rows in told.items():
        assert list(rows["methods"]) == list(armdyn.methods(kind))
        assert rows["cheapest"] == arm.function(kind).method
    status, out, _ = run(monkeypatch, capsys, "ops", "scara")
    assert status == 0
    assert f"{arm.function('mass_matrix').method} *" in out
    assert "[LinFang1999] Table I" in out


@pytest.mark.parametrize("robot", ROBOTS)
def test_verify_agrees_on_every_bundled_robot(monkeypatch, capsys, robot) -> None:
    status, out, err = run(monkeypatch, capsys, "verify", robot, "--json")
    told = json.loads(out)
    assert status == 0, err
    assert told["passed"] and told["pinocchio"]
    assert len(told["checks"]) == sum(len(k.methods) for k in KINDS.values())
    assert "methods agree" in err


def test_verify_names_the_method_that_disagrees(monkeypatch, capsys) -> None:
    def wrong(chain, q):
        return [x * (1 + 1e-7) for x in gravity(chain, q)]

    monkeypatch.setitem(KINDS["gravity"].methods, "slightly_off", Method(wrong, "a mistake"))
    status, out, err = run(monkeypatch, capsys, "verify", "planar3")
    assert status == 1
    assert err.strip() == "disagreement: gravity slightly_off."
    assert out.count("DISAGREES") == 1


def test_verify_does_without_pinocchio(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    status, out, _ = run(monkeypatch, capsys, "verify", "planar2")
    assert status == 0 and "Pinocchio is not installed" in out


def test_tables_have_a_verdict_for_every_row(monkeypatch, capsys) -> None:
    status, out, _ = run(monkeypatch, capsys, "tables", "--json")
    tables = json.loads(out)
    assert status == 0 and tables
    for table in tables:
        for row in table["rows"]:
            assert row["verdict"] in ("equal", "beaten", "above", "not measured"), row
            assert (row["measured"] is None) == (row["verdict"] == "not measured")
    status, out, _ = run(monkeypatch, capsys, "tables")
    assert status == 0 and all(table["reference"] in out for table in tables)


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["info", "pumma560"], 2, "puma560"),
        (["info", "nowhere/arm.urdf"], 2, "nowhere"),
        (["verify", "puma560", "--states", "0"], 2, "states"),
        (["frobnicate"], 2, "frobnicate"),
        (["info"], 2, "ROBOT"),
        (["ops", "puma560", "--tip", "hand"], 2, "tip"),
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
    status, out, err = run(monkeypatch, capsys, "info", str(bad))
    assert (status, out) == (2, "") and "elbow" in err and "triangle" in err
    status, out, err = run(monkeypatch, capsys, "info", str(bad), "--no-strict")
    assert status == 0 and err.startswith("warning:") and "elbow" in err


def test_version_and_help(monkeypatch, capsys) -> None:
    assert run(monkeypatch, capsys, "--version")[1].startswith("armdyn ")
    status, out, _ = run(monkeypatch, capsys, "--help")
    assert status == 0 and all(verb in out for verb in ("info", "ops", "tables", "verify"))


def test_installed_command_runs() -> None:
    command = Path(sys.executable).with_name("armdyn")
    done = subprocess.run([command, "info", "planar2"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "planar2" in done.stdout
