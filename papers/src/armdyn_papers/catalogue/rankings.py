"""What the papers claim about numbers of operations; `armdyn_papers.claims` tries each of them."""

from __future__ import annotations

from armdyn_papers.catalogue.entry import Entry, statement

_TESTED = "papers/tests/test_rankings.py::test_verdicts_are_those_of_the_trials"

LIN_FANG_1999: tuple[Entry, ...] = (
    statement(
        "claim: Formulation 2 beats 3", "“always more efficient”, both types", _TESTED,
        "lin_fang_1999.f2_before_f3_type_1", "lin_fang_1999.f2_before_f3_type_2",
    ),
    statement(
        "claim: what 3 takes more than 2", "n(n - 1) products for Type 1, n(n - 3) for Type 2",
        _TESTED, "lin_fang_1999.f3_costs_more_type_1", "lin_fang_1999.f3_costs_more_type_2",
    ),
    statement(
        "claim: Formulation 1 beats 5", "“always computationally superior”, both types", _TESTED,
        "lin_fang_1999.f1_before_f5_type_1", "lin_fang_1999.f1_before_f5_type_2",
    ),
    statement(
        "claim: what 5 takes more than 1", "4n additions", _TESTED, "lin_fang_1999.f5_adds_more",
    ),
    statement(
        "claim: Formulation 4 is the dearest of 1, 4 and 5", "for n <= 11", _TESTED,
        "lin_fang_1999.f4_last_type_1", "lin_fang_1999.f4_last_type_2",
    ),
    statement(
        "claim: Formulation 1 is the cheapest", "Type 1, n = 5..11, and Type 2, n = 9..11", _TESTED,
        "lin_fang_1999.f1_best_type_1", "lin_fang_1999.f1_best_type_2",
    ),
    statement(
        "claim: Formulation 2 is the cheapest", "Type 1, n <= 4, and Type 2, n <= 8", _TESTED,
        "lin_fang_1999.f2_best_type_1", "lin_fang_1999.f2_best_type_2",
    ),
    statement(
        "claim: what a sliding joint 3 saves", "(13n - 44)M (11n - 36)A of Formulation 2, 10M 4A "
        "of Formulation 1", _TESTED,
        "lin_fang_1999.f2_saves_by_translation", "lin_fang_1999.f1_saves_by_translation",
    ),
    statement(
        "claim: a composite body takes less than Kawasaki et al.", "24M 27A against 27M 34A",
        _TESTED, "lin_fang_1999.inertia_of_a_joint",
        note="beside their quoted counts; their algorithm is not in this paper",
    ),
    statement(
        "claim: Formulation 1 beats Kawasaki et al.", "Algorithms I and II, by Table VIII", _TESTED,
        "lin_fang_1999.f1_before_kawasaki",
    ),
    statement(
        "claim: Formulation 2 beats Kawasaki et al.", "Algorithms I and II, for n < 8", _TESTED,
        "lin_fang_1999.f2_before_kawasaki", note="beside their quoted counts",
    ),
    statement(
        "claim: Formulation 2 beats 1 on minimal parameters", "for few joints", _TESTED,
        "lin_fang_1999.f2_best_minimal_type_1", "lin_fang_1999.f2_best_minimal_type_2",
    ),
    statement(
        "claim: the cheapest of the literature", "Formulation 1 or 2, for less than twelve joints",
        _TESTED, "lin_fang_1999.best_of_all",
        note="of the works it compares; `split` takes less",
    ),
    statement(
        "claim: minimal parameters save operations", "beside the natural inertia parameters",
        _TESTED, "lin_fang_1999.minimal_before_natural_type_1",
        "lin_fang_1999.minimal_before_natural_type_2",
    ),
    statement(
        "claim: moments about joints are cheaper", "than those about centres of mass", _TESTED,
        "lin_fang_1999.local_origin_before_centre_of_mass",
    ),
    statement(
        "claim: the efficiency was underestimated", "of Formulations 3, 4 and 5 in the earlier "
        "works", _TESTED, "lin_fang_1999.f3_underestimated", "lin_fang_1999.f4_underestimated",
        "lin_fang_1999.f5_underestimated",
        note="of Formulation 1 no earlier count is in the papers at hand; Table VII is of minimal "
        "parameters, the counts of [Lin1991] are of natural ones",
    ),
)  # fmt: skip

LIN_1991: tuple[Entry, ...] = (
    statement(
        "claim: cheapest matrix from five joints on", "beside the four others of Table I",
        _TESTED, "lin_1991.matrix_from_5",
    ),
    statement(
        "claim: cheaper than Renaud from five joints on", "the best of the earlier ones", _TESTED,
        "lin_1991.before_renaud",
    ),
    statement(
        "claim: Lin (1990) is cheapest up to four joints", "beside the four others of Table I",
        _TESTED, "lin_1991.matrix_up_to_4", "mass_matrix: lin_1990",
        "algorithms.lin_1990:mass_matrix",
        note="its equations are not printed, only described",
    ),
    statement(
        "claim: one fixed point is cheaper than centres of mass", "as Walker and Orin take them",
        _TESTED, "lin_1991.before_walker_orin",
    ),
    statement(
        "claim: any other reference point costs more", "than the origin of the base frame", _TESTED,
        "lin_1991.other_origins", "algorithms.lin_1991:composites",
        "algorithms/test_lin_1991.py::test_any_origin_gives_the_same_matrix",
        note="the paper does not print these: the origins of joints 2 and 3 take less, those of "
        "the last joints more from n = 6 on",
    ),
    statement(
        "claim: Fijany and Bejczy is dearer than Renaud", "whose elements are written out", _TESTED,
        "lin_1991.renaud_before_fijany_bejczy",
    ),
    statement(
        "claim: E_2 is better than the last frame", "for Fijany and Bejczy", _TESTED,
        "lin_1991.second_frame_before_last",
    ),
    statement(
        "claim: no frame is better than both", "for Fijany and Bejczy", _TESTED,
        "lin_1991.second_or_last_frame", note="frames in the middle are cheaper",
    ),
    statement(
        "claim: cheapest bias up to six joints", "beside recursive Newton-Euler algorithms",
        _TESTED, "lin_1991.bias_up_to_6",
        note="beside the quoted counts of two recursive Newton-Euler algorithms",
    ),
    statement(
        "claim: it can be computed in parallel", "as Kasahara et al. did for Walker and Orin",
        _TESTED, "lin_1991.parallel",
        "graph/test_depth.py::test_depth_lies_between_the_bounds_of_any_program",
        note="operations over the critical path grow with n, though Walker and Orin's gain is "
        "larger",
    ),
)  # fmt: skip

SAHA_1999: tuple[Entry, ...] = (
    statement(
        "claim: O(n) pays from n = 12 on", "beside solving with the inertia matrix", _TESTED,
        "saha_1999.recursive_from_12", "forward_dynamics: denoc",
        "forward_dynamics: mass_matrix_udu",
        note="of the algorithms it cites only the totals are known",
    ),
    statement(
        "claim: it takes less than Featherstone (1983)", "(199n - 198)M (174n - 173)A", _TESTED,
        "saha_1999.before_featherstone", "forward_dynamics: articulated_body",
    ),
    statement(
        "claim: orders of n", "the recursion is O(n), solving with the matrix O(n³)", _TESTED,
        "saha_1999.linear", "saha_1999.matrix_cubic",
    ),
)  # fmt: skip

MATA_2002: tuple[Entry, ...] = (
    statement(
        "claim: inverse dynamics is as cheap as the best", "beside Luh et al., Kane, Balafoutis",
        _TESTED, "mata_2002.inverse_before_luh", "mata_2002.inverse_comparable",
        note="two of them by quoted counts, at n = 6",
    ),
    statement(
        "claim: gravity as an acceleration of the base", "takes fewer operations than (9)", _TESTED,
        "mata_2002.gravity_as_acceleration", "algorithms.gibbs_appell:inverse_dynamics",
        "algorithms/test_gibbs_appell.py::test_gravity_in_forces_gives_the_same_torques",
    ),
    statement(
        "claim: the inertia matrix is cheap", "beside Walker and Orin, Angeles and Ma", _TESTED,
        "mata_2002.matrix", note="the latter by its quoted count",
    ),
    statement(
        "claim: forward dynamics is cheapest by GA", "n = 6, beside CRBA, ABA and NOC", _TESTED,
        "mata_2002.forward", note="of its own rows; `mass_matrix_udu` takes less",
    ),
    statement(
        "claim: ABA pays from nine bodies on", "beside CRBA, quoted from Featherstone", _TESTED,
        "mata_2002.articulated_from_9",
    ),
    statement(
        "claim: the bias takes less than the torques", "from which it is made", _TESTED,
        "mata_2002.bias_before_inverse",
    ),
    statement(
        "claim: orders of n", "inverse dynamics is O(n), the inertia matrix O(n²)", _TESTED,
        "mata_2002.inverse_linear", "mata_2002.matrix_square",
    ),
)  # fmt: skip
