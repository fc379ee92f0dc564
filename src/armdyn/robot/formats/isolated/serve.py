"""The program of an isolated process: it answers requests until its input ends.

The first message says where modules are found, and which module answers. It is imported, and then
each request is answered by a copy of this process (a fork) which is confined before it sees the
request: it can compute, and ask this process for files. The module has two functions:

    answer(request, ask)    runs confined; returns the answer
    provide(request, query) runs here; returns the bytes that `ask(query)` returns there

`provide` must not trust a query: it decides what a file may read. If it raises `OSError` or
`Refused`, `ask` does. Requests and answers are JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

# Seconds without a request after which the process ends.
IDLE = 120.0

# Bytes of an answer; those of arms have some hundred thousand.
MAX_ANSWER = 100_000_000

# Kinds of messages between the two processes.
QUERY, BYTES, ERROR, ANSWER = b"?", b"=", b"!", b"."


class Refused(Exception):
    """What a file asks for is not permitted."""


def main() -> None:
    """Answer requests."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the parent, which closes the pipes
    source, sink = _private_streams()
    try:
        first = json.loads(_request(source))
        sys.path[:] = first["path"]
        # this module, under the name by which the others know it
        serve = importlib.import_module("armdyn.robot.formats.isolated.serve")
        module = importlib.import_module(first["module"])
        while True:
            send(sink, ANSWER, serve.answered(module, json.loads(_request(source))))
    except Exception:  # the module is broken, or cannot be imported
        send(sink, ANSWER, _failure())


def answered(module: Any, request: dict[str, Any]) -> bytes:
    """Return the answer of a module to a request, made by a confined copy of this process."""
    if not hasattr(os, "fork"):  # Windows: nothing is confined
        return _answer(module, request, lambda query: module.provide(request, query))
    from_child, to_parent = os.pipe()
    from_parent, to_child = os.pipe()
    child = os.fork()
    if child == 0:
        _answer_confined(module, request, from_parent, to_parent)
    os.close(to_parent)
    os.close(from_parent)
    try:
        while (message := receive(from_child)) is not None:
            if message[0] == ANSWER:
                return message[1]
            send(to_child, *_provided(module, request, message[1]))
    except (OSError, ValueError):  # the child is gone, or sends what it should not
        pass
    finally:
        os.close(from_child)
        os.close(to_child)
        finished = os.waitpid(child, os.WNOHANG)
        if finished[0] == 0:
            os.kill(child, signal.SIGKILL)
            finished = os.waitpid(child, 0)
    _end_like(finished[1])


def _answer_confined(module: Any, request: Any, source: int, sink: int) -> NoReturn:
    from armdyn.robot.formats.isolated.confine import confine  # 3 ms; only a child is confined

    def ask(query: dict[str, Any]) -> bytes:
        send(sink, QUERY, json.dumps(query).encode())
        message = receive(source)
        if message is None:
            os._exit(1)
        if message[0] == ERROR:
            kind, *rest = json.loads(message[1])
            raise OSError(*rest) if kind == "OSError" else Refused(*rest)
        return message[1]

    try:
        # only the two pipes and the null device stay open
        os.closerange(3, min(source, sink))
        os.closerange(min(source, sink) + 1, max(source, sink))
        os.closerange(max(source, sink) + 1, os.sysconf("SC_OPEN_MAX"))
        confine()
        send(sink, ANSWER, _answer(module, request, ask))
    finally:
        os._exit(0)


def _answer(module: Any, request: Any, ask: Callable[[dict[str, Any]], bytes]) -> bytes:
    try:
        return json.dumps(module.answer(request, ask)).encode()
    except Exception:
        return _failure()


def _provided(module: Any, request: Any, query: bytes) -> tuple[bytes, bytes]:
    """Return the message that answers a query of the confined process."""
    try:
        return BYTES, module.provide(request, json.loads(query))
    except OSError as error:
        told = ["OSError", error.errno, error.strerror, str(error.filename or "")]
    except Refused as error:
        told = ["Refused", str(error)]
    except Exception as error:  # no query that this module sends
        told = ["Refused", f"{type(error).__name__}: {error}"[:1000]]
    return ERROR, json.dumps(told).encode()


def _failure() -> bytes:
    return json.dumps({"failure": traceback.format_exc(limit=-3)[-4000:]}).encode()


def _end_like(status: int) -> NoReturn:
    """End this process as its copy ended, which the parent then sees."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) or 1)


def _private_streams() -> tuple[int, int]:
    """Return the pipes to the parent; what anyone prints goes nowhere."""
    source, sink = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    return source, sink


def _request(source: int) -> bytes:
    if sys.platform != "win32" and not select.select([source], [], [], IDLE)[0]:
        sys.exit()
    message = receive(source)
    if message is None:
        sys.exit()
    return message[1]


def send(sink: int, kind: bytes, data: bytes) -> None:
    """Write a message: its kind, its length and a line feed, its bytes."""
    rest = memoryview(b"%b%d\n%b" % (kind, len(data), data))
    while rest:
        rest = rest[os.write(sink, rest) :]


def receive(source: int) -> tuple[bytes, bytes] | None:
    """Return the kind and bytes of the next message; None at the end.

    Raises:
        ValueError: it is no message, or too long.
    """
    head = b""
    while not head.endswith(b"\n"):
        byte = os.read(source, 1)
        if not byte or len(head) > 20:
            return None
        head += byte
    size = int(head[1:])
    if not 0 <= size <= MAX_ANSWER:
        raise ValueError("a message is too long")
    data = bytearray()
    while len(data) < size:
        piece = os.read(source, min(size - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return head[:1], bytes(data)


if __name__ == "__main__":
    main()
