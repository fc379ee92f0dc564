"""[Saha1999]: the counts of forward dynamics in its conclusion; it prints formulas, no numbers."""

from __future__ import annotations

from armdyn_papers.tables.printed import Measure, PrintedRow, PrintedTable, formula, unprinted

N = (2, 3, 4, 6, 8, 10, 12)

SAHA = (formula("201n − 335", 201, -335), formula("193n − 361", 193, -361))

CONCLUSION = PrintedTable(
    "Forward dynamics in O(n) operations",
    "[Saha1999] section 7",
    (
        PrintedRow(
            "Saha (1997), decoupled natural orthogonal complement",
            SAHA,
            unprinted(*N),
            Measure("forward_dynamics", "denoc"),
            note="the paper does not say how it chooses frames, nor from which n its formula "
            "holds; for few joints mass_matrix_udu takes less",
        ),
        PrintedRow(
            "Featherstone (1983), articulated bodies",
            (formula("199n − 198", 199, -198), formula("174n − 173", 174, -173)),
            unprinted(*N),
            Measure("forward_dynamics", "articulated_body"),
            note="traced as it stands, a baseline: its links are not regrouped, as those of denoc "
            "are; [Mata2002] Table 4 quotes 1533M 1415A at n = 6 from Featherstone's book of 1987",
        ),
    ),
)

TABLES = (CONCLUSION,)
