"""JAX calls the compiled kernels: NumPy's bits, all transformations, and a fallback."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.arm import jax_ops as _jax
from armdyn.arm import kernel_op as _kernel_op
from armdyn.programs import evaluate as _evaluate
from support.robots import random_robot, relative_error
from support.says import facts

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

RNG = np.random.default_rng(3)
ARM = armdyn.Arm(random_robot("mixed", 3, 5))
SMALL = armdyn.Arm(random_robot("mixed", 2, 5))
QUANTITIES = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity", "friction", "udu"]


def parts(value: Any) -> list[np.ndarray]:
    return [np.asarray(x) for x in (value if isinstance(value, tuple) else (value,))]


def states_of(f: armdyn.Function, *lead: int) -> list[np.ndarray]:
    return [RNG.uniform(-2, 2, (*lead, slot.size)) for slot in f.program.inputs]


def same_bits(got: Any, expected: Any) -> bool:
    pairs = zip(parts(got), parts(expected), strict=True)
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def calls_kernels(function: Any, *states: Any, platform: str = "cpu") -> bool:
    """Whether what JAX compiles for a platform calls machine code of ours."""
    made = jax.jit(function).trace(*states).lower(lowering_platforms=(platform,))
    return "custom_call @armdyn_" in made.as_text()


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_kernels_give_the_bits_of_numpy(quantity: str) -> None:
    f = ARM.function(quantity)
    g = f.jax()
    for lead in ((), (1,), (3,), (37,), (0,), (2, 9)):
        states = states_of(f, *lead)
        assert same_bits(g(*states), f(*states))
        assert same_bits(jax.jit(g)(*states), f(*states))
    states = states_of(f, 5, 11)
    assert same_bits(jax.vmap(jax.vmap(g), in_axes=1, out_axes=1)(*states), f(*states))
    assert calls_kernels(g, *states) and not calls_kernels(f.jax(kernel=False), *states)


def test_leading_axes_broadcast_and_are_mapped_one_by_one() -> None:
    f = ARM.function("inverse_dynamics")
    g = f.jax()
    q, qd, qdd = RNG.uniform(-1, 1, (5, 1, 3)), RNG.uniform(-1, 1, (4, 3)), np.ones(3)
    assert same_bits(g(q, qd, qdd), f(q, qd, qdd))
    mapped = jax.vmap(g, in_axes=(0, None, None))(q, qd, qdd)
    assert same_bits(mapped, f(q, qd, qdd))
    assert same_bits(g(list(q[0, 0]), np.ones(3, int), qdd), f(q[0, 0], np.ones(3), qdd))
    single = qd.astype(np.float32)
    assert same_bits(g(single, single, single), f(*[single.astype(np.float64)] * 3))


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_derivatives_in_both_modes_are_those_of_the_traced_program(quantity: str) -> None:
    f = SMALL.function(quantity)
    states = states_of(f)
    by = tuple(range(len(states)))
    expected = jax.jit(jax.jacfwd(f.jax(kernel=False), argnums=by))(*states)
    for mode in (jax.jacfwd, jax.jacrev):
        slopes = jax.jit(mode(f.jax(), argnums=by))
        assert calls_kernels(slopes, *states)
        for got, wanted in zip(slopes(*states), expected, strict=True):
            assert relative_error(np.asarray(got), np.asarray(wanted)) < 1e-11


def test_derivatives_of_derivatives_in_every_order_of_modes() -> None:
    f = SMALL.function("potential_energy")
    q = states_of(f)[0]
    forward, reverse = jax.jacfwd, jax.jacrev
    for orders in (
        (forward, forward), (forward, reverse), (reverse, forward), (reverse, reverse),
        (reverse, forward, reverse),
    ):  # fmt: skip
        got, expected = f.jax(), f.jax(kernel=False)
        for mode in orders:
            got, expected = mode(got), mode(expected)
        found, wanted = np.asarray(jax.jit(got)(q)), np.asarray(jax.jit(expected)(q))
        assert relative_error(found, wanted) < 1e-12


def test_gradient_of_a_loss_over_a_batch_in_a_loop() -> None:
    """`scan`, `checkpoint` and `grad` over steps of a motion."""
    f = SMALL.function("forward_dynamics")
    start = states_of(f, 6)[0]

    def loss(torques: Any, function: Any) -> Any:
        def step(state: Any, tau: Any) -> Any:
            q, qd = state
            qd = qd + 0.01 * jax.checkpoint(function)(q, qd, tau)
            return (q + 0.01 * qd, qd), q

        _, path = jax.lax.scan(step, (start, 0 * start), torques)
        return (path**2).sum()

    torques = RNG.uniform(-1, 1, (5, 6, 2))
    got, expected = (
        jax.jit(jax.grad(loss), static_argnums=1)(torques, g)
        for g in (f.jax(), f.jax(kernel=False))
    )
    assert relative_error(np.asarray(got), np.asarray(expected)) < 1e-10


def test_link_parameters_are_an_input_of_the_kernel() -> None:
    f = SMALL.function("inverse_dynamics", friction=False)
    states = states_of(f, 3)
    g = f.jax(parameters=True)
    assert calls_kernels(g, *states, SMALL.parameters)
    assert relative_error(np.asarray(g(*states, SMALL.parameters)), f(*states)) < 1e-12
    for mode in (jax.jacfwd, jax.jacrev):
        slope = mode(g, argnums=3)(*states, SMALL.parameters)
        assert relative_error(np.asarray(slope), SMALL.regressor(*states)) < 1e-11


def test_numbers_that_are_not_finite_pass_through_in_their_own_state() -> None:
    f = ARM.function("inverse_dynamics")
    states = states_of(f, 21)
    expected = f(*states)
    states[0][7, 1], states[1][12, 0] = np.nan, np.inf
    got = np.asarray(jax.jit(f.jax())(*states))
    bad = ~np.isfinite(got).all(axis=-1)
    assert list(np.flatnonzero(bad)) == [7, 12]
    assert np.array_equal(got[~bad], expected[~bad])


def test_single_precision_is_refused_and_says_what_to_do() -> None:
    f = ARM.function("gravity")
    g = f.jax()
    with jax.enable_x64(False):
        with pytest.raises(armdyn.InputError, match=r'update\("jax_enable_x64", True\)'):
            g(np.ones(3))
        with pytest.raises(armdyn.InputError, match=r"take `jax\(kernel=False\)`"):
            jax.jit(g)(np.ones(3))
        assert f.jax(kernel=False)(np.ones(3)).dtype == np.float32


def test_arms_in_single_precision_compute_in_it() -> None:
    f = SMALL.astype(np.float32).function("inverse_dynamics")
    states = [x.astype(np.float32) for x in states_of(f, 21)]
    g = f.jax()
    for enabled in (True, False):
        with jax.enable_x64(enabled):
            assert same_bits(jax.jit(g)(*states), f(*states))
            assert calls_kernels(g, *states)
            slope = jax.grad(lambda *x: g(*x).sum())(*states)
            assert slope.dtype == np.float32
            assert g([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]).dtype == np.float32
    expected = SMALL.function("inverse_dynamics").vjp()(*states, np.ones((21, 2)))[0]
    assert relative_error(np.asarray(slope), expected) < 1e-5
    with pytest.raises(armdyn.InputError, match=facts("`qd`", "float64")):
        g(states[0], states[1].astype(np.float64), states[2])


def test_wrong_arguments_are_named() -> None:
    g = ARM.function("bias").jax()
    with pytest.raises(armdyn.InputError, match=r"q \(3\), qd \(3\)"):
        g(np.ones(3))
    with pytest.raises(armdyn.InputError, match=r"q \(3\), qd \(3\)"):
        g(np.ones(3), np.float64(1.0))
    with pytest.raises(armdyn.InputError, match="`qd` holds complex128; expected real") as caught:
        g(np.ones(3), np.ones(3, complex))
    assert caught.value.argument == "qd"
    with pytest.raises(armdyn.InputError, match="`kernel`"):
        ARM.function("bias").jax(kernel="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize("version", [(0, 4), (1, 3), None])
def test_another_version_of_the_interface_falls_back(version, monkeypatch) -> None:
    f = SMALL.function("forward_dynamics")
    states = states_of(f, 9)
    monkeypatch.setattr(_jax, "ffi_version", lambda: version)
    _jax.kernels_work.cache_clear()
    try:
        g = f.jax()
    finally:
        _jax.kernels_work.cache_clear()
    assert not calls_kernels(g, *states)
    assert relative_error(np.asarray(jax.jit(g)(*states)), f(*states)) < 1e-11
    single = [x.astype(np.float32) for x in states]
    assert jax.jit(g)(*single).dtype == np.float64  # as with kernels


def test_a_jax_without_the_interface_falls_back(monkeypatch) -> None:
    monkeypatch.setattr(_jax, "HEADER", "no/such/header.h")
    _jax.kernels_work.cache_clear()
    assert not _jax.kernels_work()
    _jax.kernels_work.cache_clear()
    monkeypatch.undo()
    assert _jax.kernels_work() and _jax.ffi_version() == _jax.API


def test_other_platforms_compute_the_traced_program() -> None:
    f = SMALL.function("inverse_dynamics")
    states = states_of(f, 3)
    gradient = jax.grad(lambda *x: (f.jax()(*x) ** 2).sum())
    for function in (f.jax(), gradient):
        assert calls_kernels(function, *states)
        for platform in ("cuda", "tpu"):
            assert not calls_kernels(function, *states, platform=platform)


def test_programs_too_long_to_compile_are_traced(monkeypatch) -> None:
    f = SMALL.function("inverse_dynamics_derivatives")
    states = states_of(f, 2)
    expected = f(*states)
    monkeypatch.setattr(_evaluate, "LONGEST_COMPILED", 10)
    assert not calls_kernels(f.jax(), *states)
    for got, wanted in zip(parts(jax.jit(f.jax())(*states)), parts(expected), strict=True):
        assert relative_error(got, wanted) < 1e-12
    _jax._registered.cache_clear()


def test_buffers_of_another_program_are_refused() -> None:
    f = ARM.function("gravity")
    q = states_of(f, 3)[0]
    f.jax()(q)
    name = _jax._registered(_kernel_op.kernel_op_of(f.program))
    for shape, dtype, operands in (
        ((3, 5), np.float64, (q,)),
        ((2, 3), np.float64, (q,)),
        ((3, 3), np.float32, (q,)),
        ((3, 3), np.float64, (q.astype(np.float32),)),
        ((3, 3), np.float64, (q, q)),
    ):
        result = jax.ShapeDtypeStruct(shape, dtype)
        with pytest.raises(Exception, match="armdyn: XLA passed buffers"):
            jax.block_until_ready(jax.ffi.ffi_call(name, result)(*operands))
    right = jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(q.shape, np.float64))(q)
    assert same_bits(right, f(q))


def test_code_stays_loaded_and_equal_functions_share_it() -> None:
    def made() -> Any:
        return jax.jit(armdyn.load("scara").function("gravity").jax())

    first = made()
    q = RNG.uniform(-1, 1, (40, 4))
    before = np.asarray(first(q))
    gc.collect()
    assert np.array_equal(np.asarray(first(q)), before)
    n_known = len(_kernel_op._kernel_ops)
    assert np.array_equal(np.asarray(made()(q)), before)
    assert len(_kernel_op._kernel_ops) == n_known


def test_the_cache_of_jax_on_disk_serves_another_process(tmp_path: Path) -> None:
    """A compiled function from JAX's cache finds the kernel of the new process by its name."""
    script = """
import sys, jax, numpy as np, armdyn
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
f = armdyn.load("planar2").function("gravity")
q = np.linspace(0, 1, 20).reshape(10, 2)
assert np.array_equal(np.asarray(jax.jit(f.jax())(q)), f(q))
"""
    command = [sys.executable, "-c", script, str(tmp_path / "jax")]
    for _ in range(2):
        done = subprocess.run(command, env=os.environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
