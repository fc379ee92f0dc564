"""[Mata2002]: its tables of operation counts, and those of its two numerical examples."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from armdyn_papers.tables.printed import Measure, PrintedRow, PrintedTable, formula, item

SIXTH = Fraction(1, 6)
QUOTED = "quoted by [Mata2002] without its equations"
ENDS = "the slopes in n agree; the paper does not list what it saves at the first and last link"

# The lines of section 4.1, as for a link in the middle.
STEPS_INVERSE = (
    item("w_{i-1} in E_i", 8, 4, 1, 0),
    item("w_i", 0, 1, 1, 0),
    item("wd_i", 10, 7, 1, 0),
    item("Omega_i", 6, 9, 1, 0),
    item("sdd_i", 17, 13, 1, 0),
    item("rdd_i", 9, 9, 1, 0),
    item("f_i", 3, 0, 1, 0),
    item("t_i", 15, 15, 1, 0),
    item("phi_i", 8, 7, 1, -1),
    item("chi_j", 20, 19, 1, -1),
)

_PAIRS, _PAIRS_BEYOND = (0.5, -0.5, 0), (0.5, -1.5, 1)

# The lines of section 4.2.
STEPS_MATRIX = (
    item("s_{i,i+1} in E_j", 8, 4, *_PAIRS),
    item("s_{i,j}", 0, 3, *_PAIRS_BEYOND),
    item("axis i in E_j", 8, 4, *_PAIRS_BEYOND),
    item("phi_{i+1} in E_i", 8, 4, 1, -1),
    item("phi_i", 0, 3, 1, -1),
    item("psi_i", 31, 40, 1, -2),
    item("psi_1, (3,3)", 13, 11, 1),
    item("D_jk", 7, 6, *_PAIRS),
)

TABLE_1 = PrintedTable(
    "Inverse dynamics",
    "[Mata2002] Table 1",
    (
        PrintedRow(
            "Luh et al., Newton-Euler",
            (formula("150n − 48", 150, -48), formula("131n − 48", 131, -48)),
            {6: (852, 738)},
            Measure("inverse_dynamics", "newton_euler"),
        ),
        PrintedRow(
            "Angeles et al., Kane",
            (formula("105n − 109", 105, -109), formula("90n − 105", 90, -105)),
            {6: (521, 435)},
            QUOTED,
        ),
        PrintedRow(
            "Balafoutis and Patel, Newton-Euler",
            (formula("93n − 69", 93, -69), formula("81n − 66", 81, -66)),
            {6: (489, 420)},
            QUOTED,
        ),
        PrintedRow(
            "This work, Gibbs-Appell",
            (formula("96n − 101", 96, -101), formula("84n − 100", 84, -100)),
            {6: (475, 404)},
            Measure("inverse_dynamics", "gibbs_appell"),
            items=STEPS_INVERSE,
            all_items=False,
            note=ENDS,
            as_printed="the paper does not list what it saves at the first and last link",
        ),
    ),
)

INERTIA_MATRIX = (
    formula("11.5n² + 19.5n − 49", 11.5, 19.5, -49),
    formula("8.5n² + 31.5n − 69", 8.5, 31.5, -69),
)
INERTIA_MATRIX_NOTE = (
    "every ψ takes 31M 40A in the paper, here 25M 33A; the first turn of every s 8M 4A, here 2M"
)

TABLE_2 = PrintedTable(
    "The generalized inertia matrix",
    "[Mata2002] Table 2",
    (
        PrintedRow(
            "Walker and Orin, composite bodies",
            (formula("12n² + 56n − 27", 12, 56, -27), formula("7n² + 67n − 56", 7, 67, -56)),
            {6: (741, 598)},
            Measure("mass_matrix", "walker_orin"),
        ),
        PrintedRow(
            "Angeles and Ma, natural orthogonal complement",
            (
                formula("n³ + 17n² − 21n + 8", 1, 17, -21, 8),
                formula("n³ + 14n² − 16n + 5", 1, 14, -16, 5),
            ),
            {6: (710, 629)},
            QUOTED,
        ),
        PrintedRow(
            "This work, Gibbs-Appell",
            INERTIA_MATRIX,
            {6: (482, 426)},
            Measure("mass_matrix", "gibbs_appell"),
            items=STEPS_MATRIX,
            note=INERTIA_MATRIX_NOTE,
        ),
    ),
)

TOTAL = (
    formula("n³/6 + 13n² + 695n/6 − 157", SIXTH, 13, 695 * SIXTH, -157),
    formula("n³/6 + 10n² + 683n/6 − 174", SIXTH, 10, 683 * SIXTH, -174),
)

TABLE_3 = PrintedTable(
    "Forward dynamics by the Gibbs-Appell equations",
    "[Mata2002] Table 3",
    (
        PrintedRow(
            "Calculation of D",
            INERTIA_MATRIX,
            {6: (482, 426)},
            Measure("mass_matrix", "gibbs_appell"),
            items=STEPS_MATRIX,
            note=INERTIA_MATRIX_NOTE,
        ),
        PrintedRow(
            "Bias vector calculation",
            (formula("96n − 108", 96, -108), formula("83n − 105", 83, -105)),
            {6: (468, 393)},
            Measure("bias", "gibbs_appell"),
            items=STEPS_INVERSE,
            all_items=False,
            note=ENDS,
            as_printed="the paper does not list what it saves at the first and last link",
        ),
        PrintedRow(
            "Cholesky decomposition",
            (
                formula("n³/6 + n²/2 + n/3", SIXTH, 0.5, 2 * SIXTH, 0),
                formula("n³/6 + n²/2 + n/3", SIXTH, 0.5, 2 * SIXTH, 0),
            ),
            {6: (56, 56)},
            Measure("factorisation", "cholesky"),
            note="the paper's M are products, divisions and roots; its A repeat M, "
            "where (n³ − n)/6 are needed",
            as_printed="its additions repeat its multiplications; the decomposition adds "
            "(n³ − n)/6 times",
        ),
        PrintedRow(
            "Linear system solving",
            (formula("n²", 1, 0, 0), formula("n² − n", 1, -1, 0)),
            {6: (36, 30)},
            Measure("substitution", "cholesky"),
            note="two substitutions divide 2n times, the paper counts n",
            as_printed="two substitutions take n² − n products and 2n divisions, n² + n together; "
            "the paper counts n divisions",
        ),
        PrintedRow(
            "Total",
            TOTAL,
            {6: (1042, 905)},
            Measure("forward_dynamics", "gibbs_appell"),
            note="the paper's total leaves out the n subtractions of τ − b",
            as_printed="the sum of what is said of its parts, and the n subtractions of τ − b",
        ),
    ),
)

TABLE_4 = PrintedTable(
    "Forward dynamics",
    "[Mata2002] Table 4",
    (
        PrintedRow(
            "Walker and Orin, composite bodies",
            None,
            {6: (1627, 1261)},
            Measure("forward_dynamics from parts", "walker_orin, newton_euler, cholesky"),
        ),
        PrintedRow(
            "Featherstone, articulated bodies",
            None,
            {6: (1533, 1415)},
            Measure("forward_dynamics", "articulated_body"),
            note="the table counts the algorithm of Featherstone's book of 1987; of the paper "
            "[Featherstone1983] [Saha1999] quotes (199n − 198)M (174n − 173)A",
        ),
        PrintedRow(
            "Angeles and Ma, natural orthogonal complement", None, {6: (1353, 1165)}, QUOTED
        ),
        PrintedRow(
            "This work, Gibbs-Appell",
            TOTAL,
            {6: (1042, 905)},
            Measure("forward_dynamics", "gibbs_appell"),
            as_printed="the total of Table 3",
        ),
    ),
)

TABLES = (TABLE_1, TABLE_2, TABLE_3, TABLE_4)


@dataclass(frozen=True)
class Difference:
    """A column of Table 5: differences of double and single precision [rad/s^2]."""

    maximum: float
    average: float


# Tables 5 to 7: results of the two numerical examples.
TABLE_5 = {
    "ABA": Difference(0.497600, 0.013240),
    "CRBA": Difference(1.292200, 0.2750630),
    "GA": Difference(0.5340020, 0.0087611),
}

# Average differences of positions [rad], velocities and accelerations, joints 1 to 6.
TABLE_6 = (
    (6.91878269e-4, 1.28209533e-3, 2.84439095e-3),
    (1.73972101e-2, 1.66087380e-3, 9.22318761e-2),
    (8.54693990e-4, 1.66087459e-3, 3.13261587e-3),
    (1.73972067e-2, 4.05637323e-2, 9.22318581e-2),
    (1.78259578e-2, 4.17630699e-2, 9.54221869e-3),
    (6.91878269e-4, 1.21908065e-3, 2.43724278e-3),
)


@dataclass(frozen=True)
class Run:
    """A column of Table 7: processing time [s] on a Pentium II of 400 MHz, and evaluations."""

    seconds: float
    evaluations: int


# The table writes ABM where the text writes ABA.
TABLE_7 = {"CRBA": Run(0.65, 1122), "ABA": Run(0.71, 1089), "GA": Run(0.59, 1092)}
