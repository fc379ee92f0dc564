"""Rows of a joint: residuals beside position, speed and load; and what all drawings share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.judge.holdout import Series
from armdyn.present.html import Html, tag
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.identification.result import Result


class Units(NamedTuple):
    """Units of a joint."""

    position: str
    speed: str
    acceleration: str
    torque: str


def units_of(joint: Joint) -> Units:
    """Return the units of a revolute or prismatic joint."""
    x, torque = ("rad", "N m") if joint.is_revolute else ("m", "N")
    return Units(x, f"{x}/s", f"{x}/s²", torque)


def hint(words: str) -> Html:
    """Return an explanation of what follows."""
    return tag("p", words, class_="hint")


def figure(name: str, words: str, *picture: Html) -> Html:
    """Return a picture with the name of a joint and some words as its caption."""
    return tag("figure", tag("figcaption", tag("b", name), words), *picture)


def data_in_words(result: Result) -> str:
    """Return which data the result is judged on."""
    return "data not used for the fit" if result.held_out else "the data of the fit"


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

    @property
    def quantities(self) -> tuple[Array, Array, Array]:
        """What residuals may depend on: position, velocity and load."""
        return self.position, self.velocity, self.load

    def thinned(self, most: int) -> JointRows:
        """Return at most about this many rows, evenly spread."""
        return JointRows(*(x[:: max(len(self) // most, 1)] for x in vars(self).values()))


class RowsOfJoints:
    """Rows of the fit and of the test, by joints."""

    def __init__(self, result: Result) -> None:
        self._dead_band = result.about.dead_band
        self._parts = {
            held_out: _columns(result, series)
            for held_out, series in ((False, result.train), (True, result.test))
        }

    def of(self, j: int, held_out: bool) -> JointRows:
        """Return the rows of a joint."""
        columns = [x[:, j] for x in self._parts[held_out]]
        moving = np.abs(columns[1]) > self._dead_band[j]
        return JointRows(*(x[moving] for x in columns))

    def both(self, j: int) -> JointRows:
        """Return the rows of the fit, then those of the test."""
        fit, test = (vars(self.of(j, held_out)).values() for held_out in (False, True))
        return JointRows(*(np.concatenate(pair) for pair in zip(fit, test, strict=True)))


def _columns(result: Result, series: Sequence[Series]) -> list[Array]:
    rotors = np.array([joint.rotor_inertia for joint in result.arm.robot.joints])
    parts = [(np.zeros((0, result.arm.n)),) * 4]
    for s in series:
        state = s.position, s.velocity, s.acceleration
        load = result.arm.inverse_dynamics(*state, friction=False) - rotors * s.acceleration
        parts.append((s.position, s.velocity, load, s.residual))
    return [np.concatenate(column) for column in zip(*parts, strict=True)]
