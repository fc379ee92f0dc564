"""One test of numbers, in all code that asks whether they are finite."""

from __future__ import annotations

import ctypes
import re
from importlib.resources import files
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

from armdyn.kernel.batch_ir import batch_code
from armdyn.kernel.element import DOUBLE, FLOAT, ElementType
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.finite_check import EXCEEDS, LARGEST, exceeds_function, finite_magnitude
from armdyn.kernel.jit import compile_object, load_code
from armdyn.kernel.targets.target import Target
from support.kernels import TARGETS, target_name

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("element", [DOUBLE, FLOAT], ids=lambda e: e.name)
def test_the_greatest_magnitude_is_found_wherever_it_is(
    element: ElementType, machine: Target
) -> None:
    """For every length of arrays that the vectors treat differently, and nothing behind them."""
    text = batch_code(Codegen(machine, element))
    if element is FLOAT:
        assert not re.search(r"\bdouble\b|i64>", text)
    code = load_code(compile_object(text, machine), machine)
    integer = {8: ctypes.c_int64, 4: ctypes.c_int32}[element.bytes]
    largest = ctypes.CFUNCTYPE(integer, ctypes.c_void_p, ctypes.c_int64)(code.address(LARGEST))
    finite = finite_magnitude(element)
    dtype, bits = f"f{element.bytes}", f"i{element.bytes}"
    assert largest(None, 0) == 0
    for n in (*range(1, 41), 63, 64, 65, 130):
        x = np.full(n + 1, nan, dtype)
        x[:n] = element.largest * RNG.uniform(-1, 1, n)
        x[RNG.integers(n)] = -0.0
        assert largest(x.ctypes.data, n) == np.abs(x[:n]).view(bits).max() <= finite
        for k in range(n):
            kept = x[k]
            for bad in (inf, -inf, nan, -nan):
                x[k] = bad
                assert largest(x.ctypes.data, n) > finite
            x[k] = element.largest
            assert largest(x.ctypes.data, n) == finite
            x[k] = kept


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("element", [DOUBLE, FLOAT], ids=lambda e: e.name)
def test_a_number_that_exceeds_a_threshold_is_found_wherever_it_is(
    element: ElementType, machine: Target
) -> None:
    text = exceeds_function(Codegen(machine, element)).replace("define internal", "define")
    code = load_code(compile_object(text, machine), machine)
    integer = {8: ctypes.c_int64, 4: ctypes.c_int32}[element.bytes]
    arguments = ctypes.c_void_p, ctypes.c_int64, integer
    function = ctypes.CFUNCTYPE(ctypes.c_uint8, *arguments)(code.address(EXCEEDS))
    dtype, most = f"f{element.bytes}", element.pattern(1e5)

    def exceeds(x: np.ndarray, n: int, most: int) -> bool:
        return bool(function(x.ctypes.data, n, most) & 1)

    above = np.nextafter(np.array(1e5, dtype), np.array(inf, dtype))
    assert not exceeds(np.full(1, nan, dtype), 0, most)
    for n in (*range(1, 41), 63, 64, 65, 130):
        x = np.full(n + 1, nan, dtype)
        x[:n] = RNG.choice([-1e5, 1e5, -0.0, 1.0, -3.0], n)
        assert not exceeds(x, n, most) and not exceeds(x, n, finite_magnitude(element))
        assert exceeds(x, n, 0) == bool(x[:n].any())
        for k in range(n):
            kept = x[k]
            for bad in (inf, -inf, nan, -nan, above, -above):
                x[k] = bad
                assert exceeds(x, n, most)
                assert exceeds(x, n, finite_magnitude(element)) == (not np.isfinite(bad))
            x[k] = kept


def test_no_other_code_has_a_threshold_of_its_own() -> None:
    folder = Path(str(files("armdyn.kernel")))
    own = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if re.search(r"0x7FE|0x7FF|fcmp (u|o)(gt|le)|infinity - 1", path.read_text("utf-8"))
    }
    # the writer compares any two numbers, for `select`
    assert own == {"element.py", "ir/finite_check.py", "ir/writer.py"}
