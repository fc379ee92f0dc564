"""Physically consistent links: natural parameters by pseudo-inertias, and the test of values."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import (
    Arm,
    InputError,
    Joint,
    Log,
    MissingExtraError,
    NumericalError,
    Robot,
    feasible,
    identify,
)
from armdyn.identification.conic import ConicProblem, vec_of_triangle
from armdyn.identification.fit.columns import Model, friction_column
from armdyn.identification.physical import Problem, arm_with, physical
from armdyn.identification.pseudo_inertia import (
    link_fields,
    parameters_from,
    parameters_of,
    pseudo_inertia,
)
from support.beside import beside
from support.identification import example_robot, recorded, small_arm


def stands(arm: Arm, poses: int = 10_000) -> bool:
    """Whether the mass matrix is positive definite at random poses."""
    q = np.random.default_rng(5).uniform(-math.pi, math.pi, (poses, arm.n))
    return bool((np.linalg.eigvalsh(arm.mass_matrix(q))[:, 0] > 0.0).all())


def accepted(arm: Arm) -> bool:
    """Whether a robot of the same links passes all checks."""
    robot = arm.robot
    Robot(robot.joints, robot.gravity, robot.base, robot.tool, strict=True)
    return True


def noisy(seed: int = 0, noise: float = 1.0, duration: float = 3.0) -> Log:
    """Few and bad data, by which links are not bodies."""
    return recorded(small_arm(), duration=duration, noise=noise, seed=seed)


def test_a_pseudo_inertia_has_the_moments_of_points() -> None:
    rng = np.random.default_rng(0)
    points, masses = rng.normal(size=(6, 3)), rng.uniform(0.1, 1.0, 6)
    J = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, points, strict=True))
    x = [masses.sum(), *(masses @ points)]
    x += [J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2]]
    homogeneous = np.column_stack([points, np.ones(6)])
    Pi = (homogeneous.T * masses) @ homogeneous
    assert np.allclose(pseudo_inertia(np.array(x)), Pi, atol=1e-14)
    assert np.allclose(parameters_of(Pi), x, atol=1e-14)
    C = rng.normal(size=(4, 4))
    assert np.allclose(parameters_from(C) @ Pi.ravel(), parameters_of(C @ Pi @ C.T), atol=1e-12)


def test_fields_of_a_link_are_those_of_its_parameters() -> None:
    arm = small_arm()
    joint = arm.robot.joints[1]
    fields = link_fields(arm.parameters[10:20])
    assert fields["mass"] == joint.mass
    assert np.allclose(fields["com"], joint.com) and np.allclose(fields["inertia"], joint.inertia)


def described_wrongly() -> Arm:
    """The small arm with masses and inertias that are 30 % too large."""
    robot = small_arm().robot
    joints = [
        replace(j, mass=1.3 * j.mass, inertia=tuple(1.3 * x for x in j.inertia))
        for j in robot.joints
    ]
    return Arm(replace(robot, joints=joints))


def test_good_data_decide_by_themselves() -> None:
    log = recorded(small_arm(), duration=40.0)
    free, bound = (identify(described_wrongly(), log, physical=p) for p in (False, True))
    moved = (bound.values - free.values) / free.std
    assert np.sqrt(np.mean(moved**2)) < 0.8
    assert bound.torque_error_total < 1.02 * free.torque_error_total
    assert accepted(bound.arm)


@pytest.mark.parametrize("rotor", [False, True])
def test_bad_data_give_bodies_all_the_same(rotor: bool) -> None:
    free, bound = (
        identify(small_arm(), noisy(), physical=p, rotor=rotor, prior=0.05) for p in (False, True)
    )
    assert any(j.physical_faults() for j in free.arm.robot.joints)
    assert accepted(bound.arm) and stands(bound.arm)
    assert all(j.mass > 0.0 for j in bound.arm.robot.joints)
    assert min(j.viscous for j in bound.arm.robot.joints) >= 0.0
    assert "physically consistent" in " ".join(bound.notes)
    k = bound.model.k
    natural = bound.parameters
    if rotor:
        natural = np.append(natural, [j.rotor_inertia for j in bound.arm.robot.joints])
    assert np.allclose(bound.model.base.matrix @ natural, bound.values[:k], atol=1e-9)


def test_bodies_predict_better_where_data_are_few() -> None:
    # errors are those of another motion without noise
    arm, wrong = small_arm(), described_wrongly()
    test = recorded(arm, seed=99, noise=1e-6)
    errors = [
        [
            identify(wrong, noisy(seed, duration=4.0), test=test, physical=p).torque_error_total
            for seed in range(4)
        ]
        for p in (False, True)
    ]
    assert np.mean(errors[1]) < np.mean(errors[0])


def test_the_arm_survives_its_files(tmp_path) -> None:
    bound = identify(small_arm(), noisy()).arm
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 20, 3))
    tau = bound.inverse_dynamics(q, qd, qdd)
    for name in ("arm.toml", "arm.urdf"):
        armdyn.save(bound, tmp_path / name)
        again = armdyn.load(tmp_path / name)
        assert np.allclose(again.inverse_dynamics(q, qd, qdd), tau, rtol=1e-9, atol=1e-9)


def test_two_runs_give_the_same_bits() -> None:
    first, second = (identify(small_arm(), noisy()) for _ in range(2))
    assert (first.parameters == second.parameters).all()
    assert (first.values == second.values).all()


@pytest.mark.parametrize(("length", "mass"), [(0.3, 1e-3), (30.0, 1e4)])
def test_arms_of_any_size(length: float, mass: float) -> None:
    """A toy and a crane give the same answer in their own units."""
    arm = small_arm()
    torque = mass * length  # of gravity; times are scaled so that inertial torques go with it
    time = math.sqrt(length)
    drives = {"viscous": torque * time, "coulomb": torque, "offset": torque}

    def scaled(joint: Joint) -> Joint:
        return replace(
            joint, b=length * joint.b, d=length * joint.d, mass=mass * joint.mass,
            com=tuple(length * x for x in joint.com),
            inertia=tuple(mass * length**2 * x for x in joint.inertia),
            **{key: getattr(joint, key) * unit for key, unit in drives.items()},
        )  # fmt: skip

    other = Arm(replace(arm.robot, joints=[scaled(j) for j in arm.robot.joints]))
    log = noisy()
    moved = replace(log, t=time * log.t, tau=torque * log.tau)
    # the dead band is a speed
    band = 0.02
    here = identify(arm, log, cutoff=8.0, dead_band=band, decimate=4)
    there = identify(other, moved, cutoff=8.0 / time, dead_band=band / time, decimate=4)
    assert accepted(there.arm)
    masses = [j.mass for j in here.arm.robot.joints]
    assert np.allclose([j.mass / mass for j in there.arm.robot.joints], masses, rtol=0.02)


def test_data_without_noise() -> None:
    arm = small_arm()
    result = identify(arm, recorded(arm, noise=0.0, encoder=0.0, duration=40.0))
    assert result.torque_error_total < 1e-3
    assert accepted(result.arm)


def test_an_arm_described_without_masses() -> None:
    bare = small_arm(described=False)
    result = identify(bare, recorded(small_arm(), duration=40.0))
    assert accepted(result.arm) and stands(result.arm)
    free = identify(bare, recorded(small_arm(), duration=40.0), physical=False)
    assert result.torque_error_total < 1.1 * free.torque_error_total


@pytest.mark.parametrize("described", [True, False])
@pytest.mark.parametrize("factor", [-5.0, 0.0, 1000.0])
def test_a_free_fit_gives_a_result_whatever_its_masses_are(described: bool, factor: float) -> None:
    log = recorded(small_arm())
    assert log.tau is not None
    wrong = replace(log, tau=log.tau * np.array([1.0, 1.0, factor]))
    result = identify(small_arm(described=described), wrong, physical=False)
    assert np.isfinite(result.values).all() and np.isfinite(result.std).all()
    assert result.arm.n == 3 and result.verdict in ("passed", "usable", "not passed")
    if described:
        assert result.verdict != "passed"


def test_a_missing_solver_is_told_before_any_work(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    steps: list[str] = []
    with pytest.raises(
        MissingExtraError, match=r"physical=False.*pip install 'armdyn\[identify\]'"
    ):
        identify(small_arm(), noisy(), progress=lambda done, total, what: steps.append(what))
    assert not steps
    assert identify(small_arm(), noisy(), physical=False).values.size
    with pytest.raises(MissingExtraError, match="identify"):
        feasible(small_arm(), small_arm().minimal.values)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_the_least_of_a_log_det_is_where_its_derivative_says(n: int, capfd) -> None:
    """Where tr A X - log det X is least, X is the inverse of A."""
    B = np.random.default_rng(n).normal(size=(n, n))
    A, F = B @ B.T + np.eye(n), vec_of_triangle(n)
    problem = ConicProblem("a test")
    X = problem.unknowns(F.shape[1], A.ravel() @ F)
    problem.minus_log_det(n, X, 1.0)
    found = (F @ problem.solve()[X]).reshape(n, n)
    # a flat minimum: costs are equal to eight digits, unknowns to four
    assert np.allclose(found, np.linalg.inv(A), atol=1e-3)
    assert capfd.readouterr() == ("", "")


def test_the_nearest_semidefinite_matrix_has_no_negative_eigenvalue() -> None:
    """Nearest in the sense of Frobenius, which counts entries off the diagonal twice."""
    B = np.random.default_rng(0).normal(size=(4, 4))
    A, F = B + B.T, vec_of_triangle(4)
    problem = ConicProblem("a test")
    X, off = problem.unknowns(10), problem.unknowns(16)
    problem.zero([(X, F), (off, -np.eye(16))], -A.ravel())
    problem.norm(off)
    problem.semidefinite(4, [(X, np.eye(10))])
    values, V = np.linalg.eigh(A)
    expected = (V * np.maximum(values, 0.0)) @ V.T
    found = (F @ problem.solve()[X]).reshape(4, 4)
    assert np.allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("cost", "bounds", "said"),
    [
        (0.0, [(1.0, -1.0), (-1.0, 0.0)], "a test: .* infeasible"),
        (-1.0, [(1.0, 0.0)], "a test: .* unbounded"),
        (math.nan, [(1.0, 0.0)], "a test: .* not finite"),
        (1.0, [(1.0, math.inf)], "a test: .* not finite"),
    ],
)
def test_a_problem_without_a_solution_is_an_error(cost, bounds, said: str) -> None:
    problem = ConicProblem("a test")
    u = problem.unknowns(1, cost)
    for factor, constant in bounds:
        problem.not_negative([(u, np.array([[factor]]))], np.array([constant]))
    with pytest.raises(NumericalError, match=said):
        problem.solve()


def real_arms() -> dict[str, tuple]:
    return {
        "ur10": ("ur_description/urdf/ur10_robot.urdf", None, "ur10_exciting_trajectory.csv"),
        "panda": ("panda_description/urdf/panda.urdf", "panda_link8",
                  "panda_exciting_trajectory.csv"),
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("rotor", [False, "auto"])
@pytest.mark.parametrize("name", ["ur10", "panda"])
def test_bodies_of_real_arms_lose_little(name: str, rotor: bool | str) -> None:
    urdf, tip, file = real_arms()[name]
    arm = armdyn.load(example_robot(urdf), tip=tip)
    log = Log.read(beside("data/ur10_panda_unisa", file), joints=arm if name == "ur10" else None)
    first, second = log.part(0, len(log) // 2), log.part(len(log) // 2, len(log))
    free, bound = (
        identify(arm, first, test=second, physical=p, rotor=rotor) for p in (False, True)
    )
    assert bound.torque_error_total <= 1.2 * free.torque_error_total
    assert accepted(bound.arm) and stands(bound.arm)


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "planar3"])
def test_values_of_a_described_arm_are_feasible(name: str) -> None:
    arm = armdyn.load(name)
    verdict = feasible(arm, arm.minimal.values)
    assert verdict.feasible and verdict.distance == 0.0
    assert np.allclose(arm.minimal.matrix @ verdict.parameters, arm.minimal.values, atol=1e-6)


def test_values_with_rotors() -> None:
    arm = small_arm()
    arm = Arm(replace(arm.robot, joints=[replace(j, rotor_inertia=0.1) for j in arm.robot.joints]))
    base = arm.minimal_with(rotor=True)
    assert feasible(arm, base.values, rotor=True).feasible
    drive = base.names.index("Jm3")
    values = base.values
    values[drive] = -0.2
    verdict = feasible(arm, values, rotor=True)
    assert not verdict.feasible and verdict.nearest[drive] > -1e-6


def test_a_negative_inertia_is_infeasible_and_the_nearest_is_told() -> None:
    arm = armdyn.load("puma560")
    base = arm.minimal
    values, at = base.values, base.names.index("U6_33")
    values[at] = -0.01
    verdict = feasible(arm, values, std=np.full(len(values), 0.005))
    assert not verdict.feasible and verdict.margin < 0.0
    assert verdict.distance == pytest.approx(2.0, rel=1e-3)
    assert "physically inconsistent" in verdict.words and "U6_33" in verdict.words
    assert verdict.nearest[at] == pytest.approx(0.0, abs=1e-6)
    assert feasible(arm, verdict.nearest + 1e-6 * np.eye(len(values))[at]).margin > -1e-4


def test_infeasible_although_every_value_alone_is_possible() -> None:
    """The moment about one axis of a body is no more than the sum of the others."""
    one = Joint(mass=2.0, com=(0.1, 0.0, 0.0), inertia=(0.02, 0.0, 0.0, 0.02, 0.0, 0.02))
    arm = Arm(Robot([Joint(mass=2.0, inertia=one.inertia), replace(one, beta=1.3, b=0.4)]))
    base = arm.minimal
    values = base.values
    a, b = base.names.index("U2_11-22"), base.names.index("U2_33")
    values[a] = -1.5 * values[b]
    assert not feasible(arm, values).feasible
    values[a] = -0.7 * values[b]
    assert feasible(arm, values).feasible


@pytest.mark.parametrize("wrong", [[1.0], "text", None, [math.nan] * 15])
def test_wrong_values_are_refused(wrong: object) -> None:
    with pytest.raises(InputError, match="`values`"):
        feasible(small_arm(), wrong)  # type: ignore[arg-type]


def test_wrong_deviations_are_refused() -> None:
    values = small_arm().minimal.values
    with pytest.raises(InputError, match="`std`"):
        feasible(small_arm(), values, std=np.zeros(len(values)))
    with pytest.raises(InputError, match="`arm`"):
        feasible("puma", values)  # type: ignore[arg-type]


def test_load_friction_stays_below_its_bound() -> None:
    """A joint that carries almost nothing: what is taken for friction of its load is noise."""
    arm = small_arm()
    joints = [replace(joint, load_friction=0.0) for joint in arm.robot.joints]
    arm = Arm(arm.robot.with_joints(joints))
    model = Model(
        arm, arm.minimal, [friction_column(arm, 2, "load_friction")], known_rotors=np.zeros(3),
        load=arm.minimal.values,
    )  # fmt: skip
    values = np.append(arm.minimal.values, 1.5)
    found, notes = arm_with(model, values, arm.parameters)
    assert found.robot.joints[2].load_friction == 0.95
    assert any("came out as 1.5; the arm has 0.95" in note for note in notes)
    # rows that ask for 1.5 and for the described links
    k, rows = model.k, np.eye(model.k + 1) * 100.0
    problem = Problem(
        3, model.columns, np.column_stack([rows, rows @ values]), arm.minimal.matrix,
        arm.parameters, np.maximum(np.abs(arm.parameters), 1e-2), 0.1, True,
        np.append(arm.minimal.values, 0.5),
    )  # fmt: skip
    assert physical(problem).values[k] == pytest.approx(0.95, abs=1e-6)
