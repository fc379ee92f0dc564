"""Errata of [Saha1999]."""

from __future__ import annotations

from armdyn.report.papers.errata._erratum import Erratum
from armdyn.report.papers.errata.checks import factors

ERRATA = (
    Erratum(
        "(1), the text before it", "t_i and n_i are twist and wrench", "t_i and w_i",
        "paper or copy", "(1) itself names them so",
    ),
    Erratum(
        "(14), (15)", "N_I; N_d is 6n × 6n", "N_l; N_d is 6n × n", "paper or copy",
        "it has one column p_i for each joint",
    ),
    Erratum(
        "(18), the text before it", "ṫ = N θ̇ + Ṅ θ", "ṫ = N θ̈ + Ṅ θ̇", "copy",
        factors.twist_rate_18,
    ),
    Erratum(
        "(33), the text after it", "j = i, ..., n", "j = i+1, ..., n", "paper or copy",
        "the entries of U on the diagonal are 1; (34) gives the same at j = i",
    ),
    Erratum(
        "(35), the text after it", "M̂_i holds the parameters of the rigid body, M̂_i those of "
        "the articulated one", "the first is M̃_i, (21)", "copy", "they are compared by (21), (35)",
    ),
    Erratum("(36)", "U⁻¹ = E_2, ..., E_n", "the product E_2 ... E_n", "copy", "as (38) has it"),
    Erratum(
        "(38), (40)", "U⁻¹ = 1 + Σ α' λᵀ, entries +α'_ij", "U⁻¹ = 1 - Σ α' λᵀ, entries -α'_ij",
        "paper", factors.sign_38,
    ),
    Erratum(
        "(39)", "α'_i = -(α_i - Σ α_ki α'_k)", "α'_i = α_i - Σ α_ki α'_k, with α'_2 = α_2",
        "paper", factors.recursion_39,
    ),
    Erratum("(40)", "m̄_i on the diagonal of D⁻¹", "m̂_i", "copy", "D has m̂_i, (33)"),
    Erratum(
        "(41)", "j = 1..i; B̂_ji from B_{i,i-1} and k = i-1..j+1",
        "i < j; B̂_ji from B_{j,j-1} and k = j-1..i+1", "paper or copy", factors.closed_form_41,
    ),
    Erratum(
        "(44), ρ_23 after it", "l_2 cos θ_23 in its first component", "l_2 cos θ_12",
        "paper or copy", factors.rho_23,
    ),
    Erratum("(45), α_12", "l_2 + ...", "I_2 + ...", "copy", factors.alpha_12),
    Erratum(
        "(47)", "U and D with +α'", "U⁻¹ and D⁻¹ with -α'", "paper", factors.sign_47,
    ),
    Erratum(
        "(47), α'_13", "... - {...}/m̂_2", "... - {...}/m̂_2 · (I_3 + m_3 d_3 . ρ_23)",
        "paper or copy", factors.alpha_13,
    ),
    Erratum(
        "(48)", "α'_12, α'_13, α'_23 on the diagonal", "their squares", "paper or copy",
        factors.squares_48,
    ),
    Erratum(
        "claim: (46) times (48) is 1", "as printed", "with the squares and α'_13 corrected",
        "paper or copy", factors.squares_48,
    ),
)  # fmt: skip
