"""What `Joint` and `Robot` refuse, and in which words."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from armdyn import Joint, Robot, RobotError, RobotWarning
from support.says import says

INF, NAN = math.inf, math.nan

BAD_JOINTS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "ball"}, "joint: `kind` is 'ball', expected one of 'revolute', 'prismatic'."),
    ({"kind": None}, "`kind` is None, expected one of"),
    ({"kind": "ball", "name": "hip"}, "joint 'hip': `kind` is 'ball'"),
    ({"name": 5}, "joint: `name` is 5, expected a string."),
    ({"beta": "90"}, "joint: `beta` is '90', expected a number."),
    ({"beta": None}, "`beta` is None, expected a number."),
    ({"b": True}, "`b` is True, expected a number."),
    ({"b": np.bool_(True)}, "`b` is"),
    ({"d": 1j}, "`d` is 1j, expected a number."),
    ({"d": np.complex128(1)}, "expected a number."),
    ({"d": np.array([1.0])}, "expected a number."),
    ({"theta": NAN}, "`theta` is nan, expected a finite number."),
    ({"theta": INF}, "`theta` is inf, expected a finite number."),
    ({"mass": INF}, "`mass` is inf, expected a finite number."),
    ({"mass": 10**400}, "`mass` is an integer beyond the range of floats"),
    ({"lower": -(10**400)}, "`lower` is an integer beyond the range of floats"),
    ({"mass": 1e13}, "`mass` is 1e+13, expected a number of at most 1e+12 in size (SI units)."),
    ({"com": (0, 0, -1e200)}, "`com` is -1e+200, expected a number of at most 1e+12 in size"),
    ({"com": 1.0}, "`com` is 1.0, expected 3 numbers."),
    ({"com": "123"}, "`com` is '123', expected 3 numbers."),
    ({"com": b"123"}, "`com` is b'123', expected 3 numbers."),
    ({"com": {1, 2, 3}}, "`com` is {1, 2, 3}, expected 3 numbers."),
    ({"com": (1.0, 2.0)}, "`com` has 2 entries, expected 3."),
    ({"com": (1.0, 2.0, "z")}, "`com` is 'z', expected a number."),
    ({"com": (1.0, 2.0, NAN)}, "`com` is nan, expected a finite number."),
    ({"com": np.eye(3)}, "`com` is [1.0, 0.0, 0.0], expected a number."),
    ({"inertia": (1.0,) * 9}, "`inertia` has 9 entries, expected 6 (xx, xy, xz, yy, yz, zz)."),
    ({"inertia": np.eye(3)}, "`inertia` has 3 entries, expected 6 (xx, xy, xz, yy, yz, zz)."),
    ({"mass": -1.0}, "`mass` is -1; it cannot be negative."),
    ({"rotor_inertia": -0.5}, "`rotor_inertia` is -0.5; it cannot be negative."),
    ({"viscous": -0.5}, "`viscous` is -0.5; it cannot be negative."),
    ({"coulomb": -0.5}, "`coulomb` is -0.5; it cannot be negative."),
    ({"velocity": 0.0}, "the limit `velocity` is 0; it must be positive"),
    ({"velocity": -1.0}, "the limit `velocity` is -1; it must be positive"),
    ({"effort": 0.0}, "the limit `effort` is 0; it must be positive"),
    ({"effort": NAN}, "`effort` is nan, expected a finite number."),
    ({"lower": NAN}, "`lower` is nan, expected a finite number."),
    ({"lower": 1.0, "upper": 1.0}, "`lower` is 1 and `upper` is 1; `lower` must be the smaller"),
    ({"lower": 2.0, "upper": 1.0}, "`lower` must be the smaller one"),
    ({"lower": INF}, "`lower` is inf and `upper` is inf"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "text"), BAD_JOINTS, ids=lambda x: str(x)[:50])
def test_joint_refuses(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(RobotError) as error:
        Joint(**arguments)
    assert text in str(error.value)


def test_joint_takes_integers_and_numpy_numbers_as_floats() -> None:
    joint = Joint(
        b=1,
        d=np.float32(0.5),
        mass=np.int64(2),
        com=np.array([1, 2, 3]),
        inertia=[1, 0, 0, 1, 0, 1],
    )  # type: ignore[arg-type]
    assert (joint.b, joint.d, joint.mass) == (1.0, 0.5, 2.0)
    assert joint.com == (1.0, 2.0, 3.0)
    assert all(type(x) is float for x in (joint.b, joint.d, joint.mass, *joint.com, *joint.inertia))


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"mass": 0.0, "inertia": (0, 0, 0, 0, 0, 0.35)}, "`mass` is zero but `inertia` is not"),
    ({"inertia": (-1, 0, 0, 1, 0, 1)}, "principal moments (-1, 1, 1) kg m^2: they cannot be neg"),
    ({"inertia": (1, 2, 0, 1, 0, 1)}, "principal moments (-1, 1, 3) kg m^2: they cannot be negat"),
    ({"inertia": (1, 0, 0, 1, 0, 2.001)}, "(1, 1, 2.001) kg m^2: the largest exceeds the sum"),
    ({"inertia": (0.066, 0, 0, 0.0125, 0, 0.086)}, "(triangle inequality)"),
]


@pytest.mark.parametrize(("arguments", "text"), IMPOSSIBLE)
def test_impossible_link_is_refused_or_warned_of(arguments: dict[str, Any], text: str) -> None:
    joints = [Joint(), Joint(name="elbow", **{"mass": 1.0, **arguments})]
    with pytest.raises(RobotError) as error:
        Robot(joints, name="arm7")
    assert text in str(error.value)
    assert says(error.value, "'arm7'", "'elbow'")
    assert "pass strict=False" in str(error.value)
    with pytest.warns(RobotWarning, match="joint 'elbow'") as caught:
        robot = Robot(joints, name="arm7", strict=False)
    assert text in str(caught[0].message)
    assert caught[0].filename == __file__
    assert robot.joints[1].inertia == joints[1].inertia


def test_every_impossible_link_is_named_at_once() -> None:
    joints = [Joint(name=name, mass=1.0, inertia=(-1, 0, 0, 1, 0, 1)) for name in ("one", "two")]
    with pytest.raises(RobotError, match=r"joint 'one': .*joint 'two': "):
        Robot(joints)


@pytest.mark.parametrize(
    "inertia",
    [
        (0.0,) * 6,  # a point
        (0.0, 0.0, 0.0, 1 / 12, 0.0, 1 / 12),  # a thin rod
        (0.1, 0.0, 0.0, 0.2, 0.0, 0.3),  # a flat plate: 0.1 + 0.2 is not 0.3 in floats
        (1e12, 0.0, 0.0, 1e12, 0.0, 1e12),
        (-5.4e-20, 0.0, 0.0, -5.4e-20, 0.0, 0.0),  # a point, and the rounding of some tool
        (0.0, 2.4e-35, 0.0, 0.0, 0.0, 0.0),
    ],
)
def test_bodies_on_the_bound_are_possible(inertia: tuple[float, ...]) -> None:
    assert Joint(mass=1.0, inertia=inertia).physical_faults() == []  # type: ignore[arg-type]


def turned(angle: float) -> np.ndarray:
    T = np.eye(4)
    T[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    return T


def with_entry(row: int, column: int, value: float) -> np.ndarray:
    T = np.eye(4)
    T[row, column] = value
    return T


ONE = [Joint()]
BAD_ROBOTS: list[tuple[dict[str, Any], str]] = [
    ({"joints": []}, "robot 'arm' has no joints; an arm needs at least one."),
    ({"joints": 5}, "robot 'arm': `joints` must be a sequence of Joint."),
    ({"joints": Joint()}, "`joints` must be a sequence of Joint."),
    ({"joints": [Joint(), "elbow"]}, "`joints[1]` is 'elbow', expected a Joint."),
    ({"joints": [Joint(name="a"), Joint(name="a")]}, "joint names must differ; twice: a."),
    ({"joints": [Joint(name="joint2"), Joint()]}, "joint names must differ; twice: joint2."),
    ({"name": 5}, "robot: `name` is 5, expected a string."),
    ({"gravity": (0, 0)}, "`gravity` has shape (2,), expected three finite numbers [m/s^2]."),
    ({"gravity": 9.81}, "`gravity` is 9.81, expected three finite numbers"),
    ({"gravity": (0, 0, NAN)}, "expected three finite numbers"),
    ({"gravity": (0, 0, INF)}, "expected three finite numbers"),
    ({"gravity": ("0", "0", "-9.81")}, "has text, expected three finite numbers"),
    ({"gravity": "down"}, "`gravity` is 'down', expected three finite numbers"),
    ({"gravity": None}, "`gravity` is None, expected three finite numbers"),
    ({"gravity": (0, (0, 1), 0)}, "expected three finite numbers"),
    ({"gravity": (0, 0, 10**400)}, "expected three finite numbers"),
    ({"gravity": np.array([0, 0, 1j])}, "has complex numbers, expected three finite numbers"),
    ({"gravity": (0, 0, 1e13)}, "expected three finite numbers"),
    ({"gravity": np.ma.masked_less([0.0, 0.0, -9.81], -1)}, "`gravity` has masked entries"),
    ({"base": np.ma.masked_equal(np.eye(4), 1)}, "`base` has masked entries"),
    ({"tool": with_entry(2, 3, 1e13)}, "`tool` is more than 1e+12 m away, expected metres."),
    ({"strict": "no"}, "`strict` is 'no', expected True or False."),
    ({"notes": 5}, "`notes` is 5, expected sentences."),
    ({"notes": ["snapped", 5]}, "`notes` has 5, expected sentences."),
    ({"base": np.eye(3)}, "`base` has shape (3, 3), expected a 4x4 placement."),
    ({"base": "here"}, "`base` is 'here', expected a 4x4 placement."),
    ({"base": [[1, 2], [3]]}, "`base` is [[1, 2], [3]], expected a 4x4 placement."),
    ({"tool": with_entry(0, 3, NAN)}, "`tool` has nan at index (0, 3), which is not finite"),
    ({"tool": 2 * np.eye(4)}, "`tool` is not a placement: its 3x3 block must be a rotation"),
    ({"tool": with_entry(0, 1, 1e-6)}, "R^T R is 1.0e-06 from the identity"),
    ({"tool": with_entry(0, 0, -1.0)}, "determinant must be +1"),
    ({"tool": with_entry(3, 0, 1.0)}, "its last row 0 0 0 1"),
    ({"tool": with_entry(0, 1, 1e200)}, "`tool` is not a placement"),
    ({"tool": 1e200 * turned(0.3)}, "`tool` is not a placement"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "text"), BAD_ROBOTS, ids=lambda x: str(x)[:50])
def test_robot_refuses(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(RobotError) as error:
        Robot(**{"joints": ONE, **arguments})
    assert text in str(error.value)


def test_unnamed_joints_are_numbered_and_placements_kept() -> None:
    base = turned(0.3)
    robot = Robot((j for j in (Joint(), Joint(name="b"), Joint())), base=base, notes="one note")
    assert [j.name for j in robot.joints] == ["joint1", "b", "joint3"]
    assert np.array_equal(robot.base, base)
    assert np.array_equal(robot.tool, np.eye(4))
    assert robot.gravity == (0.0, 0.0, -9.81)
    assert robot.notes == ("one note",)
    assert robot.n == 3


def test_robots_are_values() -> None:
    robot = Robot([Joint(mass=1.0)], name="a")
    assert robot == Robot([Joint(mass=1.0)], name="a", notes=["how it was read"])
    assert hash(robot) == hash(Robot([Joint(mass=1.0)], name="a"))
    assert robot != replace(robot, gravity=(0.0, 0.0, 0.0))
