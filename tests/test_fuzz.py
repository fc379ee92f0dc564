"""The standing attack itself: it runs, finds planted defects, replays them, and resumes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from support.toy_target import case

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from fuzz import states  # noqa: E402
from fuzz._finding import Finding  # noqa: E402
from fuzz._targets import TARGETS  # noqa: E402

TOY = "support.toy_target"
WORDS = {
    1: "ZeroDivisionError: planted", 2: "hang: more than 1 s", 3: "crash: SIGSEGV",
    4: "RuntimeWarning: planted", 6: "files left behind: ['.arm.toml.tmp']",
}  # fmt: skip
# Cases with all of them, and each that ends a worker once.
FIRST, END = 99, 111


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "fuzz", *words]


def environment() -> dict[str, str]:
    paths = [str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def fuzz(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )


def record(folder: Path, target: str = TOY) -> dict[str, Any]:
    return json.loads((folder / "state.json").read_text())["targets"][target]


def planted() -> dict[int, int]:
    """The defects of cases, by seed."""
    found = {seed: case(random.Random(f"{TOY}:{seed}"), TOY) for seed in range(FIRST, END)}
    return {seed: defect for seed, defect in found.items() if defect in WORDS}


def test_planted_defects_are_found_and_replayed(tmp_path: Path) -> None:
    words = ("--targets", TOY, "--seed", str(FIRST), "--cases", str(END - FIRST), "--patience", "1")
    done = fuzz(*words, "--state", str(tmp_path))
    found = {failure["seed"]: failure["what"] for failure in record(tmp_path)["failures"]}
    expected = planted()
    assert done.returncode == 1 and set(expected.values()) == set(WORDS)
    assert found.keys() == expected.keys(), done.stdout
    for seed, defect in expected.items():
        assert WORDS[defect] in found[seed]
    assert record(tmp_path)["cases"] == END - FIRST and record(tmp_path)["open"] == []
    for defect in (1, 6):
        seed = next(seed for seed, one in expected.items() if one == defect)
        assert f"--replay {TOY}:{seed}" in done.stdout
        again = fuzz("--replay", f"{TOY}:{seed}")
        assert again.returncode == 1 and WORDS[defect] in again.stdout
    assert fuzz("--replay", f"{TOY}:{min(set(range(FIRST, END)) - set(expected))}").returncode == 0


def test_a_run_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    words = ("--targets", "dh", "--seed", "500", "--state", str(tmp_path), "--workers", "1")
    process = subprocess.Popen(
        command(*words, "--cases", "100000"), cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL
    )
    while not (tmp_path / "state.json").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait()
    before = record(tmp_path, "dh")
    left = sum(end - begin for begin, end in before["open"])
    assert 0 < before["cases"] == before["next"] - 500 - left
    whole = before["cases"] + left + 5
    fuzz(*words, "--cases", str(whole), "--resume")
    after = record(tmp_path, "dh")
    assert after["cases"] == after["next"] - 500 == whole and after["open"] == []


@pytest.mark.slow
def test_every_target_runs(tmp_path: Path) -> None:
    done = fuzz("--cases", "40", "--state", str(tmp_path), "--workers", "1")
    for target in TARGETS:
        assert record(tmp_path, target)["cases"] >= 1, done.stdout


def test_a_wrong_number_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = states.Case(
        "planar2", False, "method", "gravity", "auto", {}, (3,), ["array"] * 6, "", seed=2
    )
    states.run(wrong)
    right = armdyn.Arm.gravity
    monkeypatch.setattr(
        armdyn.Arm, "gravity", lambda *given, **more: np.nextafter(right(*given, **more), np.inf)
    )
    with pytest.raises(Finding, match="alone"):
        states.run(wrong)
