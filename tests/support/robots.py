"""Random robots, their states, and the answers of Pinocchio: shared by the tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin

from armdyn import Joint, Robot
from armdyn.arm.pinocchio import pinocchio_model
from armdyn.robot.library import random_joint

QUARTERS = (0.0, math.pi / 2, -math.pi / 2, math.pi)
# The bundled arms of papers and textbooks; those that people own are more and larger.
CLASSICAL = ("ascher2", "planar2", "planar3", "puma560", "scara", "stanford")
FAMILIES = ("mixed", "right angles", "parallel", "sliding first", "rotational", "inclined slide")


def random_robot(family: str, n: int, seed: int) -> Robot:
    """A random arm of one of the families of geometry that algorithms treat differently.

    Most of its joints have friction, which Pinocchio's answers below are without.
    """
    rng = np.random.default_rng([seed, n, FAMILIES.index(family)])
    joints = [_random_joint(rng, family, i, n) for i in range(n)]
    joints = _with_friction(joints, np.random.default_rng([seed, n, FAMILIES.index(family), 1]))
    base = np.eye(4)
    base[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    base[:3, :3] *= np.linalg.det(base[:3, :3])
    base[:3, 3] = rng.normal(size=3)
    upright = rng.random() < 0.3
    tool = np.eye(4)
    tool[:3, 3] = rng.normal(size=3)
    return Robot(
        joints,
        gravity=(0.0, 0.0, -9.81) if upright else tuple(rng.normal(size=3) * 5),
        base=None if upright else base,
        tool=tool,
        name=f"{family}-{n}-{seed}",
    )


def _random_joint(rng: np.random.Generator, family: str, i: int, n: int) -> Joint:
    prismatic = {
        "mixed": rng.random() < 0.4,
        "right angles": rng.random() < 0.3,
        "parallel": rng.random() < 0.3,
        "sliding first": i < max(1, n // 2) or rng.random() < 0.2,
        "rotational": False,
        "inclined slide": i % 2 == 1,
    }[family]
    joint = random_joint(rng, prismatic)
    quarter = QUARTERS[rng.integers(4)]
    if family == "right angles":
        joint = replace(joint, beta=quarter, b=joint.b * (rng.random() < 0.5))
        joint = replace(joint, d=joint.d * (rng.random() < 0.5))
    if family == "parallel" and rng.random() < 0.8:
        joint = replace(joint, beta=(0.0, math.pi)[rng.integers(2)])
    if family == "inclined slide":
        # R, P inclined, R parallel to the first R: the twist of the slide is undone behind it
        beta = 0.7 if prismatic else (0.0 if i == 0 else -0.7)
        joint = replace(joint, beta=beta, theta=(0.0, math.pi)[rng.integers(2)] * prismatic)
        if not prismatic and i > 0 and rng.random() < 0.2:
            joint = replace(joint, beta=quarter)
    if rng.random() < 0.5:
        joint = replace(joint, theta=float(rng.uniform(-3, 3)) if rng.random() < 0.7 else quarter)
    if rng.random() < 0.4:
        joint = replace(joint, rotor_inertia=float(rng.uniform(0.01, 0.5)))
    return joint


def _with_friction(joints: list[Joint], rng: np.random.Generator) -> list[Joint]:
    """Viscous and Coulomb friction and an offset, each at most joints: some have only a part."""
    numbers = rng.uniform(0.05, 2.0, (len(joints), 3)) * (rng.random((len(joints), 3)) < 0.8)
    return [
        replace(joint, viscous=a, coulomb=b, offset=1.0 - c)
        for joint, (a, b, c) in zip(joints, numbers.tolist(), strict=True)
    ]


def random_robots(seed: int = 0, sizes: tuple[int, ...] = (1, 2, 3, 4, 6, 7)) -> list[Robot]:
    """One robot of every family and size."""
    return [random_robot(family, n, seed) for family in FAMILIES for n in sizes]


def tilted_robots() -> list[Robot]:
    """Random arms whose axes have a tilt, from hardly any to a large one."""
    found: list[Robot] = []
    for n, size, family in ((3, 0.7, "mixed"), (4, 1e-3, "parallel"), (5, 1e-7, "parallel")):
        rng = np.random.default_rng(n)
        robot = random_robot(family, n, seed=n)
        tilts = size * rng.uniform(0.3, 1.0, n) * (rng.random(n) < 0.8)
        joints = [replace(j, tilt=float(t)) for j, t in zip(robot.joints, tilts, strict=True)]
        found.append(replace(robot, joints=tuple(joints), name=f"tilted by {size:g}"))
    return found


def random_state(robot: Robot, seed: int = 0) -> dict[str, np.ndarray]:
    """A random q, qd, qdd, tau."""
    rng = np.random.default_rng([seed, robot.n, 77])
    return {name: rng.uniform(-2, 2, robot.n) for name in ("q", "qd", "qdd", "tau")}


def oracle(robot: Robot, state: dict[str, np.ndarray]) -> dict[str, object]:
    """Pinocchio's answers, by quantity, without friction."""
    model = pinocchio_model(robot)
    data = model.createData()
    q, qd, qdd, tau = (state[k] for k in ("q", "qd", "qdd", "tau"))
    M = np.triu(pin.crba(model, data, q).copy())
    M = M + np.triu(M, 1).T
    if np.any(model.armature) and not _crba_has_armature():
        M = M + np.diag(model.armature)
    Minv = np.linalg.inv(M)
    answers: dict[str, object] = {
        "mass_matrix": M,
        "inverse_mass_matrix": Minv,
        "inverse_dynamics": pin.rnea(model, data, q, qd, qdd).copy(),
        "bias": pin.nonLinearEffects(model, data, q, qd).copy(),
        "gravity": pin.computeGeneralizedGravity(model, data, q).copy(),
        "forward_dynamics": pin.aba(model, data, q, qd, tau).copy(),
        "coriolis_matrix": _christoffel(model, q, qd),
        "inverse_dynamics_derivatives": _derivatives(pin.computeRNEADerivatives, model, q, qd, qdd),
        "forward_dynamics_derivatives": _derivatives(pin.computeABADerivatives, model, q, qd, tau),
        "regressor": pin.computeJointTorqueRegressor(model, data, q, qd, qdd).reshape(robot.n, -1),
        "kinetic_energy": 0.5 * qd @ M @ qd,
        "potential_energy": pin.computePotentialEnergy(model, data, q),
    }
    return answers


def _derivatives(rule: Callable[..., Any], model: pin.Model, *state: np.ndarray) -> tuple:
    """Derivatives by q and qd, and the symmetric matrix whose upper half Pinocchio gives."""
    data = model.createData()  # holds the answers
    by_q, by_qd, upper = (np.array(part) for part in rule(model, data, *state))
    return by_q, by_qd, np.triu(upper) + np.triu(upper, 1).T


def frame_oracle(robot: Robot, q: np.ndarray) -> dict[str, list[np.ndarray]]:
    """Pinocchio's pose and Jacobian of frames 0..n+1, by quantity."""
    model = pinocchio_model(robot)
    places = [(0, robot.base), *((i, np.eye(4)) for i in range(1, robot.n + 1))]
    for parent, place in [*places, (robot.n, robot.tool)]:
        name = f"frame{model.nframes}"
        model.addFrame(pin.Frame(name, parent, pin.SE3(np.array(place)), pin.OP_FRAME))
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    axes = pin.LOCAL_WORLD_ALIGNED
    added = range(model.nframes - robot.n - 2, model.nframes)
    return {
        "pose": [data.oMf[k].homogeneous.copy() for k in added],
        "jacobian": [
            pin.computeFrameJacobian(model, data, q, k, axes).reshape(6, robot.n) for k in added
        ],
    }


def _christoffel(model: pin.Model, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The matrix of Christoffel symbols times qd.

    Many matrices C have the right C qd. The torques c = C qd are a quadratic form of the velocities
    whose symmetric coefficients are these symbols: column j is its polar form of qd and e_j.
    """
    data = model.createData()
    g = pin.computeGeneralizedGravity(model, data, q).copy()

    def c(rates: np.ndarray) -> np.ndarray:
        return pin.nonLinearEffects(model, data, q, rates) - g

    return np.column_stack([(c(qd + e) - c(qd) - c(e)) / 2 for e in np.eye(model.nv)])


def _crba_has_armature() -> bool:
    model = pin.Model()
    model.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "j")
    model.appendBodyToJoint(1, pin.Inertia(1.0, np.zeros(3), np.eye(3)), pin.SE3.Identity())
    model.armature = np.array([5.0])
    return pin.crba(model, model.createData(), np.zeros(1))[0, 0] > 3.0


def relative_error(got: object, expected: object) -> float:
    """Largest difference over the largest expected entry (or 1e-3 if that is smaller)."""
    a, b = np.asarray(got, dtype=float), np.asarray(expected, dtype=float)
    assert a.shape == b.shape, (a.shape, b.shape)
    return float(np.abs(a - b).max(initial=0.0) / max(np.abs(b).max(initial=0.0), 1e-3))
