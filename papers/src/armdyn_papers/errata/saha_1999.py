"""Errata of [Saha1999], and the checks that decide them: factors of the inertia matrix."""

from __future__ import annotations

from functools import cache

import numpy as np

from armdyn_papers.errata.arm import Array, Posed, cross, difference, planar_bars, posed, skew
from armdyn_papers.errata.erratum import Erratum, Evidence
from armdyn_papers.studies.smoothness import smoother_recursions

LENGTHS, MASSES = (0.5, 0.4, 0.3), (1.0, 2.0, 3.0)


def to_centre(x: Posed, i: int, j: int) -> Array:
    """Return B_ij: the twist of link i, at its centre, of a twist of link j."""
    centres = [x.T[k][:3, 3] + x.T[k][:3, :3] @ x.c(k) for k in (i, j)]
    made = np.eye(6)
    made[3:, :3] = skew(centres[1] - centres[0])
    return made


def axis(x: Posed, i: int) -> Array:
    """Return p_i: the twist of link i, at its centre, of a unit rate of joint i."""
    e, d = x.T[i][:3, 2], x.T[i][:3, :3] @ x.c(i)
    turning = x.rotational[i]
    return np.concatenate([e, cross(e, d)] if turning else [np.zeros(3), e])


def mass(x: Posed, i: int) -> Array:
    """Return M_i: the extended mass of link i."""
    made = x.m(i) * np.eye(6)
    made[:3, :3] = x.T[i][:3, :3] @ x.inertia(i) @ x.T[i][:3, :3].T
    return made


@cache
def _arm() -> Posed:
    return posed("RPRRP")


def complement(x: Posed) -> Array:
    """Return N: twists of all links by the rates of the joints."""
    zero = np.zeros(6)
    rows = [
        [to_centre(x, i, j) @ axis(x, j) if j <= i else zero for j in range(1, x.n + 1)]
        for i in range(1, x.n + 1)
    ]
    return np.concatenate([np.array(row).T for row in rows])


def complement_rate(x: Posed) -> Array:
    """Return the time derivative of N: axes turn with their links, centres move apart."""
    moving = [np.zeros(6), *(x.jacobian(i) @ x.qd for i in range(1, x.n + 1))]
    rate = np.zeros((6 * x.n, x.n))
    for i in range(1, x.n + 1):
        for j in range(1, i + 1):
            w, p = moving[j][:3], axis(x, j)
            turned = np.concatenate([cross(w, p[:3]), cross(w, p[3:])])
            parted = np.zeros((6, 6))
            parted[3:, :3] = skew(moving[j][3:] - moving[i][3:])
            rate[6 * i - 6 : 6 * i, j - 1] = parted @ p + to_centre(x, i, j) @ turned
    return rate


def twist_rate_18() -> Evidence:
    """Compare torques from both derivatives of the twist."""
    x = posed("RPRR", gravity=(0.0, 0.0, 0.0))
    N, Nd = complement(x), complement_rate(x)
    blocks = range(1, x.n + 1)
    M = np.zeros((6 * x.n, 6 * x.n))
    W = np.zeros_like(M)
    for i in blocks:
        at = slice(6 * i - 6, 6 * i)
        M[at, at] = mass(x, i)
        W[6 * i - 6 : 6 * i - 3, 6 * i - 6 : 6 * i - 3] = skew(x.motion(i)[0])
    t = N @ x.qd

    def torques(rate: Array) -> float:
        return difference(N.T @ (M @ rate + W @ M @ t), x.torques(x.qd, x.qdd))

    return Evidence(
        "torques from the derivative of the twist",
        torques(N @ x.qd + Nd @ x.q),
        torques(N @ x.qdd + Nd @ x.qd),
    )


def articulated(x: Posed) -> tuple[dict[int, Array], dict[int, float], dict[int, Array]]:
    """Return Mh_i, mh_i and Psi_i, by (34) and (35)."""
    Mh: dict[int, Array] = {}
    mh: dict[int, float] = {}
    Psi: dict[int, Array] = {}
    for i in range(x.n, 0, -1):
        Mh[i] = mass(x, i)
        if i < x.n:
            B = to_centre(x, i + 1, i)
            Mh[i] = Mh[i] + B.T @ Psi[i + 1] @ Mh[i + 1] @ B
        p = axis(x, i)
        mh[i] = float(p @ Mh[i] @ p)
        Psi[i] = np.eye(6) - np.outer(Mh[i] @ p, p) / mh[i]
    return Mh, mh, Psi


def upper_factor(x: Posed) -> Array:
    """Return U of H = U D U^T, by elimination of numbers from the last column."""
    left, U = x.H.copy(), np.eye(x.n)
    for k in range(x.n - 1, 0, -1):
        U[:k, k] = left[:k, k] / left[k, k]
        left[:k, :k] -= np.outer(U[:k, k], left[k, :k])
    return U


def _primed(U: Array, sign: float) -> Array:
    """Return columns alpha'_i = sign (alpha_i - sum of alpha_ki alpha'_k), alpha'_2 = alpha_2."""
    n = len(U)
    alpha = U - np.eye(n)
    primed = np.zeros_like(U)
    primed[:, 1] = alpha[:, 1]
    for i in range(2, n):
        known = sum((alpha[k, i] * primed[:, k] for k in range(1, i)), np.zeros(n))
        primed[:, i] = sign * (alpha[:, i] - known)
    return primed


def sign_38() -> Evidence:
    """Compare U^-1 = 1 + alpha' and 1 - alpha', alpha' by the corrected (39)."""
    U = upper_factor(_arm())
    primed, inverse = _primed(U, 1.0), np.linalg.inv(U)
    one = np.eye(len(U))
    return Evidence(
        "the inverse of U", difference(one + primed, inverse), difference(one - primed, inverse)
    )


def recursion_39() -> Evidence:
    """Compare alpha' with the outer minus and without it, U^-1 = 1 - alpha'."""
    U = upper_factor(_arm())
    one, inverse = np.eye(len(U)), np.linalg.inv(U)
    return Evidence(
        "the inverse of U",
        difference(one - _primed(U, -1.0), inverse),
        difference(one - _primed(U, 1.0), inverse),
    )


def closed_form_41() -> Evidence:
    """Compare alpha'_24 with the indices of B as printed, and interchanged."""
    x, i, j = _arm(), 2, 4
    Mh, mh, Psi = articulated(x)
    expected = -np.linalg.inv(upper_factor(x))[i - 1, j - 1]

    def primed(B: Array) -> float:
        return float(axis(x, i) @ B.T @ Mh[j] @ axis(x, j)) / mh[j]

    through = to_centre(x, j, j - 1)
    for k in range(j - 1, i, -1):
        through = through @ Psi[k].T @ to_centre(x, k, k - 1)
    return Evidence(
        "α'₂₄ beside the inverse of U",
        difference(primed(to_centre(x, i, i - 1)), expected),
        difference(primed(through), expected),
    )


@cache
def _planar() -> Posed:
    return planar_bars(LENGTHS, MASSES)


def _vectors(wrong_23: bool = False) -> dict[str, Array]:
    """Return d_i and rho_ij of the planar arm."""
    t1, t12, t13 = np.cumsum(_planar().q)
    t23 = _planar().q[1] + _planar().q[2]
    l1, l2, l3 = LENGTHS

    def along(angle: float, length: float) -> Array:
        return length * np.array([np.cos(angle), np.sin(angle)])

    first = along(t12, l2)
    if wrong_23:
        first = np.array([l2 * np.cos(t23), l2 * np.sin(t12)])
    return {
        "d2": along(t12, l2 / 2), "d3": along(t13, l3 / 2),
        "12": along(t1, l1) + along(t12, l2 / 2), "23": first + along(t13, l3 / 2),
        "13": along(t1, l1) + along(t12, l2) + along(t13, l3 / 2),
    }  # fmt: skip


def rho_23() -> Evidence:
    """Compare i_32 = I_3 + m_3 d_3 . rho_23 with both angles."""
    m3, l3 = MASSES[2], LENGTHS[2]

    def i_32(wrong: bool) -> float:
        v = _vectors(wrong)
        return float(m3 * l3 * l3 / 12 + m3 * v["d3"] @ v["23"])

    expected = _planar().H[2, 1]
    return Evidence(
        "i₃₂ of the planar arm", difference(i_32(True), expected), difference(i_32(False), expected)
    )


def alpha_12() -> Evidence:
    """Compare alpha_12 with l_2 and with I_2 in its bracket."""
    v, (_, m2, m3), (_, l2, l3) = _vectors(), MASSES, LENGTHS
    I2, I3 = m2 * l2 * l2 / 12, m3 * l3 * l3 / 12
    mh3 = I3 + m3 * v["d3"] @ v["d3"]
    i31, i32 = I3 + m3 * v["d3"] @ v["13"], I3 + m3 * v["d3"] @ v["23"]
    mh2 = I2 + m2 * v["d2"] @ v["d2"] + I3 + m3 * v["23"] @ v["23"] - i32**2 / mh3
    rest = m2 * v["d2"] @ v["12"] + I3 + m3 * v["13"] @ v["23"] - i31 * i32 / mh3
    expected = upper_factor(_planar())[0, 1]
    return Evidence(
        "α₁₂ of the planar arm",
        difference(float(l2 + rest) / mh2, expected),
        difference(float(I2 + rest) / mh2, expected),
    )


def _planar_factors() -> tuple[Array, Array]:
    """Return U and the diagonal of D of the planar arm."""
    U = upper_factor(_planar())
    inverse = np.linalg.inv(U)
    return U, np.diag(inverse @ _planar().H @ inverse.T)


def sign_47() -> Evidence:
    """Compare the inverse of U of the planar arm with both signs."""
    U, _ = _planar_factors()
    inverse = np.linalg.inv(U)
    primed = np.zeros((3, 3))
    primed[0, 1], primed[1, 2] = U[0, 1], U[1, 2]
    primed[0, 2] = U[0, 2] - U[0, 1] * U[1, 2]
    return Evidence(
        "U⁻¹ of the planar arm",
        difference(np.eye(3) + primed, inverse),
        difference(np.eye(3) - primed, inverse),
    )


def alpha_13() -> Evidence:
    """Compare alpha'_13 without the last factor of its bracket and with it."""
    U, D = _planar_factors()
    H = _planar().H
    braces = H[1, 0] - H[2, 0] * H[2, 1] / D[2]
    expected = -np.linalg.inv(U)[0, 2]
    return Evidence(
        "α'₁₃ of the planar arm",
        difference((H[2, 0] - braces / D[1]) / D[2], expected),
        difference((H[2, 0] - braces / D[1] * H[2, 1]) / D[2], expected),
    )


def squares_48() -> Evidence:
    """Compare the inverse with alpha' and with their squares on the diagonal."""
    U, D = _planar_factors()
    a = -np.linalg.inv(U)
    expected = np.linalg.inv(_planar().H)
    both = [
        np.array(
            [a[0, 1] ** k / D[0] + 1 / D[1], a[0, 2] ** k / D[0] + a[1, 2] ** k / D[1] + 1 / D[2]]
        )
        for k in (1, 2)
    ]
    diagonal = np.array([expected[1, 1], expected[2, 2]])
    return Evidence(
        "the diagonal of the inverse, planar arm",
        difference(both[0], diagonal),
        difference(both[1], diagonal),
    )


ERRATA = (
    Erratum(
        "(1), the text before it", "t_i and n_i are twist and wrench", "t_i and w_i",
        "paper or copy", "(1) itself names them so",
        quote=r"\mathbf{t}_i and \mathbf{n}_i : the 6-dimensional vector of *twist* and *wrench*",
    ),
    Erratum(
        "(14), (15)", "N_I; N_d is 6n × 6n", "N_l; N_d is 6n × n", "paper or copy",
        "it has one column p_i for each joint",
        quote=r"matrix, N_I , and the $6n \times 6n$ matrix, N_d",
    ),
    Erratum(
        "(18), the text before it", "ṫ = N θ̇ + Ṅ θ", "ṫ = N θ̈ + Ṅ θ̇", "copy",
        twist_rate_18,
        quote=r"\dot{t} = N \dot{\theta} + \dot{N} \theta",
    ),
    Erratum(
        "(35), the text after it", "M̂_i holds the parameters of the rigid body, M̂_i those of "
        "the articulated one", "the first is M̃_i, (21)", "copy", "they are compared by (21), (35)",
        quote=(
            r"$\hat{\mathbf{M}}_i$ contains the inertial parameters of the *rigid* composite bod"
            r"y i , $\hat{\mathbf{M}}_i$"
        ),
    ),
    Erratum("(36)", "U⁻¹ = E_2, ..., E_n", "the product E_2 ... E_n", "copy", "as (38) has it",
        quote=r"\mathbf{U}^{-1} \equiv \mathbf{E}_2, \dots, \mathbf{E}_n",
    ),
    Erratum(
        "(38), (40)", "U⁻¹ = 1 + Σ α' λᵀ, entries +α'_ij", "U⁻¹ = 1 - Σ α' λᵀ, entries -α'_ij",
        "paper", sign_38,
        quote=r"1 + \alpha'_2 \lambda_2^T + \alpha'_3 \lambda_3^T",
    ),
    Erratum(
        "(39)", "α'_i = -(α_i - Σ α_ki α'_k)", "α'_i = α_i - Σ α_ki α'_k, with α'_2 = α_2",
        "paper", recursion_39,
        quote=r"\alpha'_i \equiv -(\alpha_i - \alpha_{i-1,i} \alpha'_{i-1}",
    ),
    Erratum("(40)", "m̄_i on the diagonal of D⁻¹", "m̂_i", "copy", "D has m̂_i, (33)",
        quote=r"\frac{1}{\bar{m}_1}",
    ),
    Erratum(
        "(41)", "j = 1..i; B̂_ji from B_{i,i-1} and k = i-1..j+1",
        "i < j; B̂_ji from B_{j,j-1} and k = j-1..i+1", "paper or copy", closed_form_41,
        quote=r"B_{i,i-1} \prod_{k=i-1}^{j+1} \Psi_k^T B_{k,k-1}",
    ),
    Erratum(
        "(44), ρ_23 after it", "l_2 cos θ_23 in its first component", "l_2 cos θ_12",
        "paper or copy", rho_23,
        quote=r"\rho_{23} &= (l_2 C\theta_{23} + \frac{1}{2} l_3 C\theta_{13})",
    ),
    Erratum("(45), α_12", "l_2 + ...", "I_2 + ...", "copy", alpha_12,
        quote=r"\frac{1}{\hat{m}_2} [l_2 + m_2 \mathbf{d}_2^T \rho_{12}",
    ),
    Erratum(
        "(47)", "U and D with +α'", "U⁻¹ and D⁻¹ with -α'", "paper", sign_47,
        quote=r"\mathbf{U} \equiv \begin{bmatrix} 1 & \alpha'_{12} & \alpha'_{13}",
    ),
    Erratum(
        "(47), α'_13", "... - {...}/m̂_2", "... - {...}/m̂_2 · (I_3 + m_3 d_3 . ρ_23)",
        "paper or copy", alpha_13,
        quote=(
            r"\frac{1}{\hat{m}_3} (I_3 + m_3 d_3^T \rho_{13}) (I_3 + m_3 d_3^T \rho_{23}) \} \ri"
            r"ght]"
        ),
    ),
    Erratum(
        "(48)", "α'_12, α'_13, α'_23 on the diagonal", "their squares", "paper or copy",
        squares_48,
        quote=(
            r"\frac{1}{\hat{m}_1} \alpha'_{13} + \frac{1}{\hat{m}_2} \alpha'_{23} + \frac{1}{\ha"
            r"t{m}_3}"
        ),
    ),
    Erratum(
        "claim: (46) times (48) is 1", "as printed", "with the squares and α'_13 corrected",
        "paper or copy", squares_48,
        quote=r"use eqs. (46) and (48) to verify that $\mathbf{I}\mathbf{I}^{-1} = \mathbf{1}$",
    ),
    Erratum(
        "claim: O(n) pays by smoother motion",
        "accelerations of O(n) recursions “are smooth functions of time”, so “numerical "
        "integration is faster”",
        "in single precision, of badly conditioned arms; else all methods take as many evaluations",
        "paper", smoother_recursions,
        quote=r"however, calculate the joint accelerations that are smooth functions of time",
    ),
)  # fmt: skip
