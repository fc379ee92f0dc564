"""Temporary files of a killed process are removed by the next write to the same path."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from armdyn.files import write_whole
from armdyn.files._temporary import ABANDONED, QUIET

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

KILLED = """
import os, signal, sys
from armdyn.files import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def aged(path: Path, seconds: float) -> Path:
    path.touch()
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def left_by_a_killed_process(target: Path) -> Path:
    done = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert done.returncode == -signal.SIGKILL
    [left] = target.parent.glob(f".{target.name}.*.tmp")
    return left


@on_posix
def test_next_write_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    target = tmp_path / "run.csv"
    left = left_by_a_killed_process(target)
    write_whole(target, "new")
    assert left.exists()  # a write of minutes ago may still go on elsewhere
    aged(left, QUIET + 60)
    write_whole(target, "newer")
    assert os.listdir(tmp_path) == ["run.csv"]
    assert target.read_text() == "newer"


@on_posix
def test_files_of_living_processes_and_of_other_targets_stay(tmp_path: Path) -> None:
    hexes = "0123456789ab"
    living = aged(tmp_path / f".run.csv.{os.getpid()}-{hexes}.tmp", QUIET + 60)
    others = [
        aged(tmp_path / name, 10 * ABANDONED)
        for name in (f".other.csv.{hexes}.tmp", f".run.csv.{hexes}", ".run.csv.mine.tmp", "run.tmp")
    ]
    write_whole(tmp_path / "run.csv", "new")
    assert living.exists()
    assert all(path.exists() for path in others)


def test_after_a_day_any_file_of_the_target_is_stale(tmp_path: Path) -> None:
    mine = aged(tmp_path / f".run.csv.{os.getpid()}-0123456789ab.tmp", ABANDONED + 60)
    older_name = aged(tmp_path / ".run.csv.0123456789ab.tmp", ABANDONED + 60)
    write_whole(tmp_path / "run.csv", "new")
    assert not mine.exists()
    assert not older_name.exists()
