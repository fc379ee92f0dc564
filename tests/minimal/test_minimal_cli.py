"""`armdyn minimal`, and C that takes minimal parameters as arguments."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import InputError
from armdyn.arm.codegen import export_c
from armdyn.cli.app import main
from support.c_code import ROBOTS, Library, needs_gcc, selftest
from support.robots import relative_error

QUANTITIES = ("mass_matrix", "inverse_dynamics", "gravity", "bias", "pose", "friction")


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["armdyn", *words])
    with pytest.raises(SystemExit) as exit_:
        main()
    return int(exit_.value.code or 0)


def test_table_shows_values_combinations_and_what_is_unseen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "minimal", "scara") == 0
    out = capsys.readouterr().out
    assert "scara: 8 minimal parameters, of 40 parameters" in out
    assert "Izz_2 + 0.0625 m_3" in out
    assert "parallel" in out.partition("What no torque can tell:")[2]


def test_json_has_what_the_object_has(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "minimal", "stanford", "--json", "--rotor", "--friction") == 0
    told = json.loads(capsys.readouterr().out)
    base = armdyn.load("stanford").minimal_with(rotor=True, friction=True)
    assert tuple(row["name"] for row in told["minimal"]) == base.names
    assert [row["value"] for row in told["minimal"]] == base.values.tolist()
    matrix = [
        [row["coefficients"].get(p, 0.0) for p in told["parameters"]] for row in told["minimal"]
    ]
    assert np.array_equal(matrix, base.matrix)
    assert len(told["invisible"]) == len(base.invisible) and told["closed_form"] is True


def test_other_views(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "minimal", "stanford", "--gravity-only") == 0
    assert "stanford: 9 minimal parameters that the arm at rest" in capsys.readouterr().out
    assert run(monkeypatch, "minimal", "stanford", "--latex") == 0
    latex = capsys.readouterr().out
    assert latex.startswith("\\begin{align*}\n") and latex.count("&=") == 33
    assert run(monkeypatch, "minimal", "stanford", "--khalil-gautier") == 0
    assert "XXR2" in capsys.readouterr().out
    assert run(monkeypatch, "minimal", "stanford", "--khalil-gautier", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    theirs = armdyn.load("stanford").minimal.khalil_gautier()
    assert np.array_equal(told["change"], theirs.change)
    for words in (("--latex", "--json"), ("--khalil-gautier", "--rotor")):
        assert run(monkeypatch, "minimal", "stanford", *words) == 2
        assert "error:" in capsys.readouterr().err


@needs_gcc
@pytest.mark.parametrize("name", ["puma560", "mixed-3"])
def test_c_with_minimal_parameters_computes_the_same(name: str, tmp_path: Path) -> None:
    arm = armdyn.Arm(ROBOTS[name])
    paths = export_c(arm, tmp_path, QUANTITIES, parameters="minimal")
    done = selftest(paths, tmp_path / "selftest")
    assert done.returncode == 0, done.stdout
    library, w = Library(paths), arm.minimal.values
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.uniform(-2, 2, (3, arm.n))
    rotor = [j.rotor_inertia for j in arm.robot.joints]
    friction = [[j.viscous, j.coulomb, j.offset] for j in arm.robot.joints]
    (M,) = library("mass_matrix", [q, w, rotor], [(arm.n, arm.n)])
    assert relative_error(M, arm.mass_matrix(q)) < 1e-12
    (tau,) = library("inverse_dynamics", [q, qd, qdd, w, rotor, friction], [(arm.n,)])
    assert relative_error(tau, arm.inverse_dynamics(q, qd, qdd)) < 1e-12
    (tau,) = library("gravity", [q, w], [(arm.n,)])
    assert relative_error(tau, arm.gravity(q)) < 1e-12
    header = paths[0].read_text()
    first = arm.minimal.names[0]
    assert f"  0: {first} = " in header
    assert f"extern const double {paths[0].stem}_default_w[{len(w)}];" in header


def test_c_refuses_what_minimal_parameters_do_not_give(tmp_path: Path) -> None:
    arm = armdyn.load("planar2")
    with pytest.raises(InputError, match="potential_energy does not follow from minimal"):
        export_c(arm, tmp_path, ["potential_energy"], parameters="minimal")
    with pytest.raises(InputError, match="'folded', 'natural' and 'minimal'"):
        export_c(arm, tmp_path, ["gravity"], parameters="some")
    assert not list(tmp_path.iterdir())


def test_words_for_parameters_are_the_old_switch(tmp_path: Path) -> None:
    arm = armdyn.load("planar2")
    for old, new in ((True, "natural"), (False, "folded")):
        one = export_c(arm, tmp_path / f"{new}1", ["gravity"], parameters=old)
        two = export_c(arm, tmp_path / f"{new}2", ["gravity"], parameters=new)
        assert [p.read_text() for p in one] == [p.read_text() for p in two]


def test_codegen_takes_minimal_parameters(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["codegen", "planar2", "--functions", "gravity", "--out", str(tmp_path), "--minimal"]
    assert run(monkeypatch, *asked) == 0
    assert "planar2_default_w" in (tmp_path / "planar2.h").read_text()
    assert run(monkeypatch, *asked, "--parameters") == 2
    assert "exclude each other" in capsys.readouterr().err
