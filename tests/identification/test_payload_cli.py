"""`armdyn payload` and `armdyn gains` by exit status, words and files."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.cli.app import main
from armdyn.identification.payload.payload import Load, loaded
from support.identification import recorded, small_arm

LOAD = Load(mass=1.5, com=(0.1, 0.02, 0.05), inertia=(0.004, 0.0, 0.0, 0.006, 0.0, 0.005))
GAINS = np.array([5.0, 4.0, 3.0])


def run(monkeypatch, capsys, *words: object) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, " ".join(err.split())


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """The robot small.toml; torques held.csv, empty.csv; currents amps.csv, amps_empty.csv."""
    folder = tmp_path_factory.mktemp("payload")
    armdyn.save(small_arm(), folder / "small.toml")
    for name, arm, seed in (("held", loaded(small_arm(), LOAD), 0), ("empty", small_arm(), 0)):
        recorded(arm, seed=seed).save(folder / f"{name}.csv")
    for name, arm, seed in (("amps", loaded(small_arm(), LOAD), 1), ("amps_empty", small_arm(), 2)):
        log = recorded(arm, seed=seed)
        assert log.tau is not None
        replace(log, tau=log.tau / GAINS, effort="current").save(folder / f"{name}.csv")
    return folder


def test_a_load_is_found_beside_the_known_arm(monkeypatch, capsys, place, tmp_path) -> None:
    out = tmp_path / "out"
    words = ("payload", place / "small.toml", place / "held.csv", "-o", out)
    status, told, err = run(monkeypatch, capsys, *words, "--empty", place / "empty.csv")
    assert (status, err) == (0, "")
    assert "passed: the mass of the load is known, " in told and "aligned" in told
    found = json.loads((out / "payload.json").read_text())
    assert abs(found["mass"] - 1.5) < 2 * found["mass_std"] < 0.2
    assert f"{found['mass']:.5g}" in told
    q = np.random.default_rng(1).uniform(-1, 1, (50, 3))
    arm = small_arm()
    carried = armdyn.load(out / "loaded.toml").gravity(q) - arm.gravity(q)
    np.testing.assert_allclose(carried, loaded(arm, LOAD).gravity(q) - arm.gravity(q), atol=0.3)
    status, told, err = run(monkeypatch, capsys, *words, "--json", "--gain-error", "0")
    assert status == 0 and err.startswith("passed: the mass of the load is known")
    plain = json.loads(told)
    assert plain["mass_std"] < found["mass_std"]
    assert sorted(Path(name).name for name in plain["files"]) == ["loaded.toml", "payload.json"]


def test_nothing_is_written_without_a_folder(monkeypatch, capsys, place, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("payload", place / "small.toml", place / "held.csv", "--json")
    status, told, _ = run(monkeypatch, capsys, *words)
    assert status == 0 and json.loads(told)["files"] == []
    assert list(tmp_path.iterdir()) == []


def test_another_motion_is_an_error(monkeypatch, capsys, place, tmp_path) -> None:
    recorded(small_arm(), seed=9).save(tmp_path / "other.csv")
    out = tmp_path / "out"
    status, told, err = run(
        monkeypatch, capsys, "payload", place / "small.toml", place / "held.csv", "-o", out,
        "--empty", tmp_path / "other.csv",
    )  # fmt: skip
    assert (status, told) == (2, "") and "not of one motion" in err and not out.exists()


def test_gains_are_found_by_a_mass(monkeypatch, capsys, place, tmp_path) -> None:
    words = (
        "gains", place / "small.toml", place / "amps.csv", "--empty", place / "amps_empty.csv",
        "--mass", "1.5",
    )  # fmt: skip
    out = tmp_path / "out"
    status, told, err = run(monkeypatch, capsys, *words, "-o", out)
    assert (status, err) == (0, "")
    assert "passed: the gains of all drives are known." in told and "centre of mass" in told
    found = json.loads((out / "gains.json").read_text())
    gains = np.array([joint["gain"] for joint in found["joints"]])
    np.testing.assert_allclose(gains, GAINS, rtol=0.03)
    status, told, _ = run(monkeypatch, capsys, *words, "--json")
    assert status == 0 and json.loads(told)["joints"] == found["joints"]


def test_a_wrong_centre_of_mass_is_an_error(monkeypatch, capsys, place, tmp_path) -> None:
    status, told, err = run(
        monkeypatch, capsys, "gains", place / "small.toml", place / "amps.csv", "--empty",
        place / "amps_empty.csv", "--mass", "1.5", "--com", "0.4,0,0", "-o", tmp_path / "out",
    )  # fmt: skip
    assert (status, told) == (2, "") and "the currents show it at" in err
    assert not (tmp_path / "out").exists()


def test_torques_have_no_gains(monkeypatch, capsys, place) -> None:
    status, _, err = run(
        monkeypatch, capsys, "gains", place / "small.toml", place / "held.csv", "--empty",
        place / "empty.csv", "--mass", "1.5",
    )  # fmt: skip
    assert status == 2 and "current" in err
