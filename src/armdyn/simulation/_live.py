"""`Live`: an arm that moves step by step, under torques that may change between steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import AUTO, Arm
from armdyn.simulation._diagnostics import SHORTER, check_state
from armdyn.simulation._plant import Plant
from armdyn.simulation.events._stiction import StictionState
from armdyn.simulation.forces._forces import Forces
from armdyn.simulation.forces._quantity import Quantity
from armdyn.simulation.steppers._integrators import INTEGRATORS
from armdyn.simulation.steppers._runge_kutta import RungeKutta
from armdyn.simulation.steppers._tableau import Tableau

Array = NDArray[np.float64]

STEP = 1e-3
"""The length of a step [s]."""


class Live:
    """One arm that is simulated as time goes by; joints stick, slip and stop at their limits.

    A joint that begins beyond a limit stops where it began.

    Attributes:
        q: positions ``(n,)``.
        qd: velocities ``(n,)``.
        t: time since the beginning [s].
    """

    def __init__(self, arm: Arm, q: Array, qd: Array, *, friction: bool = True) -> None:
        """Compile the steps and begin.

        Raises:
            RobotError: the arm has a joint that moves no mass.
        """
        self._arm = arm
        plant = Plant(arm, AUTO, friction=friction, inside=True, parameters=None)
        self._drive = Quantity("torque", None, arm, arm.n, None)
        forces = Forces(arm, self._drive, Quantity("wrench", None, arm, 6, None))
        joints = arm.robot.joints
        lower = np.minimum([joint.lower for joint in joints], q)
        upper = np.maximum([joint.upper for joint in joints], q)
        self._q: Array = q[None].copy()
        self._qd: Array = qd[None].copy()
        self.t = 0.0
        holds = StictionState(plant, self._q, self._qd, 1.0, (lower, upper))
        method = INTEGRATORS["rk4"]
        assert isinstance(method.coefficients, Tableau)
        self._stepper = RungeKutta(plant, forces, STEP, holds, method.coefficients, method.name)

    @property
    def q(self) -> Array:
        return self._q[0]

    @property
    def qd(self) -> Array:
        return self._qd[0]

    def step(self, torque: Array) -> None:
        """Move on by a step under torques ``(n,)``.

        Raises:
            NumericalError: the state is no longer that of an arm.
        """
        self._drive.constant = torque
        after = self._stepper.step(self.t, self._q, self._qd)
        self.t += STEP
        check_state(self._arm, self.t, after.q, after.qd, SHORTER)
        self._stepper.events.clear()
        self._q, self._qd = after.q, after.qd
