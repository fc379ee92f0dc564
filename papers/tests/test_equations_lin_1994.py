"""Equations and theorems of [Lin1994], on random arms of mixed joints."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.algorithms.frame import frames
from armdyn.algorithms.lin_1994 import first_moments
from armdyn.algorithms.structure import structure
from armdyn.minimal.check import random_states, rank, stacked_regressor
from armdyn.minimal.closed_form import closed_form
from armdyn_papers.errata import minimal_sets
from armdyn_papers.errata.arm import Array, Posed, cross, difference, inclined_slides, posed, skew
from armdyn_papers.errata.composites import parts
from armdyn_papers.errata.lin_1994 import matrix_48

ROUNDING = 1e-11
NOWHERE = (0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def arm() -> Posed:
    return posed("RPRRPR")


def regressor(x: Posed, at_rest: bool = False) -> Array:
    q, qd, qdd = random_states(x.n, 40)
    rows = stacked_regressor(x.chain, q, *(0.0 * v if at_rest else v for v in (qd, qdd)))
    return rows.reshape(-1, 10 * x.n)


def inertia_regressor(x: Posed) -> Array:
    """Rows of all elements of the inertia matrix: torques of unit accelerations at rest."""
    q, _, _ = random_states(x.n, 40)
    rows = [stacked_regressor(x.chain, q, 0 * q, np.broadcast_to(e, q.shape)) for e in np.eye(x.n)]
    return np.concatenate(rows).reshape(-1, 10 * x.n)


def same_rows(A: Array, B: Array) -> bool:
    """Do two matrices have the same row space?"""
    return rank(A) == rank(B) == rank(np.concatenate([A, B]))


def without_gravity(kinds: str, rows=()) -> Posed:
    return posed(kinds, rows, gravity=NOWHERE)


def test_theorem_1_a_set_has_as_many_elements_as_independent_columns(arm) -> None:
    W, chosen = regressor(arm), closed_form(arm.chain)
    assert rank(W) == len(chosen.terms) == rank(chosen.matrix)
    assert difference(W @ chosen.right_inverse @ chosen.matrix, W) < ROUNDING  # (3)


def test_theorem_2_both_sets_make_the_whole() -> None:
    for kinds in ("RPRRPR", "RRP", "PRR"):
        whole, alone = posed(kinds), without_gravity(kinds)
        W_i, W_g = regressor(alone), regressor(whole, at_rest=True)
        assert same_rows(np.concatenate([W_i, W_g]), regressor(whole))


@pytest.mark.parametrize("kinds", ["RPRRPR", "RRR", "PRP", "RRP"])
def test_theorem_3_the_inertia_matrix_alone(kinds) -> None:
    x = without_gravity(kinds)
    assert same_rows(inertia_regressor(x), regressor(x))


def test_geometry_10_11(arm) -> None:
    for i in range(1, arm.n + 1):
        joint, d, t = arm.joint(i), arm.d[i], arm.theta[i]
        before = np.array([joint.b, -d * np.sin(joint.beta), d * np.cos(joint.beta)])
        assert difference(before, arm.s(i - 1, i, i - 1)) < ROUNDING
        own = np.array([joint.b * np.cos(t), -joint.b * np.sin(t), d])
        assert difference(own, arm.s(i - 1, i, i)) < ROUNDING
        assert difference(arm.R(i - 1, i) @ own, before) < ROUNDING  # (11) maps E_i to E_{i-1}


def test_moments_19_to_29_of_1994_sum_to_the_composites() -> None:
    """The constants of 1994, which hand (U)_33 down through rotational joints, too."""
    for x in (posed("RPRRPR"), posed("RRRRR"), inclined_slides()):
        k, U, l, V = {}, {}, {x.n: np.zeros(3)}, {x.n: np.zeros((3, 3))}
        for i in range(x.n, 0, -1):
            k[i] = x.m(i) * x.c(i)
            U[i] = x.inertia(i) - x.m(i) * skew(x.c(i)) @ skew(x.c(i))
            if i < x.n:
                _step(x, i, k, U, l, V)
            _, c, J = x.composite(i)
            assert difference(k[i] + l[i], c) < ROUNDING  # (19)
            assert difference(U[i] + V[i], J) < ROUNDING  # (20)
        for i, (_, c) in enumerate(first_moments(x.chain, frames(x.chain, list(x.q))), 1):
            assert difference(np.array(c, float), x.composite(i)[1]) < ROUNDING


def test_constants_of_1994_and_1999_differ_by_multiples_of_U_33() -> None:
    """So that one set follows from the other by a constant triangular matrix."""
    x = posed("RPRRPR")
    k, U, l, V = {}, {}, {x.n: np.zeros(3)}, {x.n: np.zeros((3, 3))}
    other_k, other, _ = parts(x)
    more = {x.n: np.zeros((3, 3))}
    for i in range(x.n, 0, -1):
        k[i] = x.m(i) * x.c(i)
        U[i] = x.inertia(i) - x.m(i) * skew(x.c(i)) @ skew(x.c(i))
        if i < x.n:
            _step(x, i, k, U, l, V)
            R, p = x.R(i, i + 1), i + 1
            handed = more[p]
            if x.rotational[p]:
                handed = np.diag([more[p][1, 1], more[p][1, 1], U[p][2, 2]])
            more[i] = R @ handed @ R.T
        assert np.abs(U[i] - other[i] - more[i]).max() < ROUNDING
        assert difference(k[i], other_k[i]) < ROUNDING


def both(a: Array, b: Array) -> Array:
    return skew(a) @ skew(b) + skew(b) @ skew(a)


def _step(x: Posed, i: int, k: dict, U: dict, l: dict, V: dict) -> None:
    p = i + 1
    R, s = x.R(i, p), x.s(i, p, i)
    mass, c, _ = x.composite(p)
    beside, along = np.array([x.joint(p).b, 0, 0]), np.array([0, 0, x.d[p]])  # (28), (29)
    foot = np.array([0, -np.sin(x.joint(p).beta), np.cos(x.joint(p).beta)])  # (27)
    if x.rotational[p]:
        k[i] = k[i] + mass * s + foot * k[p][2]  # (21)
        round_ = np.diag([U[p][1, 1], U[p][1, 1], U[p][2, 2]])
        U[i] = U[i] - mass * skew(s) @ skew(s) + R @ round_ @ R.T  # (23)
        U[i] -= both(s, foot * k[p][2])
        l[i] = R @ np.array([c[0], c[1], l[p][2]])  # (22)
        D = U[p].copy()
        D[0, 0], D[1, 1], D[2, 2] = D[0, 0] - D[1, 1], 0.0, 0.0
        V[i] = R @ (V[p] + D) @ R.T - both(s, l[i])  # (24)
    else:
        turned = R @ k[p]
        k[i] = k[i] + mass * beside + turned
        U[i] = U[i] + R @ U[p] @ R.T - mass * skew(beside) @ skew(beside)  # (25)
        U[i] -= both(beside, turned)
        l[i] = R @ (l[p] + mass * along)
        own = R.T @ beside
        slid = V[p] - mass * skew(along) @ skew(along) - mass * both(along, own)  # (26)
        V[i] = R @ (slid - both(along, c) - both(own, l[p])) @ R.T


def test_first_moments_30_31_follow_from_constants(arm) -> None:
    """The moments that gravity shows are constants plus multiples of later ones: triangular."""
    k = parts(arm)[0]
    wanted = [(i, a) for i in range(1, arm.n + 1) if arm.rotational[i] for a in (0, 1)]
    for i, a in wanted:
        l = arm.composite(i)[1] - k[i]
        rest = np.zeros(3)
        for j in range(arm.n, i, -1):  # from (k_x, k_y) of rotational and masses of sliding joints
            own = np.array([k[j][0], k[j][1], 0.0])
            if not arm.rotational[j]:
                own = np.array([0.0, 0.0, arm.composite(j)[0] * arm.d[j]])
            rest = rest + arm.R(i, j) @ own
        assert l[a] == pytest.approx(rest[a], rel=1e-9, abs=ROUNDING)


def test_property_1_a_row_of_independent_entries() -> None:
    """Columns with entries cos q, sin q, 1 in one row are independent, whatever the others are."""
    rng = np.random.default_rng(0)
    q = rng.uniform(-3, 3, 30)
    first = np.stack([np.cos(q), np.sin(q), np.ones_like(q), np.zeros_like(q)], 1)
    others = rng.normal(size=(4, 4))[None] * np.cos(rng.normal(size=(30, 1, 1)) + q[:, None, None])
    others[:, :, 3] = 0.0
    stacked = np.concatenate([first, others.reshape(-1, 4)])
    assert rank(stacked[:, :3]) == 3


def test_rows_32_to_39_are_renauds_formulation(arm) -> None:
    for i in range(1, arm.n + 1):
        mass, c, J = arm.composite(i)
        for m in range(1, i + 1):
            u, a = arm.u(m, i), cross(arm.u(m, i), arm.s(m, i, i))  # (17)
            if arm.rotational[i]:
                element = (
                    a[1] * c[0] - a[0] * c[1] + u @ J[:, 2]  # (37), (39), (52)
                    if arm.rotational[m]
                    else u[1] * c[0] - u[0] * c[1]  # (38)
                )
            else:
                element = (
                    mass * a[2] - u[1] * c[0] + u[0] * c[1]  # (34), (35)
                    if arm.rotational[m]
                    else mass * u[2]  # (32), (33)
                )
            assert abs(element - arm.H[m - 1, i - 1]) < ROUNDING * abs(arm.H).max()


def test_varying_part_between_rotational_joints_40_to_43() -> None:
    x, i, j = posed("RPPRR"), 1, 4
    k, U, V = parts(x)
    l = {a: x.composite(a)[1] - k[a] for a in k}
    slides = range(i + 1, j)

    def along(a: int) -> Array:
        return np.array([0.0, 0.0, x.d[a]])

    def e(a: int) -> Array:
        """(41): in E_a."""
        return sum((x.composite(m)[0] * x.R(a, m) @ along(m) for m in range(a, j)), np.zeros(3))

    for a in range(i, j - 1):  # (40)
        turned = x.R(a, j - 1) @ l[j - 1] + x.R(a, a + 1) @ e(a + 1)
        assert difference(turned, l[a]) < ROUNDING
    s = x.s(j - 1, j, i) + sum(
        (x.R(i, a - 1) @ np.array([x.joint(a).b, 0, 0]) for a in slides), np.zeros(3)
    )  # (43)
    D = U[j].copy()
    D[0, 0], D[1, 1] = D[0, 0] - D[1, 1], 0.0
    R = x.R(i, j)
    total = R @ (V[j] + D) @ R.T - both(s, x.R(i, j - 1) @ l[j - 1])
    for a in slides:  # (42)
        b = x.R(a, a - 1) @ np.array([x.joint(a).b, 0, 0])
        mass, c, _ = x.composite(a)
        d = along(a)
        inner = mass * skew(d) @ skew(d) + both(b, e(a)) + both(d, c)
        total -= x.R(i, a) @ inner @ x.R(i, a).T
    assert difference(total, V[i]) < ROUNDING


def test_common_normal_44_45() -> None:
    """Any rotation is one about z, one about x and one about z; its third row gives u_i in E_j."""
    x = posed("RPR")
    R = x.R(1, 3)
    beta = np.arccos(R[2, 2])
    phi, theta = np.arctan2(R[0, 2], -R[1, 2]), np.arctan2(R[2, 0], R[2, 1])

    def about_z(a: float) -> Array:
        return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])

    C, S = np.cos(beta), np.sin(beta)
    tilt = np.array([[1, 0, 0], [0, C, -S], [0, S, C]])
    assert difference(about_z(phi) @ tilt @ about_z(theta), R) < ROUNDING  # (44)
    u = np.array([S * np.sin(theta), S * np.cos(theta), C])
    assert difference(u, x.u(1, 3)) < ROUNDING  # (45)
    turned = x.at(x.q + np.array([0, 0, 0.4])).R(1, 3)  # joint 3 turns: beta and phi stay
    assert np.arccos(turned[2, 2]) == pytest.approx(beta)
    assert np.arctan2(turned[0, 2], -turned[1, 2]) == pytest.approx(phi)


def test_third_columns_47_and_48() -> None:
    x = posed("RR")
    beta, theta = x.joint(2).beta, x.theta[2]
    S, C, St, Ct = np.sin(beta), np.cos(beta), np.sin(theta), np.cos(theta)
    diff, u12, u13, u23 = np.random.default_rng(3).normal(size=4)
    D = np.array([[diff, u12, u13], [u12, 0, u23], [u13, u23, 0]])
    column = (x.R(1, 2) @ D @ x.R(1, 2).T)[:, 2]
    cc = C * C - S * S
    B = np.array([
        [S * S * St * St, 2 * S * S * Ct * St, 2 * S * C * St, 2 * S * C * Ct],
        [S * St * Ct, S * (Ct * Ct - St * St), C * Ct, -C * St],
        [C * S * St * St, 2 * S * C * Ct * St, cc * St, cc * Ct],
    ])  # fmt: skip  # (47)
    entry_33, entry_13, entry_23 = B @ [diff, u12, u13, u23]
    assert difference(np.array([entry_13, entry_23, entry_33]), column) < ROUNDING
    parallel = posed("RR", [(0, 0, 0, 0), (0, 0.3, 0.1, 0)])  # (51): only two columns are left
    R = parallel.R(1, 2)
    assert abs((R @ D @ R.T)[2, 2]) < ROUNDING
    assert matrix_48().corrected < ROUNDING


def test_kappas_36_50_53_54() -> None:
    """The combinations of a slide's first moment that torques show, and the one they do not."""
    x = inclined_slides()
    i, u = 2, x.u(1, 2)
    across = np.array([-u[1], u[0], 0.0])  # (36), (53)
    other = np.array([-u[2] * u[0], -u[2] * u[1], 1 - u[2] ** 2])  # (50), (54)
    assert (
        abs(across @ u) < ROUNDING and abs(other @ u) < ROUNDING and abs(across @ other) < ROUNDING
    )
    assert other @ other == pytest.approx(across @ across) == pytest.approx(1 - u[2] ** 2)
    W = regressor(x)
    moments = W[:, 10 * (i - 1) + 1 : 10 * (i - 1) + 4]
    rest = np.delete(W, [10 * (i - 1) + a for a in (1, 2, 3)], axis=1)
    seen = rank(W) - rank(rest)
    assert seen == 2
    along = np.concatenate([rest, (moments @ u)[:, None]], axis=1)
    assert rank(along) == rank(rest)  # the part along u_r belongs to links before
    assert structure(x.chain).s == 5


def test_lemma_A2_a_nonsingular_matrix_keeps_columns_independent() -> None:
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(20, 5)), rng.normal(size=(5, 5))
    assert rank(A @ B) == 5
    B[:, 4] = B[:, 0] + B[:, 1]
    assert rank(A @ B) == 4


def test_properties_2_to_4_are_independent() -> None:
    found = minimal_sets.properties_2_to_4()
    assert found.printed == found.corrected == 0
    rows = [(0.0, 0.0, 0.0, 0.0), *[(0.5 * np.pi, 0.0, 0.0, 0.0)] * 2]
    x = without_gravity("RRR", rows)  # three axes through a point
    v, _ = minimal_sets.components(x)
    assert len(v) == 3 + 4 + 4 == rank(regressor(x))


def test_a_component_too_many_is_not_independent() -> None:
    """The check of Properties 2 to 4 sees first moments that Property 4 leaves out."""
    rows = [(0.0, 0.0, 0.0, 0.0), *[(0.5 * np.pi, 0.0, 0.0, 0.0)] * 2]
    x = without_gravity("RRR", rows)
    v, w_g = minimal_sets.components(x)
    P = np.concatenate([v, w_g])
    columns = minimal_sets.inertia_rows(x) @ np.linalg.pinv(P)
    assert rank(columns[:, : len(v)]) == len(v) < rank(P) == 15 != rank(columns)


def test_definitions_of_theorem_4_are_the_rank_at_rest() -> None:
    arms = minimal_sets.special_arms()
    assert all(minimal_sets.theorem_4(x) == minimal_sets.at_rest(x) for x in arms)
