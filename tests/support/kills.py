"""Kill forked writers (SIGKILL) at every line of `armdyn.files`, and look at what they left.

Run as a script: prints one row of JSON for each writer, without threads, which forks dislike.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from armdyn import files
from armdyn.files import open_private
from armdyn.writing import check_writable, scratch_folder, write_together, write_whole

HERE = str(Path(files.__file__).parent)
NAMES = ("a.h", "a.c", "inner/test.c")
OLD, NEW = b"old" * 5, b"new" * 50_000


def one(folder: Path, data: bytes) -> None:
    write_whole(folder / "a.h", data)


def together(folder: Path, data: bytes) -> None:
    write_together(folder, dict.fromkeys(NAMES, data), None)


def private(folder: Path, data: bytes) -> None:
    with open_private(folder) as opened:
        opened.write_whole("a.h", [data, b""])


def scratch(folder: Path, data: bytes) -> None:
    with scratch_folder() as new:
        (new / "inner").mkdir()
        together(new, data)
        one(folder, data)


def checked(folder: Path, data: bytes) -> None:
    check_writable(folder, NAMES)
    one(folder, data)


WRITERS = {f.__name__: f for f in (one, together, private, scratch, checked)}


def killed_at(line: int, write: Callable[[Path, bytes], None], folder: Path) -> bool:
    """Fork a writer that is killed at the given line; return whether it was."""
    child = os.fork()
    if child == 0:
        left = line

        def traced(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal left
            if not frame.f_code.co_filename.startswith(HERE):
                return None
            left -= event == "line"
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return traced

        sys.settrace(traced)
        write(folder, NEW)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def trial(write: Callable[[Path, bytes], None], step: int = 1) -> dict[str, int]:
    """Kill a writer at every so many-th line; after each kill, write another file there."""
    counts = {"kills": 0, "left": 0, "spoiled": 0, "mixed": 0, "remaining": 0}
    for line in range(0, 10**6, step):
        tempfile.tempdir = None
        with tempfile.TemporaryDirectory() as name:
            tempfile.tempdir = name
            folder = Path(name)
            write(folder, OLD)
            if not killed_at(line, write, folder):
                return counts
            found = files_in(folder)
            whole = {k: v for k, v in found.items() if k in NAMES}
            counts["kills"] += 1
            counts["left"] += len(found) > len(whole)
            counts["spoiled"] += sum(v not in (OLD, NEW) for v in whole.values())
            counts["mixed"] += len(set(whole.values())) > 1
            for place in (folder, folder / "inner"):
                if place.is_dir():
                    write_whole(place / "other.txt", "next")
            other = {"other.txt", "inner/other.txt", *NAMES}
            counts["remaining"] += len(files_in(folder).keys() - other)
            counts["remaining"] += sum(p.suffix == ".d" for p in folder.iterdir())
    return counts


if __name__ == "__main__":
    os.fsync = lambda _: None  # slow; a kill loses nothing that was written
    for writer, function in WRITERS.items():
        print(json.dumps({"writer": writer, **trial(function, int(sys.argv[1]))}), flush=True)
