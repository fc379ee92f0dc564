"""Fastcalls: one state by machine code that checks arrays itself, and all else as without it."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.errors import SettingWarning
from armdyn.graph.program import Program, Slot
from armdyn.kernel.batch import LARGE, LARGE_PAGE
from armdyn.kernel.call import fastcall as _fastcall
from armdyn.kernel.call import layout
from armdyn.kernel.call.vectorcall import Vectorcallable, has_function
from armdyn.kernel.element import DOUBLE, ONE
from armdyn.kernel.targets import generic
from armdyn.kernel.targets.target import Host
from support.kernels import Called, quick_call
from support.robots import random_robots

RNG = np.random.default_rng(5)
PUMA = armdyn.load("puma560")
QUANTITIES = [quantity for quantity in PUMA.quantities if hasattr(armdyn.Arm, quantity)]


def state_of(f: armdyn.Function) -> list[np.ndarray]:
    return [RNG.uniform(-2, 2, slot.size) for slot in f.program.inputs]


def parts(result: Any) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)


def is_fastcall(x: object) -> bool:
    return isinstance(x, Vectorcallable) and has_function(x)


@pytest.fixture(scope="module")
def opened() -> armdyn.Arm:
    """An arm all of whose methods are fastcalls."""
    arm = armdyn.Arm(PUMA.robot)
    for quantity in QUANTITIES:
        getattr(arm, quantity)(*state_of(arm.function(quantity)))
    return arm


@pytest.fixture(scope="module")
def closed() -> armdyn.Arm:
    """The same arm without fastcalls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARMDYN_FASTCALL", "off")
        arm = armdyn.Arm(PUMA.robot)
        for quantity in QUANTITIES:
            getattr(arm, quantity)(*state_of(arm.function(quantity)))
    return arm


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_fastcall_gives_the_bits_of_the_gufunc(
    quantity: str, opened: armdyn.Arm, closed: armdyn.Arm
) -> None:
    assert is_fastcall(getattr(opened, quantity)) and is_fastcall(opened.function(quantity))
    assert not is_fastcall(getattr(closed, quantity)) and not is_fastcall(closed.function(quantity))
    f = opened.function(quantity)
    assert f.kernel is not None
    for _ in range(5):
        given = state_of(f)
        expected = parts(f.kernel(*given))
        for call in (getattr(opened, quantity), f, getattr(closed, quantity)):
            result = call(*given)
            for a, b in zip(parts(result), expected, strict=True):
                assert type(a) is np.ndarray and a.dtype == np.float64
                assert a.flags.owndata and a.flags.c_contiguous
                assert a.shape == np.shape(b) and np.array_equal(a, b)


def test_fastcall_of_arms_of_every_size() -> None:
    for robot in random_robots(seed=2, sizes=(1, 2, 3, 5, 8))[::3]:
        arm = armdyn.Arm(robot)
        for quantity in ("mass_matrix", "forward_dynamics", "udu"):
            f = arm.function(quantity)
            given = state_of(f)
            f(*given)
            assert is_fastcall(f) and f.kernel is not None
            for a, b in zip(parts(f(*given)), parts(f.kernel(*given)), strict=True):
                assert np.array_equal(a, b)


def test_unusual_arrays_give_the_same_answers(opened: armdyn.Arm) -> None:
    q = np.linspace(-1.0, 1.5, 6)
    expected = opened.mass_matrix(q)

    class Special(np.ndarray):
        pass

    wide = np.zeros(12)
    wide[::2] = q
    unaligned = np.frombuffer(b"x" + q.tobytes(), dtype=np.uint8)[1:].view(np.float64)
    locked = q.copy()
    locked.flags.writeable = False
    same = [
        q.tolist(), tuple(q), q.view(Special), np.ma.MaskedArray(q), wide[::2],
        q[::-1].copy()[::-1], q.astype(">f8"), q.astype(np.longdouble), unaligned, locked,
        pickle.loads(pickle.dumps(q)), np.array(q, dtype=np.dtype("f8", metadata={"unit": "rad"})),
    ]  # fmt: skip
    for given in same:
        assert np.array_equal(opened.mass_matrix(given), expected)
        assert np.array_equal(opened.function("mass_matrix")(given), expected)
    assert np.array_equal(opened.mass_matrix(q=q), expected)
    assert np.array_equal(opened.mass_matrix(q, method="auto"), expected)
    single = q.astype(np.float32)
    assert np.array_equal(opened.mass_matrix(single), opened.mass_matrix(single.astype(float)))
    whole = np.arange(6)
    assert np.array_equal(opened.mass_matrix(whole), opened.mass_matrix(whole.astype(float)))
    batch = np.array([q, 2 * q])
    assert np.array_equal(opened.mass_matrix(batch)[0], expected)
    assert opened.mass_matrix(batch[:, None]).shape == (2, 1, 6, 6)
    assert opened.pose(q, 3).shape == (4, 4)
    assert not np.array_equal(opened.pose(q, 3), opened.pose(q))
    assert opened.function("mass_matrix")(q, threads=2).shape == (6, 6)


def test_out_receives_the_result(opened: armdyn.Arm) -> None:
    q, qd, qdd = RNG.uniform(-1, 1, (3, 6))
    M, tau = opened.mass_matrix(q), opened.inverse_dynamics(q, qd, qdd)
    for call in (opened.mass_matrix, opened.function("mass_matrix")):
        out = np.full((6, 6), 7.0)
        assert call(q, out=out) is out and np.array_equal(out, M)
        fortran = np.zeros((6, 6), order="F")
        assert call(q, out=fortran) is fortran and np.array_equal(fortran, M)
        wide = np.zeros((6, 12))
        assert np.array_equal(call(q, out=wide[:, ::2]), M)
        assert np.array_equal(wide[:, ::2], M) and not wide[:, 1::2].any()
        assert np.array_equal(call(q, out=None), M)
    for k in range(3):
        given = [q.copy(), qd.copy(), qdd.copy()]
        assert opened.inverse_dynamics(*given, out=given[k]) is given[k]
        assert np.array_equal(given[k], tau)
    line = np.concatenate([q, np.zeros(3)])
    opened.gravity(line[:6], out=line[3:])
    assert np.array_equal(line[3:], opened.gravity(q))
    energy = np.array(3.0)
    assert opened.potential_energy(q, out=energy) is energy
    assert np.array_equal(energy, opened.potential_energy(q))


ZEROS = np.zeros(6)
LOCKED = np.zeros((6, 6))
LOCKED.flags.writeable = False
HUGE = np.full(6, 1e200)
WRONG: dict[str, Callable[[armdyn.Arm], object]] = {
    "nan": lambda arm: arm.mass_matrix(np.array([0, 0, np.nan, 0, 0, 0.0])),
    "infinity": lambda arm: arm.mass_matrix(np.array([0, 0, 0, 0, 0, -np.inf])),
    "nan in the last": lambda arm: arm.bias(ZEROS, np.array([0, 0, 0, 0, 0, np.nan])),
    "too short": lambda arm: arm.mass_matrix(np.zeros(5)),
    "too long": lambda arm: arm.mass_matrix(np.zeros(7)),
    "number": lambda arm: arm.mass_matrix(np.array(1.0)),
    "complex": lambda arm: arm.mass_matrix(np.zeros(6, dtype=complex)),
    "text": lambda arm: arm.mass_matrix("q"),
    "nothing": lambda arm: arm.mass_matrix(),
    "none": lambda arm: arm.mass_matrix(None),
    "two": lambda arm: arm.mass_matrix(ZEROS, ZEROS),
    "keyword": lambda arm: arm.mass_matrix(ZEROS, speed=1),
    "twice": lambda arm: arm.mass_matrix(ZEROS, q=ZEROS),
    "method": lambda arm: arm.mass_matrix(ZEROS, method="magic"),
    "masked": lambda arm: arm.mass_matrix(np.ma.MaskedArray(ZEROS, [True] + 5 * [False])),
    "out of one axis": lambda arm: arm.mass_matrix(ZEROS, out=np.zeros(36)),
    "out of wrong shape": lambda arm: arm.mass_matrix(ZEROS, out=np.zeros((6, 5))),
    "out of wrong size": lambda arm: arm.mass_matrix(ZEROS, out=np.zeros((5, 6))),
    "out of float32": lambda arm: arm.mass_matrix(ZEROS, out=np.zeros((6, 6), dtype=np.float32)),
    "out of bytes": lambda arm: arm.mass_matrix(ZEROS, out=bytearray(288)),
    "out is locked": lambda arm: arm.mass_matrix(ZEROS, out=LOCKED),
    "out of many": lambda arm: arm.function("udu")(ZEROS, out=np.zeros((6, 6))),
    "too large": lambda arm: arm.inverse_dynamics(ZEROS, HUGE, ZEROS),
    "too large for out": lambda arm: arm.inverse_dynamics(ZEROS, HUGE, ZEROS, out=np.zeros(6)),
    "too large to divide": lambda arm: arm.forward_dynamics(ZEROS, HUGE, ZEROS),
    "function: nan": lambda arm: arm.function("gravity")(np.full(6, np.nan)),
    "function: nothing": lambda arm: arm.function("gravity")(),
    "function: two": lambda arm: arm.function("gravity")(ZEROS, ZEROS),
    "function: threads": lambda arm: arm.function("gravity")(ZEROS, threads=0),
    "function: keyword": lambda arm: arm.function("gravity")(q=ZEROS),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_are_those_of_the_slow_way(
    case: str, opened: armdyn.Arm, closed: armdyn.Arm
) -> None:
    with pytest.raises(Exception) as slow:
        WRONG[case](closed)
    with pytest.raises(Exception) as quick:
        WRONG[case](opened)
    assert type(quick.value) is type(slow.value) and str(quick.value) == str(slow.value)


def _spoil_machine(patch: pytest.MonkeyPatch) -> None:
    other = generic.native(Host("riscv64", "", {}))
    patch.setattr(_fastcall, "target", lambda _cpu: other)


def _spoil_pointers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_fastcall.ctypes, "sizeof", lambda _: 4)


def _spoil_python(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_fastcall, "sys", SimpleNamespace(implementation=SimpleNamespace(name="other")))


def _spoil_lock(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_fastcall.sys, "abiflags", "t", raising=False)


def _spoil_table(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_fastcall, "_table", lambda: [None] * 94)


def _spoil_version(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_fastcall, "ABI_OF_NUMPY_2", 0x03000000)


def _spoil_inside(patch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ImportError(name)

    patch.setattr(_fastcall, "import_module", refuse)


def _spoil_making(patch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no memory that can be executed")

    patch.setattr(_fastcall, "common_code", refuse)


def _spoil(place: str) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(layout, place, getattr(layout, place) + 8)


PLACES = (
    "TYPE", "TUPLE_SIZE", "TUPLE_ITEMS", "BYTES_ITEMS", "DATA", "N_AXES", "AXES", "STRIDES",
    "DESCRIPTION", "FLAGS", "BYTE_ORDER", "TYPE_NUMBER", "VERSION_TAG", "CLASS_FLAGS",
    "VECTORCALL_OFFSET", "VECTORCALL", "STATE",
)  # fmt: skip
SPOILERS = {
    "machine": _spoil_machine,
    "pointers": _spoil_pointers,
    "python": _spoil_python,
    "lock": _spoil_lock,
    "table": _spoil_table,
    "version": _spoil_version,
    "inside": _spoil_inside,
    "making": _spoil_making,
    "variable": lambda patch: patch.setenv("ARMDYN_FASTCALL", "off"),
    **{f"place of {place}": _spoil(place) for place in PLACES},
}


@pytest.fixture
def looked_again() -> Iterator[None]:
    """What was found out about the inside of Python and NumPy is forgotten before and after."""
    for f in (_fastcall._as_expected, _fastcall._addresses):
        f.cache_clear()
    yield
    for f in (_fastcall._as_expected, _fastcall._addresses):
        f.cache_clear()


@pytest.mark.usefixtures("looked_again")
@pytest.mark.parametrize("spoiler", SPOILERS)
def test_where_the_inside_is_not_as_expected_there_is_no_fastcall(
    spoiler: str, opened: armdyn.Arm
) -> None:
    f = armdyn.load("planar2").function("mass_matrix")
    q = np.array([0.3, 0.7])
    assert f.kernel is not None

    kernel = f.kernel
    assert _fastcall.fastcall_works() and is_fastcall(quick_call(kernel, print))
    _fastcall._as_expected.cache_clear()
    _fastcall._addresses.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        SPOILERS[spoiler](patch)
        assert quick_call(kernel, print) is None
        arm = armdyn.load("planar2")
        g = arm.function("mass_matrix")
        for _ in range(2):
            assert np.array_equal(arm.mass_matrix(q), f.kernel(q))
            assert np.array_equal(g(q), f.kernel(q))
        assert not is_fastcall(arm.mass_matrix) and not hasattr(g, "fastcall_state")


def test_what_a_fastcall_cannot_take_has_none(opened: armdyn.Arm) -> None:
    kernel = opened.function("mass_matrix").kernel
    assert kernel is not None and isinstance(kernel.program, Program)
    plain = kernel.program
    one = kernel._code.address(ONE)

    def can(program: Program, address: int) -> bool:
        entry = _fastcall.KernelEntry(program, DOUBLE, address, kernel.checked_loop, kernel, 1e300)
        called = Called()
        fallbacks = _fastcall.Fallbacks(print, print, called, _fastcall.class_version(Called))
        done = _fastcall.set_vectorcall(entry, fallbacks, called)
        assert done == has_function(called)
        return done

    assert can(plain, one) and not can(plain, 0)
    assert not can(replace(plain, inputs=(Slot("x", ()),)), one)
    assert not can(replace(plain, inputs=(Slot("x", (2, 3)),)), one)
    assert not can(replace(plain, outputs=(Slot("y", (1, 1, 1, 1, 36)),)), one)


def test_nothing_is_kept_and_nothing_lost(opened: armdyn.Arm) -> None:
    q, qd, bad = *RNG.uniform(-1, 1, (2, 6)), np.full(6, np.nan)
    many, many_bad = np.tile(q, (9, 1)), np.tile(bad, (9, 1))
    out = np.zeros((6, 6))
    shared = (q, qd, bad, many, many_bad, HUGE, out, opened, np.ndarray, None)

    def quick() -> None:
        opened.mass_matrix(q)
        opened.mass_matrix(q, out=out)
        opened.mass_matrix(q, out=None)
        opened.udu(q)
        opened.kinetic_energy(q, qd)
        opened.forward_dynamics_derivatives(q, qd, q)
        opened.mass_matrix(many)
        opened.udu(many)

    def refused() -> None:
        for quantity, given in (
            ("mass_matrix", (bad,)), ("inverse_dynamics", (q, HUGE, q)),
            ("forward_dynamics_derivatives", (q, HUGE, q)), ("udu", (many_bad,)),
        ):  # fmt: skip
            try:
                getattr(opened, quantity)(*given)
            except armdyn.ArmdynError:
                continue
            raise AssertionError(quantity)

    # NumPy itself keeps a reference to its type of numbers for every array that Python makes
    for calls, times, also in ((quick, 5000, (np.dtype(float),)), (refused, 300, ())):
        counted = (*shared, *also)
        calls()
        gc.collect()
        tracemalloc.start()
        try:
            calls()
            before = [sys.getrefcount(x) for x in counted]
            memory = tracemalloc.get_traced_memory()[0]
            for _ in range(times):
                calls()
            gc.collect()
            after = [sys.getrefcount(x) for x in counted]
            growth = tracemalloc.get_traced_memory()[0] - memory
        finally:
            tracemalloc.stop()
        assert all(abs(a - b) < times // 10 for a, b in zip(before, after, strict=True))
        assert growth < 50 * times  # the smallest result has more bytes than this
    assert sys.getrefcount(opened.mass_matrix(q)) == sys.getrefcount(np.zeros(6))
    pair = opened.udu(q)
    assert sys.getrefcount(pair) == 2 and [sys.getrefcount(x) for x in pair] == [3, 3]


@pytest.mark.parametrize("fastcall", [True, False])
@pytest.mark.parametrize("lead", [(8,), (9,), (1001,), (40_000,), (3, 5)])
def test_results_of_many_states_begin_with_a_line(
    opened: armdyn.Arm, closed: armdyn.Arm, fastcall: bool, lead: tuple[int, ...]
) -> None:
    arm = opened if fastcall else closed
    q = RNG.uniform(-1, 1, (*lead, 6))
    for result in (arm.mass_matrix(q), *arm.udu(q), arm.gravity(q)):
        assert result.ctypes.data % 64 == 0 and result.flags.carray and type(result) is np.ndarray
        room = result.base  # which belongs to nobody else
        while room.base is not None:
            room = room.base
        more = 64 if result.nbytes < LARGE else 2 * LARGE_PAGE
        assert room.flags.owndata and room.nbytes == result.nbytes + more - 8
        del room
        kept = result.copy()
        gc.collect()
        assert np.array_equal(result, kept)


def test_arms_are_let_go() -> None:
    arm = armdyn.load("planar2")
    arm.mass_matrix(np.zeros(2))
    assert is_fastcall(arm.mass_matrix)
    fastcall, kernel = arm.mass_matrix, arm.function("mass_matrix").kernel
    expected = arm.mass_matrix(np.ones(2))
    del arm
    gc.collect()
    assert np.array_equal(fastcall(np.ones(2)), expected)  # a fastcall keeps what it needs
    assert np.array_equal(fastcall([1.0, 1.0]), expected)
    del fastcall
    gc.collect()
    kept = [x for x in gc.get_objects() if isinstance(x, _fastcall.FastcallState) and kernel in x]
    assert not kept


def test_threads_may_call_at_once(opened: armdyn.Arm) -> None:
    given = RNG.uniform(-2, 2, (50, 6))
    expected = [opened.mass_matrix(q) for q in given]
    wrong: list[int] = []

    def work() -> None:
        for _ in range(100):
            for k, q in enumerate(given):
                if not np.array_equal(opened.mass_matrix(q), expected[k]):
                    wrong.append(k)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_arms_and_functions_are_copied_and_pickled_after_use(opened: armdyn.Arm) -> None:
    q = RNG.uniform(-1, 1, 6)
    expected = opened.mass_matrix(q)
    arms = [copy.copy(opened), copy.deepcopy(opened), pickle.loads(pickle.dumps(opened))]
    for arm in arms:
        assert type(arm) is armdyn.Arm and not is_fastcall(arm.mass_matrix)
        for _ in range(2):
            assert np.array_equal(arm.mass_matrix(q), expected)
        assert is_fastcall(arm.mass_matrix) and arm.mass_matrix.__self__ is arm
    f = opened.function("mass_matrix")
    for g in [copy.copy(f), copy.deepcopy(f), pickle.loads(pickle.dumps(f))]:
        assert type(g) is armdyn.Function and repr(g) == repr(f)
        for _ in range(2):
            assert np.array_equal(g(q), expected)
        assert is_fastcall(g)
    for call in [opened.mass_matrix, f.__call__]:  # as pools of processes do
        assert np.array_equal(pickle.loads(pickle.dumps(call))(q), expected)
        assert np.array_equal(copy.deepcopy(call)(q), expected)


def test_methods_look_as_without_a_fastcall(opened: armdyn.Arm, closed: armdyn.Arm) -> None:
    for quantity in QUANTITIES:
        fastcall, method = getattr(opened, quantity), getattr(closed, quantity)
        assert fastcall.__name__ == method.__name__ and inspect.getdoc(fastcall) == inspect.getdoc(
            method
        )
        given = inspect.signature(fastcall).parameters.values()
        for a, b in zip(given, inspect.signature(method).parameters.values(), strict=True):
            assert (a.name, a.kind, a.default) == (b.name, b.kind, b.default)
    f, g = opened.function("gravity"), closed.function("gravity")
    assert isinstance(f, armdyn.Function) and type(f).__name__ == "Function"
    assert inspect.signature(f) == inspect.signature(g) and repr(f) == repr(g)
    assert f.__doc__ == g.__doc__ and f.operations == g.operations


def test_a_method_of_a_class_of_its_own_stays() -> None:
    class Heavy(armdyn.Arm):
        def mass_matrix(self, q: Any, **options: Any) -> np.ndarray:
            return 2.0 * super().mass_matrix(q, **options)

    arm, q = Heavy(PUMA.robot), np.zeros(6)
    for _ in range(3):
        assert np.array_equal(arm.mass_matrix(q), 2.0 * PUMA.mass_matrix(q))
        arm.gravity(q)
    assert is_fastcall(arm.gravity)


def test_a_function_of_a_class_of_its_own_stays_so() -> None:
    class Doubled(armdyn.Function):
        def __call__(self, *states: object, **options: object) -> np.ndarray:
            return 2.0 * super().__call__(*states, **options)  # type: ignore[operator]

    plain = armdyn.load("scara").function("gravity")
    doubled = Doubled(plain.program, plain.method, plain.robot)
    q = np.full(4, 0.3)
    for _ in range(3):
        assert np.array_equal(doubled(q), 2.0 * plain(q)) and type(doubled) is Doubled


def test_other_methods_and_frames_do_not_open_a_fastcall() -> None:
    arm, q = armdyn.Arm(PUMA.robot), np.zeros(6)
    arm.mass_matrix(q, method="lin_fang_1")
    arm.inverse_dynamics(q, q, q, friction=False)
    arm.pose(q, 2)
    assert not any(is_fastcall(x) for x in vars(arm).values())
    assert not np.array_equal(arm.pose(q, 2), arm.pose(q))
    assert is_fastcall(arm.pose)


def test_the_old_name_of_the_setting_is_read_with_one_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _fastcall._warn_of_old_name.cache_clear()
    monkeypatch.delenv("ARMDYN_FASTCALL", raising=False)
    monkeypatch.setenv("ARMDYN_DOOR", "off")
    with pytest.warns(SettingWarning, match="ARMDYN_DOOR is now called ARMDYN_FASTCALL"):
        assert not _fastcall.fastcall_works()
    assert not _fastcall.fastcall_works()  # without another warning, which would be an error
    monkeypatch.setenv("ARMDYN_FASTCALL", "on")  # the new name comes first
    assert _fastcall.fastcall_works()
    _fastcall._warn_of_old_name.cache_clear()
