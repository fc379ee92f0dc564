"""Errors of a verb name its options, as they are declared, and not arguments of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import armdyn
from armdyn.cli.app import main

CASES = {
    "verify planar2 --states 0": "error: --states is 0, expected a whole number from 1 to 10000.",
    "verify planar2 --seed -1": "error: --seed is -1, expected a whole number from 0",
    "simulate planar2 --until -1": "error: --until is -1.0, expected the end of the simulation",
    "simulate planar2 --q0 1e300,0": "error: --q0 has 1e+300 at index",
    "simulate planar2 --until 1e6 --integrator rk4 --step 1e-2": "are wanted by --rate",
    "simulate planar2 --target 0,0 --kp -1": "error: --kp is -1.0, expected",
    "excite planar2 --duration -1": "error: --duration is -1.0, expected a number",
    "excite planar2 --velocity -1": "error: --velocity is -1.0, expected a positive number",
    "info planar2 --tip x": "Leave --tip out.",
    # what a user wrote may look like an argument with a value, and be none
    "excite planar2 --plot --restarts=٣": "--restarts ٣",
    "excite planar2 --plot --restarts=1.2.3": "--restarts 1.2.3",
}


def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str) -> str:
    monkeypatch.setattr("sys.argv", ["armdyn", *line.split()])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("line", CASES)
def test_errors_name_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    said = refused(monkeypatch, capsys, line)
    assert CASES[line] in said
    assert "`" not in said


def test_advice_to_read_a_log_is_given_in_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line = f"identify planar2 {tmp_path / 'run.csv'} -o {tmp_path / 'out'}"
    (tmp_path / "run.csv").write_text("t,x\n1,2\n3,4\n")
    said = refused(monkeypatch, capsys, line)
    assert "--columns t=clock --columns q=a1,a2 --columns tau=m1,m2" in said
    head, rows = "t,q1,q2,tau1,tau2\n", "0,0,0,1,1\n1,,0,1,1\n2,0,0,1,1\n"
    (tmp_path / "run.csv").write_text(head + rows)
    assert "--drop-missing leaves them out" in refused(monkeypatch, capsys, line)
    (tmp_path / "run.csv").write_text(head + "0,0,0,1,1\n2,0,0,1,1\n1,0,0,1,1\n")
    assert "--sort puts rows in order" in refused(monkeypatch, capsys, line)


def test_limits_of_a_description_are_not_taken_for_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "arm.toml"
    armdyn.save(armdyn.load("planar2"), path)
    text = path.read_text()
    assert "\n[[joint]]\n" in text
    path.write_text(text.replace("\n[[joint]]\n", "\n[[joint]]\nvelocity = -1.0\n", 1))
    said = refused(monkeypatch, capsys, f"excite {path}")
    assert "the limit `velocity` is -1" in said and "--velocity" not in said
