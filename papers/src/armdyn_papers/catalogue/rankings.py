"""What the papers claim about numbers of operations; `armdyn_papers.claims` tries each of them."""

from __future__ import annotations

from armdyn_papers.catalogue.entry import Entry, corrected, fails, holds

_TESTED = "papers/tests/test_rankings.py::test_verdicts_are_those_of_the_trials"
_PRINTED = "by counts as printed; once they are simplified not for all of these n"
_SEE = "`armdyn-papers claims` shows for which n"

LIN_FANG_1999: tuple[Entry, ...] = (
    corrected(
        "claim: Formulation 2 beats 3", "for every n, both types", _TESTED,
        "lin_fang_1999.f2_before_f3_type_1", "lin_fang_1999.f2_before_f3_type_2", note=_PRINTED,
    ),
    corrected(
        "claim: what 3 takes more than 2", "n(n - 1) products for Type 1, n(n - 3) for Type 2",
        _TESTED, "lin_fang_1999.f3_costs_more_type_1", "lin_fang_1999.f3_costs_more_type_2",
        note="for Type 2 its own formulas differ by n² - 3n + 5",
    ),
    corrected(
        "claim: Formulation 1 beats 5", "for every n, both types", _TESTED,
        "lin_fang_1999.f1_before_f5_type_1", "lin_fang_1999.f1_before_f5_type_2", note=_PRINTED,
    ),
    fails(
        "claim: what 5 takes more than 1", "4n additions", _TESTED, "lin_fang_1999.f5_adds_more",
        note="4n - 2 by its own formulas",
    ),
    fails(
        "claim: Formulation 4 is the dearest of 1, 4 and 5", "for n <= 11", _TESTED,
        "lin_fang_1999.f4_last_type_1", "lin_fang_1999.f4_last_type_2",
        note="not at both ends of this range, by its own formulas; " + _SEE,
    ),
    corrected(
        "claim: Formulation 1 is the cheapest", "Type 1, n = 5..11, and Type 2, n = 9..11", _TESTED,
        "lin_fang_1999.f1_best_type_1", "lin_fang_1999.f1_best_type_2",
        note="by M + A, not by M; " + _PRINTED,
    ),
    corrected(
        "claim: Formulation 2 is the cheapest", "Type 1, n <= 4, and Type 2, n <= 8", _TESTED,
        "lin_fang_1999.f2_best_type_1", "lin_fang_1999.f2_best_type_2", note=_PRINTED,
    ),
    corrected(
        "claim: what a sliding joint 3 saves", "(13n - 44)M (11n - 36)A of Formulation 2, 10M 4A "
        "of Formulation 1", _TESTED,
        "lin_fang_1999.f2_saves_by_translation", "lin_fang_1999.f1_saves_by_translation",
        note="Formulation 2 saves 3M 3A more by the lines of its own table",
    ),
    holds(
        "claim: a composite body takes less than Kawasaki et al.", "24M 27A against 27M 34A",
        _TESTED, "lin_fang_1999.inertia_of_a_joint",
        note="beside their quoted counts; their algorithm is not in this paper",
    ),
    fails(
        "claim: Formulation 1 beats Kawasaki et al.", "Algorithms I and II, for every n", _TESTED,
        "lin_fang_1999.f1_before_kawasaki", note="not for the fewest joints; " + _SEE,
    ),
    holds(
        "claim: Formulation 2 beats Kawasaki et al.", "Algorithms I and II, for n < 8", _TESTED,
        "lin_fang_1999.f2_before_kawasaki", note="beside their quoted counts",
    ),
    corrected(
        "claim: Formulation 2 beats 1 on minimal parameters", "for few joints", _TESTED,
        "lin_fang_1999.f2_best_minimal_type_1", "lin_fang_1999.f2_best_minimal_type_2",
        note=_PRINTED,
    ),
    holds(
        "claim: the cheapest of the literature", "Formulation 1 or 2, for less than twelve joints",
        _TESTED, "lin_fang_1999.best_of_all",
        note="of the works it compares; `split` takes less",
    ),
    holds(
        "claim: minimal parameters save operations", "beside the natural inertia parameters",
        _TESTED, "lin_fang_1999.minimal_before_natural_type_1",
        "lin_fang_1999.minimal_before_natural_type_2",
        note="in M + A; of Type 2 some take a few M more and many A fewer",
    ),
    holds(
        "claim: moments about joints are cheaper", "than those about centres of mass", _TESTED,
        "lin_fang_1999.local_origin_before_centre_of_mass",
    ),
)  # fmt: skip

LIN_1991: tuple[Entry, ...] = (
    fails(
        "claim: cheapest matrix from five joints on", "beside the four others of Table I",
        _TESTED, "lin_1991.matrix_from_5",
        note="for many joints not by its own formulas; " + _SEE,
    ),
    corrected(
        "claim: cheaper than Renaud from five joints on", "the best of the earlier ones", _TESTED,
        "lin_1991.before_renaud", note=_PRINTED,
    ),
    holds(
        "claim: Lin (1990) is cheapest up to four joints", "beside the four others of Table I",
        _TESTED, "lin_1991.matrix_up_to_4", note="by quoted counts; its equations are not printed",
    ),
    corrected(
        "claim: one fixed point is cheaper than centres of mass", "as Walker and Orin take them",
        _TESTED, "lin_1991.before_walker_orin", note="once both are simplified, from n = 4 on",
    ),
    fails(
        "claim: any other reference point costs more", "than the origin of the base frame", _TESTED,
        "lin_1991.other_origins", "algorithms.lin_1991:composites",
        "algorithms/test_lin_1991.py::test_any_origin_gives_the_same_matrix",
        note="with our algebra, since the paper does not print these: the origins of joints 2 and "
        "3 take less, those of the last joints more from n = 6 on",
    ),
    fails(
        "claim: Fijany and Bejczy is dearer than Renaud", "whose elements are written out", _TESTED,
        "lin_1991.renaud_before_fijany_bejczy", note="not for many joints; " + _SEE,
    ),
    holds(
        "claim: E_2 is better than the last frame", "for Fijany and Bejczy", _TESTED,
        "lin_1991.second_frame_before_last",
    ),
    fails(
        "claim: no frame is better than both", "for Fijany and Bejczy", _TESTED,
        "lin_1991.second_or_last_frame", note="frames in the middle are cheaper",
    ),
    corrected(
        "claim: cheapest bias up to six joints", "beside recursive Newton-Euler algorithms",
        _TESTED, "lin_1991.bias_up_to_6",
        note="by quoted counts; measured, the recursions of this package take less from n = 6 on",
    ),
    holds(
        "claim: it can be computed in parallel", "as Kasahara et al. did for Walker and Orin",
        _TESTED, "lin_1991.parallel",
        "graph/test_depth.py::test_depth_lies_between_the_bounds_of_any_program",
        note="operations over the critical path grow with n, though Walker and Orin's gain is "
        "larger",
    ),
)  # fmt: skip

SAHA_1999: tuple[Entry, ...] = (
    fails(
        "claim: O(n) pays from n = 12 on", "beside solving with the inertia matrix", _TESTED,
        "saha_1999.recursive_from_12", "forward_dynamics: denoc",
        "forward_dynamics: mass_matrix_udu",
        note="already for fewer joints; " + _SEE + ". That its motion is smoother was not tried",
    ),
    holds(
        "claim: it takes less than Featherstone (1983)", "(199n - 198)M (174n - 173)A", _TESTED,
        "saha_1999.before_featherstone", "forward_dynamics: articulated_body",
        note="by M; by M + A its quoted formula takes more from some n on",
    ),
    holds(
        "claim: orders of n", "the recursion is O(n), solving with the matrix O(n³)", _TESTED,
        "saha_1999.linear", "saha_1999.matrix_cubic",
    ),
)  # fmt: skip

MATA_2002: tuple[Entry, ...] = (
    holds(
        "claim: inverse dynamics is as cheap as the best", "beside Luh et al., Kane, Balafoutis",
        _TESTED, "mata_2002.inverse_before_luh", "mata_2002.inverse_comparable",
        note="two of them by quoted counts, at n = 6",
    ),
    holds(
        "claim: gravity as an acceleration of the base", "takes fewer operations than (9)", _TESTED,
        "mata_2002.gravity_as_acceleration", "algorithms.gibbs_appell:inverse_dynamics",
        "algorithms/test_gibbs_appell.py::test_gravity_in_forces_gives_the_same_torques",
    ),
    holds(
        "claim: the inertia matrix is cheap", "beside Walker and Orin, Angeles and Ma", _TESTED,
        "mata_2002.matrix", note="the latter by its quoted count",
    ),
    holds(
        "claim: forward dynamics is cheapest by GA", "n = 6, beside CRBA, ABA and NOC", _TESTED,
        "mata_2002.forward", note="of its own rows; `mass_matrix_udu` takes less",
    ),
    fails(
        "claim: ABA pays from nine bodies on", "beside CRBA, quoted from Featherstone", _TESTED,
        "mata_2002.articulated_from_9", note="already for fewer; " + _SEE,
    ),
    holds(
        "claim: the bias takes less than the torques", "from which it is made", _TESTED,
        "mata_2002.bias_before_inverse",
    ),
    holds(
        "claim: orders of n", "inverse dynamics is O(n), the inertia matrix O(n²)", _TESTED,
        "mata_2002.inverse_linear", "mata_2002.matrix_square",
    ),
)  # fmt: skip
