"""`verify`: right arms pass, by the public way; wrong methods are found."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn.algorithms.quantity import Method
from armdyn.algorithms.split import mass_matrix
from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.verify import Check, random_states, relative_error, verify
from support.robots import random_robots


@pytest.mark.slow  # compiles every method of every arm
@pytest.mark.parametrize("robot", random_robots(seed=4, sizes=(1, 4)), ids=lambda r: r.name)
def test_random_arms_agree_with_pinocchio(robot: armdyn.Robot) -> None:
    report = verify(armdyn.Arm(robot), n_states=5)
    assert report.passed, report.offenders
    assert report.pinocchio
    told = {check.quantity for check in report.checks if check.pinocchio_error is not None}
    assert told == set(QUANTITIES) - {"udu", "friction"}


def wrong_entry(chain, q):
    M = mass_matrix(chain, q)
    M[0][1] = M[0][1] * 1.000001
    return M


def test_wrong_method_is_named_and_no_other(monkeypatch) -> None:
    monkeypatch.setitem(
        QUANTITIES["mass_matrix"].methods, "wrong", Method(wrong_entry, "a mistake")
    )
    report = verify(armdyn.load("planar3"), n_states=3)
    assert not report.passed and report.offenders == ("mass_matrix wrong",)


def test_not_a_number_never_agrees() -> None:
    assert not Check("gravity", "x", "y", float("nan"), 1e-10, None).passed
    assert not Check("gravity", "x", "y", 0.0, 1e-10, float("nan")).passed


def test_progress_reaches_its_end() -> None:
    seen: list[tuple[int, int, str]] = []
    report = verify(armdyn.load("planar2"), 1, progress=lambda *told: seen.append(told))
    assert seen[-1] == (len(report.checks), len(report.checks), "comparing methods")


def test_arm_with_singular_mass_matrix_is_verified_as_far_as_it_goes() -> None:
    arm = armdyn.Joint(b=0.1, mass=1.0, inertia=(1, 0, 0, 1, 0, 1))
    report = verify(armdyn.Arm(armdyn.Robot([arm, armdyn.Joint(b=0.3)])), n_states=2)
    assert report.passed
    assert {c.quantity for c in report.checks}.isdisjoint({"forward_dynamics", "udu"})


def test_states_lie_within_limits() -> None:
    arm = armdyn.load("puma560")
    with pytest.raises(armdyn.InputError, match="`n_states` is 0"):
        verify(arm, 0)
    joints = [
        armdyn.Joint(lower=0.5, upper=0.6), armdyn.Joint(lower=2.0), armdyn.Joint(upper=-1.0),
        armdyn.Joint(kind="prismatic"),
    ]  # fmt: skip
    q = random_states(armdyn.Robot(joints), 200, 0)["q"]
    assert ((q[:, 0] >= 0.5) & (q[:, 0] <= 0.6)).all()
    assert (q[:, 1] >= 2.0).all() and (q[:, 2] <= -1.0).all() and (np.abs(q[:, 3]) <= 1.0).all()


def test_error_is_relative_to_each_state() -> None:
    expected = np.array([[1e6, 0.0], [1.0, 0.0], [0.0, 0.0]])
    assert relative_error(expected, expected) == 0.0
    for change, error in (((1, 1), 1e-3), ((0, 0), 1e-9), ((2, 0), 1e-3)):
        got = expected.copy()
        got[change] += 1e-3
        assert relative_error(got, expected) == pytest.approx(error)
