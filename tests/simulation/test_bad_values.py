"""Values that NumPy would turn into numbers without a word are refused, by name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.motion.fourier import Fourier
from armdyn.motion.joint_space import JointSpace
from armdyn.motion.minimum_jerk import MinimumJerk
from armdyn.motion.straight_line import StraightLine

ARM = armdyn.load("planar2")
PUMA = armdyn.load("puma560")
RUN = armdyn.simulate(ARM, [0.1, 0.2], until=0.1, integrator="rk4", step=0.01)
MOTION = JointSpace([0.0], [1.0], duration=1.0)


def masked(values: Any) -> Any:
    array = np.ma.masked_array(np.asarray(values, float))
    array[(0,) * array.ndim] = np.ma.masked
    return array


# A value like the right one, spoilt.
SPOILT: dict[str, Callable[[np.ndarray], Any]] = {
    "masked": masked,
    "complex": lambda x: x + 1j,
    "text": lambda x: x.astype(str).tolist(),
    "array of text": lambda x: x.astype(str),
    "truth": lambda x: np.ones(x.shape, bool),
    "dates": lambda x: np.full(x.shape, np.datetime64("2026-01-01")),
    "durations": lambda x: np.full(x.shape, np.timedelta64(3, "s")),
    "huge integers": lambda x: np.full(x.shape, 10**400, object).tolist(),
    "objects": lambda x: np.full(x.shape, object(), object),
    "times of the clock": lambda x: np.full(x.shape, datetime(2026, 1, 1), object),
}

TWO, ROWS = np.ones(2), np.ones((2, 2))
TABLE = (np.array([0.0, 0.1]), np.ones((2, 2)))
MANY = np.stack([ARM.parameters, ARM.parameters])

# What takes an array: its argument, a right value, and the call with a value.
CALLS: dict[str, tuple[str, Any, Callable[[Any], object]]] = {
    "q0": ("q0", TWO, lambda x: armdyn.simulate(ARM, x, until=0.1)),
    "q0 of a batch": ("q0", ROWS, lambda x: armdyn.simulate(ARM, x, until=0.1, integrator="rk4")),
    "qd0": ("qd0", TWO, lambda x: armdyn.simulate(ARM, None, x, until=0.1)),
    "torque": ("torque", TWO, lambda x: armdyn.simulate(ARM, until=0.1, torque=x)),
    "times of torques": (
        "torque", TABLE[0], lambda x: armdyn.simulate(ARM, until=0.1, torque=(x, TABLE[1]))
    ),
    "torques over time": (
        "torque", TABLE[1], lambda x: armdyn.simulate(ARM, until=0.1, torque=(TABLE[0], x))
    ),
    "returned torque": (
        "torque", TWO, lambda x: armdyn.simulate(ARM, until=0.1, torque=lambda t, q, qd: x)
    ),
    "wrench": ("wrench", np.ones(6), lambda x: armdyn.simulate(ARM, until=0.1, wrench=x)),
    "parameters": ("parameters", MANY, lambda x: armdyn.simulate(ARM, until=0.1, parameters=x)),
    "stiffness": (
        "stiffness", TWO,
        lambda x: armdyn.simulate(ARM, until=0.1, limits="spring", stiffness=x),
    ),
    "damping": (
        "damping", TWO, lambda x: armdyn.simulate(ARM, until=0.1, limits="spring", damping=x)
    ),
    "samples": (
        "samples", np.array([0.01, 0.1]), lambda x: armdyn.simulate(ARM, until=0.1, samples=x)
    ),
    "kp": ("kp", TWO, lambda x: armdyn.PD(x, 1.0, TWO)),
    "kd": ("kd", TWO, lambda x: armdyn.ComputedTorque(1.0, x, TWO)),
    "limit": ("limit", TWO, lambda x: armdyn.PD(1.0, 1.0, TWO, limit=x)),
    "target": ("target", TWO, lambda x: armdyn.ComputedTorque(1.0, 1.0, x)),
    "noise": ("noise_q", TWO, lambda x: RUN.measured(noise_q=x)),
    "quantisation": ("quantisation", TWO, lambda x: RUN.measured(quantisation=x)),
    "centre": ("centre", TWO, lambda x: Fourier(x, ROWS, ROWS, 1.0)),
    "sines": ("sines", ROWS, lambda x: Fourier(TWO, x, ROWS, 1.0)),
    "cosines": ("cosines", ROWS, lambda x: Fourier(TWO, ROWS, x, 1.0)),
    "start": ("start", TWO, lambda x: JointSpace(x, [3.0, 4.0], duration=1.0)),
    "goal": ("goal", TWO, lambda x: JointSpace([0.0, 0.0], x, duration=1.0)),
    "velocity": ("velocity", TWO, lambda x: JointSpace([0.0, 0.0], TWO, x, 1.0)),
    "waypoints": (
        "waypoints", np.array([[0.0], [1.0]]), lambda x: MinimumJerk(x, [0.0, 1.0])
    ),
    "times": ("times", np.array([0.0, 1.0]), lambda x: MinimumJerk([[0.0], [1.0]], x)),
    "joint_acceleration": (
        "joint_acceleration", np.ones(6),
        lambda x: StraightLine(PUMA, np.full(6, 0.3), PUMA.pose(np.zeros(6)), joint_acceleration=x),
    ),
    "t": ("t", np.array([0.1, 0.2]), lambda x: MOTION.q(x)),
    "at": ("at", np.array([0.1, 0.2]), lambda x: MOTION.sample(x)),
}  # fmt: skip


# Limits that may be infinite.
UNLIMITED = ("velocity", "joint_acceleration")


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("call", CALLS)
def test_spoilt_arrays_are_refused(call: str, how: str) -> None:
    argument, right, run = CALLS[call]
    if how == "huge integers" and call in UNLIMITED:
        pytest.skip("so large a limit is none")
    with pytest.raises(armdyn.InputError) as caught:
        run(SPOILT[how](right))
    assert caught.value.argument == argument
    assert f"`{argument}`" in str(caught.value) or "outside the motion" in str(caught.value)


NUMBERS: dict[str, Callable[[Any], object]] = {
    "until": lambda x: armdyn.simulate(ARM, until=x),
    "rtol": lambda x: armdyn.simulate(ARM, rtol=x),
    "atol": lambda x: armdyn.simulate(ARM, atol=x),
    "step": lambda x: armdyn.simulate(ARM, integrator="rk4", step=x),
    "longest": lambda x: armdyn.simulate(ARM, longest=x),
    "stiction": lambda x: armdyn.simulate(ARM, stiction=x),
    "samples": lambda x: armdyn.simulate(ARM, samples=x),
    "jitter": lambda x: RUN.measured(jitter=x),
    "rate": lambda x: RUN.measured(rate=x),
    "seed": lambda x: RUN.measured(seed=x),
    "duration": lambda x: Fourier([0.0], [[1.0]], [[1.0]], x),
    "repeats": lambda x: Fourier([0.0], [[1.0]], [[1.0]], 1.0, repeats=x),
}
ODD = [True, "3", 1 + 2j, np.datetime64("2026-01-01"), 10**400, np.ma.masked, np.eye(2), object()]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", ODD, ids=lambda x: type(x).__name__)
def test_odd_numbers_are_refused(name: str, value: object) -> None:
    with pytest.raises(armdyn.InputError) as caught:
        NUMBERS[name](value)
    assert caught.value.argument == name


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("gravity", lambda x: armdyn.PD(1.0, 1.0, TWO, gravity=x)),
        ("friction", lambda x: armdyn.ComputedTorque(1.0, 1.0, TWO, friction=x)),
        ("friction", lambda x: armdyn.simulate(ARM, friction=x)),
        ("partial", lambda x: armdyn.simulate(ARM, partial=x)),
        ("at_rest", lambda x: Fourier([0.0], ROWS[:, :1], ROWS[:, :1], 1.0, at_rest=x)),
    ],
)
@pytest.mark.parametrize("value", [1, "yes", None, np.ones(2, bool)])
def test_flags_are_truth_values(name: str, make: Callable[[Any], object], value: object) -> None:
    with pytest.raises(armdyn.InputError) as caught:
        make(value)
    assert caught.value.argument == name


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("arm", lambda: armdyn.simulate("planar2")),  # type: ignore[arg-type]
        ("integrator", lambda: armdyn.simulate(ARM, integrator="euler")),
        ("limits", lambda: armdyn.simulate(ARM, limits="bounce")),
        ("events", lambda: armdyn.simulate(ARM, events=3)),  # type: ignore[arg-type]
        ("torque", lambda: armdyn.simulate(ARM, until=0.1, torque=lambda t, q, qd: 1 / 0)),
        ("torque", lambda: armdyn.simulate(ARM, until=5.0, torque=TABLE)),
        ("qd0", lambda: armdyn.simulate(ARM, np.zeros((3, 2)), np.zeros((2, 2)))),
        ("shape", lambda: JointSpace([0.0], [1.0], 1.0, 1.0, shape="round")),  # type: ignore[arg-type]
        ("duration", lambda: JointSpace([0.0], [1.0], 1.0, 1.0, duration=1.0)),
    ],
)
def test_errors_carry_the_argument(argument: str, call: Callable[[], object]) -> None:
    with pytest.raises(armdyn.InputError) as caught:
        call()
    assert caught.value.argument == argument


def test_right_values_of_other_types_are_accepted() -> None:
    whole = armdyn.simulate(ARM, [0, 1], until=1, integrator="rk4", step=np.float32(0.0625))
    same = armdyn.simulate(ARM, np.array([0, 1], np.int8), until=1.0, integrator="rk4", step=0.0625)
    np.testing.assert_array_equal(whole.q, same.q)
    unmasked = np.ma.masked_array([0.0, 1.0])
    np.testing.assert_array_equal(
        armdyn.simulate(ARM, unmasked, until=1, integrator="rk4", step=0.0625).q, same.q
    )
    returned = armdyn.simulate(
        ARM, [0, 1], until=1, integrator="rk4", step=0.0625, torque=lambda t, q, qd: [0, 0]
    )
    np.testing.assert_allclose(returned.q, same.q, atol=1e-12)
