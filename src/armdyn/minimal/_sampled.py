"""The numerical regressor at many random states, to check closed forms.

Newton-Euler with a unit of one parameter at a time, as in `algorithms.regressor`, but written with
matrices on whole arrays of states, so that it takes only a few milliseconds.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from armdyn.minimal._closed_form import RESIDUE
from armdyn.robot import Chain, Link

Array = NDArray[np.float64]

# Singular values below this, relative to the largest, are zero; usually more than ten orders of
# magnitude separate true values from rounding.
RANK_TOLERANCE = 1e-9


def random_states(n: int, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd of shape (count, n)."""
    rng = np.random.default_rng([seed, n])
    qd, qdd = rng.normal(size=(2, count, n))
    return rng.uniform(-np.pi, np.pi, (count, n)), qd, qdd


def stacked_regressor(chain: Chain, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the regressors (count, n, 10n) of the torques of the links alone."""
    count, n = q.shape
    Y = np.zeros((count, n, 10 * n))
    w, wd = np.zeros((count, 3)), np.zeros((count, 3))
    a = np.broadcast_to(-np.array(chain.g), (count, 3))
    axes = np.zeros((count, n, 6))  # of the joints before, as motions (angular; linear) at O_i
    for i, link in enumerate(chain.links):
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
        wrench = _unit_wrenches(w, wd, a)
        Y[:, : i + 1, 10 * i : 10 * i + 10] = axes[:, : i + 1] @ wrench
    return Y


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
