"""[Saha1999]: the counts of forward dynamics in its conclusion. Rotational joints, no numbers."""

from __future__ import annotations

from armdyn.report.papers._printed import Measure, PrintedRow, PrintedTable, formula, unprinted

N = (3, 4, 6, 8, 10)

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
            note="the paper does not say how it chooses frames, nor from which n its formula holds",
        ),
        PrintedRow(
            "Featherstone (1983), articulated bodies",
            (formula("199n − 198", 199, -198), formula("174n − 173", 174, -173)),
            unprinted(*N),
            Measure("forward_dynamics", "articulated_body"),
            note="the papers disagree: [Mata2002] Table 4 quotes 1533M 1415A for it at n = 6",
        ),
    ),
)

TABLES = (CONCLUSION,)
