"""Kernels as NumPy functions: arrays of every kind, `out`, threads, processors, object code."""

from __future__ import annotations

import pickle
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armdyn.errors import InputError
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.kernel import strided_loop as loop_module
from armdyn.kernel.batch_ir import BATCH_MODULES
from armdyn.kernel.cached import COMPILER, identity
from armdyn.kernel.call import gufunc as gufunc_module
from armdyn.kernel.call.fastcall import FASTCALL_MODULES
from armdyn.kernel.call.gufunc import Gufunc, PlainLoop, gufuncs_work, signature
from armdyn.kernel.element import DOUBLE, FLOAT
from armdyn.kernel.gather import GATHER_MODULES
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.kernel import Kernel, compile_program, object_code
from armdyn.kernel.targets.choice import target
from armdyn.robot.library import generic
from armdyn.scalar import Op
from support.kernels import (
    TARGETS,
    as_tuple,
    odd_kernel,
    program_of,
    sincos_kernel,
    states_of,
    width_of,
)
from support.rolled import all_places


def _calls(kernel: Kernel) -> list[Callable[..., Any]]:
    """The gufunc, and what stands in for it."""
    plain = PlainLoop(kernel.program, kernel.element, kernel._code.address("armdyn_loop"))
    return [kernel, plain.function]


@pytest.fixture(scope="module")
def torque() -> Kernel:
    return compile_program(program_of(generic(6), "inverse_dynamics"))


@pytest.fixture(scope="module")
def mass() -> Kernel:
    return compile_program(program_of(generic(6), "mass_matrix"))


def test_strides_of_every_kind(torque: Kernel) -> None:
    q, qd, qdd = states_of(torque.program, 41)
    expected = torque(q, qd, qdd)
    wide = np.zeros((82, 18))
    wide[::2, 1:13:2] = q
    backwards = np.ascontiguousarray(qd[::-1, ::-1])[::-1, ::-1]
    columns = np.asfortranarray(qdd)
    for call in _calls(torque):
        assert np.array_equal(call(wide[::2, 1:13:2], backwards, columns), expected)
        out = np.zeros((6, 41)).T
        assert call(q, qd, qdd, out=out) is out
        assert np.array_equal(out, expected)
        out = np.full((41, 8), 7.0)
        call(q, qd, qdd, out=out[:, 1:7])
        assert np.array_equal(out[:, 1:7], expected)
        assert (out[:, [0, 7]] == 7.0).all()
        unaligned = np.frombuffer(b"x" + q.tobytes(), dtype=np.uint8)[1:].view(np.float64)
        assert np.array_equal(call(unaligned.reshape(q.shape), qd, qdd), expected)
        assert np.array_equal(call(q.astype(">f8"), qd, qdd), expected)


def test_leading_axes_broadcast(torque: Kernel) -> None:
    q, qd, qdd = states_of(torque.program, 30)
    tall = np.ascontiguousarray(np.broadcast_to(qd[0], (30, 6)))
    for call in _calls(torque):
        assert np.array_equal(call(q, qd[0], qdd), torque(q, tall, qdd))
        grid = np.asarray(call(q[:5, None], qd[:4], qdd[0]))
        assert grid.shape == (5, 4, 6)
        assert np.array_equal(grid[3, 2], torque(q[3], qd[2], qdd[0]))
        assert np.asarray(call(q[:0], qd[0], qdd[0])).shape == (0, 6)
        assert np.asarray(call(q[:0, None], qd[:4], qdd[0])).shape == (0, 4, 6)
        with pytest.raises(ValueError):
            call(q, qd[:7], qdd)


def test_other_types_and_wrong_shapes(mass: Kernel) -> None:
    q = np.arange(-6, 6).reshape(2, 6)
    for call in _calls(mass):
        assert np.array_equal(call(q), mass(q.astype(float)))
        assert np.array_equal(call(q.astype(np.float32)), mass(q.astype(float)))
        assert np.array_equal(call(q.tolist()), mass(q.astype(float)))
        with pytest.raises(TypeError):
            call(q.astype(complex))
        with pytest.raises(ValueError):
            call(np.zeros((2, 5)))
        with pytest.raises(TypeError):
            call(q, q)
        locked = np.zeros((2, 6, 6))
        locked.flags.writeable = False
        with pytest.raises(ValueError):
            call(q, out=locked)


def test_out_may_overlap_the_input(torque: Kernel) -> None:
    states = states_of(torque.program, 100)
    expected = torque(*states)
    for call in _calls(torque):
        for k, count in ((0, 1), (0, 100), (1, 100), (2, 7), (2, 16)):
            copies = [x[:count].copy() for x in states]
            assert np.array_equal(call(*copies, out=copies[k]), expected[:count])
        both = np.vstack([states[1], np.zeros((1, 6))])
        call(states[0], both[:-1], states[2], out=both[1:])
        assert np.array_equal(both[1:], expected)


def test_inputs_that_are_not_read_and_results_that_are_not_computed() -> None:
    given = trace(lambda x, y: [3.5, y[1]], [Slot("x", (3,)), Slot("y", (2,))], [Slot("r", (2,))])
    kernel = compile_program(given)
    for count in (0, 1, 2 * kernel.width + 1):
        x, y = states_of(given, count)
        got = np.asarray(kernel(x, y))
        assert np.array_equal(got, np.column_stack([np.full(count, 3.5), y[:, 1]]))


def test_kernel_describes_itself(mass: Kernel) -> None:
    assert mass.program.name == "mass_matrix"
    assert mass.width == width_of(mass.target) == width_of(target())
    assert f"<{mass.width} x double>" in mass.ir
    assert "mass_matrix" in repr(mass)
    assert signature(mass.program) == "(6)->(6,6)"
    assert signature(sincos_kernel(TARGETS[0]).program) == "()->(),()"


def test_object_code_and_pickle_make_the_same_kernel(mass: Kernel) -> None:
    states = states_of(mass.program, 33)
    codegen = Codegen(mass.target, mass.element)
    again = Kernel(mass.program, codegen, object_code(mass.program, codegen))
    assert again.object_code == mass.object_code
    assert np.array_equal(again(*states), mass(*states))
    assert np.array_equal(pickle.loads(pickle.dumps(mass))(*states), mass(*states))


def test_without_the_inside_of_numpy_the_answers_are_the_same(
    mass: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert gufuncs_work()
    monkeypatch.setattr(gufunc_module, "gufuncs_work", lambda: False)
    codegen = Codegen(TARGETS[0], DOUBLE)
    plain = Kernel(mass.program, codegen, mass.object_code)
    assert isinstance(plain._loop, PlainLoop)
    assert isinstance(mass._loop, Gufunc)
    states = states_of(mass.program, 33)
    assert np.array_equal(plain(*states), mass(*states))
    several = Kernel(odd_kernel(TARGETS[0]).program, codegen, odd_kernel(TARGETS[0]).object_code)
    states = states_of(several.program, 11)
    for a, b in zip(several(*states), odd_kernel(TARGETS[0])(*states), strict=True):
        assert np.array_equal(a, b)
    one = as_tuple(several(*(x[0] for x in states)))
    assert np.ndim(one[2]) == 0


def test_a_table_that_is_not_the_expected_one_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gufunc_module, "_table", lambda: [None] * 32)
    gufuncs_work.cache_clear()
    try:
        assert not gufuncs_work()
    finally:
        gufuncs_work.cache_clear()


def test_kernels_run_in_threads_and_are_let_go() -> None:
    """Many engines at once, made, called from several threads, and dropped."""
    given = program_of(generic(3), "mass_matrix")
    states = states_of(given, 500)
    expected = compile_program(given)(*states)
    wrong: list[int] = []

    def work(k: int) -> None:
        kernel = compile_program(given)
        for _ in range(20):
            if not np.array_equal(kernel(*states), expected):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_processor_is_chosen_by_name_or_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARMDYN_CPU", raising=False)
    assert target() == target("native")
    assert width_of(target()) in (2, 4, 8)
    with pytest.raises(InputError, match="native"):
        target("z80")
    if len(TARGETS) > 2:
        monkeypatch.setenv("ARMDYN_CPU", TARGETS[-2].cpu)
        assert target() == TARGETS[-2]


def test_arrays_too_large_for_scratch_rows_are_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_module, "MOST_SCRATCH", 64)
    n = 9
    given = trace(
        lambda x, y: [a * y[0] for a in x], [Slot("x", (n,)), Slot("y", (1,))], [Slot("z", (n,))]
    )
    kernel = compile_program(given)
    assert isinstance(kernel._loop, PlainLoop)
    x = np.random.default_rng(1).normal(size=(19, 2 * n))[:, ::2]
    y = np.arange(19.0)[:, None]
    assert np.array_equal(kernel(x, y), x * y)
    out = np.zeros((n, 19)).T
    assert kernel(x, y[3], out=out) is out
    assert np.array_equal(out, x * 3.0)


def test_identity_tells_programs_and_machines_apart() -> None:
    first, other = program_of(generic(3), "mass_matrix"), program_of(generic(4), "mass_matrix")
    native, other_machine = (Codegen(machine, DOUBLE) for machine in (TARGETS[0], TARGETS[-1]))
    assert identity(first, native) == identity(replace(first), native)
    changed = list(first.code)
    k = next(k for k, step in enumerate(changed) if step.op is Op.CONST)
    changed[k] = changed[k]._replace(value=np.nextafter(changed[k].value, 9.0).item())
    different = [
        identity(other, native),
        identity(first, other_machine),
        identity(first, Codegen(TARGETS[0], FLOAT)),
        identity(replace(first, code=tuple(changed)), native),
        identity(replace(first, results=first.results[::-1]), native),
        identity(replace(first, inputs=(Slot("q", (3, 1)),)), native),
    ]
    assert len({identity(first, native), *different}) == 7


def test_identity_tells_rolled_programs_apart() -> None:
    first, other = all_places(5), all_places(6)
    native, other_machine = (Codegen(machine, DOUBLE) for machine in (TARGETS[0], TARGETS[-1]))
    name, rows = next(iter(first.constants.items()))
    row = (np.nextafter(rows[0][0], 9.0).item(), *rows[0][1:])
    turned = replace(first.sweeps[0], outward=not first.sweeps[0].outward)
    different = [
        identity(other, native),
        identity(first, other_machine),
        identity(first, Codegen(TARGETS[0], FLOAT)),
        identity(replace(first, constants={**first.constants, name: (row, *rows[1:])}), native),
        identity(replace(first, sweeps=first.sweeps[:-1]), native),
        identity(replace(first, sweeps=(turned, *first.sweeps[1:])), native),
        identity(replace(first, symmetric=("x",)), native),
    ]
    same = replace(first, constants=dict(first.constants))
    assert identity(same, native) == identity(first, native)
    assert len({identity(first, native), *different}) == 8


@pytest.mark.parametrize(
    ("named", "begin", "apart"),
    [
        # which processor it is, and LLVM's version, are part of an identity by themselves
        (
            COMPILER,
            {"straight.emit", "rolled.emit", "jit"},
            {"targets.target", "targets.choice", "llvm"},
        ),
        # of the compiler only what writes plain functions and turns text into code
        (
            FASTCALL_MODULES,
            {"call.fastcall_ir", "jit"},
            {"targets.target", "targets.choice", "llvm", "cached", *COMPILER}
            - {
                *("element", "jit", "ir.codegen", "ir.finite_check"),
                "ir.writer",
            },
        ),
        (
            BATCH_MODULES,
            {"batch_ir", "jit"},
            {"targets.target", "targets.choice", "llvm", "cached"},
        ),
        (
            GATHER_MODULES,
            {"gather", "jit"},
            {"targets.target", "targets.choice", "llvm", "cached"},
        ),
    ],
)
def test_identity_knows_every_module_that_writes_code(
    named: tuple[str, ...], begin: set[str], apart: set[str]
) -> None:
    folder = Path(str(files("armdyn.kernel")))
    found: set[str] = set()
    waiting = set(begin)
    while waiting:
        name = waiting.pop()
        found.add(name)
        text = (folder / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8")
        waiting |= (
            set(re.findall(r"^from armdyn\.kernel\.([\w.]+) import", text, re.M)) - found - apart
        )
    assert found == set(named)
