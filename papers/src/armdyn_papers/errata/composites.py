"""Moments of composite bodies and minimal sets as the papers print them, and corrected."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.inertia_constants import inertia_constants, link_bodies
from armdyn.algorithms.structure import structure
from armdyn.minimal.check import rank, structural_regressor
from armdyn_papers.errata.arm import Array, Posed, difference, inclined_slides, posed, skew
from armdyn_papers.errata.erratum import Evidence


def parts(x: Posed) -> tuple[dict[int, Array], dict[int, Array], dict[int, Array]]:
    """Return the constants k and U, and the varying parts V, of composite bodies."""
    k: dict[int, Array] = {}
    U: dict[int, Array] = {}
    for i, body in inertia_constants(x.chain, link_bodies(x.chain)).items():
        xx, xy, xz, yy, yz, zz = (float(e) for e in body.U)  # type: ignore[arg-type]
        k[i] = np.array(body.k, float)
        U[i] = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return k, U, {i: x.composite(i)[2] - U[i] for i in U}


def varying_25() -> Evidence:
    """Compare (25), its bracket closed after R^T or before it."""
    x = posed("RRR")
    k, U, V = parts(x)
    i = 1
    R, s, l = x.R(i, i + 1), x.s(i, i + 1, i), x.composite(i)[1] - k[i]
    D = U[i + 1].copy()
    D[0, 0], D[1, 1] = D[0, 0] - D[1, 1], 0.0
    rest = -skew(s) @ skew(l) - skew(l) @ skew(s)
    return Evidence(
        "V beside the inertia less its constant part",
        difference(R @ (V[i + 1] + D @ R.T) + rest, V[i]),
        difference(R @ (V[i + 1] + D) @ R.T + rest, V[i]),
    )


def _entry_40(x: Posed, i: int, squares: bool, factor: float, sign: float) -> float:
    """Return entry 33 of V^r_i by (40), with its misprints."""
    p, r = i + 1, 1
    k, _, V = parts(x)
    w, w_p = x.u(r, i), x.u(r, p)
    l = {a: x.composite(a)[1] - k[a] for a in (i, p)}
    m, b, d = x.composite(p)[0], x.joint(p).b, x.d[p]
    kappa2 = -w_p[2] * (w_p[0] * k[p][0] + w_p[1] * k[p][1]) + (1 - w_p[2] ** 2) * k[p][2]
    across = (1 - w_p[2]) ** 2 if squares else 1 - w_p[2] ** 2
    beside = (1 - w[0]) ** 2 if squares else 1 - w[0] ** 2
    slid = 2 * kappa2 + across * (m * d + 2 * l[p][2])
    slid += factor * (-w_p[2] * w_p[0] * l[p][0] + sign * w_p[2] * w_p[1] * l[p][1])
    shifted = beside * l[i][0] - w[0] * w[1] * l[i][1] - w[0] * w[2] * l[i][2]
    return float(w_p @ V[p] @ w_p + d * slid + 2 * b * shifted)


def _compared_40(**misprint: float) -> Evidence:
    x, i = inclined_slides(), 2
    expected = float(x.u(1, i) @ parts(x)[2][i] @ x.u(1, i))
    right = {"squares": False, "factor": 2.0, "sign": -1.0}
    return Evidence(
        "entry 33 of V about u_r between inclined slides",
        difference(_entry_40(x, i, **{**right, **misprint}), expected),  # type: ignore[arg-type]
        difference(_entry_40(x, i, **right), expected),  # type: ignore[arg-type]
    )


def squares_40() -> Evidence:
    """Compare (1 - u_z)^2 with 1 - u_z^2."""
    return _compared_40(squares=True)


def terms_40() -> Evidence:
    """Compare the terms of l_x and l_y, without factor 2 and with another sign."""
    return _compared_40(factor=1.0, sign=1.0)


def _rank(x: Posed) -> int:
    return rank(structural_regressor(x.chain))


def delta() -> Evidence:
    """Compare the size of the set for a planar arm on a vertical axis, by both conditions."""
    rows = [(0.0, 0.0, 0.0, 0.0), (0.0, 0.3, 0.0, 0.0)]
    x = posed("RR", rows, gravity=(0.0, 0.0, -9.81))
    seen = _rank(x)
    by_axes = 2  # U_33 of both; all axes and gravity are parallel, as the printed condition asks
    corrected = 2 + 2 * sum(structure(x.chain).delta.values())
    what = f"minimal parameters of two parallel vertical axes, beside the rank {seen}"
    return Evidence(what, abs(by_axes - seen), abs(corrected - seen))


def delta_alone() -> Evidence:
    """Compare the size of the set for a pendulum, for which no earlier joint can be tested."""
    x = posed("R", [(0.5 * np.pi, 0.0, 0.0, 0.0)], gravity=(0.0, 0.0, -9.81))
    seen = _rank(x)
    corrected = 1 + 2 * sum(structure(x.chain).delta.values())
    what = f"minimal parameters of a pendulum, beside the rank {seen}"
    return Evidence(what, abs(1 - seen), abs(corrected - seen))
