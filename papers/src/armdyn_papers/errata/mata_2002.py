"""Errata of [Mata2002]."""

from __future__ import annotations

from armdyn.report.papers.errata._erratum import Erratum
from armdyn.report.papers.errata.checks import gibbs

ERRATA = (
    Erratum(
        "(2)", "½ ω̇ᵀ I ω; ω̇ᵀ {ω [I ω]}", "½ ω̇ᵀ I ω̇; ω̇ᵀ {ω × [I ω]}, as (3)", "copy",
        gibbs.gibbs_2,
    ),
    Erratum(
        "(6)", "∂r/∂q̈, ∂ω/∂q̈ and I ω", "∂r̈/∂q̈, ∂ω̇/∂q̈ and I ω̇", "copy", gibbs.derivative_6,
    ),
    Erratum("(7a)", "∂σ_i/∂q̈", "∂ω̇_i/∂q̈_j, i < j", "copy", "no σ is defined"),
    Erratum(
        "(7b)", "... R from E_j to E_{j-1}, ∂/∂q̈_i", "... R from E_j to E_{j+1}, ∂/∂q̈_j", "copy",
        "the product leads from E_j to E_i",
    ),
    Erratum(
        "(7d)", "(∂ω̇/∂q̈) r̃", "-r̃ (∂ω̇/∂q̈)", "paper or copy",
        "a column cannot stand before a matrix; as rows, before (13), it is right",
    ),
    Erratum(
        "(7e)", "joint i slides: ∂ω̇ × r + z_i", "joint k slides: z_k alone, for every link i >= k",
        "paper", gibbs.slide_7e,
    ),
    Erratum("(9)", "m (r̈ + g)", "m (r̈ - g), g the acceleration of gravity", "paper or copy",
            gibbs.gravity_9),
    Erratum("(12)", "Ω = ω̃ + ω̃²", "Ω = ω̇̃ + ω̃²", "copy", gibbs.omega_12),
    Erratum("(14)", "∂ω̇_j/∂q̇_j", "∂ω̇_j/∂q̈_j", "copy", "(13) has it so"),
    Erratum(
        "section 4.1, step 1", "base accelerated by -g z_0", "by +g z_0 for z_0 upwards",
        "paper or copy", gibbs.base_acceleration,
    ),
    Erratum(
        "section 4.1, step 1", "z for s̈, ω for ω̇; no ω_0, ω̇_0", "s̈ and ω̇; both start from 0",
        "copy", "the symbols are those of the lines around them",
    ),
    Erratum(
        "section 4.1, step 3", "loops over i, formulas in j; no initial values",
        "one index; φ_n = 0, χ_{n+1} = 0", "paper", "there is no link n + 1",
    ),
    Erratum(
        "(17), the text after it", "the bias is C + G", "C - G, by the signs of (17)",
        "paper or copy", gibbs.bias_17,
    ),
    Erratum(
        "(20), first line", "∂ω̇_i/∂q̈_k = z_i", "z_k in E_i; still constant", "paper or copy",
        gibbs.axis_20,
    ),
    Erratum("(22)", "m s̃_ki s̃_ji", "m s̃_ki r̃_ji, revolute joints", "paper or copy",
            gibbs.element_22),
    Erratum(
        "section 4.2, step 1", "defines H up to link n - 1", "H_n and γ_n = m_n r_n as well",
        "paper", "steps 4 and 5 start from link n",
    ),
    Erratum(
        "section 4.2, step 3", "R from E_{i-1} to E_i; i up to n - 1",
        "R from E_{j-1} to E_j; i up to n - 2", "paper or copy", "the vectors are those of link j",
    ),
    Erratum(
        "section 4.2, step 5", "s̃ φ, a vector", "s̃ φ̃, a matrix", "copy",
        "it is added to a matrix and transposed",
    ),
    Erratum(
        "Table 3, Cholesky's additions", "n³/6 + n²/2 + n/3", "(n³ - n)/6", "paper",
        gibbs.cholesky_additions,
    ),
    Erratum(
        "Table 3, total", "905A", "890A, with the n of τ - b", "paper", gibbs.total_additions,
    ),
    Erratum(
        "example: section 5.1, Fig. 1", "link 2 has 0.00 kg", "10 kg, by equal density", "copy",
        "the table cannot tell: 1, 10 and 100 kg give the same size of differences",
    ),
    Erratum(
        "Table 5, caption", "joint 1; the rows have q̈_2", "unclear: both joints have nearly equal "
        "differences", "paper", "see `armdyn study ascher`",
    ),
    Erratum(
        "example: section 5.2, Fig. 3", "0.1 m/s for 5 s", "0.0657 m/s, or 3.29 s", "paper",
        gibbs.distance,
    ),
    Erratum(
        "Table 6", "rows 1 and 6, 2 and 4 coincide in up to nine digits; other ratios of two "
        "entries", "not known", "paper or copy", "see `armdyn study puma`",
    ),
)  # fmt: skip
