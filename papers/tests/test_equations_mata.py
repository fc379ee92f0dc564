"""Equations of [Mata2002] that no algorithm spells out, on random arms of revolute joints."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn_papers.errata.arm import Posed, cross, difference, posed, skew

ROUNDING = 1e-11


@pytest.fixture(scope="module")
def arm() -> Posed:
    return posed("RRRR", gravity=(0.0, 0.0, 0.0))


def of_points(x: Posed, qdd: np.ndarray) -> float:
    """(1): half the sum of m a², every link as six points of the same moments."""
    x = x.at(x.q)
    x.qdd = qdd
    total = 0.0
    for i in range(1, x.n + 1):
        w, wd, centre = x.motion(i)
        R, m = x.T[i][:3, :3], x.m(i)
        spread, directions = np.linalg.eigh(0.5 * np.trace(x.inertia(i)) * np.eye(3) - x.inertia(i))
        for size, v in zip(spread, directions.T, strict=True):
            for sign in (1.0, -1.0):
                r = R @ v * sign * np.sqrt(3 * size / m)
                a = centre + cross(wd, r) + cross(w, cross(w, r))
                total += 0.5 * m / 6 * a @ a
    return total


def of_links(x: Posed, qdd: np.ndarray) -> float:
    """(3), (4): by link, without what does not depend on accelerations."""
    x = x.at(x.q)
    x.qdd = qdd
    total = 0.0
    for i in range(1, x.n + 1):
        w, wd, a = (x.T[i][:3, :3].T @ v for v in x.motion(i))
        I = x.inertia(i)
        total += 0.5 * x.m(i) * a @ a + 0.5 * wd @ I @ wd + wd @ cross(w, I @ w)
    return total


def slopes(G, x: Posed) -> np.ndarray:
    """(5): derivatives by the accelerations; central differences of a quadratic are exact."""
    steps = np.eye(x.n)
    return np.array([(G(x, x.qdd + e) - G(x, x.qdd - e)) / 2 for e in steps])


def test_gibbs_function_1_to_6(arm) -> None:
    expected = arm.torques(arm.qd, arm.qdd)
    assert difference(slopes(of_points, arm), expected) < ROUNDING
    assert difference(slopes(of_links, arm), expected) < ROUNDING


def test_moment_10_11_is_eulers(arm) -> None:
    for i in range(1, arm.n + 1):
        w, wd, _ = (arm.T[i][:3, :3].T @ v for v in arm.motion(i))
        I = arm.inertia(i)
        J = 0.5 * np.trace(I) * np.eye(3) - I  # (11)
        product = (skew(wd) + skew(w) @ skew(w)) @ J
        assert difference(product - product.T, skew(I @ wd + cross(w, I @ w))) < ROUNDING  # (10)


def test_sum_over_later_links_13(arm) -> None:
    expected = arm.torques(arm.qd, arm.qdd)
    for j in range(1, arm.n + 1):
        total = 0.0
        for i in range(j, arm.n + 1):
            R = arm.T[i][:3, :3]
            w, wd, a = (R.T @ v for v in arm.motion(i))
            f, t = arm.m(i) * a, arm.inertia(i) @ wd + cross(w, arm.inertia(i) @ w)
            total += arm.u(j, i) @ (cross(arm.s(j, i, i) + arm.c(i), f) + t)
        assert total == pytest.approx(expected[j - 1], rel=ROUNDING, abs=ROUNDING)


def test_hessian_of_the_gibbs_function_19_21(arm) -> None:
    n, e = arm.n, np.eye(arm.n)
    G = of_links

    def second(a, b) -> float:
        q = arm.qdd
        return (G(arm, q + a + b) - G(arm, q + a - b) - G(arm, q - a + b) + G(arm, q - a - b)) / 4

    hessian = np.array([[second(e[j], e[k]) for k in range(n)] for j in range(n)])
    assert difference(hessian, arm.H) < 1e-9  # (19); differences of large numbers
    total = np.zeros((n, n))
    for i in range(1, n + 1):  # (21)
        J, R = arm.jacobian(i), arm.T[i][:3, :3]
        total += arm.m(i) * J[3:].T @ J[3:] + J[:3].T @ R @ arm.inertia(i) @ R.T @ J[:3]
    assert difference(hessian, total) < 1e-9


def test_steps_of_section_4_2_sum_to_table_2() -> None:
    for n in range(2, 13):
        pairs, inner = n * (n - 1) // 2, (n - 1) * (n - 2) // 2
        M = 8 * pairs + 8 * inner + 8 * (n - 1) + 31 * (n - 2) + 13 + 7 * pairs
        A = 4 * pairs + 3 * inner + 4 * inner + 7 * (n - 1) + 40 * (n - 2) + 11 + 6 * pairs
        assert M == 11.5 * n * n + 19.5 * n - 49
        assert A == 8.5 * n * n + 31.5 * n - 69
