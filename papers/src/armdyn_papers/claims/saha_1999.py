"""The claims of [Saha1999]: forward dynamics of arms of rotational joints."""

from __future__ import annotations

from armdyn_papers.claims.claim import Claim, Order, Ranking, printed, traced

SAHA = printed("[Saha1999] section 7", "Saha (1997), decoupled natural orthogonal complement")
FEATHERSTONE = printed("[Saha1999] section 7", "Featherstone (1983), articulated bodies")
BY_MATRIX = (
    traced("forward_dynamics", "mass_matrix_udu"),
    traced("forward_dynamics", "gibbs_appell"),
    traced("forward_dynamics from parts", "walker_orin, newton_euler, cholesky"),
)

CLAIMS: tuple[Claim, ...] = (
    Ranking(
        "saha_1999.recursive_from_12",
        "section 1",
        "Recursions of order n take less than solving with the inertia matrix only from n = 12 on",
        1,
        (SAHA, FEATHERSTONE),
        BY_MATRIX,
        12,
        only=True,
    ),
    Ranking(
        "saha_1999.before_featherstone",
        "section 7",
        "The recursion of Saha (1997) takes less than that of Featherstone (1983)",
        1,
        (SAHA,),
        (FEATHERSTONE,),
    ),
    Order("saha_1999.linear", "abstract", "The recursion is of order n", 1, SAHA, 1),
    Order(
        "saha_1999.matrix_cubic",
        "section 1",
        "Forward dynamics by the inertia matrix is of order n³",
        1,
        traced("forward_dynamics", "gibbs_appell"),
        3,
    ),
)
