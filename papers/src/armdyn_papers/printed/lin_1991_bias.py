"""The bias vector of [Lin1991] beside its inertia matrix, as Figure 3 lays it out.

Symbols of `armdyn.algorithms.lin_1991_bias`. xi_j = qd_j (omega_{j-1} + omega_j) is rotated from
frame to frame, (54)-(57). The figure has lines for all of it, but their equations are not legible.
If zeros at the first joint are not used, as here, additions are the printed ones for every n, and
multiplications n - 4 more.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite import own_body
from armdyn.algorithms.printed.lin_1991 import Parts, parts
from armdyn.algorithms.printed.lines import Lines
from armdyn.algorithms.vector import Matrix, dot, scale
from armdyn.robot import Chain, Vector
from armdyn.scalar import Scalar


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
        body = found.bodies[j]
        M11, M12, M21, M22, M31, M32 = body.M
        both = line("M11, M22 and their sum", M11 + M22)
        for m in range(1, j):
            u = found.u[m, j]
            x, y = M11 * u[0] + M12 * u[1], M21 * u[0] + M22 * u[1]
            z = M31 * u[0] + M32 * u[1] + both * u[2]
            if m > 1:
                h, f = found.sh[m, j], body.f
                x, y = x - f[1] * h[2], y + f[0] * h[2]
                z = z - (f[0] * h[1] - f[1] * h[0])
            d = line("d_1j" if m == 1 else "d_mj", (x, y, z))
            b[m] = line("b_m", b[m] + dot(d, xi[j, j]))
            b[j] = line("b_j", b[j] - dot(d, xi[m, j]))
    return [b[m] for m in range(1, n + 1)]


def _products(found: Parts, qd: Sequence[Scalar], line: Lines) -> dict[tuple[int, int], Vector]:
    """Return xi_m in E_j at [m, j], m <= j. (54)-(56)."""
    F = found.F
    n = len(F) - 1
    xi: dict[tuple[int, int], Vector] = {}
    total: Vector = line.given(line("W_1", (0.0, 0.0, 2.0 * qd[0])))  # omega_{j-1} + omega_j
    xi[1, 1] = line.given(line("xi_1", (0.0, 0.0, qd[0] * qd[0])))
    for j in range(2, n + 1):
        x, y, z = F[j].to_child(total)
        z = z + qd[j - 1]
        total = line("W_j", (x, y, z + qd[j - 1]))
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
        else:
            x, y, _ = own_body(chain[1]).c
            if n > 1:
                px, py, _ = F[2].to_parent(found.P[2])
                x, y = line("P_1", (x + px, y + py))
            f = (-y, x, 0.0)
        eta[j] = line("eta_j", -(f[0] * g[0] + f[1] * g[1]))
    return eta
