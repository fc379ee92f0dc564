"""A new term of friction is one row and a field of `Joint`: a toy term reaches everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Joint, Robot
from armdyn.arm.verify import verify
from armdyn.robot.formats import assemble as _assemble
from armdyn.robot.formats import geometry as _placement
from armdyn.robot.formats.urdf.read import parse_urdf
from armdyn.robot.formats.urdf.write import urdf_text
from armdyn.robot.friction import FRICTION_TERMS, FrictionTerm
from support.c_code import Library, needs_gcc
from support.identification import recorded, small_arm
from support.robots import random_robot, random_state, relative_error

STEP = 1e-6
DYNAMICS = ("inverse_dynamics", "forward_dynamics")


@dataclass(frozen=True, kw_only=True)
class CubicJoint(Joint):
    """A joint with the fields of two more terms."""

    cubic: float = 0.0
    fading: float = 0.0
    fading_speed: float = 0.0


CUBIC = FrictionTerm(
    "Fk", "cubic", ("N m s^3", "N s^3/m^3"), lambda v, s: v * v * v, lambda v, s: 3.0 * v * v
)


FADING = FrictionTerm(
    "Fd", "fading", ("N m", "N"), lambda v, s, w: s / (1.0 + v * v / (w * w)),
    lambda v, s, w: -2.0 * s * v / (w * w) / ((1.0 + v * v / (w * w)) * (1.0 + v * v / (w * w))),
    shape=("fading_speed",),
)  # fmt: skip
"""Dry, and with a second field."""


@pytest.fixture(autouse=True)
def _two_more_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(FRICTION_TERMS, "cubic", CUBIC)
    monkeypatch.setitem(FRICTION_TERMS, "fading", FADING)
    yield


def with_cubic(robot: Robot) -> Robot:
    """The robot with friction of every term at every joint."""
    joints = [
        CubicJoint(
            **{field.name: getattr(joint, field.name) for field in fields(Joint)}
            | {"viscous": 0.3 + 0.1 * i, "coulomb": 0.5, "offset": -0.2 * i},
            cubic=0.2 + 0.05 * i,
            **({"fading": 0.4, "fading_speed": 0.5 + 0.2 * i} if i != 1 else {}),
        )
        for i, joint in enumerate(robot.joints)
    ]
    return replace(robot, joints=joints)


def law(robot: Robot, qd: np.ndarray) -> np.ndarray:
    """The law of friction, written out."""
    Fv, Fc, Fo, Fk, Fd = np.transpose(coefficients_of(robot))
    w = np.array([j.fading_speed or 1.0 for j in robot.joints])  # type: ignore[attr-defined]
    return Fv * qd + (Fc + Fd / (1.0 + (qd / w) ** 2)) * np.sign(qd) + Fo + Fk * qd**3


def coefficients_of(robot: Robot) -> list[list[float]]:
    fields = ("viscous", "coulomb", "offset", "cubic", "fading")
    return [[getattr(joint, field) for field in fields] for joint in robot.joints]


ARMS = [("mixed", 4), ("rotational", 3), ("sliding first", 2)]

# made before the row is there: a plain joint lacks the field
PLAIN = {(f, n): random_robot(f, n, 0) for f, n in [*ARMS, ("mixed", 12)]}
SMALL = small_arm().robot


def arm_of(family: str, n: int) -> tuple[Arm, dict[str, np.ndarray]]:
    robot = with_cubic(PLAIN[family, n])
    return Arm(robot), random_state(robot)


@pytest.mark.parametrize(("family", "n"), ARMS)
def test_torques_have_the_term(family: str, n: int) -> None:
    arm, x = arm_of(family, n)
    f = law(arm.robot, x["qd"])
    assert relative_error(arm.friction(x["qd"]), f) < 1e-14
    states = x["q"], x["qd"], x["qdd"]
    bare = arm.inverse_dynamics(*states, friction=False)
    tau = arm.inverse_dynamics(*states)
    assert relative_error(tau, bare + f) < 1e-13
    assert relative_error(arm.forward_dynamics(x["q"], x["qd"], tau), x["qdd"]) < 1e-9


@pytest.mark.parametrize("quantity", DYNAMICS)
@pytest.mark.parametrize(("family", "n"), ARMS)
def test_derivatives_have_its_slope(family: str, n: int, quantity: str) -> None:
    arm, x = arm_of(family, n)
    last = x["qdd"] if quantity == "inverse_dynamics" else x["tau"]
    f, q, qd = getattr(arm, quantity), x["q"], x["qd"]
    _, by_qd, _ = getattr(arm, f"{quantity}_derivatives")(q, qd, last)
    slopes = [(f(q, qd + h, last) - f(q, qd - h, last)) / (2 * STEP) for h in STEP * np.eye(n)]
    assert relative_error(by_qd, np.transpose(slopes)) < 1e-6


def test_sweeps_along_a_long_arm_have_the_term() -> None:
    arm, x = arm_of("mixed", 12)
    states, f = (x["q"], x["qd"], x["qdd"]), law(arm.robot, x["qd"])
    tau = arm.function("inverse_dynamics", "rolled")(*states)
    bare = arm.function("inverse_dynamics", "newton_euler", friction=False)(*states)
    assert relative_error(tau, bare + f) < 1e-11
    qdd = arm.function("forward_dynamics", "rolled")(x["q"], x["qd"], tau)
    assert relative_error(qdd, x["qdd"]) < 1e-7


@needs_gcc
@pytest.mark.parametrize("parameters", [False, True])
def test_exported_c_has_the_term(tmp_path: Path, parameters: bool) -> None:
    arm, x = arm_of("rotational", 3)
    paths = arm.export_c(tmp_path, DYNAMICS, parameters=parameters)
    joints = arm.robot.joints
    tables = [
        arm.parameters,
        [j.rotor_inertia for j in joints],
        coefficients_of(arm.robot),
    ]
    library = Library(paths)
    for quantity, last in zip(DYNAMICS, ("qdd", "tau"), strict=True):
        states = [x["q"], x["qd"], x[last]]
        (got,) = library(quantity, [*states, *(tables if parameters else [])], [3])
        assert relative_error(got, getattr(arm, quantity)(*states)) < 1e-9
    if parameters:
        header = " ".join(paths[0].read_text().replace("*", " ").split())
        assert "viscous, coulomb, offset, cubic, fading" in header


@pytest.mark.parametrize("rotor", [False, True])
def test_minimal_parameters_have_the_term(rotor: bool) -> None:
    arm, x = arm_of("mixed", 4)
    base = arm.minimal_with(rotor=rotor, friction=True)
    states = x["q"], x["qd"], x["qdd"]
    own = np.array([j.rotor_inertia for j in arm.robot.joints]) * x["qdd"]
    expected = arm.inverse_dynamics(*states) - (0.0 if rotor else own)
    assert relative_error(base.regressor(*states) @ base.values, expected) < 1e-12
    for symbol in ("Fk", "Fd"):
        assert [name for name in base.names if name.startswith(symbol)] == [
            f"{symbol}{i}" for i in (1, 2, 3, 4)
        ]
    assert "cubic friction of joint 2" in base.expression("Fk2")
    tau = base.inverse_dynamics(*states, base.values)
    assert relative_error(tau, arm.inverse_dynamics(*states)) < 1e-12


def test_identification_finds_the_coefficient() -> None:
    truth = Arm(with_cubic(SMALL))
    joints = [replace(joint, cubic=0.0) for joint in truth.robot.joints]  # type: ignore[call-arg]
    described = Arm(replace(truth.robot, joints=joints))
    result = armdyn.identify(described, recorded(truth, duration=10.0), physical=False)
    assert {"Fk1", "Fk2", "Fk3"} <= set(result.names)
    found, true = ([j.cubic for j in a.robot.joints] for a in (result.arm, truth))  # type: ignore[attr-defined]
    assert relative_error(found, true) < 0.05


@pytest.mark.parametrize("integrator", ["rk45", "dop853", "rk4", "ab4", "midpoint"])
@pytest.mark.parametrize("coulomb", [0.0, 1e-9])
def test_simulated_joints_are_slowed_by_the_term(integrator: str, coulomb: float) -> None:
    """I qdd = -Fk qd^3 has the solution qd = v / sqrt(1 + 2 Fk/I v^2 t), with dry friction too."""
    joint = CubicJoint(rotor_inertia=2.0, cubic=0.5, coulomb=coulomb)
    arm = Arm(Robot([joint], name="wheel"))
    options = {"rtol": 1e-9} if integrator in ("rk45", "dop853") else {"step": 1e-3}
    run = armdyn.simulate(arm, [0.0], [3.0], 1.0, integrator=integrator, **options)
    assert abs(run.qd[-1, 0] - 3.0 / np.sqrt(1.0 + 2.0 * 0.25 * 9.0)) < 1e-5


def test_dry_friction_of_the_term_holds_a_joint() -> None:
    """The breakaway torque is that of all dry terms; sliding, the term fades with the speed."""
    joint = CubicJoint(rotor_inertia=2.0, coulomb=0.5, fading=0.4, fading_speed=0.3)
    arm = Arm(Robot([joint], name="brake"))
    for integrator in ("rk45", "rk4"):
        options = {"integrator": integrator, "step": 1e-3, "friction": True}
        still = armdyn.simulate(arm, [0.0], [0.0], 0.5, lambda t, q, qd: 0.89 + 0 * q, **options)
        assert not still.qd.any()
        run = armdyn.simulate(arm, [0.0], [0.0], 0.5, lambda t, q, qd: 0.95 + 0 * q, **options)
        expected = (0.95 - law_of(joint, run.qd[-1, 0])) / 2.0
        assert run.qd[-1, 0] > 0.0 and abs(run.qdd[-1, 0] - expected) < 1e-9
        slow = armdyn.simulate(arm, [0.0], [1.0], 0.5, **options)
        v, t = 1.0, 0.0
        while t < 0.5 - 1e-12:  # the same by midpoints
            middle = v - 5e-5 * law_of(joint, v) / 2.0
            v, t = v - 1e-4 * law_of(joint, middle) / 2.0, t + 1e-4
        assert abs(slow.qd[-1, 0] - v) < 1e-5


def law_of(joint: CubicJoint, v: float) -> float:
    return float(joint.coulomb + joint.fading / (1.0 + (v / joint.fading_speed) ** 2))


def test_verification_knows_the_term() -> None:
    arm, _ = arm_of("sliding first", 2)
    checks = {c.quantity: c for c in verify(arm, n_states=2).checks}
    assert checks["friction"].passed


def test_files_have_the_coefficient(monkeypatch: pytest.MonkeyPatch) -> None:
    arm, _ = arm_of("rotational", 3)
    for module in (_assemble, _placement):
        monkeypatch.setattr(module, "Joint", CubicJoint)
    again = parse_urdf(urdf_text(arm.robot))
    for field in ("cubic", "fading", "fading_speed"):
        assert [getattr(j, field) for j in again.joints] == [
            getattr(j, field) for j in arm.robot.joints
        ]


def test_a_negative_coefficient_is_refused() -> None:
    with pytest.raises(armdyn.RobotError, match=r"`cubic` is -1; it cannot be negative"):
        CubicJoint(cubic=-1.0)
    with pytest.raises(armdyn.RobotError, match="must be positive where there is `fading`"):
        CubicJoint(fading=1.0)
