"""Inverse kinematics as C: the branches that the arm has in Python."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from support.c_code import Library, needs_gcc, selftest


@needs_gcc
@pytest.mark.parametrize("name", ["panda", "scara", pytest.param("so101", marks=pytest.mark.slow)])
def test_branches_in_c_are_those_in_python(name: str, tmp_path) -> None:
    arm = armdyn.load(name)
    paths = arm.export_c(tmp_path, ["inverse_kinematics", "pose"])
    done = selftest(paths, tmp_path / "selftest")
    assert done.returncode == 0, done.stdout
    library = Library(paths)
    q = np.full(arm.n, 0.1) if name == "scara" else np.linspace(0.2, 1.1, arm.n)
    q = np.clip(q, [j.lower for j in arm.robot.joints], [j.upper for j in arm.robot.joints])
    pose = arm.pose(q)
    given = [] if name != "panda" else [q[6:]]
    want = arm.inverse_kinematics_all(pose, redundancy=q[6] if given else None)
    B = len(want.q)
    got, margin, beyond = library("inverse_kinematics", [pose, *given], [(B, arm.n), (B,), (B,)])
    valid = (margin >= -1e-9) & (beyond <= 1e-9)
    assert np.array_equal(valid, want.valid) and valid.any()
    assert np.abs(got - want.q)[valid].max() < 1e-9


def test_what_cannot_be_exported_is_told(tmp_path) -> None:
    with pytest.raises(armdyn.InputError, match="no closed form"):
        armdyn.Arm(armdyn.generic(6)).export_c(tmp_path, ["inverse_kinematics"])
    with pytest.raises(armdyn.InputError, match="export doubles"):
        armdyn.load("ur5").export_c(tmp_path, ["inverse_kinematics"], single=True)
    assert not list(tmp_path.iterdir())
