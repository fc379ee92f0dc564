"""The laws of a controller: what torques errors of motion or of pose ask for.

With e = q* - q and the arm's model M, C, g [Siciliano2009, chapters 8 and 9]:

    gravity              g(q) - kd qd
    pd_gravity           g(q) + kp e + kd e'
    computed_torque      M (qdd* + kd e' + kp e) + C qd + g
    joint_impedance      M qdd* + C qd + g + kp e + kd e'
    cartesian_impedance  J^T (kp e + kd e') + C qd + g - joint_damping qd, e of the tip's pose
    adaptive             Y(q, qd, qdr, qddr) w - kd s, see `armdyn.control.adaptive`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from armdyn.algorithms.vector import inner
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.control.adaptive_law import Errors, Law, sliding
from armdyn.control.observer_programs import straight
from armdyn.graph.program import Program, Slot
from armdyn.scalar import Scalar
from armdyn.simulation.programs import inlined

Row = Sequence[Scalar]


@dataclass(frozen=True)
class Asked:
    """What a law asks for.

    Attributes:
        tau: torques ``(n,)``, without friction.
        state: that of the law, if it has one, when this sample counts.
    """

    tau: Row
    state: Row = ()


@dataclass(frozen=True)
class ControlLaw:
    """A law: its references, its errors, its torques.

    Attributes:
        references: inputs of a step.
        errors: returns e and e' of q, qd and the references.
        asked: returns the torques of q, qd, the errors and the state.
        start: the state of the law at the beginning; most have none.
    """

    references: tuple[Slot, ...]
    errors: Callable[[Row, Row, Sequence[Row]], tuple[Row, Row]]
    asked: Callable[[Row, Row, Errors, Row], Asked]
    start: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def directed(self) -> bool:
        """Whether references tell where joints will move, hence the sign of friction."""
        return bool(self.references) and self.references[0].name == "q_ref"


def gravity(arm: Arm, kd: Array) -> ControlLaw:
    """Return gravity compensation without a reference: the arm is led by hand."""

    def errors(q: Row, v: Row, references: Sequence[Row]) -> tuple[Row, Row]:
        return [0.0] * len(q), [-x for x in v]

    return ControlLaw((), errors, pd_gravity(arm, np.zeros(arm.n), kd).asked)


def pd_gravity(arm: Arm, kp: Array, kd: Array) -> ControlLaw:
    """Return gravity compensation with springs and dampers at the joints."""
    g = straight(arm, "gravity")

    def asked(q: Row, v: Row, errors: Errors, state: Row) -> Asked:
        return Asked(_sum(inlined(g, [q]), _feedback(kp, kd, errors)))

    return _of_joints(arm.n, asked)


def computed_torque(arm: Arm, kp: Array, kd: Array) -> ControlLaw:
    """Return inverse dynamics of the desired acceleration and feedback."""
    inverse = straight(arm, "inverse_dynamics", False)

    def asked(q: Row, v: Row, errors: Errors, state: Row) -> Asked:
        a = _sum(errors.acceleration, _feedback(kp, kd, errors))
        return Asked(inlined(inverse, [q, v, a]))

    return _of_joints(arm.n, asked)


def joint_impedance(arm: Arm, kp: Array, kd: Array) -> ControlLaw:
    """Return springs and dampers at the joints beside the torques of the desired motion."""
    inverse = straight(arm, "inverse_dynamics", False)

    def asked(q: Row, v: Row, errors: Errors, state: Row) -> Asked:
        forward = inlined(inverse, [q, v, errors.acceleration])
        return Asked(_sum(forward, _feedback(kp, kd, errors)))

    return _of_joints(arm.n, asked)


def cartesian_impedance(arm: Arm, kp: Array, kd: Array, joint_damping: Array) -> ControlLaw:
    """Return a spring and a damper at the tip: six gains along the axes of the base.

    The error of orientation is the sine of the angle times its axis: half the sum of the cross
    products of the axes. It pulls the right way below 180 degrees, hardest at 90.
    """
    n = arm.n
    pose, bias = straight(arm, "pose"), straight(arm, "bias", False)
    rates = straight(arm, "jacobian")

    def jacobian(q: Row) -> list[Row]:
        flat = inlined(rates, [q])
        return [flat[n * i : n * i + n] for i in range(6)]

    def errors(q: Row, v: Row, references: Sequence[Row]) -> tuple[Row, Row]:
        wanted, twist = references
        T = inlined(pose, [q])
        off = [wanted[4 * i + 3] - T[4 * i + 3] for i in range(3)]
        turned: list[Scalar] = [0.0, 0.0, 0.0]
        for axis in range(3):
            a, b = ([X[4 * i + axis] for i in range(3)] for X in (T, wanted))
            for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                turned[i] = turned[i] + 0.5 * (a[j] * b[k] - a[k] * b[j])
        return [*off, *turned], [
            x - inner(row, v) for x, row in zip(twist, jacobian(q), strict=True)
        ]

    def asked(q: Row, v: Row, errors: Errors, state: Row) -> Asked:
        force, J = _feedback(kp, kd, errors), jacobian(q)
        along = [inner([row[j] for row in J], force) for j in range(n)]
        damped = [-float(d) * x for d, x in zip(joint_damping, v, strict=True)]
        return Asked(_sum(_sum(along, inlined(bias, [q, v])), damped))

    return ControlLaw((Slot("pose_ref", (4, 4)), Slot("twist_ref", (6,))), errors, asked)


def adaptive(regressor: Program, law: Law, slope: Array, damping: Array) -> ControlLaw:
    """Return adaptive control: the parameters are the state."""

    def asked(q: Row, v: Row, errors: Errors, state: Row) -> Asked:
        tau, b, _ = sliding(regressor, law, slope, damping, q, v, errors, state)
        return Asked(tau, law.advanced(state, b))

    return _of_joints(len(slope), asked, law.start)


def _of_joints(
    n: int, asked: Callable[[Row, Row, Errors, Row], Asked], start: Array | None = None
) -> ControlLaw:
    """Return a law whose references are positions of joints and their derivatives."""

    def errors(q: Row, v: Row, references: Sequence[Row]) -> tuple[Row, Row]:
        wanted, slope, _ = references
        return [a - b for a, b in zip(wanted, q, strict=True)], [
            a - b for a, b in zip(slope, v, strict=True)
        ]

    slots = tuple(Slot(x, (n,)) for x in ("q_ref", "qd_ref", "qdd_ref"))
    return ControlLaw(slots, errors, asked, np.zeros(0) if start is None else start)


def _feedback(kp: Array, kd: Array, errors: Errors) -> list[Scalar]:
    each = zip(kp, errors.e, kd, errors.de, strict=True)
    return [float(p) * e + float(d) * de for p, e, d, de in each]


def _sum(a: Row, b: Row) -> list[Scalar]:
    return [x + y for x, y in zip(a, b, strict=True)]
