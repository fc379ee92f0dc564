"""Physically consistent link parameters: those with a positive pseudo-inertia [Wensing2018].

The pseudo-inertia of a body is the 4 x 4 matrix of its moments,

    Pi = integral [r; 1] [r; 1]^T dm = [ S    m c ]      S = tr(J)/2 1 - J
                                       [ m c^T  m ]

with J about the origin of the link. It is linear in the ten parameters. It is positive if and only
if some mass distribution has these parameters: this covers the positive mass, the positive moments
and the triangle inequality.
"""

from __future__ import annotations

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.conic import vec_of_triangle

# Smallest second moment of an expected body of mass m and size L, as a share of m L^2: its
# thickness is at least a twentieth of L.
THINNEST = 0.003


def pseudo_inertia(x: Array) -> Array:
    """Return Pi ``(4, 4)`` of m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz."""
    J = _inertia(x)
    Pi = np.empty((4, 4))
    Pi[:3, :3] = 0.5 * np.trace(J) * np.eye(3) - J
    Pi[:3, 3] = Pi[3, :3] = x[1:4]
    Pi[3, 3] = x[0]
    return Pi


def parameters_of(Pi: Array) -> Array:
    """Return the ten parameters of a pseudo-inertia."""
    S = Pi[:3, :3]
    J = np.trace(S) * np.eye(3) - S
    return np.array([Pi[3, 3], *Pi[:3, 3], *J.T[np.tril_indices(3)]], dtype=np.float64)


def _inertia(x: Array) -> Array:
    """Return the inertia ``(3, 3)`` about the origin of ten parameters."""
    return np.array([[x[4], x[5], x[7]], [x[5], x[6], x[8]], [x[7], x[8], x[9]]])


def link_fields(x: Array) -> dict[str, object]:
    """Convert ten parameters to the fields of `Joint`: mass, centre of mass, inertia about it."""
    m = float(x[0])
    c = x[1:4] / m
    J = _inertia(x) - m * (float(c @ c) * np.eye(3) - np.outer(c, c))
    upper = J[np.triu_indices(3)]
    return {"mass": m, "com": tuple(c.tolist()), "inertia": tuple(upper.tolist())}


def parameters_from(C: Array) -> Array:
    """Return A ``(10, 16)``: the parameters of C X C^T are A vec(X), for symmetric X."""
    return PARAMETERS @ np.kron(C, C)


def expected_roots(mean: Array, spread: Array, n: int, described: bool) -> list[Array]:
    """Return C for every link, where C C^T is its expected pseudo-inertia.

    The description need not be physically consistent. Massless links, points and rods get a small
    extent, and inconsistent parts are left out.

    Args:
        mean: expected parameters of the links, then possibly others.
        spread: how far they may be off: half of m, m L, m L^2 of every link.
        n: number of links.
        described: whether `mean` describes bodies; else the links are balls of mass m, radius L/2.
    """
    roots: list[Array] = []
    for i in range(n):
        at = slice(10 * i, 10 * i + 10)
        half, moment = spread[at][:2]
        unit = np.sqrt(2.0 * half) * np.array([*[moment / half] * 3, 1.0])
        if described:
            values, V = np.linalg.eigh(pseudo_inertia(mean[at]) / np.outer(unit, unit))
            scaled = (V * np.maximum(values, THINNEST)) @ V.T
        else:
            scaled = np.diag([0.05, 0.05, 0.05, 1.0])  # S of a ball is m r^2 / 5
        roots.append(unit[:, None] * np.linalg.cholesky(scaled))
    return roots


# Parameters ``(10, 16)`` of the unit matrices, made symmetric: those of X are PARAMETERS vec(X).
PARAMETERS = np.stack([parameters_of((E + E.T) / 2) for E in np.eye(16).reshape(16, 4, 4)], axis=1)

# For the triangle u of a symmetric 4 x 4 matrix X: vec(X) = TRIANGLE_VEC u, tr X = TRIANGLE_TRACE u
TRIANGLE_VEC = vec_of_triangle(4)
TRIANGLE_TRACE = np.eye(4).ravel() @ TRIANGLE_VEC


def body_of_triangle(u: Array) -> Array:
    """Return the symmetric matrix ``(4, 4)`` of a triangle ``(10,)``."""
    return (TRIANGLE_VEC @ u).reshape(4, 4)


def triangle_basis(roots: list[Array], others: Array) -> Array:
    """Return B ``(N, N)``: natural parameters x = B u of triangles of X_i, then other unknowns.

    Args:
        roots: C_i of every link, where C_i X_i C_i^T is its pseudo-inertia.
        others: units of the parameters that follow those of the links: rotors.
    """
    B = np.diag(np.concatenate([np.zeros(10 * len(roots)), others]))
    for i, C in enumerate(roots):
        B[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = parameters_from(C) @ TRIANGLE_VEC
    return B
