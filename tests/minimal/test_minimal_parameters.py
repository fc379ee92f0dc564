"""`arm.minimal`: values, regressor, the way back, words; and what happens near special geometry."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import Arm, InputError, MethodError, Robot, RobotWarning
from armdyn.arm.pinocchio import pinocchio_model
from support.minimal import KNOWN, PUMA, arm_of, planar
from support.robots import random_robots, relative_error

STATES = ("q", "qd", "qdd")


def states(n: int, count: int = 7) -> list[np.ndarray]:
    return list(np.random.default_rng(n).uniform(-2, 2, (3, count, n)))


def with_drives(robot: Robot) -> Robot:
    joints = [
        replace(
            j, viscous=0.1 + 0.01 * i, coulomb=0.4, offset=-0.1 * i, rotor_inertia=0.2 + 0.1 * i
        )
        for i, j in enumerate(robot.joints)
    ]
    return replace(robot, joints=joints)


ARMS = [
    *(armdyn.load(name) for name in ("puma560", "stanford", "scara")),
    *(Arm(with_drives(robot)) for robot in random_robots(6, (2, 4))),
]


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_regressor_times_values_are_the_torques(arm: Arm) -> None:
    q, qd, qdd = states(arm.n)
    torques = arm.inverse_dynamics(q, qd, qdd)
    rotors = np.array([j.rotor_inertia for j in arm.robot.joints]) * qdd
    expected = {
        (False, False): torques - arm.friction(qd) - rotors,
        (True, False): torques - arm.friction(qd),
        (False, True): torques - rotors,
        (True, True): torques,
    }
    for (rotor, friction), tau in expected.items():
        base = arm.minimal_with(rotor=rotor, friction=friction)
        Y = base.regressor(q, qd, qdd)
        assert Y.shape == (7, arm.n, len(base))
        assert relative_error(Y @ base.values, tau) < 1e-12
        assert relative_error(base.regressor(q[0], qd[0], qdd[0]), Y[0]) < 1e-14
        x = base.parameters
        assert relative_error(base.matrix @ x, base.values) < 1e-13
        assert base.matrix.shape == (len(base), len(x)) == (len(base), len(base.parameter_names))


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_regressor_is_the_full_one_without_columns_where_all_joints_turn(arm: Arm) -> None:
    base, state = arm.minimal, states(arm.n)
    full = arm.regressor(*state)
    assert relative_error(base.regressor(*state) @ base.matrix, full) < 1e-12
    if all(j.is_revolute for j in arm.robot.joints):
        columns = [arm.parameter_names.index(name) for name in base.carriers]
        assert relative_error(base.regressor(*state), full[..., columns]) < 1e-14


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_parameters_made_from_values_move_the_same_in_pinocchio(arm: Arm) -> None:
    base = arm.minimal
    near = np.tile([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1], arm.n)
    x = base.to_parameters(base.values, near=near)
    assert relative_error(base.matrix @ x, base.values) < 1e-12
    assert relative_error(base.matrix @ base.to_parameters(base.values), base.values) < 1e-12
    model, other = pinocchio_model(arm.robot), pinocchio_model(arm.robot)
    masses = x[::10]
    if np.all(np.abs(masses) > 1e-3):  # it divides by them
        for i in range(arm.n):
            other.inertias[i + 1] = pin.Inertia.FromDynamicParameters(x[10 * i : 10 * i + 10])
        for q, qd, qdd in zip(*states(arm.n), strict=True):
            got = pin.rnea(other, other.createData(), q, qd, qdd)
            assert relative_error(got, pin.rnea(model, model.createData(), q, qd, qdd)) < 1e-11
            got = pin.aba(other, other.createData(), q, qd, qdd)
            assert relative_error(got, pin.aba(model, model.createData(), q, qd, qdd)) < 1e-9


def test_parameters_of_the_arm_come_back_from_its_own_values() -> None:
    for arm in ARMS:
        base = arm.minimal
        assert (
            relative_error(base.to_parameters(base.values, arm.parameters), arm.parameters) < 1e-13
        )


def test_names_are_stable() -> None:
    assert armdyn.load("scara").minimal.names == (
        "U1_33", "U2_33", "k2_x", "k2_y", "m3", "U4_33", "k4_x", "k4_y"
    )  # fmt: skip
    puma = armdyn.load("puma560").minimal
    assert puma.names[:8] == (
        "U1_33", "U2_11-22", "U2_33", "U2_12", "U2_13", "U2_23", "k2_x", "k2_y"
    )  # fmt: skip
    assert len(set(puma.names)) == len(puma) == 36
    with_all = armdyn.load("puma560").minimal_with(rotor=True, friction=True)
    assert with_all.names[36:40] == ("Jm3", "Jm4", "Jm5", "Jm6")
    assert with_all.names[40:43] == ("Fv1", "Fc1", "Fo1")
    slide = Arm(arm_of("", "RPR", [(0, 0, 0), (0.7, 0.1, 0), (-0.7, 0, 0)])).minimal
    assert slide.names == (
        "U1_33", "m2", "kappa2_x", "kappa2_y", "U3_33", "k3_x", "k3_y"
    )  # fmt: skip


def test_expressions_say_what_values_are_made_of() -> None:
    base = armdyn.load("planar2").minimal
    text = base.expression("U1_33")
    assert text.startswith("U1_33 = Izz_1 + m_2 [kg m^2]: inertia about the joint's axis")
    for arm in ARMS:
        base = arm.minimal
        known = dict(zip(arm.parameter_names, arm.parameters, strict=True))
        for name, value in zip(base.names, base.values, strict=True):
            combination = base.expression(name).partition(" = ")[2].partition(" [")[0]
            assert _evaluated(combination, known) == pytest.approx(value, rel=1e-4, abs=1e-5)
    with pytest.raises(MethodError, match="there is no minimal parameter 'U9_99'"):
        base.expression("U9_99")


def _evaluated(combination: str, known: dict[str, float]) -> float:
    total = 0.0
    for term in combination.replace("- ", "+ -").split(" + "):
        factor, _, name = term.strip().rpartition(" ")
        sign = -1.0 if name.startswith("-") else 1.0
        size = {"": 1.0, "-": -1.0}.get(factor) if factor in ("", "-") else float(factor)
        total += sign * size * known[name.removeprefix("-")]
    return total


def test_latex_has_a_line_for_every_parameter() -> None:
    base = armdyn.load("stanford").minimal
    lines = base.latex().splitlines()
    assert lines[0] == r"\begin{align*}" and lines[-1] == r"\end{align*}"
    assert len(lines) == 2 + len(base)
    assert lines[3] == r"  U_{2,33} &= I_{zz,2} + I_{yy,3} + I_{yy,4} \\"


def test_parameters_at_rest_are_part_of_the_set() -> None:
    base = armdyn.load("puma560").minimal
    assert len(base.gravity_only) == 10
    assert set(base.gravity_only) < set(base.names)
    still = np.zeros((20, 6))
    Y = base.regressor(np.random.default_rng(0).uniform(-3, 3, (20, 6)), still, still)
    moved = [
        name for name, column in zip(base.names, Y.T, strict=True) if np.abs(column).max() > 1e-9
    ]
    assert tuple(moved) == base.gravity_only


def test_khalil_gautier_set_of_a_turning_arm_is_the_same() -> None:
    base = armdyn.load("puma560").minimal
    theirs = base.khalil_gautier()
    assert theirs.names[:3] == ("ZZR1", "XXR2", "ZZR2")
    assert relative_error(theirs.matrix, base.matrix) < 1e-12
    assert relative_error(theirs.change, np.eye(36)) < 1e-12


def test_wrong_arguments_are_refused() -> None:
    arm = armdyn.load("planar2")
    base = arm.minimal
    for values in ([1.0], np.full(len(base), np.nan), "abc", [[0.0] * len(base)]):
        with pytest.raises(InputError, match=f"expected {len(base)} finite numbers"):
            base.to_parameters(values)
    with pytest.raises(InputError, match="`near` has shape"):
        base.to_parameters(base.values, near=[1.0])
    with pytest.raises(InputError, match="`rotor` is 1, expected True or False"):
        arm.minimal_with(rotor=1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="shape"):
        base.regressor([0.0], [0.0, 0.0], [0.0, 0.0])


def test_almost_parallel_axes_are_remarked_on() -> None:
    robot = planar(3, (0.0, -9.81, 0.0))
    assert Arm(robot).minimal.notes == ()
    joints = [replace(j, beta=1e-3 * (i == 1)) for i, j in enumerate(robot.joints)]
    base = Arm(replace(robot, joints=joints)).minimal
    assert base.closed_form and len(base) == 17
    assert "almost a special one" in base.notes[0]


def test_disagreement_with_the_regressor_is_told_and_the_regressor_believed() -> None:
    joints = [
        replace(j, beta=1e-10 * (i == 1)) for i, j in enumerate(planar(3, (0, -9.81, 0)).joints)
    ]
    arm = Arm(Robot(joints, gravity=(0.0, -9.81, 0.0)))
    with pytest.warns(RobotWarning, match="the ones of the regressor are used"):
        base = arm.minimal
    assert not base.closed_form and len(base) == 9
    assert all(name.endswith("+") for name in base.names)
    state = states(3)
    rotors = np.array([j.rotor_inertia for j in joints]) * state[2]
    torques = arm.inverse_dynamics(*state, friction=False) - rotors
    assert relative_error(base.regressor(*state) @ base.values, torques) < 1e-8
    assert "what no torque tells from it" in base.expression(base.names[0])
    with pytest.raises(InputError, match="closed form"):
        base.khalil_gautier()


def test_minimal_parameters_travel_between_processes() -> None:
    arm = Arm(arm_of("puma", "RRRRRR", PUMA))
    before = arm.minimal.regressor(*states(6))
    again = pickle.loads(pickle.dumps(arm.minimal))
    assert again.names == arm.minimal.names
    assert np.array_equal(again.regressor(*states(6)), before)


@pytest.mark.parametrize("known", KNOWN[::4], ids=lambda known: known.robot.name)
def test_statements_name_every_parameter_that_is_no_carrier(known) -> None:  # type: ignore[no-untyped-def]
    base = Arm(known.robot).minimal
    named = {p for statement in base.invisible for p in statement.parameters}
    plain = {name for name in base.carriers if " " not in name}
    assert named.isdisjoint(plain)
    assert len(named) >= 10 * base.n - len(base)
