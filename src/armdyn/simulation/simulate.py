"""`simulate`: integrate the motion of an arm, as a whole or step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.cluster import checked_client
from armdyn.errors import InputError
from armdyn.kinematics.turns import joint_limits
from armdyn.motion.trajectory import checked_arm
from armdyn.programs.arguments import AUTO
from armdyn.progress import Progress
from armdyn.simulation.blocks import Draw, batch_of, simulated_in_blocks
from armdyn.simulation.events import SHORTER, check_state
from armdyn.simulation.explicit import RungeKutta
from armdyn.simulation.forces import Controller, Forces, Quantity
from armdyn.simulation.integrators import RK4
from armdyn.simulation.plant import Plant
from armdyn.simulation.run import Run
from armdyn.simulation.running import integrated, prepared
from armdyn.simulation.stepper import System
from armdyn.simulation.stiction import StictionState

# `simulate`: integrate the motion of an arm.

Function = Callable[[float, Any, Any], ArrayLike]


def simulate(
    arm: Arm,
    q0: ArrayLike | Draw | None = None,
    qd0: ArrayLike | Draw | None = None,
    until: float = 5.0,
    torque: ArrayLike | tuple[ArrayLike, ArrayLike] | Function | Controller | None = None,
    integrator: str = "rk45",
    method: str = "auto",
    rtol: float = 1e-6,
    atol: float | None = None,
    *,
    step: float = 1e-3,
    longest: float | None = None,
    samples: int | ArrayLike | None = None,
    friction: bool = True,
    stiction: float = 1.0,
    limits: str = "report",
    stiffness: ArrayLike | None = None,
    damping: ArrayLike | None = None,
    wrench: ArrayLike | tuple[ArrayLike, ArrayLike] | Function | None = None,
    parameters: ArrayLike | Draw | None = None,
    events: Function | Sequence[Function] | None = None,
    progress: Progress | None = None,
    partial: bool = False,
    threads: int | None = None,
    arms: int | None = None,
    seed: int = 0,
    client: Any = None,
) -> Run:
    """Simulate an arm from an initial state, and record its motion.

    A batch of states ``(B, n)`` is many arms. Integrators of equal steps simulate them together,
    adaptive integrators one after the other.

    Args:
        arm: the arm.
        q0: positions at the beginning, ``(n,)`` or ``(B, n)``; default is zero. See `arms`.
        qd0: velocities at the beginning; default is zero.
        until: when the simulation ends [s].
        torque: of the drives: None; an array ``(n,)`` or ``(B, n)``; (times, values) with values
            ``(K, n)``, joined by straight lines; a `Log`; a function of (t, q, qd); or a
            controller, `PD`, `ComputedTorque` or `AdaptiveControl`. For a batch, a function gets
            arrays ``(B, n)``, or ``(1, n)`` if arms are simulated one after the other.
        integrator: "rk45" and "dop853" choose their steps by `rtol` and `atol`, one arm at a time.
            "rk4", "ab4" (Adams-Bashforth of order four) and "midpoint" (symplectic, for long times)
            take steps of the length `step`, batches in compiled code; joints stick, slip and stop
            at the ends of steps.
        method: of forward dynamics.
        rtol: relative tolerance of a step.
        atol: absolute tolerance of a step [rad, rad/s, ...]; default is a thousandth of rtol.
        step: longest step of fixed length [s].
        longest: longest step of "rk45" and "dop853" [s]. If `torque` or `wrench` is a function or a
            controller, the default is a hundredth of the run, so that short pulses are not missed.
            Steps never skip values over time.
        samples: number of samples to record, or, for "rk45" and "dop853", their times. Default are
            all steps, and 101 samples for batches by "rk45" and "dop853".
        friction: whether joints have the friction of the robot. Coulomb friction holds a joint at
            rest.
        stiction: the torque that a joint at rest withstands, as a multiple of Coulomb friction.
        limits: behaviour at the limits of joints: "report" only notes it in `Run.events`, "stop"
            stops the joint without a rebound, "spring" pushes it back.
        stiffness: of these springs, one or one per joint; with the default, joints swing at 25 Hz.
        damping: of these springs; default is half of critical.
        wrench: force and moment ``(6,)`` on the tip, in base axes [N, N m]; same forms as `torque`;
            for serial arms.
        parameters: a batch of different arms: rows ``(B, 10n)`` like `Arm.parameters`.
        events: functions of (t, q, qd) whose zeros are noted in `Run.events`. If a function has the
            attribute ``terminal`` = True, its zero ends the run; ``direction`` (-1 or 1) selects
            the direction of the zero crossing.
        progress: called with (done, total, what) about once per percent.
        partial: after a failure, return the part before it, marked as incomplete.
        threads: largest number of threads for a large batch; see `Function`.
        arms: number of arms of a Monte Carlo study. `q0`, `qd0` and `parameters` may then be
            functions of (rng, count) that draw rows ``(count, ...)`` for a block of 2048 arms.
        seed: of these draws. Block k has the generator ``np.random.default_rng([seed, k])``, so
            arms do not depend on where they are simulated.
        client: a `distributed.Client`, whose workers simulate a batch in blocks of 2048 arms and
            draw what functions draw. The run has the same bits as without it. A function given as
            `torque` or `wrench` is called with the arms of a block.

    Returns:
        The recorded motion.

    Raises:
        InputError: an argument is wrong, or `torque` raised an error or returned no torque.
        NumericalError: the integration failed; the message says when, and names a joint.
        RobotError: the arm has a joint that moves no mass.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> run = armdyn.simulate(arm, [0.3, 0.2], until=1.0)
        >>> run.t[-1], run.q[-1].shape
        (np.float64(1.0), (2,))
        >>> many = armdyn.simulate(arm, np.zeros((100, 2)), until=0.1, integrator="rk4", step=0.01)
        >>> many.q.shape
        (11, 100, 2)
        >>> somewhere = lambda rng, count: rng.normal(0.0, 0.1, (count, 2))
        >>> many = armdyn.simulate(arm, somewhere, arms=100, integrator="rk4", samples=2)
        >>> many.q.shape
        (2, 100, 2)
    """
    arm = checked_arm(arm)
    if wrench is not None and not arm.robot.is_serial:
        raise InputError(
            "`wrench` acts on the tip of a serial arm; on a tree, give the torques that a wrench "
            "has as `torque`: `lambda t, q, qd: wrench @ arm.jacobian(q, frame)`.",
            argument="wrench",
        )
    given: dict[str, Any] = {
        "until": until, "torque": torque, "integrator": integrator, "method": method, "rtol": rtol,
        "atol": atol, "step": step, "longest": longest, "samples": samples, "friction": friction,
        "stiction": stiction, "limits": limits, "stiffness": stiffness, "damping": damping,
        "wrench": wrench, "events": events, "partial": partial,
    }  # fmt: skip
    cluster = checked_client(client)
    batch = batch_of(q0, qd0, parameters, arms, seed)
    if cluster is not None:
        return simulated_in_blocks(cluster, arm, batch, given, progress)
    here = {"progress": progress, "threads": threads}
    return integrated(prepared(arm, {**batch.whole(), **given, **here}))


# `Live`: an arm that moves step by step, under torques that may change between steps.

# The length of a step [s].
STEP = 1e-3


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
        lower, upper = joint_limits(arm.robot.joints)
        self._q: Array = q[None].copy()
        self._qd: Array = qd[None].copy()
        self.t = 0.0
        holds = StictionState(
            plant, self._q, self._qd, 1.0, (np.minimum(lower, q), np.maximum(upper, q))
        )
        self._stepper = RungeKutta(System(plant, forces, STEP, holds), RK4, "rk4")

    @property
    def q(self) -> Array:
        """Positions ``(n,)`` [rad or m]."""
        return self._q[0]

    @property
    def qd(self) -> Array:
        """Velocities ``(n,)``."""
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
