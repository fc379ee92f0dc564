"""The method of [Lin1991], as Figure 3 lays it out and counts it for rotational joints.

Symbols of `armdyn.algorithms.lin_1991`: moments about the origin of E_1, in E_j; Q_j = -J'_j. Of
the figure the recursions of s, p and the first lines are legible, and the numbers of times of some
others; its displayed equations are derived anew. H_mj and d_mj are written with the numbers M of
(62)-(67).

R J' R^T stands here as two turns, 36M 18A. The printed formula leaves 36M 19A for it, once all
other lines are taken off: (n - 2)A more than is run here.

The bias vector has the symbols of `armdyn.algorithms.lin_1991_bias`: xi_j = qd_j (omega_{j-1} +
omega_j) is rotated from frame to frame, (54)-(57). The figure has lines for all of it, but their
equations are not legible. If zeros at the first joint are not used, as here, additions are the
printed ones for every n, and multiplications n - 4 more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.composite import own_body
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.vector import (
    ZERO,
    Matrix,
    add,
    add_symmetric,
    apply,
    cross,
    dot,
    scale,
    second_moment,
    sub,
    symmetric_full,
)
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar
from armdyn_papers.as_printed.lines import Lines


@dataclass(frozen=True)
class Body:
    """Composite body j >= 2: M11, M12, M21, M22, M31, M32, and its unit wrench f, e.

    Of a joint that slides the six numbers are not used.
    """

    M: tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
    f: Vector
    e: Vector


@dataclass(frozen=True)
class Parts:
    """What the inertia matrix makes and the bias vector reads again; indexed by joints."""

    F: list[Frame]
    bodies: dict[int, Body]
    u: dict[tuple[int, int], Vector]  # u_m in E_j, at [m, j]
    sh: dict[tuple[int, int], Vector]  # u_m x s_m in E_j, of rotational joints m > 1
    P: dict[int, Vector]
    H: Matrix


def mass_matrix(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix."""
    return parts(chain, q, line).H


def parts(chain: Chain, q: Sequence[Scalar], line: Lines) -> Parts:
    """Compute the inertia matrix, and keep what it is made of."""
    F, n = frames(chain, q), chain.n
    s = {1: ZERO}
    for j in range(2, n + 1):
        if j == 2:
            s[j] = line.given(line("s_2", F[j].s_own))
        else:  # 8M 7A as printed, the constants of s_j in E_{j-1} added before the rotation
            s[j] = line("s_j", F[j].to_child(add(s[j - 1], F[j].s)))
    u, sh = _axes(F, s, line)
    P, Q, masses = _moments(chain, F, s, line)
    bodies = {
        j: _body(masses[j], P[j], Q[j], s[j], line)
        if F[j].rotational
        else _sliding(masses[j], P[j])
        for j in range(2, n + 1)
    }
    H: dict[tuple[int, int], Scalar] = {(1, 1): _first(chain, F, Q, line)}
    for j, body in bodies.items():
        f, e = body.f, body.e
        H[j, j] = masses[j]
        if F[j].rotational:
            H[j, j] = line("H_jj", e[2] + f[0] * s[j][1] - f[1] * s[j][0])
        for m in range(1, j):
            if not F[m].rotational:
                H[m, j] = line("H_mj, translational m", dot(u[m, j], f))
            elif m == 1:
                H[m, j] = line("H_1j", dot(u[m, j], e))
            else:
                H[m, j] = line("H_mj", dot(u[m, j], e) - dot(sh[m, j], f))
    full = symmetric_full([[H[m, j] for m in range(1, j + 1)] for j in range(1, n + 1)])
    return Parts(F, bodies, u, sh, P, full)


def _axes(
    F: Sequence[Frame], s: dict[int, Vector], line: Lines
) -> tuple[dict[tuple[int, int], Vector], dict[tuple[int, int], Vector]]:
    n = len(F) - 1
    u: dict[tuple[int, int], Vector] = {}
    sh: dict[tuple[int, int], Vector] = {}
    for m in range(1, n):
        u[m, m + 1] = line.given(F[m + 1].z_previous)
        for j in range(m + 2, n + 1):
            u[m, j] = line("u_m in E_j", F[j].to_child(u[m, j - 1]))
        if m == 1 or not F[m].rotational:
            continue  # s_1 is zero
        own = (-s[m][1], s[m][0], 0.0)
        sh[m, m + 1] = line("u_m x s_m in E_{m+1}", F[m + 1].to_child(own))
        for j in range(m + 2, n + 1):
            sh[m, j] = line("u_m x s_m in E_j", F[j].to_child(sh[m, j - 1]))
    return u, sh


def _moments(
    chain: Chain, F: Sequence[Frame], s: dict[int, Vector], line: Lines
) -> tuple[dict[int, Vector], dict[int, Symmetric], dict[int, Scalar]]:
    """Return P_j, Q_j and the masses for j = n..2; and those of P_1 that the bias reads."""
    n = chain.n
    P, Q, masses = dict[int, Vector](), dict[int, Symmetric](), dict[int, Scalar]()
    mass: Scalar = 0.0
    for j in range(n, 1, -1):
        link = chain[j]
        mass = masses[j] = mass + link.m
        p = line("p_j", add(s[j], link.c))
        first = line("m_j p_j", scale(link.m, p))
        (x, y, z), (mx, my, mz) = p, first
        own = (x * mx, x * my, x * mz, y * my, y * mz, z * mz)
        own = line("I'_j - m_j p_j p_j^T", add_symmetric(second_moment(link.I), own))
        if j == n:
            P[j], Q[j] = first, own
            continue
        P[j] = line("P_j", add(first, F[j + 1].to_parent(P[j + 1])))
        turned = line("R J' R^T", two_turns(F[j + 1], Q[j + 1]))
        Q[j] = line("J'_j", add_symmetric(own, turned))
    return P, Q, masses


def two_turns(p: Frame, X: Symmetric) -> Symmetric:
    """Return R X R^T as two turns, each a product of three matrices: 18M 9A each."""
    xx, xy, xz, yy, yz, zz = _turn(p.C, p.S, X)
    yy, yz, xy, zz, xz, xx = _turn(p.Cb, p.Sb, (yy, yz, xy, zz, xz, xx))
    return (xx, xy, xz, yy, yz, zz)


def _turn(c: Scalar, s: Scalar, X: Symmetric) -> Symmetric:
    """Turn the first two axes of X by the angle of cosine c and sine s."""
    xx, xy, xz, yy, yz, zz = X
    row1 = (c * xx - s * xy, c * xy - s * yy, c * xz - s * yz)
    row2 = (s * xx + c * xy, s * xy + c * yy, s * xz + c * yz)
    return (
        c * row1[0] - s * row1[1], s * row1[0] + c * row1[1], row1[2],
        s * row2[0] + c * row2[1], row2[2], zz,
    )  # fmt: skip


def _body(m: Scalar, P: Vector, Q: Symmetric, s: Vector, line: Lines) -> Body:
    x, y, z = P
    sx, sy, _ = s
    Qxx, Qxy, Qxz, Qyy, Qyz, _ = Q
    M12, M21 = x * sx - Qxx, Qyy - y * sy
    M31, M32 = Qyz - z * sy, z * sx - Qxz
    e = line("e_j", (M32, -M31, M21 - M12))
    f = line("f_j", (m * sy - y, x - m * sx, 0.0))
    M11, M22 = Qxy - y * sx, x * sy - Qxy  # of the bias vector only
    return Body((M11, M12, M21, M22, M31, M32), f, e)


def _sliding(m: Scalar, P: Vector) -> Body:
    """Return composite body j of a joint that slides: nothing to compute."""
    return Body((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, m), (P[1], -P[0], 0.0))


def _first(chain: Chain, F: Sequence[Frame], Q: dict[int, Symmetric], line: Lines) -> Scalar:
    """Return H_11: the (3,3)th entry of the inertia of body 1, 12M 12A; or its mass."""
    if not chain[1].rotational:
        return sum((link.m for link in chain.links), 0.0)
    Qxx, _, _, Qyy, _, _ = second_moment(chain[1].I)
    x, y, _ = chain[1].c
    own = (Qxx + Qyy) + chain[1].m * (x * x + y * y)
    if chain.n == 1:
        return own
    u, X = line.given(F[2].z_previous), Q[2]
    trace = X[0] + X[3] + X[5]
    return line("H_11", own + (trace - dot(u, apply(X, u))))


def both(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], line: Lines
) -> tuple[Matrix, list[Scalar]]:
    """Return the inertia matrix and the bias vector."""
    found = parts(chain, q, line)
    return found.H, _bias(chain, found, qd, line)


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], line: Lines) -> list[Scalar]:
    """Return the bias vector alone, with all that it needs of the inertia matrix."""
    return _bias(chain, parts(chain, q, line), qd, line)


def _bias(chain: Chain, found: Parts, qd: Sequence[Scalar], line: Lines) -> list[Scalar]:
    n = chain.n
    xi = _products(found, qd, line)
    b = dict(_gravity(chain, found, line))
    for j in range(2, n + 1):
        both: Scalar = 0.0
        if found.F[j].rotational:
            M11, _, _, M22, _, _ = found.bodies[j].M
            both = line("M11, M22 and their sum", M11 + M22)
        for m in range(1, j):
            d = line("d_1j" if m == 1 else "d_mj", _d(found, m, j, both))
            b[m] = line("b_m", b[m] + dot(d, xi[j, j]))
            b[j] = line("b_j", b[j] - dot(d, xi[m, j]))
    return [b[m] for m in range(1, n + 1)]


def _d(found: Parts, m: int, j: int, both: Scalar) -> Vector:
    """Return d_mj, (46); `both` is M11 + M22."""
    body, u = found.bodies[j], found.u[m, j]
    f = body.f
    if not found.F[m].rotational:
        return cross(f, u)
    if found.F[j].rotational:
        M11, M12, M21, M22, M31, M32 = body.M
        x, y = M11 * u[0] + M12 * u[1], M21 * u[0] + M22 * u[1]
        d = (x, y, M31 * u[0] + M32 * u[1] + both * u[2])
    else:
        Px, Py, Pz = found.P[j]
        d = (Pz * u[0] - Px * u[2], Pz * u[1] - Py * u[2], 0.0)
    return sub(d, cross(f, found.sh[m, j])) if m > 1 else d  # s_1 is zero


def _products(found: Parts, qd: Sequence[Scalar], line: Lines) -> dict[tuple[int, int], Vector]:
    """Return xi_m in E_j at [m, j], m <= j. (54)-(56)."""
    F = found.F
    n = len(F) - 1
    xi: dict[tuple[int, int], Vector] = {}
    total: Vector = ZERO  # twice omega_j
    xi[1, 1] = ZERO
    if F[1].rotational:
        total = line.given(line("W_1", (0.0, 0.0, 2.0 * qd[0])))
        xi[1, 1] = line.given(line("xi_1", (0.0, 0.0, qd[0] * qd[0])))
    for j in range(2, n + 1):
        x, y, z = F[j].to_child(total)
        rate = qd[j - 1] if F[j].rotational else 0.0
        z = z + rate
        total = line("W_j", (x, y, z + rate))
        xi[j, j] = line("xi_j", scale(qd[j - 1], (x, y, z)))
    for m in range(1, n):
        for j in range(m + 1, n + 1):
            xi[m, j] = line("xi_m in E_j", F[j].to_child(xi[m, j - 1]))
    return xi


def _gravity(chain: Chain, found: Parts, line: Lines) -> dict[int, Scalar]:
    """Return eta_j, (58)."""
    F, n = found.F, chain.n
    eta: dict[int, Scalar] = {}
    g = line.given(chain.g)
    for j in range(1, n + 1):
        g = line("g in E_j", F[j].to_child(g))
        if j > 1:
            f = found.bodies[j].f
        elif not F[1].rotational:
            f = (0.0, 0.0, found.H[0][0])
        else:
            x, y, _ = own_body(chain[1]).c
            if n > 1:
                px, py, _ = F[2].to_parent(found.P[2])
                x, y = line("P_1", (x + px, y + py))
            f = (-y, x, 0.0)
        eta[j] = line("eta_j", -dot(f, g))
    return eta
