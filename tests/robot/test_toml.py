"""TOML: what is written is read back to the last bit, and what is wrong is named."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from armdyn import FileError, Joint, Robot, RobotError, RobotWarning
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.robot.chain import chain_of
from armdyn.robot.formats.toml import LARGEST_FILE, read_toml, robot_from_toml, toml_text
from armdyn.robot.formats.urdf.read import parse_urdf
from armdyn.robot.leniency import Leniency
from armdyn.robot.library import generic
from armdyn.robot.model import IDENTITY, NamedFrame
from support.robots import random_robots, random_state
from support.says import Said, facts, says
from support.urdf_texts import joint, links
from support.urdf_texts import robot as robot_urdf

# The same examples every time, and however long they take on a busy machine.
repeatable = settings(derandomize=True, deadline=None)

JOINT = """[[joint]]
kind = "revolute"
beta = 0.5
b = 0.1
theta = 0.0
d = 0.2
mass = 1.5
com = [0.1, 0.0, 0.0]
inertia = [0.1, 0.0, 0.0, 0.1, 0.0, 0.1]
"""


def read(text: str, strict: bool = True) -> Robot:
    return robot_from_toml(text.encode(), "arm.toml", Leniency(strict))


def with_line(key: str, line: str) -> str:
    """The good joint with one line replaced, or one more if it has no such key."""
    lines = [line if old.startswith(f"{key} =") else old for old in JOINT.splitlines()]
    return "\n".join(lines if line in lines else [*lines, line])


def test_written_arms_are_read_back_equal_and_give_equal_torques() -> None:
    for robot in random_robots(seed=3):
        again = read(toml_text(robot))
        assert again == robot
        state = random_state(robot)
        q, qd, qdd = (state[k].tolist() for k in ("q", "qd", "qdd"))
        expected = inverse_dynamics(chain_of(robot), q, qd, qdd)
        assert inverse_dynamics(chain_of(again), q, qd, qdd) == expected


numbers = st.floats(-1e12, 1e12)
angles = st.floats(-2 * math.pi, 2 * math.pi)
lengths = st.floats(-100, 100)
sizes = st.floats(0, 1e12)
limits = st.sampled_from([(-math.inf, math.inf), (0.0, 1.5), (-math.inf, 0.0), (-0.25, math.inf)])


@st.composite
def joints(draw: st.DrawFn, name: str) -> Joint:
    lower, upper = draw(limits)
    return Joint(
        kind=draw(st.sampled_from(["revolute", "prismatic"])),
        beta=draw(angles), b=draw(lengths), theta=draw(angles), d=draw(lengths),
        mass=draw(st.floats(1e-300, 1e12)), com=draw(st.tuples(lengths, lengths, lengths)),
        inertia=(draw(sizes), 0.0, 0.0, 0.0, 0.0, 0.0) if draw(st.booleans()) else (0.0,) * 6,
        rotor_inertia=draw(sizes), viscous=draw(sizes), coulomb=draw(sizes), offset=draw(numbers),
        lower=lower, upper=upper, velocity=draw(st.floats(1e-300)), effort=draw(st.floats(1e-300)),
        name=name,
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
@repeatable
@given(st.data())
def test_any_arm_survives_the_round_trip(data: st.DataObject) -> None:
    text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
    names = data.draw(st.lists(text, min_size=1, max_size=3, unique=True))
    robot = Robot(
        [data.draw(joints(name)) for name in names],
        gravity=data.draw(st.tuples(numbers, numbers, numbers)),
        name=data.draw(text),
        strict=False,
        notes=data.draw(st.lists(text, max_size=2)),
    )
    assert read(toml_text(robot), strict=False) == robot


def test_file_cut_off_anywhere_is_refused_or_complete(tmp_path: Path) -> None:
    robot = generic(2, type=1, seed=1)
    joint = replace(robot.joints[1], rotor_inertia=0.5, lower=-0.5, upper=0.25, mass=0.75)
    robot = Robot([robot.joints[0], joint], tool=np.eye(4)[[1, 2, 0, 3]])
    data = toml_text(robot).encode()
    path = tmp_path / "arm.toml"
    for end in range(len(data) - 1):  # the last byte is the line break
        path.write_bytes(data[:end])
        with pytest.raises(FileError) as error:
            read_toml(path)
        assert error.value.path == path


def test_degrees_are_exact_at_right_angles() -> None:
    for quarter in (-3, -2, -1, 1, 2, 3, 4):
        text = with_line("beta", f"beta_deg = {90 * quarter}").replace(
            "theta = 0.0", f"theta_deg = {90 * quarter}"
        )
        (joint,) = read(text).joints
        assert joint.beta == joint.theta == quarter * (math.pi / 2)
        assert 0.0 in (chain_of(Robot([joint])).links[0].Cb, chain_of(Robot([joint])).links[0].Sb)


def test_limits_may_be_in_degrees() -> None:
    (joint,) = read(JOINT + "lower_deg = -180\nupper_deg = 22.5").joints
    assert (joint.lower, joint.upper) == (-math.pi, math.pi / 8)


def test_defaults_come_from_the_classes_and_the_file_name() -> None:
    robot = read("\ufeff" + JOINT)  # a byte order mark is no part of the text
    joint = Joint(
        beta=0.5, b=0.1, d=0.2, mass=1.5, com=(0.1, 0, 0), inertia=(0.1, 0, 0, 0.1, 0, 0.1)
    )
    assert robot == Robot([joint], name="arm")


def test_written_text_has_rows_on_lines_and_notes_as_they_are() -> None:
    robot = Robot([Joint(mass=1.0)], name="a\nb [\n]", notes=["a, b\n[c]", "next"])
    text = toml_text(robot)
    assert read(text).notes == robot.notes
    assert "\ncom = [0.0, 0.0, 0.0]\n" in text
    assert "rotor_inertia" not in text
    assert "lower" not in text
    assert read(text).name == "a\nb [\n]"


BAD_FILES = [
    ("", "is empty; an arm needs at least one [[joint]] table"),
    (" \n", "is empty"),
    ("name = 'x'", "has no [[joint]] table"),
    ("joint = []", "has no [[joint]] table"),
    ("notes = 5\n" + JOINT, "`notes` is 5, expected sentences"),
    ("joint = 5", "`joint` is not an array of tables; begin each joint with [[joint]]"),
    ("joint = [1]", "`joint` is not an array of tables"),
    (JOINT.replace("[[joint]]", "[joint]"), "`joint` is not an array of tables"),
    ("name = 5 5", "is not valid TOML: Expected newline or end of document after a statement (at"),
    ("x = " + "[" * 5000, "nested too deeply"),
    ("n_joints = " + "1" * 5000, "is not valid TOML"),
    ("joints = 1\n" + JOINT, "the top of the file: there is no key `joints`; did you mean `joint`"),
    ("nmae = 'x'\n" + JOINT, "there is no key `nmae`; did you mean `name`?"),
    ("name = 5\n" + JOINT, "`name` is 5, expected a string in quotes"),
    ("n_joints = 2\n" + JOINT, "`n_joints` is 2 but there are 1 [[joint]] tables; the file was cu"),
    ("n_joints = true\n" + JOINT, "`n_joints` is True, expected a whole number"),
    ("n_joints = 1.0\n" + JOINT, "`n_joints` is 1.0, expected a whole number"),
    ("gravity = 9.81\n" + JOINT, "`gravity` is 9.81, expected three finite numbers"),
    ("gravity = ['a', 'b', 'c']\n" + JOINT, "`gravity` has text, expected three finite numbers"),
    ("base = [1, 2]\n" + JOINT, "`base` has shape (2,), expected a 4x4 placement"),
    (JOINT + JOINT + "alpha = 1", "[[joint]] number 2: there is no key `alpha`; did you mean `bet"),
    (JOINT + "mass_g = 1", "there is no key `mass_g`; did you mean `mass`? Known are kind, beta"),
    (JOINT + "colour = 1", "there is no key `colour`; "),
    (JOINT + "beta_deg = 1", "[[joint]] number 1: has both `beta` and `beta_deg`; keep one"),
    (with_line("beta", "beta_deg = 'x'"), "[[joint]] number 1: `beta_deg` is 'x', expected a numb"),
    (with_line("beta", "beta_deg = true"), "`beta_deg` is True, expected a number of degrees"),
    (with_line("beta", "beta_deg = " + "9" * 400), "`beta_deg` is too large"),
    (with_line("beta", "beta_deg = nan"), "[[joint]] number 1: joint: `beta` is nan, expected a f"),
    (with_line("beta", "beta = 'x'"), "[[joint]] number 1: joint: `beta` is 'x', expected a numbe"),
    (with_line("b", "b = 2020-01-01"), "`b` is datetime.date(2020, 1, 1), expected a number"),
    (with_line("mass", "mass = " + "9" * 400), "`mass` is an integer beyond the range of floats"),
    (with_line("mass", "mass = -1"), "[[joint]] number 1: joint: `mass` is -1; it cannot be negat"),
    (with_line("com", "com = [1, 2]"), "`com` has 2 entries, expected 3"),
    (with_line("com", "com = {x = 1}"), "`com` is {'x': 1}, expected 3 numbers"),
    (with_line("kind", "kind = 'ball'"), "`kind` is 'ball', expected one of 'revolute', 'prismati"),
    (with_line("kind", "kind = [1]"), "`kind` is [1], expected one of"),
    (with_line("kind", "kind = 'prismatic'") + "\nlower_deg = 5", "is of a prismatic joint; give"),
    (JOINT + "name = 5", "[[joint]] number 1: joint: `name` is 5, expected a string"),
    (JOINT + "name = 'a'\n" + JOINT + "name = 'a'", "joint names must differ; twice: a"),
    (with_line("beta", "beta = 90"), "`beta` is 90 rad, more than a full turn: angles are in radi"),
    (with_line("theta", "theta = -45"), "write `theta_deg = -45` if degrees are meant"),
    (with_line("b", "b = 431.8"), "`b` is 431.8 m: lengths are in metres, write 0.4318 if"),
    (with_line("com", "com = [0, -250, 0]"), "`com` is -250 m: lengths are in metres, write -0.25"),
    (with_line("inertia", "inertia = [1, 0, 0, 1, 0, 5]"), "joint 'joint1': `inertia` has princip"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fragment"), BAD_FILES, ids=lambda x: str(x)[-40:])
def test_wrong_file_is_refused_with_its_table_and_key(text: str, fragment: str) -> None:
    with pytest.raises(FileError) as error:
        read(text)
    assert str(error.value).startswith("arm.toml: ")
    assert fragment in str(error.value)


@pytest.mark.parametrize("key", "kind beta b theta d mass com inertia".split())
def test_missing_key_is_named(key: str) -> None:
    text = "\n".join(line for line in JOINT.splitlines() if not line.startswith(f"{key} ="))
    with pytest.raises(FileError, match=facts("number 2", f"`{key}`")):
        read(JOINT + text)


def test_text_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(FileError, match=facts("arm.toml", "UTF-8", "8")):
        robot_from_toml(b"name = '\xff'", "arm.toml")


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (with_line("beta", "beta = 90"), ("1", "''", "`beta`", "90")),
        (with_line("inertia", "inertia = [1, 0, 0, 1, 0, 5]"), "joint 'joint1': `inertia` has"),
    ],
)
def test_loose_reading_warns_instead(text: str, warning: Said) -> None:
    with pytest.warns(RobotWarning) as caught:
        robot = read(text, strict=False)
    assert robot.n == 1
    assert says(caught[0].message, warning)


@repeatable
@given(st.text(max_size=200))
def test_any_text_gives_an_arm_or_an_error_of_ours(text: str) -> None:
    try:
        read(text)
    except RobotError:
        pass


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
@repeatable
@given(
    st.sampled_from([line.split(" =")[0] for line in JOINT.splitlines()[1:]]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=8,
    ),
    st.booleans(),
)
def test_any_value_of_a_key_gives_an_arm_or_an_error_of_ours(
    key: str, value: object, strict: bool
) -> None:
    try:
        line = tomli_w.dumps({key: value}).strip()
    except TypeError:  # None is no value of TOML
        return
    try:
        read(with_line(key, line), strict)
    except RobotError:
        pass


HEXADECIMAL = "0x" + "f" * 5000  # Python refuses to print an integer of so many digits
ROW = toml_text(Robot([Joint(mass=1.0)]))


@pytest.mark.parametrize("key", ["name", "n_joints", "gravity", "kind", "mass", "com", "inertia"])
def test_integer_of_thousands_of_digits_is_refused_by_its_key(key: str) -> None:
    text = re.sub(f"^{key} = .*$", f"{key} = {HEXADECIMAL}", ROW, count=1, flags=re.MULTILINE)
    assert HEXADECIMAL in text
    with pytest.raises(FileError, match=f"`{key}` is (<int>|an integer beyond)"):
        read(text)


def test_file_that_would_exhaust_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="line 2 has 100000 dots"):
        read("name = 'x'\n" + "a." * 100_000 + "b = 1")
    assert read(f"# {'.' * 1000}\n{ROW}").n == 1
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * (LARGEST_FILE + 1))
    with pytest.raises(FileError, match=facts("2 MB")):
        read_toml(path)


def test_arm_with_frames_far_away_is_read_back() -> None:
    """Axes 5.6e-5 rad from parallel put frames kilometres away: no millimetres."""
    text = robot_urdf(
        links("base", "a", "b"), joint("1", "base", "a"),
        joint("2", "a", "b", origin='<origin xyz="0.2 0 0" rpy="0 0 5.6e-5"/>'),
    )  # fmt: skip
    arm = parse_urdf(text)
    assert max(abs(x) for j in arm.joints for x in (j.d, *j.com)) > 1000.0
    written = toml_text(arm)
    assert 'units = "SI"' in written
    assert robot_from_toml(written.encode(), "arm.toml") == arm
    with pytest.raises(FileError, match="millimetres"):
        robot_from_toml(written.replace('units = "SI"\n', "").encode(), "arm.toml")
    with pytest.raises(FileError, match="`units` is 'mm', expected 'SI'"):
        robot_from_toml(written.replace('"SI"', '"mm"').encode(), "arm.toml")


def test_tilt_frames_and_waived_checks_last() -> None:
    frame = NamedFrame("camera", 1, ((1.0, 0.0, 0.0, 0.5), *IDENTITY[1:]))
    joints = [Joint(name="a", mass=1.0), Joint(name="b", b=0.3, tilt=1e-7, mass=1.0)]
    robot = Robot(joints, frames=[frame])
    again = robot_from_toml(toml_text(robot).encode(), "arm.toml")
    assert again == robot and again.frames == (frame,)
    odd = [Joint(name="a", mass=1.0, inertia=(1, 0, 0, 1, 0, 2.1))]
    with pytest.warns(RobotWarning, match="by 4.8 %"):
        waived = Robot(odd, waive=("triangle",))
    with pytest.warns(RobotWarning, match="by 4.8 %"):
        again = robot_from_toml(toml_text(waived).encode(), "arm.toml")
    assert (again.strict, again.waive) == (True, ("triangle",))
    with pytest.raises(RobotError, match=r'waive=\("triangle",\)'):
        Robot(odd, waive=("limits",))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "camera"', "name = 3", "[[frame]] number 1: `name` is 3"),
        ("link = 1", "link = 7", ("`link`", "7", "0", "2")),
        ("link = 1\n", "", ("name, placement", "link")),
        ("[1.0, 0.0, 0.0, 0.5]", "[2.0, 0.0, 0.0, 0.5]", "is not a placement"),
        ('units = "SI"', 'waive = ["everything"]', ("`waive`", "'everything'")),
    ],
)
def test_wrong_frames_and_checks_are_refused(old: str, new: str, words: Said) -> None:
    frame = NamedFrame("camera", 1, ((1.0, 0.0, 0.0, 0.5), *IDENTITY[1:]))
    text = toml_text(Robot([Joint(name="a"), Joint(name="b", b=0.3)], frames=[frame]))
    assert old in text
    with pytest.raises(FileError, match=facts(words)):
        robot_from_toml(text.replace(old, new).encode(), "arm.toml")


def test_waived_limits_of_a_table_are_left_out() -> None:
    text = toml_text(Robot([Joint(name="a", lower=-1.0, upper=2.0, velocity=3.0)]))
    text = text.replace("lower = -1.0", "lower = 5.0")
    with pytest.raises(FileError, match="`lower` is 5"):
        robot_from_toml(text.encode(), "arm.toml")
    with pytest.warns(RobotWarning, match=facts("1", "`lower`", "5", "`upper`", "2")):
        [joint] = robot_from_toml(text.encode(), "a", Leniency(waive=("limits",))).joints
    assert (joint.lower, joint.upper, joint.velocity) == (-math.inf, math.inf, 3.0)
