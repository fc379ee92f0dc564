"""[Saha1999]: the inertia matrix of serial robots, and its inverse in closed form."""

from __future__ import annotations

from armdyn_papers.catalogue.entry import Paper, statement
from armdyn_papers.catalogue.rankings import SAHA_1999
from armdyn_papers.catalogue.shared_tests import ERRATA, PINOCCHIO, VERDICTS

_HERE = "papers/tests/test_equations_saha.py::"
_SYMBOLIC = "algorithms/test_saha_symbolic.py::"
_DENOC = "algorithms/test_denoc.py::"
_MATRICES = "algorithms/test_denoc_matrices.py::test_floats_match_pinocchio"
_FORMULAS = "symbolics/test_saha_closed_forms.py::"

_MODEL = (
    statement(
        "(1)-(5)", "names: twists, wrenches, extended masses and angular velocities",
        "algorithms.spatial:Inertia", _HERE + "test_newton_euler_6_to_8", ERRATA,
        note="the text before (1) names the wrench by another letter",
    ),
    statement(
        "(6a)-(6b)", "the Newton-Euler equations of a link", _HERE + "test_newton_euler_6_to_8",
    ),
    statement(
        "(7)-(8)", "the same in six and in 6n numbers",
        "algorithms.spatial:rigid_inertia", _HERE + "test_newton_euler_6_to_8",
    ),
    statement(
        "(9a)-(9b)", "velocities of a link from those of the link before",
        _HERE + "test_twists_9_to_13_are_the_velocities",
    ),
    statement(
        "(10)-(13)", "the same as twists: B, p, and their rules",
        "algorithms.denoc:mass_matrix", "algorithms.spatial:motion_to_child",
        _HERE + "test_twists_9_to_13_are_the_velocities",
    ),
    statement(
        "(14)-(15)", "the natural orthogonal complement as a product of two matrices",
        "armdyn.Arm.denoc_matrices", "algorithms.denoc_matrices:denoc_matrices",
        _HERE + "test_complement_14_15_maps_rates_to_twists", _MATRICES,
        ERRATA, note="N_d is 6n x n; 6n x 6n is printed",
    ),
    statement(
        "(16)-(17)", "its transpose removes the forces of constraint",
        _HERE + "test_equations_of_motion_16_to_18",
    ),
    statement(
        "(18)", "the equations of motion",
        "inverse_dynamics: newton_euler", "armdyn.Arm.denoc_matrices",
        _HERE + "test_equations_of_motion_16_to_18", _MATRICES, ERRATA,
        note="the derivative of the twist before it lacks a dot in both terms. Its C is not the "
        "matrix of Christoffel symbols, which `coriolis_matrix` is, though both have the same "
        "product with the rates",
    ),
    statement(
        "(19)-(22)", "the inertia matrix from composite masses",
        "mass_matrix: denoc", "algorithms.denoc:mass_matrix",
        "algorithms.denoc:composite_masses", PINOCCHIO,
        _HERE + "test_inertia_matrix_19_to_22_from_composite_masses",
    ),
    statement(
        "Fig. 1", "a serial robot of n links", "armdyn.Robot", PINOCCHIO,
    ),
    statement(
        "Fig. 2", "two coupled links, and the vectors between their centres",
        _HERE + "test_twists_9_to_13_are_the_velocities",
    ),
)  # fmt: skip

_INVERSE = (
    statement(
        "(23)-(25)", "elementary upper triangular matrices",
        "algorithms.udu:factors", _HERE + "test_elementary_matrices_23_to_31_eliminate",
    ),
    statement(
        "(26)-(31)", "their products eliminate the inertia matrix from its last column",
        "algorithms.udu:factors", _HERE + "test_elementary_matrices_23_to_31_eliminate",
    ),
    statement(
        "(32)", "the factors U D Uᵀ of the inertia matrix",
        "udu: denoc", "udu: mass_matrix_udu", "armdyn.Arm.udu", PINOCCHIO,
        _DENOC + "test_elimination_on_formulas_gives_the_factors_of_elimination_on_numbers",
    ),
    statement(
        "(33)-(35)", "their entries from articulated bodies",
        "udu: denoc", "algorithms.denoc_udu:udu", "algorithms.denoc_udu:articulated",
        "algorithms.denoc_udu:Pivot.released", PINOCCHIO, ERRATA,
        note="a hat for a tilde after (35)",
    ),
    statement(
        "(36)", "the inverse from the inverted factors",
        "inverse_mass_matrix: denoc", "forward_dynamics: denoc",
        "algorithms.denoc_inverse:inverse_from_factors", PINOCCHIO, ERRATA,
        note="commas in a product",
    ),
    statement(
        "(37)", "the product of two elementary matrices",
        _HERE + "test_elementary_matrices_23_to_31_eliminate",
    ),
    statement(
        "(38)-(40)", "the entries alpha' of the inverse of U",
        "algorithms.denoc_inverse:unit_upper_inverse", ERRATA,
        note="their sign is printed both ways; (40) has a bar for a hat",
    ),
    statement(
        "(41)", "the same in closed form from articulated bodies",
        "inverse_mass_matrix: denoc_closed", "forward_dynamics: denoc",
        "algorithms.denoc_closed_inverse:inverse_mass_matrix",
        "algorithms.denoc_forward:eliminated_torques", PINOCCHIO,
        _DENOC + "test_primed_alphas_by_recursion_39_are_those_of_the_closed_form_41", ERRATA,
        note="indices i and j are interchanged in part of it",
    ),
    statement(
        "claim: elimination is Cholesky's", "footnote 1, for a positive definite matrix",
        "algorithms.cholesky:cholesky", "algorithms.udu:factors",
        _HERE + "test_elimination_from_the_last_column_is_choleskys",
    ),
    statement(
        "claim: elimination and filtering are equivalent", "to Rodriguez and Kreutz-Delgado's "
        "Kalman filter, under conditions", "algorithms.denoc_forward:forward_dynamics",
        _DENOC + "test_recursive_passes_solve_with_the_inertia_matrix",
        note="in the sense shown: the recursion solves with the same matrix; their paper was not "
        "at hand",
    ),
    statement(
        "claim: the diagonal of D is the inertia of articulated bodies", "about their joints",
        "algorithms.articulated_body:forward_dynamics", "algorithms.denoc_udu:pivot",
        _HERE + "test_pivots_are_what_a_joint_feels_with_later_joints_free",
    ),
)  # fmt: skip

_EXAMPLE = (
    statement(
        "example: section 6, Fig. 3", "a planar arm of three links",
        "armdyn.load", _SYMBOLIC + "test_inertia_matrix_is_the_vector_form_of_43",
    ),
    statement(
        "(42)", "its inertia matrix",
        "mass_matrix: denoc", _SYMBOLIC + "test_inertia_matrix_is_the_vector_form_of_43",
    ),
    statement(
        "(43a)-(43f)", "the six entries, by vectors and written out",
        "armdyn.symbolic", "mass_matrix: denoc",
        _FORMULAS + "test_inertia_matrix_is_that_of_43",
        _SYMBOLIC + "test_inertia_matrix_is_the_vector_form_of_43",
        _SYMBOLIC + "test_inertia_matrix_of_slender_bars_is_the_expanded_form_of_43",
    ),
    statement(
        "(44)", "sums of angles, and the vectors that (43) needs",
        _SYMBOLIC + "test_inertia_matrix_is_the_vector_form_of_43", ERRATA,
        note="rho_23 after it has theta_23 for theta_12",
    ),
    statement(
        "(45)", "the factors U and D",
        "armdyn.symbolic", "udu: denoc", _FORMULAS + "test_factors_are_those_of_45_and_46",
        _SYMBOLIC + "test_factors_are_those_of_45", ERRATA,
        note="a length l_2 stands for the inertia I_2",
    ),
    statement(
        "(46)", "the inertia matrix from the factors",
        "armdyn.symbolic", _FORMULAS + "test_factors_are_those_of_45_and_46",
        _SYMBOLIC + "test_inverse_has_the_entries_of_48_and_inverts_46",
    ),
    statement(
        "(47)", "the inverted factors",
        "armdyn.symbolic", _FORMULAS + "test_inverse_is_that_of_47_and_48",
        "algorithms.denoc_inverse:unit_upper_inverse",
        _SYMBOLIC + "test_inverse_of_U_has_the_primed_alphas", ERRATA,
        note="signs, names, and a factor of alpha'_13",
    ),
    statement(
        "(48)", "the inverse, entry by entry",
        "armdyn.symbolic", "inverse_mass_matrix: denoc",
        _FORMULAS + "test_inverse_is_that_of_47_and_48",
        _SYMBOLIC + "test_inverse_has_the_entries_of_48_and_inverts_46", ERRATA,
        note="squares are missing on the diagonal",
    ),
    statement(
        "claim: (46) times (48) is 1", "a simple matter to verify",
        "armdyn.symbolic", _FORMULAS + "test_inverse_inverts",
        _SYMBOLIC + "test_inverse_has_the_entries_of_48_and_inverts_46", ERRATA,
        note="true of the corrected (47) and (48) only",
    ),
    statement(
        "(49)-(51)", "one step of the elimination, on formulas",
        "algorithms.denoc_udu:articulated", _HERE + "test_one_step_of_elimination_49_to_51",
    ),
)  # fmt: skip

_COUNTS = (
    statement(
        "claim: forward dynamics in O(n)", "(201n - 335)M (193n - 361)A, from a paper of 1997",
        "forward_dynamics: denoc", "algorithms.denoc_forward:forward_dynamics",
        "papers.tables.saha_1999:CONCLUSION", VERDICTS,
        _DENOC + "test_recursion_needs_fewer_operations_than_published",
        _DENOC + "test_each_joint_more_costs_the_recursion_the_same",
        note="below it from n = 6 on; the steps of 1997 are not in this paper",
    ),
    statement(
        "claim: O(n) pays by smoother motion", "section 1, after Cloutier, Pai and Ascher: "
        "integration is faster, even for n < 12", "forward_dynamics: denoc",
        "papers.studies.smoothness:evaluations", ERRATA,
        "papers/tests/test_trials.py::"
        "test_recursions_take_fewer_evaluations_of_a_badly_conditioned_arm_in_single_precision",
        "papers/tests/test_trials.py::"
        "test_evaluations_in_double_precision_do_not_depend_on_the_method",
        note="their work was not at hand",
    ),
)  # fmt: skip

PAPER = Paper(
    "saha_1999",
    "[Saha1999]",
    "Analytical expression for the inverted inertia matrix of serial robots",
    "(1)-(5), (6a)-(6b), (7)-(8), (9a)-(9b), (10)-(42), (43a)-(43f), (44)-(51)",
    (*_MODEL, *_INVERSE, *_EXAMPLE, *_COUNTS, *SAHA_1999),
    about="The twists of all links are the natural orthogonal complement times the joint rates, "
    "and the complement is a product of a lower triangular and a diagonal block matrix. "
    "This splits the inertia matrix into composite masses. Gaussian elimination from its "
    "last column gives the factors U D Uᵀ, whose entries are those of articulated bodies. "
    "Inverted, they give the inverse of the inertia matrix in closed form, and "
    "accelerations in O(n). In armdyn they are the methods `denoc`, and "
    "`arm.denoc_matrices` returns the matrices themselves.",
    example="\n".join(
        (
            'arm, q, qd = armdyn.load("planar3"), [0.3] * 3, [0.5] * 3',
            'print(arm.udu(q, method="denoc")[1])',
            "print(arm.denoc_matrices(q, qd).C @ qd)",
        )
    ),
)
