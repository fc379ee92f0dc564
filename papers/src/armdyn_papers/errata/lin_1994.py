"""Errata of [Lin1994]."""

from __future__ import annotations

from armdyn.report.papers.errata._erratum import Erratum
from armdyn.report.papers.errata.checks import sets

_SYMBOL = "the vector without what gravity shows is shorter than w^I"

ERRATA = (
    Erratum(
        "Definition 1", "α_1 ... α_n; “if α_i are all zero”", "one α for each column; “only if”",
        "paper", "n is the number of rows; with all α zero the sum is always zero",
    ),
    Erratum(
        "(7)", "c_iji = ∂h_ij/∂q_j - ½ ∂h_ji/∂q_i", "c_ijj = ∂h_ij/∂q_j - ½ ∂h_jj/∂q_i", "copy",
        sets.christoffel_7,
    ),
    Erratum("(9)", "w^I on both sides", "a symbol of its own on the right", "paper", _SYMBOL),
    Erratum(
        "(13), (14)", "s without indices; I_j with respect to E_j", "s from O_i to O_j; I_j about "
        "the centre of mass, axes of E_j", "copy", sets.inertia_14,
    ),
    Erratum(
        "(21)", "a column with zeros beside s", "m̂ s, the whole vector", "copy",
        "[LinFang1999] (C1) has it",
    ),
    Erratum("(23)", "[s×] (R_b k_z)×]", "[s×] [(R_b k_z)×]", "copy", "a bracket is missing"),
    Erratum("(24)", "R (V + D) + Rᵀ - ...", "R (V + D) Rᵀ - ...", "copy", sets.varying_24),
    Erratum(
        "Theorem 4, sigma", "u_i ∥ g, in both cases", "u_r ∥ g, with u_i ⟂ u_r between r and s",
        "paper or copy", sets.sigma_4,
    ),
    Erratum(
        "Theorem 4, sigma", "silent on slides before joint r", "σ_i = 0 if u_i ⟂ g", "paper",
        sets.slide_first,
    ),
    Erratum("(34)", "first moment of body m", "of body i", "copy", sets.element_34),
    Erratum(
        "(35)", "a_{i,s} without component; “u_s in E_r varies”", "(a_{i,s})_z; u_r in E_s", "copy",
        "(34) has the component; u_s in E_r does not change with q_s",
    ),
    Erratum(
        "(40)", "i < k < j - 1", "i <= k < j - 1", "paper or copy", "(42) uses it at k = i",
    ),
    Erratum(
        "(43)", "s* from the s of joint j - 1", "from O_{j-1} to O_j, plus b_k, k = i+1..j-1",
        "copy", "s* does not change with the slides between i and j",
    ),
    Erratum(
        "(46)", "(V)_33, (V)_23, (V)_33 first; a vector e_j", "(V)_13, (V)_23, (V)_33; R ĉ_j",
        "copy", "it is a third column; e is defined in (41) as another vector",
    ),
    Erratum(
        "(48)", "third column (2S², 2CS, 0)", "(2S², 0, 2CS)", "paper or copy", sets.matrix_48,
    ),
    Erratum(
        "Property 3", "for u_r not parallel to u_i the first moments are no components",
        "for u_r parallel to u_i", "copy", sets.property_3,
    ),
    Erratum(
        "Property 4", "first moments of all rotational joints from s on",
        "not where all axes up to the joint meet in one point", "paper", sets.without_gravity,
    ),
    Erratum(
        "Theorem 5, gravity", "nothing on g = 0", "without gravity, first moments of a body that "
        "turns about a fixed point are not seen", "paper", sets.without_gravity,
    ),
    Erratum(
        "Theorem 5, delta", "u_r ∥ u_j ∥ g", "u_r ∥ u_k ∥ g for every joint k <= j, slides too",
        "paper or copy", sets.delta_5,
    ),
    Erratum("(61)", "w^I on both sides of the partition", "as (9)", "paper", _SYMBOL),
    Erratum(
        "(A6), (A9)", "m - k columns; a k × k matrix times x̄", "p - k columns; k × (p - k) times x̂",
        "paper or copy", "x has p elements, of which k are in x̄",
    ),
    Erratum("(A10)", "w^I in both forms", "as (9)", "paper", _SYMBOL),
)  # fmt: skip
