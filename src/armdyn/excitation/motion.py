"""`ExcitingMotion`: a motion, and how well it determines the parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_path
from armdyn.excitation.body import Capsule
from armdyn.excitation.limits import Limits
from armdyn.excitation.surroundings import Clearance
from armdyn.log.log import Log
from armdyn.motion.fourier import Fourier
from armdyn.present.pictures import check_picture, new_figure, plain_text, write_picture
from armdyn.present.tables import Grid

LINE_COLOUR, LIMIT_COLOUR = "#1f5fa8", "#c0392b"

# Units of revolute and prismatic joints, in the order of `Limits.ranges`.
UNITS = {True: ("rad", "rad/s", "rad/s²", "N m"), False: ("m", "m/s", "m/s²", "N")}


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
            infinite if there are no pairs to compare; without `floor`, `walls` or `self_collision`
            between links, which the motion then does not avoid.
        closest: the smallest distance of every pair that was compared, the smallest first; each
            has `distance` [m], `between` (names) and `time` [s].
        capsules: that stood for the links; each has `link`, `start`, `end` and `radius`.
        notes: assumptions and adjustments, a sentence each.

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
        """Return samples of the motion.

        Args:
            at: samples per second [1/s], or times ``(N,)`` [s]; the motion's `rate` if left out.

        Returns:
            Times ``(N,)`` [s], and q, qd and qdd ``(N, n)`` [rad or m, and per s and s^2].

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

        Args:
            path: of the picture, PNG, SVG or PDF.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
            >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
            >>> motion.plot("excite.svg")
        """
        _write_plot(self, checked_path(path))

    def summary(self) -> str:
        """Return the motion, its use of the limits and the weak parameters as text.

        Returns:
            Some lines of text.

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

        Returns:
            Its series, limits, peaks, parameters with predicted standard deviations, and notes.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> limits = {"position": (-1, 1), "velocity": 2, "acceleration": 8, "torque": 50}
            >>> motion = armdyn.excite(arm, 4.0, 2, **limits, friction=False, evaluations=200)
            >>> motion.to_dict()["harmonics"]
            2
        """
        series = self.trajectory
        limits = ("lower", "upper", "velocity", "acceleration", "torque")
        coefficients = ("centre", "sines", "cosines", "drift")
        rows = zip(self.names, self.values.tolist(), self.std.tolist(), strict=True)
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
                for name, value, std in rows
            ],
            "limits": {name: getattr(self.limits, name).tolist() for name in limits},
            "clearance": self.clearance,
            "closest": [asdict(near) | {"between": list(near.between)} for near in self.closest],
            "used": {name: share.tolist() for name, share in self.peaks.items()},
            **{name: getattr(series, name).tolist() for name in coefficients},
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return (
            f"<ExcitingMotion of {self.arm.name!r}: {self.duration:.4g} s, {len(self.names)} "
            f"parameters, log det {self.log_det:.4g}, condition {self.condition:.3g}>"
        )


def _write_plot(motion: ExcitingMotion, path: Path) -> None:
    """Draw one row per joint, one column per quantity, limits dashed; the whole file or none."""
    check_picture(path)
    arm = motion.arm
    t, *states = motion.trajectory.sample(max(20.0, 2000.0 / motion.duration))
    signals = (*states, arm.inverse_dynamics(*states))
    figure = new_figure(13, 0.9 + 1.25 * arm.n)
    axes = figure.subplots(arm.n, 4, sharex=True, squeeze=False)
    quantities = zip(signals, motion.limits.ranges.items(), strict=True)
    for k, (signal, (head, (middle, half))) in enumerate(quantities):
        axes[0][k].set_title("predicted torque" if head == "torque" else head)
        axes[-1][k].set_xlabel("time [s]")
        for j in range(arm.n):
            _draw(axes[j][k], t, signal[:, j], middle[j] - half[j], middle[j] + half[j])
            name = f"{plain_text(arm.joint_names[j])}\n" if k == 0 else ""
            unit = UNITS[arm.robot.joints[j].is_revolute][k]
            axes[j][k].set_ylabel(f"{name}[{unit}]", fontsize=8)
    title = f"Exciting motion of {plain_text(arm.name)}, {t[-1]:g} s (limits dashed)"
    words = clearance_in_words(motion)
    figure.suptitle(f"{title}\n{plain_text(words)}" if words else title)
    write_picture(figure, path)


def _draw(axes: Any, t: Array, signal: Array, low: float, high: float) -> None:
    axes.axhline(0.0, color="0.85", linewidth=0.8)
    axes.plot(t, signal, color=LINE_COLOUR, linewidth=1.0)
    for bound in (low, high):
        if np.isfinite(bound):
            axes.axhline(bound, color=LIMIT_COLOUR, linewidth=0.9, linestyle="--")
    axes.set_xlim(t[0], t[-1])
    axes.tick_params(labelsize=7)


def limits_used(motion: ExcitingMotion) -> Grid:
    """Return the range of every joint, and the share of its limits that the motion uses."""
    limits = motion.limits
    _, q, _, _ = motion.sample()
    rows: list[tuple[str, ...]] = []
    for j, name in enumerate(motion.arm.joint_names):
        used = [motion.peaks[key][j] for key in ("velocity", "acceleration", "torque")]
        rows.append(
            (
                name,
                f"{q[:, j].min():.3f}",
                f"{q[:, j].max():.3f}",
                f"{limits.lower[j]:.3f} to {limits.upper[j]:.3f}",
                *(f"{share:.0%}" if share > 0 else "no limit" for share in used),
            )
        )
    heads = ("joint", "lowest", "highest", "limits", "velocity", "acceleration", "torque")
    return Grid("What is used of the limits", heads, 1, tuple(rows))


def clearance_in_words(motion: ExcitingMotion) -> str:
    """Return the smallest clearance of a motion as a sentence; empty if nothing was compared."""
    if not motion.closest:
        return ""
    near = motion.closest[0]
    if near.distance < 0.0:
        return (
            f"Not kept clear: {near.between[0]} and {near.between[1]} are within each other by "
            f"{-near.distance:.4f} m at {near.time:.2f} s (capsules, checked at 1 kHz)."
        )
    return (
        f"Smallest clearance, checked at 1 kHz: {near.distance:.4f} m at {near.time:.2f} s, "
        f"between {near.between[0]} and {near.between[1]}."
    )
