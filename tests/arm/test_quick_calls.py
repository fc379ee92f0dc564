"""Warm calls make no Python frame, and objects stay what they are: patches and subclasses win."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import weakref
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any
from unittest import mock

import numpy as np
import pytest

import armdyn
from armdyn.arm.arm import Arm
from armdyn.arm.function import Function
from armdyn.arm.install_fastcall import Method
from armdyn.kernel.call.fastcall import fastcall_works
from armdyn.kernel.call.vectorcall import has_function
from support.frames import frames_of
from support.says import says

Q = np.linspace(0.1, 0.6, 6)
FAKE = np.full(6, 42.0)

quick = pytest.mark.skipif(not fastcall_works(), reason="no fastcalls on this machine")


def fake(*_: object, **__: object) -> np.ndarray:
    return FAKE


@pytest.fixture
def arm() -> Arm:
    return armdyn.load("puma560")


@pytest.fixture(params=["cold", "warm"])
def either(request: pytest.FixtureRequest) -> Iterator[Arm]:
    """An arm before and after its first call."""
    arm = armdyn.load("puma560")
    if request.param == "warm":
        warm_up(arm.gravity)
        warm_up(arm.function("gravity"))
    yield arm
    expected = armdyn.load("puma560").gravity(Q)  # afterwards all is as before
    for _ in range(3):
        assert np.array_equal(arm.gravity(Q), expected)
        assert np.array_equal(arm.function("gravity")(Q), expected)


def warm_up(call: Callable[..., Any]) -> None:
    for _ in range(2):
        call(Q)


def is_gravity(result: object) -> bool:
    return not np.array_equal(np.asarray(result), FAKE)


@quick
def test_a_warm_call_makes_no_python_frame(arm: Arm) -> None:
    f = arm.function("mass_matrix")
    assert frames_of(lambda: arm.gravity(Q)) != ["<lambda>"]
    warm_up(arm.gravity)
    warm_up(f)
    assert frames_of(lambda: arm.gravity(Q)) == ["<lambda>"]
    assert frames_of(lambda: f(Q)) == ["<lambda>"]
    assert frames_of(lambda: f(Q, out=None)) == ["<lambda>"]


@quick
def test_the_method_is_left_in_the_instance(arm: Arm) -> None:
    assert "gravity" not in vars(arm)
    warm_up(arm.gravity)
    assert type(vars(arm)["gravity"]) is Method and arm.gravity is vars(arm)["gravity"]
    assert inspect.isfunction(Arm.gravity)


@quick
def test_a_method_taken_before_the_first_call_becomes_quick(arm: Arm) -> None:
    early = arm.gravity
    assert frames_of(lambda: early(Q)) != ["<lambda>"]
    assert frames_of(lambda: early(Q)) == ["<lambda>"]
    assert early is arm.gravity and np.array_equal(early(Q), arm.gravity(Q))


@quick
def test_a_method_taken_before_a_patch_becomes_quick_again(arm: Arm) -> None:
    early = arm.gravity
    warm_up(early)
    with mock.patch.object(Arm, "gravity", return_value=FAKE):
        assert not is_gravity(arm.gravity(Q))
        assert arm.gravity.call_count == 1  # type: ignore[attr-defined]
        assert is_gravity(early(Q))  # a bound method keeps its function
    warm_up(early)
    assert early is arm.gravity and frames_of(lambda: early(Q)) == ["<lambda>"]


def test_a_method_looks_like_a_bound_method(arm: Arm) -> None:
    early, plain = arm.gravity, MethodType(Arm.gravity, arm)
    for _ in range(3):
        assert inspect.signature(early) == inspect.signature(plain)
        assert inspect.getdoc(early) == inspect.getdoc(plain) and inspect.isroutine(early)
        assert early.__name__ == "gravity" and early.__self__ is arm
        assert early.__func__ is Arm.gravity and repr(early) == repr(plain)
        assert "gravity(q: " in pydoc.plain(pydoc.render_doc(early))
        assert pickle.loads(pickle.dumps(early)).__self__.name == arm.name
        assert copy.copy(early) is early and copy.deepcopy(early).__self__ is not arm
        early(Q)
    assert "gravity(self, q: " in pydoc.plain(pydoc.render_doc(Arm))


@pytest.mark.parametrize(
    "remake", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_keep_what_was_assigned_to_the_instance(either: Arm, remake: Any) -> None:
    either.gravity = fake  # type: ignore[method-assign]
    either.bias = either.mass_matrix  # type: ignore[method-assign,assignment]
    again = remake(either)
    assert not is_gravity(again.gravity(Q)) and again.gravity is fake
    assert again.bias(Q).shape == (6, 6)
    assert np.array_equal(again.mass_matrix(Q), either.mass_matrix(Q))
    del either.gravity, either.bias


def test_a_function_keeps_its_type(arm: Arm) -> None:
    f = arm.function("gravity")
    for _ in range(3):
        assert type(f) is Function and f.__class__ is Function
        f(Q)
    assert weakref.ref(f)() is f
    assert [type(x) for x in (copy.copy(f), pickle.loads(pickle.dumps(f)))] == [Function] * 2


def test_a_patch_of_the_class_wins(either: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Arm, "gravity", fake)
        for _ in range(3):
            assert not is_gravity(either.gravity(Q))
        assert is_gravity(either.function("gravity")(Q))
    for _ in range(3):
        assert is_gravity(either.gravity(Q))


def test_a_mock_of_the_class_sees_every_call(either: Arm) -> None:
    original = Arm.gravity
    with mock.patch.object(Arm, "gravity", autospec=True, side_effect=original) as spy:
        for _ in range(3):
            assert is_gravity(either.gravity(Q))
    assert spy.call_count == 3 and is_gravity(either.gravity(Q))


def test_a_patch_of_the_instance_wins(either: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(either, "gravity", fake)
        assert not is_gravity(either.gravity(Q)) and not is_gravity(either.gravity(Q))
    with mock.patch.object(either, "gravity", return_value=FAKE):
        assert not is_gravity(either.gravity(Q))
    assert is_gravity(either.gravity(Q))
    either.gravity = fake  # type: ignore[method-assign]
    assert not is_gravity(either.gravity(Q))
    del either.gravity
    assert is_gravity(either.gravity(Q))


def test_a_patch_of_what_methods_call_wins(either: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Arm, "function", lambda *_, **__: mock.Mock(return_value=FAKE))
        assert not is_gravity(either.gravity(Q))


def test_a_subclass_wins() -> None:
    class Heavy(Arm):
        def gravity(self, q: Any, **options: Any) -> np.ndarray:
            return 2.0 * super().gravity(q, **options)

    class Patched(Arm):
        pass

    plain = armdyn.load("puma560")
    heavy, patched = Heavy(plain.robot), Patched(plain.robot)
    for _ in range(3):
        assert np.array_equal(heavy.gravity(Q), 2.0 * plain.gravity(Q))
        assert np.array_equal(patched.gravity(Q), plain.gravity(Q))
    Patched.gravity = fake  # type: ignore[method-assign]
    assert not is_gravity(patched.gravity(Q)) and is_gravity(plain.gravity(Q))
    del Patched.gravity
    assert is_gravity(patched.gravity(Q))
    patched.__class__ = Heavy  # type: ignore[assignment]
    assert np.array_equal(patched.gravity(Q), 2.0 * plain.gravity(Q))


@quick
def test_calls_are_quick_again_after_a_patch(arm: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up(arm.gravity)
    with monkeypatch.context() as patch:
        patch.setattr(Arm, "gravity", fake)
        arm.gravity(Q)
    warm_up(arm.gravity)
    assert frames_of(lambda: arm.gravity(Q)) == ["<lambda>"]


def test_a_patch_of_the_class_of_functions_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    f, g = (armdyn.load("puma560").function("gravity") for _ in range(2))
    warm_up(f)
    with monkeypatch.context() as patch:
        patch.setattr(Function, "__call__", fake)
        assert not is_gravity(f(Q)) and not is_gravity(g(Q))
    with mock.patch.object(Function, "__call__", return_value=FAKE):
        assert not is_gravity(f(Q)) and not is_gravity(g(Q))
    for _ in range(3):
        assert is_gravity(f(Q)) and is_gravity(g(Q))


def test_a_subclass_of_functions_wins(arm: Arm) -> None:
    class Doubled(Function):
        def __call__(self, *states: Any, **options: Any) -> Any:
            return 2.0 * super().__call__(*states, **options)

    f = arm.function("gravity")
    doubled = Doubled(f.program, f.method, f.robot)
    for _ in range(3):
        assert np.array_equal(doubled(Q), 2.0 * np.asarray(f(Q))) and type(doubled) is Doubled


def test_functions_look_the_same_before_and_after_a_call(arm: Arm) -> None:
    f = arm.function("gravity")
    looks = [inspect.signature(f), inspect.getdoc(Function.__call__), pydoc.render_doc(Function)]
    assert list(looks[0].parameters) == ["states", "out", "threads"]
    assert says(looks[1], "Evaluate")
    assert says(looks[2], "Evaluate")
    assert list(inspect.signature(Function).parameters)[:3] == ["program", "method", "robot"]
    assert callable(f) and f.__doc__ == Function.__doc__
    warm_up(f)
    assert looks == [
        inspect.signature(f), inspect.getdoc(Function.__call__), pydoc.render_doc(Function)
    ]  # fmt: skip


def test_without_fastcalls_the_same_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMDYN_FASTCALL", "off")
    arm = armdyn.load("puma560")
    f = arm.function("gravity")
    for _ in range(3):
        assert np.array_equal(arm.gravity(Q), f(Q)) and type(f) is Function
    assert not has_function(arm.gravity) and not has_function(f)
    with monkeypatch.context() as patch:
        patch.setattr(Arm, "gravity", fake)
        assert not is_gravity(arm.gravity(Q))


def like(result: object, expected: object) -> bool:
    pairs = zip(parts(result), parts(expected), strict=True)
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in pairs)


def parts(result: Any) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)


GRID = np.random.default_rng(3).uniform(-1, 1, (3, 4, 5, 6))
WHOLE = np.arange(-3, 3)
# States that are not plain, and the same as a plain array.
UNUSUAL: dict[str, tuple[Any, np.ndarray]] = {
    "list": (Q.tolist(), Q),
    "tuple": (tuple(Q.tolist()), Q),
    "whole numbers": (WHOLE.tolist(), WHOLE.astype(float)),
    "mixed": ([1, 2.5, np.float64(3.5), -4, 0, 0.0], np.array([1, 2.5, 3.5, -4, 0, 0])),
    "integers": (WHOLE, WHOLE.astype(float)),
    "short integers": (WHOLE.astype(np.int8), WHOLE.astype(float)),
    "float32": (Q.astype(np.float32), Q.astype(np.float32).astype(float)),
    "other bytes": (Q.astype(">f8"), Q),
    "scattered": (np.repeat(Q, 2)[::2], Q),
    "backwards": (np.ascontiguousarray(Q[::-1])[::-1], Q),
    "rows": (GRID[0, 0].tolist(), GRID[0, 0]),
    "tuples of lists": (tuple(GRID[0, 0].tolist()), GRID[0, 0]),
    "three axes": (GRID[0], GRID[0]),
    "four axes": (GRID, GRID),
    "axes in another order": (GRID.transpose(2, 0, 1, 3), GRID.transpose(2, 0, 1, 3).copy()),
    "columns first": (np.asfortranarray(GRID), GRID),
    "one of three axes": (GRID[:1, :1, :1], GRID[:1, :1, :1]),
}


@quick
@pytest.mark.parametrize("quantity", ["gravity", "udu"])
@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_states_are_computed_by_the_c_function(
    arm: Arm, case: str, quantity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, plain = UNUSUAL[case]
    f = arm.function(quantity)
    expected = [x.reshape(*plain.shape[:-1], *x.shape[1:]) for x in parts(f(plain.reshape(-1, 6)))]
    for call in (f, getattr(arm, quantity)):
        warm_up(call)
        assert like(call(given), tuple(expected))
        assert not {"__call__", quantity} & set(frames_of(lambda call=call: call(given)))
    monkeypatch.setenv("ARMDYN_FASTCALL", "off")
    slow = Function(f.program, f.method, f.robot)
    assert like(slow(given), tuple(expected)) and not has_function(slow)


@quick
def test_axes_that_broadcast_are_computed_by_the_c_function(arm: Arm) -> None:
    f = arm.function("bias")
    q, qd = GRID[:, :, :1], GRID[0, 0].tolist()
    full = [np.broadcast_to(x, (3, 4, 5, 6)).reshape(-1, 6) for x in (q, np.array(qd))]
    expected = f(*full).reshape(3, 4, 5, 6)
    for call in (f, arm.bias):
        call(Q, Q)
        assert like(call(q, qd), expected)
        assert not {"__call__", "bias"} & set(frames_of(lambda call=call: call(q, qd)))
        assert like(call(q, Q), f(q, np.broadcast_to(Q, q.shape).copy()))
        out = np.zeros((3, 4, 5, 6))
        assert call(q, qd, out=out) is out and like(out, expected)


WRONG: dict[str, Any] = {
    "a truth value": [True, 0.0, 0.0, 0.0, 0.0, 0.0],
    "text": ["1.0", 0.0, 0.0, 0.0, 0.0, 0.0],
    "nothing": [None, 0.0, 0.0, 0.0, 0.0, 0.0],
    "complex": [1j, 0.0, 0.0, 0.0, 0.0, 0.0],
    "unequal rows": [[0.0] * 6, [0.0] * 5],
    "numbers and rows": [0.0, [0.0] * 6],
    "rows and numbers": [[0.0] * 6, 0.0],
    "five": [0.0] * 5,
    "none": [],
    "rows of none": [[]],
    "not a number": [0.0, 0.0, float("nan"), 0.0, 0.0, 0.0],
    "too large": [10**400, 0.0, 0.0, 0.0, 0.0, 0.0],
    "an axis of five": GRID[..., :5],
    "not a number in a grid": np.where(GRID == GRID[2, 3, 4, 5], np.inf, GRID),
    "31 axes": np.zeros((1,) * 30 + (6,)),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_the_states_as_they_were_given(
    arm: Arm, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cold = armdyn.load("puma560")
    warm_up(arm.gravity)
    warm_up(arm.function("gravity"))
    monkeypatch.setenv("ARMDYN_FASTCALL", "off")
    with pytest.raises(armdyn.InputError) as expected:
        cold.gravity(WRONG[case])
    for call in (arm.gravity, arm.function("gravity")):
        with pytest.raises(armdyn.InputError) as found:
            call(WRONG[case])
        assert str(found.value) == str(expected.value)
