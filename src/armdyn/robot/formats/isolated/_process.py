"""A process that answers requests: started at the first one, kept for the next ones."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from armdyn.robot.formats._records import Fault

PATIENCE = 30.0
"""Seconds that a request may take; arms take some milliseconds."""


class Isolated:
    """A module that answers requests in a process of its own.

    The process ends when this one does, or when it has been idle for a while.
    """

    def __init__(self, module: str, name: str) -> None:
        """Start nothing yet.

        Args:
            module: its function `answer` takes a request and returns an answer, both for JSON.
            name: what messages call it.
        """
        self._module, self._name = module, name
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._inherited: list[_Process | None] = []
        atexit.register(self.stop)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request.

        Raises:
            Fault: the process crashed, or took too long.
        """
        with self._lock:
            try:
                if self._process is not None:
                    answer = self._process.answer(request)
                    if answer is not None:
                        return answer
                    if self._process.stopped() != 0:
                        raise Fault(self._process.why(self._name))
                    self.stop()  # an idle one has ended itself: its pipes are still open
                self._process = _Process(self._module)
                answer = self._process.answer(request)
                if answer is None:
                    raise Fault(self._process.why(self._name))
                return answer
            except BaseException:  # an interrupted process still has an answer to give
                self.stop()
                raise

    def stop(self) -> None:
        """End the process, if it runs."""
        process, self._process = self._process, None
        if process is not None:
            process.stop()

    def _forget(self) -> None:
        """Leave the process to the parent after a fork."""
        self._inherited.append(self._process)  # kept, so that nobody waits for its end here
        self._lock, self._process = threading.Lock(), None


class _Process:
    """A process, and the pipes to it."""

    def __init__(self, module: str) -> None:
        program = str(Path(__file__).with_name("_serve.py"))
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", program],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._late = False
        self._send({"path": [entry for entry in sys.path if entry], "module": module})

    def answer(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a request; None if the process has ended."""
        timer = threading.Timer(PATIENCE, self._give_up)
        timer.start()
        try:
            self._send(request)
            return self._receive()
        finally:
            timer.cancel()

    def stopped(self) -> int:
        """Return the exit status of a process that has ended."""
        return self._process.wait()

    def why(self, name: str) -> str:
        """Return a sentence on why there is no answer."""
        code = self.stopped()
        if self._late:
            return f"{name} took more than {PATIENCE:.0f} s to read it: no description of an arm."
        if code < 0:
            killed = _signal(-code)
            return f"{name} crashed on it ({killed}): something in it is far from what is expected."
        return f"{name} ended without an answer (status {code})."

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _give_up(self) -> None:
        self._late = True
        self._process.kill()

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"%d\n%b" % (len(data), data))
            self._process.stdin.flush()
        except (BrokenPipeError, OSError):
            pass  # that there is no answer tells

    def _receive(self) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        size = self._process.stdout.readline()
        data = self._process.stdout.read(int(size)) if size.endswith(b"\n") else b""
        if not size or len(data) != int(size):
            return None
        answer = json.loads(data)
        if "failure" in answer:
            raise RuntimeError(f"an isolated process failed:\n{answer['failure']}")
        return answer


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # not every number has a name on every system
        return f"signal {number}"
