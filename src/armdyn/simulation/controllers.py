"""Controllers: torques that make an arm follow a target."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_flag
from armdyn.errors import InputError, shown
from armdyn.motion.trajectory import Trajectory
from armdyn.robot.friction import coefficients, has_load_terms

Wanted = Callable[[float], tuple[Array, Array, Array]]
EFFORT = "effort"


class Motion(Protocol):
    """An object with a trajectory, such as an exciting motion.

    Attributes:
        trajectory: positions and their derivatives as functions of time.
    """

    @property
    def trajectory(self) -> Trajectory:
        """The motion to follow."""
        ...


class _Following(ABC):
    """Base class of controllers: gains, a target, and limits of the torques."""

    def __init__(
        self,
        kp: ArrayLike,
        kd: ArrayLike,
        target: ArrayLike | Trajectory | Motion,
        *,
        limit: ArrayLike | str | None,
        model: Arm | None,
    ) -> None:
        self._kp, self._kd = _gains(kp, "kp"), _gains(kd, "kd")
        self._limit = checked_limit(limit)
        self._model = checked_model(model)
        self._target = checked_target(target)

    @property
    def rows(self) -> int | None:
        """Number of targets, one per arm; None if all arms have the same target."""
        target = self._target
        return None if isinstance(target, Trajectory) or target.ndim == 1 else len(target)

    def of_arm(self, k: int) -> Self:
        """Return the controller of one arm of a batch."""
        result = copy.copy(self)
        if not isinstance(self._target, Trajectory) and self._target.ndim == 2:
            result._target = self._target[k]
        return result

    def of_arms(self, i: int, j: int) -> Self:
        """Return the controller of arms i to j of a batch, without j."""
        result = copy.copy(self)
        if not isinstance(self._target, Trajectory) and self._target.ndim == 2:
            result._target = self._target[i:j]
        return result

    def prepared(self, arm: Arm) -> Callable[[float, Array, Array], Array]:
        """Return the torques for an arm as a function of (t, q, qd)."""
        n = arm.n
        for name, value in (("kp", self._kp), ("kd", self._kd)):
            if value.shape not in ((), (n,)):
                raise InputError(
                    f"`{name}` has shape {value.shape}, but the arm has {n} joints.", argument=name
                )
        model = self._model or arm
        check_fits(self._target, model, n)
        limit = limits_of(self._limit, arm)
        wanted = wanted_motion(self._target)

        def torque(t: float, q: Array, qd: Array) -> Array:
            tau = self._torque(model, wanted(t), q, qd)
            return tau if limit is None else np.clip(tau, -limit, limit)

        return torque

    @abstractmethod
    def _torque(
        self, model: Arm, wanted: tuple[Array, Array, Array], q: Array, qd: Array
    ) -> Array: ...

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: kp {self._kp.tolist()}, kd {self._kd.tolist()}>"


class PD(_Following):
    """Proportional-derivative control of every joint with gravity compensation.

    tau = kp (q* - q) + kd (qd* - qd) + g(q)

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> pd = armdyn.PD(kp=100.0, kd=20.0, target=[0.5, -0.2])
        >>> armdyn.simulate(arm, until=3.0, torque=pd).q[-1]
        array([ 0.5, -0.2])
    """

    def __init__(
        self,
        kp: ArrayLike,
        kd: ArrayLike,
        target: ArrayLike | Trajectory | Motion,
        *,
        gravity: bool = True,
        limit: ArrayLike | str | None = None,
        model: Arm | None = None,
    ) -> None:
        """Make a controller.

        Args:
            kp: stiffness, one or one per joint.
            kd: damping, one or one per joint.
            target: positions ``(n,)`` or ``(B, n)`` to go to, or a motion to follow: of
                `armdyn.motion`, or from `armdyn.excite`.
            gravity: whether to add the torques that compensate gravity.
            limit: largest torque, one or one per joint; "effort" for the limits of the robot.
            model: the arm for gravity compensation; default is the simulated one.
        """
        super().__init__(kp, kd, target, limit=limit, model=model)
        self._gravity = checked_flag(gravity, "gravity")

    def _torque(self, model: Arm, wanted: tuple[Array, Array, Array], q: Array, qd: Array) -> Array:
        tau = self._kp * (wanted[0] - q) + self._kd * (wanted[1] - qd)
        return tau + model.gravity(q) if self._gravity else tau


class ComputedTorque(_Following):
    """Control by inverse dynamics: the errors of all joints obey e'' + kd e' + kp e = 0.

    tau = M(q) (qdd* + kd (qd* - qd) + kp (q* - q)) + C qd + g + friction(qd*)

    Friction of the load is that of the torques which the gears then transmit.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> limits = dict(velocity=1.0, acceleration=2.0)
        >>> motion = armdyn.motion.JointSpace([0.0, 0.0], [0.5, -0.2], **limits)
        >>> control = armdyn.ComputedTorque(kp=100.0, kd=20.0, target=motion)
        >>> run = armdyn.simulate(arm, until=motion.duration, torque=control)
        >>> bool(abs(run.q[-1] - motion.goal).max() < 1e-4)
        True
    """

    def __init__(
        self,
        kp: ArrayLike,
        kd: ArrayLike,
        target: ArrayLike | Trajectory | Motion,
        *,
        friction: bool = True,
        limit: ArrayLike | str | None = None,
        model: Arm | None = None,
    ) -> None:
        """Make a controller.

        Args:
            kp: stiffness [1/s^2], one or one per joint.
            kd: damping [1/s], one or one per joint.
            target: positions ``(n,)`` or ``(B, n)`` to go to, or a motion to follow: of
                `armdyn.motion`, or from `armdyn.excite`.
            friction: whether to add the friction at the desired velocities. At measured velocities,
                noise would flip its sign.
            limit: largest torque, one or one per joint; "effort" for the limits of the robot.
            model: the arm for inverse dynamics; default is the simulated one.
        """
        super().__init__(kp, kd, target, limit=limit, model=model)
        self._friction = checked_flag(friction, "friction")

    def _torque(self, model: Arm, wanted: tuple[Array, Array, Array], q: Array, qd: Array) -> Array:
        q_wanted, qd_wanted, qdd_wanted = wanted
        qdd = qdd_wanted + self._kd * (qd_wanted - qd) + self._kp * (q_wanted - q)
        tau = model.inverse_dynamics(q, qd, qdd, friction=False)
        if not self._friction:
            return tau
        rotors = _rotors_of_loaded_gears(model)
        load = None if rotors is None else tau - rotors * qdd
        return tau + model.friction(qd_wanted, load=load)


@lru_cache(maxsize=8)
def _rotors_of_loaded_gears(model: Arm) -> Array | None:
    """Return rotor inertias ``(n,)`` if friction depends on what gears transmit; else None."""
    joints = model.robot.joints
    if not has_load_terms(map(coefficients, joints)):
        return None
    return np.array([joint.rotor_inertia for joint in joints])


def _gains(value: object, name: str) -> Array:
    what = "numbers from 0, one or one a joint"
    array = checked_array(value, name, (), ("n",), what=what)
    if not (array >= 0.0).all():
        raise InputError(f"`{name}` is {shown(value)}, expected {what}.", argument=name)
    return array


def checked_model(value: object) -> Arm | None:
    """Return the model of a controller, in double; None for the simulated arm."""
    if value is not None and not isinstance(value, Arm):
        raise InputError(f"`model` is {shown(value)}, expected an Arm.", argument="model")
    return value if value is None else value.astype(np.float64)


def checked_limit(value: object) -> Array | str | None:
    """Return the largest torques as given: None, "effort", or positive numbers."""
    if value is None or (isinstance(value, str) and value == EFFORT):
        return value
    what = f"positive torques, one or one a joint, or {EFFORT!r}"
    array = checked_array(value, "limit", (), ("n",), what=what)
    if not (array > 0.0).all():
        raise InputError(f"`limit` is {shown(value)}, expected {what}.", argument="limit")
    return array


def limits_of(limit: Array | str | None, arm: Arm) -> Array | None:
    """Return the largest torques for an arm; None without limits."""
    if isinstance(limit, str):
        return np.array([joint.effort for joint in arm.robot.joints])
    if limit is not None and limit.shape not in ((), (arm.n,)):
        raise InputError(
            f"`limit` has shape {limit.shape}, but the arm has {arm.n} joints.", argument="limit"
        )
    return limit


def check_fits(target: Array | Trajectory, model: Arm, n: int) -> None:
    """Refuse a target or a model of another number of joints."""
    width = target.n if isinstance(target, Trajectory) else target.shape[-1]
    for what, joints in (("target", width), ("model", model.n)):
        if joints != n:
            raise InputError(f"the {what} has {joints} joints, the arm {n}.", argument=what)


def wanted_motion(target: Array | Trajectory) -> Wanted:
    """Return the desired q, qd and qdd as a function of time."""
    if not isinstance(target, Trajectory):
        rest = np.zeros_like(target)
        return lambda t: (target, rest, rest)

    def wanted(t: float) -> tuple[Array, Array, Array]:
        q, qd, qdd = target.states(min(t, target.duration))
        if t > target.duration:  # hold the end of the motion
            return q, np.zeros_like(qd), np.zeros_like(qdd)
        return q, qd, qdd

    return wanted


def checked_target(value: object) -> Array | Trajectory:
    """Return a target: positions, or a motion."""
    motion: object = getattr(value, "trajectory", value)
    if isinstance(motion, Trajectory):
        return motion
    what = "positions (n,) or (B, n), or a motion"
    return checked_array(value, "target", ("n",), ("B", "n"), what=what)
