"""Every term of friction in exported code: it computes what Python does."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import armdyn
from armdyn import Arm
from support.c_code import Library, needs_gcc
from support.friction import constants, with_all_terms
from support.robots import random_robot, random_state, relative_error

QUANTITIES = ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives",
              "forward_dynamics_derivatives")  # fmt: skip
ARM = Arm(with_all_terms(random_robot("rotational", 3, 0)))
TERMS = ("viscous", "coulomb", "offset", "load_friction", "stribeck", "root_friction")


def states(quantity: str) -> list[np.ndarray]:
    x = random_state(ARM.robot)
    last = "qdd" if quantity.startswith("inverse") else "tau"
    return [x["q"], x["qd"], 5.0 * x[last]]


def parts(answer: Any) -> list[np.ndarray]:
    several = isinstance(answer, tuple)
    return [np.asarray(x) for x in (cast("tuple[Any, ...]", answer) if several else [answer])]


@needs_gcc
@pytest.mark.parametrize("parameters", [False, True])
def test_c_code_has_every_term(tmp_path: Path, parameters: bool) -> None:
    paths = ARM.export_c(tmp_path, QUANTITIES, parameters=parameters)
    F = constants(ARM.robot)
    tables = [ARM.parameters, F["rotor_inertia"], np.transpose([F[name] for name in TERMS])]
    library = Library(paths)
    for quantity in QUANTITIES:
        given, expected = states(quantity), parts(getattr(ARM, quantity)(*states(quantity)))
        sizes = [x.size for x in expected]
        found = library(quantity, [*given, *(tables if parameters else [])], sizes)
        for got, wanted in zip(found, expected, strict=True):
            limit = 1e-12 if parameters else 1e-14
            assert relative_error(np.reshape(got, wanted.shape), wanted) < limit
        if not parameters:
            still = [given[0], np.zeros(3), given[2]]
            (got, *_) = library(quantity, still, sizes)
            first = parts(getattr(ARM, quantity)(*still))[0]
            assert relative_error(np.reshape(got, first.shape), first) < 1e-14
    if parameters:
        header = " ".join(paths[0].read_text().replace("*", " ").split())
        assert ", ".join(TERMS) in header


def test_friction_alone_is_not_exported(tmp_path: Path) -> None:
    with pytest.raises(armdyn.InputError, match="gear transmits"):
        ARM.export_c(tmp_path, ["friction"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("quantity", QUANTITIES[:2])
def test_printed_python_and_other_libraries_have_every_term(quantity: str) -> None:
    f, given = ARM.function(quantity), states(quantity)
    expected = f(*given)
    room: dict[str, Any] = {}
    exec(f.source("python"), room)
    assert relative_error(np.array(room[quantity](*map(list, given))), expected) < 1e-14
    if quantity == "inverse_dynamics":  # the other is too long for formulas
        assert r"\sqrt" in f.source("latex")
    sympy = pytest.importorskip("sympy")
    symbolic = f.sympy()(*([sympy.Float(x, 30) for x in row] for row in given))
    assert relative_error(np.array(symbolic, dtype=float).ravel(), expected) < 1e-13


@pytest.mark.parametrize("quantity", QUANTITIES[:2])
def test_casadi_has_every_term(quantity: str) -> None:
    pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    f, given = ARM.function(quantity), states(quantity)
    assert relative_error(np.array(f.casadi()(*given)).ravel(), f(*given)) < 1e-14


@pytest.mark.parametrize("quantity", QUANTITIES[:2])
def test_jax_has_every_term(quantity: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    jax.config.update("jax_enable_x64", True)
    f, given = ARM.function(quantity), states(quantity)
    assert relative_error(np.array(f.jax()(*given)), f(*given)) < 1e-13
