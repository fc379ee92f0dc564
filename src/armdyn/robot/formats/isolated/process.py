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
from typing import IO, Any

from armdyn.robot.formats.isolated.serve import QUERY, receive, send
from armdyn.robot.formats.records import Fault

# Seconds that a request may take; arms take some milliseconds.
PATIENCE = 15.0


class Isolated:
    """A module that answers requests in a process of its own.

    The process ends when this one does, or when it has been idle for a while.
    """

    def __init__(self, module: str, name: str) -> None:
        """Start nothing yet.

        Args:
            module: its functions `answer` and `provide` are those of `serve.py`.
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
            Fault: the process crashed, failed, or took too long.
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
        program = str(Path(__file__).with_name("serve.py"))
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", program],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # a process with threads cannot fork
        )  # fmt: skip
        self._late = False
        self._send({"path": [entry for entry in sys.path if entry], "module": module})

    def answer(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a request; None if the process has ended.

        Raises:
            Fault: it failed.
        """
        timer = threading.Timer(PATIENCE, self._give_up)
        timer.start()
        try:
            self._send(request)
            message = receive(self._pipe(self._process.stdout))
        except (OSError, ValueError):
            return None
        finally:
            timer.cancel()
        if message is None:
            return None
        try:
            answer = json.loads(message[1])
        except (ValueError, RecursionError):
            raise Fault("the process that read it gave no proper answer.") from None
        if "failure" in answer:
            last = str(answer["failure"]).strip().rpartition("\n")[2]
            raise Fault(f"the process that read it failed: {last}.")
        return answer

    def stopped(self) -> int:
        """Return the exit status of a process that has ended."""
        return self._process.wait()

    def why(self, name: str) -> str:
        """Return a sentence on why there is no answer."""
        code = self.stopped()
        if self._late or code == -getattr(signal, "SIGXCPU", 0):
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
        send(self._pipe(self._process.stdin), QUERY, json.dumps(message).encode())

    @staticmethod
    def _pipe(file: IO[bytes] | None) -> int:
        assert file is not None
        return file.fileno()


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # not every number has a name on every system
        return f"signal {number}"
