"""The minimal set in closed form: Theorems 4 and 5 of [Lin1994], corrected and completed.

`algorithms.minimal_set` has the theorem and its corrections. Here its combinations become rows of a
matrix P, minimal values = P times the 10n link parameters. A case that the papers leave out is
added: without gravity, the first moment of a body that only turns about a fixed point is invisible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from armdyn.algorithms.frame import frames
from armdyn.algorithms.inertia_constants import Body, inertia_constants
from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.algorithms.minimal_set import Symbol, minimal_set
from armdyn.algorithms.regressor import X, Y, Z
from armdyn.algorithms.structure import Direction, Structure, structure
from armdyn.arrays import Array
from armdyn.minimal.terms import Term, across_term, body_term, column, power
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar

# Joint axes at q = 0, in E_0, to decide whether they meet in one point.

# Directions, and distances relative to the size of the arm, that differ by less are equal: the rank
# of a regressor cannot resolve smaller differences either.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Axes:
    """Origins O_i and axes u_i of the joints i = 1..n (rows 0..n-1), in E_0 at q = 0."""

    origins: Array
    directions: Array

    @property
    def size(self) -> float:
        """Size of the arm [m]: the largest coordinate of an origin."""
        return float(np.abs(self.origins).max(initial=0.0))


def axes_at_zero(chain: Chain) -> Axes:
    """Return the axes of a chain at q = 0."""
    turn, p = np.eye(3), np.zeros(3)
    origins: list[Array] = []
    directions: list[Array] = []
    for F in frames(chain, [0.0] * chain.n)[1:]:
        p = p + turn @ np.array(F.s, dtype=np.float64)
        turn = turn @ np.array([F.to_parent(e) for e in (X, Y, Z)], dtype=np.float64).T
        origins.append(p)
        directions.append(turn[:, 2])
    return Axes(np.array(origins), np.array(directions))


def common_point(axes: Axes, joints: int) -> Array | None:
    """Return the common point of the axes of the first joints; None if there is none.

    The axes must not all be parallel.
    """
    u, o = axes.directions[:joints], axes.origins[:joints]
    across: Array = np.eye(3) - u[:, :, None] * u[:, None, :]
    total, moment = across.sum(axis=0), (across @ o[:, :, None]).sum(axis=0)
    point: Array = np.asarray(np.linalg.solve(total, moment)[:, 0], dtype=np.float64)
    distances = np.linalg.norm((across @ (point - o)[:, :, None])[:, :, 0], axis=1)
    return point if distances.max() <= TOLERANCE * max(axes.size, 1e-6) else None


# Coefficients this small relative to the products of lengths they are made from are rounding.
RESIDUE = 1e-13

# Sines of angles below this are zero.
TILT = 1e-12


@dataclass(frozen=True)
class LinearSet:
    """Combinations of parameters that torques depend on.

    Attributes:
        terms: the names and meanings of the combinations.
        matrix: their coefficients (k, N); the values are ``matrix @ parameters``.
        carriers: (N, k): for each combination, the parameter that represents it; all other
            parameters may be zero. ``matrix @ carriers`` is B, unit upper triangular.
    """

    terms: tuple[Term, ...]
    matrix: Array
    carriers: Array

    @property
    def B(self) -> Array:
        """The combinations for a unit of each carrier."""
        return self.matrix @ self.carriers

    @property
    def right_inverse(self) -> Array:
        """Z (N, k) with ``matrix @ Z = 1``: carriers for given minimal values, the rest zero."""
        Z = np.linalg.solve(self.B.T, self.carriers.T).T
        return np.where(np.abs(Z) <= RESIDUE * np.abs(Z).max(initial=0.0), 0.0, Z)


def closed_form(chain: Chain, found: Structure | None = None) -> LinearSet:
    """Return the set that determines all torques of an arm without rotors and friction."""
    found = found or structure(chain)
    rows: dict[Term, Array] = {}
    links = unit_links(chain.n)
    constants = inertia_constants(chain, links)
    for i, symbol, value in minimal_set(chain, found, links):
        if symbol in ("kappa1", "kappa2"):
            term, value = _across(chain, found, i, symbol, constants[i])
        else:
            term = body_term(i, symbol, chain.n)
        rows[term] = np.asarray(value, dtype=np.float64)
    if not any(chain.g):
        rows = _about_fixed_points(chain, found, rows)
    terms = tuple(rows)
    matrix = np.array([rows[t] for t in terms]).reshape(len(terms), 10 * chain.n)
    matrix = without_residue(chain, terms, matrix)
    carriers = np.zeros((10 * chain.n, len(terms)))
    for k, term in enumerate(terms):
        carriers[column(term.joint, term.carrier), k] = 1.0
    return LinearSet(terms, matrix, carriers)


def unit_links(n: int) -> dict[int, Body]:
    """Return links whose parameters are rows of a unit matrix, to get all combinations at once."""
    unit = cast(Any, np.eye(10 * n).reshape(n, 10, 10 * n))
    links: dict[int, Body] = {}
    for i, (m, hx, hy, hz, xx, xy, yy, xz, yz, zz) in enumerate(unit, 1):
        links[i] = Body(m, (hx, hy, hz), (xx, xy, xz, yy, yz, zz))
    return links


def _across(
    chain: Chain, found: Structure, i: int, symbol: Symbol, body: Body
) -> tuple[Term, Scalar]:
    """Return the visible part of k_i for a sliding joint that is not parallel to axis r.

    [Lin1994] (53), (54) project k_i on two vectors across axis r. Here a multiple of that axis
    is subtracted that makes one component of k_i zero: the one where the axis has its largest
    component. The other two serve as well, contain one parameter of link i each, and stay well
    conditioned if the joint becomes parallel to the axis.
    """
    axis, value = across_k(found.w[i], symbol, body)
    return across_term(i, symbol, axis, found.r, chain.n), value


def across_k(w: Direction, symbol: Symbol, body: Body) -> tuple[str, Scalar]:
    """Return the axis and the value of one of the two parts of k across u_r = w; see `_across`."""
    gone = max(range(3), key=lambda a: (round(abs(w[a]), 9), a))
    kept = [a for a in range(3) if a != gone][0 if symbol == "kappa1" else 1]
    value = body.k[kept] - (w[kept] / w[gone]) * body.k[gone]
    return "xyz"[kept], value


def _about_fixed_points(
    chain: Chain, found: Structure, rows: dict[Term, Array]
) -> dict[Term, Array]:
    """Return the combinations that remain without gravity.

    If joints 1..j are rotational and their axes meet in C, composite body j turns about C: its
    first moment is invisible, and its products of inertia are taken about C.
    """
    axes = axes_at_zero(chain)
    named = {term.name: row for term, row in rows.items()}
    gone: set[str] = set()
    for j in range(found.s, chain.n + 1):
        C = common_point(axes, j) if all(link.rotational for link in chain.links[:j]) else None
        if C is None:
            break
        D = float((axes.origins[j - 1] - C) @ axes.directions[j - 1])
        for inertia, moment in ((f"U{j}_13", f"k{j}_x"), (f"U{j}_23", f"k{j}_y")):
            named[inertia] = named[inertia] - D * named[moment]
            gone.add(moment)
    return {term: named[term.name] for term in rows if term.name not in gone}


def without_residue(chain: Chain, terms: tuple[Term, ...], matrix: Array) -> Array:
    """Return the coefficients with rounding residues set to zero."""
    length = sum(abs(cast(float, x)) for link in chain.links for x in (link.b, link.d))
    of_columns = np.array([power(name) for name in PARAMETER_NAMES] * len(chain.link_numbers))
    of_rows = np.array([power(t.carrier) for t in terms])
    powers = of_rows[:, None] - of_columns[None, :]
    size = np.where(powers > 0, length ** np.maximum(powers, 0), 1.0)
    return np.where(np.abs(matrix) <= RESIDUE * size, 0.0, matrix)


def gravity_only(chain: Chain, found: Structure) -> tuple[str, ...]:
    """Return the names of the parameters visible at rest: Theorem 4 of [Lin1994], corrected.

    Rotational i: k_x, k_y, unless r <= i < s and the axis is upright. Translational i: the mass,
    unless its axis is level in every pose.
    """
    if not any(chain.g):
        return ()
    names: list[str] = []
    for i in range(1, chain.n + 1):
        if not chain[i].rotational:
            names += [f"m{i}"] if not _always_level(chain, found, i) else []
        elif i >= found.s or not _upright(chain, found):
            names += [f"k{i}_x", f"k{i}_y"]
    return tuple(names)


def _always_level(chain: Chain, found: Structure, i: int) -> bool:
    """Say whether the axis of translational joint i is perpendicular to gravity in every pose."""
    r, s = found.r, found.s
    if i < r:
        u = axes_at_zero(chain).directions[i - 1]
        return abs(u @ np.array(chain.g)) <= TILT * float(np.linalg.norm(chain.g))
    upright = _upright(chain, found)
    if i < s:
        across = found.w[i][2] == 0.0
        return (upright and across) or (_level(chain, found) and found.parallel(i))
    u = axes_at_zero(chain).directions
    turning = [j for j in range(s, i + 1) if chain[j].rotational or j == i]
    parallel = all(np.linalg.norm(np.cross(u[j - 1], u[s - 1])) <= TILT for j in turning)
    return upright and abs(u[s - 1] @ u[r - 1]) <= TILT and parallel


def _upright(chain: Chain, found: Structure) -> bool:
    """Say whether axis r is parallel to gravity."""
    g = np.array(chain.g) / np.linalg.norm(chain.g)
    return float(np.linalg.norm(np.cross(g, found.w[0]))) <= TILT


def _level(chain: Chain, found: Structure) -> bool:
    """Say whether axis r is perpendicular to gravity."""
    return abs(float(np.dot(chain.g, found.w[0]))) <= TILT * float(np.linalg.norm(chain.g))
