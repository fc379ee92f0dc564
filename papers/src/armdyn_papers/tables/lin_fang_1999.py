"""[LinFang1999]: Table VI, the total of Table VII, and Table VIII.

Type 1 is n rotational joints; Type 2 has a translational joint 3. Hats mark composite bodies: ĉ
first moments, Ĵ inertia tensors about the origins of the links' frames.
"""

from __future__ import annotations

from armdyn_papers.tables.printed import (
    Item,
    Measure,
    PrintedRow,
    PrintedTable,
    formula,
    item,
    printed,
    unprinted,
)

GIVEN = "mass_matrix, composites on hand"

# Lines of Tables I-V with the number of times they are executed.
# The pairs j = 2..i-2, i = 4..n of Tables I and V:
_PAIRS = (0.5, -2.5, 3)
_TABLE_I_COMMON = (
    item("f_ji, j <= i-2", 8, 4, *_PAIRS),
    item("t_ji, j <= i-2", 12, 8, *_PAIRS),
    item("t_1i, i > 2", 14, 10, 1, -2),
    item("t_12", 12, 8, 1),
    item("s_2 in E_2 (in the total, on no line)", 2, 0, 1),
)
_TABLE_V_COMMON = (
    item("f_ji, j <= i-2", 8, 4, *_PAIRS),
    item("t_ji, j <= i-2", 12, 8, *_PAIRS),
    item("t_1i, i > 2", 14, 10, 1, -2),
)
_TABLE_IV_COMMON = (
    item("R from E_i to E_n", 24, 12, 1, -2),
    item("u_i in E_n", 8, 4, 1, -2),
    item("s_n in E_n", 2, 0, 1),
    item("s_{i+1} in E_n", 6, 3, 1, -2),
    item("t_ji in E_n", 6, 6, 0.5, -0.5, 0),
    item("D_ji", 3, 2, 0.5, -0.5, 0),
)

# The lines of the table of formulation k for arms of a type.
ITEMS: dict[tuple[int, int], tuple[Item, ...]] = {
    (1, 1): (
        *_TABLE_I_COMMON,
        item("f_{i-1,i}", 6, 2, 1, -2),
        item("t_{i-1,i}", 12, 8, 1, -2),
    ),
    (1, 2): (
        *_TABLE_I_COMMON,
        item("f_{i-1,i}", 6, 2, 1, -3),
        item("t_{i-1,i}", 12, 8, 1, -3),
        item("t_{2,3}", 8, 6, 1),
    ),
    (2, 1): (
        item("u_j in E_k", 8, 4, 0.5, -1.5, 1),
        item("s_{j,k} in E_k", 8, 6, 0.5, -1.5, 1),
        item("D_ji", 7, 6, 0.5, -0.5, 0),
    ),
    (2, 2): (
        item("u_j in E_k", 8, 4, 0.5, -1.5, 1),
        item("s_{j,k} in E_k", 8, 6, 0.5, -2.5, 5),
        item("D_ji", 7, 6, 0.5, -1.5, 1),
        item("D_3i", 2, 1, 1, -3),
        item("D_j3", 4, 3, 2),
    ),
    (3, 1): (
        item("u_j in E_k", 8, 4, 0.5, -1.5, 1),
        item("u_j x s_{j,j+1} in E_{j+1}", 4, 2, 1, -1),
        item("u_j x s_{j,k} in E_k", 12, 8, 0.5, -1.5, 1),
        item("D_ji", 5, 4, 0.5, -0.5, 0),
    ),
    (3, 2): (
        item("u_j in E_k", 8, 4, 0.5, -1.5, 1),
        item("u_j x s_{j,j+1} in E_{j+1}", 4, 2, 1, -2),
        item("u_j x s_{j,k} in E_k", 12, 8, 0.5, -2.5, 5),
        item("D_ji", 5, 4, 0.5, -1.5, 1),
        item("D_3i", 2, 1, 1, -3),
        item("D_j3", 3, 2, 2),
    ),
    (4, 1): (
        *_TABLE_IV_COMMON,
        item("f_ii in E_n", 6, 3, 1, -2),
        item("t_ii in E_n", 9, 6, 1, -2),
    ),
    (4, 2): (
        *_TABLE_IV_COMMON,
        item("f_ii in E_n", 6, 3, 1, -3),
        item("t_ii in E_n", 9, 6, 1, -3),
        item("f_33 in E_n", 3, 0, 1),
        item("t_33 in E_n", 6, 3, 1),
    ),
    (5, 1): (
        *_TABLE_V_COMMON,
        item("f_{i-1,i}", 4, 4, 1, -1),
        item("t_{i-1,i}", 14, 10, 1, -1),
    ),
    (5, 2): (
        *_TABLE_V_COMMON,
        item("f_{i-1,i}", 4, 4, 1, -2),
        item("t_{i-1,i}", 14, 10, 1, -2),
        item("t_{2,3}", 8, 5, 1),
    ),
}

N1, N2 = (4, 6, 11), (6, 8, 9)

TABLE_VI = PrintedTable(
    "The inertia matrix by five formulations, Ĵ, ĉ and the rotations on hand",
    "[LinFang1999] Table VI",
    (
        PrintedRow(
            "Formulation 1",
            (formula("10n² − 18n + 10", 10, -18, 10), formula("6n² − 10n + 4", 6, -10, 4)),
            printed(N1, (98, 262, 1022), (60, 160, 620)),
            Measure(GIVEN, "lin_fang_1"),
            items=ITEMS[1, 1],
            note="components of t_1i other than z are not needed",
        ),
        PrintedRow(
            "Formulation 2",
            (
                formula("11.5n² − 27.5n + 16", 11.5, -27.5, 16),
                formula("8n² − 18n + 10", 8, -18, 10),
            ),
            printed(N1, (90, 265, 1105), (66, 190, 780)),
            Measure(GIVEN, "lin_fang_2"),
            items=ITEMS[2, 1],
            note="the table has no line for the 2M of each s_{j,j+1} in E_{j+1}, and does not use "
            "that the z components of u_j and s_{j,j+1} in E_{j+1} are constant",
        ),
        PrintedRow(
            "Formulation 3",
            (
                formula("12.5n² − 28.5n + 16", 12.5, -28.5, 16),
                formula("8n² − 18n + 10", 8, -18, 10),
            ),
            printed(N1, (102, 295, 1215), (66, 190, 780)),
            Measure(GIVEN, "lin_fang_3"),
            items=ITEMS[3, 1],
        ),
        PrintedRow(
            "Formulation 4",
            (
                formula("4.5n² + 48.5n − 108", 4.5, 48.5, -108),
                formula("4n² + 24n − 56", 4, 24, -56),
            ),
            printed(N1, (158, 345, 970), (104, 232, 692)),
            Measure(GIVEN, "lin_fang_4"),
            items=ITEMS[4, 1],
            note="u_i in E_n is a column of the rotation to E_n and costs nothing",
        ),
        PrintedRow(
            "Formulation 5",
            (formula("10n² − 18n + 14", 10, -18, 14), formula("6n² − 6n + 2", 6, -6, 2)),
            printed(N1, (102, 266, 1016), (74, 182, 662)),
            Measure(GIVEN, "lin_fang_5"),
            items=ITEMS[5, 1],
        ),
        PrintedRow(
            "Formulation 1",
            (formula("10n² − 18n", 10, -18, 0), formula("6n² − 10n", 6, -10, 0)),
            printed(N2, (252, 496, 648), (156, 304, 396)),
            Measure(GIVEN, "lin_fang_1"),
            type=2,
            items=ITEMS[1, 2],
            note="t_{2,3} takes 6M 4A, the table says 8M 6A",
        ),
        PrintedRow(
            "Formulation 2",
            (
                formula("11.5n² − 40.5n + 60", 11.5, -40.5, 60),
                formula("8n² − 29n + 46", 8, -29, 46),
            ),
            printed(N2, (231, 472, 627), (160, 326, 433)),
            Measure(GIVEN, "lin_fang_2"),
            type=2,
            items=ITEMS[2, 2],
        ),
        PrintedRow(
            "Formulation 3",
            (
                formula("12.5n² − 43.5n + 65", 12.5, -43.5, 65),
                formula("8n² − 29n + 45", 8, -29, 45),
            ),
            printed(N2, (254, 517, 686), (159, 325, 432)),
            Measure(GIVEN, "lin_fang_3"),
            type=2,
            items=ITEMS[3, 2],
        ),
        PrintedRow(
            "Formulation 4",
            (
                formula("4.5n² + 48.5n − 114", 4.5, 48.5, -114),
                formula("4n² + 24n − 62", 4, 24, -62),
            ),
            printed(N2, (339, 562, 687), (226, 386, 478)),
            Measure(GIVEN, "lin_fang_4"),
            type=2,
            items=ITEMS[4, 2],
            note="u_i in E_n is a column of the rotation to E_n and costs nothing",
        ),
        PrintedRow(
            "Formulation 5",
            (formula("10n² − 18n + 4", 10, -18, 4), formula("6n² − 6n − 7", 6, -6, -7)),
            printed(N2, (256, 500, 652), (173, 329, 425)),
            Measure(GIVEN, "lin_fang_5"),
            type=2,
            items=ITEMS[5, 2],
            note="t_{2,3} takes 4M 1A, the table says 8M 5A",
        ),
    ),
)

N8 = (4, 6, 8)

_TABLE_VII_COMMON = (
    item("l_n-1", 6, 2, 1),
    item("Y = R X R^T", 18, 14, 1, -2),
    item("V_i", 3, 4, 1, -2),
    item("Y_33", 10, 5, 1),
    item("V_i, i < s", 1, 1, 1),
    item("J_i, i < s", 0, 1, 1),
)

# The lines for a type of arms; the one of the first moment of body 1, 2A, is in no total.
TABLE_VII_ITEMS: dict[int, tuple[Item, ...]] = {
    1: (
        *_TABLE_VII_COMMON,
        item("l_i", 8, 4, 1, -2),
        item("X", 3, 6, 1, -2),
        item("c_i", 0, 2, 1, -2),
        item("J_i", 0, 3, 1, -2),
    ),
    2: (
        *_TABLE_VII_COMMON,
        item("l_i", 8, 4, 1, -3),
        item("l_i, joint i+1 translational", 9, 5, 1),
        item("X", 3, 6, 1, -3),
        item("X, joint i+1 translational", 4, 5, 1),
        item("c_i", 0, 2, 1, -3),
        item("c_i, joint i translational", 0, 3, 1),
        item("J_i", 0, 3, 1, -3),
    ),
}

TABLE_VII = PrintedTable(
    "First moments and inertia tensors of the composite bodies from minimal parameters",
    "[LinFang1999] Table VII",
    (
        PrintedRow(
            "Table VII",
            (formula("32n − 47", 32, -47), formula("33n − 57", 33, -57)),
            unprinted(*N8),
            Measure("composites", "minimal"),
            items=TABLE_VII_ITEMS[1],
            note="the similarity Y = R X Rᵀ takes fewer than the 18M of the table; "
            "its line of the first moment of body 1, 2A, is in no total",
        ),
        PrintedRow(
            "Table VII",
            (formula("32n − 45", 32, -45), formula("33n − 59", 33, -59)),
            unprinted(*N8),
            Measure("composites", "minimal"),
            type=2,
            items=TABLE_VII_ITEMS[2],
            note="the similarity Y = R X Rᵀ takes fewer than the 18M of the table; "
            "its line of the first moment of body 1, 2A, is in no total",
        ),
    ),
)

KAWASAKI = (
    "the algorithm of Kawasaki et al. (1996) for the composite bodies is not in "
    "[LinFang1999]; its formulation is Formulation 5"
)

TABLE_VIII = PrintedTable(
    "The inertia matrix from minimal parameters",
    "[LinFang1999] Table VIII",
    (
        PrintedRow(
            "Formulation 1",
            (formula("10n² + 14n − 37", 10, 14, -37), formula("6n² + 23n − 53", 6, 23, -53)),
            printed(N8, (179, 407, 715), (135, 301, 515)),
            Measure("mass_matrix", "lin_fang_1_minimal"),
        ),
        PrintedRow(
            "Formulation 2",
            (
                formula("11.5n² + 4.5n − 31", 11.5, 4.5, -31),
                formula("8n² + 15n − 47", 8, 15, -47),
            ),
            printed(N8, (171, 410, 741), (141, 331, 585)),
            Measure("mass_matrix", "lin_fang_2_minimal"),
        ),
        PrintedRow(
            "Kawasaki et al. I",
            (formula("11n² + 15n − 41", 11, 15, -41), formula("7n² + 32n − 66", 7, 32, -66)),
            printed(N8, (194, 445, 783), (174, 378, 638)),
            KAWASAKI,
        ),
        PrintedRow(
            "Kawasaki et al. II",
            (formula("11n² + 9n − 35", 11, 9, -35), formula("7n² + 23n − 57", 7, 23, -57)),
            printed(N8, (177, 415, 741), (147, 333, 575)),
            KAWASAKI,
        ),
        PrintedRow(
            "Formulation 1",
            (formula("10n² + 14n − 45", 10, 14, -45), formula("6n² + 23n − 59", 6, 23, -59)),
            printed(N8, (171, 399, 707), (129, 295, 509)),
            Measure("mass_matrix", "lin_fang_1_minimal"),
            type=2,
        ),
        PrintedRow(
            "Formulation 2",
            (
                formula("11.5n² − 8.5n + 15", 11.5, -8.5, 15),
                formula("8n² + 4n − 13", 8, 4, -13),
            ),
            printed(N8, (165, 378, 683), (131, 299, 531)),
            Measure("mass_matrix", "lin_fang_2_minimal"),
            type=2,
            as_printed="built on Table VI, Type 2, whose lines sum to 3M 3A less than printed",
        ),
    ),
)

A_JOINT = PrintedTable(
    "The third column of the inertia of a composite body, each joint",
    "[LinFang1999] text after Table VII",
    (
        PrintedRow(
            "Table VII",
            (formula("24", 24), formula("27", 27)),
            unprinted(6),
            Measure("inertia of a joint", "minimal"),
        ),
        PrintedRow(
            "Kawasaki et al., rotational joints only",
            (formula("27", 27), formula("34", 34)),
            unprinted(6),
            KAWASAKI,
        ),
        PrintedRow(
            "Kawasaki et al., any joints",
            (formula("30", 30), formula("37", 37)),
            unprinted(6),
            KAWASAKI,
        ),
    ),
)

TABLES = (TABLE_VI, TABLE_VII, A_JOINT, TABLE_VIII)
