"""The five formulations of [LinFang1999], as Tables I to V print them.

Inputs are composite bodies: mass m, first moment c and inertia J about O_i in E_i, which the paper
writes with hats; Formulation 5 takes h_i (B3) in place of c_i. All of them are on hand, and so are
the elements of the rotations.

Where a table charges for operations that its own equation does not need, the line is charged as
printed: a whole rotation of a vector without z in Table I, the axes in Table IV, which are columns
of matrices that are there, and the moment of f in Table V for a translational joint, which would be
wrong to add, (B8).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from armdyn.algorithms.composite import Composite
from armdyn.algorithms.frame import Frame
from armdyn.algorithms.lin_fang_5 import CompositeBefore
from armdyn.algorithms.vector import (
    Matrix,
    Rows,
    add,
    column,
    cross,
    dot,
    neg,
    scale,
    sub,
    symmetric_full,
    times,
)
from armdyn.robot.chain import Vector
from armdyn.scalar import Scalar
from armdyn_papers.as_printed.lines import Lines

# D_ji by (j, i), j <= i.
Entries: TypeAlias = dict[tuple[int, int], Scalar]

# An element D_ji of Formulation 2, from j, i, the axis and the arm of joint j in E_i.
ElementII: TypeAlias = Callable[[int, int, Vector, Vector], Scalar]


def table_i(F: Sequence[Frame], bodies: Sequence[Composite], line: Lines) -> Matrix:
    """Formulation 1: (7)-(11), with (18) in (10)."""
    return full(entries_i(F, bodies, line), len(F) - 1)


def entries_i(
    F: Sequence[Frame], bodies: Sequence[Composite], line: Lines, start: int = 1
) -> Entries:
    """Return the elements D_ji of Formulation 1, i from `start` on."""
    n = len(F) - 1
    D: Entries = {}
    s2 = line("s_2 in E_2 (in the total, on no line)", F[2].s_own) if n > 1 else F[1].s_own
    for i in range(start, n + 1):
        f, t = bodies[i].unit_wrench(F[i].rotational)
        D[i, i] = bodies[i].diagonal(F[i].rotational)
        if i > 2:
            f, t = _before(F[i], f, t, line)
            D[i - 1, i] = t[2] if F[i - 1].rotational else f[2]
        _towards_base(F, D, i, i - 2 if i > 2 else i - 1, f, t, s2, line)
    return D


def _before(p: Frame, f: Vector, t: Vector, line: Lines) -> tuple[Vector, Vector]:
    """Return f_{i-1,i} and t_{i-1,i}, p = E_i."""
    shifted = p.to_parent(add(t, cross((0.0, 0.0, p.d), f)))
    if p.rotational:
        f = line("f_{i-1,i}", p.to_parent(f))
        return f, line("t_{i-1,i}", add(shifted, cross((p.b, 0.0, 0.0), f)))
    f = p.to_parent(f)  # constant
    t = line.charged("t_{2,3}", 8, 6, add(shifted, cross((p.b, 0.0, 0.0), f)))
    return line.given(f), t


def _towards_base(
    F: Sequence[Frame],
    D: Entries,
    i: int,
    first: int,
    f: Vector,
    t: Vector,
    s2: Vector,
    line: Lines,
) -> None:
    """Carry the wrench of body i from frame first + 1 on; the last step shifts, then rotates."""
    for j in range(first, 0, -1):
        p = F[j + 1]
        if j == 1 and not F[1].rotational:
            f = line("f_1i", p.to_parent(f))
        elif j == 1:
            turned = cross(add(t, s2), f) if line.follows("Table V, t_1i") else add(t, cross(s2, f))
            t = line("t_12" if i == 2 else "t_1i, i > 2", p.to_parent(turned))
        else:
            t = p.to_parent(add(t, cross((0.0, 0.0, p.d), f)))
            f = line("f_ji, j <= i-2", p.to_parent(f))
            t = line("t_ji, j <= i-2", add(t, cross((p.b, 0.0, 0.0), f)))
        D[j, i] = t[2] if F[i if line.follows("Table V, D_ij") else j].rotational else f[2]


def table_ii(F: Sequence[Frame], bodies: Sequence[Composite], line: Lines) -> Matrix:
    """Formulation 2: (20)."""

    def element(j: int, i: int, u: Vector, s: Vector) -> Scalar:
        return element_ii(F[j].rotational, F[i].rotational, u, s, bodies[i], line)

    return full(entries_ii(F, bodies, element, line), len(F) - 1)


def entries_ii(
    F: Sequence[Frame], bodies: Sequence[Composite], element: ElementII, line: Lines
) -> Entries:
    """Return the elements D_ji, axes and arms carried towards the tip."""
    n = len(F) - 1
    D: Entries = {(i, i): bodies[i].diagonal(F[i].rotational) for i in range(1, n + 1)}
    for j in range(1, n):
        turns = F[j].rotational
        u = line.given(F[j + 1].z_previous)
        s = line.given(F[j + 1].s_own)  # the table has no line for its 2M
        for k in range(j + 1, n + 1):
            if k > j + 1:
                u = line("u_j in E_k", F[k].to_child(u))
                s = line("s_{j,k} in E_k", F[k].arm(s)) if turns else s
            D[j, k] = element(j, k, u, s)
    return D


def element_ii(
    j_turns: bool, i_turns: bool, u: Vector, s: Vector, body: Composite, line: Lines
) -> Scalar:
    """Return (20): u and s are the axis and the arm of joint j in E_i."""
    (x, y, _), m = body.c, body.m
    if j_turns and i_turns:
        J13, J23, J33 = body.J3
        inner = (J13 - x * s[2], J23 - y * s[2], J33 + x * s[0] + y * s[1])
        return line("D_ji", dot(u, inner))
    if i_turns:
        return line("D_3i", u[1] * x - u[0] * y)
    if j_turns:
        return line("D_j3", u[0] * (m * s[1] + y) - u[1] * (m * s[0] + x))
    return line("D_ji, both translational", m * u[2])


def table_iii(F: Sequence[Frame], bodies: Sequence[Composite], line: Lines) -> Matrix:
    """Formulation 3: (21); sh is u_j x s_{j,k}, which the paper writes as s with a hat."""
    n = len(F) - 1
    D: Entries = {(i, i): bodies[i].diagonal(F[i].rotational) for i in range(1, n + 1)}
    for j in range(1, n):
        turns, p = F[j].rotational, F[j + 1]
        u = line.given(p.z_previous)
        sh: Vector = (0.0, 0.0, 0.0)
        if turns:
            sh = p.to_child((p.d * p.Sb, p.b, 0.0))
            sh = line.given(line.charged("u_j x s_{j,j+1} in E_{j+1}", 4, 2, sh))
        for k in range(j + 1, n + 1):
            if k > j + 1:
                before = u
                u = line("u_j in E_k", F[k].to_child(u))
                if turns:
                    moved = F[k].to_child(add(sh, cross(before, (F[k].b, 0.0, 0.0))))
                    moved = add(moved, cross(u, (0.0, 0.0, F[k].d)))
                    sh = line("u_j x s_{j,k} in E_k", moved)
            D[j, k] = _entry_iii(turns, F[k].rotational, u, sh, bodies[k], line)
    return full(D, n)


def _entry_iii(
    j_turns: bool, i_turns: bool, u: Vector, sh: Vector, body: Composite, line: Lines
) -> Scalar:
    (x, y, _), m = body.c, body.m
    if j_turns and i_turns:
        if line.follows("Table III, rotational i and j"):
            return line("D_ji", dot(u, add(body.J3, (-(y * sh[0]), x * sh[1], 0.0))))
        return line("D_ji", dot(u, body.J3) + sh[1] * x - sh[0] * y)
    if i_turns:
        return line("D_3i", u[1] * x - u[0] * y)
    if j_turns:
        moment = u[0] * y - u[1] * x
        if line.follows("Table III, rotational j, translational i"):
            return line("D_j3", m * sh[2] - moment)
        return line("D_j3", m * sh[2] + moment)
    return line("D_ji, both translational", m * u[2])


def table_iv(F: Sequence[Frame], bodies: Sequence[Composite], line: Lines) -> Matrix:
    """Formulation 4: everything in E_n; N_i takes components in E_i to E_n."""
    n = len(F) - 1
    one: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    N: dict[int, Rows] = {n: one}
    u, s = dict[int, Vector](), dict[int, Vector]()
    for i in range(n - 1, 0, -1):
        p, (x, y, z) = F[i + 1], N[i + 1]
        rows = (p.to_parent(x), p.to_parent(y), p.to_parent(z))
        if i == n - 1:  # R_n, on hand
            N[i] = line.given(rows)
            u[i] = column(N[i], 3)
            s[n] = line.given(line("s_n in E_n", p.s_own))
            continue
        N[i] = line("R from E_i to E_n", rows)
        u[i] = line.charged("u_i in E_n", 8, 4, column(N[i], 3))
        along_x, along_z = scale(p.b, column(N[i], 1)), scale(p.d, column(N[i + 1], 3))
        s[i + 1] = line("s_{i+1} in E_n", add(along_x, along_z))
    D: Entries = {}
    for i in range(1, n + 1):
        f, t = bodies[i].unit_wrench(F[i].rotational)
        D[i, i] = bodies[i].diagonal(F[i].rotational)
        if i == n:
            f, t = line.given(f), line.given(t)
        elif i > 1:
            which = "ii" if F[i].rotational else "33"
            f = line(f"f_{which} in E_n", times(N[i], f))
            t = line(f"t_{which} in E_n", times(N[i], t))
        for j in range(i - 1, 0, -1):
            t = line("t_ji in E_n", add(t, cross(s[j + 1], f)))
            D[j, i] = line("D_ji", dot(u[j], t if F[j].rotational else f))
    return full(D, n)


def table_v(F: Sequence[Frame], bodies: Sequence[CompositeBefore], line: Lines) -> Matrix:
    """Formulation 5: (B5)-(B11)."""
    n = len(F) - 1
    D: Entries = {}
    s2 = line.given(F[2].s_own) if n > 1 else F[1].s_own  # the table has no line for its 2M
    for i in range(1, n + 1):
        body, p = bodies[i], F[i]
        D[i, i] = body.J3[2] if p.rotational else body.m
        if i == 1:
            continue
        e = p.z
        if p.rotational:
            f = line("f_{i-1,i}", neg(cross(sub(body.h, scale(body.m, p.s)), e)))
            t = line("t_{i-1,i}", sub(p.to_parent(body.J3), cross(f, p.s)))
        else:
            f = line.given(scale(body.m, e))
            t = line.charged("t_{2,3}", 8, 5, cross(body.h, e))
            if line.follows("Table V, t_{i-1,i}"):
                t = sub(t, cross(f, p.s))
        kind = F[i if line.follows("Table V, D_ij") else i - 1]
        D[i - 1, i] = t[2] if kind.rotational else f[2]
        _towards_base(F, D, i, i - 2, f, t, s2, line)
    return full(D, n)


def full(D: Entries, n: int) -> Matrix:
    """Return the symmetric matrix of elements D_ji, j <= i."""
    return symmetric_full([[D[j, i] for j in range(1, i + 1)] for i in range(1, n + 1)])
