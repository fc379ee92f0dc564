"""Columns of logs on the command line: suggestions that can be pasted, units, patterns."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.cli.app import main


def run(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    monkeypatch.setattr("sys.argv", ["armdyn", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0), capsys.readouterr().err


def write_log(path: Path, heads: list[str], factor: float = 1.0) -> None:
    t = np.arange(400) * 0.004
    q = 0.8 * np.sin(np.outer(t, [2.0, 3.0]) + 0.2)
    qd, qdd = np.gradient(q, t, axis=0), np.zeros_like(q)
    tau = armdyn.load("planar2").inverse_dynamics(q, qd, qdd)
    rows = np.column_stack([t, q * factor, tau])
    header = ",".join(f'"{name}"' for name in heads)
    np.savetxt(path, rows, delimiter=",", header=header, comments="")


@pytest.mark.parametrize(
    "heads",
    [
        ["clk", "w1", "w2", "Drehm 1", "Drehm 2"],
        ["tick", "Achse 1, Ist", "Achse 2, Ist", "k1 'x'", "k2 'x'"],
        ["clk $HOME", "<b>w</b>1", "<b>w</b>2", "`m`1", "`m`2"],
    ],
)
def test_a_suggested_command_can_be_pasted(
    tmp_path: Path,
    heads: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_log(tmp_path / "my log.csv", heads)
    status, message = run(["observe", "planar2", "my log.csv"], monkeypatch, capsys)
    assert status == 2
    command = shlex.split(message[message.index("armdyn observe") :])
    status, message = run(command[1:], monkeypatch, capsys)
    assert "columns" not in message
    assert status == 0 or "torques" in message  # nothing tells which columns are torques


def test_vendors_columns_and_patterns_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    heads = ["Time [s]", "A1_ActPos(deg)", "A2_ActPos(deg)", "A1_Foo (Nm)", "A2_Foo (Nm)"]
    write_log(tmp_path / "log.csv", heads, 180.0 / np.pi)
    status, message = run(["observe", "planar2", "log.csv"], monkeypatch, capsys)
    assert status == 2
    assert "--columns 'tau=A*_Foo (Nm)' may be right" in message
    words = ["observe", "planar2", "log.csv", "--columns", "tau=A*_Foo (Nm)"]
    assert run(words, monkeypatch, capsys)[0] == 0
    assert run([*words, "--columns", "q=A?_ActPos*"], monkeypatch, capsys)[0] == 0
    status, message = run([*words, "--columns", "q=A*"], monkeypatch, capsys)
    assert status == 2
    assert "matches 4 columns" in message and "2 columns, one for each joint" in message


@pytest.mark.parametrize("verb", ["identify", "observe", "payload", "gains"])
def test_exchanged_arguments_are_put_right(
    tmp_path: Path,
    verb: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set" / "meta").mkdir(parents=True)
    (tmp_path / "set" / "meta" / "info.json").write_text("{}")
    for log in ("log.csv", "set"):
        status, message = run([verb, log, "planar2"], monkeypatch, capsys)
        assert status == 2
        assert "the robot comes first: " in message
        assert f"armdyn {verb} planar2 {log}" in message
