"""The law of adaptive control as a program; its gains and initial parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from armdyn.algorithms.vector import inner
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array
from armdyn.control.physical_state import PhysicalState, functional
from armdyn.errors import InputError
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.identification.fit.prior import link_prior
from armdyn.identification.pseudo_inertia import expected_roots, link_fields, parameters_of
from armdyn.minimal.parameters import MinimalParameters
from armdyn.robot.friction import FRICTION_TERMS, coefficients, parameter_terms
from armdyn.scalar import Scalar, sign, sqrt
from armdyn.simulation.programs import inlined

# Where adaptation begins: the parameters of a model, and their natural scales.

# Random states that show the sizes of torques and inertias.
STATES = 64
# Scales of friction and of rotors that the model does not have: shares of a joint's torque at
# speeds and accelerations of about 1, and of its inertia.
FRICTION_SHARE, ROTOR_SHARE = 0.05, 0.1
# A coefficient that cannot be negative begins at this share of its scale at least: from zero a
# product never grows.
MIN_COEFFICIENT_SHARE = 0.01


@dataclass(frozen=True)
class Start:
    """The parameters at the beginning.

    Attributes:
        base: the minimal set: links, and rotors and friction if the model has them.
        roots: G of every link ``(n, 4, 4)``; G G^T is its pseudo-inertia, made positive where the
            model's is not.
        drives: the other parameters.
        scales: their scales.
        signed: which of them may be negative.
    """

    base: MinimalParameters
    roots: Array
    drives: Array
    scales: Array
    signed: tuple[bool, ...]

    @property
    def parameters(self) -> Array:
        """Parameters ``(N,)`` of links that can exist, and of drives."""
        links = [parameters_of(G @ G.T) for G in self.roots]
        return np.concatenate([*links, self.drives])

    @property
    def state(self) -> Array:
        """The state of the law that keeps parameters possible."""
        drives = np.where(self.signed, self.drives, np.sqrt(np.abs(self.drives)))
        return np.concatenate([self.roots.ravel(), drives])

    def metric(self) -> Array:
        """Return B ``(N, N)``: dp/dt = -r B dV/dp is the law of links that can exist, frozen."""
        n, N = len(self.roots), self.base.matrix.shape[1]
        B = np.zeros((N, N))
        for i, G in enumerate(self.roots):
            P, at = G @ G.T, slice(10 * i, 10 * i + 10)
            L = [np.array(functional(list(a)), dtype=np.float64) for a in np.eye(10)]
            B[at, at] = np.stack([parameters_of(P @ one @ P) for one in L], axis=1)
        own = np.where(self.signed, self.scales**2, self.scales * self.drives)
        B[10 * n :, 10 * n :] = np.diag(own)
        return B


def start_of(model: Arm) -> Start:
    """Return the beginning of adaptation with a model."""
    joints = model.robot.joints
    rotor = any(joint.rotor_inertia for joint in joints)
    friction = any(any(coefficients(joint)) for joint in joints)
    base = model.minimal_with(rotor=rotor, friction=friction)
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (3, STATES, model.n))
    torque = np.sqrt(np.mean(model.inverse_dynamics(*x) ** 2, axis=0))
    inertia = np.diagonal(model.mass_matrix(x[0]), axis1=-2, axis2=-1).mean(axis=0)
    natural = link_prior(model, False, torque)
    roots = expected_roots(natural.mean, natural.spread, model.n, natural.described)
    scales: list[float] = list(ROTOR_SHARE * inertia) if rotor else []
    signed = [False] * len(scales)
    if friction:
        terms = parameter_terms(map(coefficients, joints))
        scales += [FRICTION_SHARE * size for size in torque for _ in terms]
        signed += [FRICTION_TERMS[name].signed for _ in joints for name in terms]
    drives = base.parameters[10 * model.n :]
    wide = np.maximum(np.array(scales, dtype=np.float64), np.abs(drives))
    begun = np.where(signed, drives, np.maximum(drives, MIN_COEFFICIENT_SHARE * wide))
    return Start(base, np.array(roots), begun, wide, tuple(signed))


def arm_with_parameters(model: Arm, base: MinimalParameters, parameters: Array) -> Arm:
    """Return a model with other parameters ``(N,)`` of links and drives."""
    n, at = model.n, 10 * model.n
    fields: list[dict[str, Any]] = [link_fields(parameters[10 * i : 10 * i + 10]) for i in range(n)]
    if base.rotor:
        for own, x in zip(fields, parameters[at : at + n], strict=True):
            own["rotor_inertia"] = float(x)
        at += n
    if base.friction:
        names = parameter_terms(map(coefficients, model.robot.joints))
        for own, row in zip(fields, parameters[at:].reshape(n, -1), strict=True):
            own |= dict(zip(names, map(float, row), strict=True))
    joints = zip(model.robot.joints, fields, strict=True)
    return Arm(replace(model.robot, joints=[replace(j, **own) for j, own in joints]))


# The law of adaptive control as a program: torques, and the parameters a period later.
#
# [SlotineLi1987]: with a reference velocity qdr = qd* + L (q* - q) and s = qd - qdr,
#
#     tau = Y(q, qd, qdr, qddr) w - K s,        dw/dt = -A Y^T s,
#
# V = s . M s / 2 + (w - w0) . A^-1 (w - w0) / 2 never grows, because dM/dt - 2C is skew. Between
# samples the torques are constant.

Row = Sequence[Scalar]

MEASURED = ("q", "qd")
WANTED = ("q_wanted", "qd_wanted", "qdd_wanted")
STATE, AFTER, VALUES = "state", "state_after", "w"


@dataclass(frozen=True)
class Gains:
    """The gains of a law, checked.

    Attributes:
        slope: L ``(n, n)`` [1/s].
        damping: K ``(n, n)`` [N m s].
        limit: largest torques ``(n,)``, infinite where there is no limit.
        period: time between samples [s].
    """

    slope: Array
    damping: Array
    limit: Array
    period: float


@dataclass(frozen=True)
class Law:
    """A law of adaptation, for one arm.

    Attributes:
        start: the state at the beginning.
        values: returns minimal values of a state.
        advanced: returns the state after a period, from the state and Y^T s.
    """

    start: Array
    values: Callable[[Row], list[Scalar]]
    advanced: Callable[[Row, Row], list[Scalar]]


def minimal_law(
    start: Start, adaptation: Array, period: float, rate: float | None, fastest: float
) -> Law:
    """Return the law whose state is the minimal values.

    Args:
        start: the parameters at the beginning.
        adaptation: A ``(k, k)``.
        period: time between samples [s].
        rate: r if A is r times the natural metric, in which changes are then limited.
        fastest: the fastest relative change of parameters [1/s].
    """
    w = start.base.matrix @ start.parameters
    A, most = period * adaptation, min(period * fastest, 1.0)

    def advanced(state: Row, b: Row) -> list[Scalar]:
        change = _times(A, b)
        share: Scalar = 1.0
        if rate is not None:
            share = 1.0 / (1.0 + sqrt((rate * period / most**2) * inner(b, change)))
        return [x - share * y for x, y in zip(state, change, strict=True)]

    return Law(w, list, advanced)


def physical_law(start: Start, rates: Array, period: float, fastest: float) -> Law:
    """Return the law whose links can exist at all times.

    Args:
        start: the parameters at the beginning.
        rates: r of links, then of drives [1/J].
        period: time between samples [s].
        fastest: the fastest relative change of parameters [1/s].
    """
    P, n = start.base.matrix, len(start.roots)
    most = min(period * fastest, 1.0)
    how = PhysicalState(n, period * rates, start.scales, start.signed, most)

    def values(state: Row) -> list[Scalar]:
        return _times(P, how.parameters(state))

    def advanced(state: Row, b: Row) -> list[Scalar]:
        return how.advanced(state, _times(P.T, b))

    return Law(start.state, values, advanced)


@dataclass(frozen=True)
class Errors:
    """The errors that a law sees, and the motion that it asks for.

    Attributes:
        e: errors ``(m,)``.
        de: their derivatives ``(m,)``.
        velocity: desired velocities ``(m,)``.
        acceleration: desired accelerations ``(m,)``.
    """

    e: Row
    de: Row
    velocity: Row
    acceleration: Row


def sliding(
    regressor: Program, law: Law, slope: Array, damping: Array, q: Row, qd: Row, errors: Errors,
    state: Row,
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:  # fmt: skip
    """Return tau = Y w - K s, Y^T s and w; s is the distance from the sliding surface."""
    n, k = regressor.outputs[0].shape

    def reference(first: Row, off: Row) -> list[Scalar]:
        return [a + b for a, b in zip(first, _times(slope, off), strict=True)]

    qdr, qddr = reference(errors.velocity, errors.e), reference(errors.acceleration, errors.de)
    s = [a - b for a, b in zip(qd, qdr, strict=True)]
    flat = inlined(regressor, [q, qd, qdr, qddr])
    Y = [flat[k * i : k * i + k] for i in range(n)]
    w = law.values(state)
    damped = _times(damping, s)
    tau = [inner(row, w) - x for row, x in zip(Y, damped, strict=True)]
    return tau, [inner([row[j] for row in Y], s) for j in range(k)], w


def law_program(regressor: Program, law: Law, gains: Gains, name: str) -> Program:
    """Return a sample of the controller as a program.

    Inputs are measured and desired motion and the state; outputs are torques, the next state and
    the minimal values of the torques.

    Args:
        regressor: of adaptive control, for the minimal set of the law.
        law: of adaptation.
        gains: of the controller.
        name: of the program.
    """
    n, k = regressor.outputs[0].shape

    def sample(q: Row, qd: Row, q_w: Row, qd_w: Row, qdd_w: Row, state: Row) -> object:
        e = [a - b for a, b in zip(q_w, q, strict=True)]
        de = [a - b for a, b in zip(qd_w, qd, strict=True)]
        errors = Errors(e, de, qd_w, qdd_w)
        tau, b, w = sliding(regressor, law, gains.slope, gains.damping, q, qd, errors, state)
        limited = [_limited(x, float(most)) for x, most in zip(tau, gains.limit, strict=True)]
        return limited, law.advanced(state, b), w

    inputs = [Slot(x, (n,)) for x in (*MEASURED, *WANTED)]
    size = (len(law.start),)
    outputs = [Slot("tau", (n,)), Slot(AFTER, size), Slot(VALUES, (k,))]
    return trace(sample, [*inputs, Slot(STATE, size)], outputs, name=name)


def _limited(x: Scalar, most: float) -> Scalar:
    """Return x within +-most; arithmetic only, as programs have no branches."""
    if not np.isfinite(most):
        return x
    inside = 0.5 + 0.5 * sign(most - x * sign(x))  # 1, at the limit 1/2, beyond it 0
    return inside * x + (1.0 - inside) * (most * sign(x))


def _times(A: Array, x: Row) -> list[Scalar]:
    rows: list[Scalar] = []
    for row in A:
        at = np.flatnonzero(row)
        rows.append(inner([float(v) for v in row[at]], [x[int(j)] for j in at]))
    return rows


# Gains of adaptive control: numbers, diagonals or matrices, all positive definite.

# Entries across the diagonal that differ by less, relative to the largest entry, are rounding.
ROUNDING = 1e-9


def checked_gain(value: object, name: str) -> Array:
    """Return a gain as given: a number, a diagonal ``(n,)`` or a matrix ``(n, n)``."""
    what = "a positive number, one a joint, or a symmetric positive definite matrix"
    array = checked_array(value, name, (), ("n",), ("n", "n"), what=what)
    if array.ndim == 2:
        _check_definite(array, name, what)
    elif not (array > 0.0).all():
        lowest = float(array.min())
        raise InputError(
            f"`{name}` is not positive definite: it has {lowest:g}; expected {what}.", argument=name
        )
    return array


def gain_matrix(gain: Array, name: str, n: int, whose: str = "the arm has {n} joints") -> Array:
    """Return a gain as a matrix ``(n, n)``; refuse one of another size."""
    if gain.ndim and len(gain) != n:
        raise InputError(
            f"`{name}` has shape {gain.shape}, but {whose.format(n=n)}.", argument=name
        )
    return gain.copy() if gain.ndim == 2 else np.diag(np.broadcast_to(gain, (n,)))


def _check_definite(matrix: Array, name: str, what: str) -> None:
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"`{name}` has shape {matrix.shape}, expected {what}.", argument=name)
    largest = float(np.abs(matrix).max())
    if np.abs(matrix - matrix.T).max() > ROUNDING * largest:
        raise InputError(f"`{name}` is not symmetric; expected {what}.", argument=name)
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if not lowest > np.finfo(float).eps * len(matrix) * largest:
        raise InputError(
            f"`{name}` is not positive definite: its smallest eigenvalue is {lowest:.3g}; expected "
            f"{what}.",
            argument=name,
        )
