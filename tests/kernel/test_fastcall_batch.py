"""Batches by C functions: arrays of many states go straight to the loop, all else does not."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.kernel.batch import LEAST_STATES
from armdyn.kernel.call import fastcall, layout
from support.kernels import quick_call
from support.robots import random_robots
from support.says import facts

PUMA = armdyn.load("puma560")
QUANTITIES = [quantity for quantity in PUMA.quantities if quantity not in ("jacobian_derivative",)]
COUNTS = (1, 2, 7, 8, 9, 31, 600)


def batch_of(f: armdyn.Function, count: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2, 2, (count, slot.size)) for slot in f.program.inputs]


def parts(result: Any) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)


class Slow:
    """Stands for the way through Python, and remembers whether it was taken."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *_args: object, **_named: object) -> str:
        self.calls += 1
        return "slow"


def fastcall_of(f: armdyn.Function) -> tuple[Callable[..., Any], Slow]:
    slow = Slow()
    assert f.kernel is not None
    fastcall = quick_call(f.kernel, slow)
    if fastcall is None:
        pytest.skip("there are no C functions on this machine")
    return fastcall, slow


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_batches_have_the_bits_of_single_states(quantity: str) -> None:
    f = PUMA.function(quantity)
    fastcall, slow = fastcall_of(f)
    for count in COUNTS:
        states = batch_of(f, count)
        together = parts(fastcall(*states))
        for b in range(0, count, 7):
            alone = parts(fastcall(*(np.ascontiguousarray(s[b]) for s in states)))
            for whole, one in zip(together, alone, strict=True):
                assert whole.shape == (count, *one.shape)
                assert np.array_equal(whole[b], one)
    assert slow.calls == 0


def code_for_batches(x: Any) -> bool:
    """Return whether the C function of an object has the address of its function for batches."""
    words = np.frombuffer(x.fastcall_state[layout.StateItems.WORDS], np.uint64)
    return bool(words[layout.FastcallSlots.ROWS] and words[layout.FastcallSlots.BATCH])


def test_code_for_batches_is_loaded_at_the_first_batch() -> None:
    arm = armdyn.Arm(PUMA.robot)
    f, q = arm.function("gravity"), np.linspace(-1, 1, 6)
    one = arm.gravity(q)
    for call in (f, arm.gravity):
        for given in (q, q.tolist(), q.astype(np.float32), np.array([q])[0, ::-1][::-1], [q]):
            call(given)
        assert not code_for_batches(call)
        for _ in range(2):
            assert np.array_equal(call(np.array([q, q])), [one, one])
            assert code_for_batches(call)


def test_batches_without_their_code_are_computed_by_python(monkeypatch: pytest.MonkeyPatch) -> None:
    f = armdyn.Arm(PUMA.robot).function("gravity")
    one = f(np.zeros(6))

    def refuse(*_: object) -> None:
        raise OSError("no memory that can be executed")

    monkeypatch.setattr(fastcall, "common_code", refuse)
    for _ in range(2):
        assert np.array_equal(f(np.zeros((2, 6))), [one, one]) and not code_for_batches(f)
    with pytest.raises(armdyn.InputError, match=facts("`q` has nan", "(0, 0)")):
        f(np.full((2, 6), np.nan))
    monkeypatch.undo()
    assert np.array_equal(f(np.zeros((2, 6))), [one, one]) and code_for_batches(f)


@pytest.mark.parametrize("robot", random_robots(3, (1, 5)), ids=lambda robot: robot.name)
def test_random_arms_have_the_bits_of_the_gufunc(robot: armdyn.Robot) -> None:
    f = armdyn.Arm(robot).function("inverse_dynamics")
    assert f.kernel is not None
    fastcall, _ = fastcall_of(f)
    states = batch_of(f, 45)
    assert np.array_equal(fastcall(*states), f.kernel(*states))


@pytest.mark.parametrize("quantity", ["udu", "inverse_dynamics_derivatives"])
@pytest.mark.parametrize("count", [None, 1, 50])
def test_several_results_are_filled_and_returned(quantity: str, count: int | None) -> None:
    f = PUMA.function(quantity)
    fastcall, slow = fastcall_of(f)
    states = [s if count else s[0] for s in batch_of(f, count or 1)]
    expected = fastcall(*states)
    outs = tuple(np.full_like(x, 7.0) for x in expected)
    for _ in range(3):
        given = [sys.getrefcount(out) for out in outs]
        result = fastcall(*states, out=outs)
        assert all(a is b for a, b in zip(result, outs, strict=True))
        assert all(np.array_equal(a, b) for a, b in zip(outs, expected, strict=True))
        del result
        assert [sys.getrefcount(out) for out in outs] == given
    assert slow.calls == 0
    before = [out.copy() for out in outs]
    locked = outs[1].copy()
    locked.flags.writeable = False
    room = np.zeros(outs[0].size + outs[1].size - 1)
    overlapping = (
        room[: outs[0].size].reshape(outs[0].shape),
        room[-outs[1].size :].reshape(outs[1].shape),
    )
    refused: list[Any] = [
        list(outs), outs[0], outs[:1], (*outs, outs[0]), (outs[0], *outs[:-1]),
        (outs[0], locked, *outs[2:]),
        (outs[0], outs[1].astype(np.float32), *outs[2:]), (outs[0], "out", *outs[2:]),
        (outs[0], np.zeros((3, *outs[1].shape)), *outs[2:]), (*overlapping, *outs[2:]),
        (*outs[:-1], states[0]),
    ]  # fmt: skip
    for k, out in enumerate(refused, 1):
        held = [sys.getrefcount(x) for x in outs]
        assert fastcall(*states, out=out) == "slow" and slow.calls == k
        assert [sys.getrefcount(x) for x in outs] == held
    assert all(np.array_equal(a, b) for a, b in zip(outs, before, strict=True))


def test_out_is_filled_and_returned() -> None:
    f = PUMA.function("mass_matrix")
    fastcall, slow = fastcall_of(f)
    (q,) = batch_of(f, 50)
    out = np.full((50, 6, 6), np.nan)
    assert fastcall(q, out=out) is out
    assert np.array_equal(out, fastcall(q))
    assert np.array_equal(fastcall(q, out=None), out)
    assert slow.calls == 0


UNUSUAL = {
    "no states": lambda q, out: ((q[:0],), {}),
    "too many states": lambda q, out: ((np.zeros((2 * LEAST_STATES, 6)),), {}),
    "three axes": lambda q, out: ((q[None],), {}),
    "another length": lambda q, out: ((np.ascontiguousarray(q[:, :5]),), {}),
    "negative strides": lambda q, out: ((q[::-1],), {}),
    "not aligned": lambda q, out: ((misaligned(q),), {}),
    "single precision": lambda q, out: ((q.astype(np.float32),), {}),
    "other bytes": lambda q, out: ((q.astype(">f8"),), {}),
    "a list": lambda q, out: ((q.tolist(),), {}),
    "masked": lambda q, out: ((np.ma.masked_array(q),), {}),
    "not a number": lambda q, out: ((np.where(q == q[9, 3], np.nan, q),), {}),
    "infinite": lambda q, out: ((np.where(q == q[49, 5], np.inf, q),), {}),
    "out too short": lambda q, out: ((q,), {"out": out[:-1]}),
    "out too long": lambda q, out: ((q[:-1],), {"out": out}),
    "out of one state": lambda q, out: ((q,), {"out": out[0]}),
    "out of another shape": lambda q, out: ((q,), {"out": np.zeros((50, 6, 5))}),
    "out scattered": lambda q, out: ((q,), {"out": np.zeros((50, 6, 12))[:, :, ::2]}),
    "threads": lambda q, out: ((q,), {"threads": 1}),
}


def misaligned(q: np.ndarray) -> np.ndarray:
    return np.frombuffer(b"x" + q.tobytes(), dtype=np.uint8)[1:].view(float).reshape(q.shape)


@pytest.mark.parametrize("case", UNUSUAL)
def test_the_unusual_goes_the_slow_way(case: str) -> None:
    f = PUMA.function("mass_matrix")
    fastcall, slow = fastcall_of(f)
    args, named = UNUSUAL[case](batch_of(f, 50)[0], np.zeros((50, 6, 6)))
    assert fastcall(*args, **named) == "slow" and slow.calls == 1


def test_out_that_is_read_only_or_shares_memory_goes_the_slow_way() -> None:
    f = PUMA.function("gravity")
    fastcall, slow = fastcall_of(f)
    (q,) = batch_of(f, 30)
    locked = np.zeros((30, 6))
    locked.flags.writeable = False
    room = np.zeros(31 * 6)
    near, shifted = room[: 30 * 6].reshape(30, 6), room[6:].reshape(30, 6)
    near[:] = q
    for states, out in ((q, locked), (q, q), (near, shifted)):
        assert fastcall(states, out=out) == "slow"
    assert slow.calls == 3


def test_batches_of_different_lengths_go_the_slow_way() -> None:
    f = PUMA.function("bias")
    fastcall, slow = fastcall_of(f)
    q, qd = batch_of(f, 20)
    assert fastcall(q, qd[:19]) == fastcall(q[:19], qd) == "slow"
    assert fastcall(q[:0], qd) == fastcall(q, qd[:0]) == fastcall(q[:0], qd[0]) == "slow"
    assert fastcall(q[0, ::-1], qd[0]) == fastcall(np.repeat(q[0], 2)[::2], qd[0]) == "slow"
    assert slow.calls == 7


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "columns first": np.asfortranarray,
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every second number": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "part of a table": lambda x: np.hstack([x, x])[:, 1 : 1 + x.shape[1]],
    "one row for all": lambda x: x[:1],
    "one state for all": lambda x: x[0],
    "scattered, for all": lambda x: np.repeat(x[0], 3)[::3],
    "the same row": lambda x: np.broadcast_to(x[0], x.shape),
    "dense": lambda x: x,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("robot", ["planar2", "puma560", "panda"])
def test_batches_of_every_layout_have_the_bits_of_dense_ones(robot: str, dtype: Any) -> None:
    """Odd and even numbers of columns; blocks that are full, and what is left of them."""
    f = armdyn.load(robot, dtype=dtype).function("inverse_dynamics")
    fastcall, slow = fastcall_of(f)
    for count in (2, 7, 8, 17, 64, 333, 2000):
        dense = [x.astype(dtype) for x in batch_of(f, count)]
        for names in itertools.product(LAYOUTS, repeat=2):
            states = [LAYOUTS[name](x) for name, x in zip((*names, "dense"), dense, strict=True)]
            full = [np.broadcast_to(x, dense[0].shape).copy() for x in states]
            expected = fastcall(*full)
            assert np.array_equal(fastcall(*states), expected), (count, names)
            out = np.full_like(expected, 7.0)
            assert fastcall(*states, out=out) is out and np.array_equal(out, expected)
    assert slow.calls == 0


def test_scattered_states_are_checked_and_kept_apart_from_out() -> None:
    f = PUMA.function("bias")
    fastcall, slow = fastcall_of(f)
    q, qd = (np.asfortranarray(x) for x in batch_of(f, 500))
    for states, k in (((q, qd), (499, 5)), ((q, qd[3].copy()), (2,)), ((q, qd[:1].copy()), (0, 0))):
        bad = states[1].copy(order="K")
        bad[k] = np.nan
        assert fastcall(states[0], bad) == "slow"
    assert slow.calls == 3
    room = np.zeros((500, 12))
    room[:, :6] = q
    assert fastcall(room[:, :6], qd, out=room.reshape(-1)[:3000].reshape(500, 6)) == "slow"
    assert fastcall(room[:250, :6], qd[:250], out=room[250:].reshape(-1, 6)[:250]) is not None
    assert slow.calls == 4


def test_results_that_are_not_finite_are_named() -> None:
    point = armdyn.Joint(b=1.0, mass=1.0, com=(-1.0, 0.0, 0.0))
    arm = armdyn.Arm(armdyn.Robot([armdyn.Joint(), point], name="line"))
    q = np.ones((40, 2))
    arm.forward_dynamics(q, q, q)
    q[33] = 0.0
    with pytest.raises(armdyn.NumericalError, match=facts("finite", "(33,)")):
        arm.forward_dynamics(q, 0 * q, 0 * q)


def test_bad_input_is_named_and_out_holds_nothing_wrong_for_the_other_states() -> None:
    """One state is looked at before it is computed, a batch while it is."""
    arm = armdyn.Arm(PUMA.robot)
    f = arm.function("bias")
    q, qd = batch_of(f, 400)
    expected = arm.bias(q, qd)
    qd[250, 5] = np.nan
    for call in (arm.bias, f):
        out = np.full((400, 6), 7.0)
        with pytest.raises(armdyn.InputError, match=facts("`qd`", "nan", "(250, 5)")):
            call(q, qd, out=out)
        others = np.delete(np.arange(400), 250)
        right = (out == expected).all(axis=1) | (out == 7.0).all(axis=1)
        assert right[others].all() and (out[-1] == 7.0).all()
        one = np.full(6, 7.0)
        with pytest.raises(armdyn.InputError, match=facts("`qd`", "nan", "(5,)")):
            call(q[250], qd[250], out=one)
        assert (one == 7.0).all()


def test_references_are_given_back() -> None:
    f = PUMA.function("udu")
    fastcall, _ = fastcall_of(f)
    states = batch_of(f, 40)
    room = PUMA.function("mass_matrix")
    inner, _ = fastcall_of(room)
    out = np.zeros((40, 6, 6))
    counted = states[0], out
    before = [sys.getrefcount(x) for x in counted]
    for _ in range(100):
        fastcall(*states)
        inner(*states, out=out)
    gc.collect()
    assert [sys.getrefcount(x) for x in counted] == before


def test_threads_of_python_share_a_fastcall() -> None:
    f = PUMA.function("inverse_dynamics")
    fastcall, _ = fastcall_of(f)
    states = [batch_of(f, 3000, seed) for seed in range(4)]
    expected = [fastcall(*given) for given in states]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(30):
            if not np.array_equal(fastcall(*states[k]), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_threads_run_while_a_batch_is_computed() -> None:
    """The fastcall lets go of Python's lock: a large batch finishes while this thread counts."""
    f = armdyn.Arm(armdyn.generic(30)).function("inverse_dynamics")
    fastcall, _ = fastcall_of(f)
    states = batch_of(f, 2 * LEAST_STATES - 1)
    done = threading.Event()

    def work() -> None:
        for _ in range(3):
            fastcall(*states)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    counted = 0
    while not done.is_set():
        time.sleep(0)  # lets go of the lock, and waits for it
        counted += 1
    thread.join()
    assert counted > 100  # with the lock held it would be a few times between calls
