"""Rows of a joint: residuals beside position, speed and load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.judge.holdout import Series

if TYPE_CHECKING:
    from armdyn.identification.result import Result


@dataclass(frozen=True, eq=False)
class JointRows:
    """The rows of one joint where it is faster than its dead band, ``(M,)`` each.

    Attributes:
        position: of the joint.
        velocity: of the joint.
        load: torque that its gear transmits: of the links, without friction and rotor.
        residual: measured minus predicted torque.
    """

    position: Array
    velocity: Array
    load: Array
    residual: Array

    def __len__(self) -> int:
        return len(self.velocity)


class RowsOfJoints:
    """Rows of the fit and of the test, by joints."""

    def __init__(self, result: Result) -> None:
        self._result = result
        self._parts = {
            held_out: _columns(result, series)
            for held_out, series in ((False, result.train), (True, result.test))
        }

    def of(self, j: int, held_out: bool) -> JointRows:
        """Return the rows of a joint."""
        columns = [x[:, j] for x in self._parts[held_out]]
        moving = np.abs(columns[1]) > self._result.about.dead_band[j]
        return JointRows(*(x[moving] for x in columns))

    def both(self, j: int) -> JointRows:
        """Return the rows of the fit, then those of the test."""
        fit, test = self.of(j, False), self.of(j, True)
        return JointRows(
            np.concatenate([fit.position, test.position]),
            np.concatenate([fit.velocity, test.velocity]),
            np.concatenate([fit.load, test.load]),
            np.concatenate([fit.residual, test.residual]),
        )


def _columns(result: Result, series: Sequence[Series]) -> list[Array]:
    n = result.arm.n
    parts = [(s.position, s.velocity, load_of(result, s), s.residual) for s in series]
    if not parts:
        return [np.zeros((0, n))] * 4
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def load_of(result: Result, series: Series) -> Array:
    """Return the torques of links that gears transmit, at the rows of a segment, ``(M, n)``."""
    rotors = np.array([joint.rotor_inertia for joint in result.arm.robot.joints])
    torque = result.arm.inverse_dynamics(
        series.position, series.velocity, series.acceleration, friction=False
    )
    return torque - rotors * series.acceleration
