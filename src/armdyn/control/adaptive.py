"""`AdaptiveControl`: follow a motion and learn the parameters of the arm on the way."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arm.function import Function
from armdyn.arrays import Array
from armdyn.checks import checked_flag, checked_path, checked_positive
from armdyn.control.adaptive_law import (
    AFTER,
    STATE,
    VALUES,
    Gains,
    Start,
    arm_with_parameters,
    checked_gain,
    gain_matrix,
    law_program,
    minimal_law,
    physical_law,
    start_of,
)
from armdyn.control.adaptive_run import History, PreparedLaw, Running
from armdyn.errors import InputError
from armdyn.export.c import prefix_of
from armdyn.export.c_package import MARK, CFunction, CTable, c_package
from armdyn.graph.program import Program
from armdyn.motion.trajectory import Trajectory
from armdyn.robot.mechanism import check_serial
from armdyn.simulation.controllers import (
    Motion,
    check_fits,
    checked_limit,
    checked_model,
    checked_target,
    limits_of,
    wanted_motion,
)
from armdyn.writing import write_together

# Adaptive control as C: a sample of the controller, its regressor, and where it begins.


def export_law(
    model: Arm, law: PreparedLaw, folder: str | os.PathLike[str], *, single: bool, force: bool
) -> tuple[Path, ...]:
    """Write the controller; see `AdaptiveControl.export_c`."""
    single, force = checked_flag(single, "single"), checked_flag(force, "force")
    target = checked_path(folder, "folder", what="the path of a folder")
    prefix = f"{prefix_of(model.name)}_control"
    base = law.start.base
    kind = (
        "the state of adaptation, from which links that can exist follow"
        if law.physical
        else "the state of adaptation, which is the minimal parameters"
    )
    sample = (
        f"{prefix}_sample: torques of adaptive control, and the parameters a period later.",
        "  in   q, qd: measured; q_wanted, qd_wanted, qdd_wanted: desired",
        f"  in   {STATE}: {kind}; begins with {prefix}_start",
        "  out  tau: joint torques [N m] or forces [N]",
        f"  out  {AFTER}: may be the array {STATE}, which is then updated in place",
        f"  out  {VALUES}: the minimal parameters of these torques:",
        *(f"         {k}: {base.expression(name)}" for k, name in enumerate(base.names)),
    )
    regressor = (
        f"{prefix}_regressor: Y, {base.n} x {len(base)}: Y times the minimal parameters is "
        "M(q) qddr + C(q, qd) qdr + g(q), with friction and rotors if they are among them.",
    )
    functions = [
        CFunction(f"{prefix}_sample", law.program, sample),
        CFunction(f"{prefix}_regressor", law.regressor, regressor),
    ]
    about = [
        f"Adaptive control of the arm {model.name!r}, {model.n} joints, in "
        f"{'float' if single else 'double'} precision.",
        "",
        "SI units, angles in radians. Call the sample once per period; torques are constant "
        "between samples. The functions are C99, need only math.h, allocate nothing and keep no "
        "state. They read all inputs before they write.",
    ]
    tables = [
        CTable(f"{prefix}_start", STATE, tuple(map(float, law.law.start)), ("The beginning.",))
    ]
    texts = c_package(
        prefix, functions, about=about, tables=tables, single=single, version=version("armdyn")
    )
    return write_together(target, texts, None if force else MARK)


class _Simulated(ABC):
    """The side of the controller that `simulate` sees."""

    _target: Array | Trajectory
    _model: Arm | None
    _latest: Running | None
    period: float

    @property
    def rows(self) -> int | None:
        """Number of targets, one per arm; None if all arms have the same target."""
        target = self._target
        return None if isinstance(target, Trajectory) or target.ndim == 1 else len(target)

    def of_arm(self, k: int) -> AdaptiveControl:
        """Refuse one arm of a batch: its parameters would be lost."""
        raise InputError(
            "`torque` is an adaptive controller: it takes one arm, or a batch with an integrator "
            "of equal steps, e.g. 'rk4'.",
            argument="torque",
        )

    def prepared(self, arm: Arm) -> Callable[[float, Array, Array], Array]:
        """Return the controller of an arm at the beginning; its samples become `history`."""
        model = self._model or arm
        check_fits(self._target, model, arm.n)
        self._latest = Running(self._law(model), wanted_motion(self._target), self.period)
        return self._latest

    @abstractmethod
    def _law(self, model: Arm) -> PreparedLaw:
        """Return the law for a model."""


class AdaptiveControl(_Simulated):
    """Control after Slotine and Li: an arm with wrong parameters learns to follow a motion.

    tau = Y(q, qd, qdr, qddr) w - kd s,    qdr = qd* + bandwidth (q* - q),    s = qd - qdr

    The minimal parameters w follow -Y^T s. They include rotors and friction if the model has any;
    a model without friction does not learn friction. The controller samples: between samples its
    torques are constant.

    Attributes:
        period: time between samples [s].
        physical: whether the links can exist at all times.

    Examples:
        >>> from dataclasses import replace
        >>> arm = armdyn.load("planar2")
        >>> joints = [replace(j, mass=2 * j.mass) for j in arm.robot.joints]
        >>> wrong = armdyn.Arm(replace(arm.robot, joints=joints))
        >>> control = armdyn.AdaptiveControl(10.0, [20.0, 4.0], [0.5, -0.2], model=wrong)
        >>> run = armdyn.simulate(arm, until=3.0, torque=control, integrator="rk4", step=1e-3)
        >>> bool(abs(run.q[-1] - [0.5, -0.2]).max() < 0.01)
        True
        >>> control.history.values.shape
        (3000, 6)
    """

    def __init__(
        self,
        bandwidth: ArrayLike,
        kd: ArrayLike,
        target: ArrayLike | Trajectory | Motion,
        *,
        adaptation: ArrayLike = 10.0,
        physical: bool = True,
        limit: ArrayLike | str | None = None,
        model: Arm | None = None,
        period: float = 1e-3,
    ) -> None:
        """Make a controller; all gains must be positive definite.

        Args:
            bandwidth: how fast errors of position vanish once s is 0 [1/s]: a number, one per
                joint, or a symmetric matrix ``(n, n)``.
            kd: damping of s [N m s]: a number, one per joint, or a symmetric matrix; well below
                the joints' inertias divided by `period`, or the sampled loop is unstable.
            target: positions ``(n,)`` or ``(B, n)`` to go to, or a motion to follow: of
                `armdyn.motion`, or from `armdyn.excite`.
            adaptation: how fast parameters adapt. One number [1/J] is relative to the natural scale
                of all parameters; noise and unknown friction ask for less. Relative changes are
                then no faster than `bandwidth`. With `physical`, also
                one per link. Without, also one per minimal parameter ``(k,)``, or a matrix
                ``(k, k)``, in the units of the parameters.
            physical: adapt the links' pseudo-inertias, which stay positive: some bodies have the
                parameters at all times. Without it, minimal parameters are free.
            limit: largest torque, one or one per joint; "effort" for the limits of the robot.
            model: the arm at the beginning; default is the simulated one.
            period: time between samples [s].
        """
        self._bandwidth = checked_gain(bandwidth, "bandwidth")
        self._kd = checked_gain(kd, "kd")
        self._target = checked_target(target)
        self._adaptation = checked_gain(adaptation, "adaptation")
        self.physical = checked_flag(physical, "physical")
        self._limit = checked_limit(limit)
        self._model = checked_model(model)
        self.period = checked_positive(period, "period", what="the time between samples [s]")
        self._latest: Running | None = None

    def _law(self, model: Arm) -> PreparedLaw:
        check_serial(model.robot, "Adaptive controllers")
        n = model.n
        limit = limits_of(self._limit, model)
        gains = Gains(
            gain_matrix(self._bandwidth, "bandwidth", n),
            gain_matrix(self._kd, "kd", n),
            np.broadcast_to(np.inf if limit is None else limit, (n,)),
            self.period,
        )
        start = start_of(model)
        fastest = float(np.linalg.eigvalsh(gains.slope)[-1])
        if self.physical:
            law = physical_law(start, self._rates(start), self.period, fastest)
        else:
            rate = float(self._adaptation) if self._adaptation.ndim == 0 else None
            law = minimal_law(start, self._matrix(start), self.period, rate, fastest)
        regressor = cast(Function, start.base.function("tracking_regressor")).program
        assert isinstance(regressor, Program), "a regressor is straight-line code"
        program = law_program(regressor, law, gains, "adaptive_control")
        return PreparedLaw(start, law, program, regressor, self.physical)

    @property
    def believed(self) -> Arm:
        """The arm at the beginning: `model`, its links made possible where they are not."""
        model = self._given()
        start = start_of(model)
        return arm_with_parameters(model, start.base, start.parameters)

    def export_c(
        self, folder: str | os.PathLike[str], *, single: bool = False, force: bool = False
    ) -> tuple[Path, ...]:
        """Write the controller of `model` as C99: all files or, on any failure, none.

        One function is a sample: torques, and the state of adaptation in place. Another is the
        regressor of adaptive control alone. Gains and the period are part of the code.

        Args:
            folder: where to write; created if missing.
            single: compute in float instead of double.
            force: also replace files that armdyn did not write.

        Returns:
            The paths of the header, the source and the self-test.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> control = armdyn.AdaptiveControl(10.0, 5.0, [0.5, -0.2], model=arm)
            >>> [path.name for path in control.export_c("adaptive")]
            ['planar2_control.h', 'planar2_control.c', 'planar2_control_selftest.c']
        """
        model = self._given()
        return export_law(model, self._law(model), folder, single=single, force=force)

    def _given(self) -> Arm:
        if self._model is None:
            raise InputError("`model` was not given; name the arm.", argument="model")
        return self._model

    @property
    def history(self) -> History:
        """The samples of the latest run."""
        if self._latest is None or not self._latest.has_run:
            raise InputError("the controller has not run yet: give it to `simulate` as `torque`.")
        return self._latest.history()

    def _rates(self, start: Start) -> Array:
        n = len(start.roots)
        if self._adaptation.ndim == 2:
            raise InputError(
                "`adaptation` is a matrix; with `physical` it is a number, or one per link.",
                argument="adaptation",
            )
        links = np.diag(gain_matrix(self._adaptation, "adaptation", n, "the arm has {n} links"))
        mean = float(np.exp(np.log(links).mean()))
        return np.concatenate([links, np.full(len(start.drives), mean)])

    def _matrix(self, start: Start) -> Array:
        if self._adaptation.ndim == 0:
            P = start.base.matrix
            return float(self._adaptation) * (P @ start.metric() @ P.T)
        k, whose = len(start.base), "the set has {n} minimal parameters"
        return gain_matrix(self._adaptation, "adaptation", k, whose)

    def __repr__(self) -> str:
        kind = "physical" if self.physical else "minimal"
        return f"<AdaptiveControl: {kind} parameters, {1 / self.period:g} Hz>"
