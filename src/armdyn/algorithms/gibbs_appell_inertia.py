"""Inertia matrix as the Hessian of the Gibbs function, [Mata2002] section 4.2.

Notation of the paper: s_{k,j} = O_k -> O_j and u_{k,j} = axis z_k (there d wd_j / d qdd_k), both in
frame j; of the links j..n taken as one body: M_j mass, phi_j first moment about O_j, psi_j inertia
about O_j. gamma_j and the tensor E_j: phi_j and psi_j if all mass behind link j sat at O_{j+1};
constant, unless joint j+1 slides.

The paper is for revolute joints; joints that slide are added here. Two steps are done in a cheaper
way: the first turn of s_{k,k+1}, and R psi R^T.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.vector import (
    ZERO,
    ZERO_SYMMETRIC,
    Matrix,
    add,
    add_symmetric,
    cross,
    dot,
    inertia_at_origin,
    point_inertia,
    scale,
    symmetric_full,
)
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return D, full and symmetric."""
    F, n = frames(chain, q), chain.n
    s, u = _origins(F), _axes(F)
    M, phi, psi = _composites(chain, F)
    D: Matrix = []
    for j in range(1, n + 1):
        # Steps 6, 7: the wrench about O_j that accelerates joint j by one, along each axis before.
        if chain[j].rotational:
            f: Vector = (-phi[j][1], phi[j][0], 0.0)
            moment: Vector = (psi[j][2], psi[j][4], psi[j][5])
        else:
            f, moment = (0.0, 0.0, M[j]), (phi[j][1], -phi[j][0], 0.0)
        row: list[Scalar] = [
            dot(u[k][j], add(moment, cross(s[k][j], f))) if chain[k].rotational else dot(u[k][j], f)
            for k in range(1, j)
        ]
        row.append(moment[2] if chain[j].rotational else f[2])
        D.append(row)
    return diagonal_with_rotors(symmetric_full(D), chain)


def _origins(F: list[Frame]) -> list[list[Vector]]:
    """Return s[k][j], 1 <= k < j <= n: step 2."""
    n = len(F) - 1
    s = [[ZERO] * (n + 1) for _ in range(n + 2)]
    for k in range(n - 1, 0, -1):
        step = F[k + 1].s_own  # s_{k,k+1} in E_{k+1}, 2M instead of the paper's 8M 4A
        s[k][k + 1] = step
        for j in range(k + 2, n + 1):
            step = F[j].to_child(step)
            s[k][j] = add(step, s[k + 1][j])
    return s


def _axes(F: list[Frame]) -> list[list[Vector]]:
    """Return u[k][j], 1 <= k < j <= n: step 3, whose last line takes R of joint j, not i."""
    n = len(F) - 1
    u = [[ZERO] * (n + 1) for _ in range(n + 1)]
    for k in range(1, n):
        u[k][k + 1] = F[k + 1].z_previous
        for j in range(k + 2, n + 1):
            u[k][j] = F[j].to_child(u[k][j - 1])
    return u


def _composites(chain: Chain, F: list[Frame]) -> tuple[list[Scalar], list[Vector], list[Symmetric]]:
    """Return M[j], phi[j], psi[j], j = 1..n: steps 1, 4 and 5."""
    n = chain.n
    M: list[Scalar] = [0.0] * (n + 2)
    phi = [ZERO] * (n + 1)
    psi = [ZERO_SYMMETRIC] * (n + 1)
    for i in range(n, 0, -1):
        link = chain[i]
        M[i] = link.m + M[i + 1]
        # the link's own first moment and inertia about O_i; the paper's step 1 leaves out i = n
        h, H = scale(link.m, link.c), inertia_at_origin(link.m, link.c, link.I)
        if i == n:
            phi[i], psi[i] = h, H
            continue
        s = F[i + 1].s
        gamma = add(h, scale(M[i + 1], s))
        E = add_symmetric(H, point_inertia(M[i + 1], s))
        p = F[i + 1].to_parent(phi[i + 1])
        phi[i] = add(gamma, p)
        psi[i] = add_symmetric(E, _moved(s, p), F[i + 1].symmetric_to_parent(psi[i + 1]))
    return M, phi, psi


def _moved(s: Vector, p: Vector) -> Symmetric:
    """Return -[s x][p x] - ([s x][p x])^T = 2 s.p 1 - s p^T - p s^T; 9M 6A for a constant s.

    Step 5 prints the vector p for [p x].
    """
    xx, yy, zz = 2.0 * s[0] * p[0], 2.0 * s[1] * p[1], 2.0 * s[2] * p[2]
    xy = s[0] * p[1] + s[1] * p[0]
    xz = s[0] * p[2] + s[2] * p[0]
    yz = s[1] * p[2] + s[2] * p[1]
    return (yy + zz, -xy, -xz, xx + zz, -yz, xx + yy)
