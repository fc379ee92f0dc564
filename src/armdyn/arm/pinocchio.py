"""The same robot in Pinocchio, an independent library, for comparison.

The model comes from the description alone (`Robot`), not from the constants of our algorithms. So
it reveals a mistake in the computation of those constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armdyn.algorithms.table import QUANTITIES
from armdyn.arrays import Array
from armdyn.errors import MissingExtraError
from armdyn.robot.joint import Joint
from armdyn.robot.mechanism import link_parents, link_rows
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

    Its last frame is the tip, of a tree that of its last joint. A free base is a first joint of six
    degrees of freedom, without mass. Followers are joints of their own; see `depth_first`.
    """
    pin = import_pinocchio()
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    parent = 0
    if free_base:
        parent = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    parents, numbers = link_parents(robot), {0: parent}
    armature = [0.0] * model.nv
    for k in depth_first(parents):
        joint, parent = robot.links[k - 1], numbers[parents[k - 1]]
        before = np.eye(4) if parents[k - 1] else np.array(robot.base)
        placement = pin.SE3(before) * _fixed_part(pin, joint)
        kind = pin.JointModelRZ() if joint.is_revolute else pin.JointModelPZ()
        numbers[k] = parent = model.addJoint(parent, kind, placement, joint.name)
        armature.append(joint.rotor_inertia)
        xx, xy, xz, yy, yz, zz = joint.inertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        body = pin.Inertia(joint.mass, np.array(joint.com), tensor)
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
    tool = pin.SE3(np.array(robot.tool))
    model.addFrame(pin.Frame("tip", parent, 0, tool, pin.FrameType.OP_FRAME))
    model.armature = np.array(armature)
    return model


def depth_first(parents: Sequence[int]) -> list[int]:
    """Return the numbers of links in the order that Pinocchio needs: branch after branch."""
    found: list[int] = []
    waiting = [k for k in range(len(parents), 0, -1) if parents[k - 1] == 0]
    while waiting:
        found.append(waiting.pop())
        waiting += [k for k in range(len(parents), 0, -1) if parents[k - 1] == found[-1]]
    return found


def _fixed_part(pin: Any, joint: Joint) -> Any:
    """Return Tx(b) Rx(beta) Ry(tilt) Rz(theta) Tz(d), behind what leads to a branch.

    The joint's motion comes after it.
    """
    x, y, z = np.eye(3)
    branch = pin.SE3(
        pin.AngleAxis(joint.branch_angle, z).toRotationMatrix(), joint.branch_offset * z
    )
    about_x = pin.SE3(pin.AngleAxis(joint.beta, x).toRotationMatrix(), joint.b * x)
    about_z = pin.SE3(pin.AngleAxis(joint.theta, z).toRotationMatrix(), joint.d * z)
    about_y = pin.SE3(pin.AngleAxis(joint.tilt, y).toRotationMatrix(), np.zeros(3))
    return branch * about_x * about_y * about_z


class PinocchioAnswers:
    """Pinocchio's answers at given states, by quantity, without friction."""

    def __init__(self, robot: Robot, states: dict[str, Array], frame: str = "tip") -> None:
        """Make the model.

        Args:
            robot: the robot.
            states: its states, by name.
            frame: whose pose and Jacobian are answered; of a tree not "tip".
        """
        self._pin = import_pinocchio()
        self._model = pinocchio_model(robot)
        self._robot = robot
        if not robot.is_serial:
            self._add_frame(frame)
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
            sizes = self._robot.n, len(self._robot.links)
            shapes = QUANTITIES[quantity].shapes(*sizes).values()
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
        if not self._robot.is_serial:
            return self._tree_rules()
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

    def _add_frame(self, frame: str) -> None:
        """Add a frame of a tree as the last of the model."""
        pin, robot, model = self._pin, self._robot, self._model
        named = {one.name: (one.link, np.array(one.placement)) for one in robot.frames}
        own = {joint.name: (k, np.eye(4)) for k, joint in enumerate(robot.links, 1)}
        link, placement = {**own, **named}[frame]
        joint = model.getJointId(robot.links[link - 1].name) if link else 0
        # a second frame of the name "tip" would not be added
        kind = pin.FrameType.OP_FRAME
        model.addFrame(pin.Frame("compared", joint, 0, pin.SE3(placement), kind))

    def _tree_rules(self) -> dict[str, Callable[[Array, Array, Array, Array], Any]]:
        """Return the rules of a tree: those of all joints, projected onto the coordinates."""
        pin, model, data, robot = self._pin, self._model, self._data, self._robot
        order, rows = depth_first(link_parents(robot)), link_rows(robot)
        G, q0 = np.zeros((len(order), robot.n)), np.zeros(len(order))
        for at, k in enumerate(order):
            factors, q0[at] = rows[k - 1]
            for coordinate, factor in factors.items():
                G[at, coordinate] = factor
        columns = [10 * order.index(k) + p for k in range(1, len(order) + 1) for p in range(10)]
        tip, axes = model.nframes - 1, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

        def mass_matrix(q: Array) -> Array:
            upper = np.triu(pin.crba(model, data, G @ q + q0))
            return G.T @ (upper + np.triu(upper, 1).T) @ G

        def torques(q: Array, qd: Array, qdd: Array) -> Array:
            return G.T @ pin.rnea(model, data, G @ q + q0, G @ qd, G @ qdd)

        def accelerations(q: Array, qd: Array, tau: Array) -> Array:
            bias = torques(q, qd, np.zeros(robot.n))
            return np.linalg.solve(mass_matrix(q), tau - bias).astype(np.float64)

        def derivatives(q: Array, qd: Array, qdd: Array) -> tuple[Array, ...]:
            pin.computeRNEADerivatives(model, data, G @ q + q0, G @ qd, G @ qdd)
            by_q, by_qd = G.T @ data.dtau_dq @ G, G.T @ data.dtau_dv @ G
            return by_q, by_qd, mass_matrix(q)

        def solved(q: Array, qd: Array, tau: Array) -> tuple[Array, ...]:
            by_q, by_qd, M = derivatives(q, qd, accelerations(q, qd, tau))
            inverse = np.linalg.inv(M).astype(np.float64)
            return -inverse @ by_q, -inverse @ by_qd, inverse

        def regressor(q: Array, qd: Array, qdd: Array) -> Array:
            Y = pin.computeJointTorqueRegressor(model, data, G @ q + q0, G @ qd, G @ qdd)
            return G.T @ Y[:, columns]

        def pose(q: Array) -> Array:
            pin.framesForwardKinematics(model, data, G @ q + q0)
            return data.oMf[tip].homogeneous

        def rates(q: Array, qd: Array) -> Array:
            pin.computeJointJacobiansTimeVariation(model, data, G @ q + q0, G @ qd)
            pin.updateFramePlacements(model, data)
            return pin.getFrameJacobianTimeVariation(model, data, tip, axes) @ G

        still = np.zeros(robot.n)
        return {
            "mass_matrix": lambda q, qd, qdd, tau: mass_matrix(q),
            "inverse_mass_matrix": lambda q, qd, qdd, tau: np.linalg.inv(mass_matrix(q)),
            "inverse_dynamics": lambda q, qd, qdd, tau: torques(q, qd, qdd),
            "bias": lambda q, qd, qdd, tau: torques(q, qd, still),
            "gravity": lambda q, qd, qdd, tau: torques(q, still, still),
            "forward_dynamics": lambda q, qd, qdd, tau: accelerations(q, qd, tau),
            "inverse_dynamics_derivatives": lambda q, qd, qdd, tau: derivatives(q, qd, qdd),
            "forward_dynamics_derivatives": lambda q, qd, qdd, tau: solved(q, qd, tau),
            "regressor": lambda q, qd, qdd, tau: regressor(q, qd, qdd),
            "kinetic_energy": lambda q, qd, qdd, tau: 0.5 * qd @ mass_matrix(q) @ qd,
            "potential_energy": lambda q, qd, qdd, tau: pin.computePotentialEnergy(
                model, data, G @ q + q0
            ),
            "pose": lambda q, qd, qdd, tau: pose(q),
            "jacobian": lambda q, qd, qdd, tau: (
                pin.computeFrameJacobian(model, data, G @ q + q0, tip, axes) @ G
            ),
            "jacobian_derivative": lambda q, qd, qdd, tau: rates(q, qd),
        }
