"""Arms of single precision: float32 in and out, nothing rounded unasked."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.errors import InputError, NumericalError
from armdyn.kernel.call.fastcall import fastcall_works
from armdyn.kernel.call.vectorcall import has_function
from armdyn.motion.trajectory import checked_arm
from support.kernels import as_tuple
from support.says import facts

RNG = np.random.default_rng(23)
UR5 = armdyn.load("ur5")
SINGLE = armdyn.load("ur5", dtype=np.float32)
STATES = RNG.uniform(-2, 2, (3, 700, 6)).astype(np.float32)
Q, QD, QDD = STATES

# An arm whose functions are compiled quickly.
SHORT = armdyn.Arm(armdyn.generic(3))
SHORT_SINGLE = SHORT.astype(np.float32)
# Largest difference to double beside the largest entry of a state.
LOST = 2e-6
LOST_BY_SOLVING = 1e-4


@pytest.mark.parametrize("quantity", SHORT.quantities)
def test_every_quantity_is_close_to_double_and_the_same_alone(quantity: str) -> None:
    f, exact = SHORT_SINGLE.function(quantity), SHORT.function(quantity)
    assert f.dtype == np.float32 and exact.dtype == np.float64
    states = list(STATES[: len(f.program.inputs), :, :3])
    got = as_tuple(f(*states))
    for a, b in zip(got, as_tuple(exact(*states)), strict=True):
        assert a.dtype == np.float32 and a.shape == b.shape
        axes = tuple(range(1, b.ndim)) or None  # a single number is compared with all states'
        size = np.maximum(np.abs(b).max(axis=axes, keepdims=axes is not None), 1e-6)
        assert (np.abs(a - b) / size).max() < (LOST_BY_SOLVING if f._inverting else LOST)
    method = getattr(SHORT_SINGLE, quantity)
    for i in (0, 3, 699):
        for call in (f, method, getattr(SHORT_SINGLE, quantity)):
            for a, b in zip(as_tuple(call(*(x[i] for x in states))), got, strict=True):
                assert a.dtype == np.float32 and np.array_equal(a, b[i])


def test_threads_and_shapes_do_not_change_a_bit() -> None:
    f = SINGLE.function("inverse_dynamics")
    many = [np.tile(x, (100, 1)) for x in STATES]
    once = f(*STATES)
    for threads in (1, 3):
        assert np.array_equal(f(*many, threads=threads), np.tile(once, (100, 1)))
    assert np.array_equal(f(*(x.reshape(7, 100, 6) for x in STATES)), once.reshape(7, 100, 6))
    out = np.empty((700, 6), np.float32)
    assert f(*STATES, out=out) is out and np.array_equal(out, once)
    assert np.array_equal(f(*(x[::-1] for x in STATES)), once[::-1])


@pytest.mark.skipif(not fastcall_works(), reason="no C functions here")
def test_states_of_floats_are_called_through_c() -> None:
    arm = armdyn.load("ur5", dtype=np.float32)
    first = arm.gravity(Q[0])
    assert has_function(arm.gravity)
    assert np.array_equal(arm.gravity(Q[0]), first) and arm.gravity(Q[0]).dtype == np.float32
    assert np.array_equal(arm.gravity(Q[:40])[0], first)
    with pytest.raises(InputError, match="array of float64"):
        arm.gravity(Q[0].astype(float))  # left to the method
    bad = Q[:40].copy()
    bad[17, 2] = np.nan
    with pytest.raises(InputError, match=facts("`q`", "nan", "(17, 2)")):
        arm.gravity(bad)
    out = np.zeros(6, np.float32)
    assert arm.gravity(Q[0], out=out) is out and np.array_equal(out, first)
    # both types of numbers have C functions in one process
    assert UR5.gravity(Q[0].astype(float)).dtype == np.float64


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "float64": (
        lambda: SINGLE.gravity(Q[0].astype(float)),
        r"`q` is an array of float64, but the arm computes in float32\. If `q` shall be rounded, "
        r"give `q\.astype\(np\.float32\)`; to compute in double, load the arm with "
        r"`dtype=np\.float64`\.",
    ),
    "mixed": (
        lambda: SINGLE.inverse_dynamics(Q, QD.astype(float), QDD),
        r"`qd` is an array of float64",
    ),
    "integers": (lambda: SINGLE.gravity(np.arange(6)), "`q` is an array of int64"),
    "arrays in a list": (
        lambda: SINGLE.gravity([Q[0], Q[1].astype(float)]), "`q` is an array of float64",
    ),
    "base": (
        lambda: SINGLE.bias(Q, QD, base_acceleration=np.zeros(3)),
        "`base_acceleration` is an array of float64",
    ),
    "too large": (
        lambda: SINGLE.gravity([1e39, 0, 0, 0, 0, 0]),
        r"`q` has 1e\+39, beyond the largest float32 number",
    ),
    "out": (
        lambda: SINGLE.gravity(Q[0], out=np.zeros(6)),
        r"`out` is float64 of shape \(6,\), expected a float32 array of shape \(6,\)",
    ),
    "out of double": (
        lambda: UR5.gravity(Q[0], out=np.zeros(6, np.float32)),
        r"`out` is float32 of shape \(6,\), expected a float64 array",
    ),
    "half": (lambda: armdyn.load("ur5", dtype="f2"), "`dtype` is 'f2', expected numpy.float64 or"),
    "none": (lambda: armdyn.Arm(UR5.robot, dtype=None), "`dtype` is None"),  # type: ignore[arg-type]
    "swapped": (lambda: UR5.astype(">f4"), "`dtype` is '>f4', expected numpy.float64"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_would_be_rounded_is_refused(what: str) -> None:
    call, words = REFUSED[what]
    for _ in range(2):
        with pytest.raises(InputError, match=words):
            call()


def test_numbers_in_lists_and_shorter_floats_are_converted() -> None:
    expected = SINGLE.gravity(np.float32([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    given = [0.1, 0.2, 0.3, np.float64(0.4), np.sin(np.arcsin(0.5)), 0.6]
    assert np.array_equal(SINGLE.gravity(given), expected)
    assert np.array_equal(SINGLE.gravity([0, 1, 2, 3, 4, 5]).dtype, np.float32)
    assert SINGLE.gravity([Q[0], [0.0] * 6]).dtype == np.float32
    assert SINGLE.gravity(Q[0].astype(np.float16)).dtype == np.float32
    assert UR5.gravity(Q[0]).dtype == np.float64  # floats are exact in double


def test_overflow_is_told() -> None:
    with pytest.raises(NumericalError, match=facts("float32", "dtype=np.float64")):
        SINGLE.inverse_dynamics(Q[0], QD[0] * np.float32(1e30), QDD[0])
    states = [Q, QD.copy(), QDD]
    states[1][650, 3] = 1e30
    with pytest.raises(NumericalError, match=facts("finite", "(650,)")):
        SINGLE.inverse_dynamics(*states)


def test_angles_that_lost_digits_are_refused_sooner() -> None:
    joint = armdyn.Joint(theta=0.7, mass=1.0, com=(0.1, 0.0, 0.0), name="bent")
    arm = armdyn.Arm(armdyn.Robot([joint], name="one"), dtype=np.float32)
    for _ in range(3):
        arm.gravity(np.float32([99.0]))
        with pytest.raises(InputError, match=facts("'bent'", "101", "100")):
            arm.gravity(np.float32([101.0]))
    many = np.full((2000, 1), 3.0, np.float32)
    many[1234] = 101.0
    with pytest.raises(InputError, match=r"at index \(1234, 0\)"):
        arm.gravity(many)


def test_arms_keep_their_numbers() -> None:
    assert repr(SINGLE) == "<Arm 'ur5', 6 joints, float32>"
    again = pickle.loads(pickle.dumps(SINGLE))
    assert again.dtype == np.float32
    assert np.array_equal(again.gravity(Q), SINGLE.gravity(Q))
    f = pickle.loads(pickle.dumps(SINGLE.function("gravity")))
    assert np.array_equal(f(Q), SINGLE.gravity(Q)) and f.dtype == np.float32
    assert SINGLE.astype(np.float32) is SINGLE and UR5.astype("float64") is UR5
    assert SINGLE.astype(float) is SINGLE.astype(np.float64)
    assert UR5.astype(np.float32).dtype == np.float32
    assert SINGLE.function("gravity").vjp()(Q, Q).dtype == np.float32
    assert "<8 x double>" not in SINGLE.function("gravity").source("llvm")


def test_what_needs_double_is_computed_in_double() -> None:
    T = SINGLE.pose(Q[0])
    q = SINGLE.inverse_kinematics(T, start=Q[0].astype(float))
    assert q.dtype == np.float32 and np.abs(SINGLE.pose(q) - T).max() < 1e-6
    out = np.empty(6, np.float32)
    assert SINGLE.inverse_kinematics(T, out=out) is out
    found = SINGLE.inverse_kinematics_all(T)
    assert found.q.dtype == found.margin.dtype == np.float32
    assert np.array_equal(SINGLE.minimal.values, UR5.minimal.values)
    assert SINGLE.parameters.dtype == np.float64
    small = armdyn.load("planar2")
    runs = [
        armdyn.simulate(a, [0.1, 0.2], until=0.1, integrator="rk4", step=0.01)
        for a in (small, small.astype(np.float32))
    ]
    assert np.array_equal(runs[0].q, runs[1].q)
    armdyn.MomentumObserver(small.astype(np.float32))
    assert checked_arm(SINGLE).dtype == np.float64  # of identification


def test_lazy_arrays_have_the_numbers_of_the_arm() -> None:
    da = pytest.importorskip("dask.array")
    lazy = SINGLE.inverse_dynamics(*(da.from_array(x, chunks=(300, 6)) for x in STATES))
    assert lazy.dtype == np.float32
    assert np.array_equal(lazy.compute(), SINGLE.inverse_dynamics(*STATES))
    with pytest.raises(InputError, match=facts("`qd`", "float64", "qd.astype")):
        SINGLE.inverse_dynamics(Q, da.zeros((700, 6)), QDD)
    tokens = {f.__dask_tokenize__() for f in (SINGLE.function("gravity"), UR5.function("gravity"))}
    assert len(tokens) == 2
