"""Torques and the inertia matrix as [Mata2002] prints them, and corrected."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armdyn.report._measure import measure
from armdyn.report.papers.errata._arm import Array, Posed, cross, difference, posed, skew
from armdyn.report.papers.errata._erratum import Evidence
from armdyn.report.papers.mata_2002 import TABLE_3
from armdyn.report.studies._puma_runs import DISTANCE, DURATION, SPEED

AT_REST = "torques at rest"
MOVING = "torques of a moving arm"


def _arm(kinds: str = "RRRR") -> Posed:
    return posed(kinds)


def _tensor(x: Posed, i: int) -> Array:
    """Return the inertia of link i about its centre in the base."""
    R = x.T[i][:3, :3]
    return R @ x.inertia(i) @ R.T


def _torques(x: Posed, moment: Callable[[Array, Array, Array], Array]) -> float:
    """Return the difference of torques, links' moments made of their inertia, w and wd."""
    total, g = np.zeros(x.n), np.array(x.chain.g)
    for i in range(1, x.n + 1):
        w, wd, a = x.motion(i)
        wrench = np.concatenate([moment(_tensor(x, i), w, wd), x.m(i) * (a - g)])
        total += x.jacobian(i).T @ wrench
    return difference(total, x.torques(x.qd, x.qdd))


def _right(I: Array, w: Array, wd: Array) -> Array:
    return I @ wd + cross(w, I @ w)


def gibbs_2() -> Evidence:
    """Compare derivatives of the Gibbs function, its second term with omega and with its rate."""
    return Evidence(
        MOVING, _torques(_arm(), lambda I, w, wd: 0.5 * I @ w + cross(w, I @ w)),
        _torques(_arm(), _right),
    )  # fmt: skip


def derivative_6() -> Evidence:
    """Compare (6) with I omega and with I times its rate."""
    return Evidence(
        MOVING, _torques(_arm(), lambda I, w, wd: I @ w + cross(w, I @ w)),
        _torques(_arm(), _right),
    )  # fmt: skip


def slide_7e() -> Evidence:
    """Compare how a later link moves with a slide: printed for the slide's own link only."""
    x, k, i = _arm("RPRR"), 2, 4
    expected = x.jacobian(i)[3:, k - 1]
    axis, arm = x.T[k][:3, 2], x.T[i][:3, 3] + x.T[i][:3, :3] @ x.c(i) - x.T[k][:3, 3]
    return Evidence(
        "acceleration of link 4 by a slide of joint 2",
        difference(cross(axis, arm), expected),
        difference(axis, expected),
    )


def gravity_9() -> Evidence:
    """Compare the sign of gravity in the force of a link."""
    x, g = _arm(), np.array(_arm().chain.g)

    def torques(sign: float) -> float:
        pulls = (x.jacobian(i)[3:].T @ (sign * x.m(i) * g) for i in range(1, x.n + 1))
        return difference(sum(pulls, np.zeros(x.n)), x.torques())

    return Evidence(AT_REST, torques(1.0), torques(-1.0))


def omega_12() -> Evidence:
    """Compare the matrix of angular acceleration on a vector."""
    x = _arm()
    w, wd, _ = x.motion(3)
    r = x.c(3)
    expected = cross(wd, r) + cross(w, cross(w, r))
    square = skew(w) @ skew(w)
    return Evidence(
        "acceleration of a point of a link",
        difference((skew(w) + square) @ r, expected),
        difference((skew(wd) + square) @ r, expected),
    )


def element_22() -> Evidence:
    """Compare the last product of (22) with the origin and with the centre of mass."""
    x = _arm()

    def elements(centre: bool) -> float:
        got = np.zeros((x.n, x.n))
        for j in range(1, x.n + 1):
            for k in range(1, j + 1):
                got[j - 1, k - 1] = got[k - 1, j - 1] = sum(
                    _term(x, j, k, i, centre) for i in range(j, x.n + 1)
                )
        return difference(got, x.H)

    return Evidence("the inertia matrix, revolute joints", elements(False), elements(True))


def _term(x: Posed, j: int, k: int, i: int, centre: bool) -> float:
    own = x.c(i)
    r_j, s_j, s_k = x.s(j, i, i) + own, x.s(j, i, i), x.s(k, i, i)
    last = r_j if centre else s_j
    inner = x.inertia(i) - x.m(i) * (skew(own) @ skew(r_j) + skew(s_k) @ skew(last))
    return float(x.u(k, i) @ inner @ x.u(j, i))


def base_acceleration() -> Evidence:
    """Compare the acceleration of the base that stands for gravity, with both signs."""
    x = posed("RRRR", gravity=(0.0, 0.0, -9.81))

    def torques(upwards: float) -> float:
        lifted = np.array([0.0, 0.0, upwards])
        forces = (x.m(i) * x.jacobian(i)[3:].T @ lifted for i in range(1, x.n + 1))
        return difference(sum(forces, np.zeros(x.n)), x.torques())

    return Evidence(AT_REST, torques(-9.81), torques(9.81))


def bias_17() -> Evidence:
    """Compare the bias with both signs of gravity; G is what (17) adds to the torques."""
    x = _arm()
    G = -x.torques()
    C = x.torques(x.qd) - x.torques()
    expected = x.torques(x.qd)
    return Evidence(
        "torques without accelerations",
        difference(C + G, expected),
        difference(C - G, expected),
    )


def axis_20() -> Evidence:
    """Compare how link i turns with joint k: about the axis of joint i, or of joint k."""
    x, k, i = _arm(), 1, 3
    expected = x.jacobian(i)[:3, k - 1]
    return Evidence(
        "angular acceleration of link 3 by joint 1",
        difference(x.T[i][:3, 2], expected),
        difference(x.T[k][:3, 2], expected),
    )


def _part(label: str) -> tuple[int, int]:
    printed = next(row for row in TABLE_3.rows if row.label == label).values[6]
    assert printed is not None
    return printed


def cholesky_additions() -> Evidence:
    """Compare the additions of Cholesky's factors with those of the traced program."""
    found = measure("factorisation", "cholesky", 6, 1)
    assert found is not None
    n = 6
    return Evidence(
        f"A at n = 6, beside {found.additions}A traced",
        abs(_part("Cholesky decomposition")[1] - found.additions),
        abs((n**3 - n) // 6 - found.additions),
    )


def total_additions() -> Evidence:
    """Compare the total with the sum of its parts, Cholesky's corrected, and tau - b."""
    n = 6
    labels = ("Calculation of D", "Bias vector calculation", "Linear system solving")
    parts = sum(_part(label)[1] for label in labels) + (n**3 - n) // 6 + n
    what = f"A at n = 6, beside {parts}A of all parts and τ - b"
    return Evidence(what, abs(_part("Total")[1] - parts), abs(890 - parts))


def distance() -> Evidence:
    """Compare the way at the printed speed with the distance of the end points."""
    return Evidence(
        "way in 5 s less the distance of the end points [m]",
        abs(SPEED * DURATION - DISTANCE),
        abs(DISTANCE / DURATION * DURATION - DISTANCE),
    )
