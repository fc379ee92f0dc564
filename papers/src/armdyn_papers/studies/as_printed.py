"""Forward dynamics as in [Mata2002] section 5.1, where it differs from armdyn's own methods.

The paper solves with the inertia matrix by Gauss-Jordan elimination; armdyn by Cholesky factors or
by UDU^T. The paper's articulated bodies may be in base coordinates, which is one explanation of its
numbers; armdyn's are in link frames.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from armdyn.algorithms import gibbs_appell, gibbs_appell_inertia, newton_euler, walker_orin
from armdyn.algorithms.vector import Matrix
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar, cos, sin

Numbers: TypeAlias = Sequence[Scalar]


def composite_bodies(chain: Chain, q: Numbers, qd: Numbers, tau: Numbers) -> list[Scalar]:
    """CRBA: inertia matrix of Walker and Orin, bias by Newton-Euler, Gauss-Jordan."""
    return _solved(chain, q, qd, tau, walker_orin.mass_matrix, newton_euler.bias)


def gibbs(chain: Chain, q: Numbers, qd: Numbers, tau: Numbers) -> list[Scalar]:
    """GA: inertia matrix and bias of [Mata2002], Gauss-Jordan."""
    return _solved(chain, q, qd, tau, gibbs_appell_inertia.mass_matrix, gibbs_appell.bias)


def articulated_in_base_frame(chain: Chain, q: Numbers, qd: Numbers, tau: Numbers) -> list[Scalar]:
    """ABA of a planar arm released at rest; all vectors are in base coordinates, at the origin.

    Motions are (w, vx, vy), wrenches (n, fx, fy). The velocities qd are assumed to be zero.
    """
    n = chain.n
    x: Scalar = 0.0
    y: Scalar = 0.0
    angle: Scalar = 0.0
    axes: list[list[Scalar]] = []
    bodies: list[Matrix] = []
    for i, link in enumerate(chain.links):
        x, y = x + cos(angle) * link.b, y + sin(angle) * link.b
        angle = angle + q[i]
        axes.append([1.0, y, -x])
        cx, cy = x + cos(angle) * link.c[0], y + sin(angle) * link.c[0]
        hx, hy = link.m * cx, link.m * cy
        about = link.I[5] + (hx * cx + hy * cy)
        bodies.append([[about, -hy, hx], [-hy, link.m, 0.0], [hx, 0.0, link.m]])
    # gravity is an upward acceleration of the base
    a: list[Scalar] = [0.0, -chain.g[0], -chain.g[1]]
    kept: list[tuple[list[Scalar], Scalar, Scalar]] = []
    body = bodies[-1]
    w: list[Scalar] = [0.0, 0.0, 0.0]
    for i in range(n - 1, -1, -1):
        U = [_dot(row, axes[i]) for row in body]
        pivot, left = _dot(axes[i], U), tau[i] - _dot(axes[i], w)
        kept.insert(0, (U, pivot, left))
        if i:
            w = [p + u * (left / pivot) for p, u in zip(w, U, strict=True)]
            body = [
                [b + (e - u * (v / pivot)) for b, e, v in zip(own, row, U, strict=True)]
                for own, row, u in zip(bodies[i - 1], body, U, strict=True)
            ]
    qdd: list[Scalar] = []
    for axis, (column, pivot, left) in zip(axes, kept, strict=True):
        qdd.append((left - _dot(column, a)) / pivot)
        a = [p + s * qdd[-1] for p, s in zip(a, axis, strict=True)]
    return qdd


def _solved(
    chain: Chain,
    q: Numbers,
    qd: Numbers,
    tau: Numbers,
    mass_matrix: Callable[[Chain, Numbers], Matrix],
    bias: Callable[[Chain, Numbers, Numbers], list[Scalar]],
) -> list[Scalar]:
    resultant = [t - b for t, b in zip(tau, bias(chain, q, qd), strict=True)]
    return gauss_jordan(mass_matrix(chain, q), resultant)


def gauss_jordan(X: Matrix, y: Numbers) -> list[Scalar]:
    """Return x with X x = y, X positive definite, without pivoting."""
    rows = [[*row, value] for row, value in zip(X, y, strict=True)]
    for k, pivot in enumerate(rows):
        rows[k] = [entry / pivot[k] for entry in pivot]
        for i, row in enumerate(rows):
            if i != k:
                rows[i] = [a - row[k] * b for a, b in zip(row, rows[k], strict=True)]
    return [row[-1] for row in rows]


def _dot(u: Numbers, v: Numbers) -> Scalar:
    (a, b, c), (x, y, z) = u, v
    return a * x + b * y + c * z
