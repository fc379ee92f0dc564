"""The claims of [LinFang1999].

Arms of Type 2 have four joints or more here: with three, the translational joint is the last one,
and the printed formulas do not hold.
"""

from __future__ import annotations

from armdyn_papers.claims.claim import (
    LARGEST,
    Amount,
    Claim,
    Contender,
    Ranking,
    printed,
    together,
    traced,
)
from armdyn_papers.tables.printed import formula

TABLE_VI, TABLE_VIII = "[LinFang1999] Table VI", "[LinFang1999] Table VIII"
SECTION_2 = "section 2, after Table I"
A_JOINT = "[LinFang1999] text after Table VII"


def _given(k: int, type: int) -> Contender:
    return printed(TABLE_VI, f"Formulation {k}", type)


def _others(k: int, type: int) -> tuple[Contender, ...]:
    return tuple(_given(other, type) for other in range(1, 6) if other != k)


def _minimal(k: int, type: int = 1) -> Contender:
    return printed(TABLE_VIII, f"Formulation {k}", type)


def _whole(k: int) -> Contender:
    """Return a formulation with the composite bodies of Table VII."""
    name = f"Formulation {k} with Table VII"
    return together(name, _given(k, 1), printed("[LinFang1999] Table VII", "Table VII"))


KAWASAKI = tuple(printed(TABLE_VIII, f"Kawasaki et al. {k}") for k in ("I", "II"))

CLAIMS: tuple[Claim, ...] = (
    *(
        Ranking(
            f"lin_fang_1999.f2_before_f3_type_{type}",
            SECTION_2,
            "Formulation 2 is always more efficient than Formulation 3",
            type,
            (_given(2, type),),
            (_given(3, type),),
            first=2 if type == 1 else 4,
        )
        for type in (1, 2)
    ),
    Amount(
        "lin_fang_1999.f3_costs_more_type_1",
        SECTION_2,
        "Formulation 3 takes n(n − 1) multiplications more than Formulation 2",
        1,
        _given(3, 1),
        _given(2, 1),
        formula("n² − n", 1, -1, 0),
        None,
    ),
    Amount(
        "lin_fang_1999.f3_costs_more_type_2",
        SECTION_2,
        "Formulation 3 takes n(n − 3) multiplications more than Formulation 2",
        2,
        _given(3, 2),
        _given(2, 2),
        formula("n² − 3n", 1, -3, 0),
        None,
        first=4,
    ),
    *(
        Ranking(
            f"lin_fang_1999.f1_before_f5_type_{type}",
            SECTION_2,
            "Formulation 1 is always superior to Formulation 5",
            type,
            (_given(1, type),),
            (_given(5, type),),
            first=2 if type == 1 else 4,
        )
        for type in (1, 2)
    ),
    Amount(
        "lin_fang_1999.f5_adds_more",
        SECTION_2,
        "Formulation 5 takes 4n additions more than Formulation 1",
        1,
        _given(5, 1),
        _given(1, 1),
        None,
        formula("4n", 4, 0),
    ),
    *(
        Ranking(
            f"lin_fang_1999.f4_last_type_{type}",
            SECTION_2,
            "Formulation 4 is the least efficient of 1, 4 and 5 up to n = 11: 5 is before 4",
            type,
            (_given(5, type),),
            (_given(4, type),),
            first=2 if type == 1 else 4,
            last=11,
        )
        for type in (1, 2)
    ),
    Ranking(
        "lin_fang_1999.f1_best_type_1",
        SECTION_2,
        "Formulation 1 is the most efficient of the five for 5 ≤ n ≤ 11",
        1,
        (_given(1, 1),),
        _others(1, 1),
        5,
        11,
    ),
    Ranking(
        "lin_fang_1999.f1_best_type_2",
        SECTION_2,
        "Formulation 1 is the most efficient of the five for 9 ≤ n ≤ 11",
        2,
        (_given(1, 2),),
        _others(1, 2),
        9,
        11,
    ),
    Ranking(
        "lin_fang_1999.f2_best_type_1",
        SECTION_2,
        "Formulation 2 is superior to the others for n ≤ 4",
        1,
        (_given(2, 1),),
        _others(2, 1),
        2,
        4,
    ),
    Ranking(
        "lin_fang_1999.f2_best_type_2",
        SECTION_2,
        "Formulation 2 is the most efficient of the five for n ≤ 8",
        2,
        (_given(2, 2),),
        _others(2, 2),
        4,
        8,
    ),
    Amount(
        "lin_fang_1999.f2_saves_by_translation",
        SECTION_2,
        "Formulation 2 takes (13n − 44)M (11n − 36)A less for Type 2 than for Type 1",
        2,
        _given(2, 1),
        _given(2, 2),
        formula("13n − 44", 13, -44),
        formula("11n − 36", 11, -36),
        first=4,
    ),
    Amount(
        "lin_fang_1999.f1_saves_by_translation",
        SECTION_2,
        "Formulation 1 takes 10M 4A less for Type 2 than for Type 1, whatever n",
        2,
        _given(1, 1),
        _given(1, 2),
        formula("10", 10),
        formula("4", 4),
        first=4,
    ),
    Ranking(
        "lin_fang_1999.inertia_of_a_joint",
        "section 4, after Table VII",
        "Table VII takes less for the third column of an inertia than Kawasaki et al.",
        1,
        (printed(A_JOINT, "Table VII"),),
        (printed(A_JOINT, "Kawasaki et al., rotational joints only"),),
        first=4,
    ),
    Ranking(
        "lin_fang_1999.f1_before_kawasaki",
        "section 4, before Table VIII",
        "Formulation 1 is more efficient than Algorithms I and II of Kawasaki et al.",
        1,
        (_minimal(1),),
        KAWASAKI,
        4,  # the n of Table VIII, which "shows" it
        8,
    ),
    Ranking(
        "lin_fang_1999.f2_before_kawasaki",
        "section 4, before Table VIII",
        "Formulation 2 is more efficient than both algorithms of Kawasaki et al. for n < 8",
        1,
        (_minimal(2),),
        KAWASAKI,
        2,
        7,
    ),
    Ranking(
        "lin_fang_1999.f2_best_minimal_type_1",
        "section 5, Table VIII",
        "Of the two on minimal parameters Formulation 2 is superior for n ≤ 4",
        1,
        (_minimal(2),),
        (_minimal(1),),
        2,
        4,
    ),
    Ranking(
        "lin_fang_1999.f2_best_minimal_type_2",
        "section 5, Table VIII",
        "Of the two on minimal parameters Formulation 2 is superior for n ≤ 8",
        2,
        (_minimal(2, 2),),
        (_minimal(1, 2),),
        4,
        8,
    ),
    Ranking(
        "lin_fang_1999.best_of_all",
        "section 5",
        "Formulation 1 or 2 on minimal parameters is the most efficient of the literature",
        1,
        (_minimal(1), _minimal(2)),
        (
            printed("[Lin1991] Table I", "Present"),
            printed("[Lin1991] Table I", "Renaud"),
            printed("[Lin1991] Table I", "Walker and Orin"),
            printed("[Lin1991] Table I", "Fijany and Bejczy"),
            *KAWASAKI,
        ),
        2,
        11,
    ),
    *(
        Ranking(
            f"lin_fang_1999.minimal_before_natural_type_{type}",
            "section 2, end",
            "Minimal parameters make Formulation 1 cheaper than the natural ones",
            type,
            (_minimal(1, type),),
            (traced("mass_matrix", "lin_fang_1", only_here=True),),
            4,
            LARGEST,
        )
        for type in (1, 2)
    ),
    Ranking(
        "lin_fang_1999.local_origin_before_centre_of_mass",
        "section 1",
        "Moments about the origin of the local frame beat those about the centre of mass",
        1,
        (_minimal(1),),
        (printed("[Lin1991] Table I", "Walker and Orin"),),
    ),
    *(
        Ranking(
            f"lin_fang_1999.f{k}_underestimated",
            "section 1; section 2",
            f"Formulation {k}, with Table VII, takes less than {work} counts for it",
            1,
            (_whole(k),),
            (earlier,),
            4,  # the n of Table VIII
            8,
        )
        for k, work, earlier in (
            (3, "[Lin1991]", printed("[Lin1991] Table I", "Renaud")),
            (4, "[Lin1991]", printed("[Lin1991] Table I", "Fijany and Bejczy")),
            (5, "the work of Kawasaki et al. (Algorithm I)", KAWASAKI[0]),
        )
    ),
)  # fmt: skip
