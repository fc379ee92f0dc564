"""Digests of results that are the same on every processor with fused multiplication.

    cd tests && python -m support.equal_bits > kernel/equal_bits.json

writes them anew, after a change that is meant to change results.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

import armdyn
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.element import DOUBLE, FLOAT
from armdyn.kernel.kernel import compile_program
from armdyn.kernel.targets.choice import target
from armdyn.kernel.targets.target import Target
from support.kernels import as_tuple

RECORDED = Path(__file__).parent.parent / "kernel" / "equal_bits.json"
# Whole blocks of every vector width, and some states that are left over.
COUNT = 37
SCALE = 4.0

CASES = {
    "puma560": ("mass_matrix", "inverse_dynamics", "forward_dynamics", "coriolis_matrix"),
    "ur5": (
        "gravity",
        "mass_matrix",
        "inverse_dynamics",
        "forward_dynamics_derivatives",
        "float forward_dynamics",
    ),
    "panda": ("inverse_dynamics", "forward_dynamics", "pose", "float inverse_dynamics"),
    "generic7": ("bias", "inverse_mass_matrix", "regressor"),
    "generic30": ("rolled inverse_dynamics", "rolled mass_matrix", "rolled forward_dynamics"),
}


@lru_cache(maxsize=8)
def _arm(name: str) -> armdyn.Arm:
    n = name.removeprefix("generic")
    return armdyn.load(name) if n == name else armdyn.Arm(armdyn.generic(int(n)))


@lru_cache(maxsize=32)
def program_of(arm: str, case: str) -> Program | Rolled:
    *words, quantity = case.split()
    return _arm(arm).function(quantity, "rolled" if "rolled" in words else "auto").program


def states(program: Program | Rolled) -> list[np.ndarray]:
    """States with exactly these bits on every machine: no sum is rounded."""
    rng = np.random.default_rng(16)
    return [SCALE * (rng.random((COUNT, *slot.shape)) - 0.5) for slot in program.inputs]


def digest(arm: str, case: str, machine: Target) -> str:
    """The digest of the results of a batch, which are those of its states alone."""
    program = program_of(arm, case)
    element = FLOAT if "float" in case.split() else DOUBLE
    kernel = compile_program(program, target=machine, element=element)
    given = [x.astype(element.code) for x in states(program)]
    results = as_tuple(kernel(*given))
    for k in (0, COUNT - 1):
        alone = as_tuple(kernel(*(x[k].copy() for x in given)))
        assert all(np.array_equal(x[k], y) for x, y in zip(results, alone, strict=True))
    kind = f"<f{element.bytes}"
    whole = b"".join(np.ascontiguousarray(x, dtype=kind).tobytes() for x in results)
    return sha256(whole).hexdigest()[:20]


def cases() -> Iterator[tuple[str, str]]:
    for arm, quantities in CASES.items():
        for quantity in quantities:
            yield arm, quantity


def recorded() -> dict[str, dict[str, str]]:
    """The digests by arm and quantity: "fused" with fused multiplication, "plain" without."""
    return json.loads(RECORDED.read_text(encoding="utf-8"))


if __name__ == "__main__":
    native = target()
    machines = {"fused": native, "plain": replace(native, fma=False)}
    assert native.fma
    found = {
        f"{arm} {case}": {kind: digest(arm, case, machine) for kind, machine in machines.items()}
        for arm, case in cases()
    }
    print(json.dumps(found, indent=1))
