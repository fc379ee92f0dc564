"""`armdyn check` on files: what cannot be read is told, and the rest is checked."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Log
from armdyn.cli.app import main
from armdyn.recording.reading import check_file
from support.example_logs import write_example_logs


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", "check", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_example_logs(tmp_path)
    return tmp_path


def spoilt(name: str, **columns: np.ndarray) -> Path:
    log = Log.read("run.csv")
    np.savez(name, **{"t": log.t, "q": log.q, "tau": log.tau, **columns})
    return Path(name)


def test_a_clean_file(folder: Path, monkeypatch, capsys) -> None:
    status, out, _ = run(monkeypatch, capsys, "run.csv", "--robot", "planar2")
    assert status == 0 and "run.csv: ok" in out and "joint2" in out
    assert run(monkeypatch, capsys, "run.csv")[0] == 0


def test_faults_make_the_status_1_and_json_has_them(folder: Path, monkeypatch, capsys) -> None:
    spoilt("turned.npz", tau=-np.asarray(Log.read("run.csv").tau))
    words = ("run.csv", "turned.npz", "--robot", "planar2")
    status, out, _ = run(monkeypatch, capsys, *words, "--json")
    data = json.loads(out)
    assert status == 1 and data["ok"] is False
    assert [one["ok"] for one in data["logs"]] == [True, False]
    assert data["logs"][1]["faults"][0]["option"] == "--flip 1,2"
    status, out, _ = run(monkeypatch, capsys, *words)
    assert status == 1 and "torque sign" in out and "--flip 1,2" in out


def test_notes_name_options(folder: Path, monkeypatch, capsys) -> None:
    log = Log.read("run.csv")
    np.savez("angles.npz", t=log.t, position=log.q, tau=log.tau)
    _, _, err = run(monkeypatch, capsys, "angles.npz")
    assert "--units rad" in err and "units=" not in err


def test_pictures_of_one_and_of_several(folder: Path, monkeypatch, capsys) -> None:
    assert run(monkeypatch, capsys, "run.csv", "--out", "one.svg")[0] == 0
    assert (folder / "one.svg").read_text().startswith("<?xml")
    status, _, _ = run(
        monkeypatch, capsys, "run.csv", "held.csv", "--robot", "planar2", "-o", "all"
    )
    assert {path.name for path in (folder / "all").iterdir()} == {"run.png", "held.png"}
    assert status in (0, 1)


def test_rows_out_of_order_and_missing_values(folder: Path) -> None:
    log = Log.read("run.csv")
    t, q = np.array(log.t), np.array(log.q)
    t[300:303] -= 0.053
    q[[20, 50], 1] = np.nan
    result = check_file(spoilt("bad.npz", t=t, q=q), armdyn.load("planar2"), {})
    kinds = {fault.kind: fault for fault in result.faults}
    assert {"time order", "missing values"} <= set(kinds)
    assert kinds["time order"].option == "--sort" and "back in time" in kinds["time order"].what
    assert kinds["missing values"].option == "--drop-missing"
    assert len(result.log) == len(log) - 2


def test_degrees_that_other_verbs_refuse(folder: Path, monkeypatch, capsys) -> None:
    spoilt("deg.npz", q=np.degrees(Log.read("run.csv").q))
    status, out, _ = run(monkeypatch, capsys, "deg.npz", "--robot", "planar2")
    assert status == 1 and "position unit" in out and "--units deg" in out
    assert run(monkeypatch, capsys, "deg.npz", "--robot", "planar2", "--units", "deg")[0] == 0


def test_a_file_that_nothing_mends_is_an_error(folder: Path, monkeypatch, capsys) -> None:
    Path("empty.csv").write_text("a,b\n1,2\n")
    status, _, err = run(monkeypatch, capsys, "empty.csv")
    assert status == 2 and "empty.csv" in err


def test_others_are_checked_beside_a_file_that_cannot_be_read(
    folder: Path, monkeypatch, capsys
) -> None:
    Path("empty.csv").write_text("a,b\n1,2\n")
    words = ("empty.csv", "run.csv", "--robot", "planar2")
    status, out, _ = run(monkeypatch, capsys, *words, "--out", "all")
    assert status == 1 and "error: empty.csv" in out and "run.csv: ok" in out
    assert [path.name for path in (folder / "all").iterdir()] == ["run.png"]
    status, out, _ = run(monkeypatch, capsys, *words, "--json")
    data = json.loads(out)
    assert status == 1 and [one["ok"] for one in data["logs"]] == [False, True]
    assert "no time stamps" in data["logs"][0]["error"] and data["logs"][0]["source"] == "empty.csv"
