"""Any other processor that LLVM supports: 128-bit vectors, 16 registers, nothing in particular."""

from __future__ import annotations

from armdyn.kernel.targets.target import Family, Host, Target


def native(host: Host) -> Target:
    """Return the host with all its features."""
    return Target(
        family="generic",
        cpu=host.cpu,
        features=host.spelled_features(),
        vector_bytes=16,
        value_registers=11,
        fma=False,
    )


def levels(_host: Host) -> dict[str, Target]:
    """Return no lower levels: none are known for a generic processor."""
    return {}


FAMILY = Family((), native, levels)
