"""Check the closed form numerically: does the set determine all torques of this arm?"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import cast

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.arrays import Array
from armdyn.errors import RobotWarning
from armdyn.minimal.closed_form import RESIDUE, LinearSet, closed_form
from armdyn.minimal.terms import Term, column, power
from armdyn.robot.chain import Chain, Link

# The numerical regressor at many random states, to check closed forms.
#
# Newton-Euler with a unit of one parameter at a time, as in `algorithms.regressor`, but written
# with matrices on whole arrays of states, so that it takes only a few milliseconds.

# Singular values below this, relative to the largest, are zero; usually more than ten orders of
# magnitude separate true values from rounding.
RANK_TOLERANCE = 1e-9


def random_states(n: int, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd of shape (count, n)."""
    rng = np.random.default_rng([seed, n])
    qd, qdd = rng.normal(size=(2, count, n))
    return rng.uniform(-np.pi, np.pi, (count, n)), qd, qdd


def stacked_regressor(chain: Chain, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the regressors (count, n, 10n) of the torques of the links alone.

    Of a tree, n is the number of coordinates, and columns are those of its own links.
    """
    count, n = len(q), chain.n
    if not chain.is_serial:
        G = coupling_matrix(chain)
        q, qd, qdd = q @ G.T + [row.offset for row in chain.couplings], qd @ G.T, qdd @ G.T
    Y = np.zeros((count, n, 10 * n))
    still = np.zeros((count, 3))
    fall = np.broadcast_to(-np.array(chain.g), (count, 3))
    # of each link: w, wd, a, and the axes of the joints before, as motions (angular; linear) at O_i
    states = [(still, still, fall, np.zeros((count, n, 6)))]
    for i, link in enumerate(chain.links):
        w, wd, a, axes = states[chain.parent(i + 1)]
        R, s = _placed(link, q[:, i])
        a = _to_child(R, a + np.cross(wd, s) + np.cross(w, np.cross(w, s)))
        w, wd = _to_child(R, w), _to_child(R, wd)
        z, rate, push = np.array([0.0, 0.0, 1.0]), qd[:, i, None], qdd[:, i, None]
        if link.rotational:
            wd = wd + np.cross(w, z * rate) + z * push
            w = w + z * rate
        else:
            a = a + 2.0 * np.cross(w, z * rate) + z * push
        linear = axes[:, :, 3:] + np.cross(axes[:, :, :3], s[:, None, :])
        axes = np.concatenate([axes[:, :, :3] @ R, linear @ R], axis=2)
        axes[:, i, 2 if link.rotational else 5] = 1.0
        states.append((w, wd, a, axes))
        wrench = _unit_wrenches(w, wd, a)
        Y[:, : i + 1, 10 * i : 10 * i + 10] = axes[:, : i + 1] @ wrench
    if chain.is_serial:
        return Y
    own = [10 * (i - 1) + p for i in chain.link_numbers for p in range(10)]
    return np.einsum("ij,cik->cjk", coupling_matrix(chain), Y[:, :, own])


def coupling_matrix(chain: Chain) -> Array:
    """Return G: a row for each link, fixed ones included, a column for each coordinate."""
    G = np.zeros((chain.n, chain.dof))
    for at, row in enumerate(chain.couplings):
        for k, factor in row.factors:
            G[at, k] = factor
    return G


def _placed(link: Link, q: Array) -> tuple[Array, Array]:
    """Return R_i, from E_i to E_{i-1}, and s_i = O_{i-1} -> O_i in E_{i-1}."""
    b, d, zero = cast(float, link.b), cast(float, link.d), np.zeros_like(q)
    turn = q + link.theta
    C, S = (np.cos(turn), np.sin(turn)) if link.rotational else (zero + link.C0, zero + link.S0)
    along = zero + d if link.rotational else q + d
    Cb, Sb, Cg, Sg = link.Cb, link.Sb, link.Cg, link.Sg
    tilted = [[Cg * C, -Cg * S, zero + Sg], [S, C, zero], [-Sg * C, Sg * S, zero + Cg]]
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, Cb, -Sb], [0.0, Sb, Cb]])
    R = about_x @ np.stack([np.stack(row, axis=-1) for row in tilted], axis=-2)
    return R, along[:, None] * R[:, :, 2] + np.array([b, 0.0, 0.0])


def _to_child(R: Array, v: Array) -> Array:
    return (v[:, None, :] @ R)[:, 0]


def _unit_wrenches(w: Array, wd: Array, a: Array) -> Array:
    """Return moments about O_i and forces (count, 6, 10) for a unit of every parameter."""
    T = np.zeros((len(w), 6, 10))
    skew_w = _skew(w)
    T[:, 3:, 0] = a
    T[:, 3:, 1:4] = _skew(wd) + skew_w @ skew_w
    T[:, :3, 1:4] = -_skew(a)
    T[:, :3, 4:] = _applied(wd) + skew_w @ _applied(w)
    return T


def _skew(v: Array) -> Array:
    zero = np.zeros(len(v))
    x, y, z = v.T
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _applied(v: Array) -> Array:
    """Return L(v) with J v = L(v) times the entries xx, xy, yy, xz, yz, zz of J."""
    zero = np.zeros(len(v))
    x, y, z = v.T
    rows = [[x, y, zero, z, zero, zero], [zero, x, y, zero, z, zero], [zero, zero, zero, x, y, z]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def structural_regressor(chain: Chain) -> Array:
    """Return a matrix (at most 10n, 10n) with the row space of regressors at many random states.

    It is the triangular factor of the stacked regressors: columns keep their lengths and angles.
    """
    states = random_states(chain.n, 12 * chain.n + 6)
    stacked = stacked_regressor(chain, *states).reshape(-1, 10 * chain.n)
    return cast(Array, np.linalg.qr(stacked, mode="r"))


def rank(matrix: Array) -> int:
    """Return the rank of a matrix whose columns have different units."""
    values = equilibrated_singular_values(matrix)
    return int(np.sum(values > RANK_TOLERANCE * values.max(initial=0.0)))


def equilibrated_singular_values(matrix: Array) -> Array:
    """Return the singular values of a matrix with its columns scaled to length 1."""
    size = np.linalg.norm(matrix, axis=0)
    kept = size > RESIDUE * size.max(initial=0.0)
    return np.linalg.svd(matrix[:, kept] / size[kept], compute_uv=False).astype(np.float64)


# Largest residual of a combination of regressor columns, relative to their size: rounding.
SPAN_TOLERANCE = 1e-9
# Columns this small relative to the largest are pure rounding.
FAINT = 1e-6
# Other columns explain a column of length 1 if the residual is at most this.
COLUMN_TOLERANCE = 1e-7
COEFFICIENT_TOLERANCE = 1e-9
# Condition numbers (SI units) from this on get a remark; those of usual arms are some hundreds.
SUSPECT_CONDITION = 1e5


@dataclass(frozen=True)
class Verdict:
    """The verdict of the regressor on a set.

    Attributes:
        agrees: the set determines all torques, and has no parameter too many.
        condition: of the regressor of the set, in SI units.
        weakest: the parameter with the largest weight in the least visible combination.
    """

    agrees: bool
    condition: float
    weakest: str

    @property
    def remark(self) -> str:
        """A sentence on geometry that is almost special; empty if it is not."""
        if self.condition < SUSPECT_CONDITION:
            return ""
        return (
            f"{self.weakest} is hardly visible in any torque (condition number "
            f"{self.condition:.1e}): the geometry is almost a special one. If axes are meant to be "
            "parallel or upright, or offsets to be zero, give the nominal values."
        )


def judge(chosen: LinearSet, W: Array) -> Verdict:
    """Compare a set with stacked regressors W of the link parameters."""
    base = W @ chosen.right_inverse
    made = np.abs(W) @ (np.abs(chosen.right_inverse) @ np.abs(chosen.matrix)) + np.abs(W)
    size = made.max(axis=0, initial=0.0)
    missed = np.abs(W - base @ chosen.matrix).max(axis=0, initial=0.0)
    spans = bool(np.all(missed <= SPAN_TOLERANCE * np.maximum(size, FAINT * size.max())))
    if not chosen.terms:
        return Verdict(spans, 1.0, "")
    seen = W @ chosen.carriers
    values = equilibrated_singular_values(seen)
    independent = len(values) == len(chosen.terms) and bool(values[-1] > RANK_TOLERANCE * values[0])
    _, raw, directions = np.linalg.svd(base, full_matrices=False)
    weakest = chosen.terms[int(np.abs(directions[-1]).argmax())].name
    condition = float(raw[0] / raw[-1]) if raw[-1] > 0.0 else np.inf
    return Verdict(spans and independent, condition, weakest)


def checked_set(chain: Chain) -> tuple[LinearSet, tuple[str, ...]]:
    """Return the closed form or, if the regressor disagrees, the numerical set; and notes."""
    W = structural_regressor(chain)
    theorem = closed_form(chain)
    verdict = judge(theorem, W)
    if verdict.agrees:
        return theorem, _remarks(verdict)
    found = numerical_set(chain, W, theorem)
    words = (
        f"the closed form of the minimal parameters has {len(theorem.terms)}, but the regressor of "
        f"this arm shows {len(found.terms)} or others; the ones of the regressor are used. The "
        "geometry is very close to a special one: give axes and offsets their nominal values."
    )
    warnings.warn(words, RobotWarning, stacklevel=4)
    return found, (words, *_remarks(judge(found, W)))


def _remarks(verdict: Verdict) -> tuple[str, ...]:
    return (verdict.remark,) if verdict.remark else ()


def numerical_set(chain: Chain, W: Array, first: LinearSet) -> LinearSet:
    """Return the set found numerically from stacked regressors W, for any arm.

    Columns that earlier ones do not explain are chosen, starting with the carriers of the closed
    form. Least squares expresses the other columns by them.
    """
    size = np.linalg.norm(W, axis=0)
    seen = np.flatnonzero(size > RANK_TOLERANCE * size.max(initial=0.0))
    carried = [int(c.argmax()) for c in np.abs(first.carriers.T)]
    order = [c for c in dict.fromkeys([*carried, *range(W.shape[1])]) if c in seen]
    scaled = W / np.where(size > 0.0, size, 1.0)
    chosen = sorted(_independent(scaled, order, rank(W)))
    found = np.linalg.lstsq(scaled[:, chosen], scaled)[0]
    matrix = found * (size[None, :] / size[chosen][:, None])
    matrix = np.where(np.abs(matrix) <= COEFFICIENT_TOLERANCE, 0.0, matrix)
    terms = tuple(_term(c) for c in chosen)
    matrix[:, chosen] = np.eye(len(chosen))
    return LinearSet(terms, matrix, np.eye(W.shape[1])[:, chosen])


def _independent(W: Array, order: list[int], count: int) -> list[int]:
    """Return columns that earlier ones do not explain, as many as the rank."""
    basis = np.zeros((len(W), 0))
    left: dict[int, float] = {}
    for c in order:
        rest = W[:, c]
        for _ in range(2):  # the second pass removes rounding
            rest = rest - basis @ (basis.T @ rest)
        left[c] = float(np.linalg.norm(rest))
        if left[c] > COLUMN_TOLERANCE and basis.shape[1] < count:
            basis = np.column_stack([basis, rest / left[c]])
        else:
            left[c] = 0.0
    return [c for c, size in left.items() if size > 0.0]


def _term(c: int) -> Term:
    i, name = c // 10 + 1, PARAMETER_NAMES[c % 10]
    assert column(i, name) == c
    unit = ("kg", "kg m", "kg m^2")[power(name)]
    words = f"{name} of link {i} and what no torque tells from it"
    latex = f"{name[0]}_{{{(name[1:] + ',') if name[1:] else ''}{i}}}^{{+}}"
    return Term(i, f"{name}_{i}+", latex, unit, words)
