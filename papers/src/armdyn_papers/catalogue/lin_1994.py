"""[Lin1994]: minimal linear combinations of inertia parameters, and which can be identified."""

from __future__ import annotations

from armdyn_papers.catalogue.entry import Paper, statement
from armdyn_papers.catalogue.shared_tests import COMPOSITES, ERRATA, PINOCCHIO, RANK
from armdyn_papers.errata import minimal_sets

_HERE = "papers/tests/test_equations_lin_1994.py::"
_ALONE = "minimal/test_other_sets.py::test_the_inertia_matrix_alone_has_the_set_of_its_regressor"
_SETS = "minimal/test_minimal_sets.py::"
_COMPARISON = "minimal/test_comparison.py::"
_PARAMETERS = "minimal/test_minimal_parameters.py::"
_CHRISTOFFEL = "algorithms/test_lin_1991.py::test_coriolis_matrix_is_of_christoffel_symbols"
_KNOWN = _SETS + "test_known_arms_have_the_known_numbers"
_PARTS = _HERE + "test_moments_19_to_29_of_1994_sum_to_the_composites"

_PRELIMINARIES = (
    statement(
        "(1)", "a system linear in its parameters",
        "regressor: newton_euler", "armdyn.Arm.regressor", PINOCCHIO,
    ),
    statement(
        "Definition 1, (2)", "linear dependence of columns over all states",
        "minimal.check:structural_regressor",
        _SETS + "test_sampled_regressor_is_the_regressor", ERRATA,
        note="the number of columns is called n, as that of rows; “if” for “only if”",
    ),
    statement(
        "Theorem 1, (3)", "as many independent columns as combinations that determine the system",
        "armdyn.MinimalParameters.regressor", "minimal.check:judge", RANK,
        _HERE + "test_theorem_1_a_set_has_as_many_elements_as_independent_columns",
    ),
    statement(
        "Definition 2", "a set of minimal linear combinations",
        "armdyn.MinimalParameters", "minimal.check:judge",
        _SETS + "test_verdict_refuses_a_set_with_too_few_or_too_many",
    ),
    statement(
        "(4)", "the equation of motion: inertia matrix, Coriolis forces, gravity",
        "inverse_dynamics: newton_euler", PINOCCHIO,
    ),
    statement(
        "(5)-(7)", "Coriolis forces from Christoffel symbols",
        "coriolis_matrix: lin_1991", "algorithms.christoffel:coriolis_matrix", _CHRISTOFFEL, ERRATA,
        note="indices of (7)",
    ),
    statement(
        "(8)", "torques without gravity", "armdyn.Arm.coriolis_matrix",
        "algorithms/test_lin_1991.py::test_velocities_times_coriolis_matrix_are_bias_without_gravity",
    ),
    statement(
        "Theorem 2, (9)", "sets for inertia and for gravity together make a set for the torques",
        "armdyn.MinimalParameters.partition", _HERE + "test_theorem_2_both_sets_make_the_whole",
        _COMPARISON + "test_partition_9_gives_the_set_of_the_inertia_matrix", ERRATA,
        note="both sides of (9) have the same symbol; the reduced vector needs its own",
    ),
    statement(
        "Theorem 3", "a set for the torques without gravity is one for the inertia matrix alone",
        "armdyn.MinimalParameters.inertia_only", "minimal.other_sets:inertia_set",
        _HERE + "test_theorem_3_the_inertia_matrix_alone", _ALONE,
    ),
)  # fmt: skip

_CONSTANTS = (
    statement(
        "(10)-(11)", "the vector to the next frame, and its rotation",
        "algorithms.frame:Frame", _HERE + "test_geometry_10_11",
        note="the text before (11) gives the rotation the opposite direction",
    ),
    statement(
        "Fig. 1", "the frames", "armdyn.Joint", PINOCCHIO,
    ),
    statement(
        "(12)-(14)", "mass, first moment and inertia of composite bodies",
        "algorithms.composite:composites", COMPOSITES, ERRATA,
        note="arms lack indices; the inertia of a link is about its centre",
    ),
    statement(
        "(15)", "K*: 1 for a rotational joint, 0 for a translational one",
        "algorithms.frame:Frame", PINOCCHIO,
    ),
    statement(
        "(16)-(17)", "the inertia matrix as Renaud has it",
        "mass_matrix: renaud", "algorithms.lin_fang_3:formulation_3", PINOCCHIO,
    ),
    statement(
        "(18)", "gravity from first moments of composite bodies",
        "gravity: lin_1994", "algorithms.lin_1994:gravity", PINOCCHIO,
    ),
    statement(
        "(19)-(20)", "first moments and inertias are a constant and a varying part",
        "algorithms.inertia_constants:inertia_constants", "algorithms.lin_1994:first_moments",
        _PARTS,
    ),
    statement(
        "(21)-(24)", "both parts before a rotational joint",
        "algorithms.inertia_constants:inertia_constants",
        "algorithms.lin_1994:varying_first_moment", _PARTS, ERRATA,
        note="brackets and a stray column. The code has the constants of [LinFang1999] (C2), which "
        "leave U_33 in the varying part",
    ),
    statement(
        "(25)-(29)", "both parts before a translational joint, and their vectors",
        "algorithms.inertia_constants:inertia_constants",
        "algorithms.lin_1994:varying_first_moment", _PARTS,
    ),
    statement(
        "Theorem 4", "a set for gravity alone",
        "armdyn.MinimalParameters.gravity_only", "minimal.closed_form:gravity_only",
        _PARAMETERS + "test_parameters_at_rest_are_part_of_the_set", RANK, ERRATA,
        note="its definitions hold; the parenthesis that spells out sigma names u_i for u_r",
    ),
    statement(
        "(30)-(31)", "the inertia matrix in terms that gravity shows, and others",
        _HERE + "test_first_moments_30_31_follow_from_constants",
    ),
)  # fmt: skip

_SET = (
    statement(
        "Property 1", "independent entries of one row make their columns independent",
        _HERE + "test_property_1_a_row_of_independent_entries",
    ),
    statement(
        "(32)-(35)", "elements of the matrix for a translational joint",
        "algorithms.lin_fang_3:formulation_3", PINOCCHIO,
        _HERE + "test_rows_32_to_39_are_renauds_formulation", ERRATA,
        note="(34) names the moments of body m, (35) lacks a component",
    ),
    statement(
        "Property 2, (36)", "masses and first moments of translational joints that are seen",
        "algorithms.minimal_set:minimal_set", RANK, check=minimal_sets.properties_2_to_4,
    ),
    statement(
        "(37)-(39)", "elements of the matrix for a rotational joint",
        "algorithms.lin_fang_3:formulation_3", PINOCCHIO,
        _HERE + "test_rows_32_to_39_are_renauds_formulation",
    ),
    statement(
        "(40)-(43)", "the varying part between two rotational joints",
        _HERE + "test_varying_part_between_rotational_joints_40_to_43", ERRATA,
        note="the range of (40); indices of (43)",
    ),
    statement(
        "(44)-(45)", "two joints related by their common normal",
        _HERE + "test_common_normal_44_45",
    ),
    statement(
        "Fig. 2", "two joints and their common normal", _HERE + "test_common_normal_44_45",
    ),
    statement(
        "(46)-(48)", "the third column of the varying part, in entries of U",
        _HERE + "test_third_columns_47_and_48", ERRATA,
        note="(46) has two wrong symbols, (48) two entries exchanged",
    ),
    statement(
        "(49)-(50)", "the combination kappa2 of a first moment that a slide shows",
        "algorithms.minimal_set:minimal_set", RANK, _HERE + "test_kappas_36_50_53_54",
    ),
    statement(
        "Property 3", "axial first moments of translational joints that are seen",
        "algorithms.minimal_set:minimal_set", RANK, ERRATA,
        note="its last sentence says “not parallel” where it means “parallel”",
    ),
    statement(
        "(51)-(52)", "what parallel axes leave of (47), and an element beyond joint s",
        _HERE + "test_third_columns_47_and_48", PINOCCHIO,
    ),
    statement(
        "Property 4", "inertias and first moments of rotational joints that are seen",
        "armdyn.MinimalParameters.inertia_only", "algorithms.minimal_set:minimal_set",
        "papers.errata.minimal_sets:components", "minimal.closed_form:closed_form",
        RANK, _ALONE, _HERE + "test_properties_2_to_4_are_independent",
        note="with Properties 2 and 3; first moments from joint s on are not of v but of w_g, (31)",
        check=minimal_sets.properties_2_to_4,
    ),
    statement(
        "(53)-(54)", "the kappas as combinations of constants",
        "armdyn.MinimalParameters.kappas", "algorithms.minimal_set:minimal_set",
        "minimal/test_other_sets.py::test_kappas_are_those_of_53_and_54",
        _HERE + "test_kappas_36_50_53_54", RANK,
    ),
    statement(
        "(55)-(56)", "moments follow from constants by triangular matrices",
        _HERE + "test_first_moments_30_31_follow_from_constants",
    ),
    statement(
        "(57)-(61)", "a set for the inertia matrix, by parts",
        _HERE + "test_theorem_2_both_sets_make_the_whole", ERRATA,
        note="(61) has the same symbol on both sides, as (9)",
    ),
    statement(
        "Theorem 5", "the minimal set for all torques",
        "armdyn.Arm.minimal", "algorithms.minimal_set:minimal_set",
        "minimal.closed_form:closed_form", RANK, _KNOWN, ERRATA,
        note="delta tests every joint up to j, and gravity is not zero",
    ),
    statement(
        "Corollary 6, (62)-(65)", "two minimal sets are equal up to a nonsingular matrix",
        "armdyn.MinimalParameters.is_minimal", "armdyn.MinimalParameters.explain",
        "minimal.comparison:compared",
        _COMPARISON + "test_two_hundred_random_sets_of_fifty_arms_agree_with_ranks",
        _SETS + "test_khalil_gautier_set_is_ours_times_a_nonsingular_matrix",
    ),
    statement(
        "example: Stanford arm", "its set is in an earlier work of the author",
        "armdyn.Arm.minimal", "papers.errata.minimal_sets:stanford", _KNOWN,
        note="that work was not at hand: Theorem 5 gives 33 combinations, which is the rank",
        check=minimal_sets.stanford,
    ),
    statement(
        "claim: it is the set of others in other terms", "Khalil, Gautier, Mayeda",
        "armdyn.MinimalParameters.khalil_gautier",
        _PARAMETERS + "test_khalil_gautier_set_of_a_turning_arm_is_the_same",
        _SETS + "test_published_groupings_of_the_rx90_are_identifiable",
    ),
    statement(
        "claim: the set can be identified", "for a motion that excites all of it",
        "armdyn.identify", "armdyn.excite", _SETS + "test_random_arms_agree_with_the_regressor",
        "identification/test_identify.py::test_parameters_come_out_with_honest_error_bars",
    ),
    statement(
        "claim: inverse dynamics from the set is cheap", "beside other formulations",
        "armdyn.MinimalParameters.inverse_dynamics",
        "minimal/test_minimal_dynamics.py::test_minimal_parameters_take_no_more_multiplications",
    ),
)  # fmt: skip

_APPENDIX = (
    statement(
        "Lemma A1, (A1)", "a set for a sum of products is one for all their factors",
        _HERE + "test_theorem_3_the_inertia_matrix_alone",
    ),
    statement(
        "Lemma A2", "a nonsingular matrix keeps columns independent",
        _HERE + "test_lemma_A2_a_nonsingular_matrix_keeps_columns_independent",
    ),
    statement(
        "(A2)-(A9)", "the proof of Theorem 1",
        "minimal.check:numerical_set",
        _HERE + "test_theorem_1_a_set_has_as_many_elements_as_independent_columns", ERRATA,
        note="numbers of columns, and the size of the matrix in (A9)",
    ),
    statement(
        "(A10)-(A13)", "the proof of Theorem 2",
        _HERE + "test_theorem_2_both_sets_make_the_whole", ERRATA,
        note="(A10) has the symbol of (9)",
    ),
    statement(
        "(A14)-(A16)", "the proof of Theorem 3", _HERE + "test_theorem_3_the_inertia_matrix_alone",
    ),
)  # fmt: skip

PAPER = Paper(
    "lin_1994",
    "[Lin1994]",
    "An approach to the identifiable parameters of a manipulator",
    "(1)-(65), (A1)-(A16)",
    (*_PRELIMINARIES, *_CONSTANTS, *_SET, *_APPENDIX),
    about="Torques depend on inertia parameters only through combinations of them. The paper "
    "defines a minimal set of linear combinations by least squares, so that minimal and "
    "identifiable are the same. It shows that a set for the inertia matrix and one for "
    "gravity together make a set for all torques. From the constants of composite bodies it "
    "then writes down such a set for every arm with rotational and sliding joints. Any "
    "other set is equal to it up to a nonsingular matrix, which `arm.minimal.is_minimal` "
    "tests.",
    example="\n".join(
        (
            'base = armdyn.load("stanford").minimal',
            "print(len(base), base.names[:6])",
            "print(base.explain(base.matrix[1:]))",
        )
    ),
)
