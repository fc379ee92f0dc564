"""`Controller`: a control law with all that a loop on a real arm needs, in Python and in C."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arm.function import Function
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_choice, checked_number, checked_positive
from armdyn.control import laws
from armdyn.control.adaptive_law import (
    checked_gain,
    gain_matrix,
    minimal_law,
    physical_law,
    start_of,
)
from armdyn.control.conditioning import Approach, Watch
from armdyn.control.control_step import Contact, Design, Limits, Status, memory_of, step_program
from armdyn.errors import InputError, shown
from armdyn.graph.program import Program
from armdyn.motion.trajectory import Trajectory
from armdyn.robot.mechanism import check_serial
from armdyn.simulation.controllers import Motion, check_fits, checked_target, wanted_motion
from armdyn.simulation.plant import compiled

LAWS = (
    "computed_torque",
    "gravity",
    "pd_gravity",
    "joint_impedance",
    "cartesian_impedance",
    "adaptive",
)

# Bandwidth of the laws by default [rad/s]: errors vanish in about half a second.
BANDWIDTH = 10.0
# Velocities are filtered at this share of the rate: 50 Hz at 1 kHz.
CUTOFF_SHARE = 0.05
# The loop is stable with a margin if the filter of velocities is this many times as fast as it.
FASTER = 4.0
# A gain of the observer above this share of the rate shows the noise of velocities alone.
OBSERVER_SHARE = 0.5
OBSERVER_GAIN = 30.0  # [1/s]
# The error at a start fades at this rate [1/s], at this share of the joints' velocity limits.
APPROACH_RATE, APPROACH_SHARE = 10.0, 0.2
# The same for a tip, in all directions [m/s], [rad/s].
TIP_SPEED = (0.1, 0.5)
# Torques go from zero to their limit in this time at least [s].
RISE = 0.01
# A sample is believed within this many times the velocity limit, and this much more [rad or m]:
# a few steps of a coarse encoder.
SPEEDING, SLACK = 2.0, 5e-3
# Joints without a velocity limit: faster than any arm of [rad/s] and [m/s].
NO_SPEED_LIMIT = {True: 20.0, False: 5.0}
# Positions of joints without limits are believed up to here [rad or m], and of others this far
# beyond their limits.
REACH, BEYOND = 1e3, 0.5
# The reference may travel so far while no position changes [rad or m], until measurements count as
# frozen. An arm that sticks for longer without a single step of its encoders needs more.
FROZEN_TRAVEL = 0.05
# Dry friction is compensated fully from these speeds [rad/s] and [m/s].
SLOW = {True: 0.02, False: 0.005}
# Damping of joints beside a spring at the tip, as a share of critical damping at the bandwidth.
JOINT_DAMPING_SHARE = 0.1
# A spring at the tip by default [N/m], [N m/rad], critically damped for these inertias at the tip
# [kg], [kg m^2].
TIP_STIFFNESS, TIP_INERTIA = (400.0, 20.0), (4.0, 0.2)
# Random positions that show the inertias of joints.
STATES = 64


class Controller:
    """A control law at a fixed rate; `Arm.controller` makes it.

    It measures positions alone: velocities are filtered slopes. Torques and their changes are
    limited, references stay within the limits of joints, friction is compensated without chatter at
    rest, samples that cannot be true are bridged, and a start has no jump. In Python and in C it is
    the same program.

    Attributes:
        arm: the model.
        law: the name of the law.
        rate: samples per second.
        status: what happened in the last period.

    Examples:
        >>> controller = armdyn.load("puma560").controller("computed_torque", limit=100.0)
        >>> q = np.zeros(6)
        >>> tau = controller.step(q, q)
        >>> controller.status
        <Status.STARTING: 1>
        >>> bool(np.allclose(tau, controller.arm.gravity(q)))
        True
    """

    def __init__(
        self,
        arm: Arm,
        law: str = "computed_torque",
        *,
        rate: float = 1000.0,
        bandwidth: float | None = None,
        kp: ArrayLike | None = None,
        kd: ArrayLike | None = None,
        joint_damping: ArrayLike | None = None,
        adaptation: ArrayLike = 10.0,
        physical: bool = True,
        friction: float | bool | None = None,
        limit: ArrayLike | None = None,
        torque_rate: ArrayLike | None = None,
        velocity_cutoff: float | None = None,
        approach: float = APPROACH_RATE,
        frozen: float = FROZEN_TRAVEL,
        contact: ArrayLike | None = None,
        observer_gain: float = OBSERVER_GAIN,
        target: ArrayLike | Trajectory | Motion | None = None,
    ) -> None:
        """Design a controller.

        Args:
            arm: the model.
            law: "computed_torque", "gravity", "pd_gravity", "joint_impedance",
                "cartesian_impedance" or "adaptive"; see `armdyn.control.laws`.
            rate: samples per second.
            bandwidth: how fast errors vanish [rad/s], default 10; gains that are not given follow
                from it and from the inertias of the joints.
            kp: stiffness, one or one per joint: [1/s^2] of "computed_torque", else [N m/rad or
                N/m]; six at the tip, three [N/m] and three [N m/rad], of "cartesian_impedance".
            kd: damping, one or one per joint or direction of the tip; critical by default. Of
                "gravity" zero by default; of "adaptive" that of s.
            joint_damping: of the joints beside the spring at the tip [N m s/rad or N s/m].
            adaptation: how fast "adaptive" adapts; see `AdaptiveControl`.
            physical: whether the links of "adaptive" can exist at all times.
            friction: share of the model's friction that is compensated, 0 to 1. Default is 1 where
                references tell how joints will move, else 0: compensation at measured velocities
                pushes the arm, so leave a margin there.
            limit: largest torques [N m or N], one or one per joint; default the robot's.
            torque_rate: largest change of torques per second; default is full scale in 10 ms.
            velocity_cutoff: of the filter of velocities [Hz]; default is the rate divided by 20.
            approach: how fast the error of a start fades [1/s].
            frozen: how far the reference may travel while no position changes [rad or m].
            contact: threshold of torques from outside [N m or N], one or one per joint; without it
                they are not observed.
            observer_gain: of the observer [1/s].
            target: positions ``(n,)`` or a motion that it follows in `simulate`; default is to stay
                where the arm is.
        """
        self.law = checked_choice(law, "law", LAWS)
        self.arm = arm.astype(np.float64)
        check_serial(self.arm.robot, "Controllers")
        self.rate = checked_positive(rate, "rate", what="samples per second")
        _check_masses(self.arm)
        share = CUTOFF_SHARE * self.rate
        cutoff = share if velocity_cutoff is None else checked_positive(
            velocity_cutoff, "velocity_cutoff", what="a frequency [Hz]"
        )  # fmt: skip
        if not cutoff <= 0.5 * self.rate:
            raise InputError(
                f"`velocity_cutoff` is {cutoff:g} Hz, expected at most half the rate, "
                f"{0.5 * self.rate:g} Hz.", argument="velocity_cutoff",
            )  # fmt: skip
        fast = BANDWIDTH if bandwidth is None else checked_positive(
            bandwidth, "bandwidth", what="a rate [rad/s]"
        )  # fmt: skip
        if not FASTER * fast <= 2.0 * math.pi * cutoff:
            raise InputError(
                f"`bandwidth` is {fast:g} rad/s, expected at most "
                f"{2.0 * math.pi * cutoff / FASTER:.3g}: velocities are filtered at {cutoff:g} Hz. "
                "Give a higher `rate` or `velocity_cutoff`.", argument="bandwidth",
            )  # fmt: skip
        if target is not None and law in ("gravity", "cartesian_impedance"):
            raise InputError(
                f"`target` is given, but the law {law!r} follows no motion of joints; call `step`.",
                argument="target",
            )
        self._target = None if target is None else checked_target(target)
        chosen = self._chosen(fast, kp, kd, joint_damping, adaptation, physical)
        limits = _limits(self.arm, limit, torque_rate)
        tip = law == "cartesian_impedance"
        revolute = [joint.is_revolute for joint in self.arm.robot.joints]
        speeds = _speeds(self.arm)
        self.design = Design(
            self.arm, chosen,
            _watch(self.arm, 1.0 / self.rate, speeds, checked_positive(frozen, "frozen")),
            Approach(
                checked_positive(approach, "approach", what="a rate [1/s]"),
                np.repeat(TIP_SPEED, 3) if tip else APPROACH_SHARE * speeds,
            ),
            limits, 2.0 * math.pi * cutoff, _share(friction, chosen, law == "adaptive"),
            np.array([SLOW[x] for x in revolute]),
            _contact(contact, observer_gain, self.rate, self.arm.n),
        )  # fmt: skip
        self.reset()

    def _chosen(
        self, bandwidth: float, kp: ArrayLike | None, kd: ArrayLike | None,
        joint_damping: ArrayLike | None, adaptation: ArrayLike, physical: bool,
    ) -> laws.ControlLaw:  # fmt: skip
        arm, n, law = self.arm, self.arm.n, self.law
        used = {"cartesian_impedance": ("kp", "kd", "joint_damping"), "gravity": ("kd",),
                "adaptive": ("kd",)}.get(law, ("kp", "kd"))  # fmt: skip
        for name, value in (("kp", kp), ("kd", kd), ("joint_damping", joint_damping)):
            if value is not None and name not in used:
                raise InputError(
                    f"`{name}` is {shown(value)}, but the law {law!r} takes {' and '.join(used)}.",
                    argument=name,
                )
        inertia = _inertias(arm)
        if law == "cartesian_impedance":
            stiffness = _gains(kp, "kp", np.repeat(TIP_STIFFNESS, 3))
            critical = 2.0 * np.sqrt(stiffness * np.repeat(TIP_INERTIA, 3))
            damping = JOINT_DAMPING_SHARE * 2.0 * bandwidth * inertia
            return laws.cartesian_impedance(
                arm, stiffness, _gains(kd, "kd", critical),
                _gains(joint_damping, "joint_damping", damping, zero=True),
            )  # fmt: skip
        if law == "gravity":
            return laws.gravity(arm, _gains(kd, "kd", np.zeros(n), zero=True))
        if law == "adaptive":
            start, period = start_of(arm), 1.0 / self.rate
            damping = gain_matrix(
                checked_gain(bandwidth * inertia if kd is None else kd, "kd"), "kd", n
            )
            rate = checked_positive(adaptation, "adaptation", what="a rate [1/J]")
            base = start.base
            regressor = cast(Function, base.function("tracking_regressor")).program
            assert isinstance(regressor, Program), "a regressor is straight-line code"
            if physical:
                how = physical_law(start, np.full(n + len(start.drives), rate), period, bandwidth)
            else:
                metric = rate * (base.matrix @ start.metric() @ base.matrix.T)
                how = minimal_law(start, metric, period, rate, bandwidth)
            return laws.adaptive(regressor, how, bandwidth * np.eye(n), damping)
        unit = np.ones(n) if law == "computed_torque" else inertia
        stiffness = _gains(kp, "kp", bandwidth**2 * unit)
        damping = _gains(kd, "kd", 2.0 * np.sqrt(stiffness * unit))
        return getattr(laws, law)(arm, stiffness, damping)

    @cached_property
    def program(self) -> Program:
        """A period as a traced program."""
        return step_program(self.design)

    @cached_property
    def _kernel(self) -> Any:
        return compiled(self.program)

    def reset(self) -> None:
        """Forget all samples: the next one is a start.

        Examples:
            >>> control = armdyn.load("planar2").controller("gravity", limit=100.0)
            >>> control.reset()
            >>> int(control.status)
            0
        """
        self.status = Status(0)
        self.external: Array | None = None
        self._state = memory_of(self.design).start
        self._t: float | None = None

    def step(
        self,
        q: ArrayLike,
        q_ref: ArrayLike | None = None,
        qd_ref: ArrayLike | None = None,
        qdd_ref: ArrayLike | None = None,
        t: float | None = None,
    ) -> Array:
        """Return the torques of the coming period.

        Args:
            q: measured positions ``(n,)`` [rad or m]; NaN is a bad sample, not an error.
            q_ref: desired positions ``(n,)``; of "cartesian_impedance" the pose of the tip
                ``(4, 4)``; of "gravity" none.
            qd_ref: desired velocities ``(n,)``, or of the tip ``(6,)``; zero by default.
            qdd_ref: desired accelerations ``(n,)``; zero by default.
            t: time of the sample [s]; default is a period after the last one.

        Returns:
            Torques ``(n,)`` [N m or N] to hold until the next sample; `status` tells what happened.

        Raises:
            InputError: an array has the wrong shape, or a reference is missing.

        Examples:
            >>> control = armdyn.load("planar2").controller("pd_gravity", limit=100.0)
            >>> control.step([0.0, 0.0], [0.1, 0.0])
            array([19.62 ,  4.905])
        """
        h = 1.0 / self.rate if t is None or self._t is None else float(t) - self._t
        given = {"q_ref": q_ref, "qd_ref": qd_ref, "qdd_ref": qdd_ref}
        rows: list[Array] = [_numbers(q, "q", (self.arm.n,))]
        slots = self.design.law.references
        for name, value in given.items():
            if len(rows) > len(slots):
                if value is not None:
                    raise InputError(f"the law {self.law!r} takes no `{name}`.", argument=name)
            elif value is None and name == "q_ref":
                raise InputError(f"the law {self.law!r} needs `q_ref`.", argument=name)
            else:
                shape = slots[len(rows) - 1].shape
                rows.append(np.zeros(shape) if value is None else _numbers(value, name, shape))
        if t is not None:
            self._t = float(t)
        tau, *outside, status, self._state = self.period(rows[0], rows[1:], h, self._state)
        self.external = outside[0] if outside else None
        self.status = Status(int(status[0]))
        return tau

    def period(self, q: Array, references: Sequence[Array], h: float, state: Array) -> Any:
        """Return the outputs of a period, without keeping its state; `step` keeps it.

        Args:
            q: measured positions ``(n,)``; may be NaN.
            references: of the law, in the order of `step`.
            h: time since the last sample [s].
            state: of the last period.

        Returns:
            Torques ``(n,)``, the torques from outside if they are observed, the status as a number,
            and the next state.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> control = arm.controller("gravity", limit=100.0)
            >>> before = np.zeros(control.program.inputs[-1].size)
            >>> tau, status, state = control.period(np.zeros(2), [], 1e-3, before)
            >>> int(status[0])
            1
        """
        with np.errstate(all="ignore"):  # NaN is a bad sample
            return self._kernel(q, *references, np.array([h]), state)

    def prepared(self, arm: Arm) -> Callable[[float, Array, Array], Array]:
        """Return the controller for `simulate`, at its start.

        Args:
            arm: the simulated arm, of as many joints.

        Returns:
            A function of t, q and qd that returns the torques of the last sample.

        Raises:
            InputError: the arm has another number of joints, or the motion does not fit it.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> control = arm.controller("pd_gravity", limit=100.0)
            >>> armdyn.simulate(arm, until=0.1, torque=control, integrator="rk4", step=1e-3)
            <Run of 'planar2': 101 samples, 0.1 s by rk4, 400 evaluations>
        """
        if arm.n != self.arm.n:
            raise InputError(
                f"the controller is for {self.arm.n} joints, the arm has {arm.n}.",
                argument="torque",
            )
        if self._target is not None:
            check_fits(self._target, self.arm, arm.n)
        self.reset()
        return _Sampled(self, self._target)

    def export_c(
        self, folder: str | os.PathLike[str], *, single: bool = False, force: bool = False
    ) -> tuple[Path, ...]:
        """Write the controller as C99: all files or, on any failure, none.

        The package has the step, a loop for POSIX and one for a bare microcontroller, the arm to
        simulate them with, a self-test, a Makefile and CMakeLists.txt.

        Args:
            folder: where to write; created if missing.
            single: compute in float instead of double.
            force: also replace files that armdyn did not write.

        Returns:
            The paths of the files.

        Raises:
            FileError: a file cannot be written, or armdyn did not write it and `force` is not set.

        Examples:
            >>> control = armdyn.load("planar2").controller("gravity", limit=100.0)
            >>> [path.name for path in control.export_c("loop")][:2]
            ['planar2_control.h', 'planar2_control.c']
        """
        from armdyn.control.controller_files import export_controller

        return export_controller(self, folder, single=single, force=force)

    def __repr__(self) -> str:
        return f"<Controller: {self.law} of {self.arm.name}, {self.rate:g} Hz>"


def controller_of(arm: Arm, law: str, rate: float, gains: Mapping[str, Any]) -> Controller:
    """Return a controller; refuse gains that it does not have."""
    known = [x for x in signature(Controller).parameters if x not in ("arm", "law", "rate")]
    for name in gains:
        if name not in known:
            raise InputError(
                f"a controller has no `{name}`; it has {', '.join(known)}.", argument=name
            )
    return Controller(arm, law, rate=rate, **gains)


class _Sampled:
    """A controller in a simulation: it samples, and holds its torques between."""

    def __init__(self, controller: Controller, target: Array | Trajectory | None) -> None:
        self.period = 1.0 / controller.rate
        self._controller, self._tau = controller, np.zeros(controller.arm.n)
        self._wanted = None if target is None else wanted_motion(target)
        self._rest: Array | None = None

    def sample(self, t: float, q: Array, qd: Array) -> None:
        """Compute the torques of the coming period."""
        if q.ndim > 1:
            raise InputError(
                "a controller keeps the state of one arm; simulate one.", argument="torque"
            )
        self._tau = self._controller.step(q, *self._references(t, q), t=t)

    def _references(self, t: float, q: Array) -> tuple[Array, ...]:
        if self._controller.law == "gravity":
            return ()
        if self._wanted is not None:
            return self._wanted(t)
        if self._rest is None:  # stay where the arm starts
            tip = self._controller.law == "cartesian_impedance"
            self._rest = self._controller.arm.pose(q) if tip else np.array(q)
        return (self._rest,)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques of this period."""
        return self._tau


def _numbers(value: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    """Return an array of numbers, NaN too: what is measured may be wrong."""
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"`{name}` is {shown(value)}, expected numbers {shape}.", argument=name
        ) from None
    if array.shape != shape:
        raise InputError(f"`{name}` has shape {array.shape}, expected {shape}.", argument=name)
    return array


def _gains(value: ArrayLike | None, name: str, default: Array, zero: bool = False) -> Array:
    n = len(default)
    if value is None:
        return default
    array = checked_array(value, name, (), (n,), what=f"positive numbers, one or {n}")
    sort = "no negative" if zero else "positive"
    if not ((array >= 0.0) if zero else (array > 0.0)).all():
        raise InputError(
            f"`{name}` is {shown(value)}, expected {sort} numbers, one or {n}.", argument=name
        )
    return np.array(np.broadcast_to(array, (n,)))


def _check_masses(arm: Arm) -> None:
    if not any(joint.mass for joint in arm.robot.joints):
        raise InputError(
            f"the arm {arm.name!r} has no masses: its gravity and inertia are zero. Identify them: "
            "`armdyn identify`.", argument="arm",
        )  # fmt: skip


def _inertias(arm: Arm) -> Array:
    """Return the median inertia of each joint over its positions ``(n,)``."""
    joints = arm.robot.joints
    low = np.array([max(j.lower, -math.pi) for j in joints])
    high = np.array([min(j.upper, math.pi) for j in joints])
    q = np.random.default_rng(0).uniform(low, high, (STATES, arm.n))
    return np.median(np.diagonal(arm.mass_matrix(q), axis1=-2, axis2=-1), axis=0)


def _limits(arm: Arm, limit: ArrayLike | None, rate: ArrayLike | None) -> Limits:
    n, joints = arm.n, arm.robot.joints
    torque = _gains(limit, "limit", np.array([joint.effort for joint in joints]))
    unlimited = [
        joint.name for joint, x in zip(joints, torque, strict=True) if not 0 < x < math.inf
    ]
    if unlimited:
        raise InputError(
            f"{', '.join(unlimited)} of the arm {arm.name!r} have no limit of torque; give "
            "`limit` [N m or N], one number or one a joint.", argument="limit",
        )  # fmt: skip
    return Limits(
        np.array([max(joint.lower, -REACH) for joint in joints]),
        np.array([min(joint.upper, REACH) for joint in joints]),
        torque, _gains(rate, "torque_rate", torque / RISE) if n else torque,
    )  # fmt: skip


def _speeds(arm: Arm) -> Array:
    """Return the velocity limits of joints ``(n,)``, a default where there is none."""
    found = ((j.velocity, NO_SPEED_LIMIT[j.is_revolute]) for j in arm.robot.joints)
    return np.array([x if 0.0 < x < math.inf else usual for x, usual in found])


def _watch(arm: Arm, period: float, speeds: Array, frozen: float) -> Watch:
    joints = arm.robot.joints
    reach = [
        max(abs(j.lower), abs(j.upper)) + BEYOND if math.isfinite(j.upper - j.lower) else REACH
        for j in joints
    ]
    return Watch(period, np.array(reach), SPEEDING * speeds, np.full(arm.n, SLACK), frozen)


def _share(friction: float | bool | None, law: laws.ControlLaw, adaptive: bool) -> float:
    # adaptive control learns its friction, and a law without a direction would push the arm
    if friction is None:
        return 1.0 if law.directed and not adaptive else 0.0
    share = checked_number(float(friction), "friction", least=0.0, most=1.0)
    if adaptive and share:
        raise InputError(
            "`friction` is compensated by the adaptive law itself.", argument="friction"
        )
    return share


def _contact(threshold: ArrayLike | None, gain: float, rate: float, n: int) -> Contact | None:
    if threshold is None:
        return None
    gain = checked_positive(gain, "observer_gain", what="a rate [1/s]")
    if not gain <= OBSERVER_SHARE * rate:
        raise InputError(
            f"`observer_gain` is {gain:g} 1/s, expected at most half the rate, "
            f"{OBSERVER_SHARE * rate:g} 1/s.", argument="observer_gain",
        )  # fmt: skip
    return Contact(gain, _gains(threshold, "contact", np.ones(n)))
