"""Errata of [Mata2002], and the checks that decide them: torques, inertia matrix, counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armdyn_papers.errata.arm import Array, Posed, cross, difference, posed, skew
from armdyn_papers.errata.erratum import Erratum, Evidence
from armdyn_papers.measure import measure
from armdyn_papers.studies.puma_runs import DISTANCE, DURATION, SPEED
from armdyn_papers.tables.mata_2002 import TABLE_3

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


def rotation_of_step_3() -> Evidence:
    """Compare the axis of joint 2 in E_4 from that in E_3 by the rotations of joints 2 and 4."""
    x, i, j = _arm(), 2, 4
    before, expected = x.u(i, j - 1), x.u(i, j)
    return Evidence(
        "the axis of joint 2 in E_4",
        difference(x.R(i, i - 1) @ before, expected),
        difference(x.R(j, j - 1) @ before, expected),
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


ERRATA = (
    Erratum(
        "(2)", "½ ω̇ᵀ I ω; ω̇ᵀ {ω [I ω]}", "½ ω̇ᵀ I ω̇; ω̇ᵀ {ω × [I ω]}, as (3)", "copy",
        gibbs_2,
        quote=(
            r"{}^{0}\mathbf{R}_{i}{}^{i}\boldsymbol{\omega}_{i} \left[ {}^{0}\mathbf{R}_{i}{}^{i"
            r"}\mathbf{I}_{i}"
        ),
    ),
    Erratum(
        "(6)", "∂r/∂q̈, ∂ω/∂q̈ and I ω", "∂r̈/∂q̈, ∂ω̇/∂q̈ and I ω̇", "copy", derivative_6,
        quote=(
            r"\left( \frac{\partial^{i} \vec{r}_{i}}{\partial \ddot{q}_{j}} \right)^{\mathrm{T}}"
            r" i \vec{r}_{i}"
        ),
    ),
    Erratum("(7a)", "∂σ_i/∂q̈", "∂ω̇_i/∂q̈_j, i < j", "copy", "no σ is defined",
        quote=(
            r"\frac{\partial^i \vec{\boldsymbol{\sigma}}_i}{\partial \ddot{\boldsymbol{q}}_i} = "
            r"\mathbf{0}"
        ),
    ),
    Erratum(
        "(7b)", "... R from E_j to E_{j-1}, ∂/∂q̈_i", "... R from E_j to E_{j+1}, ∂/∂q̈_j", "copy",
        "the product leads from E_j to E_i",
        quote=(
            r"\cdots {}^{j-1}\mathbf{R}_{j} \frac{\partial^{j} \vec{\boldsymbol{\omega}}_{j}}{\p"
            r"artial \ddot{\boldsymbol{q}}_{i}}"
        ),
    ),
    Erratum(
        "(7d)", "(∂ω̇/∂q̈) r̃", "-r̃ (∂ω̇/∂q̈)", "paper or copy",
        "a column cannot stand before a matrix; as rows, before (13), it is right",
        quote=(
            r"\left(\frac{\partial^{i} \vec{\omega}_{i}}{\partial \ddot{q}_{k}}\right)^{i} \tild"
            r"e{r}_{k,i}"
        ),
    ),
    Erratum(
        "(7e)", "joint i slides: ∂ω̇ × r + z_i", "joint k slides: z_k alone, for every link i >= k",
        "paper", slide_7e,
        quote=r"in case joint i is prismatic, the last expression contains an additional term",
    ),
    Erratum("(9)", "m (r̈ + g)", "m (r̈ - g), g the acceleration of gravity", "paper or copy",
            gravity_9,
        quote=r"m_{i} \left({}^{i}\vec{r}_{i} + {}^{i}\vec{g} \right)",
    ),
    Erratum("(12)", "Ω = ω̃ + ω̃²", "Ω = ω̇̃ + ω̃²", "copy", omega_12,
        quote=(
            r"{}^{i}\Omega_{i} = {}^{i}\tilde{\boldsymbol{\omega}}_{i} + {}^{i}\tilde{\omega}_{i"
            r"}^{2}"
        ),
    ),
    Erratum("(14)", "∂ω̇_j/∂q̇_j", "∂ω̇_j/∂q̈_j", "copy", "(13) has it so",
        quote=r"\frac{\partial^j \dot{\vec{\omega}}_j}{\partial \dot{q}_j}",
    ),
    Erratum(
        "section 4.1, step 1", "base accelerated by -g z_0", "by +g z_0 for z_0 upwards",
        "paper or copy", base_acceleration,
        quote=r"{}^{0}\vec{\mathbf{z}}_{0} = -g^{0}\vec{\mathbf{z}}_{0} \quad (g = \text{gravity})",
    ),
    Erratum(
        "section 4.1, step 1", "z for s̈, ω for ω̇; no ω_0, ω̇_0", "s̈ and ω̇; both start from 0",
        "copy", "the symbols are those of the lines around them",
        quote=r"{}^{i}\vec{\mathbf{z}}_{i} = {}^{i}\mathbf{R}_{i-1}[{}^{i-1}\vec{\mathbf{z}}_{i-1}",
    ),
    Erratum(
        "section 4.1, step 3", "loops over i, formulas in j; no initial values",
        "one index; φ_n = 0, χ_{n+1} = 0", "paper", "there is no link n + 1",
        quote=r"For $i = n, n - 1, ..., 1$, do $${}^{j}\vec{\chi}_{j}",
    ),
    Erratum(
        "(17), the text after it", "the bias is C + G", "C - G, by the signs of (17)",
        "paper or copy", bias_17,
        quote=r"and the bias vector ($\vec{C} + \vec{G}$)",
    ),
    Erratum(
        "(20), first line", "∂ω̇_i/∂q̈_k = z_i", "z_k in E_i; still constant", "paper or copy",
        axis_20,
        quote=r"\frac{\partial}{\partial \ddot{\boldsymbol{q}}_i} \vec{z}_i = 0",
    ),
    Erratum("(22)", "m s̃_ki s̃_ji", "m s̃_ki r̃_ji, revolute joints", "paper or copy",
            element_22,
        quote=r"m_{i}^{i} \tilde{s}_{k,i}^{i} \tilde{s}_{j,i}",
    ),
    Erratum(
        "section 4.2, step 1", "defines H up to link n - 1", "H_n and γ_n = m_n r_n as well",
        "paper", "steps 4 and 5 start from link n",
        quote=r"For $i = n$ to 2, do:",
    ),
    Erratum(
        "section 4.2, step 3", "∂ω_j/∂q̈_i = R_{i-1} (∂ω_{j-1}/∂q̈_i), R from E_{i-1} to E_i",
        "R from E_{j-1} to E_j", "paper or copy", rotation_of_step_3,
        quote=r"{}^{i}\mathbf{R}_{i-1}(\partial^{j-1}\vec{\omega}_{j-1}/\partial\ddot{q}_{i})",
    ),
    Erratum(
        "section 4.2, step 5", "s̃ φ, a vector", "s̃ φ̃, a matrix", "copy",
        "it is added to a matrix and transposed",
        quote=r"{}^{i}\tilde{\boldsymbol{s}}_{i,i+1}{}^{i}\vec{\boldsymbol{\phi}}_{i+1}",
    ),
    Erratum(
        "Table 3, Cholesky's additions", "n³/6 + n²/2 + n/3", "(n³ - n)/6", "paper",
        cholesky_additions,
        quote=(
            r"Cholesky dec. $\frac{1}{6}n^3 + \frac{1}{2}n^2 + \frac{1}{3}n$ (56) $\frac{1}{6}n^"
            r"3 + \frac{1}{2}n^2 + \frac{1}{3}n$ (56)"
        ),
    ),
    Erratum(
        "Table 3, total", "905A", "890A, with the n of τ - b", "paper", total_additions,
        quote=r"\frac{683}{6}n - 174 \tag{905}",
    ),
    Erratum(
        "example: section 5.1, Fig. 1", "link 2 has 0.00 kg", "10 kg, by equal density", "copy",
        "the table cannot tell: 1, 10 and 100 kg give the same size of differences",
        quote=r"$I_1 = 0.1$ kg and $I_2 = 0.00$ kg",
    ),
    Erratum(
        "Table 5, caption", "joint 1; the rows have q̈_2", "unclear: both joints have nearly equal "
        "differences", "paper", "see `armdyn-papers study ascher`",
        quote=r"Average and maximum differences in the acceleration of joint 1 for three methods",
    ),
    Erratum(
        "example: section 5.2, Fig. 3", "0.1 m/s for 5 s", "0.0657 m/s, or 3.29 s", "paper",
        distance,
        quote=r"constant velocity of 0.1 m/s",
    ),
    Erratum(
        "Table 6", "rows 1 and 6, 2 and 4 coincide in up to nine digits; other ratios of two "
        "entries", "not known", "paper or copy", "see `armdyn-papers study puma`",
        quote=r"$6.91878269 \times 10^{-4}$",
    ),
)  # fmt: skip
