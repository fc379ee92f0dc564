"""The properties of a machine that code generation uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A machine to compile for. The compiler uses no other properties of a machine.

    Attributes:
        family: its instruction set: "x86", "arm" or "generic".
        cpu: LLVM's name of the processor.
        features: additional features, in LLVM's notation.
        vector_bytes: bytes of a vector register.
        value_registers: vector registers for live values; the others hold temporaries.
        fma: whether it fuses multiplication and addition.
        calls: whether C functions that Python calls, see `call/_fastcall.py`, are tested on it.
        line_bytes: bytes of a cache line.
        page_bytes: bytes of a page of memory, at least; systems may use larger ones.
        tile_assembly: whether inline assembly transposes and stores tiles; see `ir/_square.py`.
        stream_assembly: whether kernels stream whole cache lines to memory, by inline assembly,
            between their own steps; see `batch/_streams.py`. Stores outside of kernels stream on
            every target.
        near_code: whether code and its constants are close together (small code model).
    """

    family: str
    cpu: str
    features: str
    vector_bytes: int
    value_registers: int
    fma: bool
    calls: bool = False
    line_bytes: int = 64
    page_bytes: int = 4096
    tile_assembly: bool = False
    stream_assembly: bool = False
    near_code: bool = True


@dataclass(frozen=True)
class Host:
    """The machine that this process runs on.

    Attributes:
        architecture: the operating system's name of it, in lower case.
        cpu: LLVM's name of the processor.
        features: LLVM's names of features, and whether the processor has them.
    """

    architecture: str
    cpu: str
    features: Mapping[str, bool]

    def has(self, *features: str) -> bool:
        """Return whether the processor has all of these features."""
        return all(self.features.get(name, False) for name in features)

    def spelled_features(self) -> str:
        """Return the features in LLVM's notation."""
        return ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(self.features.items()))


@dataclass(frozen=True)
class Family:
    """A family of processors.

    Attributes:
        architectures: values of `Host.architecture` that belong to it; empty if all do.
        native: returns the target with all features of the host.
        levels: returns named targets that the host can run, lowest first.
    """

    architectures: tuple[str, ...]
    native: Callable[[Host], Target]
    levels: Callable[[Host], dict[str, Target]]
