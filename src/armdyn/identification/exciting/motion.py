"""`ExcitingMotion`: a motion, and how well it determines the parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_path
from armdyn.identification.exciting.geometry.capsules import Capsule
from armdyn.identification.exciting.geometry.closest import Clearance
from armdyn.identification.exciting.limits import Limits
from armdyn.identification.exciting.plot import write_plot
from armdyn.identification.tables import clearance_in_words, limits_used
from armdyn.identification.tolerances import ROUNDING
from armdyn.log.log import Log
from armdyn.minimal.parameters import MinimalParameters
from armdyn.motion.fourier import Fourier

# A parameter with a larger relative standard deviation is weakly excited.
WEAK = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class ExcitingMotion:
    """A motion for identification, within limits, with the predicted precision of the parameters.

    Attributes:
        trajectory: the motion.
        arm: the arm that moves.
        limits: the limits that the motion keeps.
        rate: samples per second, of `save` and of the predictions.
        names: of the parameters.
        values: parameter values of the described arm, ``(k,)``.
        std: predicted standard deviations, ``(k,)``, if errors of torques are independent.
        log_det: natural logarithm of the determinant of the information matrix.
        condition: of the weighted columns, each of length 1.
        weak: parameters with a standard deviation above a tenth of their described value.
        peaks: largest share of each limit that is used, ``(n,)`` each, by name: "position" (of
            half the range, from its middle), "velocity", "acceleration", "torque".
        clearance: smallest distance at 1 kHz between what must stay apart [m], negative in contact,
            infinite if there is nothing to compare; without `floor`, `walls` or `self_collision`
            between links, which the motion then does not avoid.
        closest: the smallest distance of every pair that was compared, the smallest first; each
            has `distance` [m], `between` (names) and `time` [s].
        capsules: that stood for the links; each has `link`, `start`, `end` and `radius`.
        notes: what was assumed and done, a sentence each.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
        >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
        >>> motion.names
        ('U1_33', 'k1_x', 'k1_y', 'U2_33', 'k2_x', 'k2_y')
        >>> bool((motion.peaks["velocity"] < 1.0).all())
        True
    """

    trajectory: Fourier
    arm: Arm
    limits: Limits
    rate: float
    names: tuple[str, ...]
    values: Array
    std: Array
    log_det: float
    condition: float
    weak: tuple[str, ...]
    peaks: Mapping[str, Array]
    clearance: float
    closest: tuple[Clearance, ...]
    capsules: tuple[Capsule, ...]
    notes: tuple[str, ...]

    @property
    def duration(self) -> float:
        """How long the motion takes [s]."""
        return self.trajectory.duration

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.trajectory.n

    def sample(self, at: float | ArrayLike | None = None) -> tuple[Array, Array, Array, Array]:
        """Return t, q, qd and qdd at a rate, or at times ``(N,)``; at `rate` if left out.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
            >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
            >>> t, q, qd, qdd = motion.sample(100.0)
            >>> q.shape
            (401, 2)
        """
        return self.trajectory.sample(self.rate if at is None else at)

    def save(self, path: str | os.PathLike[str], *, rate: float | None = None) -> None:
        """Write t, q, qd and qdd as a log (CSV, NPZ, Parquet), for a controller and for `Log.read`.

        Args:
            path: of the file. It has no torques: they must be measured on the arm.
            rate: samples per second; the motion's own if left out.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
            >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
            >>> motion.save("excite.csv", rate=100.0)
            >>> len(armdyn.Log.read("excite.csv"))
            401
        """
        t, q, qd, qdd = self.sample(rate)
        Log(t, q, qd, qdd, joint_names=self.arm.joint_names).save(path)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw positions, velocities, accelerations and predicted torques, with their limits.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
            >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
            >>> motion.plot("excite.svg")
        """
        t, q, qd, qdd = self.trajectory.sample(max(20.0, 2000.0 / self.duration))
        tau = self.arm.inverse_dynamics(q, qd, qdd)
        words = clearance_in_words(self)
        write_plot(checked_path(path), self.arm, self.limits, t, (q, qd, qdd, tau), words)

    def summary(self) -> str:
        """Return the motion, its use of the limits and the weak parameters as text.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
            >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
            >>> print(motion.summary())
            <ExcitingMotion of 'planar2': 4 s, 6 parameters, ...
            What is used of the limits
            ...
        """
        clear = clearance_in_words(self)
        weak = f"Known to no better than a tenth: {', '.join(self.weak)}." if self.weak else ""
        return "\n".join(
            line for line in (repr(self), limits_used(self).text(), clear, weak) if line
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the motion as plain data for JSON.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
            >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
            >>> motion.to_dict()["harmonics"]
            2
        """
        series = self.trajectory
        limits = self.limits
        return {
            "name": self.arm.name,
            "joints": list(self.arm.joint_names),
            "duration": self.duration,
            "rate": self.rate,
            "harmonics": series.harmonics,
            "repeats": series.repeats,
            "log_det": self.log_det,
            "condition": self.condition,
            "parameters": [
                {"name": name, "value": value, "std": std, "weak": name in self.weak}
                for name, value, std in zip(
                    self.names, self.values.tolist(), self.std.tolist(), strict=True
                )
            ],
            "limits": {
                "lower": limits.lower.tolist(),
                "upper": limits.upper.tolist(),
                "velocity": limits.velocity.tolist(),
                "acceleration": limits.acceleration.tolist(),
                "torque": limits.torque.tolist(),
            },
            "clearance": self.clearance,
            "closest": [
                {"between": list(near.between), "distance": near.distance, "time": near.time}
                for near in self.closest
            ],
            "used": {name: share.tolist() for name, share in self.peaks.items()},
            "centre": series.centre.tolist(),
            "sines": series.sines.tolist(),
            "cosines": series.cosines.tolist(),
            "drift": series.drift.tolist(),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return (
            f"<ExcitingMotion of {self.arm.name!r}: {self.duration:.4g} s, {len(self.names)} "
            f"parameters, log det {self.log_det:.4g}, condition {self.condition:.3g}>"
        )


def judged(
    arm: Arm,
    base: MinimalParameters,
    trajectory: Fourier,
    limits: Limits,
    noise: Array,
    near: tuple[Clearance, ...],
    capsules: tuple[Capsule, ...],
    *,
    rate: float,
    times: Array,
    notes: tuple[str, ...],
) -> ExcitingMotion:
    """Return a motion with its information, from many times until it repeats itself."""
    q, qd, qdd = trajectory.states(times)
    Y = (base.regressor(q, qd, qdd) / noise[:, None]).reshape(-1, len(base))
    size = np.linalg.norm(Y, axis=0)
    R = np.linalg.qr(Y / size, mode="r")
    singular = np.linalg.svd(R, compute_uv=False)
    inverse = np.linalg.inv(R)
    # scale the information from these points to the number of samples in a recording
    each = np.sqrt(rate * trajectory.duration / len(times))
    std = np.linalg.norm(inverse, axis=1) / (size * each)
    log_det = 2.0 * float(np.sum(np.log(np.abs(np.diag(R)))) + np.sum(np.log(size * each)))
    values = base.values
    known = np.abs(values) > ROUNDING * np.abs(values).max(initial=0.0)
    weak = known & (std > WEAK * np.abs(values))
    tau = arm.inverse_dynamics(q, qd, qdd)
    middle, half = (limits.lower + limits.upper) / 2, (limits.upper - limits.lower) / 2
    peaks = {
        "position": np.abs(q - middle).max(axis=0) / half,
        "velocity": np.abs(qd).max(axis=0) / limits.velocity,
        "acceleration": np.abs(qdd).max(axis=0) / limits.acceleration,
        "torque": np.abs(tau).max(axis=0) / limits.torque,
    }
    return ExcitingMotion(
        trajectory,
        arm,
        limits,
        rate,
        base.names,
        values,
        std,
        log_det,
        float(singular[0] / singular[-1]),
        tuple(name for name, is_weak in zip(base.names, weak, strict=True) if is_weak),
        peaks,
        near[0].distance if near else np.inf,
        near,
        capsules,
        notes,
    )
