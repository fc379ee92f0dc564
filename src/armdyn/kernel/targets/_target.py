"""What code generation knows of a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A machine that code is made for. All that the compiler knows of a machine is here.

    Attributes:
        family: its instruction set: "x86" or "generic".
        cpu: the processor, as LLVM calls it.
        features: what it has beyond the processor's own, as LLVM spells it.
        vector_bytes: bytes of a vector register.
        value_registers: vector registers in which values may wait; the rest is needed to compute.
        fma: whether it fuses multiplication and addition.
        line_bytes: bytes of a cache line.
        page_bytes: bytes of a page of memory.
        tile_assembly: whether inline assembly transposes and stores tiles; see `ir/_square.py`.
        stream_assembly: whether kernels send whole cache lines past the caches, by inline
            assembly, between their own steps; see `batch/_streams.py`. Stores outside of kernels
            stream on every target.
        near_code: whether code and its constants lie close together (small code model).
    """

    family: str
    cpu: str
    features: str
    vector_bytes: int
    value_registers: int
    fma: bool
    line_bytes: int = 64
    page_bytes: int = 4096
    tile_assembly: bool = False
    stream_assembly: bool = False
    near_code: bool = True


@dataclass(frozen=True)
class Host:
    """The machine that this process runs on.

    Attributes:
        architecture: as the operating system calls it, in lower case.
        cpu: the processor, as LLVM calls it.
        features: LLVM's names of features, and whether the processor has them.
    """

    architecture: str
    cpu: str
    features: Mapping[str, bool]

    def has(self, *features: str) -> bool:
        """Say whether the processor has all of some features."""
        return all(self.features.get(name, False) for name in features)

    def spelled_features(self) -> str:
        """Return the features as LLVM takes them."""
        return ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(self.features.items()))


@dataclass(frozen=True)
class Family:
    """A family of processors.

    Attributes:
        architectures: names of `Host.architecture` that belong to it; none if all do.
        native: returns the target that has all of the host.
        levels: returns named targets that the host can run, lesser ones first.
    """

    architectures: tuple[str, ...]
    native: Callable[[Host], Target]
    levels: Callable[[Host], dict[str, Target]]
