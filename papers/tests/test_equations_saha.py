"""Equations of [Saha1999] at the centres of mass, as printed, on random arms of mixed joints."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn_papers.errata.arm import Posed, cross, difference, posed, skew
from armdyn_papers.errata.saha_1999 import (
    articulated,
    axis,
    complement,
    complement_rate,
    mass,
    to_centre,
    twist_rate_18,
    upper_factor,
)

ROUNDING = 1e-11


@pytest.fixture(scope="module")
def arm() -> Posed:
    return posed("RPRRP", gravity=(0.0, 0.0, 0.0))


def twist(x: Posed, i: int) -> np.ndarray:
    return x.jacobian(i) @ x.qd


def twist_rate(x: Posed, i: int) -> np.ndarray:
    _, wd, a = x.motion(i)
    return np.concatenate([wd, a])


def wrench(x: Posed, i: int) -> np.ndarray:
    """Moment about the centre, and force, by Newton and Euler: (6a), (6b)."""
    w, wd, a = x.motion(i)
    I = mass(x, i)[:3, :3]
    return np.concatenate([I @ wd + cross(w, I @ w), x.m(i) * a])


def test_newton_euler_6_to_8(arm) -> None:
    total = np.zeros(arm.n)
    for i in range(1, arm.n + 1):
        Omega = np.zeros((6, 6))
        Omega[:3, :3] = skew(arm.motion(i)[0])
        M = mass(arm, i)
        w = M @ twist_rate(arm, i) + Omega @ M @ twist(arm, i)  # (7)
        assert difference(w, wrench(arm, i)) < ROUNDING
        total += arm.jacobian(i).T @ w
    assert difference(total, arm.torques(arm.qd, arm.qdd)) < ROUNDING


def test_twists_9_to_13_are_the_velocities(arm) -> None:
    for i in range(1, arm.n + 1):
        before = twist(arm, i - 1) if i > 1 else np.zeros(6)
        B = to_centre(arm, i, i - 1) if i > 1 else np.eye(6)
        assert difference(B @ before + axis(arm, i) * arm.qd[i - 1], twist(arm, i)) < ROUNDING
    B_31, B_32, B_21 = (to_centre(arm, *ij) for ij in ((3, 1), (3, 2), (2, 1)))
    assert difference(B_32 @ B_21, B_31) < ROUNDING  # (12)
    assert difference(np.linalg.inv(B_31), to_centre(arm, 1, 3)) < ROUNDING
    assert difference(to_centre(arm, 2, 2), np.eye(6)) < ROUNDING


def blocks(x: Posed) -> tuple[np.ndarray, np.ndarray]:
    """N_l and N_d of (15), the latter 6n x n."""
    n = range(1, x.n + 1)
    zero = np.zeros((6, 6))
    N_l = np.block([[to_centre(x, i, j) if j <= i else zero for j in n] for i in n])
    N_d = np.zeros((6 * x.n, x.n))
    for i in n:
        N_d[6 * i - 6 : 6 * i, i - 1] = axis(x, i)
    return N_l, N_d


def test_complement_14_15_maps_rates_to_twists(arm) -> None:
    N_l, N_d = blocks(arm)
    N = N_l @ N_d
    assert difference(N, complement(arm)) < ROUNDING
    twists = np.concatenate([twist(arm, i) for i in range(1, arm.n + 1)])
    assert difference(N @ arm.qd, twists) < ROUNDING
    rates = np.concatenate([twist_rate(arm, i) for i in range(1, arm.n + 1)])
    assert difference(N @ arm.qdd + complement_rate(arm) @ arm.qd, rates) < ROUNDING


def test_equations_of_motion_16_to_18(arm) -> None:
    N = complement(arm)
    forces = np.concatenate([wrench(arm, i) for i in range(1, arm.n + 1)])
    assert difference(N.T @ forces, arm.torques(arm.qd, arm.qdd)) < ROUNDING  # (17)
    assert twist_rate_18().corrected < ROUNDING  # (18)


def test_inertia_matrix_19_to_22_from_composite_masses(arm) -> None:
    N_l, N_d = blocks(arm)
    M = np.zeros((6 * arm.n, 6 * arm.n))
    composite = {}
    for i in range(arm.n, 0, -1):
        M[6 * i - 6 : 6 * i, 6 * i - 6 : 6 * i] = mass(arm, i)
        composite[i] = mass(arm, i)
        if i < arm.n:
            B = to_centre(arm, i + 1, i)
            composite[i] = composite[i] + B.T @ composite[i + 1] @ B  # (21)
    Mt = N_l.T @ M @ N_l  # (19)
    assert difference(N_d.T @ Mt @ N_d, arm.H) < ROUNDING
    for i in range(1, arm.n + 1):
        for j in range(1, i + 1):
            block = Mt[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j]
            B = to_centre(arm, i, j)
            assert np.abs(block - composite[i] @ B).max() < ROUNDING * abs(Mt).max()  # (20)
            element = axis(arm, i) @ composite[i] @ B @ axis(arm, j)  # (22)
            assert abs(element - arm.H[i - 1, j - 1]) < ROUNDING * abs(arm.H).max()


def elementary(alpha: np.ndarray, k: int) -> np.ndarray:
    """E_k of (23), columns counted from 1."""
    made = np.eye(len(alpha))
    made[: k - 1, k - 1] -= alpha[: k - 1, k - 1]
    return made


def test_elementary_matrices_23_to_31_eliminate(arm) -> None:
    n = arm.n
    U = upper_factor(arm)
    E = {k: elementary(U - np.eye(n), k) for k in range(2, n + 1)}
    L = arm.H
    for k in range(n, 1, -1):
        L = E[k] @ L  # (26)
        assert np.abs(L[: k - 1, k - 1]).max() < ROUNDING * abs(arm.H).max()
    assert np.abs(np.triu(L, 1)).max() < ROUNDING * abs(arm.H).max()
    product = np.eye(n)
    for k in range(n, 1, -1):
        assert difference(np.linalg.inv(E[k]), 2 * np.eye(n) - E[k]) < ROUNDING  # (28)
        product = product @ np.linalg.inv(E[k])
    assert difference(product, U) < ROUNDING  # (29), (30)
    assert difference(product @ L, arm.H) < ROUNDING  # (27)
    assert difference(np.diag(np.diag(L)) @ U.T, L) < ROUNDING  # (31)
    alpha = U - np.eye(n)
    k = 4  # (37)
    other = np.eye(n)
    other[:, k - 2] -= alpha[:, k - 2]
    other[:, k - 1] -= alpha[:, k - 1] - alpha[k - 2, k - 1] * alpha[:, k - 2]
    assert difference(E[k - 1] @ E[k], other) < ROUNDING


def test_elimination_from_the_last_column_is_choleskys(arm) -> None:
    """From the last column on it is Cholesky's of the matrix in reverse order."""
    lower = np.linalg.cholesky(arm.H[::-1, ::-1])[::-1, ::-1]
    assert difference(lower / np.diag(lower), upper_factor(arm)) < ROUNDING


def test_pivots_are_what_a_joint_feels_with_later_joints_free(arm) -> None:
    _, mh, _ = articulated(arm)
    for i in range(1, arm.n + 1):
        freed = np.linalg.inv(arm.H[i - 1 :, i - 1 :])
        assert mh[i] == pytest.approx(1 / freed[0, 0], rel=ROUNDING)


def test_one_step_of_elimination_49_to_51(arm) -> None:
    Mh, _, Psi = articulated(arm)
    n = arm.n
    left = elementary(upper_factor(arm) - np.eye(n), n) @ arm.H  # (51)
    partly = {n: Psi[n] @ Mh[n]}
    for i in range(n - 1, 0, -1):
        B = to_centre(arm, i + 1, i)
        partly[i] = mass(arm, i) + B.T @ partly[i + 1] @ B
        for j in range(1, i + 1):
            element = axis(arm, i) @ partly[i] @ to_centre(arm, i, j) @ axis(arm, j)  # (50)
            assert abs(element - left[i - 1, j - 1]) < ROUNDING * abs(arm.H).max()
    assert np.abs(left[: n - 1, n - 1]).max() < ROUNDING * abs(arm.H).max()  # (49)
