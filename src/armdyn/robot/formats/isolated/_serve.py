"""The program of an isolated process: it answers requests until its input ends.

Requests and answers are JSON, each behind a line with its length. The first one says where modules
are found, and which module answers: its `answer(request)` does. Nothing is imported from armdyn
before that, so that the process needs no more than that module does.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import traceback
from typing import Any, BinaryIO

# Seconds without a request after which the process ends.
IDLE = 120.0

# Address space [bytes]. MuJoCo maps less than two gigabytes.
MOST_MEMORY = 8 << 30


def main() -> None:
    """Answer requests."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the parent, which closes the pipes
    source, sink = _private_streams()
    _limit_resources()
    try:
        first = _receive(source)
        sys.path[:] = first["path"]
        module = importlib.import_module(first["module"])
        while True:
            _send(sink, module.answer(_receive(source)))
    except Exception:  # the module is broken, or cannot be imported: the parent raises it
        _send(sink, {"failure": traceback.format_exc()})


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes to the parent; what anyone prints goes nowhere."""
    source, sink = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return source, sink


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:  # not on this system: the parent's time limit remains
        return
    for name, most in (("RLIMIT_AS", MOST_MEMORY), ("RLIMIT_CORE", 0)):
        # some systems have no such limit, and macOS refuses to change one
        with contextlib.suppress(AttributeError, ValueError, OSError):
            what = getattr(resource, name)
            hard = resource.getrlimit(what)[1]
            if hard == resource.RLIM_INFINITY or hard > most:
                resource.setrlimit(what, (most, hard))


def _receive(source: BinaryIO) -> dict[str, Any]:
    if sys.platform != "win32" and not select.select([source], [], [], IDLE)[0]:
        sys.exit()
    size = b""
    while not size.endswith(b"\n"):
        size += _bytes(source, 1)
    return json.loads(_bytes(source, int(size)))


def _bytes(source: BinaryIO, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = source.read(size - len(data))
        if not piece:
            sys.exit()
        data += piece
    return data


def _send(sink: BinaryIO, answer: dict[str, Any]) -> None:
    data = json.dumps(answer).encode()
    sink.write(b"%d\n%b" % (len(data), data))
    sink.flush()


if __name__ == "__main__":
    main()
