"""Equal bits on every processor with fused multiplication; others agree among themselves."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from hashlib import sha256

import pytest

import armdyn
from armdyn.errors import InputError
from armdyn.kernel.targets import arm, x86
from armdyn.kernel.targets.choice import target
from armdyn.kernel.targets.target import Host, Target
from support.equal_bits import CASES, cases, digest, recorded

WIDE = x86.native(Host("x86_64", "", dict.fromkeys(x86.AVX512.needs, True)))


def _machines() -> dict[str, Target]:
    """This machine, each level that it can run, and every width of vectors.

    Vectors wider than a register are computed in parts: the text of programs is that for AVX-512,
    but for its assembly that transposes and streams. The test runs on it where there is AVX-512.
    """
    native = target("native")
    found = {"native": native}
    for cpu in ("armv8-a", *x86.LEVELS):
        try:
            found[cpu] = target(cpu)
        except InputError:  # not a level of this machine
            continue
    plain = replace(native, tile_assembly=False, stream_assembly=False)
    for size in (16, 32, 64):
        room = WIDE.value_registers if size == WIDE.vector_bytes else plain.value_registers
        found[f"{8 * size} bits"] = replace(plain, vector_bytes=size, value_registers=room)
    found["not fused"] = replace(native, fma=False)
    alike = {repr(replace(x, cpu="", features="")): name for name, x in reversed(found.items())}
    return {name: found[name] for name in reversed(alike.values())}


MACHINES = _machines()
RECORDED = recorded()


# All cases with the instructions of this machine; else one for each arm, and one in floats.
FEW = [(name, quantities[0]) for name, quantities in CASES.items()]
FEW.append(("panda", "float inverse_dynamics"))


def _tried() -> list[tuple[str, str, str]]:
    return [
        (machine, *case)
        for machine in MACHINES
        for case in (cases() if machine == "native" else FEW)
    ]


@pytest.mark.parametrize(("machine", "arm", "case"), _tried())
def test_results_have_the_recorded_bits(machine: str, arm: str, case: str) -> None:
    kind = "fused" if MACHINES[machine].fma else "plain"
    assert digest(arm, case, MACHINES[machine]) == RECORDED[f"{arm} {case}"][kind]


def test_every_family_says_whether_it_fuses() -> None:
    """Fused: ARM, and x86-64 from level 3 on; not fused: older x86-64 and unknown processors."""
    assert {name: level.fma for name, level in x86.LEVELS.items()} == {
        "x86-64": False, "x86-64-v2": False, "x86-64-v3": True, "x86-64-v4": True,
    }  # fmt: skip
    assert all(level.fma for level in arm.levels(Host("arm64", "", {})).values())


@pytest.mark.parametrize(
    ("n", "type", "seed", "expected"),
    [
        (6, 1, 0, "f5cd41d49418db172c04"),
        (7, 2, 3, "a3dc309bd08df36198db"),
        (40, 1, 11, "70bd6669d799a61f8931"),
    ],
)
def test_a_generic_arm_is_the_same_on_every_machine(
    n: int, type: int, seed: int, expected: str
) -> None:
    robot = armdyn.generic(n, type, seed)
    serial = {"parent", "branch_angle", "branch_offset"}  # those of trees are not drawn
    joints = [{x: y for x, y in asdict(j).items() if x not in serial} for j in robot.joints]
    numbers = json.dumps([*joints, robot.gravity])
    assert sha256(numbers.encode()).hexdigest()[:20] == expected
