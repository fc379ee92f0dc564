"""`verify` on trees: every method, beside Pinocchio, projected onto the coordinates."""

from __future__ import annotations

import pytest

import armdyn
from armdyn.arm.verify import single_precision, verify
from armdyn.programs.methods import methods_of
from support.trees import random_tree


@pytest.mark.parametrize("followers", [False, True])
@pytest.mark.parametrize("seed", [1, 6])
def test_all_methods_of_a_tree_agree(seed: int, followers: bool) -> None:
    arm = armdyn.Arm(random_tree(seed, followers))
    found = verify(arm, n_states=4)
    assert found.passed, found.offenders
    expected = [(q, m) for q in arm.quantities for m in methods_of(arm.robot, q)]
    assert [(check.quantity, check.method) for check in found.checks] == expected
    compared = {check.quantity for check in found.checks if check.pinocchio_error is not None}
    assert {"inverse_dynamics", "regressor", "jacobian_derivative", "pose"} <= compared


def test_single_precision_of_a_tree() -> None:
    found = single_precision(armdyn.Arm(random_tree(1)), 20)
    assert {loss.quantity for loss in found.losses} >= {"mass_matrix", "pose"}
