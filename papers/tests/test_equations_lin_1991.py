"""Equations of [Lin1991] that no algorithm spells out, on random arms of mixed joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn.algorithms.frame import frame
from armdyn.graph.count import count
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import chain_of
from armdyn_papers.errata.arm import Array, Posed, Z, cross, difference, posed, skew
from armdyn_papers.errata.lin_1994 import slope

ROUNDING = 1e-12


@pytest.fixture(scope="module")
def arm() -> Posed:
    return posed("RPRRPR")


def about_base(x: Posed, j: int) -> tuple[float, Array, Array]:
    """Mass, first moment and inertia of composite body j about O_0, in E_0."""
    m, P, J = 0.0, np.zeros(3), np.zeros((3, 3))
    for i in range(j, x.n + 1):
        R = x.T[i][:3, :3]
        at = x.T[i][:3, 3] + R @ x.c(i)
        m, P = m + x.m(i), P + x.m(i) * at
        J = J + R @ x.inertia(i) @ R.T - x.m(i) * skew(at) @ skew(at)
    return m, P, J


def test_force_and_moment_2_to_11_give_the_inertia_matrix(arm) -> None:
    for j in range(1, arm.n + 1):
        m, P, J = about_base(arm, j)
        r = P / m  # (3)
        centre = J + m * skew(r) @ skew(r)  # (4): about the centre of mass
        u, s = arm.T[j][:3, 2], arm.T[j][:3, 3]
        turning = arm.rotational[j]
        rdd = cross(u, r - s) if turning else u  # (5)
        alpha = u if turning else 0 * u  # (6)
        f, t = -m * rdd, -centre @ alpha - m * cross(r, rdd)  # (8), (9)
        for k in range(1, j + 1):
            u_k, s_k = arm.T[k][:3, 2], arm.T[k][:3, 3]
            torque = -u_k @ (t - cross(s_k, f) if arm.rotational[k] else f)  # (10)
            assert abs(torque - arm.H[k - 1, j - 1]) < ROUNDING * abs(arm.H).max()  # (11)


def test_inertias_transform_by_similarity_17_18(arm) -> None:
    R, A = arm.R(2, 3), arm.inertia(3)
    b = np.random.default_rng(0).normal(size=3)
    assert difference(R @ A @ R.T @ (R @ b), R @ (A @ b)) < ROUNDING


def test_product_of_skew_matrices_21() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 3))
    product = np.outer(b, a)
    assert difference(product - np.trace(product) * np.eye(3), skew(a) @ skew(b)) < ROUNDING


def test_primed_inertias_22_23_give_back_the_inertia(arm) -> None:
    for j in range(1, arm.n + 1):
        primed = np.zeros((3, 3))
        for i in range(j, arm.n + 1):
            R = arm.T[i][:3, :3]
            at, I = arm.T[i][:3, 3] + R @ arm.c(i), R @ arm.inertia(i) @ R.T
            primed += I - 0.5 * np.trace(I) * np.eye(3) - arm.m(i) * np.outer(at, at)
        assert difference(primed - np.trace(primed) * np.eye(3), about_base(arm, j)[2]) < ROUNDING


def test_coefficients_have_the_symmetries_32_to_34() -> None:
    x = posed("RPRR")
    n = range(x.n)
    dh = [slope(x, k + 1) for k in n]
    D = np.array(
        [[[0.5 * (dh[k][m, j] + dh[j][m, k] - dh[m][k, j]) for j in n] for k in n] for m in n]
    )
    size = abs(D).max()
    for m in n:
        for j in n:
            for k in n:
                assert D[m, k, j] == pytest.approx(D[m, j, k], abs=ROUNDING * size)
                if k <= min(m, j):
                    assert D[j, k, m] == pytest.approx(-D[m, k, j], abs=1e-11 * size)  # (34)


@pytest.mark.parametrize(("k", "j"), [(1, 3), (1, 2), (2, 4), (3, 5)])
def test_two_joints_at_steady_speed_36_to_40(arm, k, j) -> None:
    x = arm.at(arm.q)
    qk, qj = 0.7, -1.3
    x.qd, x.qdd = np.zeros(x.n), np.zeros(x.n)
    x.qd[k - 1], x.qd[j - 1] = qk, qj
    u_k, u_j = x.T[k][:3, 2], x.T[j][:3, 2]
    s_k, s_j = x.T[k][:3, 3], x.T[j][:3, 3]
    K, Kj = x.rotational[k], x.rotational[j]
    w, wd, a = x.motion(j)
    omega = K * u_k * qk + Kj * u_j * qj  # (36)
    alpha = K * Kj * cross(u_k, u_j) * qk * qj  # (37)
    assert np.abs(omega - w).max() < ROUNDING and np.abs(alpha - wd).max() < ROUNDING
    origin = K * cross(u_k, cross(u_k, s_j - s_k)) * qk**2
    origin = origin + K * (not Kj) * 2 * cross(u_k, u_j) * qk * qj  # (39)
    r = x.T[j][:3, :3] @ x.c(j)
    centre = origin + cross(omega, cross(omega, r)) + cross(alpha, r)  # (40), by (38) corrected
    assert np.abs(centre - a).max() < ROUNDING


def test_product_of_vector_products_50() -> None:
    u_m, u_j, r = np.random.default_rng(0).normal(size=(3, 3))
    product = -np.outer(r, r) @ skew(u_j) @ u_m
    assert difference(product, cross(cross(u_m, r), cross(u_j, r))) < ROUNDING


def test_wrench_at_the_joint_A10_A11(arm) -> None:
    for j in range(1, arm.n + 1):
        m, c, J = arm.composite(j)
        K = not arm.rotational[j]
        f = K * m * Z + (not K) * cross(Z, c)  # (A10)
        t = K * cross(c, Z) + (not K) * J @ Z  # (A11)
        own = f[2] if K else t[2]
        assert abs(own - arm.H[j - 1, j - 1]) < ROUNDING * abs(arm.H).max()


def test_a_rotation_takes_8M_4A() -> None:
    F = frame(chain_of(armdyn.generic(1))[1], 0.3)

    def turned(v: list, CS: list) -> list:
        return list(replace(F, C=CS[0], S=CS[1]).to_parent(tuple(v)))

    found = count(trace(turned, [Slot("v", (3,)), Slot("CS", (2,))], [Slot("w", (3,))]))
    assert (found.multiplications, found.additions) == (8, 4)


def test_the_distance_b_0_d_is_mistaken(arm) -> None:
    mistaken = np.array([arm.joint(3).b, 0.0, arm.d[3]])
    assert difference(mistaken, arm.s(2, 3, 2)) > 0.1


def test_invariants_of_sliding_joints_must_leave_out_their_mass() -> None:
    """(A5), (A6): with "1" for K* the parts change with the slide."""
    x = posed("RPR")
    other = x.at(x.q + 0.5)

    def parts(arm: Posed, j: int, always: bool) -> tuple[Array, Array]:
        own = arm.m(j) * arm.c(j), arm.inertia(j) - arm.m(j) * skew(arm.c(j)) @ skew(arm.c(j))
        if not (always or arm.rotational[j + 1]):
            return own
        mass, s = arm.composite(j + 1)[0], arm.s(j, j + 1, j)
        return own[0] + mass * s, own[1] - mass * skew(s) @ skew(s)

    for j, changes in ((1, True), (2, False)):
        moved = [
            difference(a, b) for a, b in zip(parts(x, j, True), parts(other, j, True), strict=True)
        ]
        assert (max(moved) > 0.01) == changes
        still = [
            difference(a, b)
            for a, b in zip(parts(x, j, False), parts(other, j, False), strict=True)
        ]
        assert max(still) < ROUNDING
