"""Processors of the x86-64 family."""

from __future__ import annotations

from typing import NamedTuple

from armdyn.kernel.targets.target import Family, Host, Target

# By default LLVM avoids 512-bit vectors on some processors.
FULL_VECTORS = "-prefer-256-bit"


class Level(NamedTuple):
    """A level of the x86-64 psABI.

    Attributes:
        vector_bytes: bytes of a vector register.
        fma: whether multiplication and addition are fused.
        needs: features that the host must have.
    """

    vector_bytes: int
    fma: bool
    needs: tuple[str, ...]


LEVELS = {
    "x86-64": Level(16, False, ()),
    "x86-64-v2": Level(16, False, ("sse4.2", "ssse3", "popcnt")),
    "x86-64-v3": Level(32, True, ("avx2", "fma", "bmi2")),
    "x86-64-v4": Level(64, True, ("avx512f", "avx512dq", "avx512vl", "avx512bw", "avx512cd")),
}
AVX512 = LEVELS["x86-64-v4"]


def native(host: Host) -> Target:
    """Return the host with all its features."""
    if host.has(*AVX512.needs):
        size = AVX512.vector_bytes
    else:
        size = 32 if host.has("avx2") else 16
    return _target(host.cpu, host.spelled_features(), size, host.has("fma"))


def levels(host: Host) -> dict[str, Target]:
    """Return the levels that the host can run."""
    return {
        name: _target(name, "", level.vector_bytes, level.fma)
        for name, level in LEVELS.items()
        if host.has(*level.needs)
    }


def _target(cpu: str, features: str, vector_bytes: int, fma: bool) -> Target:
    avx512 = vector_bytes == AVX512.vector_bytes
    if avx512:
        features = ",".join(part for part in (features, FULL_VECTORS) if part)
    return Target(
        family="x86",
        cpu=cpu,
        features=features,
        vector_bytes=vector_bytes,
        # of 32 vector registers with AVX-512, else of 16
        value_registers=26 if avx512 else 11,
        fma=fma,
        calls=True,
        tile_assembly=avx512,
        stream_assembly=avx512,
    )


FAMILY = Family(("x86_64", "amd64"), native, levels)
