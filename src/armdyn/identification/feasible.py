"""Test whether minimal values are physically consistent; if not, find the nearest that are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_flag
from armdyn.errors import InputError, shown
from armdyn.identification.conic import ConicProblem, need_solver
from armdyn.identification.fit.prior import LinkPrior, link_prior
from armdyn.identification.pseudo_inertia import (
    TRIANGLE_TRACE,
    body_of_triangle,
    expected_roots,
    triangle_basis,
)
from armdyn.minimal.parameters import MinimalParameters
from armdyn.motion.trajectory import checked_arm

WHY = "the test of physical consistency"

# Margins are as accurate as the solver; rods and points have the margin 0.
ACCURATE = 1e-6

# Links of a smaller margin are nearly rods, plates or points.
AT_LIMIT = 1e-3


@dataclass(frozen=True, eq=False)
class Feasibility:
    """Whether minimal values are physically consistent.

    Attributes:
        feasible: whether physically consistent links have the values.
        margin: the smallest eigenvalue of the links' pseudo-inertias, relative to the described arm
            and maximised, up to 1; negative if no consistent links have the values.
        distance: from the values to the nearest consistent ones; 0 if they are consistent. In
            standard deviations if given, otherwise in units of half the arm's masses.
        nearest: the nearest consistent values ``(k,)``.
        parameters: natural parameters ``(N,)`` of links with the nearest values.
        words: the verdict as text.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> answer = armdyn.feasible(arm, -arm.minimal.values)
        >>> answer.feasible, answer.margin < 0, answer.distance > 0
        (False, True, True)
    """

    feasible: bool
    margin: float
    distance: float
    nearest: Array
    parameters: Array
    words: str


def feasible(
    arm: Arm, values: ArrayLike, *, std: ArrayLike | None = None, rotor: bool = False
) -> Feasibility:
    """Test whether minimal values are physically consistent: some links of the arm have them.

    Args:
        arm: the arm; its masses set the scale.
        values: of its minimal parameters, as `Arm.minimal.names` lists them, ``(k,)``.
        std: their standard deviations ``(k,)``.
        rotor: the values include rotors, as in `Arm.minimal_with(rotor=True)`.

    Raises:
        InputError: an argument is wrong.
        MissingExtraError: Clarabel is not installed.
        NumericalError: the solver gave up.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> armdyn.feasible(arm, arm.minimal.values).feasible
        True
    """
    arm = checked_arm(arm, "Feasible parameters")
    base = arm.minimal_with(rotor=checked_flag(rotor, "rotor"))
    k, names = len(base), shown(", ".join(base.names))
    w = checked_array(values, "values", (k,), what=f"{k} finite numbers: {names}")
    what = f"{k} positive numbers: {names}"
    spread = None if std is None else checked_array(std, "std", (k,), what=what)
    if spread is not None and (spread <= 0.0).any():
        raise InputError(f"`std` has {spread.min():.3g}, expected {what}.", argument="std")
    need_solver(WHY)
    # the scale of the parameters: from the arm's masses or, without these, from torques
    Y = base.regressor(*np.random.default_rng(0).uniform(-1.0, 1.0, (3, 40, arm.n)))
    natural = link_prior(arm, base.rotor, np.sqrt(np.mean((Y @ w) ** 2, axis=0)))
    P = base.matrix
    L: Array = np.linalg.inv(np.linalg.cholesky((P * natural.spread**2) @ P.T)).astype(np.float64)
    links = _Links(base, natural, L)
    margin = links.margin(w)
    if margin >= -ACCURATE:
        x, _ = links.nearest(w)
        words = f"these values are physically consistent (margin {margin:.2g})."
        if margin < AT_LIMIT:
            words = (
                "these values are physically consistent, but at the limit: links are rods, plates "
                "or points, or rotors have no inertia."
            )
        return Feasibility(True, margin, 0.0, w, x, words)
    links = _Links(base, natural, L if spread is None else np.diag(1.0 / spread))
    x, distance = links.nearest(w)
    nearest = P @ x
    i = int(np.argmax(np.abs(links.units @ (nearest - w))))
    unit = "times half the arm's masses" if spread is None else "standard deviations"
    words = (
        "these values are physically inconsistent. The nearest consistent ones are "
        f"{distance:.3g} {unit} away; {base.names[i]} would be {nearest[i]:.4g} in place of "
        f"{w[i]:.4g} {base.units[i]}."
    )
    return Feasibility(False, margin, distance, nearest, x, words)


class _Links:
    """The links as unknowns X_i, then rotors, and their minimal values, in the units of L."""

    def __init__(self, base: MinimalParameters, natural: LinkPrior, units: Array) -> None:
        self.n, self.units = base.n, units
        roots = expected_roots(natural.mean, natural.spread, base.n, natural.described)
        self.basis = triangle_basis(roots, natural.spread[10 * base.n :])
        self.rows = units @ base.matrix @ self.basis

    def margin(self, w: Array) -> float:
        """Return the largest t, up to 1, with X_i >= t 1 among all links that have the values."""
        problem = ConicProblem(WHY)
        u, t = problem.unknowns(self.rows.shape[1]), problem.unknowns(1, -1.0)
        problem.zero([(u, self.rows)], -self.units @ w)
        problem.not_negative([(t, -np.ones((1, 1)))], np.ones(1))
        self._above(problem, t)
        return float(problem.solve()[t][0])

    def nearest(self, w: Array) -> tuple[Array, float]:
        """Return the parameters of the links with the nearest values, and their distance."""
        problem, k, links = ConicProblem(WHY), len(w), 10 * self.n
        # among equally near links, prefer small ones
        small = np.zeros(self.rows.shape[1])
        small[:links] = np.tile(ACCURATE * TRIANGLE_TRACE, self.n)
        u, off = problem.unknowns(len(small), small), problem.unknowns(k)
        problem.zero([(u, self.rows), (off, -np.eye(k))], -self.units @ w)
        problem.norm(off)
        self._above(problem)
        solution = problem.solve()[u]
        distance = float(np.linalg.norm(self.rows @ solution - self.units @ w))
        bodies = [_positive(X) for X in solution[:links].reshape(-1, 10)]
        rotors = np.maximum(solution[links:], 0.0)
        return self.basis @ np.concatenate([*bodies, rotors]), distance

    def _above(self, problem: ConicProblem, t: slice | None = None) -> None:
        """Keep all X_i, and rotors, at t or above; at 0 without t."""
        n, count = 10 * self.n, self.rows.shape[1]
        one, ones = TRIANGLE_TRACE[:, None], np.ones((count - n, 1))
        for at in range(0, n, 10):
            shift = [] if t is None else [(t, -one)]
            problem.semidefinite(4, [(slice(at, at + 10), np.eye(10)), *shift])
        shift = [] if t is None else [(t, -ones)]
        problem.not_negative([(slice(n, count), np.eye(count - n)), *shift], 0.0 * ones[:, 0])


def _positive(triangle: Array) -> Array:
    """Return the triangle of the nearest semidefinite matrix."""
    values, V = np.linalg.eigh(body_of_triangle(triangle))
    return ((V * np.maximum(values, 0.0)) @ V.T)[np.tril_indices(len(V))]
