"""The same robot in Pinocchio, an independent library, for comparison.

The model comes from the description alone (`Robot`), not from the constants of our algorithms. So
it reveals a mistake in the computation of those constants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from armdyn.algorithms.table import QUANTITIES
from armdyn.arrays import Array
from armdyn.errors import MissingExtraError
from armdyn.robot.joint import Joint
from armdyn.robot.model import Robot


def import_pinocchio() -> Any:
    """Return the module, or raise an error that says how to get it."""
    try:
        import pinocchio  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
    except ImportError:
        raise MissingExtraError("pin", "verify", "the comparison with Pinocchio") from None
    return pinocchio  # pyright: ignore[reportUnknownVariableType]


def pinocchio_model(robot: Robot, free_base: bool = False) -> Any:
    """Return Pinocchio's model of the robot: gravity and rotor inertia included, friction not.

    Its last frame is the tip. A free base is a first joint of six degrees of freedom, without mass.
    """
    pin = import_pinocchio()
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    parent = 0
    if free_base:
        parent = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    placement = pin.SE3(np.array(robot.base))
    for joint in robot.joints:
        placement = placement * _fixed_part(pin, joint)
        kind = pin.JointModelRZ() if joint.is_revolute else pin.JointModelPZ()
        parent = model.addJoint(parent, kind, placement, joint.name)
        xx, xy, xz, yy, yz, zz = joint.inertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        body = pin.Inertia(joint.mass, np.array(joint.com), tensor)
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
        placement = pin.SE3.Identity()
    tool = pin.SE3(np.array(robot.tool))
    model.addFrame(pin.Frame("tip", parent, 0, tool, pin.FrameType.OP_FRAME))
    rotors = [j.rotor_inertia for j in robot.joints]
    model.armature = np.array([*[0.0] * (model.nv - robot.n), *rotors])
    return model


def _fixed_part(pin: Any, joint: Joint) -> Any:
    """Return Tx(b) Rx(beta) Ry(tilt) Rz(theta) Tz(d); the joint's motion comes after it."""
    x, y, z = np.eye(3)
    about_x = pin.SE3(pin.AngleAxis(joint.beta, x).toRotationMatrix(), joint.b * x)
    about_z = pin.SE3(pin.AngleAxis(joint.theta, z).toRotationMatrix(), joint.d * z)
    about_y = pin.SE3(pin.AngleAxis(joint.tilt, y).toRotationMatrix(), np.zeros(3))
    return about_x * about_y * about_z


class PinocchioAnswers:
    """Pinocchio's answers at given states, by quantity, without friction."""

    def __init__(self, robot: Robot, states: dict[str, Array]) -> None:
        self._pin = import_pinocchio()
        self._model = pinocchio_model(robot)
        self._data = self._model.createData()
        self._states = states
        self._known: dict[str, Array | tuple[Array, ...]] = {}

    @property
    def version(self) -> str:
        """Pinocchio's version."""
        return str(self._pin.__version__)

    def __contains__(self, quantity: str) -> bool:
        return quantity in self._rules()

    def __getitem__(self, quantity: str) -> Array | tuple[Array, ...]:
        """Return the quantity at every state, or the tuple of them; states are the first axis."""
        if quantity not in self._known:
            rule, n_states = self._rules()[quantity], len(self._states["q"])
            shapes = QUANTITIES[quantity].shapes(self._model.nv).values()
            several = len(shapes) > 1
            # copied at once: the next state may overwrite what Pinocchio returned
            answers = [
                [np.array(part) for part in (answer if several else (answer,))]
                for answer in (rule(*state) for state in self._each())
            ]
            # Pinocchio drops axes of length one
            arrays = [
                np.array(part, dtype=np.float64).reshape(n_states, *shape)
                for part, shape in zip(zip(*answers, strict=True), shapes, strict=True)
            ]
            self._known[quantity] = tuple(arrays) if several else arrays[0]
        return self._known[quantity]

    def _each(self) -> Any:
        return zip(*(self._states[name] for name in ("q", "qd", "qdd", "tau")), strict=True)

    def _rules(self) -> dict[str, Callable[[Array, Array, Array, Array], Any]]:
        pin, model, data = self._pin, self._model, self._data
        tip = model.nframes - 1
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

        def full(matrix: Array) -> Array:
            upper = np.triu(matrix)
            return upper + np.triu(upper, 1).T

        def mass_matrix(q: Array) -> Array:
            return full(pin.crba(model, data, q))

        def derivatives(rule: Any, *state: Array) -> tuple[Array, ...]:
            by_q, by_qd, matrix = rule(model, data, *state)
            return by_q, by_qd, full(matrix)

        def jacobian_derivative(q: Array, qd: Array) -> Array:
            pin.computeJointJacobiansTimeVariation(model, data, q, qd)
            pin.updateFramePlacements(model, data)
            return pin.getFrameJacobianTimeVariation(model, data, tip, axes)

        def pose(q: Array) -> Array:
            pin.framesForwardKinematics(model, data, q)
            return data.oMf[tip].homogeneous

        return {
            "mass_matrix": lambda q, qd, qdd, tau: mass_matrix(q),
            "inverse_mass_matrix": lambda q, qd, qdd, tau: np.linalg.inv(mass_matrix(q)),
            "inverse_dynamics": lambda q, qd, qdd, tau: pin.rnea(model, data, q, qd, qdd),
            "bias": lambda q, qd, qdd, tau: pin.nonLinearEffects(model, data, q, qd),
            "gravity": lambda q, qd, qdd, tau: pin.computeGeneralizedGravity(model, data, q),
            "coriolis_matrix": lambda q, qd, qdd, tau: pin.computeCoriolisMatrix(
                model, data, q, qd
            ),
            "forward_dynamics": lambda q, qd, qdd, tau: pin.aba(model, data, q, qd, tau),
            "inverse_dynamics_derivatives": lambda q, qd, qdd, tau: derivatives(
                pin.computeRNEADerivatives, q, qd, qdd
            ),
            "forward_dynamics_derivatives": lambda q, qd, qdd, tau: derivatives(
                pin.computeABADerivatives, q, qd, tau
            ),
            "regressor": lambda q, qd, qdd, tau: pin.computeJointTorqueRegressor(
                model, data, q, qd, qdd
            ),
            "kinetic_energy": lambda q, qd, qdd, tau: 0.5 * qd @ mass_matrix(q) @ qd,
            "potential_energy": lambda q, qd, qdd, tau: pin.computePotentialEnergy(model, data, q),
            "pose": lambda q, qd, qdd, tau: pose(q),
            "jacobian": lambda q, qd, qdd, tau: pin.computeFrameJacobian(model, data, q, tip, axes),
            "jacobian_derivative": lambda q, qd, qdd, tau: jacobian_derivative(q, qd),
        }
