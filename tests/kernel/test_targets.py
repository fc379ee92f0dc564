"""Targets: what is known of a machine stands in one place."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from armdyn.kernel.targets import arm, generic, x86
from armdyn.kernel.targets.choice import family_of, target
from armdyn.kernel.targets.target import Host, Target

AVX2 = {"sse4.2": True, "ssse3": True, "popcnt": True, "avx2": True, "fma": True, "bmi2": True}
AVX512 = {**AVX2, **dict.fromkeys(x86.AVX512.needs, True)}


def _host(architecture: str, features: dict[str, bool]) -> Host:
    return Host(architecture, "some-cpu", features)


@pytest.mark.parametrize(
    ("features", "vector_bytes", "registers", "fma", "levels"),
    [
        ({}, 16, 11, False, ["x86-64"]),
        ({"sse4.2": True, "avx2": False}, 16, 11, False, ["x86-64"]),
        (AVX2, 32, 11, True, ["x86-64", "x86-64-v2", "x86-64-v3"]),
        (AVX512, 64, 26, True, ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]),
    ],
)
def test_x86_is_what_its_features_say(
    features: dict[str, bool], vector_bytes: int, registers: int, fma: bool, levels: list[str]
) -> None:
    host = _host("amd64", features)
    assert family_of(host) is x86.FAMILY
    native = x86.native(host)
    assert (native.family, native.cpu) == ("x86", "some-cpu")
    assert (native.vector_bytes, native.value_registers, native.fma) == (
        vector_bytes,
        registers,
        fma,
    )
    assert list(x86.levels(host)) == levels
    for level in (native, *x86.levels(host).values()):
        wide = level.vector_bytes == 64
        assert level.tile_assembly == level.stream_assembly == wide
        assert level.features.endswith("-prefer-256-bit") == wide


@pytest.mark.parametrize("architecture", ["aarch64", "arm64"])
def test_arm_has_fused_operations_and_room_for_32_registers(architecture: str) -> None:
    host = _host(architecture, {"neon": True, "sve": False})
    assert family_of(host) is arm.FAMILY
    native, base = arm.native(host), arm.levels(host)["armv8-a"]
    assert native == Target(
        family="arm",
        cpu="some-cpu",
        features="+neon,-sve",
        vector_bytes=16,
        value_registers=26,
        fma=True,
        calls=True,
    )
    assert base == replace(native, cpu="generic", features="")


def test_unknown_machines_get_the_baseline() -> None:
    host = _host("riscv64", {"v": True, "zba": False})
    assert family_of(host) is generic.FAMILY
    assert generic.levels(host) == {}
    assert generic.native(host) == Target(
        family="generic",
        cpu="some-cpu",
        features="+v,-zba",
        vector_bytes=16,
        value_registers=11,
        fma=False,
    )


def test_targets_with_different_code_are_told_apart_in_the_cache() -> None:
    """The text of a target is part of the keys of cached code."""
    native = target("native")
    for name, value in vars(native).items():
        assert f"{name}={value!r}" in repr(native)


def test_no_other_room_of_the_compiler_asks_which_machine_it_is() -> None:
    folder = Path(str(files("armdyn.kernel")))
    asking = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        if re.search(
            r"\bimport platform\b|import host_processor|platform\.machine|\"avx|x86.64|aarch64",
            path.read_text(encoding="utf-8"),
        )
    }
    inside = {name for name in asking if name.startswith("targets")}
    assert inside >= {str(Path("targets", name)) for name in ("choice.py", "x86.py", "arm.py")}
    assert asking == inside
