"""A new integrator is one row: a toy one is registered, and everything knows it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import armdyn
from armdyn.cli.app import app
from armdyn.simulation.integrators import INTEGRATORS, Integrator, Tableau, Weights

HEUN = Integrator("heun", 2, "runge_kutta", Tableau.of("", "1", weights="1/2 1/2"), "a toy")
RALSTON = Integrator(
    "ralston", 3, "runge_kutta",
    Tableau.of("", "1/2", "0 3/4", weights="2/9 1/3 4/9"), "another toy",
)  # fmt: skip
AB2 = Integrator("ab2", 2, "adams_bashforth", Weights.of("3/2 -1/2"), "a toy of two steps")
TOYS = {row.name: row for row in (HEUN, RALSTON, AB2)}

Q0, QD0, TORQUE = [0.3, -0.2], [0.4, 0.1], np.array([0.5, -0.3])


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, row in TOYS.items():
        monkeypatch.setitem(INTEGRATORS, name, row)


def with_friction(coulomb: float) -> armdyn.Arm:
    robot = armdyn.load("planar2").robot
    joints = [replace(joint, coulomb=coulomb) for joint in robot.joints]
    return armdyn.Arm(replace(robot, joints=joints))


def end(arm: armdyn.Arm, **options: object) -> np.ndarray:
    run = armdyn.simulate(arm, Q0, QD0, 0.5, samples=2, **options)  # type: ignore[arg-type]
    return np.concatenate([run.q[-1], run.qd[-1]])


@pytest.mark.parametrize("name", TOYS)
@pytest.mark.parametrize("way", ["whole step compiled", "stage by stage"])
def test_its_order_is_observed(name: str, way: str) -> None:
    arm = armdyn.load("planar2")
    torque = TORQUE if way == "whole step compiled" else lambda t, q, qd: TORQUE
    exact = end(arm, torque=TORQUE, integrator="dop853", rtol=1e-13, atol=1e-14)
    errors = [
        float(np.linalg.norm(end(arm, torque=torque, integrator=name, step=step) - exact))
        for step in (0.01, 0.005)
    ]
    assert abs(np.log2(errors[0] / errors[1]) - TOYS[name].order) < 0.2


@pytest.mark.parametrize("name", TOYS)
def test_batches_move_as_their_arms_alone(name: str) -> None:
    arm = armdyn.load("planar2")
    q = np.array([Q0, [0.1, 0.2], [-0.3, 0.5]])
    batch = armdyn.simulate(arm, q, QD0, 0.1, TORQUE, name)
    for k in range(3):
        alone = armdyn.simulate(arm, q[k], QD0, 0.1, TORQUE, name)
        np.testing.assert_array_equal(batch[k].q, alone.q)
        assert alone.integrator == name


@pytest.mark.parametrize("name", TOYS)
def test_joints_stick_and_stop(name: str) -> None:
    arm = with_friction(1.0)
    found = armdyn.simulate(arm, Q0, QD0, 1.0, torque=arm.gravity(np.array(Q0)), integrator=name)
    same = armdyn.simulate(arm, Q0, QD0, 1.0, torque=arm.gravity(np.array(Q0)), integrator="rk4")
    assert [(e.what, e.joint) for e in found.events] == [(e.what, e.joint) for e in same.events]
    assert any(e.what == "sticks" for e in found.events)
    np.testing.assert_allclose(found.q[-1], same.q[-1], atol=1e-4)


def test_evaluations_are_those_of_its_stages() -> None:
    arm = armdyn.load("planar2")
    run = armdyn.simulate(arm, Q0, QD0, 0.1, integrator="heun", step=1e-3)
    assert run.evaluations == 2 * 100


def test_errors_name_it() -> None:
    with pytest.raises(armdyn.MethodError, match="heun") as caught:
        armdyn.simulate(armdyn.load("planar2"), integrator="nosuch")
    assert set(TOYS) < set(caught.value.choices)


def test_the_command_line_takes_it() -> None:
    words = ["simulate", "planar2", "--q0", "0.3,-0.2", "--until", "0.1", "--json"]
    done = CliRunner().invoke(app, [*words, "--integrator", "heun", "--step", "0.001"])
    assert done.exit_code == 0, done.output
    expected = armdyn.simulate(armdyn.load("planar2"), Q0, until=0.1, integrator="heun")
    told = json.loads(done.stdout)
    assert told["q"] == expected.q[-1].tolist()
    assert told["integrator"] == "heun"
    wrong = CliRunner().invoke(app, [*words, "--integrator", "heun", "--rtol", "1e-3"])
    assert wrong.exit_code != 0
    assert re.search("--rtol does nothing with heun", str(wrong.exception))
