"""Natural parameters of physically possible bodies, close to the data and to a description.

The pseudo-inertias of the links are Pi_i = C_i X_i C_i^T, where C_i C_i^T are those of the
described arm. Friction and rotor inertias are not negative. Then

    |T [P x; f] - y|^2  +  2 s^2 sum_i ( tr X_i - log det X_i )

is minimised over positive definite X_i. The first term is the misfit of the data in units of its
variance. The second term is the log-det divergence from the described bodies [Lee2020]. It does not
depend on units or frames, grows without bound towards impossible bodies, and determines what no
torque shows. It weighs an error of a mass as the prior of the regression does: both are 4 s^2 e^2
for small relative errors e of the mass, and s comes from the regression. But the divergence trusts
the smallest moments of a link as much as its mass, so it trusts descriptions of thin links too much
(these are often crude). So s is lowered while this helps and while the misfit exceeds that of the
regression by more than the number of parameters. The true parameters give an excess of that size by
chance. In X, numbers are of order one for arms of any size.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import NumericalError
from armdyn.identification.fit.columns import highest, not_negative
from armdyn.identification.fit.problem import Problem, Solution
from armdyn.identification.physical.pseudo_inertia import (
    expected_roots,
    parameters_from,
    parameters_of,
    pseudo_inertia,
)
from armdyn.identification.physical.solver import ConicProblem, need_solver, vec_of_triangle

WHAT = "links that can exist"
WHY = "finding links that can exist (`physical=False` leaves it out)"

# More exact data count as this exact: solvers reach about ten digits.
MOST_EXACT = 1e5

# Lower bound of the prior's strength: it must determine what torques do not show.
WEAKEST = 0.01

# Upper bound: the divergence trusts the shape of links as much as their masses, which descriptions
# do not deserve. With 1, a mass is trusted to a half. Without a description the expected bodies are
# balls of a guessed mass, so they are hardly trusted; `benchmarks/undescribed.py` compares.
MOST = 1.0
MOST_UNDESCRIBED = 0.1

# s is divided by this factor, in at most this many rounds, while each round reduces the excess
# misfit to this share or less.
LOWER = 3.0
ROUNDS = 6
HELPS = 0.95

# This weight keeps friction that the data do not show at the value of the regression.
UNSEEN = 1e-3

# If the fit gets worse by a larger share, the note has a hint.
WORSE = 0.3


def physical(problem: Problem) -> Solution:
    """Return the natural parameters of bodies that explain the data.

    Raises:
        MissingExtraError: Clarabel is not installed.
        NumericalError: the solver found nothing.
    """
    need_solver(WHY)
    roots = expected_roots(problem.mean, problem.spread, problem.n, problem.described)
    most = MOST if problem.described else MOST_UNDESCRIBED
    free, s = _misfit(problem, problem.values), float(np.clip(problem.strength, WEAKEST, most))
    x, values = _first(problem, roots, s)
    used = s
    excess = _misfit(problem, values) - free
    for _ in range(ROUNDS):
        s /= LOWER
        if excess <= len(values) or s < WEAKEST:
            break
        try:
            other, lower = _solved(problem, roots, s)
        except NumericalError:  # keep the solution of the last round
            break
        less = _misfit(problem, lower) - free
        if less > HELPS * excess:
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
    n = problem.n
    spread = np.zeros((len(x), len(x)))
    for i in range(n):
        at = slice(10 * i, 10 * i + 10)
        root: Array = np.linalg.cholesky(pseudo_inertia(x[at])).astype(np.float64)
        B = parameters_from(root)
        spread[at, at] = B @ B.T / s**2
    rotors = 10 * n + np.arange(len(x) - 10 * n)
    spread[rotors, rotors] = (problem.spread[rotors] / s) ** 2
    return spread


def _first(problem: Problem, roots: list[Array], s: float) -> tuple[Array, Array]:
    """Solve for s; if the solver gives up, for a larger s, which makes the problem easier."""
    for more in (1.0, 10.0):
        try:
            return _solved(problem, roots, s * more)
        except NumericalError:
            continue
    return _solved(problem, roots, 100.0 * s)


def _misfit(problem: Problem, values: Array) -> float:
    p = len(values)
    return float(np.sum((problem.r_factor[:, :p] @ values - problem.r_factor[:, p]) ** 2))


def _solved(problem: Problem, roots: list[Array], s: float) -> tuple[Array, Array]:
    """Return the natural parameters, and their column values, for a strength s."""
    n, k, p = problem.n, len(problem.matrix), len(problem.columns)
    size = max(
        float(np.linalg.norm(_seen(problem, i) @ parameters_from(C), 2))
        for i, C in enumerate(roots)
    )
    T = problem.r_factor * min(1.0, MOST_EXACT / size if size > 0.0 else 1.0)
    problem = replace(problem, r_factor=T, strength=s)
    cones, half = ConicProblem(WHY), vec_of_triangle(4)
    links = [cones.unknowns(10, 2.0 * s**2 * (np.eye(4).ravel() @ half)) for _ in roots]
    rows = [_seen(problem, i) @ parameters_from(C) @ half for i, C in enumerate(roots)]
    for link in links:
        cones.minus_log_det(4, link, 2.0 * s**2)
    rotors, of_rotors = _rotors(cones, problem)
    own, of_own = _own(cones, problem)
    residual = cones.unknowns(len(T), square=1.0)
    known = T[:, k:p] @ problem.values[k:] - T[:, p] + _held_rotors(problem)
    seen = zip(links, rows, strict=True)
    rest = ((rotors, of_rotors), (own, of_own), (residual, -np.eye(len(T))))
    cones.zero([*seen, *rest], known)
    found = cones.solve(WHAT)
    shapes = [(half @ found[link]).reshape(4, 4) for link in links]
    if any(np.linalg.eigvalsh(X)[0] <= 0.0 for X in shapes):
        raise NumericalError(
            f"{WHAT}: the solver Clarabel came too near to links that cannot exist. Use data that "
            "excite the arm more, or `physical=False`."
        )
    bodies = [C @ X @ C.T for X, C in zip(shapes, roots, strict=True)]
    all_rotors, free = problem.mean[10 * n :].copy(), _free_rotors(problem)
    all_rotors[free] = problem.spread[10 * n :][free] * np.maximum(found[rotors], 0.0)
    x = np.concatenate([*(parameters_of(Pi) for Pi in bodies), all_rotors])
    moved = problem.values[k:] + _units(problem) * found[own]
    signed, (bounded, most) = _not_negative(problem), _highest(problem)
    moved[signed] = np.maximum(moved[signed], 0.0)
    moved[bounded] = np.minimum(moved[bounded], most)
    return x, np.concatenate([problem.matrix @ x, moved])


def _seen(problem: Problem, i: int) -> Array:
    k = len(problem.matrix)
    return problem.r_factor[:, :k] @ problem.matrix[:, 10 * i : 10 * i + 10]


def _rotors(cones: ConicProblem, problem: Problem) -> tuple[slice, Array]:
    """Add the free rotors in units of their spread, and return them and their residuals."""
    k, at = len(problem.matrix), 10 * problem.n + _free_rotors(problem)
    unit, weight = problem.spread[at], problem.strength**2
    rotors = cones.unknowns(len(at), -2.0 * weight * problem.mean[at] / unit, weight)
    cones.not_negative([(rotors, np.eye(len(at)))], np.zeros(len(at)))
    return rotors, problem.r_factor[:, :k] @ problem.matrix[:, at] * unit


def _free_rotors(problem: Problem) -> NDArray[np.int64]:
    """Return the joints whose rotors are fitted."""
    fitted = problem.matrix.shape[1] - 10 * problem.n
    return np.array([j for j in range(fitted) if j not in problem.held], dtype=np.int64)


def _held_rotors(problem: Problem) -> Array:
    """Return the part of the residuals of rotors that are as expected."""
    k, at = len(problem.matrix), 10 * problem.n + np.array(problem.held, dtype=np.int64)
    return problem.r_factor[:, :k] @ (problem.matrix[:, at] @ problem.mean[at])


def _own(cones: ConicProblem, problem: Problem) -> tuple[slice, Array]:
    """Add the columns of single joints, relative to their values in the regression."""
    k, p = len(problem.matrix), len(problem.columns)
    unit, own, each = _units(problem), problem.values[k:], np.eye(p - k)
    moved = cones.unknowns(p - k, square=UNSEEN**2)
    signed, (bounded, most) = _not_negative(problem), _highest(problem)
    cones.not_negative([(moved, each[signed])], own[signed] / unit[signed])
    cones.not_negative([(moved, -each[bounded])], (most - own[bounded]) / unit[bounded])
    for row in () if problem.curves is None else problem.curves[:, k:]:
        size = float(np.abs(row * unit).max())
        cones.not_negative([(moved, (row * unit / size)[None])], np.array([row @ own]) / size)
    return moved, problem.r_factor[:, k:p] * unit


def _units(problem: Problem) -> Array:
    """Return the change of each joint column's parameter for one residual standard deviation."""
    size = np.linalg.norm(problem.r_factor[:, len(problem.matrix) : len(problem.columns)], axis=0)
    return 1.0 / np.where(size > 0.0, size, 1.0)


def _not_negative(problem: Problem) -> NDArray[np.int64]:
    return np.array(not_negative(problem.columns[len(problem.matrix) :]), dtype=np.int64)


def _highest(problem: Problem) -> tuple[NDArray[np.int64], Array]:
    """Return the columns of single joints that have a highest value, and these values."""
    own = problem.columns[len(problem.matrix) :]
    found = {i: highest(column.kind) for i, column in enumerate(own)}
    bounded = [i for i, most in found.items() if math.isfinite(most)]
    return np.array(bounded, dtype=np.int64), np.array([found[i] for i in bounded])


def _notes(problem: Problem, values: Array) -> tuple[str, ...]:
    free, bound = (math.sqrt(_misfit(problem, v)) for v in (problem.values, values))
    worse = bound / free - 1.0 if free > 0.0 else 0.0
    said = (
        "links are bodies that can exist, and friction is not negative; where torques tell "
        "nothing they are as described"
        if problem.described
        else "links are bodies that can exist, and friction is not negative; where torques tell "
        "nothing they are balls of some mass"
    )
    said += f". Residuals of the fit are {abs(worse):.1%} {'larger' if worse >= 0.0 else 'smaller'}"
    if worse > WORSE:
        said += (
            ": something that the model lacks was taken for inertia, maybe rotors, "
            "gravity in another direction, or a load"
        )
    return (said + ".",)
