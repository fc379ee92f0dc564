"""Files are whole after any kill, and the next writer removes what killed ones left."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import support.kills
from armdyn import writing as _temporary
from armdyn.errors import FileError
from armdyn.writing import ABANDONED, scratch_folder, whole_file, write_together, write_whole

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and locks of POSIX")

LEFT = ".armdyn-0123456789abcdef.tmp"

# Writes a file, tells when it is open, and waits to be ended.
WAITS = """
import os, sys
from armdyn.writing import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    if sys.argv[2] == "fork" and os.fork() == 0:
        os.close(sys.stdout.fileno())  # the reader does not wait for the child, which lives on
        sys.stdin.read()
        os._exit(0)
    print("inside", flush=True)
    sys.stdin.read()
"""


def writer(target: Path, how: str = "") -> subprocess.Popen[str]:
    """Return a process that is in the middle of writing a file."""
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS, str(target), how],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "inside\n"
    return process


def aged(path: Path, seconds: float) -> Path:
    path.touch()
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


@on_posix
def test_writers_killed_at_any_line_leave_whole_files_and_the_next_cleans_up() -> None:
    done = subprocess.run(
        [sys.executable, support.kills.__file__, "11"], capture_output=True, text=True, check=True
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["writer"] for row in rows] == list(support.kills.WRITERS)
    for row in rows:
        assert row["kills"] >= 5 and row["left"] >= 1, row
        assert (row["spoiled"], row["mixed"], row["remaining"]) == (0, 0, 0), row


@on_posix
@pytest.mark.parametrize("how", ["", "fork"])
def test_next_write_of_any_target_removes_what_a_killed_process_left(
    tmp_path: Path, how: str
) -> None:
    process = writer(tmp_path / "run.csv", how)
    write_whole(tmp_path / "other.csv", "new")
    assert len(os.listdir(tmp_path)) == 2  # the process lives
    process.kill()
    assert process.wait() == -signal.SIGKILL
    write_whole(tmp_path / "other.csv", "newer")  # a child of the process may still live
    assert os.listdir(tmp_path) == ["other.csv"]
    process.communicate()


def test_files_of_living_processes_stay(tmp_path: Path) -> None:
    process = writer(tmp_path / "run.csv")
    with whole_file(tmp_path / "mine.csv") as file, scratch_folder() as folder:
        write_whole(tmp_path / "other.csv", "new")
        write_whole(folder.parent / "other.csv", "new")
        assert len(os.listdir(tmp_path)) == 3 and folder.is_dir()
        file.write(b"mine")
    process.communicate()
    write_whole(folder.parent / "other.csv", "new")
    assert sorted(os.listdir(tmp_path)) == ["mine.csv", "other.csv", "run.csv"]
    assert (tmp_path / "run.csv").read_text() == "half"
    assert (tmp_path / "mine.csv").read_text() == "mine"


def test_files_of_others_stay(tmp_path: Path) -> None:
    names = ["run.tmp", ".run.tmp", LEFT[1:], LEFT.replace("f.", "g."), f"{LEFT}.bak"]
    for name in names:
        aged(tmp_path / name, 10 * ABANDONED)
    (tmp_path / LEFT).mkdir()
    write_whole(tmp_path / "run.csv", "new")
    assert sorted(os.listdir(tmp_path)) == sorted([*names, LEFT, "run.csv"])


@on_posix
def test_links_with_the_name_of_a_temporary_file_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    kept = tmp_path / "kept" / "kept.csv"
    kept.touch()
    (tmp_path / LEFT).symlink_to(kept)
    (tmp_path / LEFT.replace("0", "1")).touch()
    (tmp_path / LEFT.replace("0", "1")).with_suffix(".d").symlink_to(kept.parent)
    write_whole(tmp_path / "run.csv", "new")
    assert kept.exists()


@on_posix
def test_without_locks_files_are_stale_after_a_day(tmp_path: Path, monkeypatch) -> None:
    def lockf(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(_temporary.fcntl, "lockf", lockf)
    young = aged(tmp_path / LEFT, ABANDONED - 60)
    old = aged(tmp_path / LEFT.replace("0", "1"), ABANDONED + 60)
    write_whole(tmp_path / "run.csv", "new")
    assert young.exists() and not old.exists()
    assert (tmp_path / "run.csv").read_text() == "new"


@on_posix
@pytest.mark.parametrize("answer", [True, False])
def test_a_file_that_is_removed_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch, answer: bool
) -> None:
    lock: Callable[[int], bool | None] = _temporary._lock
    seen: list[str] = []

    def slow(file: int) -> bool | None:
        if not seen:
            [name] = os.listdir(tmp_path)
            os.unlink(tmp_path / name)
            seen.append(name)
            return answer  # the lock of the removed file, or none while another process has it
        return lock(file)

    monkeypatch.setattr(_temporary, "_lock", slow)
    write_whole(tmp_path / "run.csv", "new")
    assert seen and os.listdir(tmp_path) == ["run.csv"]
    assert not _temporary._in_use


@on_posix
def test_modes_and_links_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.c", tmp_path / "link.c"
    real.touch()
    real.chmod(0o640)
    link.symlink_to(real)
    write_together(tmp_path, {"link.c": "new", "other.c": "new"}, None)
    assert link.is_symlink() and real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_files_are_put_back_if_one_cannot_be_replaced(tmp_path: Path, monkeypatch) -> None:
    texts = {name: "old" for name in "abc"}
    write_together(tmp_path, texts, None)
    rename = _temporary.Temporary.rename
    renamed: list[str] = []

    def fails(self: _temporary.Temporary, target: str) -> None:
        renamed.append(Path(target).name)
        if renamed == ["e", "d", "c", "b"]:
            raise OSError(errno.EIO, "Input/output error")
        rename(self, target)

    monkeypatch.setattr(_temporary.Temporary, "rename", fails)
    with pytest.raises(FileError, match="b: cannot be written: Input/output error"):
        write_together(tmp_path, {name: "new" for name in "abcd"} | {"inner/e": "new"}, None)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == texts and len(renamed) > 4
