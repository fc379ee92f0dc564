"""Progress bars: on terminals only, and gone when the job is done."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

from armdyn.cli import console as _console
from armdyn.cli.app import main
from support.command import INTERRUPTIBLE

MAIN = [sys.executable, "-c", "from armdyn.cli.app import main; main()"]
ERASE_LINE, SHOW_CURSOR = "\x1b[2K", "\x1b[?25h"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def use_terminal(monkeypatch) -> Terminal:
    """Make standard error a terminal; within a test, as capturing sets it again before it."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def read_until(fd: int, enough: str, seconds: float = 60.0) -> str:
    """Return what a terminal shows until a text appears or nothing more comes."""
    seen = ""
    end = time.monotonic() + seconds
    while enough not in seen and time.monotonic() < end:
        if not select.select([fd], [], [], 1.0)[0]:
            continue
        try:
            seen += os.read(fd, 65536).decode()
        except OSError:  # the program has ended
            break
    return seen


def test_a_bar_is_shown_on_a_terminal_and_removed() -> None:
    screen, slave = pty.openpty()
    job = subprocess.Popen(
        [*MAIN, "verify", "planar2", "--states", "1"],
        stdout=subprocess.PIPE, stderr=slave, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(slave)
    seen = read_until(screen, "methods agree.")
    out, _ = job.communicate()
    os.close(screen)
    assert job.returncode == 0
    assert "comparing methods" in seen and "━" in seen
    last = seen.rindex("━")
    assert ERASE_LINE in seen[last:] and SHOW_CURSOR in seen[last:]
    assert b"\x1b" not in out and "━".encode() not in out


def test_a_pipe_gets_no_byte_of_it() -> None:
    run = subprocess.run([*MAIN, "verify", "planar2", "--states", "1"], capture_output=True)
    count = sum(b"agrees" in line for line in run.stdout.splitlines())
    assert run.stderr.decode() == f"all {count} methods agree.\n"
    assert b"\x1b" not in run.stdout


def test_an_interrupted_job_leaves_the_terminal_as_it_was() -> None:
    screen, slave = pty.openpty()
    job = subprocess.Popen(
        [*INTERRUPTIBLE, "excite", "puma560", "--evaluations", "100000000"],
        stdout=subprocess.PIPE, stderr=slave, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(slave)
    seen = read_until(screen, "looking for the motion")
    assert "looking for the motion" in seen
    job.send_signal(signal.SIGINT)
    try:
        seen += read_until(screen, "never shown", 30.0)
        out, _ = job.communicate(timeout=30.0)
    finally:
        job.kill()
    os.close(screen)
    assert job.returncode not in (0, None) and out == b""
    assert SHOW_CURSOR in seen[seen.rindex("━") :]
    assert "Traceback" not in seen


def run(monkeypatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["armdyn", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("verify", "planar2", "--states", "1"), "comparing methods"),
        (("simulate", "planar2", "--until", "0.1"), "simulating"),
        (("study", "ascher"), "study ascher"),
        (("ops", "planar2"), "counting operations"),
    ],
)
def test_verbs_report_progress(monkeypatch, capsys, words, what) -> None:
    terminal = use_terminal(monkeypatch)
    assert run(monkeypatch, *words) == 0
    assert what in terminal.getvalue() and "━" in terminal.getvalue()
    out, _ = capsys.readouterr()
    assert "━" not in out and "\x1b" not in out


def test_an_error_removes_the_bar(monkeypatch) -> None:
    terminal = use_terminal(monkeypatch)
    assert run(monkeypatch, "excite", "planar2", "--effort", "1e-9", "--velocity", "1",
               "--acceleration", "1", "--position=-1:1", "--evaluations", "96") == 2  # fmt: skip
    seen = terminal.getvalue()
    assert seen.index(SHOW_CURSOR) < seen.index("error: ")
    assert "━" not in seen[seen.index("error: ") :]


def test_a_long_error_is_folded_on_a_terminal_alone(monkeypatch, capsys) -> None:
    text = "error: the mass is -1. " + "A consequence of that. " * 40 + "Pass --no-strict."
    _console.complain(text, 5)
    assert capsys.readouterr().err.strip() == text
    terminal = use_terminal(monkeypatch)
    _console.complain(text, 5)
    seen = terminal.getvalue().strip()
    assert len(seen) <= 500 and seen.startswith("error: the mass is -1.")
    assert seen.endswith("Pass --no-strict.") and " ... " in seen
    assert len(_console.folded("x" * 999, 400)) == 400


def test_json_for_a_program_has_no_bar(monkeypatch, capsys) -> None:
    terminal = use_terminal(monkeypatch)
    assert run(monkeypatch, "study", "ascher", "--json") == 0
    assert terminal.getvalue() == ""
    assert json.loads(capsys.readouterr().out)


def test_no_bar_without_standard_error(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with _console.progress_bar() as progress:
        progress(1, 2, "anything")


def test_names_from_files_cannot_steer_the_terminal(monkeypatch) -> None:
    terminal = use_terminal(monkeypatch)
    with _console.progress_bar() as progress:
        progress(1, 2, "[bold]\x1b[31m evil")
    assert "\x1b[31m evil" not in terminal.getvalue() and "[bold]" in terminal.getvalue()
