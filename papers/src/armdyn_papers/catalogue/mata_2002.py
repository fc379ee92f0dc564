"""[Mata2002]: inverse and forward dynamics from the Gibbs function of accelerations."""

from __future__ import annotations

from armdyn_papers.catalogue.entry import Paper, not_tried, statement, study
from armdyn_papers.catalogue.rankings import MATA_2002
from armdyn_papers.catalogue.shared_tests import (
    AS_PRINTED,
    AS_PRINTED_LINES,
    ERRATA,
    NUMBERS,
    PINOCCHIO,
    RUN_AS_PRINTED,
    VERDICTS,
)
from armdyn_papers.studies.four_bar import closed_loop

_HERE = "papers/tests/test_equations_mata.py::"
_STUDY = "papers/tests/test_study.py::"
_ASCHER = _STUDY + "test_of_table_5_crba_reproduces_and_the_averages_of_the_others_do_not"
_PUMA = _STUDY + "test_tables_6_and_7_are_told_not_to_reproduce"

_INVERSE = (
    statement(
        "(1)", "the Gibbs function of particles", _HERE + "test_gibbs_function_1_to_6",
    ),
    statement(
        "(2)-(3)", "the Gibbs function of a rigid link, in its own frame",
        _HERE + "test_gibbs_function_1_to_6", ERRATA, note="dots and a vector product are missing",
    ),
    statement(
        "(4)-(5)", "torques are its derivatives by the joint accelerations",
        _HERE + "test_gibbs_function_1_to_6",
    ),
    statement(
        "(6)", "these derivatives, link by link",
        _HERE + "test_gibbs_function_1_to_6", ERRATA, note="dots are missing",
    ),
    statement(
        "(7a)-(7e)", "how accelerations of links depend on those of joints",
        "algorithms.gibbs_appell:inverse_dynamics", ERRATA,
        note="indices and signs; in (7e) the joint that slides is k, and every later link moves",
    ),
    statement(
        "(8)-(9)", "torques from inertial forces and moments",
        "algorithms.gibbs_appell:inverse_dynamics", PINOCCHIO, ERRATA,
        note="the sign of gravity in (9)",
    ),
    statement(
        "(10)-(11)", "the moment of a link from its Euler tensor",
        "algorithms.angular:euler", "algorithms.vector:second_moment",
        _HERE + "test_moment_10_11_is_eulers",
    ),
    statement(
        "(12)", "the matrix of angular acceleration",
        "algorithms.angular:omega_matrix", ERRATA, note="a dot is missing",
    ),
    statement(
        "(13)", "torques as sums over later links",
        "inverse_dynamics: gibbs_appell_sums", "algorithms.gibbs_appell_sums:inverse_dynamics",
        PINOCCHIO, _HERE + "test_sum_over_later_links_13",
    ),
    statement(
        "(14)-(16)", "the same recursively, in O(n)",
        "inverse_dynamics: gibbs_appell", "algorithms.gibbs_appell:inverse_dynamics", PINOCCHIO,
        ERRATA, note="(14) lacks a dot",
    ),
    statement(
        "section 4.1", "the algorithm of inverse dynamics in three steps",
        "inverse_dynamics: gibbs_appell", "algorithms.gibbs_appell:inverse_dynamics",
        "papers.as_printed.gibbs_appell:inverse_dynamics", PINOCCHIO, RUN_AS_PRINTED,
        ERRATA, note="symbols, the sign of gravity, and initial values that are not given",
    ),
    statement(
        "Table 1", "operations of inverse dynamics by four algorithms",
        "armdyn.operation_counts", "papers.tables.mata_2002:TABLE_1", NUMBERS, AS_PRINTED,
        VERDICTS,
        note="the algorithms of Angeles et al. and of Balafoutis and Patel are quoted without "
        "equations and not measured",
    ),
)  # fmt: skip

_FORWARD = (
    statement(
        "(17)-(18)", "the equation of motion, solved for torques and accelerations",
        "forward_dynamics: gibbs_appell", "algorithms.gibbs_appell_forward:forward_dynamics",
        PINOCCHIO, ERRATA, note="the bias is C - G by the signs of (17)",
    ),
    statement(
        "(19)", "the inertia matrix is the Hessian of the Gibbs function",
        "mass_matrix: gibbs_appell", _HERE + "test_hessian_of_the_gibbs_function_19_21",
    ),
    statement(
        "(20)", "second derivatives of accelerations vanish",
        _HERE + "test_hessian_of_the_gibbs_function_19_21", ERRATA,
        note="its first line names the axis of another joint; the conclusion holds",
    ),
    statement(
        "(21)", "the inertia matrix as a sum over links",
        "mass_matrix: gibbs_appell_sums", "algorithms.gibbs_appell_sums:mass_matrix", PINOCCHIO,
        _HERE + "test_hessian_of_the_gibbs_function_19_21",
    ),
    statement(
        "(22)", "the same with moments about the joints' origins",
        "mass_matrix: gibbs_appell", "algorithms.gibbs_appell_inertia:mass_matrix", PINOCCHIO,
        ERRATA, note="the last product takes the centre of mass, not the origin",
    ),
    statement(
        "section 4.2", "the algorithm of the inertia matrix in seven steps",
        "mass_matrix: gibbs_appell", "algorithms.gibbs_appell_inertia:mass_matrix",
        "papers.as_printed.gibbs_appell:mass_matrix", PINOCCHIO, RUN_AS_PRINTED, AS_PRINTED_LINES,
        ERRATA, note="indices of steps 1 and 3, a vector for its skew matrix in step 5",
    ),
    statement(
        "Table 2", "operations of the inertia matrix by three algorithms",
        "armdyn.operation_counts", "papers.tables.mata_2002:TABLE_2", NUMBERS, AS_PRINTED,
        VERDICTS, _HERE + "test_steps_of_section_4_2_sum_to_table_2",
        note="that of Angeles and Ma is quoted without equations and not measured",
    ),
    statement(
        "Table 3", "operations of forward dynamics, part by part",
        "forward_dynamics: gibbs_appell", "papers.tables.mata_2002:TABLE_3", AS_PRINTED,
        "papers/tests/test_tables.py::test_total_of_mata_table_3_is_the_sum_of_its_rows",
        "papers/tests/test_tables.py::test_cholesky_counts_are_exact", ERRATA,
        note="Cholesky's additions are its multiplications; those of tau - b are missing",
    ),
    statement(
        "Table 4", "operations of forward dynamics by four algorithms, n = 6",
        "forward_dynamics: gibbs_appell", "papers.tables.mata_2002:TABLE_4", VERDICTS,
        note="of its rows this one takes the fewest; [Saha1999] quotes fewer for two other "
        "algorithms, and that of Angeles and Ma is not measured",
    ),
)  # fmt: skip

_EXAMPLES = (
    statement(
        "example: section 5.1, Fig. 1", "two links of very different size, in single precision",
        "armdyn.robots", "papers.studies.ascher:run_ascher",
        "algorithms/test_gibbs_appell.py::test_two_link_example_is_as_ill_conditioned_as_described",
        _STUDY + "test_the_mass_of_the_second_link_cannot_be_told_from_table_5", ERRATA,
        note="the mass of the second link is not legible in the copy at hand",
    ),
    not_tried(
        "Fig. 2", "accelerations and condition numbers over a turn of joint 2",
        "papers.studies.ascher:run_ascher",
        note="its curves carry no numbers; `armdyn-papers study ascher --plot` draws the same",
    ),
    study(
        "does not hold", "Table 5", "differences of single and double precision",
        "papers.studies.ascher:run_ascher", _ASCHER, ERRATA,
        note="CRBA's are found, the averages of ABA and GA are not; caption and rows name "
        "different joints",
    ),
    study(
        "does not hold", "claim: GA is numerically more stable than CRBA", "from Table 5",
        "papers.studies.ascher:run_ascher",
        "algorithms/test_gibbs_appell.py::"
        "test_the_digits_are_lost_by_the_mass_matrix_not_by_how_it_is_made",
        note="both lose the same digits: the mass matrix does, not how it is made",
    ),
    statement(
        "claim: ABA has the best numerical response", "of the three",
        "forward_dynamics: articulated_body", "papers.studies.ascher:run_ascher",
        _STUDY + "test_recursions_in_link_frames_lose_a_thousand_times_less",
    ),
    statement(
        "example: section 5.2, Fig. 3", "a PUMA along a straight line, driven by computed torques",
        "armdyn.simulate", "papers.studies.puma:run_puma",
        _STUDY + "test_the_tip_goes_straight_at_constant_speed_without_turning", ERRATA,
        note="speed, time and end points contradict each other; no inertias are printed",
    ),
    statement(
        "Fig. 4", "the procedure: inverse kinematics, torques, integration",
        "papers.studies.puma:run_puma",
        _STUDY + "test_the_tip_goes_straight_at_constant_speed_without_turning",
    ),
    study(
        "does not hold", "Table 6", "average differences of the simulated motion",
        "papers.studies.puma:run_puma", _PUMA,
        _STUDY + "test_no_set_up_gives_the_printed_tables_of_the_puma", ERRATA,
        note="no set-up gives these differences; rows coincide in up to nine digits",
    ),
    study(
        "does not hold", "Table 7", "time and number of evaluations of three methods",
        "papers.studies.puma:run_puma", _PUMA,
        _STUDY + "test_no_set_up_gives_the_printed_tables_of_the_puma",
        note="evaluations do not depend on the method while the arm is near its line",
    ),
    statement(
        "claim: the three methods give the same motion", "of the PUMA",
        "papers.studies.puma:run_puma",
        _STUDY + "test_errors_of_the_puma_grow_and_measure_the_torque_not_the_method",
    ),
    study(
        "differs with our algebra",
        "claim: GA takes the shortest time", "of the three, on a Pentium II",
        "forward_dynamics: gibbs_appell", "papers.studies.puma:run_puma",
        "papers.studies.times:measured",
        _STUDY + "test_times_are_the_shortest_of_runs_and_shown_relative_to_ga",
        note="its operations are the fewest of the printed ones, as `armdyn-papers study puma` "
        "counts. Compiled, for n = 3 to 12, composite bodies solved by UDUᵀ took 0.59 to 0.67 of "
        "its time in batches and 0.75 to 1.05 for one state, articulated bodies 0.93 and 1.00 at "
        "n = 6, 0.67 and 0.78 at n = 12; `python -m armdyn_papers.studies.times` measures again",
    ),
    statement(
        "claim: it can be extended to closed loops", "without great effort",
        "papers.studies.four_bar:TwoChains", "papers.studies.four_bar:crank_acceleration",
        "papers/tests/test_trials.py::test_two_chains_make_the_four_bar_of_the_closed_form",
        "papers/tests/test_trials.py::test_simulations_of_both_agree_and_keep_their_energy",
        note="a four-bar from two chains and the Jacobians of their tips moves as one equation for "
        "its crank says",
        check=closed_loop,
    ),
)  # fmt: skip

PAPER = Paper(
    "mata_2002",
    "[Mata2002]",
    "Serial-robot dynamics algorithms for moderately large numbers of joints",
    "(1)-(6), (7a)-(7e), (8)-(22)",
    (*_INVERSE, *_FORWARD, *_EXAMPLES, *MATA_2002),
    about="The Gibbs function is to accelerations what kinetic energy is to velocities. Its "
    "derivative by a joint acceleration is the torque of the joint, which gives an inverse "
    "dynamics of O(n). Its second derivatives are the inertia matrix, in O(n²). With the "
    "bias and Cholesky's factors they make a forward dynamics for arms of moderately many "
    "joints. In armdyn they are the methods `gibbs_appell`, and `gibbs_appell_sums` for the "
    "sums (13) and (21) before the recursions.",
    example="\n".join(
        (
            'arm, q = armdyn.load("puma560"), [0.3] * 6',
            'print(arm.inverse_dynamics(q, q, q, method="gibbs_appell"))',
            'print(arm.inverse_dynamics(q, q, q, method="gibbs_appell_sums"))',
        )
    ),
)
