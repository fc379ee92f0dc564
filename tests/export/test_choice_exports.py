"""Operations that choose, in C and in other libraries."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from armdyn.export.c import c_source
from armdyn.export.libraries import casadi_source, jax_source, to_casadi, to_jax, to_sympy
from armdyn.graph.program import Slot
from armdyn.graph.simplify import simplify
from support.c_code import compile_c, needs_gcc
from support.choices import choosing_arrays, choosing_program, points

PROGRAM = choosing_program()
POINTS = points(40, seed=7)
EXPECTED = choosing_arrays(POINTS)


@needs_gcc
@pytest.mark.parametrize("single", [False, True])
def test_c(single: bool, tmp_path) -> None:
    source = tmp_path / "choosing.c"
    text = c_source(PROGRAM, "choosing", single)
    head, _, _ = text.partition("{")
    source.write_text(text.replace("void", head.split("\n")[-2] + ";\n\nvoid", 1))
    compile_c((source,), tmp_path / "choosing.so", "-fPIC", "-shared")
    function = ctypes.CDLL(str(tmp_path / "choosing.so")).choosing
    kind: Any = np.float32 if single else np.float64
    for x, want in zip(POINTS.astype(kind), EXPECTED, strict=True):
        got = np.zeros(5, kind)
        function(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(got.ctypes.data))
        assert np.allclose(got, want, rtol=0, atol=1e-5 if single else 1e-14)


def test_casadi() -> None:
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    scope: dict[str, Any] = {}
    exec(casadi_source(PROGRAM), scope)
    x = casadi.SX.sym("x", 3)
    printed = casadi.Function("printed", [x], [scope["choosing"](x)])
    for function in (to_casadi(PROGRAM), printed):
        assert np.allclose(function(POINTS.T).full().T, EXPECTED, rtol=0, atol=1e-14)


def test_jax_with_derivatives() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    jax.config.update("jax_enable_x64", True)
    scope: dict[str, Any] = {}
    exec(jax_source(PROGRAM), scope)
    for function in (to_jax(PROGRAM), scope["choosing"]):
        assert np.allclose(jax.jit(function)(POINTS), EXPECTED, rtol=0, atol=1e-14)
    slopes = jax.jit(jax.jacfwd(to_jax(PROGRAM)))(POINTS[0])
    step = 1e-6 * np.eye(3)
    moved = choosing_arrays(np.vstack([POINTS[0] + step, POINTS[0] - step]))
    assert np.allclose(slopes, (moved[:3] - moved[3:]).T / 2e-6, rtol=1e-6, atol=1e-8)


def test_sympy() -> None:
    sympy = pytest.importorskip("sympy")
    x = sympy.symbols("x1:4", real=True)
    # the angle, as a formula of nested choices, is too long
    short = simplify(replace(PROGRAM, outputs=(Slot("f", (3,)),), results=PROGRAM.results[:3]))
    formulas = to_sympy(short)(x)
    for row, want in zip(POINTS[:5].tolist(), EXPECTED, strict=False):
        got = formulas.subs(dict(zip(x, row, strict=True)))
        assert np.allclose(np.array(got, dtype=float).ravel(), want[:3], rtol=0, atol=1e-13)
