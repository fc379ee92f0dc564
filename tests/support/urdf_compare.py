"""URDFs in Pinocchio and in armdyn, side by side; and random URDFs of every kind of geometry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pinocchio as pin

from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.robot.chain import chain_of
from armdyn.robot.model import Robot
from support.robots import relative_error

RELATIONS = ("skew", "parallel", "antiparallel", "meeting", "coincident", "opposed", "right")


def torques(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    return np.array(inverse_dynamics(chain_of(robot), q.tolist(), qd.tolist(), qdd.tolist()))


def mass_matrix(robot: Robot, q: np.ndarray) -> np.ndarray:
    weightless = replace(chain_of(robot), g=(0.0, 0.0, 0.0))
    zero = [0.0] * robot.n
    return np.array(
        [inverse_dynamics(weightless, q.tolist(), zero, row.tolist()) for row in np.eye(robot.n)]
    )


def pose(robot: Robot, q: np.ndarray) -> np.ndarray:
    """The tip in the base frame, from the description alone."""
    T = np.array(robot.base)
    for joint, value in zip(robot.joints, q, strict=True):
        theta = joint.theta + (value if joint.is_revolute else 0.0)
        d = joint.d + (0.0 if joint.is_revolute else value)
        x, y, z = np.eye(3)
        about_x = pin.SE3(pin.AngleAxis(joint.beta, x).toRotationMatrix(), joint.b * x)
        about_y = pin.SE3(pin.AngleAxis(joint.tilt, y).toRotationMatrix(), 0.0 * y)
        about_z = pin.SE3(pin.AngleAxis(theta, z).toRotationMatrix(), d * z)
        T = T @ (about_x * about_y * about_z).homogeneous
    return T @ np.array(robot.tool)


def errors(
    robot: Robot, model: pin.Model, tip: str, base: str | None = None, seeds: Sequence[int] = (0, 1)
) -> dict[str, float]:
    """Largest relative errors against Pinocchio's model of the same file, other joints at zero."""
    keep = [joint.name for joint in robot.joints]
    neutral = pin.neutral(model)
    data = model.createData()
    pin.framesForwardKinematics(model, data, neutral)
    placement = (
        pin.SE3.Identity() if base is None else data.oMf[model.getFrameId(base, pin.BODY)].copy()
    )
    locked = [model.getJointId(name) for name in model.names[1:] if name not in keep]
    if locked:
        model = pin.buildReducedModel(model, locked, neutral)
    assert list(model.names)[1:] == keep
    model.gravity.linear = placement.rotation @ np.array(robot.gravity)
    model.armature = np.array([joint.rotor_inertia for joint in robot.joints])
    data = model.createData()
    worst = {"torque": 0.0, "mass matrix": 0.0, "pose": 0.0}
    for seed in seeds:
        q, qd, qdd = np.random.default_rng([seed, robot.n]).uniform(-2, 2, (3, robot.n))
        given = pin_configuration(model, q)
        M = np.triu(pin.crba(model, data, given))
        M = M + np.triu(M, 1).T
        tau = pin.rnea(model, data, given, qd, qdd).copy()
        pin.framesForwardKinematics(model, data, given)
        tip_pose = placement.actInv(data.oMf[model.getFrameId(tip, pin.BODY)]).homogeneous
        found = {
            "torque": relative_error(torques(robot, q, qd, qdd), tau),
            "mass matrix": relative_error(mass_matrix(robot, q), M),
            "pose": relative_error(pose(robot, q), tip_pose),
        }
        worst = {key: max(value, found[key]) for key, value in worst.items()}
    return worst


def pin_configuration(model: pin.Model, q: np.ndarray) -> np.ndarray:
    """Pinocchio's configuration: cosine and sine for joints that turn without end."""
    values: list[float] = []
    for joint, value in zip(model.joints[1:], q, strict=True):
        values.extend([math.cos(value), math.sin(value)] if joint.nq == 2 else [value])
    return np.array(values)


def random_urdf(n: int, seed: int, prismatic: float = 0.3, nearly: float = 0.0) -> str:
    """A random arm with side branches, fixed links and frozen joints, as URDF text.

    With `nearly` [rad], axes differ from those below by up to this angle.
    """
    rng = np.random.default_rng([seed, n])
    parts = [f'<robot name="random{n}-{seed}">', _link("L0", rng)]
    axis = _unit(rng)
    for i in range(1, n + 1):
        relation = RELATIONS[rng.integers(len(RELATIONS))]
        direction, point = _next_axis(relation, axis, rng)
        if nearly:
            direction = direction + nearly * rng.uniform(0.1, 0.7, 3)
            direction = direction / np.linalg.norm(direction)
        R = _rotation(rng)
        axis = R.T @ direction
        kind = "prismatic" if rng.random() < prismatic else ("revolute", "continuous")[i % 2]
        parts += [_joint(f"J{i}", kind, f"L{i - 1}", f"L{i}", R, point, axis), _link(f"L{i}", rng)]
        if rng.random() < 0.4:
            spot = rng.normal(size=3)
            side = ("fixed", "revolute", "prismatic")[rng.integers(3)]
            parts.append(_joint(f"S{i}", side, f"L{i}", f"B{i}", _rotation(rng), spot, _unit(rng)))
            parts.append(_link(f"B{i}", rng))
    parts.append(_joint("T", "fixed", f"L{n}", "tip", _rotation(rng), rng.normal(size=3), axis))
    return "\n".join([*parts, '<link name="tip"/>', "</robot>"])


def _next_axis(
    relation: str, axis: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The direction of the next axis and a point on it, where the last goes through the origin."""
    other, point = _unit(rng), rng.normal(size=3)
    along = rng.normal() * axis
    if relation == "right":
        other = np.cross(axis, rng.normal(size=3))
        return other / np.linalg.norm(other), point
    return {
        "skew": (other, point),
        "parallel": (axis, point),
        "antiparallel": (-axis, point),
        "meeting": (other, along + rng.normal() * other),
        "coincident": (axis, along),
        "opposed": (-axis, along),
    }[relation]


def _link(name: str, rng: np.random.Generator) -> str:
    points, masses = rng.normal(size=(5, 3)) * 0.2, rng.uniform(0.2, 1.5, 5)
    r = points - masses @ points / masses.sum()
    second = np.einsum("k,ki,kj->ij", masses, r, r)
    I = np.trace(second) * np.eye(3) - second
    entries = " ".join(
        f'i{"xyz"[a]}{"xyz"[b]}="{float(I[a, b])!r}"' for a in range(3) for b in range(a, 3)
    )
    return (
        f'<link name="{name}"><inertial><origin xyz="{_text(rng.normal(size=3) * 0.3)}" '
        f'rpy="{_text(rng.uniform(-3, 3, 3))}"/><mass value="{float(masses.sum())!r}"/>'
        f"<inertia {entries}/></inertial></link>"
    )


def _joint(
    name: str, kind: str, parent: str, child: str, R: np.ndarray, p: np.ndarray, axis: np.ndarray
) -> str:
    rpy = pin.rpy.matrixToRpy(R)
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{_text(p)}" rpy="{_text(rpy)}"/><axis xyz="{_text(axis)}"/>'
        '<limit lower="-9" upper="9" effort="100" velocity="10"/></joint>'
    )


def _unit(rng: np.random.Generator) -> np.ndarray:
    if rng.random() < 0.5:
        return np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def _rotation(rng: np.random.Generator) -> np.ndarray:
    if rng.random() < 0.5:  # by right angles
        return np.round(pin.rpy.rpyToMatrix(rng.integers(-2, 3, 3) * math.pi / 2))
    return pin.rpy.rpyToMatrix(rng.uniform(-3, 3, 3))


def _text(values: np.ndarray) -> str:
    return " ".join(repr(float(v)) for v in values)
