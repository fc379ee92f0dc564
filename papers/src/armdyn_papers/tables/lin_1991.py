"""[Lin1991]: Tables I and II, and the count of both together in the text. Rotational joints."""

from __future__ import annotations

from fractions import Fraction

from armdyn_papers.tables.printed import (
    Measure,
    PrintedRow,
    PrintedTable,
    formula,
    item,
    printed,
    unprinted,
)

N = (2, 3, 4, 5, 6, 7, 8)

SIMILARITY = (
    "the line of R J' Rᵀ in Figure 3 is not legible; the formula leaves 36M 19A for it, two plain "
    "turns take 36M 18A, n − 2 times"
)
BIAS = (
    "the lines of Figure 3 are not legible; without use of zeros at joint 1 additions are those of "
    "the formula, multiplications n − 4 more"
)

_PAIRS, _PAIRS_BEYOND = (0.5, -0.5, 0), (0.5, -1.5, 1)
FIGURE_A1 = (
    item("u_j x s_{j+1}", 4, 2, 1, -1),
    item("u_j in E_k", 8, 4, *_PAIRS_BEYOND),
    item("u_j x s_{j,k}", 14, 10, *_PAIRS_BEYOND),
    item("c_j", 8, 7, 1, -1),
    item("R J R^T", 37, 25, 1, -2),
    item("J_j", 9, 15, 1, -2),
    item("J_1, (3,3)th entry", 14, 11, 1),  # not legible: what is left of the printed total
    item("H_jk", 5, 4, *_PAIRS),
)

# The lines that are legible.
FIGURE_3 = (item("s_2", 2, 0, 1), item("s_j", 8, 7, 1, -2), item("p_j", 0, 3, 1, -1))

TABLE_I = PrintedTable(
    "The inertia matrix by five algorithms",
    "[Lin1991] Table I",
    (
        PrintedRow(
            "Walker and Orin",
            (formula("11n² + 53n − 74", 11, 53, -74), formula("8n² + 52n − 62", 8, 52, -62)),
            printed(
                N,
                (76, 184, 314, 466, 640, 836, 1054),
                (74, 166, 274, 398, 538, 694, 866),
            ),
            Measure("mass_matrix", "walker_orin"),
        ),
        PrintedRow(
            "Renaud",
            (
                formula("13.5n² + 22.5n − 68", 13.5, 22.5, -68),
                formula("9n² + 26n − 64", 9, 26, -64),
            ),
            printed(N, (31, 121, 238, 382, 553, 751, 976), (24, 95, 184, 291, 416, 559, 720)),
            Measure("mass_matrix", "renaud"),
            items=FIGURE_A1,
        ),
        PrintedRow(
            "Lin (1990)",
            (
                formula(
                    "(7n³ + 99n² − 214n)/6 + 19",
                    Fraction(7, 6), Fraction(99, 6), Fraction(-214, 6), 19,
                ),
                formula("n³ + 13.5n² − 28.5n + 14", 1, 13.5, -28.5, 14),
            ),
            printed(N, (23, 92, 215, 399, 651, 978, 1387), (19, 77, 180, 334, 545, 819, 1162)),
            Measure("mass_matrix", "lin_1990"),
            prints_lines=False,
            note="[Lin1991] describes the method in a sentence, without its equations",
        ),
        PrintedRow(
            "Fijany and Bejczy",
            (
                formula("4.5n² + 115.5n − 175", 4.5, 115.5, -175),
                formula("4n² + 88n − 134", 4, 88, -134),
            ),
            printed(N, (74, 212, 359, 515, 680, 854, 1037), (58, 166, 282, 406, 538, 678, 826)),
            Measure("mass_matrix", "fijany_bejczy"),
            prints_lines=False,
            as_printed="the paper prints the equations (A7)-(A15) and this total, no line between; "
            "run, they take (4.5n² + 94.5n − 209)M (4n² + 68n − 146)A from n = 3 on, which is "
            "(21n + 34)M (20n + 12)A less",
        ),
        PrintedRow(
            "Present",
            (
                formula("10.5n² + 38.5n − 85", 10.5, 38.5, -85),
                formula("6n² + 39n − 70", 6, 39, -70),
            ),
            printed(N, (34, 125, 237, 370, 524, 699, 895), (32, 101, 182, 275, 380, 497, 626)),
            Measure("mass_matrix", "lin_1991"),
            items=FIGURE_3,
            all_items=False,
            note="similarities R J' Rᵀ take fewer operations than in the paper",
            as_printed=SIMILARITY,
        ),
    ),
)  # fmt: skip

QUOTED = "a recursive Newton-Euler algorithm that [Lin1991] quotes without its equations"

TABLE_II = PrintedTable(
    "The bias vector, beside the inertia matrix, by three algorithms",
    "[Lin1991] Table II",
    (
        PrintedRow(
            "Khalil and Kleinfinger",
            (formula("101n − 129", 101, -129), formula("90n − 118", 90, -118)),
            printed(N, (73, 174, 275, 376, 477, 578, 679), (62, 152, 242, 332, 422, 512, 602)),
            QUOTED,
        ),
        PrintedRow(
            "Balafoutis et al.",
            (formula("93n − 69", 93, -69), formula("81n − 66", 81, -66)),
            printed(N, (117, 210, 303, 396, 489, 582, 675), (96, 177, 258, 339, 420, 501, 582)),
            QUOTED,
        ),
        PrintedRow(
            "Present",
            (formula("12.5n² + 5.5n + 3", 12.5, 5.5, 3), formula("9n² + n", 9, 1, 0)),
            printed(N, (64, 132, 225, 343, 486, 654, 847), (38, 84, 148, 230, 330, 448, 584)),
            Measure("bias beside mass_matrix", "lin_1991"),
            note="angular velocities are added up in every frame, the paper rotates them: "
            "fewer M, more A",
            as_printed=BIAS,
        ),
    ),
)

WHOLE = PrintedTable(
    "The inertia matrix and the bias vector together",
    "[Lin1991] text after (67)",
    (
        PrintedRow(
            "Present",
            (formula("23n² + 44n − 82", 23, 44, -82), formula("15n² + 40n − 70", 15, 40, -70)),
            unprinted(*N),
            Measure("mass_matrix and bias", "lin_1991"),
            as_printed=f"{SIMILARITY}; {BIAS}",
        ),
    ),
)

TABLES = (TABLE_I, TABLE_II, WHOLE)
