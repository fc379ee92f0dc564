"""Any processor that LLVM supports: 128-bit vectors, 16 vector registers, no inline assembly."""

from __future__ import annotations

from armdyn.kernel.targets._target import Family, Host, Target

# Architectures on which every processor fuses multiplication and addition.
WITH_FMA = ("aarch64", "arm64")


def native(host: Host) -> Target:
    """Return the host with all its features."""
    return Target(
        family="generic",
        cpu=host.cpu,
        features=host.spelled_features(),
        vector_bytes=16,
        value_registers=11,
        fma=host.architecture in WITH_FMA,
    )


def levels(_host: Host) -> dict[str, Target]:
    """Return no lower levels: none are known for a generic processor."""
    return {}


FAMILY = Family((), native, levels)
