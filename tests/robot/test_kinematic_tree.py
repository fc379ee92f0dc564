"""The stages that all formats share, on records made by hand: they know no format."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armdyn import Arm, RobotWarning
from armdyn.robot.formats.assemble import assembled
from armdyn.robot.formats.records import (
    ArmOptions,
    Coupling,
    Description,
    Fault,
    Inertial,
    Origin,
    TreeJoint,
    TreeLink,
    Words,
)
from support.says import facts, says

WORDS = Words(
    inertial="a mass",
    coupling="a gear",
    followers="Geared joints",
    angles="toy angles",
    axis="toy axes",
    no_range="nobody wrote a range",
    no_limit=" here",
)
BODY = Inertial(Origin((0.0, 0.0, 0.1)), 2.0, (0.03, 0.0, 0.0, 0.02, 0.0, 0.04))


def joint(name: str, parent: str, child: str, **more: object) -> TreeJoint:
    given: dict[str, object] = {"origin": Origin((0.0, 0.0, 0.4)), "axis": (0.0, 1.0, 0.0), **more}
    return TreeJoint(name, str(given.pop("type", "revolute")), parent, child, **given)  # type: ignore[arg-type]


def described(*joints: TreeJoint, massless: tuple[str, ...] = ()) -> Description:
    names = dict.fromkeys(name for j in joints for name in (j.parent, j.child))
    links = {name: TreeLink(name, None if name in massless else BODY) for name in names}
    return Description("toy", links, {j.name: j for j in joints}, WORDS)


def test_records_become_a_robot() -> None:
    description = described(joint("1", "a", "b"), joint("2", "b", "c"))
    arm = Arm(assembled(description, ArmOptions()))
    assert arm.joint_names == ("1", "2")
    np.testing.assert_allclose(arm.pose([0.0, 0.0])[:3, 3], [0.0, 0.0, 0.8], atol=1e-15)
    # Two bodies of 2 kg, their centres of mass 0.1 m from the joint that carries them.
    expected = [9.81 * 2 * (0.1 + 0.5), 9.81 * 2 * 0.1]
    np.testing.assert_allclose(arm.gravity([math.pi / 2, 0.0]), [-x for x in expected], rtol=1e-12)


def test_notes_speak_the_words_of_the_format() -> None:
    description = described(
        joint("1", "a", "b", origin=Origin(rpy=(1.570796, 0.0, 0.0))),
        joint("2", "b", "c", axis=(0.0, 1.0, 1e-7), lower=-1.0, upper=1.0, effort=5.0),
        joint("3", "b", "d", coupling=Coupling("2", 2.0, 0.5)),
    )
    robot = assembled(description, ArmOptions(tip="c"))
    text = " ".join(robot.notes)
    assert says(text, "Geared joints")
    assert "3 at 0.5" in text
    assert "Snapped 1 toy angles" in text
    assert "toy axes" in text
    assert says(text, "position limits", "nobody wrote a range: joints '1'")
    assert says(text, "velocity limit", "here: joints '1', '2'")
    assert says(text, "effort limit", "here: joints '1'")
    assert "<" not in text


def test_faults_speak_the_words_of_the_format() -> None:
    massless = described(joint("1", "a", "b"), joint("2", "b", "c"), massless=("b",))
    with pytest.raises(Fault, match=facts("'1'", "a mass")):
        assembled(massless, ArmOptions())
    with pytest.warns(RobotWarning, match="has no a mass"):
        assert assembled(massless, ArmOptions(strict=False)).n == 2
    far = described(joint("1", "a", "b"), joint("2", "b", "c", coupling=Coupling("1", 1.0, 1e9)))
    with pytest.raises(Fault, match=facts("gear", "'2'", "1e+09")):
        assembled(far, ArmOptions())


def test_limits_reach_the_joints() -> None:
    given = {"lower": -math.inf, "upper": 2.0, "velocity": 3.0}
    robot = assembled(described(joint("1", "a", "b", **given)), ArmOptions())
    [j] = robot.joints
    assert (j.lower, j.upper, j.velocity, j.effort) == (-math.inf, 2.0, 3.0, math.inf)
