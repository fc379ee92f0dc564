"""The claims of [Mata2002]: arms of rotational joints."""

from __future__ import annotations

from armdyn_papers.claims.claim import Claim, Contender, Order, Ranking, printed, traced


def _row(table: int, label: str) -> Contender:
    return printed(f"[Mata2002] Table {table}", label)


THIS, WALKER_ORIN = "This work, Gibbs-Appell", "Walker and Orin, composite bodies"
FEATHERSTONE = "Featherstone, articulated bodies"
ANGELES_MA = "Angeles and Ma, natural orthogonal complement"
LUH, BALAFOUTIS = "Luh et al., Newton-Euler", "Balafoutis and Patel, Newton-Euler"

CLAIMS: tuple[Claim, ...] = (
    Ranking(
        "mata_2002.inverse_before_luh",
        "section 6; Table 1",
        "The Gibbs-Appell recursion takes less than the Newton-Euler recursion of Luh et al.",
        1,
        (_row(1, THIS),),
        (_row(1, LUH),),
    ),
    Ranking(
        "mata_2002.inverse_comparable",
        "section 6; Table 1",
        "The Gibbs-Appell recursion takes no more than the best known, at n = 6",
        1,
        (_row(1, THIS),),
        (_row(1, LUH), _row(1, "Angeles et al., Kane"), _row(1, BALAFOUTIS)),
        6,
        6,
    ),
    Ranking(
        "mata_2002.gravity_as_acceleration",
        "section 4.1",
        "Gravity as an acceleration of the base takes less than in the force of every link",
        1,
        (_row(1, THIS),),
        (traced("inverse_dynamics, gravity in forces", "gibbs_appell"),),
    ),
    Ranking(
        "mata_2002.matrix",
        "section 6; Table 2",
        "The inertia matrix takes less than by Walker and Orin and by Angeles and Ma",
        1,
        (_row(2, THIS),),
        (_row(2, WALKER_ORIN), _row(2, ANGELES_MA)),
    ),
    Ranking(
        "mata_2002.forward",
        "section 6; Table 4",
        "Forward dynamics takes less than by composite bodies and by articulated bodies, at n = 6",
        1,
        (_row(4, THIS),),
        (_row(4, WALKER_ORIN), _row(4, FEATHERSTONE), _row(4, ANGELES_MA)),
        6,
        6,
    ),
    Ranking(
        "mata_2002.articulated_from_9",
        "section 1",
        "Articulated bodies take less than composite bodies only from n = 9 on",
        1,
        (_row(4, FEATHERSTONE),),
        (_row(4, WALKER_ORIN),),
        9,
        only=True,
    ),
    Ranking(
        "mata_2002.bias_before_inverse",
        "section 4.2, end",
        "The bias vector takes less than the inverse dynamics it is made from",
        1,
        (_row(3, "Bias vector calculation"),),
        (_row(1, THIS),),
    ),
    Order(
        "mata_2002.inverse_linear",
        "abstract",
        "Inverse dynamics is of order n",
        1,
        _row(1, THIS),
        1,
    ),
    Order(
        "mata_2002.matrix_square",
        "abstract",
        "The inertia matrix is of order n²",
        1,
        _row(2, THIS),
        2,
    ),
)
