"""Functions have a C function of their own, which Python calls; all else is as in any class."""

from __future__ import annotations

import copy
import functools
import gc
import pickle
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.arm.function import Function
from armdyn.kernel.call import layout
from armdyn.kernel.call.fastcall import FastcallState, fastcall_works
from armdyn.kernel.call.layout import number_at
from armdyn.kernel.call.vectorcall import HAVE_VECTORCALL, Vectorcallable, set_function
from support.frames import frames_of

pytestmark = pytest.mark.skipif(not fastcall_works(), reason="no fastcalls on this machine")

PUMA = armdyn.load("puma560")
Q = np.linspace(0.1, 0.6, 6)
STATES = np.tile(Q, (512, 1))
FAKE = np.full(6, 42.0)


def new(quantity: str = "gravity", cls: type[Function] = Function) -> Function:
    f = PUMA.function(quantity)
    return cls(f.program, f.method, f.robot)


def warm(f: Function) -> Function:
    f(Q)
    return f


def has_c_function(f: Function) -> bool:
    return bool(type(f).__flags__ & HAVE_VECTORCALL and number_at(f, layout.VECTORCALL))


def test_python_calls_the_c_function() -> None:
    f = new()
    assert not has_c_function(f)
    expected = f(Q)
    assert has_c_function(f)
    for call in (
        lambda: f(Q), lambda: f(Q, out=None), lambda: f(*[Q]), functools.partial(f, Q),
        lambda: next(map(f, [Q])),
    ):  # fmt: skip
        assert np.array_equal(call(), expected)
        assert all(name == "<lambda>" for name in frames_of(call))


def test_all_else_is_left_to_the_method() -> None:
    f, expected = warm(new()), new()(Q)
    out = np.zeros(6)
    assert np.array_equal(Function.__call__(f, Q), expected)
    assert np.array_equal(f.__call__(Q), expected)
    assert np.array_equal(f(Q.tolist()), expected)
    assert np.array_equal(f(Q, threads=1, out=out), expected) and np.array_equal(out, expected)
    assert np.array_equal(f(Q, threads=None), expected)
    assert "_unusual" in frames_of(lambda: f(Q.tolist()))
    assert "__call__" not in frames_of(lambda: f(Q.tolist()))  # the C function takes arrays of them
    assert "__call__" in frames_of(lambda: f(Q, threads=1))
    with pytest.raises(TypeError, match=r"__call__\(\) got an unexpected keyword argument 'speed'"):
        f(Q, speed=1)  # type: ignore[call-arg]
    with pytest.raises(armdyn.InputError, match="takes 1 arrays"):
        f(*[Q] * 300)


def test_a_subclass_has_it_too_until_it_defines_its_own() -> None:
    class Plain(Function):
        pass

    class Doubled(Function):
        def __call__(self, *states: Any, **options: Any) -> Any:
            return 2.0 * super().__call__(*states, **options)

    class Late(Plain):
        def __call__(self, *_: Any, **__: Any) -> Any:
            return FAKE

    expected = new()(Q)
    plain, doubled = new(cls=Plain), new(cls=Doubled)
    for _ in range(3):
        assert np.array_equal(plain(Q), expected)
        assert np.array_equal(doubled(Q), 2.0 * np.asarray(expected))
        assert np.array_equal(new(cls=Late)(Q), FAKE)
    assert has_c_function(plain) and not has_c_function(doubled)
    Plain.__call__ = lambda *_, **__: FAKE  # type: ignore[method-assign]
    assert np.array_equal(plain(Q), FAKE) and np.array_equal(plain(Q), FAKE)
    del Plain.__call__
    for _ in range(3):
        assert np.array_equal(plain(Q), expected)
    assert has_c_function(plain)
    plain.__class__ = Doubled  # type: ignore[assignment]
    for _ in range(3):
        assert np.array_equal(plain(Q), 2.0 * np.asarray(expected))


def test_calls_are_quick_again_after_a_change_of_the_class() -> None:
    f = warm(new())
    state, expected = f.fastcall_state, f(Q)
    for k in range(5):
        Function.some_attribute = k  # type: ignore[attr-defined]
        assert np.array_equal(f(Q), expected)
        assert frames_of(lambda: f(Q)) == ["<lambda>"]
        assert f.fastcall_state is state  # changes take no memory
    del Function.some_attribute  # type: ignore[attr-defined]


def test_calls_are_quick_again_after_a_patch() -> None:
    f, g = warm(new()), warm(new())
    expected = f(Q)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Function, "__call__", lambda *_, **__: FAKE)
        assert np.array_equal(f(Q), FAKE)
    for h in (f, g):  # one was called meanwhile
        for _ in range(3):
            assert np.array_equal(h(Q), expected)
        assert frames_of(lambda h=h: h(Q)) == ["<lambda>"]


def test_a_function_that_is_initialised_again_computes_the_new_program() -> None:
    f, other = warm(new()), PUMA.function("mass_matrix")
    f.__init__(other.program, other.method, other.robot)  # type: ignore[misc]
    for _ in range(3):
        assert np.array_equal(f(Q), other(Q))
    assert has_c_function(f)


def test_functions_are_freed_at_once_and_in_cycles() -> None:
    f = warm(new())
    there, kernel = weakref.ref(f), f.kernel
    del f
    assert there() is None  # no cycle holds it
    f = warm(new())
    f.me, kernel = f, f.kernel  # type: ignore[attr-defined]
    there = weakref.ref(f)
    del f
    gc.collect()
    assert there() is None
    states = [x for x in gc.get_objects() if isinstance(x, FastcallState)]
    assert all(x[-1].keep is not kernel for x in states)


def test_a_function_can_be_called_while_its_cycle_is_collected() -> None:
    results: list[Any] = []

    class Last:
        def __init__(self, f: Function) -> None:
            self.f = f

        def __del__(self) -> None:
            results.append(self.f(Q))

    f = warm(new())
    expected = f(Q)
    f.last = Last(f)  # type: ignore[attr-defined]
    del f
    gc.collect()
    assert len(results) == 1 and np.array_equal(results[0], expected)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_copies_have_no_c_function_until_they_are_called(protocol: int) -> None:
    f = warm(new())
    for g in (pickle.loads(pickle.dumps(f, protocol)), copy.copy(f), copy.deepcopy(f)):
        assert type(g) is Function and not has_c_function(g) and not hasattr(g, "fastcall_state")
        assert np.array_equal(g(Q), f(Q)) and has_c_function(g)


def test_a_class_may_change_while_threads_call() -> None:
    f = warm(new("mass_matrix"))
    expected = f(STATES)
    wrong: list[int] = []
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            if not np.array_equal(f(STATES), expected) or not np.array_equal(f(Q), expected[0]):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for k in range(300):
        Function.some_attribute = k  # type: ignore[attr-defined]
        f.__init__(f.program, f.method, f.robot)  # type: ignore[misc]
        f(Q)
    stop.set()
    for thread in threads:
        thread.join()
    del Function.some_attribute  # type: ignore[attr-defined]
    assert not wrong


def test_a_null_pointer_means_the_method() -> None:
    class Named(Vectorcallable):
        def __call__(self, x: int) -> str:
            return f"called with {x}"

    named = Named()
    assert named(1) == "called with 1"
    set_function(named, 0)
    assert Named.__flags__ & HAVE_VECTORCALL and named(2) == "called with 2"
    assert not hasattr(named, "fastcall_state")


@pytest.mark.parametrize("lead", [(0,), (2, 0)])
def test_a_state_for_an_empty_batch_is_looked_at(lead: tuple[int, ...]) -> None:
    arm = armdyn.load("puma560")
    arm.bias(np.zeros(6), np.zeros(6))  # the next calls are those of the C function
    empty, bad = np.zeros((*lead, 6)), np.array([0.0, 0.0, -np.inf, 0.0, 0.0, 0.0])
    assert arm.bias(np.zeros(6), empty).shape == empty.shape
    for q in (bad, bad[None], bad.tolist()):
        with pytest.raises(armdyn.InputError, match="inf"):
            arm.bias(q, empty)
