"""Rolled programs: machine code equals the sweeps, in the same bits alone and in any batch."""

from __future__ import annotations

import ctypes
import pickle
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from armdyn.kernel import kernel as _cached_kernel
from armdyn.kernel.element import LINK
from armdyn.kernel.jit import library_functions
from armdyn.kernel.kernel import Kernel, cached_kernel, compile_program
from armdyn.kernel.rolled import emit as _body
from armdyn.kernel.rolled import emit as _emit
from armdyn.kernel.targets.target import Target
from support.kernels import TARGETS, as_tuple, target_name, width_of
from support.rolled import all_places, evaluate_rolled, in_plain_loops, states, swaps, vectors_only

SIZES = (1, 2, 7, 8, 9, 40)
# Scratch memory of this many joints is not on the stack, neither of a block nor of one state.
MANY = 2000

# Units of the last place by which fused operations may differ from others, after many of them.
FEW = 8


def _ulps(got: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference in units of the last place of the largest entry."""
    return float(np.abs(got - expected).max() / np.spacing(np.abs(expected).max()))


def _equal(got: object, expected: object) -> bool:
    pairs = zip(as_tuple(got), as_tuple(expected), strict=True)
    return all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)


@pytest.mark.parametrize("n", SIZES)
def test_evaluation_equals_plain_loops(n: int) -> None:
    rolled = all_places(n)
    q, u = states(n, 5)
    results = evaluate_rolled(rolled, q, u)
    for i in range(5):
        alone = evaluate_rolled(rolled, q[i], u[i])
        expected = in_plain_loops(rolled, q[i], u[i])
        for all_, one, want in zip(results, alone, expected, strict=True):
            np.testing.assert_allclose(all_[i], want, rtol=1e-14, atol=1e-14)
            np.testing.assert_allclose(one, want, rtol=1e-14, atol=1e-14)


def test_evaluation_takes_any_leading_axes() -> None:
    q, u = states(3, 2200)
    flat = evaluate_rolled(all_places(3), q, u)
    shaped = evaluate_rolled(all_places(3), q.reshape(2, 1100, 3), u.reshape(2, 1100, 3))
    for a, b in zip(flat, shaped, strict=True):
        assert np.array_equal(a.reshape(b.shape), b)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("n", SIZES)
def test_kernel_equals_evaluation(n: int, machine: Target) -> None:
    rolled = all_places(n)
    given = states(n, 2 * width_of(machine) + 3)
    got = as_tuple(compile_program(rolled, target=machine)(*given))
    for a, b in zip(got, evaluate_rolled(rolled, *given), strict=True):
        assert a.shape == b.shape
        assert _ulps(a, b) <= FEW
    _, M, U = got
    assert np.array_equal(M, np.swapaxes(M, 1, 2))
    assert np.array_equal(U, np.triu(U))


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_what_a_step_overwrites_is_read_before(machine: Target) -> None:
    n = 9
    x, _ = states(n, 2 * width_of(machine) + 1)
    kernel = compile_program(swaps(n), target=machine)
    y, M = as_tuple(kernel(x))
    assert np.array_equal(y, np.zeros_like(x))
    # kept are now (2 x_i, x_i); column k has been exchanged k - i times before entry (i, k)
    for i in range(n):
        for k in range(i, n):
            held = x[:, k] if (k - i) % 2 == 0 else 1.0 + x[:, k]
            np.testing.assert_allclose(M[:, i, k], held - 6.0 * x[:, i], rtol=1e-14, atol=1e-14)
    assert _equal(kernel(x[1]), (y[1], M[1]))
    for got, want in zip((y, M), evaluate_rolled(swaps(n), x), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("n", (2, 9, 40))
def test_bits_do_not_depend_on_batch_or_position(n: int, machine: Target) -> None:
    kernel = compile_program(all_places(n), target=machine)
    q, u = states(n, 60)
    each = [kernel(a, b) for a, b in zip(q, u, strict=True)]
    alone = [np.array(x) for x in zip(*each, strict=True)]
    width = kernel.width
    for count in (0, 1, width - 1, width, width + 1, 3 * width - 1, 57):
        for start in (0, 1, 3):
            part = slice(start, start + count)
            assert _equal(kernel(q[part], u[part]), tuple(x[part] for x in alone)), count


def test_bits_do_not_depend_on_the_size_of_a_large_batch() -> None:
    kernel = compile_program(vectors_only(9))
    q, u = states(9, 1000)
    whole = np.asarray(kernel(q, u))
    for i in (0, 7, 8, 500, 999):
        assert np.array_equal(kernel(q[i], u[i]), whole[i])


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("n", (*SIZES, 12, 17))
def test_nothing_outside_the_arrays_is_touched(n: int, machine: Target) -> None:
    kernel = compile_program(all_places(n), target=machine)
    for count in (1, 2 * kernel.width + 1):
        given = states(n, count)
        framed = [np.full((count + 2, *s.shape), -7.0) for s in kernel.program.outputs]
        kernel(*given, out=tuple(x[1:-1] for x in framed))
        assert _equal(tuple(x[1:-1] for x in framed), kernel(*given))
        assert all((x[0] == -7.0).all() and (x[-1] == -7.0).all() for x in framed)


def test_strided_and_shared_arrays_are_taken() -> None:
    kernel = compile_program(all_places(9))
    q, u = states(9, 21)
    expected = kernel(q, u)
    wide = np.zeros((42, 18))
    wide[::2, ::2] = q
    assert _equal(kernel(wide[::2, ::2], np.asfortranarray(u)), expected)
    one = kernel(q, u[3])
    assert _equal(one, kernel(q, np.tile(u[3], (21, 1))))
    backward = np.empty((21, 9, 9))[::-1].transpose(0, 2, 1)
    kernel(q, u, out=(np.empty((21, 9)), backward, np.empty((21, 9, 9))))
    assert np.array_equal(backward, as_tuple(expected)[1])


def test_an_input_may_be_the_output() -> None:
    kernel = compile_program(vectors_only(9))
    q, u = states(9, 21)
    expected = kernel(q, u)
    assert kernel(q, u, out=u) is u
    assert np.array_equal(u, expected)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_large_angles_and_what_is_no_number_leave_other_states_alone(machine: Target) -> None:
    kernel = compile_program(all_places(9), target=machine)
    q, u = states(9, 3 * width_of(machine))
    calm = as_tuple(kernel(q, u))
    q[1, 4], q[width_of(machine), 0], q[width_of(machine) + 1, 8] = 2e5, np.nan, -1e17
    with np.errstate(invalid="ignore"):
        got = as_tuple(kernel(q, u))
        odd = [1, width_of(machine), width_of(machine) + 1]
        for i in range(len(q)):
            same = tuple(x[i] for x in (got if i in odd else calm))
            assert _equal(tuple(x[i] for x in got), same)
            assert _equal(kernel(q[i], u[i]), same)
    for i, tolerance in ((odd[0], 1e-10), (odd[2], None)):
        y, M, U = in_plain_loops(all_places(9), q[i], u[i])
        np.testing.assert_allclose(got[0][i], y, rtol=1e-13)
        if tolerance is not None:  # the columns multiply an angle, which loses its last digits
            np.testing.assert_allclose(got[1][i], M, rtol=tolerance, atol=tolerance)
            np.testing.assert_allclose(got[2][i], U, rtol=tolerance, atol=tolerance)
    assert np.isnan(got[1][odd[1], 0, 0])


def test_finite_states_raise_no_floating_point_error() -> None:
    """Columns behind the last compute nothing that the last does not."""
    for n in (1, 9, 40):
        kernel = compile_program(all_places(n))
        given = states(n, kernel.width + 3)
        with np.errstate(divide="raise", invalid="raise", over="raise"):
            kernel(*given)
            kernel(*(x[0] for x in given))


def test_nothing_is_computed_from_memory_that_was_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The memory is full of what raises an error when it is computed with."""
    for module in (_body, _emit):
        monkeypatch.setattr(module, "MOST_ON_STACK", 0)
    signalling = struct.pack("=Q", 0x7FF4_0000_0000_0000)
    held: list[object] = []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
    def malloc(size: int) -> int:
        held.append(ctypes.create_string_buffer(signalling * (size // 8 + 1)))
        return ctypes.addressof(held[-1])  # type: ignore[arg-type]

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def free(_: int) -> None:
        held.pop()

    for n in (3, 9, 13):
        kernel = compile_program(all_places(n))
        given = states(n, kernel.width + 3)
        expected = kernel(*given)
        sine, cosine, *_ = library_functions()
        _link(
            kernel, sine, cosine, *(ctypes.cast(f, ctypes.c_void_p).value for f in (malloc, free))
        )
        with np.errstate(invalid="raise"):
            assert _equal(kernel(*given), expected)
            one = kernel(*(x[0] for x in given))
        assert _equal(one, tuple(x[0] for x in as_tuple(expected)))
        assert not held


def _link(kernel: Kernel, *addresses: int | None) -> None:
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(kernel._code.address(LINK))(*addresses)


def _many() -> Kernel:
    return compile_program(vectors_only(MANY))


def test_many_joints_work_from_memory_that_is_allocated() -> None:
    kernel = _many()
    given = states(MANY, 2 * kernel.width + 1)
    got = np.asarray(kernel(*given))
    (expected,) = evaluate_rolled(kernel.program, *given)  # type: ignore[arg-type]
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    assert np.array_equal(kernel(*(x[2] for x in given)), got[2])
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(kernel, *given) for _ in range(8)]
    assert all(np.array_equal(job.result(), got) for job in jobs)


def test_results_are_no_numbers_where_there_is_no_memory() -> None:
    kernel = _many()
    given = states(MANY, kernel.width + 1)

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
    def none(size: int) -> None:
        return None

    sine, cosine, malloc, free = library_functions()
    _link(kernel, sine, cosine, ctypes.cast(none, ctypes.c_void_p).value, free)
    assert np.isnan(kernel(*given)).all()
    assert np.isnan(kernel(*(x[0] for x in given))).all()
    _link(kernel, sine, cosine, malloc, free)
    assert np.isfinite(kernel(*given)).all()


def test_matrices_of_many_joints() -> None:
    rolled = all_places(70)
    given = states(70, 11)
    got = as_tuple(compile_program(rolled)(*given))
    for a, b in zip(got, evaluate_rolled(rolled, *given), strict=True):
        assert _ulps(a, b) <= FEW


def test_pickled_kernels_compute_the_same() -> None:
    kernel = compile_program(all_places(9))
    given = states(9, 12)
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy.program == kernel.program
    assert _equal(copy(*given), kernel(*given))


def test_kept_kernels_are_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMDYN_CACHE", str(tmp_path / "cache"))
    given = states(9, 12)
    expected = cached_kernel(all_places(9))(*given)

    def refuse(*_: object) -> bytes:
        raise AssertionError("compiled although it is kept")

    monkeypatch.setattr(_cached_kernel, "object_code", refuse)
    assert _equal(cached_kernel(all_places(9))(*given), expected)
    with pytest.raises(AssertionError, match="although"):
        cached_kernel(all_places(8))
