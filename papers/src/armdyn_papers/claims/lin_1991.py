"""The claims of [Lin1991]: arms of rotational joints."""

from __future__ import annotations

from armdyn_papers.claims.claim import LARGEST, Claim, Contender, Parallel, Ranking, printed, traced


def _matrix(label: str) -> Contender:
    return printed("[Lin1991] Table I", label)


def _bias(label: str) -> Contender:
    return printed("[Lin1991] Table II", label)


# The n of Tables I and II: what the paper ranks without a range of n is read there.
TABLE_N = (2, 8)

OTHERS = ("Walker and Orin", "Renaud", "Lin (1990)", "Fijany and Bejczy")

CLAIMS: tuple[Claim, ...] = (
    Ranking(
        "lin_1991.matrix_from_5",
        "abstract; text after Table I",
        "The new method is the most efficient of the five for five or more joints",
        1,
        (_matrix("Present"),),
        tuple(map(_matrix, OTHERS)),
        5,
    ),
    Ranking(
        "lin_1991.matrix_up_to_4",
        "text after Table I",
        "The earlier algorithm of the author (1990) is preferable for up to four joints",
        1,
        (_matrix("Lin (1990)"),),
        (_matrix("Present"), *(_matrix(o) for o in OTHERS if o != "Lin (1990)")),
        2,
        4,
    ),
    Ranking(
        "lin_1991.before_renaud",
        "abstract; text after Table I",
        "The new method is more efficient than Renaud's for five or more joints",
        1,
        (_matrix("Present"),),
        (_matrix("Renaud"),),
        5,
    ),
    Ranking(
        "lin_1991.before_walker_orin",
        "section 5",
        "One fixed reference point is cheaper than the centre of mass",
        1,
        (_matrix("Present"),),
        (_matrix("Walker and Orin"),),
        *TABLE_N,
    ),
    Ranking(
        "lin_1991.other_origins",
        "section 5",
        "Points of links, the origins of their frames, cost more than the origin of the base frame",
        1,
        (_matrix("Present"),),
        tuple(
            traced("mass_matrix about another origin", which)
            for which in ("second", "third", "next to last", "last")
        ),
        4,
    ),
    Ranking(
        "lin_1991.renaud_before_fijany_bejczy",
        "section 1; Appendix",
        "Renaud's formulation is more efficient than that of Fijany and Bejczy",
        1,
        (_matrix("Renaud"),),
        (_matrix("Fijany and Bejczy"),),
        *TABLE_N,
    ),
    Ranking(
        "lin_1991.second_frame_before_last",
        "Table I, footnote",
        "Fijany and Bejczy's algorithm is cheaper in frame E_2 than in that of the last link",
        1,
        (_matrix("Fijany and Bejczy"),),
        (traced("mass_matrix in one frame", "last"),),
        4,
    ),
    Ranking(
        "lin_1991.second_or_last_frame",
        "Appendix, end",
        "Fijany and Bejczy's algorithm is cheapest in frame E_2 or in that of the last link",
        1,
        (_matrix("Fijany and Bejczy"), traced("mass_matrix in one frame", "last")),
        (
            traced("mass_matrix in one frame", "third"),
            traced("mass_matrix in one frame", "next to last"),
        ),
        4,
        LARGEST,
    ),
    Ranking(
        "lin_1991.bias_up_to_6",
        "abstract; text before Table II",
        "The new bias vector is cheaper than the recursive Newton-Euler algorithms up to n = 6",
        1,
        (_bias("Present"),),
        (
            _bias("Khalil and Kleinfinger"),
            _bias("Balafoutis et al."),
            traced("bias", "newton_euler"),
            traced("bias", "second_moment"),
        ),
        2,
        6,
    ),
    Parallel(
        "lin_1991.parallel",
        "section 5, end",
        "Parallel computation, in use for Walker and Orin's method, applies to the new one, too",
        1,
        _matrix("Present"),
        _matrix("Walker and Orin"),
    ),
)
