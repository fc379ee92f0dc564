"""Choose the target: the host itself, or a lower level of its family that it can run."""

from __future__ import annotations

import os
import platform
import struct
import sys
from dataclasses import replace
from functools import lru_cache

from armdyn.errors import ArmdynError, InputError, shown
from armdyn.kernel.llvm import host_processor
from armdyn.kernel.targets import arm, generic, x86
from armdyn.kernel.targets.target import Family, Host, Target

VARIABLE = "ARMDYN_CPU"
NATIVE = "native"
# Sizes and steps of arrays are 64-bit numbers in all code that is written.
POINTER_BYTES = 8

# The first family with the host's architecture is used; the last one accepts every architecture.
FAMILIES = (x86.FAMILY, arm.FAMILY, generic.FAMILY)


def target(cpu: str | None = None) -> Target:
    """Return the machine to compile for.

    Args:
        cpu: "native" or a level that the machine can run: "x86-64", "x86-64-v2", "x86-64-v3",
            "x86-64-v4"; "armv8-a"; default is the environment variable ``ARMDYN_CPU``, else
            "native".
    """
    return _target(cpu or os.environ.get(VARIABLE) or NATIVE)


@lru_cache(maxsize=16)
def _target(cpu: str) -> Target:
    if struct.calcsize("P") != POINTER_BYTES:
        raise ArmdynError(
            "armdyn compiles functions for 64-bit processes, and this Python is a program of "
            f"{8 * struct.calcsize('P')} bits; install a 64-bit Python."
        )
    host = _host()
    family = family_of(host)
    possible = {NATIVE: family.native(host), **family.levels(host)}
    if cpu not in possible:
        raise InputError(
            f"the processor {shown(cpu)} is not one that this machine can stand for; choose one "
            f"of: {', '.join(possible)}."
        )
    # On Windows LLVM loads code only if its constants may be at any distance.
    return replace(possible[cpu], near_code=sys.platform != "win32")


def family_of(host: Host) -> Family:
    """Return the family that a machine belongs to."""
    return next(
        family
        for family in FAMILIES
        if not family.architectures or host.architecture in family.architectures
    )


def _host() -> Host:
    return Host(platform.machine().lower(), *host_processor())
