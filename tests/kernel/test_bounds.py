"""How large the steps of a program can become."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.kernel.element import DOUBLE
from armdyn.kernel.kernel import compile_program
from armdyn.kernel.straight.store import stays_finite
from armdyn.scalar import cos, sign, sin, sqrt
from support.kernels import TARGETS, as_tuple
from support.robots import FAMILIES, random_robot


def _program(function) -> Program:
    return trace(lambda x: function(*x), [Slot("x", (3,))], [Slot("f", ())])


@pytest.mark.parametrize(
    ("function", "largest"),
    [
        (lambda x, y, z: x + y, 0.5e300),
        (lambda x, y, z: x - y, 0.5e300),
        (lambda x, y, z: -(x * y * z), 1e100),
        (lambda x, y, z: (x * 1e50 + 1e200) * sign(y), 1e250),
        (lambda x, y, z: x * y / 1e-100, 1e100),
        (lambda x, y, z: sin(x * y) * cos(z) * 1e300, 1e150),
    ],
)
def test_bound_is_where_the_program_leaves_the_range(function, largest: float) -> None:
    bounded = _program(function)
    assert stays_finite(bounded, 0.99 * largest, DOUBLE)
    assert not stays_finite(bounded, 1e9 * largest, DOUBLE)


def test_what_divides_or_has_a_root_may_be_no_number() -> None:
    assert not stays_finite(_program(lambda x, y, z: x / y), 1.0, DOUBLE)
    assert not stays_finite(_program(lambda x, y, z: sqrt(x)), 1.0, DOUBLE)
    assert not stays_finite(_program(lambda x, y, z: x / 1e-305), 1.0, DOUBLE)
    assert not stays_finite(_program(lambda x, y, z: cos(x * y)), 1e160, DOUBLE)


@pytest.mark.parametrize("family", FAMILIES)
def test_ordinary_states_of_heavy_arms_have_finite_results(family: str) -> None:
    """With and without fused operations: angles for the library, speeds at rest, long slides."""
    rubbing = dict(coulomb=1e8, viscous=1e8, offset=1e8, rotor_inertia=1e8)
    joints = [
        replace(j, mass=1e9 * j.mass, inertia=tuple(1e9 * x for x in j.inertia), **rubbing)
        for j in random_robot(family, 3, 7).joints
    ]
    arm = armdyn.Arm(armdyn.Robot(joints))
    rng = np.random.default_rng(4)
    for quantity in ("mass_matrix", "inverse_dynamics", "regressor", "kinetic_energy", "jacobian"):
        given = arm.function(quantity).program
        assert isinstance(given, Program) and stays_finite(given, DOUBLE.safe_magnitude, DOUBLE)
        shape = (len(given.inputs), 300, 3)
        sizes = 10.0 ** rng.choice([-320.0, -8.0, 0.0, 5.0, 5.001, 15.0], shape)
        states = sizes * rng.choice([-1.0, 0.0, 1.0], shape)
        for machine in (TARGETS[0], TARGETS[-1]):
            for result in as_tuple(compile_program(given, target=machine)(*states)):
                assert np.isfinite(result).all(), quantity
