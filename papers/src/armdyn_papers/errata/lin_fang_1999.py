"""Errata of [LinFang1999].

Its counts are checked here, its equations in `elements` and `composites`.
"""

from __future__ import annotations

from collections.abc import Callable

from armdyn_papers.errata import composites, elements, minimal_sets
from armdyn_papers.errata.erratum import Erratum, Evidence
from armdyn_papers.tables.lin_fang_1999 import TABLE_VI, TABLE_VIII


def lines(label: str, type: int, dM: int, dA: int) -> Callable[[], Evidence]:
    """Return a comparison of a formula of Table VI, and of it changed, with its own lines."""

    def decide() -> Evidence:
        row = next(r for r in TABLE_VI.rows if r.label == label and r.type == type)
        n = 6
        given, summed = row.formula(n), row.sum_of_lines(n)
        assert given is not None and summed is not None
        (M, A), (lines_M, lines_A) = given, summed
        return Evidence(
            f"operations at n = {n}: the formula gives {M}M {A}A, the table's lines sum to "
            f"{lines_M}M {lines_A}A; difference",
            abs(M - lines_M) + abs(A - lines_A),
            abs(M + dM - lines_M) + abs(A + dA - lines_A),
        )

    return decide


def number(label: str, n: int, right: int, viii: bool = False) -> Callable[[], Evidence]:
    """Return a comparison of a printed M, and of another, with its formula."""

    def decide() -> Evidence:
        table = TABLE_VIII if viii else TABLE_VI
        row = next(r for r in table.rows if r.label == label and r.type == 1)
        printed = row.values[n]
        assert row.formulas is not None and printed is not None
        given = row.formulas[0](n)
        what = f"M at n = {n}, beside {given}M of the formula"
        return Evidence(what, abs(printed[0] - given), abs(right - given))

    return decide


def more_of_3() -> Evidence:
    """Compare n(n - 3) with the difference of the lines of Tables III and II, Type 2."""
    rows = {r.label: r for r in TABLE_VI.rows if r.type == 2}
    n = 6
    two, three = (rows[f"Formulation {k}"].sum_of_lines(n) for k in (2, 3))
    assert two is not None and three is not None
    more = three[0] - two[0]
    what = f"M at n = {n}, beside {more}M by the lines of Tables II and III"
    return Evidence(what, abs(n * (n - 3) - more), abs(n * n - 3 * n + 8 - more))


def more_of_5() -> Evidence:
    """Compare 4n with the difference of the printed formulas of Formulations 5 and 1, Type 1."""
    rows = {r.label: r.formulas for r in TABLE_VI.rows if r.type == 1}
    one, five = rows["Formulation 1"], rows["Formulation 5"]
    assert one is not None and five is not None
    n = 6
    more = five[1](n) - one[1](n)
    what = f"A at n = {n}, beside {more}A by the formulas of Table VI"
    return Evidence(what, abs(4 * n - more), abs(4 * n - 2 - more))


ERRATA = (
    Erratum(
        "(1)", "s in E_{i-1} is (b, -d sin θ, d cos θ)", "(b, -d sin β, d cos β)",
        "copy", elements.vector_1,
        quote=r"b_i \\ -d_i S\theta_i \\ d_i C\theta_i",
    ),
    Erratum(
        "(5)", "R I_j Rᵀ with I_j in E_i", "I_j in E_j, about the centre of mass",
        "copy", elements.inertia_5,
        quote=r"{}^j \mathbf{R} \mathbf{I}_j^{<i>} {}^j \mathbf{R}^T",
    ),
    Erratum(
        "(19)", "Ĵ_i, s, ĉ_i in E_i beside u_j in E_j", "all in E_j, as the text says",
        "copy", elements.closed_form_19,
        quote=r"\mathbf{u}_j^{(j)} \cdot \left\{ \hat{\mathbf{J}}_i^{(i)} \mathbf{u}_i^{(i)}",
    ),
    Erratum(
        "Table III, rotational i and j", "the term of ŝ × inside the product with u_j",
        "u_j . Ĵ_3 - ĉ_y ŝ_x + ĉ_x ŝ_y, as (21)", "paper or copy", elements.table_iii_term,
        quote=(
            r"\end{bmatrix} + \begin{bmatrix} -(\hat{\mathbf{c}}_i^{(i)})_y ({}^i_j\hat{\mathbf{"
            r"s}}^i)_x"
        ),
    ),
    Erratum(
        "Table III, rotational j, translational i", "u_j . (-ĉ_y, ĉ_x, 0)",
        "u_j . (ĉ_y, -ĉ_x, 0), as (21)", "paper or copy", elements.table_iii_sign,
        quote=(
            r"({}^i_j\hat{\mathbf{s}}^i)_z + \mathbf{u}_j^{(i)} \cdot \begin{bmatrix} -(\hat{\ma"
            r"thbf{c}}_i^{(i)})_y"
        ),
    ),
    Erratum(
        "Table III", "d_{i+1}; s without a hat; K*_i beside 12M 8A", "d_{j+1}; ŝ; K*_j", "copy",
        "i is no index of these lines; the recursion of ŝ starts from ŝ",
        quote=r"[d_{i+1}S\beta_{j+1}, b_{j+1}, 0]^T",
    ),
    Erratum(
        "Table V, t_{i-1,i}", "- f × s for both kinds of joint i", "for rotational i only, as (B8)",
        "paper", elements.table_v_both,
        quote=r"- \mathbf{f}_{i-1,i}^{(i-1)} \times {}^i\mathbf{s}^{(i-1)}, \quad i = 3",
    ),
    Erratum(
        "Table V, t_1i", "R (t + s) × f", "R (t + s × f)", "copy", elements.table_v_bracket,
        quote=r"(\mathbf{t}_{2,i}^{(2)} + {}_1^2\mathbf{s}^{(2)}) \times \mathbf{f}_{2,i}^{(2)}",
    ),
    Erratum(
        "Table V, D_ij", "K*_i and K_i", "K*_j and K_j", "paper or copy", elements.table_v_flag,
        quote=r"D_{ij} = K_i^* (\mathbf{t}_{j,i}^{(j)})_z + K_i (\mathbf{f}_{j,i}^{(j)})_z",
    ),
    Erratum(
        "Table VI, Formulation 2, Type 2", "11.5n² - 40.5n + 60, 8n² - 29n + 46",
        "11.5n² - 40.5n + 57, 8n² - 29n + 43", "paper", lines("Formulation 2", 2, -3, -3),
        quote=r"$11.5n^2 - 40.5n + 60$",
    ),
    Erratum(
        "Table VI, Formulation 4, Type 1", "4.5n² + 48.5n - 108", "4.5n² + 48.5n - 104",
        "paper", lines("Formulation 4", 1, 4, 0),
        quote=r"$4.5n^2 + 48.5n - 108$",
    ),
    Erratum(
        "Table VI, Formulation 4, Type 2", "4.5n² + 48.5n - 114", "4.5n² + 48.5n - 110",
        "paper", lines("Formulation 4", 2, 4, 0),
        quote=r"$4.5n^2 + 48.5n - 114$",
    ),
    Erratum(
        "Table VI, Formulation 5, n = 11", "1016M", "1026M", "paper or copy",
        number("Formulation 5", 11, 1026),
        quote=r"102 266 1016",
    ),
    Erratum(
        "claim: what 3 takes more than 2",
        "“entails n(n - 1) and n(n - 3) more multiplications for Type 1 and Type 2”",
        "n² - 3n + 8 for Type 2", "paper", more_of_3,
        quote=r"entails $n(n - 1)$ and $n(n - 3)$ more multiplications for Type 1 and Type 2",
    ),
    Erratum(
        "claim: what 5 takes more than 1", "“requires 4n more additions”", "4n - 2 more", "paper",
        more_of_5,
        quote=r"requires $4n$ more additions",
    ),
    Erratum(
        "claim: what a sliding joint 3 saves",
        "“Formulation 2 reduces (13n - 44)M and (11n - 36)A for Type 2”",
        "(13n - 41)M (11n - 33)A", "paper", lines("Formulation 2", 2, -3, -3),
        quote=r"Formulation 2 reduces $(13n - 44)M$ and $(11n - 36)A$ for Type 2",
    ),
    Erratum(
        "(25)", "R (V + D Rᵀ) - ...", "R (V + D) Rᵀ - ...", "copy", composites.varying_25,
        quote=r"\end{bmatrix} {}^{i+1}i\mathbf{R}^T \right) - [{}^{i+1}i\mathbf{s}^{(i)} \times]",
    ),
    Erratum(
        "Theorem 1, delta", "all joints k < i parallel to u_r and gravity, u_m zero or parallel",
        "gravity and all k <= i parallel, and every rotational m <= i coaxial with r",
        "paper or copy", composites.delta,
        quote=(
            r"\mathbf{u}_m is zero or parallel to \mathbf{u}_r for every rotational joint $m, r "
            r"\leq m < i$"
        ),
    ),
    Erratum(
        "Theorem 1, delta", "gravity tested within “for all k < i”",
        "gravity tested in any case", "paper or copy", composites.delta_alone,
        quote=r"\mathbf{u}_r // \mathbf{u}_k // (\mathbf{g} - \mathbf{a}_0), \forall k < i < s",
    ),
    Erratum(
        "Theorem 1, gravity", "nothing excludes arms without gravity",
        "where g is not zero, as Theorem 5 of [Lin1994]", "paper", minimal_sets.without_gravity,
        quote=r"a set of MLC's for determining the actuator forces τ is the set",
    ),
    Erratum(
        "Theorem 1, item 5", "σ_j K_j beside κ_i", "σ_i K_i", "copy", "j is no index of this item",
        quote=r"\sigma_j K_j \kappa_{1i}, \sigma_j K_j \kappa_{2i}",
    ),
    Erratum(
        "(30)", "for 1 <= j <= i", "for r <= j < i", "paper or copy",
        "j = i would need t_{i+1,i}, which does not exist",
        quote=r"1 &\leq j \leq i, i = r, \dots, s-1",
    ),
    Erratum(
        "(31)", "(u_r)_z in E_i; sliding j for r <= j", "(u_r)_z in E_j; sliding j for all j < i",
        "paper or copy", elements.element_31,
        quote=r"K_j^* (\mathbf{u}_r^{(i)})_z (\mathbf{t}_{j,i}^{(r)})_z",
    ),
    Erratum(
        "(32)", "s without its lower index", "s from O_j to O_i", "copy",
        "(20), which it changes, has the index",
        quote=r"(\hat{\mathbf{c}}_i^{(i)})_x (\mathbf{s}^{(i)})_x",
    ),
    Erratum(
        "(40)", "[1 - u_z]² and [1 - u_x]²", "1 - u_z² and 1 - u_x², as in Table VII", "copy",
        composites.squares_40,
        quote=r"\left[ 1 - (\mathbf{u}_r^{(i+1)})_z \right]^2",
    ),
    Erratum(
        "(40)", "- u_z u_x l_x + u_z u_y l_y", "- 2 u_z u_x l_x - 2 u_z u_y l_y", "paper",
        composites.terms_40,
        quote=r"[(\mathbf{u}_r^{(i+1)})_z (\mathbf{u}_r^{(i+1)})_y] (\mathbf{L}_{i+1})_y",
    ),
    Erratum(
        "Table VII, Y_33", "- u_z u_x l_x + u_z u_y l_y", "- 2 u_z u_x l_x - 2 u_z u_y l_y",
        "paper", composites.terms_40,
        quote=r"+ [(\mathbf{u}_r^{(i+1)})_z (\mathbf{u}_r^{(i+1)})_y] (L_{i+1})_y",
    ),
    Erratum(
        "Table VIII, Formulation 2, Type 2", "11.5n² - 8.5n + 15, 8n² + 4n - 13",
        "11.5n² - 8.5n + 12, 8n² + 4n - 16", "paper", lines("Formulation 2", 2, -3, -3),
        quote=r"$11.5n^2 - 8.5n + 15$",
    ),
    Erratum(
        "Table VIII, Kawasaki et al. I, n = 4", "194M", "195M", "paper or copy",
        number("Kawasaki et al. I", 4, 195, viii=True),
        quote=r"$11n^2 + 15n - 41$ 194",
    ),
    Erratum("(A4)", "Î = Ĵ - [ĉ×]²/m̂", "Î = Ĵ + [ĉ×]²/m̂", "paper or copy", elements.inertia_A4,
        quote=r"\hat{\mathbf{J}}_j^{(j)} - \frac{1}{\hat{m}_j}",
    ),
    Erratum(
        "(A9)", "the arm from the base to O_j; “only joint j moves”", "from O_j to O_i; joint i",
        "paper or copy", elements.arm_A9,
        quote=r"(\mathbf{t}_i^{(j)} + {}^j_0\mathbf{s}^{(j)} \times \mathbf{f}_i^{(j)})",
    ),
    Erratum(
        "(B3)", "both terms in E_i", "both in E_m: R ĉ_i and m̂_i s in E_m", "copy",
        elements.moment_B3,
        quote=r"{}^i \mathbf{R} \hat{\mathbf{c}}_i^{(i)} + \hat{m}_{i j-1} {}^i \mathbf{s}^{(i)}",
    ),
    Erratum(
        "(B11)", "K*_i and K_i", "K*_j and K_j", "paper or copy", elements.table_v_flag,
        quote=r"\left(K_i^* \mathbf{t}_{j,i}^{(j)} + K_i \mathbf{f}_{j,i}^{(j)} \right)",
    ),
    Erratum(
        "(C2)", "R b_b (k)_z", "R_b (k)_z, R_b the third column of R", "copy",
        "its own note after (C3) defines R_b",
        quote=r"({}^{i+1} \mathbf{R} \mathbf{b}_b(\mathbf{k}_{i+1})_z)",
    ),
)  # fmt: skip
