"""[Lin1991]: composite bodies seen from the base, for the inertia matrix and the bias vector."""

from __future__ import annotations

from armdyn_papers.catalogue.entry import Paper, illegible, not_tried, statement, study
from armdyn_papers.catalogue.rankings import LIN_1991
from armdyn_papers.catalogue.shared_tests import (
    AS_PRINTED,
    AS_PRINTED_LINES,
    ERRATA,
    NUMBERS,
    PINOCCHIO,
    RUN_AS_PRINTED,
    VERDICTS,
)

_HERE = "papers/tests/test_equations_lin_1991.py::"
_CHRISTOFFEL = "algorithms/test_lin_1991.py::test_coriolis_matrix_is_of_christoffel_symbols"
_LESS = "algorithms/test_lin_1991.py::test_inertia_matrix_needs_less_than_the_paper"
_STUDY = (
    "papers/tests/test_study.py::test_of_lins_advice_adams_bashforth_holds_beside_runge_kutta_only"
)

_MATRIX = (
    statement(
        "(1)", "the equation of motion: inertia matrix, bias vector, torques",
        "mass_matrix: lin_1991", "bias: lin_1991", PINOCCHIO,
    ),
    illegible(
        "(2)-(4)", "mass, centre and inertia of a composite body",
        "algorithms.lin_1991:composites",
        _HERE + "test_force_and_moment_2_to_11_give_the_inertia_matrix",
    ),
    illegible(
        "(5)-(6)", "accelerations of a composite body by one joint alone",
        _HERE + "test_force_and_moment_2_to_11_give_the_inertia_matrix",
    ),
    statement(
        "(7)", "K*: 1 for a rotational joint, 0 for a translational one",
        "algorithms.lin_1991:Composite", PINOCCHIO,
    ),
    illegible(
        "(8)-(11)", "inertia force and moment about the base, and the torques against them",
        _HERE + "test_force_and_moment_2_to_11_give_the_inertia_matrix",
        note="only (8), (10), (11)",
    ),
    illegible(
        "(12)", "the inertia matrix from moments about the origin of the base",
        "mass_matrix: lin_1991", "algorithms.lin_1991:mass_matrix", PINOCCHIO,
        note="four cases of joint types are one formula here",
    ),
    illegible(
        "(13)-(16)", "names: first moments and inertias about the base, in E_j",
        "algorithms.lin_1991:Composite", PINOCCHIO,
    ),
    statement(
        "(17)-(18)", "inertias transform by similarity",
        "algorithms.frame:Frame.symmetric_to_parent",
        _HERE + "test_inertias_transform_by_similarity_17_18", ERRATA,
        note="the text gives the rotation the opposite direction",
    ),
    statement(
        "(19)-(20)", "the inertia less half its trace, and the way back",
        "algorithms.vector:second_moment", "algorithms.vector:trace_minus", ERRATA,
        note="the trace of the way back is that of the primed tensor",
    ),
    statement(
        "(21)", "the product of two skew matrices",
        _HERE + "test_product_of_skew_matrices_21",
    ),
    illegible(
        "(22)-(23)", "primed inertias of composite bodies, and the inertia from them",
        "algorithms.lin_1991:composites",
        _HERE + "test_primed_inertias_22_23_give_back_the_inertia",
    ),
    illegible(
        "(24)-(30)", "recursions: positions and axes to the tip, moments to the base",
        "algorithms.lin_1991:composites", "algorithms.lin_1991:axes", PINOCCHIO,
    ),
)  # fmt: skip

_BIAS = (
    illegible(
        "(31)", "the bias is quadratic in the joint velocities, plus gravity",
        "bias: lin_1991", "algorithms.lin_1991_bias:bias", PINOCCHIO,
    ),
    illegible(
        "(32)-(34)", "symmetries of the coefficients, as Christoffel symbols have them",
        "coriolis_matrix: lin_1991", "algorithms.christoffel:coriolis_matrix", _CHRISTOFFEL,
        _HERE + "test_coefficients_have_the_symmetries_32_to_34",
        note="only (32), (33)",
    ),
    illegible(
        "(35)", "the bias as a sum over pairs of joints",
        "algorithms.lin_1991_bias:bias", PINOCCHIO,
    ),
    illegible(
        "(36)-(37)", "angular velocity and acceleration while two joints turn steadily",
        _HERE + "test_two_joints_at_steady_speed_36_to_40",
    ),
    statement(
        "(38)", "acceleration of a point of a moving frame",
        _HERE + "test_two_joints_at_steady_speed_36_to_40", ERRATA,
        note="with the absolute acceleration of the origin the last term is too many",
    ),
    illegible(
        "(39)-(40)", "accelerations of a joint's origin and of a composite body's centre",
        _HERE + "test_two_joints_at_steady_speed_36_to_40",
    ),
    illegible(
        "(41)-(43)", "what is left of the bias in this motion",
        "algorithms.lin_1991_bias:bias", PINOCCHIO,
    ),
    statement(
        "(44)", "Euler's equation of a composite body in this motion",
        "algorithms.lin_1991:Composite.A", ERRATA,
        note="a vector product is printed as a plain one in its first line",
    ),
    illegible(
        "(45)-(46)", "each coefficient is an axis times a vector that is the same for all axes",
        "bias: lin_1991", "algorithms.lin_1991_bias:symbols", PINOCCHIO, _CHRISTOFFEL,
    ),
    illegible(
        "(47)", "the coefficients on the other side of the diagonal follow from (34)",
        "algorithms.lin_1991_bias:bias", PINOCCHIO,
    ),
    not_tried(
        "(48)-(49)", "relations used in the derivation of (45) and (46)",
        note="not legible in the copy at hand; (45) and (46) were derived in another way",
    ),
    statement(
        "(50)", "a product of two vector products",
        _HERE + "test_product_of_vector_products_50",
    ),
    not_tried(
        "(51)-(52)", "further relations used in the derivation of (46)",
        note="not legible in the copy at hand; (46) was derived in another way",
    ),
    illegible(
        "(53)-(57)", "the bias from sums of angular velocities, carried to the tip",
        "bias: lin_1991", "algorithms.lin_1991_bias:bias",
        "algorithms.lin_1991_bias:angular_velocities", PINOCCHIO,
        note="angular velocities are added up in every frame instead",
    ),
    illegible(
        "(58)", "gravity from the same composite bodies",
        "gravity: lin_1991", "algorithms.lin_1991:gravity", PINOCCHIO,
        "arm/test_moving_base.py::test_a_rising_elevator_adds_to_gravity",
        note="an acceleration of the base is subtracted from gravity",
    ),
    illegible(
        "(59)", "the base frame is chosen at the first joint, so that its arm is zero",
        "algorithms.lin_1991:composites", PINOCCHIO,
        note="the first rotational joint is the cheaper choice",
    ),
    not_tried(
        "(60)-(61)", "abbreviations for the algorithm", note="not legible in the copy at hand",
    ),
    illegible(
        "(62)-(67)", "elements of the matrix, the coefficients and gravity in E_j, written out",
        "algorithms.lin_1991:Composite.f", "algorithms.lin_1991:Composite.e",
        "algorithms.lin_1991_bias:symbols", PINOCCHIO,
    ),
)  # fmt: skip

_ALGORITHM = (
    statement(
        "Fig. 1", "a composite body and its distances", "algorithms.lin_1991:Composite", PINOCCHIO,
    ),
    statement(
        "Fig. 2", "the frames, and the placement of one in the one before",
        "algorithms.frame:Frame", "armdyn.Joint", PINOCCHIO,
    ),
    statement(
        "Fig. 3", "the algorithm line by line, with operations",
        "mass_matrix: lin_1991", "bias: lin_1991", "papers.as_printed.lin_1991:mass_matrix",
        "papers.as_printed.lin_1991:both", AS_PRINTED, AS_PRINTED_LINES, RUN_AS_PRINTED,
        note="only some of its lines are legible in the copy at hand, and the counts below show "
        "by how much the others miss the totals",
    ),
    statement(
        "Table I", "operations of five algorithms for the inertia matrix",
        "armdyn.operation_counts", "papers.tables.lin_1991:TABLE_I", NUMBERS, AS_PRINTED, VERDICTS,
        _LESS,
        note="every number agrees with its formula; Lin (1990) is only described, and `lin_1990` "
        "is written by that",
    ),
    statement(
        "Table II", "operations of three algorithms for the bias vector",
        "armdyn.operation_counts", "papers.tables.lin_1991:TABLE_II", NUMBERS, AS_PRINTED, VERDICTS,
        note="every number agrees with its formula; the two Newton-Euler algorithms are quoted "
        "without equations and not measured",
    ),
    statement(
        "claim: a rotation takes 8M 4A", "since it is two turns",
        "algorithms.frame:Frame.to_parent", _HERE + "test_a_rotation_takes_8M_4A",
    ),
    statement(
        "claim: what these frames save", "45M 28A of Walker and Orin's method",
        "mass_matrix: walker_orin", "papers.as_printed.walker_orin:denavit_hartenberg",
        "papers.as_printed.walker_orin:driving_axes", ERRATA,
        "papers/tests/test_trials.py::test_driving_axes_save_the_same_for_every_n",
        note="the program of 1990 was not at hand: written as a loop of which nothing is left out, "
        "it takes one addition more than printed",
    ),
    not_tried(
        "claim: 17 ms on an 8086", "inverse dynamics of a Stanford arm in these frames",
        note="that processor was not at hand",
    ),
    statement(
        "claim: both together", "(23n² + 44n - 82)M (15n² + 40n - 70)A, the sum of both",
        "papers/tests/test_tables.py::test_bias_of_lin_1991_is_the_whole_less_the_inertia_matrix",
        "algorithms/test_lin_1991.py::test_inertia_matrix_with_bias_needs_less_than_the_paper",
    ),
    statement(
        "claim: the results are those of other methods", "checked there by a FORTRAN program",
        "mass_matrix: lin_1991", "bias: lin_1991", PINOCCHIO,
    ),
    statement(
        "claim: LDLᵀ for the linear equations", "advice from an experiment that is not shown",
        "armdyn.simulate", "papers.studies.integrators:run_integrators",
        "papers/tests/test_study.py::test_factors_without_roots_are_as_accurate_and_divide_less",
        note="for its cost; it is not more accurate than Cholesky",
    ),
    study(
        "holds with a correction",
        "claim: Adams-Bashforth of order four", "advice from an experiment that is not shown",
        "armdyn.simulate", "papers.studies.integrators:run_integrators", _STUDY,
        note="it holds beside Runge-Kutta of equal steps; for finer answers integrators that "
        "choose their steps take fewer evaluations",
    ),
)  # fmt: skip

_APPENDIX = (
    illegible(
        "(A1)", "Renaud's formulation for rotational and translational joints",
        "mass_matrix: renaud", "algorithms.lin_fang_3:formulation_3",
        "algorithms.renaud:mass_matrix", PINOCCHIO,
    ),
    illegible(
        "(A2)-(A4)", "moments of composite bodies about the joints' origins",
        "algorithms.renaud:augmented_composites", PINOCCHIO,
    ),
    illegible(
        "(A5)-(A6)", "the parts of these moments that do not change",
        "algorithms.renaud:augmented_composites", PINOCCHIO,
        _HERE + "test_invariants_of_sliding_joints_must_leave_out_their_mass",
    ),
    illegible(
        "(A7)-(A8)", "recursions of the moments with these parts",
        "algorithms.renaud:augmented_composites", PINOCCHIO,
    ),
    illegible(
        "(A9)-(A11)", "force and moment of a composite body in Fijany and Bejczy's form",
        "mass_matrix: fijany_bejczy", "algorithms.composite:Composite.unit_wrench", PINOCCHIO,
        _HERE + "test_wrench_at_the_joint_A10_A11", note="only (A9)",
    ),
    statement(
        "(A12)-(A15)", "the matrix from forces and moments carried in one frame",
        "mass_matrix: fijany_bejczy", "mass_matrix: lin_fang_4",
        "algorithms.fijany_bejczy:mass_matrix", "algorithms.lin_fang_4:formulation_4", PINOCCHIO,
        note="in E_2 and in the frame of the last link",
    ),
    statement(
        "Fig. A1", "the algorithm of Renaud's formulation, with operations",
        "mass_matrix: renaud", "papers.as_printed.renaud:mass_matrix", AS_PRINTED,
        AS_PRINTED_LINES, RUN_AS_PRINTED,
        note="one line is not legible in the copy at hand, and taken as what the others leave of "
        "the total",
    ),
    statement(
        "claim: the distance of Vukobratovic et al. is mistaken", "(b, 0, d) between two origins",
        "algorithms.frame:Frame.s", _HERE + "test_the_distance_b_0_d_is_mistaken",
    ),
    statement(
        "claim: invariants of translational joints", "earlier works took them for constant, "
        "though the slide changes them", "algorithms.renaud:augmented_composites",
        _HERE + "test_invariants_of_sliding_joints_must_leave_out_their_mass",
    ),
)  # fmt: skip

PAPER = Paper(
    "lin_1991",
    "[Lin1991]",
    "A new composite body method for manipulator dynamics",
    "(1)-(67), (A1)-(A15)",
    (*_MATRIX, *_BIAS, *_ALGORITHM, *_APPENDIX, *LIN_1991),
    about="Composite body methods refer moments to centres of mass or to origins of links. This "
    "one refers all of them to one point, the origin of the base frame, so that distances "
    "add up along the arm. The inertia matrix then takes fewer operations for five joints "
    "or more, by the paper's counts. The same composite bodies give the bias vector, whose "
    "coefficients are Christoffel symbols. In armdyn they are the methods `lin_1991` of the "
    "mass matrix, the bias, gravity and the Coriolis matrix.",
    example="\n".join(
        (
            'arm = armdyn.load("puma560")',
            'print(arm.bias([0.3] * 6, [0.5] * 6, method="lin_1991"))',
            'print(arm.coriolis_matrix([0.3] * 6, [0.5] * 6, method="lin_1991") @ ([0.5] * 6))',
        )
    ),
    remark="Most displayed equations are not legible in the copy that was at hand. Those are "
    "derived anew from the text, and the verdict is on what the text says that they state.",
)
