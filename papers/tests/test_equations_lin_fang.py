"""Equations of [LinFang1999] that no algorithm spells out, on random arms of mixed joints."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.algorithms.composite import composites
from armdyn.algorithms.frame import frames
from armdyn.algorithms.lin_fang_1 import formulation_1
from armdyn.algorithms.lin_fang_5 import CompositeBefore, formulation_5
from armdyn.algorithms.structure import structure
from armdyn_papers.errata.arm import (
    Array,
    Posed,
    Z,
    cross,
    difference,
    inclined_slides,
    posed,
    skew,
)
from armdyn_papers.errata.composites import parts

ROUNDING = 1e-12


@pytest.fixture(scope="module")
def arm() -> Posed:
    return posed("RPRRPR")


def unit_wrench(x: Posed, i: int) -> tuple[Array, Array]:
    """Force and moment of composite body i for a unit acceleration of joint i: (7), (8)."""
    m, c, J = x.composite(i)
    return (cross(Z, c), J @ Z) if x.rotational[i] else (m * Z, cross(c, Z))


def test_rotation_2_is_what_frames_do(arm) -> None:
    F = frames(arm.chain, list(arm.q))
    for i in range(1, arm.n + 1):
        t, b = arm.theta[i], arm.joint(i).beta
        C, S, Cb, Sb = np.cos(t), np.sin(t), np.cos(b), np.sin(b)
        R = np.array([[C, -S, 0.0], [Cb * S, Cb * C, -Sb], [Sb * S, Sb * C, Cb]])
        assert difference(R, arm.R(i - 1, i)) < ROUNDING
        columns = np.array([F[i].to_parent(tuple(v)) for v in np.eye(3)]).T
        assert difference(columns.astype(float), R) < ROUNDING


def test_spatial_form_12_to_17_is_formulation_1(arm) -> None:
    for i in range(1, arm.n + 1):
        m, c, J = arm.composite(i)
        K = np.block([[J, skew(c)], [skew(c).T, m * np.eye(3)]])  # (12)
        axis = np.concatenate([Z, 0 * Z] if arm.rotational[i] else [0 * Z, Z])  # (14)
        wrench = K @ axis  # (15)
        for j in range(i, 0, -1):
            if j < i:  # (13), (16)
                R, s = arm.R(j, j + 1), skew(arm.s(j, j + 1, j))
                wrench = np.block([[R, s @ R], [0 * R, R]]) @ wrench
            phi = np.concatenate([Z, 0 * Z] if arm.rotational[j] else [0 * Z, Z])
            assert abs(phi @ wrench - arm.H[j - 1, i - 1]) < ROUNDING * abs(arm.H).max()  # (17)


def test_shifts_18_and_33_split(arm) -> None:
    f, l = np.random.default_rng(1).normal(size=(2, 3))
    for p in range(2, arm.n + 1):
        R, s = arm.R(p - 1, p), arm.s(p - 1, p, p - 1)
        along, beside = np.array([0, 0, arm.d[p]]), np.array([arm.joint(p).b, 0, 0])
        split = R @ cross(along, f) + cross(beside, R @ f)
        assert difference(split, cross(s, R @ f)) < ROUNDING  # (18)
        both = skew(beside) @ skew(l) + R @ skew(along) @ skew(R.T @ l) @ R.T
        assert difference(both, skew(s) @ skew(l)) < ROUNDING  # (33)


def test_constant_and_varying_parts_22_to_26_sum_to_the_composites() -> None:
    """(22)-(26), (34), (35) and (C1)-(C3), as they are printed or corrected."""
    for x in (posed("RPRRPR"), posed("RRRRR"), inclined_slides()):
        k, U, l, V = {}, {}, {x.n: np.zeros(3)}, {x.n: np.zeros((3, 3))}
        for i in range(x.n, 0, -1):
            own = x.inertia(i) - x.m(i) * skew(x.c(i)) @ skew(x.c(i))
            k[i], U[i] = x.m(i) * x.c(i), own
            if i < x.n:
                _step(x, i, k, U, l, V)
            _, c, J = x.composite(i)
            assert difference(k[i] + l[i], c) < ROUNDING
            assert difference(U[i] + V[i], J) < ROUNDING
        known_k, known_U, _ = parts(x)
        assert max(difference(k[i], known_k[i]) for i in k) < ROUNDING
        assert max(difference(U[i], known_U[i]) for i in U) < ROUNDING


def _step(x: Posed, i: int, k: dict, U: dict, l: dict, V: dict) -> None:
    p = i + 1
    R, s, b, d = x.R(i, p), x.s(i, p, i), x.joint(p).b, x.d[p]
    mass, c, _ = x.composite(p)
    beside, foot = np.array([b, 0, 0]), R[:, 2]
    if x.rotational[p]:
        k[i] = k[i] + mass * s + foot * k[p][2]  # (C1)
        round_ = np.diag([U[p][1, 1], U[p][1, 1], 0.0])
        U[i] = U[i] - mass * skew(s) @ skew(s) + R @ round_ @ R.T  # (C2)
        U[i] -= k[p][2] * (skew(s) @ skew(foot) + skew(foot) @ skew(s))
        l[i] = R @ np.array([c[0], c[1], l[p][2]])  # (24)
        D = U[p].copy()
        D[0, 0], D[1, 1] = D[0, 0] - D[1, 1], 0.0
        V[i] = R @ (V[p] + D) @ R.T - skew(s) @ skew(l[i]) - skew(l[i]) @ skew(s)  # (25)
        e = 2 * d * l[p][2]
        X = V[p] + D + _symmetric(e, 0, -d * c[0], e, -d * c[1], 0)
    else:
        k[i] = k[i] + mass * beside + R @ k[p]
        turned = R @ k[p]
        U[i] = U[i] + R @ U[p] @ R.T - mass * skew(beside) @ skew(beside)  # (C3)
        U[i] -= skew(beside) @ skew(turned) + skew(turned) @ skew(beside)
        l[i] = R @ (l[p] + np.array([0, 0, mass * d]))
        D = skew(np.array([0, 0, d]))
        slid = V[p] - mass * D @ D - D @ skew(c) - skew(c) @ D
        shift = skew(beside) @ skew(l[i]) + skew(l[i]) @ skew(beside)
        V[i] = R @ slid @ R.T - shift  # (26)
        e = d * (mass * d + 2 * c[2])
        X = V[p] + _symmetric(e, 0, -d * c[0], e, -d * c[1], 0)
    lx, ly, lz = l[i]
    written = R @ X @ R.T + _symmetric(0, -b * ly, -b * lz, 2 * b * lx, 0, 2 * b * lx)
    assert difference(written, V[i]) < ROUNDING  # (34), (35)


def _symmetric(xx, xy, xz, yy, yz, zz) -> Array:
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)


def test_only_the_entry_about_u_r_is_needed_36_37() -> None:
    x, r = inclined_slides(), 1
    for i in range(r, structure(x.chain).s):
        J = x.composite(i)[2]
        in_r = x.R(r, i) @ J @ x.R(r, i).T
        assert abs(x.u(i, r) @ in_r @ x.u(i, r) - J[2, 2]) < ROUNDING  # (36)
        if x.rotational[i]:
            assert abs(in_r[2, 2] - J[2, 2]) < ROUNDING
        assert abs(in_r[2, 2] - x.u(r, i) @ J @ x.u(r, i)) < ROUNDING  # (37)


def test_similarity_41_to_54_is_the_product(arm) -> None:
    X = _symmetric(*np.random.default_rng(2).normal(size=6))
    for i in range(1, arm.n + 1):
        C, S = np.cos(arm.theta[i]), np.sin(arm.theta[i])
        Cb, Sb = np.cos(arm.joint(i).beta), np.sin(arm.joint(i).beta)
        A1 = C * (X[0, 0] - X[1, 1]) - 2 * S * X[0, 1]
        A2 = C * A1
        A3, A4, A5 = X[0, 0] - A2, S * A1 + X[0, 1], S * X[0, 2] + C * X[1, 2]
        A6 = (A3 - X[2, 2]) * Cb - 2 * Sb * A5
        A7, A8 = Cb * A6, C * X[0, 2] - S * X[1, 2]
        Y = _symmetric(
            A2 + X[1, 1], Cb * A4 - Sb * A8, Sb * A4 + Cb * A8, A7 + X[2, 2], A5 + Sb * A6, A3 - A7
        )
        R = arm.R(i - 1, i)
        assert difference(Y, R @ X @ R.T) < ROUNDING


def test_wrench_of_a_composite_body_A1_to_A8(arm) -> None:
    for i in range(1, arm.n + 1):
        m, c, J = arm.composite(i)
        about_centre = J + skew(c) @ skew(c) / m  # (A4), corrected
        u, turning = Z, arm.rotational[i]
        acceleration = cross(u, c / m) if turning else u  # (A3), (A5)
        turn = u if turning else 0 * u  # (A6)
        f_T, t_T = -m * acceleration, -about_centre @ turn  # (A1), (A2)
        f, t = unit_wrench(arm, i)
        assert difference(-f_T, f) < ROUNDING  # (A7)
        assert np.abs(-t_T - cross(c, f_T) / m - t).max() < ROUNDING  # (A8)


def test_moments_of_kawasaki_B1_to_B4_are_those_of_composites(arm) -> None:
    for i in range(2, arm.n + 1):
        for j in range(1, i + 1):
            m_frame = j - 1
            links = range(i, arm.n + 1)
            h = sum(  # (B1)
                arm.m(k) * (arm.R(m_frame, k) @ arm.c(k) + arm.s(j - 1, k, m_frame)) for k in links
            )
            mass, c, _ = arm.composite(i)
            other = arm.R(m_frame, i) @ c + mass * arm.s(j - 1, i, m_frame)
            assert difference(h, other) < ROUNDING  # (B3)
        L = np.zeros((3, 3))
        for k in range(i, arm.n + 1):  # (B2)
            own = arm.inertia(k) - arm.m(k) * skew(arm.c(k)) @ skew(arm.c(k))
            if k < arm.n:
                mass, c, _ = arm.composite(k + 1)
                s = skew(arm.s(k, k + 1, k))
                h = skew(arm.R(k, k + 1) @ c + mass * arm.s(k, k + 1, k))
                own = own - s @ h - h @ s + mass * s @ s
            L += arm.R(i, k) @ own @ arm.R(i, k).T
        assert difference(L, arm.composite(i)[2]) < ROUNDING  # (B4)


def test_formulation_5_without_masses_is_formulation_1() -> None:
    x = posed("RRRRR")
    F = frames(x.chain, list(x.q))
    bodies = composites(x.chain, F)
    light = [CompositeBefore(0.0, Fi.to_parent(b.c), b.J3) for Fi, b in zip(F, bodies, strict=True)]
    assert difference(formulation_5(F, light), x.H) < ROUNDING
    assert difference(formulation_1(F, bodies), x.H) < ROUNDING


def test_correction_B12_is_the_element_of_a_sliding_joint(arm) -> None:
    for i in range(2, arm.n + 1):
        if arm.rotational[i]:
            continue
        mass, c, _ = arm.composite(i)
        for j in range(1, i):
            h, u = arm.R(j, i) @ c + mass * arm.s(j, i, j), arm.u(i, j)
            element = (cross(h, u) if arm.rotational[j] else mass * u)[2]
            assert abs(element - arm.H[j - 1, i - 1]) < ROUNDING * abs(arm.H).max()
