"""Composite bodies seen from one fixed point: the inertia matrix and gravity of [Lin1991].

u_j is the axis of joint j, s_j the vector from the fixed point O to O_j; composite body j (links
j..n) has mass mass_j, first moment P_j and second-moment matrix Q_j about O, all in E_j. The paper
works with the inertia tensor J_j about O and with J'_j = J_j - tr(J_j)/2 1, (19)-(23), where (20)
lacks the prime in the trace; Q_j = -J'_j gives both. K*_j is 1 if joint j is rotational, else 0,
and K_j = 1 - K*_j.

The paper has four formulas for H_mj (12), one for each pair of joint types. Here they are one: with

    w_m = K*_m u_m,   v_m = K_m u_m - K*_m u_m x s_m   (how joint m turns, and how it moves O),
    f_j, e_j   (force, and moment about O, that give joint j alone a unit acceleration),

H_mj = w_m . e_j + v_m . f_j. docs/papers/derivations.md derives f_j, e_j and A_j, lines [1] to [8],
and a test evaluates each line. The paper takes the origin of the base frame for O and lets it be
O_1. O may be any point, and O_r, r the first rotational joint, is the cheapest: the joints before r
only slide, and s_j, P_j, Q_j are needed from r on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.link_moments import Moments
from armdyn.algorithms.vector import (
    ZERO,
    ZERO_SYMMETRIC,
    Matrix,
    Rows,
    add,
    add_symmetric,
    dot,
    outer,
    scale,
    second_moment,
    sub,
    symmetric_full,
)
from armdyn.robot.chain import Chain, Link, Symmetric, Vector
from armdyn.scalar import Scalar

# (w_m, v_m) of a joint m.
Axis = tuple[Vector, Vector]


@dataclass(frozen=True)
class Composite:
    """Composite body j about O in E_j, and s_j, where joint j stands."""

    rotational: bool
    s: Vector
    mass: Scalar
    P: Vector
    Q: Symmetric

    @property
    def axis(self) -> Axis:
        """(w_j, v_j) of the joint itself, whose axis u_j is (0, 0, 1)."""
        z = (0.0, 0.0, 1.0)
        return (z, (self.s[1], -self.s[0], 0.0)) if self.rotational else (ZERO, z)

    @property
    def f(self) -> Vector:
        """f_j = K*_j (u_j x P_j - mass_j u_j x s_j) + K_j mass_j u_j."""
        if not self.rotational:
            return (0.0, 0.0, self.mass)
        (x, y, _), (sx, sy, _) = self.P, self.s
        return (self.mass * sy - y, x - self.mass * sx, 0.0)

    @property
    def e(self) -> Vector:
        """e_j = K*_j (J_j u_j - P_j x (u_j x s_j)) + K_j P_j x u_j: what A_j lacks in symmetry."""
        (_, xy, xz), (yx, _, yz), (zx, zy, _) = self.A
        return (zy - yz, xz - zx, yx - xy)

    @property
    def A(self) -> Rows:
        """Rows of the matrix A_j with A_j w = K*_j J'_j (w x u_j) + v_j x (w x P_j)."""
        x, y, z = self.P
        if not self.rotational:
            return (z, 0.0, -x), (0.0, z, -y), ZERO
        sx, sy, _ = self.s
        Qxx, Qxy, Qxz, Qyy, Qyz, _ = self.Q
        M11, M12 = Qxy - y * sx, x * sx - Qxx
        M21, M22 = Qyy - y * sy, x * sy - Qxy
        M31, M32 = Qyz - z * sy, z * sx - Qxz
        return (M11, M12, 0.0), (M21, M22, 0.0), (M31, M32, M11 + M22)


def composites(
    chain: Chain,
    F: Sequence[Frame],
    moments: Sequence[Moments] | None = None,
    origin: int | None = None,
) -> list[Composite]:
    """Return composite bodies 1..n; entry 0 stands for the base and is empty. (24)-(30).

    The paper takes the links with their centres of mass. With `moments` of links 1..n about their
    O_j (entry 0 is not read) they are used instead, which needs no centres of mass. The point O is
    O_r, or the origin of the joint `origin` beyond r, where it is at the moment.
    """
    n = chain.n
    r = next((j for j in range(1, n + 1) if chain[j].rotational), n + 1)
    s = [ZERO] * (n + 1)
    for j in range((origin or r) + 1, n + 1):
        s[j] = F[j].arm(s[j - 1])
    for j in range(origin or r, r, -1):
        s[j - 1] = sub(F[j].to_parent(s[j]), F[j].s)
    body = Composite(False, ZERO, 0.0, ZERO, ZERO_SYMMETRIC)
    found = [body]
    for j in range(n, 0, -1):
        link = chain[j]
        first, second = ZERO, ZERO_SYMMETRIC
        if j >= r:
            about = _about_centre(link, s[j]) if moments is None else _moved(moments[j], s[j])
            first, second = about
        mass = body.mass + (link.m if moments is None else moments[j].m)
        if r <= j < n:
            first = add(first, F[j + 1].to_parent(body.P))
            second = add_symmetric(second, F[j + 1].symmetric_to_parent(body.Q))
        body = Composite(link.rotational, s[j], mass, first, second)
        found.insert(1, body)
    return found


def axes(bodies: Sequence[Composite], F: Sequence[Frame]) -> list[list[Axis]]:
    """Return (w_m, v_m) in E_j of the joints m = 1..j, as entry [j][m]; entries 0 are empty."""
    seen: list[list[Axis]] = [[(ZERO, ZERO)]]
    for j in range(1, len(bodies)):
        seen.append([(F[j].to_child(w), F[j].to_child(v)) for w, v in seen[j - 1]])
        seen[j].append(bodies[j].axis)
    return seen


def mass_matrix(chain: Chain, q: Sequence[Scalar], origin: int | None = None) -> Matrix:
    """Return H: H_mj = w_m . e_j + v_m . f_j for m <= j. (12); `origin`: see `composites`."""
    F = frames(chain, q)
    bodies = composites(chain, F, origin=origin)
    seen = axes(bodies, F)
    H = [
        [dot(w, bodies[j].e) + dot(v, bodies[j].f) for w, v in seen[j][1:]]
        for j in range(1, chain.n + 1)
    ]
    return diagonal_with_rotors(symmetric_full(H), chain)


def gravity(chain: Chain, q: Sequence[Scalar]) -> list[Scalar]:
    """Return eta: the torques that hold the arm still."""
    F = frames(chain, q)
    return gravity_of(composites(chain, F), F, chain.g)


def gravity_of(bodies: Sequence[Composite], F: Sequence[Frame], g: Vector) -> list[Scalar]:
    """Return eta_j = -f_j . g, j = 1..n: to rest in gravity is to be accelerated by -g. (58)."""
    eta: list[Scalar] = []
    for j in range(1, len(bodies)):
        g = F[j].to_child(g)
        eta.append(-dot(bodies[j].f, g))
    return eta


def _about_centre(link: Link, s: Vector) -> tuple[Vector, Symmetric]:
    """Return first and second moments of a link about O, which is s before O_j."""
    p = add(s, link.c)
    first = scale(link.m, p)
    return first, add_symmetric(_parallel_product(p, first), second_moment(link.I))


def _moved(M: Moments, s: Vector) -> tuple[Vector, Symmetric]:
    """Return the same from moments about O_j."""
    ms = scale(M.m, s)
    return add(M.h, ms), add_symmetric(M.K, outer(M.h, s), _parallel_product(s, ms))


def _parallel_product(p: Vector, P: Vector) -> Symmetric:
    """Return p P^T, symmetric because P is a multiple of p."""
    return (p[0] * P[0], p[0] * P[1], p[0] * P[2], p[1] * P[1], p[1] * P[2], p[2] * P[2])
