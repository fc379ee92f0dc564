"""Moments of the composite bodies from the minimal set, as Table VII of [LinFang1999] prints them.

For arms of any joints. The paper counts two types, whose joints 1 and 2 turn about axes that are
not parallel (r = 1, s = 2). Symbols of `armdyn.algorithms.table_vii`. Doubled numbers are written
as in (47) and (52): two products each.

The table has a line for the first moment of body 1, 2A. The printed totals leave it out: no
formulation reads it.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.minimal_set import MinimalSet, minimal_set
from armdyn.algorithms.structure import Direction, Structure, structure
from armdyn.algorithms.table_vii import AxialComposite, third_column
from armdyn.algorithms.vector import ZERO, ZERO_SYMMETRIC, Matrix, add, cross, dot
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar
from armdyn_papers.as_printed.lines import Lines
from armdyn_papers.as_printed.tables_i_to_v import element_ii, entries_i, entries_ii, full

# The lines that are the inertia of a body, and not its first moment.
INERTIA = ("X", "Y = R X R^T", "V_i", "J_i")


def table_vii(
    F: Sequence[Frame], found: Structure, S: MinimalSet, line: Lines
) -> list[AxialComposite]:
    """Return the composite bodies i = 1..n; entry 0 is empty."""
    n, s = len(F) - 1, found.s
    bodies = [AxialComposite(S[i, "mhat"]) if i else AxialComposite() for i in range(n + 1)]
    l: dict[int, Vector] = {n: ZERO}
    varying: Symmetric = ZERO_SYMMETRIC  # V_i
    entry: Scalar = 0.0  # Y_33 of part 2
    if n >= s:
        bodies[n] = _body(F[n], S, n, ZERO, varying, Lines())  # constants
    for i in range(n - 1, s - 2, -1):
        p, body = F[i + 1], bodies[i + 1]
        md = body.m * p.d
        l[i] = _first_moment(p, body, l[i + 1], md, n, i, line)
        kind = "" if p.rotational else ", joint i+1 translational"
        about_foot = _about_foot(p, S, i + 1, body, l[i + 1], varying, md)
        if i < n - 1 or not p.rotational:
            about_foot = line(f"X{kind}", about_foot)
        X = line.given(about_foot)  # constant at i = n - 1, which the table does not use in Y
        if i >= s:
            Y = line("Y = R X R^T", similarity(p, X))
            varying = line("V_i", _beside(p.b, l[i], Y))
            bodies[i] = _body(F[i], S, i, l[i], varying, line)
        else:
            entry = line("Y_33", _turned(_axis_at_s(F, found, line), X))
    Vr: Scalar = 0.0  # entry 33 of V_i^(r)
    for i in range(min(s - 1, n), found.r - 1, -1):
        if i < n:
            p, body = F[i + 1], bodies[i + 1]
            if i + 1 < s:
                md = body.m * p.d
                l[i] = _first_moment(p, body, l[i + 1], md, n, i, line)
                entry = body.J3[2]
                if not p.rotational:
                    entry = _slid(p, found.w[i + 1], S[i + 1, "kappa2"], l[i + 1], md, Vr, line)
            beside = _beside_axis(F[i].rotational, found.w[i], l[i])
            Vr = line("V_i, i < s", entry + (2.0 * p.b) * beside)
        bodies[i] = _body_about_axis(F[i], S, i, found.w[i], l[i], Vr, line)
    return bodies


def _first_moment(
    p: Frame, body: AxialComposite, l: Vector, md: Scalar, n: int, i: int, line: Lines
) -> Vector:
    """Return l_i, (24)."""
    name = "l_i" if i < n - 1 else "l_n-1"
    if p.rotational:
        return line(name, p.to_parent((body.c[0], body.c[1], l[2])))
    moved = p.to_parent((l[0], l[1], l[2] + md))
    return line(f"{name}, joint i+1 translational", moved)


def _axis_at_s(F: Sequence[Frame], found: Structure, line: Lines) -> Vector:
    """Return u_r in E_s, (39); its z is constant, all of it is on hand if joint s - 1 turns."""
    p, (x, y, z) = F[found.s], found.w[found.s - 1]
    if F[found.s - 1].rotational:
        ux, uy = line.given((z * p.SbS, z * p.SbC))
        return (ux, uy, z * p.Cb)
    g = y * p.Cb + z * p.Sb
    ux, uy = line("u_r in E_s", (x * p.C + g * p.S, g * p.C - x * p.S))
    return (ux, uy, z * p.Cb - y * p.Sb)


def _slid(
    p: Frame, w: Direction, kappa2: Scalar, l: Vector, md: Scalar, Vr: Scalar, line: Lines
) -> Scalar:
    """Return Y_33 of part 2 where joint i + 1 slides, (40)."""
    x, y, z = w
    along = (2.0 * z * x) * l[0] + (2.0 * z * y) * l[1]
    if line.follows("Table VII, Y_33"):
        along = (z * x) * l[0] - (z * y) * l[1]
    added = p.d * (2.0 * kappa2 + (1.0 - z * z) * (md + 2.0 * l[2]) - along)
    return line("Y_33, joint i+1 translational", Vr + added)


def _beside_axis(rotational: bool, w: Direction, l: Vector) -> Scalar:
    """Return what the shift along x_i adds to the entry, over 2 b_{i+1}."""
    if rotational:
        return l[0]
    x, y, z = w
    return (1.0 - x * x) * l[0] - (x * y) * l[1] - (x * z) * l[2]


def _body_about_axis(
    F: Frame, S: MinimalSet, i: int, w: Direction, l: Vector, Vr: Scalar, line: Lines
) -> AxialComposite:
    """Return body r <= i < s, and its moment about u_r, (29)."""
    if not F.rotational:
        moment = S[i, "kappa1"] - w[1] * l[0] + w[0] * l[1]
        return AxialComposite(S[i, "mhat"], tau=line("t_ii about u_r, translational", moment))
    c: Vector = (S[i, "kx"] + l[0], S[i, "ky"] + l[1], 0.0)
    c = line("c_i", c) if i > 1 else ZERO  # no formulation reads that of body 1
    J33 = line("J_i, i < s", S[i, "U33"] + Vr)
    return AxialComposite(0.0, c, third_column(0.0, 0.0, J33), w[2] * J33)


def _about_foot(
    p: Frame, S: MinimalSet, k: int, body: AxialComposite, l: Vector, V: Symmetric, md: Scalar
) -> Symmetric:
    """Return X of (34) and (35)."""
    V11, V12, V13, V22, V23, V33 = V
    d, (x, y, z) = p.d, body.c
    if p.rotational:
        e = (2.0 * d) * l[2]
        J13, J23, J33 = body.J3
        return (
            V11 + S[k, "U11-U22"] + e,
            V12 + S[k, "U12"],
            J13 - d * x,
            V22 + e,
            J23 - d * y,
            J33,
        )
    e = d * (md + 2.0 * z)
    return (V11 + e, V12, V13 - d * x, V22 + e, V23 - d * y, V33)


def _beside(b: Scalar, l: Vector, Y: Symmetric) -> Symmetric:
    """Return V_i of (34) and (35), b = b_{i+1}."""
    e = (2.0 * b) * l[0]
    return (Y[0], Y[1] - b * l[1], Y[2] - b * l[2], Y[3] + e, Y[4], Y[5] + e)


def similarity(p: Frame, X: Symmetric) -> Symmetric:
    """Return R X R^T by (41)-(54): 18M 14A."""
    X11, X12, X13, X22, X23, X33 = X
    C, S, Cb, Sb = p.C, p.S, p.Cb, p.Sb
    A1 = C * (X11 - X22) - 2.0 * (S * X12)
    A2 = C * A1
    A3 = X11 - A2
    A4 = S * A1 + X12
    A5 = S * X13 + C * X23
    A6 = (A3 - X33) * Cb - 2.0 * (Sb * A5)
    A7 = Cb * A6
    A8 = C * X13 - S * X23
    return (A2 + X22, Cb * A4 - Sb * A8, Sb * A4 + Cb * A8, A7 + X33, A5 + Sb * A6, A3 - A7)


def _turned(u: Vector, X: Symmetric) -> Scalar:
    """Return Y_33 of (55), u = u_r in E_s: 10M 5A."""
    X11, X12, X13, X22, X23, X33 = X
    x, y, z = u
    across = x * (x * X11 + 2.0 * y * X12) + y * y * X22
    return across + (2.0 * z) * (x * X13 + y * X23) + (z * z) * X33


def _body(F: Frame, S: MinimalSet, i: int, l: Vector, V: Symmetric, line: Lines) -> AxialComposite:
    """Return body i >= s, (22) and (23)."""
    kx, ky = S[i, "kx"], S[i, "ky"]
    if not F.rotational:
        return AxialComposite(
            S[i, "mhat"], line("c_i, joint i translational", add((kx, ky, S[i, "kz"]), l))
        )
    c = line("c_i", (kx + l[0], ky + l[1], 0.0))
    J = line("J_i", (S[i, "U13"] + V[2], S[i, "U23"] + V[4], S[i, "U33"] + V[5]))
    return AxialComposite(0.0, c, third_column(*J))


def composites(chain: Chain, q: Sequence[Scalar], line: Lines) -> list[AxialComposite]:
    """Return the composite bodies of an arm."""
    found = structure(chain)
    return table_vii(frames(chain, q), found, minimal_set(chain, found), line)


def formulation_1(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the mass matrix by Tables VII and I, before joint s by (29)-(31)."""
    F, found, n = frames(chain, q), structure(chain), chain.n
    bodies = _given(composites(chain, q, line), line)
    D = entries_i(F, bodies, line, start=found.s)
    for i in range(1, min(found.s, n + 1)):
        D[i, i] = bodies[i].diagonal(F[i].rotational)
        (f, _), tau = bodies[i].unit_wrench(F[i].rotational), bodies[i].tau
        for j in range(i - 1, 0, -1):
            p = F[j + 1]
            f = line("f_ji, i < s", p.to_parent(f))
            if j >= found.r:
                tau = line("t_ji about u_r, i < s", tau + dot(found.w[j], cross(p.s, f)))
            if F[j].rotational:
                D[j, i] = found.w[i if line.follows("(31)") else j][2] * tau
            else:
                D[j, i] = f[2]
    return full(D, n)


def formulation_2(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the mass matrix by Tables VII and II, before joint s by (32)."""
    F, found = frames(chain, q), structure(chain)
    bodies = _given(composites(chain, q, line), line)

    def element(j: int, i: int, u: Vector, s: Vector) -> Scalar:
        kinds, body = (F[j].rotational, F[i].rotational), bodies[i]
        if i >= found.s or kinds in ((False, True), (False, False)):
            return element_ii(*kinds, u, s, body, line)
        if F[i].rotational:  # u is (0, 0, 1) or (0, 0, -1)
            x, y, _ = body.c
            return line("D_ji, i < s", u[2] * (body.J3[2] + x * s[0] + y * s[1]))
        moment = body.m * (u[0] * s[1] - u[1] * s[0]) + found.w[j][2] * body.tau
        return line("D_ji, i < s, translational i", moment)

    return full(entries_ii(F, bodies, element, line), chain.n)


def _given(bodies: Sequence[AxialComposite], line: Lines) -> list[AxialComposite]:
    """Return the bodies as the numbers on hand that Tables I to V take."""
    return [
        AxialComposite(
            body.m, line.given(body.c), third_column(*line.given(body.J3)), line.given(body.tau)
        )
        for body in bodies
    ]
