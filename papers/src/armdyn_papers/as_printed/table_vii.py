"""Moments of the composite bodies from the minimal set, as Table VII of [LinFang1999] prints them.

For arms whose joints 1 and 2 turn about axes that are not parallel (r = 1, s = 2), such as the two
types that the paper counts. Symbols of `armdyn.algorithms.table_vii`. Doubled numbers are written
as in (47) and (52): two products each.

The table has a line for the first moment of body 1, 2A. The printed totals leave it out: no
formulation reads it.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.minimal_set import MinimalSet, minimal_set
from armdyn.algorithms.structure import structure
from armdyn.algorithms.table_vii import AxialComposite, third_column
from armdyn.algorithms.vector import ZERO, ZERO_SYMMETRIC, Matrix, add
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar
from armdyn_papers.as_printed.lines import Lines
from armdyn_papers.as_printed.tables_i_to_v import table_i, table_ii

# The lines that are the inertia of a body, and not its first moment.
INERTIA = ("X", "Y = R X R^T", "V_i", "J_i")


def table_vii(F: Sequence[Frame], S: MinimalSet, line: Lines) -> list[AxialComposite]:
    """Return the composite bodies i = 1..n; entry 0 is empty."""
    n = len(F) - 1
    l: Vector = ZERO
    varying: Symmetric = ZERO_SYMMETRIC  # V_i
    body = _body(F[n], S, n, l, varying, Lines())  # constants
    found = [body]
    for i in range(n - 1, 0, -1):
        p = F[i + 1]
        md = body.m * p.d
        kind = "" if p.rotational else ", joint i+1 translational"
        previous = l
        l = line(f"l_{'i' if i < n - 1 else 'n-1'}{kind}", _first_moment(p, body, l, md))
        about_foot = _about_foot(p, S, i + 1, body, previous, varying, md)
        if i < n - 1 or not p.rotational:
            about_foot = line(f"X{kind}", about_foot)
        X = line.given(about_foot)  # constant at i = n - 1, which the table does not use in Y
        if i > 1:
            Y = line("Y = R X R^T", similarity(p, X))
            varying = line("V_i", _beside(p.b, l, Y))
            body = _body(F[i], S, i, l, varying, line)
        else:
            Y33 = line("Y_33", _turned(p, X, line))
            V33 = line("V_1", Y33 + (2.0 * p.b) * l[0])
            J33 = line("J_1", S[1, "U33"] + V33)
            body = AxialComposite(0.0, ZERO, third_column(0.0, 0.0, J33))
        found.insert(0, body)
    return [AxialComposite(), *found]


def _first_moment(p: Frame, body: AxialComposite, l: Vector, md: Scalar) -> Vector:
    """Return l_i, (24)."""
    if p.rotational:
        return p.to_parent((body.c[0], body.c[1], l[2]))
    return p.to_parent((l[0], l[1], l[2] + md))


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


def _turned(p: Frame, X: Symmetric, line: Lines) -> Scalar:
    """Return Y_33 of (55) for a rotational joint s - 1: 10M 5A; u_r in E_s is on hand."""
    X11, X12, X13, X22, X23, X33 = X
    x, y = line.given((p.SbS, p.SbC))
    z = p.Cb
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
    return table_vii(frames(chain, q), minimal_set(chain, structure(chain)), line)


def formulation_1(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the mass matrix by Tables VII and I."""
    return table_i(frames(chain, q), _given(composites(chain, q, line), line), line)


def formulation_2(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the mass matrix by Tables VII and II."""
    return table_ii(frames(chain, q), _given(composites(chain, q, line), line), line)


def _given(bodies: Sequence[AxialComposite], line: Lines) -> list[AxialComposite]:
    """Return the bodies as the numbers on hand that Tables I to V take."""
    return [
        AxialComposite(body.m, line.given(body.c), third_column(*line.given(body.J3)))
        for body in bodies
    ]
