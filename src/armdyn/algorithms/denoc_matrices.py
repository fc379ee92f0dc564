"""The matrices of the decoupled natural orthogonal complement, as [Saha1999] defines them.

All vectors are in E_0, twists t_i = (omega_i, velocity of the centre of mass C_i), as in the paper:

- N_l, lower block triangular, of B_ij: the twist of link i made by a unit twist of link j, (11);
- N_d, block diagonal, of p_i: the twist that joint i gives to link i at unit rate, (13);
- M, block diagonal, of the extended masses M_i = diag(I_i, m_i 1), (2).

The twists are t = N qd with N = N_l N_d, (14), and the inertia matrix of the links is N^T M N,
(19). The torques N^T (M dt/dt + Omega M t), (18), with Omega_i = diag(omega_i x, 0) and dt/dt =
N qdd + dN/dt qd, leave

    C = N^T (M dN/dt + Omega M N),

so that C qd are the Coriolis and centrifugal torques. dN/dt follows from axes and arms that turn
with their links, and centres that move apart. dM/dt of the blocks is Omega M - M Omega, hence

    d(N^T M N)/dt - 2 C = dN/dt^T M N - N^T M dN/dt - N^T (Omega M + M Omega) N,

which is skew: the first two terms are each other's negative transposes, and the bracket is skew
because Omega is skew and M symmetric. C is not the matrix of Christoffel symbols: both have the
same product with qd, and differ by a skew matrix that vanishes on qd and is made of the I_i alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import frames
from armdyn.algorithms.vector import (
    ZERO,
    Matrix,
    add,
    apply,
    cross,
    dot,
    scale,
    sub,
)
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class MovingLink:
    """Link i in E_0: what its twist and its extended mass are made of.

    Attributes:
        rotational: the kind of its joint.
        m: its mass.
        I: its inertia about C_i.
        centre: C_i from O_0.
        p: the twist of a unit rate of its joint, (13): angular, and of C_i.
        omega: its angular velocity.
        velocity: that of C_i.
        dp: the time derivative of p.
    """

    rotational: bool
    m: Scalar
    I: Symmetric
    centre: Vector
    p: tuple[Vector, Vector]
    omega: Vector
    velocity: Vector
    dp: tuple[Vector, Vector]


def denoc_matrices(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Return N_l (6n, 6n), N_d (6n, n), M (6n, 6n) and C (n, n)."""
    links = moving_links(chain, q, qd)
    n = chain.n
    N_l, M = _zeros(6 * n, 6 * n), _zeros(6 * n, 6 * n)
    N_d, C = _zeros(6 * n, n), _zeros(n, n)
    for i, link in enumerate(links):
        for k in range(3):
            N_d[6 * i + k][i], N_d[6 * i + 3 + k][i] = link.p[0][k], link.p[1][k]
        _put_mass(M, 6 * i, link)
        for j in range(i + 1):
            _put_twist(N_l, 6 * i, 6 * j, sub(links[j].centre, link.centre))
        _add_link(C, links, i)
    return N_l, N_d, M, C


def moving_links(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[MovingLink]:
    """Return the links 1..n in E_0."""
    axes: tuple[Vector, Vector, Vector] = (X, Y, Z)  # of E_i
    origin, omega, velocity = ZERO, ZERO, ZERO  # of O_i
    links: list[MovingLink] = []
    for F, link, rate in zip(frames(chain, q)[1:], chain.links, qd, strict=True):
        s = _turned(axes, F.s)
        velocity = add(velocity, cross(omega, s))
        origin = add(origin, s)
        x, y, z = (_turned(axes, F.to_parent(e)) for e in (X, Y, Z))
        axes = (x, y, z)
        if link.rotational:
            omega = add(omega, scale(rate, z))
        else:
            velocity = add(velocity, scale(rate, z))
        arm = _turned(axes, link.c)
        p = (z, cross(z, arm)) if link.rotational else (ZERO, z)
        dp = (cross(omega, p[0]), cross(omega, p[1]))
        moved = add(velocity, cross(omega, arm))
        I = _turned_inertia(axes, link.I)
        centre = add(origin, arm)
        links.append(MovingLink(link.rotational, link.m, I, centre, p, omega, moved, dp))
    return links


def _add_link(C: Matrix, links: Sequence[MovingLink], i: int) -> None:
    """Add N_i^T (M_i dN_i/dt + Omega_i M_i N_i): rows and columns of joints up to i."""
    link = links[i]
    columns = [_column(links[j], link) for j in range(i + 1)]
    for k, (angular, _, d_angular, d_linear) in enumerate(columns):
        moment = add(apply(link.I, d_angular), cross(link.omega, apply(link.I, angular)))
        force = scale(link.m, d_linear)
        for j, (turn, shift, _, _) in enumerate(columns):
            C[j][k] = C[j][k] + dot(turn, moment) + dot(shift, force)


def _column(joint: MovingLink, link: MovingLink) -> tuple[Vector, Vector, Vector, Vector]:
    """Return B_ij p_j and its time derivative, angular and linear each."""
    (turn, shift), (d_turn, d_shift) = joint.p, joint.dp
    if not joint.rotational:
        return turn, shift, d_turn, d_shift
    apart, parting = sub(link.centre, joint.centre), sub(link.velocity, joint.velocity)
    moved = add(d_shift, cross(d_turn, apart), cross(turn, parting))
    return turn, add(shift, cross(turn, apart)), d_turn, moved


def _put_twist(N_l: Matrix, row: int, column: int, c: Vector) -> None:
    """Write B_ij = [1, 0; c x, 1], c from C_i to C_j."""
    for k in range(6):
        N_l[row + k][column + k] = 1.0
    _put_skew(N_l, row + 3, column, c)


def _put_skew(A: Matrix, row: int, column: int, c: Vector) -> None:
    x, y, z = c
    A[row][column + 1], A[row][column + 2] = -z, y
    A[row + 1][column], A[row + 1][column + 2] = z, -x
    A[row + 2][column], A[row + 2][column + 1] = -y, x


def _put_mass(M: Matrix, at: int, link: MovingLink) -> None:
    for k, column in enumerate(apply(link.I, e) for e in (X, Y, Z)):
        for i in range(3):
            M[at + i][at + k] = column[i]
        M[at + 3 + k][at + 3 + k] = link.m


def _turned(axes: tuple[Vector, Vector, Vector], v: Vector) -> Vector:
    """Return the sum of axes with the components of a vector."""
    return add(*(scale(c, e) for c, e in zip(v, axes, strict=True)))


def _turned_inertia(axes: tuple[Vector, Vector, Vector], I: Symmetric) -> Symmetric:
    """Return R I R^T, the columns of R being the axes."""
    images = [_turned(axes, apply(I, row)) for row in zip(*axes, strict=True)]
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = images
    return (xx, xy, xz, yy, yz, zz)


def _zeros(rows: int, columns: int) -> Matrix:
    return [[0.0] * columns for _ in range(rows)]
