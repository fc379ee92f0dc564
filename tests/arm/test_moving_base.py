"""Arms on elevators, vehicles and other bases in motion, by the methods of `Arm`."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.errors import InputError, MethodError
from armdyn.graph.count import count
from armdyn.graph.trace import folded
from armdyn.robot.chain import BASES, MOVING, TRANSLATING
from support.moving_base import base_motion, on_base
from support.robots import random_robot, random_state, relative_error
from support.says import Said, facts

ROBOT = random_robot("mixed", 6, 3)
ARM = armdyn.Arm(ROBOT)
STATE = random_state(ROBOT)
INPUTS = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "bias": ("q", "qd"),
    "forward_dynamics": ("q", "qd", "tau"),
}


def call(
    arm: armdyn.Arm, quantity: str, state: dict[str, np.ndarray], **options: Any
) -> np.ndarray:
    """A quantity without friction."""
    if quantity != "bias":
        options["friction"] = False
    return getattr(arm, quantity)(*(state[name] for name in INPUTS[quantity]), **options)


def shaped(*lead: int, n: int = ROBOT.n) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return {name: rng.uniform(-2, 2, (*lead, n)) for name in ("q", "qd", "qdd", "tau")}


@pytest.mark.parametrize("quantity", INPUTS)
def test_batches_match_a_free_flyer(quantity: str) -> None:
    """States and motions broadcast; `out` receives the result."""
    state = shaped(4, 1)
    motions = np.array([base_motion(k) for k in range(3)])
    a, v = motions[:, 0], motions[:, 1]
    out = np.empty((4, 3, ROBOT.n))
    got = call(ARM, quantity, state, base_acceleration=a, base_velocity=v, out=out)
    assert got is out
    for i in range(4):
        own = {name: x[i, 0] for name, x in state.items()}
        for k in range(3):
            expected = on_base(ROBOT, own, a[k], v[k])[quantity]
            assert relative_error(out[i, k], expected) < 1e-12


@pytest.mark.parametrize("quantity", INPUTS)
def test_large_batches_are_those_of_single_states(quantity: str) -> None:
    state = shaped(700)
    rng = np.random.default_rng(8)
    a, v = rng.uniform(-3, 3, (700, 6)), rng.uniform(-3, 3, 6)
    got = call(ARM, quantity, state, base_acceleration=a, base_velocity=v)
    for k in (0, 1, 513, 699):
        own = {name: x[k] for name, x in state.items()}
        one = call(ARM, quantity, own, base_acceleration=a[k], base_velocity=v)
        assert relative_error(got[k], one) < 1e-13


@pytest.mark.parametrize("quantity", INPUTS)
def test_what_is_left_out_is_zero(quantity: str) -> None:
    a, v = base_motion(1)
    still, six = np.zeros(6), np.concatenate([a[:3], np.zeros(3)])
    cases = [
        ({"base_acceleration": a[:3]}, six, still),
        ({"base_acceleration": a[:3].tolist(), "base_velocity": v}, six, v),
        ({"base_acceleration": a}, a, still),
        ({"base_velocity": v}, still, v),
    ]
    for options, acceleration, velocity in cases:
        expected = on_base(ROBOT, STATE, acceleration, velocity)[quantity]
        assert relative_error(call(ARM, quantity, STATE, **options), expected) < 1e-12


@pytest.mark.parametrize("quantity", INPUTS)
def test_a_base_that_rests_changes_nothing(quantity: str) -> None:
    ordinary = call(ARM, quantity, STATE)
    for size in (3, 6):
        got = call(ARM, quantity, STATE, base_acceleration=np.zeros(size))
        assert relative_error(got, ordinary) < 1e-14
    got = call(ARM, quantity, STATE, base_velocity=[1.0, 2.0, 3.0, 0.0, 0.0, 0.0])
    assert relative_error(got, ordinary) < 1e-14  # a uniform motion is not felt


@pytest.mark.parametrize("quantity", INPUTS)
@pytest.mark.parametrize("base", [TRANSLATING, MOVING])
def test_zeros_folded_in_leave_the_program_of_a_fixed_base(quantity: str, base: str) -> None:
    zeros = {name: [0.0] * size for name, size in BASES[base].items()}
    for method in ARM.function(quantity, base=base).method, "gibbs_appell":
        moving = ARM.function(quantity, method, base=base).program
        fixed = ARM.function(quantity, method).program
        assert count(folded(moving, zeros)) == count(fixed)
        assert count(moving).mul > count(fixed).mul


def test_the_acceleration_is_the_rate_of_the_velocity() -> None:
    """The origin of a base that turns is accelerated by the rate and by w x v."""
    a, v = base_motion(2)
    got = ARM.bias(STATE["q"], STATE["qd"], base_acceleration=a, base_velocity=v)
    felt = np.concatenate([a[:3] + np.cross(v[3:], v[:3]), a[3:]])
    turning = np.concatenate([np.zeros(3), v[3:]])
    other = ARM.bias(STATE["q"], STATE["qd"], base_acceleration=felt, base_velocity=turning)
    assert relative_error(got, other) < 1e-13


def test_a_rising_elevator_adds_to_gravity() -> None:
    arm = armdyn.load("puma560")
    q = np.linspace(0.2, 1.0, 6)
    heavier = armdyn.Arm(replace(arm.robot, gravity=(0.0, 0.0, -11.81)))
    got = arm.bias(q, q, base_acceleration=[0.0, 0.0, 2.0])
    assert relative_error(got, heavier.bias(q, q)) < 1e-14


def test_an_accelerometer_tells_gravity_of_a_tilted_base() -> None:
    """It reads acceleration less gravity; added to the gravity of the file, that is the input."""
    arm = armdyn.load("puma560")
    q = np.linspace(0.2, 1.0, 6)
    tilted = (3.0, -1.0, -9.3)
    a = np.array([0.4, 0.5, -0.6])
    reading = a - np.array(tilted)
    got = arm.bias(q, q, base_acceleration=reading + np.array(arm.robot.gravity))
    there = armdyn.Arm(replace(arm.robot, gravity=tilted))
    assert relative_error(got, there.bias(q, q, base_acceleration=a)) < 1e-14


def test_a_base_that_turns_about_the_first_axis_is_a_faster_first_joint() -> None:
    """A turntable below joint 1, whose axis is vertical and goes through the origin."""
    arm = armdyn.load("puma560")
    rng = np.random.default_rng(4)
    q, qd, qdd = rng.uniform(-1, 1, (3, 6))
    w, wd = 1.3, -0.7
    faster, first = qd + w * np.eye(6)[0], np.eye(6)[0]
    rotor = arm.robot.joints[0].rotor_inertia  # it turns with the joint alone
    expected = arm.inverse_dynamics(q, faster, qdd + wd * first, friction=False)
    got = arm.inverse_dynamics(
        q, qd, qdd, friction=False,
        base_acceleration=[0, 0, 0, 0, 0, wd], base_velocity=[0, 0, 0, 0, 0, w],
    )  # fmt: skip
    assert relative_error(got + rotor * wd * first, expected) < 1e-13


def with_friction(change: Callable[[int], dict[str, float]]) -> armdyn.Arm:
    robot = random_robot("mixed", 3, 3)
    joints = [replace(joint, **change(i)) for i, joint in enumerate(robot.joints)]
    return armdyn.Arm(replace(robot, joints=joints))


@pytest.mark.parametrize(("rotor", "load"), [(0.3, 0.0), (0.0, 0.4), (0.3, 0.4)])
def test_forward_dynamics_undoes_inverse_dynamics_with_friction(rotor: float, load: float) -> None:
    """Friction of the load too: gears transmit what the motion of the base asks of them."""
    arm = with_friction(
        lambda i: {"load_friction": load * (i % 2), "rotor_inertia": rotor, "coulomb": 0.5}
    )
    state = shaped(50, n=3)
    motion = dict(zip(("base_acceleration", "base_velocity"), base_motion(3), strict=True))
    linear = {"base_acceleration": motion["base_acceleration"][:3]}
    every = armdyn.methods("forward_dynamics")[:4]
    for options, methods in (motion, every), (linear, ["auto"]):
        tau = arm.inverse_dynamics(state["q"], state["qd"], state["qdd"], **options)
        bare = arm.inverse_dynamics(
            state["q"], state["qd"], state["qdd"], friction=False, **options
        )
        transmitted = bare - rotor * state["qdd"]
        resisted = arm.friction(state["qd"], load=transmitted)
        assert relative_error(tau, bare + resisted) < 1e-13
        for method in methods:
            back = arm.forward_dynamics(state["q"], state["qd"], tau, method=method, **options)
            assert relative_error(back, state["qdd"]) < 1e-9


def test_warm_calls_with_and_without_motion_do_not_mix() -> None:
    arm = armdyn.load("puma560")
    q = np.linspace(0.2, 1.0, 6)
    a, v = base_motion(6)
    first = arm.inverse_dynamics(q, q, q), arm.inverse_dynamics(q, q, q, base_acceleration=a)
    for _ in range(3):
        assert np.array_equal(arm.inverse_dynamics(q, q, q), first[0])
        assert np.array_equal(arm.inverse_dynamics(q, q, q, base_acceleration=a), first[1])
    f = arm.function("inverse_dynamics", base="moving")
    copy = pickle.loads(pickle.dumps(arm)).function("inverse_dynamics", base="moving")
    expected = arm.inverse_dynamics(q, q, q, base_acceleration=a, base_velocity=v)
    for g in (f, f, copy):
        assert np.array_equal(g(q, q, q, a, v), expected)


def test_functions_are_written_out() -> None:
    f = armdyn.load("planar2").function("bias", base="translating")
    assert "base_acceleration[3]" in f.source("c")
    assert [slot.name for slot in f.program.inputs] == ["q", "qd", "base_acceleration"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"base_acceleration": np.zeros(4)}, ("shape (4,)", "(..., 3)", "(..., 6)")),
        ({"base_acceleration": 1.0}, "shape ()"),
        ({"base_acceleration": np.zeros((2, 0))}, "shape (2, 0)"),
        ({"base_velocity": np.zeros(3)}, ("`base_velocity`", "(3,)", "(..., 6)")),
        ({"base_acceleration": [0.0, np.nan, 0.0]}, ("`base_acceleration`", "nan", "(1,)")),
        ({"base_velocity": "fast"}, "`base_velocity` is 'fast'"),
    ],
)  # fmt: skip
def test_bad_motions_are_refused(options: dict[str, Any], said: Said) -> None:
    for quantity in INPUTS:
        with pytest.raises(InputError, match=facts(said)) as error:
            call(ARM, quantity, STATE, **options)
        assert error.value.argument == next(iter(options))


def test_methods_without_such_a_motion_name_those_that_have_it() -> None:
    q, qd = STATE["q"], STATE["qd"]
    ARM.bias(q, qd, method="lin_1991", base_acceleration=np.zeros(3))
    with pytest.raises(MethodError, match=r"moving base 'lin_1991'.*second_moment") as error:
        ARM.bias(q, qd, method="lin_1991", base_velocity=np.zeros(6))
    assert "lin_1991" not in error.value.choices
    with pytest.raises(MethodError, match=r"mass_matrix.*inverse_dynamics"):
        ARM.function("mass_matrix", base="moving")
    with pytest.raises(MethodError, match="fixed, translating, moving"):
        ARM.function("bias", base="shaky")
