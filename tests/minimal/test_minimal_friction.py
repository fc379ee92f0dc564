"""Minimal parameters with every term of friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Arm
from support.friction import constants, with_all_terms
from support.robots import random_robot, random_state, relative_error


def arm_of(family: str, n: int) -> Arm:
    robot = with_all_terms(random_robot(family, n, 0))
    joints = [replace(j, root_friction=0.0) if i == 1 else j for i, j in enumerate(robot.joints)]
    return Arm(replace(robot, joints=joints))


@pytest.mark.parametrize("rotor", [False, True])
@pytest.mark.parametrize(("family", "n"), [("mixed", 4), ("rotational", 3)])
def test_the_regressor_has_columns_of_all_terms(family: str, n: int, rotor: bool) -> None:
    arm = arm_of(family, n)
    base = arm.minimal_with(rotor=rotor, friction=True)
    x = random_state(arm.robot)
    states = x["q"], x["qd"], x["qdd"]
    own = constants(arm.robot)["rotor_inertia"] * x["qdd"]
    expected = arm.inverse_dynamics(*states) - (0.0 if rotor else own)
    assert relative_error(base.regressor(*states) @ base.values, expected) < 1e-12
    still = base.regressor(x["q"], np.zeros(n), x["qdd"])
    assert np.isfinite(still).all()
    tau = base.inverse_dynamics(*states, base.values)
    assert relative_error(tau, arm.inverse_dynamics(*states)) < 1e-12


def test_only_joints_with_a_term_have_its_parameter() -> None:
    base = arm_of("mixed", 4).minimal_with(friction=True)
    found = {s: [x for x in base.names if x.startswith(s)] for s in ("Fv", "Fl", "Fs", "Fq")}
    assert found == {
        "Fv": ["Fv1", "Fv2", "Fv3", "Fv4"],
        "Fl": ["Fl1", "Fl2", "Fl3"],
        "Fs": ["Fs1", "Fs2", "Fs3", "Fs4"],
        "Fq": ["Fq1", "Fq3", "Fq4"],
    }
    assert "load friction of joint 2" in base.expression("Fl2")
    plain = armdyn.load("puma560").minimal_with(friction=True)
    assert not [name for name in plain.names if name[:2] in ("Fl", "Fs", "Fq")]
    assert len([name for name in plain.parameter_names if name.startswith("F")]) == 18


def test_torques_of_other_values_bear_their_own_load() -> None:
    """At run time |L| is that of the given values, not of the described arm."""
    arm = arm_of("rotational", 3)
    base = arm.minimal_with(rotor=True, friction=True)
    heavy = Arm(
        replace(arm.robot, joints=[replace(j, mass=1.3 * j.mass) for j in arm.robot.joints])
    )
    x = random_state(arm.robot)
    states = x["q"], x["qd"], x["qdd"]
    values = heavy.minimal_with(rotor=True, friction=True).values
    got = base.inverse_dynamics(*states, values)
    assert relative_error(got, heavy.inverse_dynamics(*states)) < 1e-12
    qdd = base.function("forward_dynamics", values)(x["q"], x["qd"], got)
    assert relative_error(qdd, x["qdd"]) < 1e-10
