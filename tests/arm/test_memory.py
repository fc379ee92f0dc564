"""What a process keeps in memory of arms has a bound in bytes, and what is freed is unloaded."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import tracemalloc
import weakref
from functools import _lru_cache_wrapper
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pytest

import armdyn
from armdyn.kernel import llvm as _llvm
from armdyn.programs.sized_lru import PROGRAMS, SizedLRU, bytes_of


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_the_latest_results_are_kept_while_their_cost_allows() -> None:
    calls: list[int] = []
    kept = SizedLRU(10)

    def numbers(n: int, key: str = "") -> list[int]:
        def make() -> list[int]:
            calls.append(n)
            return list(range(n))

        return kept.get((n, key), make, len)

    assert numbers(4) is numbers(4) and numbers(3) is numbers(3) and calls == [4, 3]
    assert numbers(3, "other") is not numbers(3) and (calls, kept.cost) == ([4, 3, 3], 10)
    numbers(4)  # is the latest now
    assert numbers(2) == [0, 1] and numbers(4) and (calls, kept.cost) == ([4, 3, 3, 2], 9)
    assert numbers(3, "other") == [0, 1, 2] and calls == [4, 3, 3, 2, 3]  # it had to go
    large = numbers(20)
    assert numbers(20) is large and kept.cost == 20  # whatever its size
    numbers(2)
    assert numbers(20) is not large and kept.cost == 20
    kept.clear()
    assert kept.cost == 0 and numbers(20) is not large


def _trace(seed: int) -> None:
    """Trace functions of an arm, one by the cheapest method and one as sweeps."""
    arm = armdyn.Arm(armdyn.generic(2, seed=seed))
    for method in ("auto", "rolled"):
        arm.function("gravity", method)
    assert arm.quantities


def test_memory_of_many_arms_levels_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python benchmarks/memory.py` calls the functions of ten thousand arms."""
    monkeypatch.setenv("ARMDYN_CACHE", "off")
    _trace(0)  # imports
    PROGRAMS.clear()
    monkeypatch.setattr(PROGRAMS, "max_cost", 200_000)  # some three arms
    taken: list[int] = []
    gc.collect()
    tracemalloc.start()
    try:
        for seed in range(1, 19):
            _trace(seed)
            assert PROGRAMS.cost <= PROGRAMS.max_cost
            if seed % 6 == 0:
                gc.collect()
                taken.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    # nothing but the cache grows, and it takes no more bytes than it counts
    assert 50_000 < min(taken) and max(taken) < 200_000
    PROGRAMS.clear()


@pytest.mark.parametrize("n", [2, 12])
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix"])
def test_costs_are_bytes(n: int, quantity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMDYN_CACHE", "off")
    for method in ("second_moment", "rolled") if quantity == "mass_matrix" else ("rolled",):
        armdyn.Arm(armdyn.generic(n)).function(quantity, method)
        robot = armdyn.generic(n, seed=5)
        gc.collect()
        tracemalloc.start()
        arm = armdyn.Arm(robot)
        program = arm.function(quantity, method).program
        PROGRAMS.clear()
        chain = bytes_of(arm._chain)
        del arm
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert 0.3 < taken / (bytes_of(program) + chain) < 1.0


def test_no_cache_of_arms_counts_entries_instead_of_bytes() -> None:
    """Entries may be of any size: caches of arms and programs are `PROGRAMS`."""
    parts = importlib.import_module("armdyn.programs")
    for name in [info.name for info in iter_modules(parts.__path__, f"{parts.__name__}.")]:
        for found in vars(importlib.import_module(name)).values():
            if isinstance(found, _lru_cache_wrapper):
                kinds = set(found.__wrapped__.__annotations__.values())
                assert not {"Chain", "Robot", "Program"} & kinds, found


def test_code_of_arms_that_are_dropped_is_unloaded() -> None:
    """Neither the arm nor what it has called is kept; what a caller has kept still works."""
    gone: list[weakref.ref[object]] = []
    kept = []
    for seed in range(5):
        arm = armdyn.Arm(armdyn.generic(2, seed=1000 + seed))
        f = arm.function("gravity", "second_moment")
        f(np.zeros(2))
        f(np.zeros((600, 2)))
        arm.gravity(np.zeros(2), method="second_moment")
        assert f.kernel is not None
        gone += map(weakref.ref, (arm, f.kernel, f.kernel._code))
        if seed == 2:
            kept = [f.__call__, f(np.ones(2)), gone[-3:]]
    del arm, f
    gc.collect()
    alive = [found for found in gone if found() is not None]
    call, expected, own = kept
    assert alive == own[1:] and not _llvm._unused
    assert np.array_equal(call(np.ones(2)), expected)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells the resident memory")
def test_compiling_other_numbers_takes_no_more_memory() -> None:
    """LLVM would keep every constant as long as a context that all modules share."""
    begin = 0.0
    for k in range(80):
        begin = resident_megabytes() if k == 20 else begin
        lines = [f"%x{i + 1} = fadd double %x{i}, {k + i / 1000:.3f}e0" for i in range(1000)]
        text = "\n".join(["define double @f(double %x0) {", *lines, "ret double %x1000 }"])
        _llvm.compile_ir(text, cpu="", features="", opt=0)
    assert resident_megabytes() - begin < 3.0  # 60,000 constants would take some 9 MB
