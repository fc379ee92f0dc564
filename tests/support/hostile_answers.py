"""A module that answers requests of an isolated process as code that has taken it over would."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from armdyn.robot.formats.isolated.serve import Refused

# Numbers of system calls on x86-64, called without the C library's wrapper.
RAW = {
    "ptrace": 101, "process_vm_readv": 310, "io_uring_setup": 425, "pidfd_open": 434,
    "openat2": 437, "unshare": 272, "open": 2, "openat": 257, "execve": 59, "execveat": 322,
    "fork": 57, "vfork": 58, "socket": 41, "bpf": 321, "mount": 165, "clone3": 435, "prctl": 157,
    "seccomp": 317, "kexec_load": 246, "userfaultfd": 323, "memfd_create": 319, "tkill": 200,
    "chmod": 90, "rename": 82, "sendfile": 40, "splice": 275, "shmget": 29, "msgget": 68,
    "keyctl": 250, "setns": 308, "name_to_handle_at": 303, "open_by_handle_at": 304,
}  # fmt: skip


def provide(request: dict[str, Any], query: dict[str, Any]) -> bytes:
    """Return a file that is permitted."""
    if query["file"] != "permitted":
        raise Refused(f"{query['file']} is not permitted")
    return b"contents"


def answer(request: dict[str, Any], ask: Callable[[dict[str, Any]], bytes]) -> dict[str, Any]:
    """Do what the request says, or try everything that is forbidden and return what it gave."""
    if request["do"] == "crash":
        ctypes.string_at(0)
    if request["do"] == "spin":
        while True:
            pass
    if request["do"] == "allocate":
        return {"size": len(bytearray(1 << 40))}
    if request["do"] == "print":
        os.write(1, b"$$$")
        return {"printed": True}
    folder, secret = Path(request["folder"]), Path(request["secret"])
    attempts: dict[str, Callable[[], Any]] = {
        "read": secret.read_text,
        "look": secret.stat,
        "list": lambda: os.listdir(secret.parent),
        "write": lambda: (folder / "written").write_text("x"),
        "remove": secret.unlink,
        "link": lambda: (folder / "link").symlink_to(secret),
        "folder": (folder / "made").mkdir,
        "fork": os.fork,
        "start": lambda: subprocess.run(["true"], check=True),
        "execute": lambda: os.execv("/bin/true", ["true"]),
        "socket": socket.socket,
        "pair": socket.socketpair,
        "signal": lambda: os.kill(request["parent"], signal.SIGTERM),
        "end the server": lambda: os.kill(os.getppid(), signal.SIGKILL),
        "more memory": lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 50, 1 << 50)),
        "other user": lambda: os.setuid(65534),
        "not permitted": lambda: ask({"file": str(secret)}),
    }
    libc = ctypes.CDLL(None, use_errno=True)
    if platform.machine() == "x86_64":
        attempts |= {f"call {name}": _raw(libc, number) for name, number in RAW.items()}
    attempts["clone"] = _raw(libc, 56 if platform.machine() == "x86_64" else 220, signal.SIGCHLD)
    done: list[int] = []
    thread = threading.Thread(target=lambda: done.append(1))
    thread.start()
    thread.join()
    results = {name: _outcome(attempt) for name, attempt in attempts.items()}
    return {"results": results, "asked": ask({"file": "permitted"}).decode(), "threads": len(done)}


def _raw(libc: Any, number: int, *arguments: int) -> Callable[[], Any]:
    def call() -> int:
        if libc.syscall(number, *arguments, 0, 0, 0, 0) == -1:
            raise OSError(ctypes.get_errno(), "refused")
        return number

    return call


def _outcome(attempt: Callable[[], Any]) -> str:
    try:
        attempt()
    except (OSError, Refused, ValueError) as error:
        return type(error).__name__
    return "succeeded"
