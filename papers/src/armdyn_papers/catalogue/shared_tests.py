"""Tests that many entries of the catalogues name."""

from __future__ import annotations

# Every method of every quantity, on random arms of mixed joints.
PINOCCHIO = "algorithms/test_methods.py::test_float_run_matches_pinocchio"

# The checks that the page of errata shows.
ERRATA = "papers/tests/test_errata.py::test_the_printed_form_fails_and_the_corrected_one_holds"

COMPOSITES = (
    "algorithms/test_composite_body.py::test_composite_bodies_are_the_sums_over_their_links"
)
FORMULATIONS = "algorithms/test_composite_body.py::test_edge_cases_match_pinocchio"
TABLE_VI = (
    "algorithms/test_composite_body.py::test_formulations_reach_table_vi_with_the_rotations_on_hand"
)
MINIMAL_MATRIX = (
    "minimal/test_minimal_composites.py::test_special_arms_match_pinocchio_with_and_without_gravity"
)
RANK = "minimal/test_minimal_sets.py::test_two_thousand_special_arms_agree_with_the_regressor"
NUMBERS = "papers/tests/test_tables.py::test_printed_numbers_follow_from_formulas_but_for_two_slips"
LINES = "papers/tests/test_tables.py::test_lines_of_tables_sum_to_formulas_but_for_three_slips"

# Recursions written as the papers print them, counted by the papers' conventions.
AS_PRINTED = "papers/tests/test_printed_recursions.py::test_runs_as_printed_take_what_is_printed"

AS_PRINTED_LINES = "papers/tests/test_printed_recursions.py::test_lines_cost_what_the_paper_prints"
RUN_AS_PRINTED = (
    "papers/tests/test_printed_recursions.py::test_a_printed_recursion_computes_the_quantity"
)
VERDICTS = "papers/tests/test_tables.py::test_verdicts_at_six_joints_are_as_recorded"
