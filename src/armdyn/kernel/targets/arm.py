"""Processors of the 64-bit ARM family: NEON vectors of 128 bits, 32 registers, fused operations."""

from __future__ import annotations

from armdyn.kernel.targets.target import Family, Host, Target


def native(host: Host) -> Target:
    """Return the host with all its features."""
    return _target(host.cpu, host.spelled_features())


def levels(_host: Host) -> dict[str, Target]:
    """Return the level that every processor of the family runs."""
    return {"armv8-a": _target("generic", "")}


def _target(cpu: str, features: str) -> Target:
    return Target(
        family="arm",
        cpu=cpu,
        features=features,
        vector_bytes=16,
        value_registers=26,  # of 32 vector registers
        fma=True,
        calls=True,
    )


# The names that Linux and Windows, and macOS, have for it.
FAMILY = Family(("aarch64", "arm64"), native, levels)
