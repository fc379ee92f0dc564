"""Every line of the page of derivations that has a number, evaluated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import pytest

import armdyn
from armdyn.minimal.check import rank, structural_regressor
from armdyn.minimal.closed_form import closed_form
from armdyn.robot.chain import chain_of
from armdyn_papers.errata.arm import Array, Posed, Z, cross, difference, posed, skew
from armdyn_papers.errata.minimal_sets import (
    NOWHERE,
    QUARTER,
    delta_5,
    moving,
    parallel,
    special_arms,
    theorem_5,
)

KINDS = ["RRRR", "RPRP", "PRPR", "PPRR", "RRPR"]


@dataclass
class Body:
    """Composite body j about the origin of the base, in E_0, and what joint j gives it."""

    m: float
    P: Array
    J: Array
    w: Array
    v: Array

    @property
    def primed(self) -> Array:
        """J' = J - tr[J]/2 E."""
        return self.J - 0.5 * np.trace(self.J) * np.eye(3)

    @property
    def f(self) -> Array:
        """The force of [1]."""
        return self.m * self.v + cross(self.w, self.P)

    @property
    def e(self) -> Array:
        """The moment of [1]."""
        return self.J @ self.w + cross(self.P, self.v)

    def A(self, w: Array) -> Array:
        """A_j w of [5]."""
        return self.primed @ cross(w, self.w) + cross(self.v, cross(w, self.P))

    def d(self, axis: Body) -> Array:
        """d_mj of [5]."""
        return self.A(axis.w) + cross(self.f, axis.v)


def body(x: Posed, j: int) -> Body:
    R, at, u = x.T[j][:3, :3], x.T[j][:3, 3], x.T[j][:3, 2]
    m, c, J = x.composite(j)
    c, J = R @ c, R @ J @ R.T
    moved = J - skew(at) @ skew(c) - skew(c) @ skew(at) - m * skew(at) @ skew(at)
    w = u if x.rotational[j] else 0.0 * u
    return Body(m, c + m * at, moved, w, -cross(u, at) if x.rotational[j] else u)


def bodies(x: Posed) -> dict[int, Body]:
    return {j: body(x, j) for j in range(1, x.n + 1)}


def test_every_numbered_line_has_a_test() -> None:
    text = files("armdyn_papers").joinpath("derivations.md").read_text("utf-8")
    numbers = [int(x) for x in re.findall(r"\\text\{\[(\d+)\]\}", text)]
    tested = {
        int(k)
        for name in globals()
        if name.startswith("test_line")
        for k in re.findall(r"_(\d+)", name)
    }
    assert numbers == sorted(tested) == list(range(1, 14))


@pytest.mark.parametrize("kinds", KINDS)
def test_line_1_gives_the_inertia_matrix(kinds: str) -> None:
    x = posed(kinds)
    B = bodies(x)
    H = [[B[m].w @ B[j].e + B[m].v @ B[j].f for j in B if j >= m] for m in B]
    for m, row in enumerate(H):
        assert difference(row, x.H[m, m:]) < 1e-12


@pytest.mark.parametrize("kinds", KINDS)
def test_lines_2_4_collapse_the_products_of_two_rates(kinds: str) -> None:
    B = bodies(posed(kinds))
    for j, b in B.items():
        for k in range(1, j):
            w, v = B[k].w, B[k].v
            turn, shift = cross(w, b.w), cross(w, b.v) + cross(v, b.w)
            F = b.m * shift + cross(turn, b.P) + cross(w, b.f)
            F = F + cross(b.w, b.m * v + cross(w, b.P))
            T = b.J @ turn + cross(b.P, shift) + cross(w, b.e) + cross(v, b.f)
            T = T + cross(b.w, b.J @ w + cross(b.P, v)) + cross(b.v, b.m * v + cross(w, b.P))
            scale = max(1.0, float(np.abs(b.J).max()))
            assert np.abs(F - 2 * cross(w, b.f)).max() < 1e-13 * scale
            short = 2 * (cross(b.w, b.primed @ w) + cross(b.P, cross(w, b.v)))
            assert np.abs(T - short).max() < 1e-13 * scale


def test_line_3_holds_for_symmetric_matrices() -> None:
    rng = np.random.default_rng(3)
    a, b, J = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(3, 3))

    def left(J: Array) -> Array:
        return cross(J @ a, b) + cross(a, J @ b) + J @ cross(a, b)

    symmetric = J + J.T
    assert np.allclose(left(symmetric), np.trace(symmetric) * cross(a, b), rtol=0, atol=1e-13)
    assert np.abs(left(J) - np.trace(J) * cross(a, b)).max() > 0.1


@pytest.mark.parametrize("kinds", KINDS)
def test_line_5_gives_christoffel_symbols(kinds: str) -> None:
    x = posed(kinds)
    step = 1e-5
    slope = np.array([(x.at(x.q + s).H - x.at(x.q - s).H) / (2 * step) for s in step * np.eye(x.n)])
    B = bodies(x)
    for j in B:
        for m in range(1, j + 1):
            for k in range(1, j + 1):
                D = slope[j - 1, m - 1, k - 1] + slope[k - 1, m - 1, j - 1]
                D = 0.5 * (D - slope[m - 1, k - 1, j - 1])
                assert abs(B[k].w @ B[j].d(B[m]) - D) < 1e-6 * np.abs(slope).max()
        assert np.abs(B[j].d(B[j])).max() < 1e-12 * np.abs(slope).max()


@pytest.mark.parametrize("kinds", KINDS)
def test_lines_6_7_8_are_the_matrix_and_its_lack_of_symmetry(kinds: str) -> None:
    x = posed(kinds)
    for j, b in bodies(x).items():
        R = x.T[j][:3, :3]
        Px, Py, Pz = R.T @ b.P
        Q = -R.T @ b.primed @ R
        sx, sy, _ = R.T @ x.T[j][:3, 3]
        if x.rotational[j]:
            A = np.array([
                [Q[0, 1] - Py * sx, Px * sx - Q[0, 0], 0.0],
                [Q[1, 1] - Py * sy, Px * sy - Q[0, 1], 0.0],
                [Q[1, 2] - Pz * sy, Pz * sx - Q[0, 2], 0.0],
            ])  # fmt: skip
            A[2, 2] = A[0, 0] + A[1, 1]
        else:
            A = np.array([[Pz, 0.0, -Px], [0.0, Pz, -Py], [0.0, 0.0, 0.0]])
        columns = np.array([R.T @ b.A(R @ e) for e in np.eye(3)]).T
        assert difference(A, columns) < 1e-12
        axial = [A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]
        assert difference(axial, R.T @ b.e) < 1e-12


@pytest.mark.parametrize("kinds", KINDS)
def test_line_9_is_the_bias(kinds: str) -> None:
    x = posed(kinds, gravity=NOWHERE)
    B, n = bodies(x), x.n
    omega = [np.zeros(3)]
    for j in B:
        omega.append(omega[-1] + x.qd[j - 1] * B[j].w)
    both = {j: x.qd[j - 1] * (omega[j - 1] + omega[j]) for j in B}
    b = [
        sum(B[j].d(B[m]) @ both[j] for j in range(m + 1, n + 1))
        - sum(B[m].d(B[j]) @ both[j] for j in range(1, m))
        for m in B
    ]
    assert difference(b, x.torques(x.qd)) < 1e-12


def test_line_10_makes_the_set_as_large_as_the_rank() -> None:
    arms = special_arms()
    assert all(theorem_5(x, printed=False) == moving(x) for x in arms)
    deltas = [
        delta_5(x, j, printed=False) for x in arms for j in range(1, x.n + 1) if x.rotational[j]
    ]
    assert 5 < deltas.count(False) < len(deltas) - 5


def test_line_11_spans_the_plane_across_axis_r() -> None:
    rng = np.random.default_rng(11)
    for _ in range(5):
        k, u = rng.normal(size=(2, 3))
        u /= np.linalg.norm(u)
        one, two = cross(Z, u), Z - u[2] * u
        kappa_1 = -u[1] * k[0] + u[0] * k[1]
        kappa_2 = -u[2] * (u[0] * k[0] + u[1] * k[1]) + (1 - u[2] ** 2) * k[2]
        assert abs(kappa_1 - k @ one) < 1e-14 and abs(kappa_2 - k @ two) < 1e-14
        assert max(abs(one @ two), abs(one @ u), abs(two @ u)) < 1e-14
        sine = np.sqrt(1 - u[2] ** 2)
        assert abs(np.linalg.norm(one) - sine) + abs(np.linalg.norm(two) - sine) < 1e-14


def test_lines_12_13_take_moments_about_the_common_point() -> None:
    rows = [(0.0, 0.0, 0.0, 0.0), (QUARTER, 0.0, 0.0, 0.0), (QUARTER, 0.0, 0.4, 0.0)]
    x = posed("RRR", rows, gravity=NOWHERE)
    m, c, J = x.composite(3)
    D = 0.4
    shift = np.array([
        [2 * c[2] + m * D, 0.0, -c[0]], [0.0, 2 * c[2] + m * D, -c[1]], [-c[0], -c[1], 0.0],
    ])  # fmt: skip
    at = D * Z
    about = J - skew(at) @ skew(c) - skew(c) @ skew(at) - m * skew(at) @ skew(at)
    assert difference(J + D * shift, about) < 1e-12
    assert not parallel(x, 1, 2) and moving(x) == 1 + 5 + 5
    names = [term.name for term in closed_form(x.chain).terms]
    assert len(names) == 11 and not [name for name in names if name.startswith("k")]


def test_the_puma_has_34_combinations_without_gravity() -> None:
    robot = armdyn.load("puma560").robot
    still = armdyn.Robot(robot.joints, gravity=NOWHERE)
    assert rank(structural_regressor(chain_of(still))) == 34
    assert len(closed_form(chain_of(still)).terms) == 34
