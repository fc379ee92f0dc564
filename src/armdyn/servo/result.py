"""`ServoResult`: droop, stiffness, friction and lag of position servos, and the verdict on them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_flag, checked_path
from armdyn.findings import Answer, Finding
from armdyn.log.log import Log
from armdyn.present.tables import Grid
from armdyn.servo.files import actuated_mjcf, offset_texts, texts_of
from armdyn.servo.model import Model, Values
from armdyn.servo.offsets import Offsets
from armdyn.servo.page import report_html
from armdyn.servo.prior import EXPECTED
from armdyn.servo.replay import Replay, Servos, replayed
from armdyn.servo.rows import Flags
from armdyn.servo.servos import Servo
from armdyn.servo.solve import Solution, droop_bars
from armdyn.servo.verdict import Evidence
from armdyn.servo.words import (
    HEADS,
    Call,
    joint_table,
    next_command,
    plain_data,
    replay_table,
    scale_words,
    verdict_lines,
)
from armdyn.writing import write_together, write_whole

# Friction that grows with load stretches droop and looks like compliance: relative error of
# stiffness with a hung mass (`benchmarks/servo.py`).
LOAD_FRICTION = 0.04


@dataclass(frozen=True, eq=False, repr=False)
class ServoResult:
    """An arm that was weighed by its servo errors, made by `identify` with `signal="command"`.

    Attributes:
        arm: nearest physically consistent arm with the fitted gravity torques, friction and rotors.
        described: the arm before.
        model: rows and prior of the fit.
        solution: its parameters.
        covariance: of the parameters ``(p, p)``.
        evidence: the numbers behind the verdict.
        findings: what explains the log better.
        verdicts: one per joint.
        scale: what fixes N m: "mass", "kp", "servo" or "description".
        scale_std: relative standard deviation of the common scale.
        servo: type of the servos; None if it was not stated.
        trained: parameters of the fit without the rows held out ``(p,)``.
        trained_arm: the arm of this fit.
        left_out: parts of logs that are held out, and which samples are off the limits.
        delay: part of the lag that is no damping [s].
        seconds: duration of the logs [s].
        off_stops: share of samples off the joint limits.
        notes: what was assumed, a sentence each.
        call: the command that weighed the arm.

    Examples:
        >>> arm = armdyn.load("so101")
        >>> result = armdyn.identify(arm, "servo.csv", signal="command", servo="sts3215")
        >>> result
        <ServoResult: 'so101', passed>
        >>> result.stiffness_std.shape
        (6,)
    """

    arm: Arm
    described: Arm
    model: Model
    solution: Solution
    covariance: Array
    evidence: Evidence
    findings: tuple[Finding, ...]
    verdicts: tuple[Answer, ...]
    scale: str
    scale_std: float
    servo: Servo | None
    trained: Array
    trained_arm: Arm
    left_out: tuple[tuple[Log, Flags], ...]
    delay: float
    seconds: float
    off_stops: float
    notes: tuple[str, ...]
    call: Call

    @cached_property
    def values(self) -> Values:
        """The fitted values."""
        return self.model.values(self.solution.x)

    @property
    def verdict(self) -> Answer:
        """The verdict on all joints that carry gravity: the worst of theirs."""
        loaded = [v for v, on in zip(self.verdicts, self.evidence.loaded, strict=True) if on]
        worst: Answer = "not passed"
        order: tuple[Answer, ...] = ("not passed", "usable", "passed")
        for answer in order:
            if answer in loaded:
                return answer
        return worst

    @property
    def passed(self) -> bool:
        """Whether the verdict is "passed"."""
        return self.verdict == "passed"

    @property
    def usable(self) -> bool:
        """Whether the verdict is "passed" or "usable"."""
        return self.verdict != "not passed"

    @property
    def cause(self) -> Finding | None:
        """The most likely cause of a verdict other than "passed"; None if there is none."""
        return None if self.passed else next(iter(self.findings), None)

    @property
    def next_command(self) -> str:
        """The command that should come next."""
        return next_command(self)

    @property
    def torque_limit(self) -> float:
        """Largest torque of the servos [N m]; infinite if unknown."""
        return self.servo.limit if self.servo is not None and self.servo.limit else np.inf

    @property
    def stiffness(self) -> Array:
        """Torque per servo error of every joint ``(n,)`` [N m/rad]; see `scale`."""
        return 1.0 / self.values.compliance

    @property
    def stiffness_std(self) -> Array:
        """Standard deviation of `stiffness` ``(n,)`` [N m/rad]."""
        at, n = self.model.layout, self.described.n
        by = np.zeros((n, at.size))
        by[:, at.common] = self.model.common
        by[np.arange(n), at.of("single").start + np.arange(n)] = self.model.single
        relative = np.sqrt(np.einsum("jp,pr,jr->j", by, self.covariance, by))
        if self.scale == "mass":
            relative = np.hypot(relative, LOAD_FRICTION)
        return self.stiffness * relative

    @property
    def lag(self) -> Array:
        """Time by which positions follow goals ``(n,)`` [s]: damping and delay together."""
        return self.values.lag.copy()

    @property
    def friction_angle(self) -> Array:
        """Servo error that friction of a slow motion takes ``(n,)`` [rad]."""
        return self.values.moving * (1.0 + self.values.load)

    @property
    def droop_error(self) -> Array:
        """Standard deviation of `droop` over the ranges, relative to gravity ``(n,)``, no unit."""
        return droop_bars(self.evidence.deviation)

    @property
    def scale_words(self) -> str:
        """What fixes N m, and how well, as a sentence."""
        return scale_words(self)

    @property
    def verdict_text(self) -> str:
        """The verdict and its cause as a sentence."""
        because = f" {self.cause.what}." if self.cause is not None else ""
        return f"{self.verdict_lines()[0]}{because}"

    def droop(self, q: ArrayLike) -> Array:
        """Return the servo error at which the arm rests: the middle of the friction band.

        Args:
            q: positions ``(..., n)`` [rad].

        Returns:
            q_cmd - q ``(..., n)`` [rad].

        Raises:
            InputError: `q` has a wrong shape or is not finite.

        Examples:
            >>> result.droop(np.zeros((2, 6))).shape
            (2, 6)
        """
        return self.offsets.droop(q)

    @cached_property
    def offsets(self) -> Offsets:
        """Goals of the servos, as a function of desired positions and speeds."""
        v = self.values
        duty = self.servo.duty if self.servo is not None else 0.0
        return Offsets(
            self.arm, v.compliance, v.load, v.bias, v.still, v.moving, v.lag,
            duty * v.compliance if duty else np.ones(self.arm.n), "duty" if duty else "N m",
        )  # fmt: skip

    @cached_property
    def replay(self) -> Replay | None:
        """Positions of left-out episodes, simulated; None if nothing of them is off the stops.

        The identified arm of the replay was fitted without these episodes.
        """
        v = self.model.values(self.trained)
        k, usual, none = 1.0 / v.compliance, 1.0 / self.model.nominal, np.zeros(self.described.n)
        damped = self.servo.lag if self.servo is not None and self.servo.lag else EXPECTED.usual_lag
        limit = self.torque_limit
        nominal = Servos(usual, damped * usual, none, none, none, none, limit)
        fitted = Servos(
            k, k * np.maximum(v.lag - self.delay, 0.0), k * v.moving, k * v.still, v.load, v.bias,
            limit,
        )  # fmt: skip
        return replayed(self.left_out, self.described, nominal, self.trained_arm, fitted)

    def export_offsets(
        self, folder: str | os.PathLike[str], *, single: bool = False
    ) -> tuple[Path, ...]:
        """Write goal offsets as Python and C: all files or, on failure, none.

        Args:
            folder: where to write; created if missing.
            single: C in float instead of double: goals differ by less than 1e-5 rad.

        Returns:
            Paths of offsets.py, identified.toml and the files in c/.

        Raises:
            FileError: a file cannot be written.

        Examples:
            >>> paths = result.export_offsets("offsets")
            >>> [path.name for path in paths if path.suffix == ".h"]
            ['so101.h', 'so101_offsets.h']
        """
        target = checked_path(folder, "folder", what="the path of a folder")
        return write_together(target, offset_texts(self, checked_flag(single, "single")), None)

    def table(self) -> Grid:
        """Return a row per joint: friction, lag, stiffness, errors and verdict.

        Returns:
            The table; `text()` for a terminal.

        Examples:
            >>> print(result.table().text())
            Servos of so101
            ...
        """
        return joint_table(self)

    def replay_table(self) -> Grid | None:
        """Return the position errors of a replay of left-out episodes.

        Returns:
            A row per joint [°]: goals reached at once, the described arm on nominal servos, and the
            identified arm; None if nothing of these episodes is off the stops.

        Examples:
            >>> print(result.replay_table().text())
            Replay of left-out episodes: rms error of positions
            ...
        """
        return replay_table(self)

    def summary(self) -> str:
        """Return the table, the verdict and what to do next as text.

        Returns:
            Lines for a terminal.

        Examples:
            >>> "droop error" in result.summary()
            True
        """
        return "\n".join([self.table().text(), "", *self.verdict_lines()])

    def verdict_lines(self, robot: str = "", out: str = "out") -> list[str]:
        """Return the verdict as lines: what it is, why, what to do next; then what limits it.

        Args:
            robot: its file or name and its options, as on the command line, for the next command;
                its name if left out.
            out: folder of the results, for the next command.

        Returns:
            The lines.

        Examples:
            >>> result.verdict_lines()[0].partition(":")[0]
            'passed'
        """
        return verdict_lines(self, robot, out)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON.

        Returns:
            Verdict, findings, and numbers of every joint: droops, and N m with their scale.

        Examples:
            >>> result.to_dict()["scale"]["by"]
            'servo'
        """
        return plain_data(self)

    def mjcf(self) -> str:
        """Return the arm as MJCF with position actuators.

        Returns:
            The text, with kp, damping, frictionloss, armature and masses.

        Examples:
            >>> "<position" in result.mjcf()
            True
        """
        return actuated_mjcf(self)

    def files(self, *, made: datetime | None = None) -> dict[str, str]:
        """Return the texts that `save` writes.

        Args:
            made: the date on the report; none if left out.

        Returns:
            Texts by the names of their files.

        Examples:
            >>> "offsets.py" in result.files()
            True
        """
        return texts_of(self, made)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a report as one self-contained HTML file; on failure, write nothing.

        Args:
            path: of the file.

        Raises:
            FileError: it cannot be written.

        Examples:
            >>> result.report("report.html")
        """
        write_whole(checked_path(path), report_html(self, datetime.now()))

    def save(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `files` into a folder: all of them or, on failure, none.

        Args:
            folder: where to write; created if missing.

        Returns:
            Paths of the files.

        Raises:
            FileError: a file cannot be written.

        Examples:
            >>> paths = result.save("out")
        """
        target = checked_path(folder, "folder", what="the path of a folder")
        return write_together(target, self.files(), None)

    def __repr__(self) -> str:
        return f"<ServoResult: {self.described.name!r}, {HEADS[self.verdict]}>"
