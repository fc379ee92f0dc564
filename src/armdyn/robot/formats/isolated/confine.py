"""Confine a process: no files, no network, no other processes, bounded memory and time.

Python code can do whatever the process may do, so a parser of untrusted files runs in a process
that may do next to nothing: compute, and read and write the pipes that it holds. On Linux two
mechanisms of the kernel see to that, independently of each other: a seccomp filter, which permits a
short list of system calls, and an empty Landlock ruleset, which denies every path. Both also hold
for root. Resource limits apply on every POSIX system.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys
from contextlib import suppress
from typing import Any

# Processor time of one request [s]; descriptions of arms take milliseconds.
CPU_SECONDS = 15

# Address space [bytes]. MuJoCo maps less than two gigabytes.
MAX_MEMORY = 4 << 30

# <linux/prctl.h>
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SECCOMP_MODE_FILTER = 2

# <linux/landlock.h>; these system calls have the same numbers on all processors. An access right
# that the kernel does not know yet makes it refuse the ruleset: rights are listed by the version of
# the interface (ABI) that introduced them.
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446
LANDLOCK_VERSION = 1  # flag of create_ruleset: return the ABI
FS_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # ABI: number of rights on files, bits from 0 on
NET_RIGHTS, NET_ABI = 0b11, 4  # bind and connect TCP
SCOPES, SCOPE_ABI = 0b11, 6  # abstract UNIX sockets, signals to processes outside

# <linux/audit.h>, <asm/unistd.h>: names of permitted system calls with their numbers.
ARCHITECTURES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (0xC000003E, {
        "read": 0, "write": 1, "close": 3, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11,
        "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24,
        "mremap": 25, "madvise": 28, "getpid": 39, "clone": 56, "exit": 60, "gettimeofday": 96,
        "getrusage": 98, "sigaltstack": 131, "gettid": 186, "futex": 202, "sched_getaffinity": 204,
        "clock_gettime": 228, "clock_nanosleep": 230, "exit_group": 231, "set_robust_list": 273,
        "getrandom": 318, "rseq": 334, "clone3": 435,
    }),
    "aarch64": (0xC00000B7, {
        "read": 63, "write": 64, "close": 57, "lseek": 62, "mmap": 222, "mprotect": 226,
        "munmap": 215, "brk": 214, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139,
        "sched_yield": 124, "mremap": 216, "madvise": 233, "getpid": 172, "clone": 220, "exit": 93,
        "gettimeofday": 169, "getrusage": 165, "sigaltstack": 132, "gettid": 178, "futex": 98,
        "sched_getaffinity": 123, "clock_gettime": 113, "clock_nanosleep": 115, "exit_group": 94,
        "set_robust_list": 99, "getrandom": 278, "rseq": 293, "clone3": 435,
    }),
}  # fmt: skip

# <linux/filter.h>, <linux/seccomp.h>, <linux/sched.h>
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
EPERM, ENOSYS = 1, 38
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
X32_BIT = 0x40000000  # numbers of a second set of system calls on x86-64
CLONE_THREAD = 0x00010000

_libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def confine() -> frozenset[str]:
    """Confine this process for the rest of its life; the files it holds stay open.

    Returns:
        What holds here, of "limits", "landlock" and "seccomp".
    """
    holds = {"limits"} if _limit_resources() else set[str]()
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        holds |= {"landlock"} if _deny_paths() else set()
        holds |= {"seccomp"} if _filter_system_calls() else set()
    return frozenset(holds)


def _limit_resources() -> bool:
    try:
        import resource
    except ImportError:  # Windows
        return False
    for name, limit in (
        ("RLIMIT_AS", MAX_MEMORY), ("RLIMIT_CPU", CPU_SECONDS), ("RLIMIT_FSIZE", 0),
        ("RLIMIT_CORE", 0),
    ):  # fmt: skip
        # some systems have no such limit, and macOS refuses to change one
        with suppress(AttributeError, ValueError, OSError):
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            if hard == resource.RLIM_INFINITY or hard > limit:
                # a little more as hard limit: at that of CPU time the kernel gives no reason
                resource.setrlimit(kind, (limit, limit + (name == "RLIMIT_CPU")))
    return True


def _deny_paths() -> bool:
    """Deny every path, TCP, and signals to other processes, as far as the kernel knows them."""
    abi = _libc.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), LANDLOCK_VERSION)
    if abi < 1:
        return False
    files = max(count for version, count in FS_RIGHTS.items() if version <= abi)
    rights = [(1 << files) - 1]
    rights += [NET_RIGHTS] if abi >= NET_ABI else []
    rights += [SCOPES] if abi >= SCOPE_ABI else []
    attributes = struct.pack(f"={len(rights)}Q", *rights)
    ruleset = _libc.syscall(
        LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0
    )
    if ruleset < 0:
        return False
    restricted = _libc.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return restricted


def _filter_system_calls() -> bool:
    """Let every system call fail that is not in the list of this processor."""
    known = ARCHITECTURES.get(platform.machine())
    if known is None or sys.maxsize < 1 << 32:
        return False
    program = _filter(*known)
    code = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    pointer = Program(len(program) // 8, ctypes.addressof(code))
    return _libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(pointer), 0, 0) == 0


def _filter(architecture: int, calls: dict[str, int]) -> bytes:
    """Return the filter as a program of the Berkeley packet filter."""
    plain = [number for name, number in calls.items() if name not in ("clone", "clone3")]
    lines = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, NUMBER),
        (JUMP_AT_LEAST, 0, 1, X32_BIT),
        (RETURN, 0, 0, KILL_PROCESS),
        # the flags of clone3 are in memory, which a filter cannot read; the C library uses clone
        # where it gets ENOSYS
        (JUMP_EQUAL, 0, 1, calls["clone3"]),
        (RETURN, 0, 0, ERRNO | ENOSYS),
    ]
    for number in plain:
        lines += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    lines += [
        (JUMP_EQUAL, 0, 3, calls["clone"]),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (JUMP_ANY_BIT, 0, 1, CLONE_THREAD),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, ERRNO | EPERM),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
