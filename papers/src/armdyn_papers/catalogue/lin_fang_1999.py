"""[LinFang1999]: five formulations of the inertia matrix, and minimal parameters for them."""

from __future__ import annotations

from armdyn_papers.catalogue.entry import Paper, statement
from armdyn_papers.catalogue.rankings import LIN_FANG_1999
from armdyn_papers.catalogue.shared_tests import (
    AS_PRINTED,
    AS_PRINTED_LINES,
    COMPOSITES,
    ERRATA,
    FORMULATIONS,
    LINES,
    MINIMAL_MATRIX,
    NUMBERS,
    PINOCCHIO,
    RANK,
    TABLE_VI,
    VERDICTS,
)

_HERE = "papers/tests/test_equations_lin_fang.py::"

_GEOMETRY = (
    statement(
        "(1)", "the vector from one origin to the next, in both frames",
        "algorithms.frame:Frame.s", "algorithms.frame:Frame.s_own", ERRATA,
        note="theta stands for beta in the first of the two",
    ),
    statement(
        "(2)", "the rotation from a frame to the one before",
        "algorithms.frame:Frame.to_parent", _HERE + "test_rotation_2_is_what_frames_do",
        "algorithms/test_frame.py::test_frame_does_what_its_rotation_matrix_does",
    ),
    statement(
        "(3)-(5)", "mass, first moment and inertia of the links i..n held as one body",
        "algorithms.composite:composites", COMPOSITES, ERRATA,
        note="(5) has the inertia of link j in the wrong frame",
    ),
    statement(
        "(6)", "K*: 1 for a rotational joint, 0 for a translational one",
        "algorithms.frame:Frame", PINOCCHIO,
    ),
)  # fmt: skip

_FORMULATIONS = (
    statement(
        "(7)-(11)", "unit wrenches of composite bodies, carried to the base, give the matrix",
        "mass_matrix: lin_fang_1", "algorithms.lin_fang_1:formulation_1",
        "algorithms.composite:Composite.unit_wrench", PINOCCHIO,
    ),
    statement(
        "Table I", "Formulation 1, with its operations",
        "mass_matrix: lin_fang_1", "algorithms.lin_fang_1:wrench_before",
        PINOCCHIO, TABLE_VI, AS_PRINTED_LINES,
        "papers.as_printed.tables_i_to_v:table_i",
        note="s_2 in E_2 is in the total, but on no line; t_{i-1,i} of a translational i takes "
        "6M 4A, not 8M 6A",
    ),
    statement(
        "(12)-(17)", "the same in spatial notation, as Lilly and Orin write it",
        "mass_matrix: lin_fang_1", "algorithms.spatial:wrench_to_parent",
        _HERE + "test_spatial_form_12_to_17_is_formulation_1",
    ),
    statement(
        "(18)", "a shift in two parts, along z before and along x after the rotation",
        "algorithms.lin_fang_1:wrench_before", _HERE + "test_shifts_18_and_33_split",
    ),
    statement(
        "(19)", "the matrix element in closed form",
        "mass_matrix: lin_fang_2", "algorithms.lin_fang_2:formulation_2", ERRATA,
        note="all vectors are in E_j, as the text says; E_i is printed",
    ),
    statement(
        "(20)", "Formulation 2: the closed form with all vectors in E_i",
        "mass_matrix: lin_fang_2", "algorithms.lin_fang_2:formulation_2", PINOCCHIO,
    ),
    statement(
        "Table II", "Formulation 2, with its operations",
        "mass_matrix: lin_fang_2", "algorithms.lin_fang_2:formulation_2",
        PINOCCHIO, TABLE_VI, AS_PRINTED_LINES,
        "papers.as_printed.tables_i_to_v:table_ii",
        note="there is no line for the 2M of each s_{j,j+1} in E_{j+1}",
    ),
    statement(
        "(21)", "Formulation 3: triple products exchanged, as Renaud has it",
        "mass_matrix: lin_fang_3", "mass_matrix: renaud",
        "algorithms.lin_fang_3:formulation_3", PINOCCHIO,
    ),
    statement(
        "Table III", "Formulation 3, with its operations",
        "mass_matrix: lin_fang_3", "algorithms.lin_fang_3:formulation_3",
        ERRATA, TABLE_VI, AS_PRINTED_LINES,
        "papers.as_printed.tables_i_to_v:table_iii",
        note="two of its elements contradict (21)",
    ),
    statement(
        "Table IV", "Formulation 4: Fijany and Bejczy, all vectors in E_n",
        "mass_matrix: lin_fang_4", "algorithms.lin_fang_4:formulation_4",
        PINOCCHIO, TABLE_VI, AS_PRINTED_LINES,
        "papers.as_printed.tables_i_to_v:table_iv",
        note="u_i in E_n is a column of the rotation and costs nothing; 8M 4A are printed",
    ),
    statement(
        "Table V", "Formulation 5: Kawasaki et al., first moments about the joint before",
        "mass_matrix: lin_fang_5", "algorithms.lin_fang_5:formulation_5",
        ERRATA, TABLE_VI, AS_PRINTED_LINES,
        "papers.as_printed.tables_i_to_v:table_v",
        note="two of its lines contradict (B8) and the sense of (B11)",
    ),
    statement(
        "Table VI", "operations of the five formulations, composite bodies on hand",
        "armdyn.operation_counts", "papers.tables.lin_fang_1999:TABLE_VI",
        NUMBERS, LINES, AS_PRINTED, VERDICTS, ERRATA,
        note="three of its formulas differ from the sums of its own lines, one number from its "
        "formula",
    ),
)  # fmt: skip

_MINIMAL = (
    statement(
        "(22)-(24)", "first moments and inertias are a constant and a varying part",
        "algorithms.lin_1994:first_moments", "algorithms.lin_1994:varying_first_moment",
        "algorithms.table_vii:minimal_composites", COMPOSITES, MINIMAL_MATRIX,
    ),
    statement(
        "(25)", "the varying part of the inertia before a rotational joint",
        "algorithms.table_vii:minimal_composites", ERRATA,
        note="a bracket closes too late",
    ),
    statement(
        "(26)", "the varying part of the inertia before a translational joint",
        "algorithms.table_vii:minimal_composites",
        _HERE + "test_constant_and_varying_parts_22_to_26_sum_to_the_composites",
    ),
    statement(
        "Theorem 1, (27)-(28)", "a minimal set of combinations that determines all torques",
        "armdyn.Arm.minimal", "algorithms.minimal_set:minimal_set",
        "algorithms.structure:structure", "minimal.closed_form:closed_form", RANK,
        "arm/test_moving_base.py::test_a_rising_elevator_adds_to_gravity", ERRATA,
        note="its condition delta, and an index of item 5; the kappas are right. Without gravity "
        "it counts too many",
    ),
    statement(
        "claim: constants of 1994 and of this paper", "remark after Theorem 1: their difference "
        "does not change the set", "algorithms.inertia_constants:inertia_constants",
        "papers/tests/test_equations_lin_1994.py::"
        "test_constants_of_1994_and_1999_differ_by_multiples_of_U_33",
    ),
    statement(
        "(29)", "the moment about u_r of a unit acceleration, before joint s",
        "mass_matrix: lin_fang_1_minimal", "algorithms.table_vii:AxialComposite", MINIMAL_MATRIX,
    ),
    statement(
        "(30)-(31)", "Formulation 1 before joint s, from minimal parameters",
        "mass_matrix: lin_fang_1_minimal", "algorithms.lin_fang_1_minimal:mass_matrix",
        MINIMAL_MATRIX, ERRATA,
        note="(30) holds for r <= j < i; (31) has the axis in E_j",
    ),
    statement(
        "(32)", "Formulation 2 before joint s, from minimal parameters",
        "mass_matrix: lin_fang_2_minimal", "algorithms.lin_fang_2_minimal:mass_matrix",
        MINIMAL_MATRIX, ERRATA,
        note="s lacks its lower index j; the factors delta may be left out",
    ),
)  # fmt: skip

_ALGORITHM = (
    statement(
        "(33)", "the products of skew matrices split as (18) does",
        "algorithms.table_vii:minimal_composites", _HERE + "test_shifts_18_and_33_split",
    ),
    statement(
        "(34)-(35)", "the varying parts of inertias, written out",
        "algorithms.table_vii:minimal_composites", MINIMAL_MATRIX,
        _HERE + "test_constant_and_varying_parts_22_to_26_sum_to_the_composites",
    ),
    statement(
        "(36)-(37)", "before joint s only the entry about u_r is needed",
        "algorithms.table_vii:AxialComposite",
        _HERE + "test_only_the_entry_about_u_r_is_needed_36_37",
    ),
    statement(
        "(38)-(39)", "that entry at joint s, where the axes part",
        "algorithms.table_vii:minimal_composites", MINIMAL_MATRIX,
    ),
    statement(
        "(40)", "that entry before joint s",
        "algorithms.table_vii:minimal_composites", MINIMAL_MATRIX, ERRATA,
        note="two terms lack a factor 2, one of them has the wrong sign; two squares are misplaced",
    ),
    statement(
        "Table VII", "composite bodies from minimal parameters, with operations",
        "algorithms.table_vii:minimal_composites", "papers.as_printed.table_vii:composites",
        MINIMAL_MATRIX, AS_PRINTED_LINES, VERDICTS, ERRATA,
        note="its line of (40) has the same two terms wrong",
    ),
    statement(
        "(41)-(54)", "the similarity transformation in 18M 14A",
        "algorithms.frame:Frame.symmetric_to_parent",
        _HERE + "test_similarity_41_to_54_is_the_product",
        "algorithms/test_frame.py::test_similarity_costs_what_it_says",
        note="17M 14A suffice; `symmetric_to_parent` takes 16M 15A",
    ),
    statement(
        "(55)", "the entry at joint s as a quadratic form, 10M 5A",
        "algorithms.table_vii:minimal_composites", MINIMAL_MATRIX,
    ),
    statement(
        "Table VIII", "operations of the whole inertia matrix",
        "armdyn.operation_counts", "papers.tables.lin_fang_1999:TABLE_VIII",
        NUMBERS, AS_PRINTED, VERDICTS,
        "papers/tests/test_tables.py::test_table_viii_is_table_vi_and_table_vii",
        ERRATA,
        note="one number differs from its formula; Formulation 2, Type 2, takes over the slip of "
        "Table VI",
    ),
)  # fmt: skip

_APPENDICES = (
    statement(
        "(A1)-(A4)", "inertia force and torque of a composite body about its centre",
        "algorithms.walker_orin:central_composites",
        _HERE + "test_wrench_of_a_composite_body_A1_to_A8", ERRATA,
        note="(A4) has the wrong sign",
    ),
    statement(
        "(A5)-(A8)", "accelerations of one joint alone, and the wrench they take",
        "algorithms.composite:Composite.unit_wrench",
        _HERE + "test_wrench_of_a_composite_body_A1_to_A8",
    ),
    statement(
        "(A9)-(A10)", "the torque of joint j for an acceleration of joint i",
        "algorithms.lin_fang_1:formulation_1", ERRATA,
        note="the arm is from O_j to O_i; one from the base is printed",
    ),
    statement(
        "(B1)-(B2)", "first moments and inertias of Kawasaki et al.",
        "algorithms.lin_fang_5:composites_before",
        _HERE + "test_moments_of_kawasaki_B1_to_B4_are_those_of_composites",
    ),
    statement(
        "(B3)-(B4)", "these are the moments of composite bodies",
        "algorithms.lin_fang_5:composites_before",
        _HERE + "test_moments_of_kawasaki_B1_to_B4_are_those_of_composites", ERRATA,
        note="(B3) lacks the frame of its second term",
    ),
    statement(
        "(B5)-(B10)", "Formulation 5 from these moments",
        "mass_matrix: lin_fang_5", "algorithms.lin_fang_5:formulation_5", PINOCCHIO, FORMULATIONS,
    ),
    statement(
        "(B11)", "the matrix element of Formulation 5",
        "algorithms.lin_fang_5:formulation_5", PINOCCHIO, ERRATA,
        note="K goes by joint j; i is printed",
    ),
    statement(
        "(B12)", "a correction of the paper of Kawasaki et al.",
        "algorithms.lin_fang_5:formulation_5",
        _HERE + "test_correction_B12_is_the_element_of_a_sliding_joint",
        note="read for a translational joint i; their paper was not at hand",
    ),
    statement(
        "claim: equal combinations, equal dynamics", "Appendix B, after Atkeson et al.: inertia "
        "parameters may change while the minimal combinations stay",
        "armdyn.MinimalParameters.to_parameters",
        "minimal/test_minimal_parameters.py::"
        "test_parameters_made_from_values_move_the_same_in_pinocchio",
    ),
    statement(
        "claim: Kawasaki's Algorithm II is Formulation 1", "Appendix B: where no joint slides and "
        "masses are set to zero", "algorithms.lin_fang_5:formulation_5",
        _HERE + "test_formulation_5_without_masses_is_formulation_1",
    ),
    statement(
        "(C1)-(C3)", "the inertia constants of composite bodies",
        "algorithms.inertia_constants:inertia_constants",
        _HERE + "test_constant_and_varying_parts_22_to_26_sum_to_the_composites", ERRATA,
        note="(C2) has a vector b_b where the column R_b is meant",
    ),
)  # fmt: skip

PAPER = Paper(
    "lin_fang_1999",
    "[LinFang1999]",
    "Efficient formulations for the manipulator inertia matrix in terms of minimal linear "
    "combinations of inertia parameters",
    "(1)-(55), (A1)-(A10), (B1)-(B12), (C1)-(C3)",
    (*_GEOMETRY, *_FORMULATIONS, *_MINIMAL, *_ALGORITHM, *_APPENDICES, *LIN_FANG_1999),
    about="The inertia matrix of an arm follows from composite bodies: links i to n taken as one "
    "body. The paper collects four known ways from composite bodies to the matrix, adds a "
    "new one, Formulation 2, and writes all five in one notation. It then makes the "
    "composite bodies themselves from a minimal set of inertia parameters, so that nothing "
    "redundant is computed. Counts of operations decide which formulation suits which "
    "number of joints. In armdyn the formulations are the methods `lin_fang_1` to "
    "`lin_fang_5`, and `lin_fang_1_minimal` and `lin_fang_2_minimal`.",
    example="\n".join(
        (
            'arm = armdyn.load("puma560")',
            'print(arm.mass_matrix([0.3] * 6, method="lin_fang_1_minimal")[0])',
            'print(armdyn.operation_counts("mass_matrix", "lin_fang_1_minimal", 6))',
        )
    ),
)
