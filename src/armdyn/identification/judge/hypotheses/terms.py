"""Further terms of a joint's torque that might explain what a model leaves over.

Every term is a column of one joint, or of all joints with a shared coefficient. The columns come
from the model that was fitted, at the full rate of the log, and pass the filter of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.fit.columns import Column, Model, friction_column, friction_of
from armdyn.identification.fit.gravity import gravity_columns, tilts
from armdyn.numerics import ratio
from armdyn.robot.friction import FRICTION_TERMS

# The Stribeck speed of the absent term, as a share of the joint's highest speed.
STRIBECK = 0.05

# A joint slower than this share of its highest speed is at rest.
RESTING = 0.02

# Joints yield by this angle [rad] in the difference quotient of elasticity.
YIELD = 1e-3

# Torques are smoothed over this time [s] on either side before they are differentiated twice: noise
# of the positions, which is also in the errors of the model, would look like a negative compliance.
SMOOTH = 0.12

# Terms of single joints, in the order of their columns.
SINGLE = (
    "sin q sign v", "cos q sign v", "sin 2q", "cos 2q", "v^3", "v |v|", "rotor", "root",
    "stribeck", "load", "gain", "spring",
)  # fmt: skip


# Those of them that are terms of the friction law, by the fields of `Joint`.
LAW = {"root": "root_friction", "stribeck": "stribeck", "load": "load_friction"}


@dataclass(frozen=True)
class Term:
    """A term: its kind and its joint (from 0; shared: -1).

    `other` is the other joint of a coupling, or tells terms of one kind apart.
    """

    kind: str
    joint: int = -1
    other: int = -1


# The torque that yielding gears carry: of the model, or measured less friction and rotors. The
# first is wrong near a resonance, the second is noisy.
ELASTIC = (Term("elastic", other=0), Term("elastic", other=1))


class Terms:
    """All terms of an arm, and their columns."""

    def __init__(self, model: Model, values: Array, parameters: Array, speed: Array) -> None:
        """List the terms.

        Args:
            model: the columns of the fit.
            values: their parameters ``(p,)``.
            parameters: natural parameters of the links ``(10n,)``.
            speed: highest speed of every joint ``(n,)``.
        """
        self.model, self.values, self.parameters = model, values, parameters
        self.rigid = np.where(np.arange(len(values)) < model.k, values, 0.0)
        self.law = [_law(model.arm, j, STRIBECK * max(float(v), 1e-9)) for j, v in enumerate(speed)]
        self.rest = RESTING * speed
        robot = model.arm.robot
        self.turned = tilts(np.asarray(robot.gravity, dtype=np.float64))
        n = model.n
        self.shared = (*(Term("tilt", other=i) for i in range(len(self.turned))),
                       Term("delay"), *ELASTIC)  # fmt: skip
        self.listed: tuple[Term, ...] = (
            *self.shared,
            *(Term(kind, j) for j in range(n) for kind in SINGLE),
            *(Term("coupling", j, i) for j in range(n) for i in range(n) if i != j),
        )
        self.place = {term: i for i, term in enumerate(self.listed)}
        self.single = len(self.shared) + len(SINGLE)
        self._of_joint = [self._listed(j) for j in range(n)]

    def __len__(self) -> int:
        return len(self.listed)

    def of_joint(self, j: int) -> Sequence[Term]:
        """Return the terms of a joint, in the order of its columns; couplings come last."""
        return self._of_joint[j]

    def _listed(self, j: int) -> Sequence[Term]:
        others = [Term("coupling", j, i) for i in range(self.model.n) if i != j]
        return (*self.shared, *(Term(kind, j) for kind in SINGLE), *others)

    def columns(
        self, q: Array, qd: Array, qdd: Array, tau: Array | None = None, step: float = 0.0
    ) -> Array:
        """Return the columns of all joints side by side, ``(N, n * single)``, without couplings.

        Args:
            q: positions ``(N, n)`` at equal steps of time, and so on.
            qd: velocities.
            qdd: accelerations.
            tau: measured torques; None for states of no order, where delay and elasticity are zero.
            step: time between samples [s].
        """
        n, count = self.model.n, len(q)
        load = self.model.predicted(self.rigid, q, qd, qdd)
        weight = gravity_columns(self.model.arm.robot, self.parameters, q)
        tilted = np.einsum("njc,mc->njm", weight, self.turned)
        made = np.zeros((count, n, self.single))
        m = len(self.turned)
        made[:, :, :m] = tilted
        if tau is not None:
            # At rest the sign of a noisy speed is noise, which derivatives would enlarge.
            moving = np.where(np.abs(qd) > self.rest, qd, 0.0)
            torque = self.model.predicted(self.values, q, moving, qdd)
            made[:, :, m] = -np.gradient(torque, step, axis=0)
            for i, carried in enumerate((load, load + tau - torque), m + 1):
                made[:, :, i] = self._yielding(q, qd, qdd, load, carried, step)
        s, size = np.sign(qd), np.abs(qd)
        root, fading, dry = (
            np.stack(
                [friction_of(law[k], v) for law, v in zip(self.law, qd.T, strict=True)], axis=1
            )
            for k in range(len(LAW))
        )
        own = (
            np.sin(q) * s, np.cos(q) * s, np.sin(2 * q), np.cos(2 * q), qd**3, qd * size, qdd,
            root, fading, np.abs(load) * dry, load, q,
        )  # fmt: skip
        made[:, :, len(self.shared) :] = np.stack(own, axis=2)
        return made.reshape(count, n * self.single)

    def _yielding(
        self, q: Array, qd: Array, qdd: Array, load: Array, carried: Array, step: float
    ) -> Array:
        """Return the change of torques with the compliance of the joints.

        Positions are those of motors. Links are behind them by the torque that the gears carry
        times the compliance.
        """
        small = float(ratio(YIELD, np.abs(carried).max(), YIELD))
        smooth = _smooth(carried, max(round(SMOOTH / step), 1))
        first = np.gradient(smooth, step, axis=0)
        second = np.gradient(first, step, axis=0)
        links = q - small * smooth, qd - small * first, qdd - small * second
        return (self.model.predicted(self.rigid, *links) - load) / small


def _law(arm: Arm, j: int, fading: float) -> tuple[Column, ...]:
    """Return the columns of the terms of `LAW` of joint j."""
    return tuple(
        friction_column(arm, j, kind, (fading,) * len(FRICTION_TERMS[kind].shape))
        for kind in LAW.values()
    )


def _smooth(x: Array, half: int) -> Array:
    """Return columns averaged over `half` samples on either side, by a smooth window."""
    weights = np.hanning(2 * half + 3)[1:-1]
    weights /= weights.sum()
    padded = np.pad(x, ((half, half), (0, 0)), mode="edge")
    made = np.empty_like(x)
    for j in range(x.shape[1]):
        made[:, j] = np.convolve(padded[:, j], weights, mode="valid")
    return made
