"""Many arms that differ by chance: draws in numbered blocks, on the command line too."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.cli.app import main
from support.says import Said, says

ARM = armdyn.load("planar2")
QUICK: dict[str, Any] = {"until": 0.05, "integrator": "rk4", "step": 0.01, "samples": 2}


def drawn(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.normal(0.0, 0.1, (count, 2))


def test_arms_are_drawn_block_by_block() -> None:
    run = armdyn.simulate(ARM, drawn, qd0=drawn, arms=2050, seed=7, **QUICK)
    for block, rows in ((0, slice(0, 2048)), (1, slice(2048, 2050))):
        rng = np.random.default_rng([7, block])
        count = rows.stop - rows.start
        assert np.array_equal(run.q[0, rows], drawn(rng, count))  # q0, then qd0
        assert np.array_equal(run.qd[0, rows], drawn(rng, count))


BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "no number": (
        {"q0": drawn},
        "a function that draws rows for a number of arms: give `arms`.",
        "arms",
    ),
    "nothing drawn": (
        {"q0": np.zeros((3, 2)), "arms": 3},
        "`arms` is 3, but nothing is drawn: expected functions of (rng, count) as `q0`, `qd0` or "
        "`parameters`.",
        "arms",
    ),
    "other rows": (
        {"q0": drawn, "qd0": np.zeros((3, 2)), "arms": 4},
        "`qd0` has 3 rows, but `arms` is 4: as many of each.",
        "qd0",
    ),
    "wrong rows": (
        {"q0": lambda rng, count: np.zeros((count + 1, 2)), "arms": 4},
        "`q0` has shape (5, 2), expected the rows that it draws for 4 arms.",
        "q0",
    ),
    "an error": (
        {"q0": lambda rng, count: 1 / 0, "arms": 4},
        "`q0` raised ZeroDivisionError: division by zero; when called with a generator and 4 arms.",
        "q0",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_errors(what: str) -> None:
    given, text, argument = BAD[what]
    with pytest.raises(armdyn.InputError) as caught:
        armdyn.simulate(ARM, **given, **QUICK)
    assert text in str(caught.value)
    assert caught.value.argument == argument


Patch, Capture = pytest.MonkeyPatch, pytest.CaptureFixture[str]


def run_cli(monkeypatch: Patch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["armdyn", "simulate", "planar2", "--until", "0.1", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_the_command_line_simulates_many_arms(monkeypatch: Patch, capsys: Capture) -> None:
    many = ["--arms", "50", "--spread-q", "0.1", "--integrator", "rk4", "--seed", "4"]
    assert run_cli(monkeypatch, *many, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["arms"] == 50
    expected = armdyn.simulate(
        ARM, lambda rng, count: rng.normal(np.zeros(2), 0.1, (count, 2)), arms=50, seed=4,
        until=0.1, integrator="rk4", samples=2,
    )  # fmt: skip
    assert found["q"] == expected.q[-1].tolist()
    assert run_cli(monkeypatch, *many, "--spread-links", "0.05") == 0
    assert says(capsys.readouterr().out, "50 arms", "spread")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--spread-q", "0.1"], ("--spread-q", "--spread-links", "--arms")),
        (["--arms", "5"], ("--arms", "--spread-q")),
        (["--arms", "5", "--spread-q", "1", "-o", "a.csv"], "one arm"),
        (["--cluster", "a", "--workers", "1"], ("--cluster", "--workers")),
        (["--workers", "0"], ("--workers", "0", "1", "1024")),
        (["--cluster", "nowhere"], ("--cluster", "'nowhere'")),
    ],
)
def test_options_are_refused(
    words: list[str], text: Said, monkeypatch: Patch, capsys: Capture
) -> None:
    assert run_cli(monkeypatch, *words) != 0
    assert says(" ".join(capsys.readouterr().err.split()), text)
