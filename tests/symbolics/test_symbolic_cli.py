"""`armdyn symbolic`: formulas on the terminal, as JSON, LaTeX and a Python module."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.cli.app import main
from support.robots import relative_error

pytest.importorskip("sympy")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def command(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["armdyn", "symbolic", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code
        return capsys.readouterr().out

    return command


def test_formulas_show_each_term_once(run: Any) -> None:
    text = run("planar2")
    lines = text.splitlines()
    assert "M12 = I2zz + c2x*m2*(b2*cos(q2) + c2x)" in lines
    assert "  [-alphap12/mh1, alphap12**2/mh1 + 1/mh2]" in lines
    assert sum(line.startswith("M12 = ") for line in lines) == 1
    assert "g = 9.81" in lines[-1]


def test_json_and_latex_have_what_the_model_has(run: Any) -> None:
    model = armdyn.symbolic("planar3")
    told = json.loads(run("planar3", "--matrices", "gravity,U", "--json"))
    assert told["values"] == model.values and list(told["matrices"]) == ["gravity", "U"]
    assert told["matrices"]["U"]["rows"][0] == ["1", "alpha12", "alpha13"]
    assert run("planar3", "--matrices", "gravity", "--latex") == model.latex("gravity") + "\n"


def test_python_module_runs_by_itself(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "planar3.py"
    assert str(file) in run("planar3", "--python", "-o", str(file))
    assert file.read_text(encoding="utf-8") == run("planar3", "--python")
    scope: dict[str, Any] = {}
    exec(file.read_text(encoding="utf-8"), scope)
    arm, q = armdyn.load("planar3"), np.array([0.3, -0.4, 1.1])
    inverse = scope["inverse_mass_matrix"](q, scope["VALUES"])
    assert relative_error(np.array(inverse), arm.inverse_mass_matrix(q)) < 1e-12
    assert relative_error(np.array(scope["gravity"](q, scope["VALUES"])), arm.gravity(q)) < 1e-12
