"""Functions in SymPy, CasADi and JAX give the numbers that they give here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from support.robots import relative_error

ARMS = [armdyn.load("scara"), armdyn.load("puma560")]
QUANTITIES = ["mass_matrix", "inverse_dynamics", "kinetic_energy", "udu", "pose", "friction"]
RNG = np.random.default_rng(5)


def flat(value: object) -> np.ndarray:
    several = value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.array(x, dtype=float).ravel() for x in several])


@pytest.mark.parametrize("arm", ARMS, ids=lambda a: a.name)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_casadi_function_has_the_same_values(arm: armdyn.Arm, quantity: str) -> None:
    pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    f = arm.function(quantity)
    state = RNG.uniform(-1, 1, (len(f.program.inputs), arm.n))
    function = f.casadi()
    assert [function.name_in(k) for k in range(function.n_in())] == [
        slot.name for slot in f.program.inputs
    ]
    got = function(*state)
    several = got if isinstance(got, tuple) else (got,)
    expected = f(*state)
    for a, b in zip(several, expected if isinstance(expected, tuple) else (expected,), strict=True):
        assert relative_error(np.array(a.full()).reshape(np.shape(b)), b) < 1e-14


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_sympy_function_has_the_same_values(quantity: str) -> None:
    sympy = pytest.importorskip("sympy")
    arm = ARMS[0]
    f = arm.function(quantity)
    state = RNG.uniform(-1, 1, (len(f.program.inputs), arm.n))
    symbols = [sympy.symbols(f"{s.name}1:{arm.n + 1}") for s in f.program.inputs]
    formulas = f.sympy()(*symbols)
    several = formulas if isinstance(formulas, tuple) else (formulas,)
    values = dict(zip([s for group in symbols for s in group], state.ravel(), strict=True))
    got = [
        np.array(sympy.Matrix([[x]] if x.is_Matrix is False else x).subs(values)) for x in several
    ]
    assert relative_error(flat(tuple(got)), flat(f(*state))) < 1e-13


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_jax_function_has_the_same_values_on_batches(quantity: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    jax.config.update("jax_enable_x64", True)
    arm = ARMS[1]
    f = arm.function(quantity)
    states = RNG.uniform(-1, 1, (len(f.program.inputs), 5, arm.n))
    got = f.jax()(*states)
    assert relative_error(flat(got), flat(f(*states))) < 1e-13


def test_jax_function_is_differentiated() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    jax.config.update("jax_enable_x64", True)
    arm = ARMS[0]
    q = RNG.uniform(-1, 1, arm.n)
    slope = jax.grad(arm.function("potential_energy").jax())(q)
    assert relative_error(np.array(slope), arm.gravity(q)) < 1e-13


def written(arm: armdyn.Arm, quantity: str, language: str) -> Any:
    """Return the function that a source defines; it may need nothing of ours."""
    f = arm.function(quantity)
    scope: dict[str, Any] = {}
    text = f.source(language)
    assert "armdyn" not in text
    exec(text, scope)
    return scope[f.program.name]


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_source_in_jax_runs_by_itself_and_broadcasts(quantity: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    jax.config.update("jax_enable_x64", True)
    arm = ARMS[1]
    f = arm.function(quantity)
    states = [RNG.uniform(-1, 1, (3, 1, arm.n)), *RNG.uniform(-1, 1, (2, 4, arm.n))]
    states = states[: len(f.program.inputs)]
    expected = f(*states)
    several = expected if isinstance(expected, tuple) else (expected,)
    for function in (written(arm, quantity, "jax"), jax.jit(written(arm, quantity, "jax"))):
        got = function(*states)
        for a, b in zip(got if isinstance(got, tuple) else (got,), several, strict=True):
            assert a.shape == np.shape(b) and relative_error(np.array(a), b) < 1e-13


def test_source_in_jax_refuses_what_jax_would_read_beyond() -> None:
    pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    function = written(ARMS[1], "gravity", "jax")
    for shape in ((5,), (7,), (), (6, 5)):
        with pytest.raises(ValueError, match=r"q has shape .*, expected \(\.\.\., 6\)"):
            function(np.zeros(shape))


@pytest.mark.parametrize("symbol", ["SX", "MX"])
@pytest.mark.parametrize("quantity", [*QUANTITIES, "regressor"])
def test_source_in_casadi_runs_by_itself_on_both_kinds_of_symbols(
    quantity: str, symbol: str
) -> None:
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    arm = ARMS[0]
    f = arm.function(quantity)
    columns = [getattr(casadi, symbol).sym(slot.name, slot.size) for slot in f.program.inputs]
    made = written(arm, quantity, "casadi")(*columns)
    state = RNG.uniform(-1, 1, (len(columns), arm.n))
    values = casadi.Function("f", columns, made if isinstance(made, tuple) else [made])(*state)
    expected = f(*state)
    got = values if isinstance(values, tuple) else (values,)
    for a, b in zip(got, expected if isinstance(expected, tuple) else (expected,), strict=True):
        assert a.shape == (*np.shape(b), 1, 1)[:2]
        assert relative_error(a.full().reshape(np.shape(b)), b) < 1e-14
    with pytest.raises(ValueError, match=r"has shape \(3, 1\), expected \(4, 1\)"):
        written(arm, quantity, "casadi")(*(column[:3] for column in columns))


def test_latex_is_for_small_arms() -> None:
    text = armdyn.load("planar2").function("mass_matrix").source("latex")
    assert text.startswith(r"M = \left[\begin{matrix}") and r"\cos{\left(q_{2} \right)}" in text
    rate = armdyn.load("planar2").function("kinetic_energy").source("latex")
    assert r"\dot{q}_{1}" in rate
    with pytest.raises(armdyn.InputError, match="could not be read"):
        armdyn.load("puma560").function("forward_dynamics").source("latex")


def test_missing_library_is_named(monkeypatch) -> None:
    import sys

    f = armdyn.load("planar2").function("gravity")
    for name, hidden in (("casadi", "casadi"), ("sympy", "sympy"), ("jax", "jax.numpy")):
        monkeypatch.setitem(sys.modules, hidden, None)
        with pytest.raises(armdyn.MissingExtraError, match=rf"pip install 'armdyn\[{name}\]'"):
            getattr(f, name)()
    with pytest.raises(armdyn.MissingExtraError, match=r"pip install 'armdyn\[sympy\]'"):
        f.source("latex")


def test_wrong_sizes_are_named() -> None:
    function = ARMS[0].function("bias").sympy()
    with pytest.raises(armdyn.InputError, match=r"q \(4\), qd \(4\)"):
        function([1, 2, 3, 4])
