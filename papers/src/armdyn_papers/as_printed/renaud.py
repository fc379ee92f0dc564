"""Renaud's formulation, as Figure A1 of [Lin1991] counts it for rotational joints.

(A1) on the composite bodies (A7), (A8), with the constants lambda_j, Phi_j of (A5), (A6). Joints
that slide are those of (A1), (A7) and (A8): what s_{j+1} adds is no constant of theirs. The figure
prints the numbers of operations of all lines, but few of the lines are legible: R J R^T (37M
25A) and what is added to it (9M 15A) are charged as printed. The first of them takes 36M 18A as two
turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite import Composite, own_body
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.vector import (
    ZERO,
    Matrix,
    add,
    add_symmetric,
    apply,
    cross,
    dot,
    outer,
    point_inertia,
    scale,
    symmetric_full,
    trace_minus,
)
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar
from armdyn_papers.as_printed.lin_1991 import two_turns
from armdyn_papers.as_printed.lines import Lines


def mass_matrix(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix."""
    F, n = frames(chain, q), chain.n
    bodies = composites(chain, F, line)
    D: dict[tuple[int, int], Scalar] = {
        (i, i): bodies[i].diagonal(F[i].rotational) for i in range(1, n + 1)
    }
    for j in range(1, n):
        p = F[j + 1]
        u, sh = line.given(p.z_previous), ZERO
        if F[j].rotational:
            sh = line.given(line("u_j x s_{j+1}", p.to_child((p.d * p.Sb, p.b, 0.0))))
        for k in range(j + 1, n + 1):
            if k > j + 1:  # u_j x s in E_{k-1}, then all of it to E_k
                if F[j].rotational:
                    moved = add(sh, cross(u, F[k].s))
                    sh = line("u_j x s_{j,k}", F[k].to_child(moved))
                u = line("u_j in E_k", F[k].to_child(u))
            D[j, k] = _element(F[j].rotational, F[k].rotational, u, sh, bodies[k], line)
    return symmetric_full([[D[j, i] for j in range(1, i + 1)] for i in range(1, n + 1)])


def _element(
    j_turns: bool, k_turns: bool, u: Vector, sh: Vector, body: Composite, line: Lines
) -> Scalar:
    """Return (A1) for the kinds of joints j and k."""
    (x, y, _), m = body.c, body.m
    if j_turns and k_turns:
        return line("H_jk", dot(u, body.J3) + sh[1] * x - sh[0] * y)
    if k_turns:
        return line("H_jk, translational j", u[1] * x - u[0] * y)
    if j_turns:
        return line("H_jk, translational k", m * sh[2] + u[0] * y - u[1] * x)
    return line("H_jk, both translational", m * u[2])


def composites(chain: Chain, F: Sequence[Frame], line: Lines) -> list[Composite]:
    """Return the composite bodies 1..n, of body 1 only what is needed; entry 0 is not read."""
    n = chain.n
    body = own_body(chain[n])
    body = Composite(body.m, line.given(body.c), line.given(body.J))
    found = [body]
    for j in range(n - 1, 0, -1):
        p, own = F[j + 1], own_body(chain[j])
        lam = add(own.c, scale(body.m, p.s))  # (A5), and the last term of (A7)
        Phi = add_symmetric(own.J, point_inertia(body.m, p.s))  # (A6), and that of (A8)
        turned = p.to_parent(body.c)
        c = line("c_j", add(lam, turned))
        if j > 1:
            similar = line.charged("R J R^T", 37, 25, two_turns(p, body.J))
            inertia = add_symmetric(Phi, similar, _between(p.s, turned))
            inertia = line.charged("J_j", 9, 15, inertia)
        else:
            u = line.given(p.z_previous)
            x, y = 2.0 * p.b, 2.0 * p.s[1]
            about = x * turned[0] + y * turned[1]
            J33 = line("J_1, (3,3)th entry", Phi[5] + about + dot(u, apply(body.J, u)))
            inertia = (0.0, 0.0, 0.0, 0.0, 0.0, J33)
        body = Composite(body.m + own.m, c, inertia)
        found.insert(0, body)
    return [found[0], *found]


def _between(s: Vector, p: Vector) -> Symmetric:
    """Return -[s x][p x] - [p x][s x]."""
    return trace_minus(outer(s, p))
