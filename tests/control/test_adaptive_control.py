"""Adaptive control: an arm with wrong parameters learns to track, and its links can exist."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import AdaptiveControl, Arm
from armdyn.errors import InputError, MethodError
from armdyn.identification.pseudo_inertia import pseudo_inertia
from armdyn_papers.studies.adaptive import FIXED, FREE, PHYSICAL, run_adaptive, wrong_model
from support.identification import example_robot, small_arm

SLOPE = 10.0


def panda() -> Arm:
    return armdyn.load(example_robot("panda_description/urdf/panda.urdf"), tip="panda_link8")


@pytest.mark.parametrize("name", ["puma560", "panda"])
def test_an_arm_with_wrong_parameters_learns_to_track(name: str) -> None:
    """In 2 s; the study is longer."""
    study = run_adaptive(None, panda() if name == "panda" else armdyn.load(name), duration=2.0)
    fixed, kept, free = (study.runs[x] for x in (FIXED, PHYSICAL, FREE))
    for run in (kept, free):
        assert run.rms(2.0) < 0.1 * fixed.rms(2.0)
        assert run.torque_error[-1] < 0.5 * run.torque_error[0]
    assert kept.least is not None and kept.least > 0.0
    history = study.learnt
    assert history.parameters is not None
    drives = [k for k, x in enumerate(history.parameter_names) if x[:2] in ("Jm", "Fv", "Fc")]
    assert drives
    assert (history.parameters[:, drives] >= 0.0).all()
    assert np.isfinite(history.values).all()
    assert [f.verdict for f in study.findings()][:2] == ["reproduced", "reproduced"]
    assert len(study.to_dict()["minimal_parameters"]) == len(history.names)
    assert [len(grid.rows) for grid in study.grids()] == [4, 2]


def test_minimal_values_are_those_of_links_that_can_exist() -> None:
    arm = small_arm()
    bare = replace(
        arm.robot, joints=[replace(j, viscous=0, coulomb=0, offset=0) for j in arm.robot.joints]
    )
    arm = Arm(bare)
    control = AdaptiveControl(10.0, 5.0, [1.0, 0.5, -0.5], adaptation=20.0, model=wrong_model(arm))
    armdyn.simulate(arm, until=0.5, torque=control, integrator="rk4", step=1e-3)
    history, base = control.history, arm.minimal
    assert history.names == base.names
    assert history.parameters is not None
    np.testing.assert_allclose(history.values, history.parameters @ base.matrix.T, atol=1e-12)
    assert abs(history.values[-1] - history.values[0]).max() > 0.01
    for values in history.values[[0, 100, -1]]:
        assert armdyn.feasible(arm, values).feasible


def test_any_states_and_any_speed_of_adaptation_leave_the_links_possible() -> None:
    arm = armdyn.load("scara")
    control = AdaptiveControl(20.0, 50.0, [1.0, -1.0, 0.1, 1.0], adaptation=1e4, model=arm)
    running: Any = control.prepared(arm)
    rng = np.random.default_rng(0)
    for i in range(200):
        running.sample(1e-3 * i, *rng.normal(size=(2, 4)) * 10.0 ** rng.uniform(-3, 1))
    parameters = control.history.parameters
    assert parameters is not None
    links = parameters[:, :40].reshape(-1, 10)
    assert abs(links[-4:, 0] / links[:4, 0] - 1.0).max() > 0.5
    scaled = [pseudo_inertia(x) for x in links]
    assert min(np.linalg.eigvalsh(P / np.trace(P))[0] for P in scaled) > -1e-15


def by_hand(arm: Arm, model: Arm, kd: float, A: np.ndarray, target: Any, steps: int) -> Any:
    """The law without `physical`, written out, with a step of Euler for the arm."""
    base, h = model.minimal, 1e-3
    w, q, qd, seen = base.values, np.zeros(arm.n), np.zeros(arm.n), []
    for _ in range(steps):
        qdr, qddr = SLOPE * (target - q), -SLOPE * qd
        s = qd - qdr
        Y = base.tracking_regressor(q, qd, qdr, qddr)
        seen.append((q, qd, Y @ w - kd * s, w))
        qdd = arm.forward_dynamics(q, qd, seen[-1][2])
        w = w - h * A @ (Y.T @ s)
        q, qd = q + h * qd, qd + h * qdd
    return [np.array(x) for x in zip(*seen, strict=True)]


def test_free_minimal_parameters_follow_the_law() -> None:
    arm = armdyn.load("planar3")
    model = wrong_model(arm)
    k = len(model.minimal)
    root = np.random.default_rng(1).normal(size=(k, k))
    A = 0.1 * (root @ root.T + np.eye(k))
    target = np.array([0.3, -0.2, 0.5])
    control = AdaptiveControl(SLOPE, 4.0, target, adaptation=A, physical=False, model=model)
    running: Any = control.prepared(arm)
    # links that cannot exist are mended at the beginning: begin with the values of the model
    running._state = model.minimal.values[None]
    q, qd, tau, w = by_hand(arm, model, 4.0, A, target, 30)
    for i in range(30):
        running.sample(1e-3 * i, q[i], qd[i])
        np.testing.assert_allclose(running(0.0, q[i], qd[i]), tau[i], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(control.history.values, w, rtol=1e-11, atol=1e-12)


def test_the_physical_law_goes_down_the_slope_in_its_metric() -> None:
    """dP = -r h P L P to first order, where tr(L P) is s . Y p of the link."""
    arm = armdyn.load("planar2")
    control = AdaptiveControl(SLOPE, 2.0, [0.4, 0.1], adaptation=1e-3, model=arm)
    running: Any = control.prepared(arm)
    q, qd = np.array([0.1, 0.6]), np.array([0.5, -0.3])
    for i in range(2):
        running.sample(1e-3 * i, q, qd)
    before, after = control.history.parameters
    qdr, qddr = SLOPE * (np.array([0.4, 0.1]) - q), -SLOPE * qd
    slopes = arm.minimal.matrix.T @ arm.minimal.tracking_regressor(q, qd, qdr, qddr).T @ (qd - qdr)
    for i in range(2):
        own = slice(10 * i, 10 * i + 10)
        P = pseudo_inertia(before[own])
        # L by brute force: what a unit of every entry of P adds
        units = np.eye(10)
        L = np.zeros((4, 4))
        for a in range(4):
            for b in range(4):
                E = np.zeros((4, 4))
                E[a, b] += 0.5
                E[b, a] += 0.5
                fits = np.linalg.lstsq(
                    np.stack([pseudo_inertia(u).ravel() for u in units], axis=1), E.ravel()
                )[0]
                L[a, b] = slopes[own] @ fits
        step = pseudo_inertia(after[own]) - P
        expected = -1e-3 * 1e-3 * P @ L @ P
        np.testing.assert_allclose(step, expected, atol=2e-2 * abs(expected).max())


def test_integrators_agree_and_the_torque_is_constant_between_samples() -> None:
    arm = armdyn.load("planar2")
    control = AdaptiveControl(10.0, 5.0, [0.5, -0.2], model=wrong_model(arm), period=0.01)
    how: dict[str, Any] = {"until": 0.3, "torque": control}
    a = armdyn.simulate(arm, integrator="rk45", rtol=1e-9, **how)
    values = control.history.values
    b = armdyn.simulate(arm, integrator="rk4", step=1e-3, **how)
    assert len(values) == len(control.history.t) == 30
    np.testing.assert_allclose(values, control.history.values, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(a.q[-1], b.q[-1], atol=1e-8)
    assert len(np.unique(b.tau[:, 0])) == 30


def test_a_batch_learns_as_its_arms_do_alone() -> None:
    arm = armdyn.load("planar2")
    control = AdaptiveControl(10.0, 5.0, [0.5, -0.2], model=wrong_model(arm))
    q0 = np.array([[0.0, 0.0], [0.3, 0.4]])
    how: dict[str, Any] = {"until": 0.1, "torque": control, "integrator": "rk4"}
    many = armdyn.simulate(arm, q0, **how)
    together = control.history.values
    alone = armdyn.simulate(arm, q0[1], **how)
    np.testing.assert_allclose(many.q[:, 1], alone.q, atol=1e-12)
    np.testing.assert_allclose(together[:, 1], control.history.values, atol=1e-12)
    with pytest.raises(InputError, match="equal steps"):
        armdyn.simulate(arm, q0, until=0.1, torque=control)


def test_torques_stay_within_limits() -> None:
    arm = armdyn.load("planar2")
    control = AdaptiveControl(10.0, 5.0, [3.0, -2.0], limit=[30.0, 10.0], model=arm)
    run = armdyn.simulate(arm, until=0.2, torque=control, integrator="rk4")
    assert abs(run.tau).max(axis=0) == pytest.approx([30.0, 10.0], abs=1e-9)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"bandwidth": 0.0}, "not positive definite"),
        ({"kd": -1.0}, "`kd` is not positive definite"),
        ({"kd": [1.0, 0.0]}, "not positive definite"),
        ({"kd": [[1.0, 2.0], [2.0, 1.0]]}, "smallest eigenvalue is -1"),
        ({"kd": [[1.0, 0.2], [0.1, 1.0]]}, "not symmetric"),
        ({"kd": np.ones((2, 3))}, "shape"),
        ({"adaptation": [[1.0, 0.0], [0.0, 0.0]], "physical": False}, "not positive definite"),
        ({"period": 0.0}, "`period`"),
        ({"model": "puma560"}, "expected an Arm"),
    ],
)
def test_gains_that_are_not_positive_definite_are_refused(given: Any, words: str) -> None:
    valid: dict[str, Any] = {"bandwidth": 10.0, "kd": 5.0, "target": [0.0, 0.0]}
    with pytest.raises(InputError, match=words):
        AdaptiveControl(**{**valid, **given})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kd": [1.0, 2.0, 3.0]}, "`kd` has shape"),
        ({"adaptation": [1.0, 2.0, 3.0]}, "2 links"),
        ({"adaptation": np.eye(2)}, "is a matrix"),
        ({"adaptation": np.eye(3), "physical": False}, "6 minimal parameters"),
        ({"target": [0.0, 0.0, 0.0]}, "target has 3 joints"),
    ],
)
def test_gains_of_another_arm_are_refused(given: Any, words: str) -> None:
    arm = armdyn.load("planar2")
    valid: dict[str, Any] = {"bandwidth": 10.0, "kd": 5.0, "target": [0.0, 0.0]}
    with pytest.raises(InputError, match=words):
        armdyn.simulate(arm, until=0.1, torque=AdaptiveControl(**{**valid, **given}))


def test_steps_that_miss_samples_are_refused() -> None:
    arm = armdyn.load("planar2")
    control = AdaptiveControl(10.0, 5.0, [0.5, -0.2], period=1e-3)
    for step in (7e-4, 2e-3):
        with pytest.raises(InputError, match="samples every"):
            armdyn.simulate(arm, until=0.1, torque=control, integrator="rk4", step=step)
    with pytest.raises(InputError, match="not run"):
        _ = AdaptiveControl(10.0, 5.0, [0.5, -0.2]).history
    with pytest.raises((InputError, MethodError), match="name the arm"):
        control.export_c("nowhere")
