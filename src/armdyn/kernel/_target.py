"""The machine that kernels are made for: its processor, how wide its vectors are, what it fuses."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from functools import lru_cache

from armdyn.errors import InputError, shown
from armdyn.kernel._llvm import llvm

VARIABLE = "ARMDYN_CPU"
NATIVE = "native"


@dataclass(frozen=True)
class Host:
    """A processor.

    Attributes:
        cpu: its name, as LLVM calls it.
        features: what it has beyond what the name says, as LLVM spells it.
        width: doubles in a vector.
        fma: whether it fuses multiplication and addition.
    """

    cpu: str
    features: str
    width: int
    fma: bool


# Name: doubles in a vector, fused multiplication, features that the machine must have.
LEVELS: dict[str, tuple[int, bool, tuple[str, ...]]] = {
    "x86-64": (2, False, ()),
    "x86-64-v2": (2, False, ("sse4.2", "ssse3", "popcnt")),
    "x86-64-v3": (4, True, ("avx2", "fma", "bmi2")),
    "x86-64-v4": (8, True, ("avx512f", "avx512dq", "avx512vl", "avx512bw", "avx512cd")),
}
# Vectors of 512 bits are asked for by name: LLVM avoids them on some processors otherwise.
WIDE = "-prefer-256-bit"


def host(cpu: str | None = None) -> Host:
    """Return the machine, or a lesser one of its kind that it can stand for.

    Args:
        cpu: "native" or a level of x86-64 ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4");
            default is what the environment variable ``ARMDYN_CPU`` says, else "native".
    """
    return _host(cpu or os.environ.get(VARIABLE) or NATIVE)


@lru_cache(maxsize=16)
def _host(cpu: str) -> Host:
    has = _features()
    if cpu == NATIVE:
        return _native(has)
    possible = [
        name
        for name, (_, _, needs) in LEVELS.items()
        if _is_x86() and all(has.get(feature, False) for feature in needs)
    ]
    if cpu not in possible:
        raise InputError(
            f"the processor {shown(cpu)} is not one that this machine can stand for; choose one "
            f"of: {', '.join([NATIVE, *possible])}."
        )
    width, fma, _ = LEVELS[cpu]
    return Host(cpu, WIDE if width == 8 else "", width, fma)


def _native(has: dict[str, bool]) -> Host:
    wide = all(has.get(feature, False) for feature in LEVELS["x86-64-v4"][2])
    width = 8 if wide else 4 if has.get("avx2", False) else 2
    fma = has.get("fma", False) if _is_x86() else _is_arm()
    spelled = ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(has.items()))
    features = ",".join(part for part in (spelled, WIDE if wide else "") if part)
    return Host(str(llvm().get_host_cpu_name()), features, width, fma)


def _features() -> dict[str, bool]:
    try:
        return dict(llvm().get_host_cpu_features())
    except RuntimeError:  # LLVM cannot tell on every platform; the name alone must do
        return {}


def _is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")


def _is_arm() -> bool:
    return platform.machine().lower() in ("aarch64", "arm64")
