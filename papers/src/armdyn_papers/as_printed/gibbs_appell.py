"""Inverse dynamics and inertia matrix of [Mata2002], as sections 4.1 and 4.2 print them.

Symbols of `armdyn.algorithms.gibbs_appell` and `gibbs_appell_inertia`; rotational joints only. The
lines of section 4.2 are counted at every link as for a general one: what is constant at the last
link and in the first rotation of s is not used. The paper does not print how it takes R psi R^T
apart: 31M 40A and, for the one entry of link 1, 13M 11A are charged as printed.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.angular import ZERO_MATRIX, euler, omega_matrix
from armdyn.algorithms.cholesky import solve
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.vector import (
    ZERO,
    Matrix,
    add,
    add_symmetric,
    clean,
    cross,
    dot,
    inertia_at_origin,
    neg,
    outer,
    point_inertia,
    scale,
    second_moment,
    symmetric_full,
    times,
    trace_minus,
)
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar
from armdyn_papers.as_printed.lines import Lines


def inverse_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], line: Lines
) -> list[Scalar]:
    """Return the torques: 4.1, steps 1 to 3."""
    _check(chain)
    F, n = frames(chain, q), chain.n
    w, wd, omega = ZERO, ZERO, ZERO_MATRIX
    sdd = chain.g if line.follows("section 4.1, step 1") else neg(chain.g)
    f: dict[int, Vector] = {}
    t: dict[int, Vector] = {}
    for i in range(1, n + 1):
        p, link, rate = F[i], chain[i], qd[i - 1]
        before = line("w_{i-1} in E_i", p.to_child(w))
        w = line("w_i", (before[0], before[1], before[2] + rate))
        turned = add(p.to_child(wd), (before[1] * rate, -(before[0] * rate), qdd[i - 1]))
        wd = line("wd_i", turned)
        turning = w if line.follows("(12)") else wd
        previous, omega = omega, line("Omega_i", omega_matrix(w, turning))
        sdd = line("sdd_i", p.to_child(add(sdd, times(previous, p.s))))
        rdd = line("rdd_i", add(sdd, times(omega, link.c)))
        f[i] = line("f_i", scale(link.m, rdd))
        t[i] = line("t_i", euler(omega, second_moment(link.I)))
    phi: dict[int, Vector] = {n: ZERO}
    for i in range(n - 1, 0, -1):
        phi[i] = line("phi_i", F[i + 1].to_parent(add(f[i + 1], phi[i + 1])))
    tau: list[Scalar] = []
    chi = ZERO
    for j in range(n, 0, -1):
        moment = add(cross(chain[j].c, f[j]), t[j])
        if j < n:
            moment = add(moment, cross(F[j + 1].s, phi[j]), F[j + 1].to_parent(chi))
        if j > 1:
            chi = line("chi_j", moment)
            tau.insert(0, chi[2])
        else:  # the text wants only the third component of the last one
            tau.insert(0, line("chi_1, third component", moment[2]))
    return tau


def bias(chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], line: Lines) -> list[Scalar]:
    """Return the bias vector: the same without joint accelerations."""
    return inverse_dynamics(chain, q, qd, [0.0] * chain.n, line)


def mass_matrix(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix: 4.2, steps 1 to 7."""
    _check(chain)
    F, n = frames(chain, q), chain.n
    s: dict[tuple[int, int], Vector] = {}  # s_{i,i+1} in E_j, then s_{i,j}, at [i, j]
    u: dict[tuple[int, int], Vector] = {}
    for i in range(1, n):
        step = line.given(F[i + 1].s)
        for j in range(i + 1, n + 1):
            turned = F[j].to_child(step) if j > i + 1 else _first_turn(F[j], step)
            step = s[i, j] = line("s_{i,i+1} in E_j", turned)
        u[i, i + 1] = line.given(F[i + 1].z_previous)
        for j in range(i + 2, n + 1):
            joint = i if line.follows("section 4.2, step 3") else j
            u[i, j] = line("axis i in E_j", F[joint].to_child(u[i, j - 1]))
    for i in range(n - 2, 0, -1):
        for j in range(n, i + 1, -1):
            s[i, j] = line("s_{i,j}", add(s[i, j], s[i + 1, j]))
    D: dict[tuple[int, int], Scalar] = {}
    mass: Scalar = 0.0
    phi, psi = ZERO, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(n, 0, -1):
        link = chain[i]
        own, H = scale(link.m, link.c), inertia_at_origin(link.m, link.c, link.I)
        if i == n:
            phi, psi = line.given(own), line.given(H)
        else:
            p = F[i + 1]
            gamma = add(own, scale(mass, p.s))
            E = add_symmetric(H, point_inertia(mass, p.s))
            moved = line("phi_{i+1} in E_i", p.to_parent(phi))
            phi = line("phi_i", add(gamma, moved))
            about = trace_minus(outer(p.s, moved))
            psi = add_symmetric(E, about, p.symmetric_to_parent(psi))
            if i > 1:
                psi = line.charged("psi_i", 31, 40, psi)
            else:
                psi = (0.0, 0.0, 0.0, 0.0, 0.0, line.charged("psi_1, (3,3)", 13, 11, psi[5]))
        mass = mass + link.m
        D[i, i] = psi[5]
        for k in range(1, i):
            x, y = phi[0], phi[1]
            a = s[k, i]
            inner = (psi[2] - x * a[2], psi[4] - y * a[2], psi[5] + x * a[0] + y * a[1])
            D[k, i] = line("D_jk", dot(u[k, i], inner))
    return symmetric_full([[D[k, i] for k in range(1, i + 1)] for i in range(1, n + 1)])


def _first_turn(p: Frame, s: Vector) -> Vector:
    """Return R^T s of a joint's own offset: of its constants one is zero, but for rounding."""
    x, y, z = s
    (t,) = clean([p.Cb * y + p.Sb * z], [p.Cb * y, p.Sb * z])
    return (p.C * x + p.S * t, p.C * t - p.S * x, p.Cb * z - p.Sb * y)


def forward_dynamics(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar], line: Lines
) -> list[Scalar]:
    """Return the accelerations: Table 3, by Cholesky's factors."""
    D, b = mass_matrix(chain, q, line), bias(chain, q, qd, line)
    rest = line("tau - b (in no row)", [t - x for t, x in zip(tau, b, strict=True)])
    return line("Cholesky decomposition, linear system solving", solve(D, rest))


def _check(chain: Chain) -> None:
    assert all(link.rotational for link in chain.links), "the paper has rotational joints only"
