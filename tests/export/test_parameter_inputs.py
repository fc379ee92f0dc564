"""Functions of SymPy, CasADi and JAX with link parameters as an input.

The answer is the compiled function of an arm rebuilt with other parameters.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.robot.library import random_joint
from support.robots import random_robot, relative_error

RNG = np.random.default_rng(11)
# Every way a quantity may depend on parameters: linear, by factors, by solving, or not at all.
QUANTITIES = [
    "mass_matrix", "inverse_dynamics", "forward_dynamics", "inverse_mass_matrix", "udu",
    "coriolis_matrix", "inverse_dynamics_derivatives", "regressor", "potential_energy", "pose",
]  # fmt: skip


def with_other_links(arm: armdyn.Arm) -> armdyn.Arm:
    """The same geometry, rotors and friction; other masses, centres of mass and inertias."""
    joints = []
    for joint in arm.robot.joints:
        other = random_joint(RNG, joint.kind == "prismatic")
        joints.append(replace(joint, mass=other.mass + 0.5, com=other.com, inertia=other.inertia))
    return armdyn.Arm(replace_joints(arm.robot, joints))


def replace_joints(robot: armdyn.Robot, joints: list[armdyn.Joint]) -> armdyn.Robot:
    return armdyn.Robot(joints, robot.gravity, robot.base, robot.tool, robot.name, strict=False)


def parts(value: Any) -> list[np.ndarray]:
    return [np.array(x, dtype=float) for x in (value if isinstance(value, tuple) else (value,))]


def assert_same(got: list[np.ndarray], expected: Any, bound: float = 1e-11) -> None:
    for a, b in zip(got, parts(expected), strict=True):
        assert relative_error(a.reshape(b.shape), b) < bound


ARM = armdyn.Arm(random_robot("mixed", 4, 3))
OTHER = with_other_links(ARM)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_casadi_function_follows_the_parameters(quantity: str) -> None:
    pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    function = ARM.function(quantity).casadi(parameters=True)
    states = RNG.uniform(-1, 1, (function.n_in() - 1, ARM.n))
    assert function.name_in(function.n_in() - 1) == "p"
    for arm in (ARM, OTHER):
        got = function(*states, arm.parameters)
        several = got if isinstance(got, tuple) else (got,)
        assert_same([x.full() for x in several], arm.function(quantity)(*states))


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "udu", "pose"])
def test_jax_function_follows_the_parameters_on_batches(quantity: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    jax.config.update("jax_enable_x64", True)
    f = ARM.function(quantity)
    states = RNG.uniform(-1, 1, (len(f.program.inputs), 5, 1, ARM.n))
    arms = (ARM, OTHER)
    together = f.jax(parameters=True)(*states, np.array([arm.parameters for arm in arms]))
    for k, arm in enumerate(arms):
        got = [x[:, k] for x in parts(together)]
        assert_same(got, arm.function(quantity)(*states[:, :, 0]))


def test_jax_slope_by_the_parameters_is_the_regressor() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    jax.config.update("jax_enable_x64", True)
    states = RNG.uniform(-1, 1, (3, ARM.n))
    torques = ARM.function("inverse_dynamics", friction=False).jax(parameters=True)
    slope = jax.jacfwd(torques, argnums=3)(*states, ARM.parameters)
    assert relative_error(np.array(slope), ARM.regressor(*states)) < 1e-12


@pytest.mark.parametrize("quantity", ["mass_matrix", "gravity", "udu"])
def test_sympy_function_follows_the_parameters(quantity: str) -> None:
    sympy = pytest.importorskip("sympy")
    arm = armdyn.Arm(random_robot("mixed", 2, 1))
    other = with_other_links(arm)
    f = arm.function(quantity)
    q, p = sympy.symbols("q1:3"), sympy.symbols("p1:21")
    formulas = f.sympy(parameters=True)(q, p)
    several = formulas if isinstance(formulas, tuple) else (formulas,)
    state = RNG.uniform(-1, 1, 2)
    values = dict(zip((*q, *p), (*state, *other.parameters), strict=True))
    assert_same(
        [np.array(x.subs(values)).astype(float) for x in several], other.function(quantity)(state)
    )


def test_options_of_the_function_are_those_of_the_numbers() -> None:
    """Frames, methods and friction; and a copy of the function from another process."""
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    assert casadi is not None
    q, qd, qdd = RNG.uniform(-1, 1, (3, ARM.n))
    for f, g, states in (
        (ARM.function("pose", frame=2), OTHER.function("pose", frame=2), (q,)),
        *(
            (
                arm.function("inverse_dynamics", "newton_euler", friction=friction),
                OTHER.function("inverse_dynamics", friction=friction),
                (q, qd, qdd),
            )
            for arm in (ARM, pickle.loads(pickle.dumps(ARM)))
            for friction in (True, False)
        ),
    ):
        copied = pickle.loads(pickle.dumps(f))
        assert_same([copied.casadi(parameters=True)(*states, OTHER.parameters).full()], g(*states))


def test_auto_takes_a_method_that_allows_links_without_mass() -> None:
    """What is identified may have massless links, so "auto" takes a method without division."""
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed: pip install casadi")
    assert casadi is not None
    arm = armdyn.load("puma560")
    sparse = arm.minimal.to_parameters(arm.minimal.values)
    assert (sparse[::10] == 0.0).any()
    q = RNG.uniform(-1, 1, arm.n)
    for quantity in ("mass_matrix", "inverse_mass_matrix", "gravity"):
        got = arm.function(quantity).casadi(parameters=True)(q, sparse)
        assert_same([got.full()], arm.function(quantity)(q), 1e-10)


def test_wrong_parameters_are_refused() -> None:
    f = ARM.function("gravity")
    with pytest.raises(armdyn.InputError, match=r"q \(4\), p \(40\)"):
        f.sympy(parameters=True)([0.0] * 4, [1.0] * 10)
    with pytest.raises(armdyn.InputError, match="`parameters`"):
        f.sympy(parameters="all")  # type: ignore[arg-type]
    with pytest.raises(armdyn.InputError, match="minimal parameters"):
        ARM.minimal.function("gravity").sympy(parameters=True)
