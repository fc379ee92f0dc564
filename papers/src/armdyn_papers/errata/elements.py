"""Elements of the inertia matrix as [LinFang1999] prints them, and corrected."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armdyn_papers.errata.arm import Array, Posed, Z, cross, difference, posed, skew
from armdyn_papers.errata.erratum import Evidence

ELEMENTS = "elements of the inertia matrix, mixed joints"


def _arm() -> Posed:
    return posed("RPRRPR")


def vector_1() -> Evidence:
    """Compare (1): both forms must be the same vector."""
    x = _arm()
    i, joint = 3, x.joint(3)
    expected = x.s(i - 1, i, i - 1)

    def form(angle: float) -> Array:
        return np.array([joint.b, -x.d[i] * np.sin(angle), x.d[i] * np.cos(angle)])

    return Evidence(
        "s in E_{i-1}",
        difference(form(x.theta[i]), expected),
        difference(form(joint.beta), expected),
    )


def inertia_5() -> Evidence:
    """Compare (5): D_11 is entry 33 of the inertia of the first composite body."""
    x = _arm()

    def D_11(in_wrong_frame: bool) -> float:
        total = 0.0
        for j in range(1, x.n + 1):
            R, at = x.R(1, j), x.s(1, j, 1) + x.R(1, j) @ x.c(j)
            I = R @ x.inertia(j) @ R.T if in_wrong_frame else x.inertia(j)
            total += (R @ I @ R.T - x.m(j) * skew(at) @ skew(at))[2, 2]
        return total

    return Evidence(
        "D_11 from inertias of links",
        difference(D_11(True), x.H[0, 0]),
        difference(D_11(False), x.H[0, 0]),
    )


def _elements(x: Posed, element: Callable[[Posed, int, int], float]) -> float:
    """Return the largest difference of D_ji, j < i, relative to the largest element."""
    pairs = [(j, i) for i in range(2, x.n + 1) for j in range(1, i)]
    got = np.array([element(x, j, i) for j, i in pairs])
    return difference(got, np.array([x.H[j - 1, i - 1] for j, i in pairs]))


def closed_form_19() -> Evidence:
    """Compare (19) with its vectors in E_i or E_j."""

    def element(x: Posed, j: int, i: int, frame: int) -> float:
        m, c, J = x.composite(i)
        turned = x.R(frame, i)
        u_j, u, c, s = x.u(j, j), x.u(i, frame), turned @ c, x.s(j, i, frame)
        if x.rotational[i]:
            t, f = turned @ J @ turned.T @ u, cross(u, c)
        else:
            t, f = cross(c, u), m * u
        return float(u_j @ (t + cross(s, f) if x.rotational[j] else f))

    return Evidence(
        ELEMENTS,
        _elements(_arm(), lambda x, j, i: element(x, j, i, i)),
        _elements(_arm(), lambda x, j, i: element(x, j, i, j)),
    )


def _table_iii(x: Posed, j: int, i: int, dotted: bool, sign: float) -> float:
    """Return an element of Table III: the term of s inside the product, and a sign."""
    m, c, J = x.composite(i)
    u, hat = x.u(j, i), cross(x.u(j, i), x.s(j, i, i))
    if not x.rotational[j]:
        return float(u[1] * c[0] - u[0] * c[1] if x.rotational[i] else m * u[2])
    if not x.rotational[i]:
        return float(m * hat[2] + sign * (u[0] * c[1] - u[1] * c[0]))
    term = np.array([-c[1] * hat[0], c[0] * hat[1], 0.0])
    return float(u @ (J[:, 2] + term) if dotted else u @ J[:, 2] + term.sum())


def table_iii_term() -> Evidence:
    """Compare the term of s of two rotational joints."""
    return Evidence(
        ELEMENTS,
        _elements(_arm(), lambda x, j, i: _table_iii(x, j, i, True, 1.0)),
        _elements(_arm(), lambda x, j, i: _table_iii(x, j, i, False, 1.0)),
    )


def table_iii_sign() -> Evidence:
    """Compare the sign of the first moment for a rotational j and a translational i."""
    return Evidence(
        ELEMENTS,
        _elements(_arm(), lambda x, j, i: _table_iii(x, j, i, False, -1.0)),
        _elements(_arm(), lambda x, j, i: _table_iii(x, j, i, False, 1.0)),
    )


def _table_v(
    x: Posed, j: int, i: int, both: bool = False, flag_i: bool = False, misplaced: bool = False
) -> float:
    """Return an element of Formulation 5, with misprints of Table V."""
    m, c, J = x.composite(i)
    s, u = x.s(i - 1, i, i - 1), x.u(i, i - 1)
    h = x.R(i - 1, i) @ c + m * s
    if x.rotational[i]:
        f = -cross(h - m * s, u)
        t = x.R(i - 1, i) @ J[:, 2] + cross(s, f)
    else:
        f, t = m * u, cross(h, u)
        if both:
            t = t + cross(s, f)
    for k in range(i - 1, j, -1):
        arm = x.s(k - 1, k, k)
        t = x.R(k - 1, k) @ (cross(t + arm, f) if misplaced and k == 2 else t + cross(arm, f))
        f = x.R(k - 1, k) @ f
    return float((t if x.rotational[i if flag_i else j] else f)[2])


def table_v_both() -> Evidence:
    """Compare the moment of f for rotational i only, and for both kinds."""
    return Evidence(
        ELEMENTS,
        _elements(_arm(), lambda x, j, i: _table_v(x, j, i, both=True)),
        _elements(_arm(), _table_v),
    )


def table_v_flag() -> Evidence:
    """Compare elements that go by the kind of joint i and of joint j."""
    return Evidence(
        ELEMENTS,
        _elements(_arm(), lambda x, j, i: _table_v(x, j, i, flag_i=True)),
        _elements(_arm(), _table_v),
    )


def table_v_bracket() -> Evidence:
    """Compare R (t + s) x f with R (t + s x f) for t_1i."""
    return Evidence(
        ELEMENTS,
        _elements(_arm(), lambda x, j, i: _table_v(x, j, i, misplaced=True)),
        _elements(_arm(), _table_v),
    )


def arm_A9() -> Evidence:
    """Compare (A9) with the arm from the base and from O_j."""

    def element(x: Posed, j: int, i: int, start: int) -> float:
        m, c, J = x.composite(i)
        u = x.u(i, i)
        f, t = (cross(u, c), J[:, 2]) if x.rotational[i] else (m * u, cross(c, u))
        whole = x.R(j, i) @ t + cross(x.s(start, i, j), x.R(j, i) @ f)
        return float((whole if x.rotational[j] else x.R(j, i) @ f)[2])

    return Evidence(
        ELEMENTS,
        _elements(_arm(), lambda x, j, i: element(x, j, i, 0)),
        _elements(_arm(), lambda x, j, i: element(x, j, i, j)),
    )


def element_31() -> Evidence:
    """Compare (31) with u_r in E_i and in E_j."""
    rows = [(0.0, 0.0, 0.0, 0.0), (np.pi, 0.3, 0.2, 0.0), (0.0, 0.4, 0.1, 0.0)]
    x = posed("RRRRR", rows)
    r = 1

    def element(j: int, i: int, frame: int) -> float:
        _, c, J = x.composite(i)
        t = x.R(r, i) @ (J[:, 2] + cross(x.R(i, r) @ x.s(j, i, r), cross(Z, c)))
        return float(x.u(r, frame)[2] * t[2])

    j, i = 1, 2
    return Evidence(
        "D_12 where axis 2 points against axis 1",
        difference(element(j, i, i), x.H[j - 1, i - 1]),
        difference(element(j, i, j), x.H[j - 1, i - 1]),
    )


def inertia_A4() -> Evidence:
    """Compare (A4): the inertia about the centre of mass, with both signs."""
    x = _arm()
    m, c, J = x.composite(2)
    expected = np.zeros((3, 3))
    for j in range(2, x.n + 1):
        at = x.s(2, j, 2) + x.R(2, j) @ x.c(j) - c / m
        expected += x.R(2, j) @ x.inertia(j) @ x.R(2, j).T - x.m(j) * skew(at) @ skew(at)
    product = skew(c) @ skew(c) / m
    return Evidence(
        "inertia about the centre of mass, beside its sum over links",
        difference(J - product, expected),
        difference(J + product, expected),
    )


def moment_B3() -> Evidence:
    """Compare (B3) with its second term in E_i and in E_m, m = j - 1, beside the sum (B1)."""
    x, i, j = _arm(), 5, 3
    m = j - 1
    mass, c, _ = x.composite(i)
    links = range(i, x.n + 1)
    terms = [x.m(k) * (x.R(m, k) @ x.c(k) + x.s(j - 1, k, m)) for k in links]
    expected = sum(terms, np.zeros(3))

    def form(frame: int) -> Array:
        return x.R(m, i) @ c + mass * x.s(j - 1, i, frame)

    return Evidence(
        "h beside its sum over links",
        difference(form(i), expected),
        difference(form(m), expected),
    )
