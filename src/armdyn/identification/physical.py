"""Physically consistent link parameters that fit the data, and the arm that has them.

The pseudo-inertias of the links are Pi_i = C_i X_i C_i^T, where C_i C_i^T are those of the
described arm. Friction and rotor inertias are not negative. Then

    |T [P x; f] - y|^2  +  2 s^2 sum_i ( tr X_i - log det X_i )

is minimised over positive definite X_i. The first term is the misfit of the data in units of its
variance. The second term is the log-det divergence from the described bodies [Lee2020]. It does not
depend on units or frames, grows without bound towards inconsistent inertias, and determines the
parameters that are not identifiable. It weighs an error of a mass as the prior of the regression
does: both are 4 s^2 e^2 for small relative errors e of the mass, and s comes from the regression.
But the divergence trusts the smallest moments of a link as much as its mass, so it trusts
descriptions of thin links too much (these are often crude). So s is lowered while this helps and
while the misfit exceeds that of the regression by more than the number of parameters. The true
parameters give an excess of that size by chance. In X, numbers are of order one for arms of any
size. T, y and P are `r_factor` and `matrix` of a `Problem`; f are the values of the columns after
the first k.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import NumericalError
from armdyn.identification.conic import ConicProblem, need_solver
from armdyn.identification.fit.columns import Column, Model, highest, not_negative
from armdyn.identification.pseudo_inertia import (
    TRIANGLE_TRACE,
    body_of_triangle,
    expected_roots,
    link_fields,
    parameters_from,
    parameters_of,
    pseudo_inertia,
    triangle_basis,
)
from armdyn.robot.friction import FRICTION_TERMS, shape_fields
from armdyn.robot.joint import Joint

WHY = "finding physically consistent links (`physical=False` leaves it out)"


@dataclass(frozen=True)
class Settings:
    """How far a description is trusted, and how the solver is kept away from its limits.

    Attributes:
        most_exact: more exact data count as this exact, in standard deviations for a change of a
            link by its own size: solvers reach about ten digits.
        weakest: lower bound of the strength s; s must determine what torques do not show.
        most: upper bound of s. With 1, a mass is trusted to a half. The divergence trusts the shape
            of links as much as their masses, which descriptions do not deserve.
        most_undescribed: upper bound of s without a description: the expected bodies are balls of a
            guessed mass, so they are hardly trusted; `benchmarks/undescribed.py` compares.
        lower: s is divided by this factor in each round.
        helps: a round must reduce the excess misfit to this share.
        unseen: weight that keeps friction that the data do not show at the value of the regression.
        worse: if residuals grow by a larger share, the note has a hint.
        rounded: a smaller negative value (SI) is a zero that was rounded.
    """

    most_exact: float = 1e5
    weakest: float = 0.01
    most: float = 1.0
    most_undescribed: float = 0.1
    lower: float = 3.0
    helps: float = 0.95
    unseen: float = 1e-3
    worse: float = 0.3
    rounded: float = 1e-9


SETTINGS = Settings()


@dataclass(frozen=True)
class Problem:
    """The quantities of the minimisation problem.

    Attributes:
        n: number of joints.
        columns: the p columns; the first k are minimal parameters.
        r_factor: ``(c, p + 1)`` with c at most p + 1, factor of all weighted rows [Y | tau], and of
            weak rows that keep friction and extra columns finite where the data do not show them.
        matrix: P, ``(k, N)``: minimal parameters of natural ones.
        mean: expected natural parameters ``(N,)``.
        spread: how far they may be off ``(N,)``.
        strength: s, the strength of the prior.
        described: whether the prior is a description with masses, or just zero.
        values: the best values ``(p,)`` without the constraint of physical links.
        held: joints (from 0) whose rotors are as expected.
        curves: rows ``(m, p)``; rows @ values is friction at some speed, which is not negative.
    """

    n: int
    columns: tuple[Column, ...]
    r_factor: Array
    matrix: Array
    mean: Array
    spread: Array
    strength: float
    described: bool
    values: Array
    held: tuple[int, ...] = ()
    curves: Array | None = None


@dataclass(frozen=True)
class Solution:
    """What natural parameters were found.

    Attributes:
        parameters: natural parameters ``(N,)``.
        values: the column values ``(p,)`` that follow.
        notes: a sentence each.
        prior: how far natural parameters may be from `expected`, as a covariance ``(N, N)``, if
            that differs from the prior of the regression.
        expected: the centre of that prior ``(N,)``.
    """

    parameters: Array
    values: Array
    notes: tuple[str, ...]
    prior: Array | None = None
    expected: Array | None = None


def physical(problem: Problem) -> Solution:
    """Return physically consistent natural parameters that fit the data.

    Raises:
        MissingExtraError: Clarabel is not installed.
        NumericalError: the solver found no solution.
    """
    need_solver(WHY)
    roots = expected_roots(problem.mean, problem.spread, problem.n, problem.described)
    most = SETTINGS.most if problem.described else SETTINGS.most_undescribed
    s = used = float(np.clip(problem.strength, SETTINGS.weakest, most))
    free = _misfit(problem, problem.values)
    x, values = _first(problem, roots, s)
    excess = _misfit(problem, values) - free
    with suppress(NumericalError):  # which leaves the solution of the last round
        while excess > len(values) and s >= SETTINGS.lower * SETTINGS.weakest:
            s /= SETTINGS.lower
            other, lower = _solved(problem, roots, s)
            less = _misfit(problem, lower) - free
            if less > SETTINGS.helps * excess:
                break
            x, values, excess, used = other, lower, less, s
    return Solution(
        x, values, _notes(problem, values), _spread(problem, x, used),
        np.concatenate([*(parameters_of(C @ C.T) for C in roots), problem.mean[10 * problem.n :]]),
    )  # fmt: skip


def _spread(problem: Problem, x: Array, s: float) -> Array:
    """Return the covariance of natural parameters that the divergence allows, near a solution x.

    The second derivative of s^2 (tr X - log det X) at X is that of a normal distribution of
    X^(-1/2) dX X^(-1/2), with variance 1/s^2 of its entries.
    """
    spread = np.diag((problem.spread / s) ** 2)
    for at in range(0, 10 * problem.n, 10):
        own = slice(at, at + 10)
        B = parameters_from(np.linalg.cholesky(pseudo_inertia(x[own])).astype(np.float64))
        spread[own, own] = B @ B.T / s**2
    return spread


def _first(problem: Problem, roots: list[Array], s: float) -> tuple[Array, Array]:
    """Solve for s; if the solver gives up, for a larger s, which makes the problem easier."""
    for more in (1.0, 10.0):
        with suppress(NumericalError):
            return _solved(problem, roots, s * more)
    return _solved(problem, roots, 100.0 * s)


def _misfit(problem: Problem, values: Array) -> float:
    """Return the squares of the residuals of column values."""
    return float(np.sum((problem.r_factor @ np.append(values, -1.0)) ** 2))


def _solved(problem: Problem, roots: list[Array], s: float) -> tuple[Array, Array]:
    """Return the natural parameters, and their column values, for a strength s."""
    n, k, p = problem.n, len(problem.matrix), len(problem.columns)
    natural = problem.r_factor[:, :k] @ problem.matrix
    parts = [natural[:, 10 * i : 10 * i + 10] @ parameters_from(C) for i, C in enumerate(roots)]
    size = max(float(np.linalg.norm(part, 2)) for part in parts)
    scale = min(1.0, SETTINGS.most_exact / size if size > 0.0 else 1.0)
    T, natural = scale * problem.r_factor, scale * natural
    basis = triangle_basis(roots, problem.spread[10 * n :])
    cones = ConicProblem(WHY)
    links = cones.unknowns(10 * n, np.tile(2.0 * s**2 * TRIANGLE_TRACE, n))
    for i in range(n):
        cones.minus_log_det(4, slice(10 * i, 10 * i + 10), 2.0 * s**2)
    # rotors in units of their spread; those that are not fitted are as expected
    held = [10 * n + j for j in problem.held]
    free = [i for i in range(10 * n, len(basis)) if i not in held]
    expected = problem.mean[free] / problem.spread[free]
    turns = cones.unknowns(len(free), -2.0 * s**2 * expected, s**2)
    cones.not_negative([(turns, np.eye(len(free)))], np.zeros(len(free)))
    # other columns, relative to their values in the regression
    own = problem.values[k:]
    length = np.linalg.norm(T[:, k:p], axis=0)
    units = 1.0 / np.where(length > 0.0, length, 1.0)
    moves = cones.unknowns(p - k, square=SETTINGS.unseen**2)
    low, high = np.full(p - k, -np.inf), np.array([highest(c.kind) for c in problem.columns[k:]])
    low[not_negative(problem.columns[k:])] = 0.0
    for sign, bound in ((1.0, low), (-1.0, high)):
        at = np.isfinite(bound)
        rows = sign * np.eye(p - k)[at]
        cones.not_negative([(moves, rows)], sign * (own - bound)[at] / units[at])
    for row in () if problem.curves is None else problem.curves[:, k:]:
        scaled = row * units
        largest = float(np.abs(scaled).max())
        cones.not_negative([(moves, scaled[None] / largest)], np.array([row @ own]) / largest)
    residual = cones.unknowns(len(T), square=1.0)
    seen = natural @ basis
    terms = [(links, seen[:, : 10 * n]), (turns, seen[:, free]), (moves, T[:, k:p] * units)]
    known = T[:, k:p] @ own - T[:, p] + natural[:, held] @ problem.mean[held]
    cones.zero([*terms, (residual, -np.eye(len(T)))], known)
    solution = cones.solve()
    bodies = map(body_of_triangle, solution[links].reshape(n, 10))
    if any(np.linalg.eigvalsh(X)[0] <= 0.0 for X in bodies):
        raise NumericalError(
            f"{WHY}: the solver Clarabel came too near to inconsistent inertias. Use data that "
            "excite the arm more."
        )
    u = np.zeros(len(basis))
    u[: 10 * n], u[free] = solution[links], np.maximum(solution[turns], 0.0)
    x = basis @ u
    x[held] = problem.mean[held]
    moved = np.clip(own + units * solution[moves], low, high)
    return x, np.concatenate([problem.matrix @ x, moved])


def _notes(problem: Problem, values: Array) -> tuple[str, ...]:
    free, bound = (math.sqrt(_misfit(problem, v)) for v in (problem.values, values))
    worse = bound / free - 1.0 if free > 0.0 else 0.0
    default = "as described" if problem.described else "those of balls of a guessed mass"
    hint = (
        ": an effect that the model lacks was taken for inertia, maybe rotors, gravity in another "
        "direction, or a load"
    )
    return (
        "link inertias are physically consistent, and friction is not negative; parameters that "
        f"are not identifiable are {default}. "
        f"Residuals of the fit are {abs(worse):.1%} {'larger' if worse >= 0.0 else 'smaller'}"
        f"{hint if worse > SETTINGS.worse else ''}.",
    )


def arm_with(model: Model, values: Array, parameters: Array) -> tuple[Arm, tuple[str, ...]]:
    """Return the arm of fitted columns, and notes on values that it cannot hold, a sentence each.

    Args:
        model: the columns.
        values: of the columns.
        parameters: natural parameters ``(N,)``: of links and, if they were fitted, rotors.
    """
    robot, n, notes = model.arm.robot, model.n, list[str]()
    joints: list[Joint] = []
    for j, joint in enumerate(robot.joints):
        fields = {"rotor_inertia": float(parameters[10 * n + j])} if model.base.rotor else {}
        if model.coupling is not None:  # of the drives, which an arm cannot describe
            fields = dict.fromkeys((*FRICTION_TERMS, "rotor_inertia"), 0.0)
        else:
            fields |= _friction_fields(model, values, j)
        for key, value in fields.items():
            signed = key in FRICTION_TERMS and FRICTION_TERMS[key].signed
            fields[key] = min(value if signed else max(value, 0.0), highest(key))
            if not fields[key] - SETTINGS.rounded <= value <= fields[key]:
                notes.append(
                    f"{key} of {joint.name} came out as {value:.3g}; the arm has {fields[key]:g}."
                )
        joints.append(replace(joint, **link_fields(parameters[10 * j : 10 * j + 10]), **fields))  # pyright: ignore[reportArgumentType]
    if model.coupling is not None:
        notes.append(
            "friction and rotors belong to the coupled drives; the arm has none: its torques are "
            "those of the joints. `predict` has everything."
        )
    if len(model.indices("extra")):
        notes.append("extra columns are no part of the arm; `predict` has them.")
    turned = 0.0 if model.turned is None else model.turned.change
    gravity = np.asarray(robot.gravity, dtype=np.float64) + turned
    return Arm(robot.with_joints(joints, gravity=gravity.tolist())), tuple(notes)


def _friction_fields(model: Model, values: Array, j: int) -> dict[str, float]:
    """Return the fields of `Joint` of fitted friction; none if friction is not fitted."""
    own = friction_of_joint(model, j)
    if not own:
        return {}
    fields = dict.fromkeys((*FRICTION_TERMS, *shape_fields()), 0.0)
    for i in own:
        column = model.columns[i]
        fields[column.kind] = float(values[i])
        fields |= dict(zip(FRICTION_TERMS[column.kind].shape, column.shape, strict=True))
    # Rounding of the solver must not make the dry friction at rest negative.
    fields["stribeck"] = max(fields["stribeck"], -max(fields["coulomb"], 0.0))
    return fields


def friction_of_joint(model: Model, j: int) -> list[int]:
    """Return the indices of the columns that are friction of joint j."""
    return [i for i in model.indices(*FRICTION_TERMS) if model.columns[i].joint == j]


def impossible_links(arm: Arm) -> tuple[str, ...]:
    """Return the names of joints whose links are physically inconsistent."""
    return tuple(joint.name for joint in arm.robot.joints if joint.physical_faults())
