"""Errata of [Lin1994], and the checks that decide them.

Christoffel symbols, parts of moments and minimal sets, as printed and corrected.
"""

from __future__ import annotations

import numpy as np

from armdyn.minimal.check import rank, structural_regressor
from armdyn.minimal.closed_form import closed_form
from armdyn_papers.errata import minimal_sets
from armdyn_papers.errata.arm import Array, Posed, cross, difference, inclined_slides, posed, skew
from armdyn_papers.errata.composites import parts
from armdyn_papers.errata.erratum import Erratum, Evidence

NOWHERE = (0.0, 0.0, 0.0)


def slope(x: Posed, k: int) -> Array:
    """Return the derivative of the inertia matrix by q_k, exactly.

    Its entries are trigonometric polynomials of degree two in an angle and polynomials of degree
    two in a slide, so that some shifted values give the derivative without truncation.
    """

    def shifted(by: float) -> Array:
        q = x.q.copy()
        q[k - 1] += by
        return x.at(q).H

    if not x.rotational[k]:
        return (shifted(1.0) - shifted(-1.0)) / 2.0
    angles = [(2 * a - 1) * np.pi / 4 for a in range(1, 5)]
    weights = [(-1.0) ** a / (8.0 * np.sin(angle / 2) ** 2) for a, angle in enumerate(angles)]
    return sum((w * shifted(a) for w, a in zip(weights, angles, strict=True)), np.zeros_like(x.H))


def christoffel_7() -> Evidence:
    """Compare Coriolis forces with the indices of (7) as printed, and corrected."""
    x = posed("RPRR", gravity=NOWHERE)
    dh = {k: slope(x, k) for k in range(1, x.n + 1)}
    n, qd = range(1, x.n + 1), x.qd

    def forces(printed: bool) -> Array:
        total = np.zeros(x.n)
        for i in n:
            for j in n:
                second = dh[i][j - 1, i - 1] if printed else dh[i][j - 1, j - 1]
                own = dh[j][i - 1, j - 1] - 0.5 * second
                total[i - 1] += own * qd[j - 1] ** 2
                for k in range(j + 1, x.n + 1):
                    mixed = dh[k][i - 1, j - 1] + dh[j][i - 1, k - 1] - dh[i][j - 1, k - 1]
                    total[i - 1] += mixed * qd[j - 1] * qd[k - 1]
        return total

    expected = x.torques(qd)
    return Evidence(
        "Coriolis forces without gravity",
        difference(forces(True), expected),
        difference(forces(False), expected),
    )


def varying_24() -> Evidence:
    """Compare V with a sum where a product with R^T is meant, the constants of [LinFang1999]."""
    x, i = posed("RRR"), 1
    k, U, V = parts(x)
    R, s, l = x.R(i, i + 1), x.s(i, i + 1, i), x.composite(i)[1] - k[i]
    D = U[i + 1].copy()
    D[0, 0], D[1, 1] = D[0, 0] - D[1, 1], 0.0
    rest = -skew(s) @ skew(l) - skew(l) @ skew(s)
    return Evidence(
        "V beside the inertia less its constant part",
        difference(R @ (V[i + 1] + D) + R.T + rest, V[i]),
        difference(R @ (V[i + 1] + D) @ R.T + rest, V[i]),
    )


def element_34() -> Evidence:
    """Compare the element of a slide with the first moment of body m and of body i."""
    x, m, i = posed("RRP"), 1, 3
    mass = x.composite(i)[0]
    u, a = x.u(m, i), cross(x.u(m, i), x.s(m, i, i))

    def element(c: Array) -> float:
        return float(mass * a[2] - u[1] * c[0] + u[0] * c[1])

    expected = x.H[m - 1, i - 1]
    return Evidence(
        "h₁₃ of a slide",
        difference(element(x.composite(m)[1]), expected),
        difference(element(x.composite(i)[1]), expected),
    )


def matrix_48() -> Evidence:
    """Compare the third column that a slide makes, with the entries of (48) in both orders."""
    x, i, k = posed("RP"), 1, 2
    beta, theta, d = x.joint(k).beta, x.theta[k], x.d[k]
    cx, cy, cz = c = x.composite(k)[1]
    shift = skew(np.array([0.0, 0.0, d]))
    R = x.R(i, k)
    expected = (R @ (-shift @ skew(c) - skew(c) @ shift) @ R.T)[:, 2]
    S, C, St, Ct = np.sin(beta), np.cos(beta), np.sin(theta), np.cos(theta)

    def column(second: float, third: float) -> Array:
        D = np.array([
            [2 * S * C * St, 2 * S * C * Ct, 2 * S * S],
            [C * Ct, -C * St, second],
            [(C * C - S * S) * St, (C * C - S * S) * Ct, third],
        ])  # fmt: skip
        order = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
        return d * order @ D @ np.array([-cx, -cy, cz])

    return Evidence(
        "the third column of V by a slide",
        difference(column(2 * C * S, 0.0), expected),
        difference(column(0.0, 2 * C * S), expected),
    )


def inertia_14() -> Evidence:
    """Compare (14) with the inertias of links about their origins and about their centres."""
    x = posed("RPR")

    def D_11(about_origin: bool) -> float:
        total = 0.0
        for j in range(1, x.n + 1):
            R, at = x.R(1, j), x.s(1, j, 1) + x.R(1, j) @ x.c(j)
            own = skew(x.c(j)) @ skew(x.c(j)) * x.m(j) if about_origin else np.zeros((3, 3))
            total += (R @ (x.inertia(j) - own) @ R.T - x.m(j) * skew(at) @ skew(at))[2, 2]
        return total

    return Evidence(
        "h₁₁ from inertias of links",
        difference(D_11(True), x.H[0, 0]),
        difference(D_11(False), x.H[0, 0]),
    )


def property_3() -> Evidence:
    """Compare how much of the first moment of an inclined slide between r and s is seen."""
    x, i = inclined_slides(), 2
    W = structural_regressor(x.chain)
    moments = [10 * (i - 1) + a for a in (1, 2, 3)]
    seen = rank(W) - rank(np.delete(W, moments, axis=1))
    corrected = sum(term.joint == i for term in closed_form(x.chain).terms) - 1  # less its mass
    what = f"components of the first moment of an inclined slide, beside {seen} by rank"
    return Evidence(what, abs(0 - seen), abs(corrected - seen))


_SYMBOL = "the vector without what gravity shows is shorter than w^I"

ERRATA = (
    Erratum(
        "Definition 1", "α_1 ... α_n; “if α_i are all zero”", "one α for each column; “only if”",
        "paper", "n is the number of rows; with all α zero the sum is always zero",
        quote=r"If α_i are all zero, the set is said to be linearly independent",
    ),
    Erratum(
        "(7)", "c_iji = ∂h_ij/∂q_j - ½ ∂h_ji/∂q_i", "c_ijj = ∂h_ij/∂q_j - ½ ∂h_jj/∂q_i", "copy",
        christoffel_7,
        quote=(
            r"c_{iji} = \left( \frac{\partial h_{ij}}{\partial q_j} - \frac{1}{2} \frac{\partial"
            r" h_{ji}}{\partial q_i} \right)"
        ),
    ),
    Erratum("(9)", "w^I on both sides", "a symbol of its own on the right", "paper", _SYMBOL,
        quote=r"\mathbf{w}^I = \begin{bmatrix} \mathbf{w}^I \\ \mathbf{0} \end{bmatrix}",
    ),
    Erratum(
        "(13), (14)", "s without indices; I_j with respect to E_j", "s from O_i to O_j; I_j about "
        "the centre of mass, axes of E_j", "copy", inertia_14,
        quote=r"m_j (i\mathbf{s}^{(i)} + \mathbf{c}_j^{(i)})",
    ),
    Erratum(
        "(21)", "a column with zeros beside s", "m̂ s, the whole vector", "copy",
        "[LinFang1999] (C1) has it",
        quote=r"\hat{m}_{i+1} \begin{matrix} {}^{i+1}\mathbf{s}^{(i)} \\ 0 \\ 0 \end{matrix}",
    ),
    Erratum("(23)", "[s×] (R_b k_z)×]", "[s×] [(R_b k_z)×]", "copy", "a bracket is missing",
        quote=(
            r"[{}^{i+1}\mathbf{s}^{(i)} \times] ({}^{i+1}\mathbf{R}_b (\mathbf{k}_{i+1})_z) \tim"
            r"es]"
        ),
    ),
    Erratum("(24)", "R (V + D) + Rᵀ - ...", "R (V + D) Rᵀ - ...", "copy", varying_24,
        quote=r"\end{bmatrix} \right) \\ &\quad + {}^{i+1}\mathbf{R}^T",
    ),
    Erratum(
        "Theorem 4, the parenthesis of sigma",
        "“if r < i < s ..., u_i is always perpendicular to g only when u_i ∥ g or when u_r ⟂ g and "
        "u_i ∥ u_r; while this can happen for i > s only if u_i ∥ g, u_s ⟂ u_r and "
        "u_i ∥ u_j ∥ u_s”",
        "u_r ∥ g and u_i ⟂ u_r for the first u_i ∥ g, u_r ∥ g for the second; the definition "
        "before it, σ_i = 0 for u_i ⟂ g, is right",
        "paper or copy", minimal_sets.sigma_4,
        quote=(
            r"only when $\mathbf{u}_i \parallel \mathbf{g}$ or when $\mathbf{u}_r \perp \mathbf{"
            r"g}$ and $\mathbf{u}_i \parallel \mathbf{u}_r$"
        ),
    ),
    Erratum("(34)", "first moment of body m", "of body i", "copy", element_34,
        quote=r"\underset{\uparrow (\hat{\mathbf{c}}_m^{(i)})_x}{(\mathbf{u}_m^{(i)})_y}",
    ),
    Erratum(
        "(35)", "a_{i,s} without component; “u_s in E_r varies”", "(a_{i,s})_z; u_r in E_s", "copy",
        "(34) has the component; u_s in E_r does not change with q_s",
        quote=r"(\mathbf{a}_{i,s}^{(i)}) & -(\mathbf{u}_s^{(i)})_y",
    ),
    Erratum(
        "(40)", "i < k < j - 1", "i <= k < j - 1", "paper or copy", "(42) uses it at k = i",
        quote=r"\text{ for } i < k < j - 1",
    ),
    Erratum(
        "(43)", "s* from the s of joint j - 1", "from O_{j-1} to O_j, plus b_k, k = i+1..j-1",
        "copy", "s* does not change with the slides between i and j",
        quote=r"{}^{j-1}\mathbf{s}^{(i)} + \sum_{k=i+1}^{j-1} \mathbf{b}_k^{(i)}",
    ),
    Erratum(
        "(46)", "(V)_33, (V)_23, (V)_33 first; a vector e_j", "(V)_13, (V)_23, (V)_33; R ĉ_j",
        "copy", "it is a third column; e is defined in (41) as another vector",
        quote=(
            r"\begin{bmatrix} (\mathbf{V}_i^{(1)})_{33} \\ (\mathbf{V}_i^{(1)})_{23} \\ (\mathbf"
            r"{V}_i^{(1)})_{33} \end{bmatrix}"
        ),
    ),
    Erratum(
        "(48)", "third column (2S², 2CS, 0)", "(2S², 0, 2CS)", "paper or copy", matrix_48,
        quote=r"C\beta_k^* C\theta_k^* & -C\beta_k^* S\theta_k^* & 2C\beta_k^* S\beta_k^*",
    ),
    Erratum(
        "Property 3", "“However, K_i ĉ_i for r < i < s and u_r ∦ u_i are not components of v”",
        "u_r ∥ u_i", "copy", property_3,
        quote=(
            r"However, $K_i \hat{c}_i^{(i)}$ for $r < i < s$ and $\mathbf{u}_r \not\parallel \ma"
            r"thbf{u}_i$ are not components"
        ),
    ),
    Erratum(
        "Theorem 5, gravity", "“For the manipulator considered in Theorem 4, a set of MLCs for "
        "determining the actuator forces τ is”", "where g is not zero; without gravity, first "
        "moments of a body that turns about a fixed point are not seen", "paper",
        minimal_sets.without_gravity,
        quote=(
            r"For the manipulator considered in Theorem 4, a set of MLCs for determining the act"
            r"uator forces $\boldsymbol{\tau}$ is"
        ),
    ),
    Erratum(
        "Theorem 5, delta", "“δ_j = 0 for the case that u_r ∥ u_j ∥ g, ∀ k <= j < s, and s from "
        "O_m to O_j ... is zero or parallel to u_r for every rotational joint m, r <= m < j”",
        "u_r ∥ u_k ∥ g for every joint k <= j, slides before joint r too; k is in no vector of "
        "the printed condition", "paper or copy", minimal_sets.delta_of_5,
        quote=r"$\mathbf{u}_r \parallel \mathbf{u}_j \parallel \mathbf{g}$, $\forall k \leq j < s$",
    ),
    Erratum("(61)", "w^I on both sides of the partition", "as (9)", "paper", _SYMBOL,
        quote=r"\mathbf{w}^l &= \begin{bmatrix} \mathbf{w}_A",
    ),
    Erratum(
        "(A6), (A9)", "m - k columns; a k × k matrix times x̄", "p - k columns; k × (p - k) times x̂",
        "paper or copy", "x has p elements, of which k are in x̄",
        quote=r"let the other $(m - k)$ columns form",
    ),
    Erratum("(A10)", "w^I in both forms", "as (9)", "paper", _SYMBOL,
        quote=(
            r"\bar{\mathbf{H}}_1 \mathbf{w}^l + (\bar{\mathbf{H}}_1 \mathbf{P}_1 + \bar{\mathbf{"
            r"H}}_2 \mathbf{P}_2)\mathbf{w}^g"
        ),
    ),
)  # fmt: skip
