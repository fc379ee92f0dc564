"""Large batches: in parts and threads, and what is not finite is found while they are computed."""

from __future__ import annotations

import threading
import tracemalloc
import warnings
from time import sleep

import numpy as np
import pytest

import armdyn
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.kernel import batch as _batch
from armdyn.kernel import strided_loop as loop_module
from armdyn.kernel.batch import (
    LARGE,
    LARGE_PAGE,
    LEAST_STATES,
    all_finite,
    all_within,
    in_threads,
    new_rows,
)
from armdyn.kernel.element import BAD_INPUT, BAD_RESULT
from armdyn.kernel.kernel import Kernel, compile_program
from support.says import facts

RNG = np.random.default_rng(8)
PUMA = armdyn.load("puma560")
COUNT = 3 * LEAST_STATES + 7
Q = np.linspace(-1.0, 1.0, 6)


def parts(result: object) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)  # type: ignore[return-value]


@pytest.fixture(autouse=True)
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_batch, "PART", 2**18)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("quantity", ["mass_matrix", "inverse_dynamics", "udu", "potential_energy"])
def test_parts_and_threads_change_no_bit(quantity: str, threads: int) -> None:
    f = PUMA.function(quantity)
    given = [RNG.uniform(-1, 1, (COUNT, slot.size)) for slot in f.program.inputs]
    assert f.kernel is not None
    expected = parts(f.kernel(*given))
    cases = {
        "plain": given,
        "axes": [x[:-7].reshape(16, -1, 6) for x in given],
        "scattered": [np.repeat(x, 2, axis=1)[:, ::2] for x in given],
        "columns": [np.asfortranarray(x) for x in given],
    }
    for case, arrays in cases.items():
        for a, b in zip(parts(f(*arrays, threads=threads)), expected, strict=True):
            lead = arrays[0].shape[:-1]
            wanted = b[: a.size // (b.size // COUNT)].reshape(*lead, *b.shape[1:])
            assert np.array_equal(a, wanted), case


def test_states_that_are_shared_broadcast() -> None:
    f = PUMA.function("inverse_dynamics")
    q, qd, qdd = RNG.uniform(-1, 1, (3, COUNT, 6))
    full = np.broadcast_to(qd[5], q.shape).copy()
    expected = f(q, full, qdd)
    out = np.zeros((COUNT, 6))
    for shared in (qd[5], qd[5:6]):
        assert np.array_equal(f(q, shared, qdd), expected)
        assert f(q, shared, qdd, out=out) is out and np.array_equal(out, expected)
    grid = f(q[:300, None], qd[:200], qdd[0])
    assert grid.shape == (300, 200, 6)
    assert np.array_equal(grid[299, 3], f(q[299], qd[3], qdd[0]))
    assert f(q[:0], qd[5], qdd[:0]).shape == (0, 6)
    wide = np.zeros((COUNT, 12))
    f(q, full, qdd, out=wide[:, ::2])
    assert np.array_equal(wide[:, ::2], expected) and not wide[:, 1::2].any()
    one = np.zeros(12)
    assert np.array_equal(f(q[0], full[0], qdd[0], out=one[::2]), expected[0])


@pytest.mark.parametrize("layout", ["plain", "scattered", "shared"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_input_is_named(layout: str, value: float) -> None:
    f = PUMA.function("bias")
    q, qd = RNG.uniform(-1, 1, (2, COUNT, 6))
    qd[40_000, 3] = value
    qd[COUNT - 1, 0] = value
    index = r"\(40000, 3\)"
    if layout == "scattered":
        q, qd = (np.repeat(x, 2, axis=1)[:, ::2] for x in (q, qd))
    if layout == "shared":
        qd, index = qd[40_000], r"\(3,\)"
    out = np.full((COUNT, 6), 7.0)
    for threads in (1, 2):
        with pytest.raises(armdyn.InputError, match=rf"`qd` has {value} at index {index}"):
            f(q, qd, threads=threads)
        with pytest.raises(armdyn.InputError, match=rf"`qd` has {value} at index {index}"):
            f(q, qd, out=out, threads=threads)
        assert layout != "shared" or (out[40_000:] == 7.0).all()
    if layout == "plain":
        copy = qd.copy()
        with pytest.raises(armdyn.InputError, match=index):
            f(q, qd, out=qd, threads=2)
        assert np.array_equal(qd, copy, equal_nan=True)


@pytest.mark.parametrize("scattered", [False, True])
def test_results_that_are_not_finite_are_refused_with_the_first_state(scattered: bool) -> None:
    f = PUMA.function("forward_dynamics")
    q, qd, tau = RNG.uniform(-1, 1, (3, COUNT, 6))
    expected = f(q, qd, tau)
    qd[[20_001, 45_000]] = 1e200
    if scattered:
        q = np.asfortranarray(q)
    out = np.zeros((COUNT, 6))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for threads in (1, 2):
            with pytest.raises(armdyn.NumericalError, match=r"index \(20001,\)"):
                f(q, qd, tau, threads=threads)
            with pytest.raises(armdyn.NumericalError, match=r"index \(20001,\)"):
                f(q, qd, tau, out=out, threads=threads)
    good = np.isfinite(out).all(axis=1)
    assert not good[[20_001, 45_000]].any() and good.sum() == COUNT - 2
    assert np.array_equal(out[good], expected[good])


def _ratio() -> Kernel:
    given = trace(
        lambda x, y: [[x[0] / y[0], x[1]], [x[0]]],
        [Slot("x", (2,)), Slot("y", (1,))],
        [Slot("r", (2,)), Slot("s", (1,))],
    )
    return compile_program(given)


def test_kernel_tells_what_it_saw() -> None:
    kernel = _ratio()
    for count in (0, 1, 5, 1000):
        x, y = RNG.uniform(1, 2, (count, 2)), RNG.uniform(1, 2, (count, 1))
        r, s = np.zeros((count, 2)), np.zeros((count, 1))
        checked = kernel.checked_loop.of([x, y, r, s])
        assert checked(0, count) == 0
        assert np.array_equal(r, np.column_stack([x[:, 0] / y[:, 0], x[:, 1]]))
        assert np.array_equal(s, x[:, :1])
        for k in {0, count // 3, count - 1} if count else ():
            y[k] = 0.0
            assert checked(0, count) == BAD_RESULT
            assert checked(k + 1, count) == checked(0, k) == 0
            y[k] = np.nan
            assert checked(0, count) == BAD_INPUT
            y[k] = 1.0
        shared = kernel.checked_loop.of([x, np.array([4.0]), r, s])
        assert shared(0, count) == 0 and np.array_equal(r[:, 0], x[:, 0] / 4.0)


def test_results_are_looked_at_where_inputs_do_not_vouch_for_them() -> None:
    """A large input may have results that are not finite; division by one may, however small."""
    f = PUMA.function("bias")
    assert f.kernel is not None and f.kernel.checked_loop.safe_magnitude > 0
    q, qd = RNG.uniform(-1, 1, (2, 1000, 6))
    qd[777] = 1e15 * np.sign(qd[777])
    assert np.isfinite(f(q, qd)).all()
    qd[777] = 1e160
    with pytest.raises(armdyn.NumericalError, match=r"index \(777,\)"):
        f(q, qd)
    with pytest.raises(armdyn.NumericalError, match=r"index \(0,\)"):
        f(q, qd[777])  # one for all states is not looked at with each
    ratio = _ratio()
    assert ratio.checked_loop.safe_magnitude < 0
    assert (
        ratio.checked_loop.of(
            [np.zeros((9, 2)), np.zeros((9, 1)), np.ones((9, 2)), np.ones((9, 1))]
        )(0, 9)
        == BAD_RESULT
    )


def test_large_grids_are_made_rows_part_by_part() -> None:
    f = PUMA.function("bias")
    q, qd = RNG.uniform(-1, 1, (300, 1, 6)), RNG.uniform(-1, 1, (200, 6))
    f(q, qd, threads=1)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        grid = f(q, qd, threads=1)
        tracemalloc.reset_peak()
        f(q, qd, out=grid, threads=1)
        more = tracemalloc.get_traced_memory()[1] - before - grid.nbytes
    finally:
        tracemalloc.stop()
    assert more < grid.nbytes // 4  # less than the rows of one input
    full = [np.broadcast_to(x, (300, 200, 6)).reshape(-1, 6) for x in (q, qd)]
    assert np.array_equal(grid.reshape(-1, 6), f(*full))
    deep = grid.reshape(2, 150, 200, 6).transpose(0, 2, 1, 3)
    for turned in (q, np.asfortranarray(grid), grid[::-1], grid[:, ::-1], deep, deep.T[:6].T):
        assert np.array_equal(f(turned, Q, threads=2), f(np.ascontiguousarray(turned), Q))
    qd[150, 3] = np.nan
    with pytest.raises(armdyn.InputError, match=facts("`qd`", "nan", "(150, 3)")):
        f(q, qd)


def test_loop_that_takes_no_shared_inputs_is_given_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_module, "MOST_SCRATCH", 64)
    f = armdyn.load("stanford").function("inverse_dynamics")
    q, qd, qdd = RNG.uniform(-1, 1, (3, 1024, 6))
    assert f.kernel is not None and not f.kernel.any_strides
    full = np.broadcast_to(qd[0], qd.shape).copy()
    assert np.array_equal(f(q, qd[0], qdd), f(q, full, qdd))


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 16_384, 20_001])
def test_all_finite_finds_every_bad_number(n: int) -> None:
    x = RNG.normal(size=n) * 1e300
    assert all_finite(x)
    for k in {0, n // 2, n - 33, n - 1} & set(range(n)):
        for value in (np.nan, np.inf, -np.inf):
            bad = x.copy()
            bad[k] = value
            assert not all_finite(bad)
            assert not all_finite(np.repeat(bad, 2)[::2])
    assert all_finite(np.full(n, np.finfo(float).max)) and all_finite(np.full(n, 5e-324))


@pytest.mark.parametrize("threads", [1, 2, 9])
def test_threads_do_every_part_once(threads: int) -> None:
    for length, part in ((0, 3), (1, 3), (3, 3), (10, 3), (11, 1)):
        done: list[tuple[int, int]] = []
        in_threads(lambda i, j, done=done: done.append((i, j)), length, part, threads)
        expected = [(i, min(i + part, length)) for i in range(0, length, part)]
        assert sorted(done) == expected


@pytest.mark.parametrize("in_main", [True, False])
def test_trouble_in_any_thread_is_raised_and_ends_the_work(in_main: bool) -> None:
    main = threading.current_thread()
    both = threading.Barrier(2, timeout=30)
    done: list[int] = []

    def work(i: int, _: int) -> None:
        if i < 2:
            both.wait()  # each thread has one of the first two parts
            if (threading.current_thread() is main) is in_main:
                raise OSError("trouble")
        sleep(0.05)  # time for the other thread to fail
        done.append(i)

    with pytest.raises(OSError, match="trouble"):
        in_threads(work, 100, 1, 2)
    assert len(done) < 99


@pytest.mark.parametrize("rows", [3, 1000, LARGE // 8 - 1, LARGE // 8, LARGE // 8 + 1000])
def test_new_rows_begin_at_a_boundary(rows: int) -> None:
    array = new_rows((rows,), ())
    assert array.shape == (rows,) and array.flags.c_contiguous
    boundary = LARGE_PAGE if 8 * rows >= LARGE else 64
    assert rows < 8 or array.ctypes.data % boundary == 0
    if 8 * rows >= LARGE:  # whole large pages belong to it
        assert array.base is not None and array.base.nbytes >= array.nbytes + LARGE_PAGE


@pytest.mark.parametrize("n", [3, 5000])
def test_all_within_finds_numbers_beyond_a_bound(n: int) -> None:
    x = np.linspace(-2.0, 2.0, n)
    assert all_within(x, 2.0) and not all_within(x, 1.999)
    for bad in (np.nan, np.inf, -np.inf, -2.5):
        wrong = x.copy()
        wrong[n // 2] = bad
        assert not all_within(wrong, 2.0) and not all_within(np.repeat(wrong, 2)[::2], 2.0)
