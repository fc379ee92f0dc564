"""A wrong URDF is refused with a sentence that names the element, whatever is wrong with it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armdyn.errors import ArmdynError, FileError, RobotError, RobotWarning
from armdyn.robot.formats.urdf.read import parse_urdf, read_urdf
from armdyn.robot.formats.urdf.xml import LARGEST_FILE
from support.says import Said, facts, says
from support.urdf_texts import ARM, INERTIAL, LIMIT, fixed, joint, links, robot, version

BOMB = '<!DOCTYPE b [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>'
OUTSIDE = '<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/hostname">]><robot name="&a;"/>'
XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'

# what is wrong, the text, words of the message
BROKEN = [
    ("empty", "", "not well-formed XML"),
    ("no XML", "joint = 3", "not well-formed XML"),
    ("cut off", ARM[:200], "not well-formed XML"),
    ("entities that grow", BOMB, "DOCTYPE"),
    ("an entity outside", OUTSIDE, "DOCTYPE"),
    ("a document type", '<!DOCTYPE robot><robot name="r"/>', "DOCTYPE"),
    ("another format", '<sdf version="1.6"/>', "<sdf>, expected <robot>"),
    ("xacro elements", f'<robot name="r" {XACRO}><xacro:arm/></robot>', "run `xacro"),
    ("xacro expressions", ARM.replace('"2"', '"${m}"', 1), "run `xacro"),
    ("xacro without namespace", '<robot name="r"><xacro:arm/></robot>', "run `xacro"),
    ("no name", "<robot/>", "<robot> has no attribute `name`"),
    ("no links", '<robot name="r"/>', "no <link>"),
    ("a link without name", robot("<link/>"), "a <link> has no attribute `name`"),
    ("a link twice", robot(links("a", "a")), "link 'a' is there twice"),
    ("a joint twice", ARM.replace("j2", "j1"), "joint 'j1' is there twice"),
    ("no type", ARM.replace(' type="revolute"', "", 1), "joint 'j1' has no attribute `type`"),
    ("unknown type", ARM.replace("revolute", "hinge", 1), "joint 'j1' is of type 'hinge'"),
    ("no parent", ARM.replace('<parent link="base"/>', ""), "joint 'j1' has no <parent>"),
    ("empty parent", ARM.replace('<parent link="base"/>', "<parent/>"), "<parent> of joint 'j1'"),
    ("unknown child", ARM.replace('child link="b"', 'child link="x"'), "child link 'x'"),
    ("unknown parent", ARM.replace('parent link="a"', 'parent link="x"'), "parent link 'x'"),
    ("two axes", ARM.replace("<limit", '<axis xyz="0 0 1"/><limit', 1), "joint 'j1' has 2 <axis>"),
    ("axis zero", ARM.replace('axis xyz="0 1 0"', 'axis xyz="0 0 0"'), "<axis> of joint 'j2' is z"),
    ("axis of words", ARM.replace('axis xyz="0 1 0"', 'axis xyz="y"'), "<axis> of joint 'j2'"),
    ("axis of two", ARM.replace('axis xyz="0 1 0"', 'axis xyz="0 1"'), "has 2 numbers, expected 3"),
    ("NaN", ARM.replace('"0 0 0.4"', '"0 0 nan"', 1), "`xyz` in <origin> of joint 'j1' is 'nan'"),
    ("infinite", ARM.replace('"0 0 0.4"', '"0 0 inf"', 1), "<origin> of joint 'j1' is inf"),
    ("enormous", ARM.replace('"0 0 0.4"', '"0 0 1e200"', 1), "at most 1e+12"),
    ("Python's digits", ARM.replace('"0 0 0.4"', '"0 0 1_0"', 1), "'1_0', expected a number"),
    ("NaN limit", ARM.replace('lower="-1"', 'lower="nan"', 1), "`lower` in <limit> of joint 'j1'"),
    ("limits swapped", ARM.replace('lower="-1"', 'lower="3"', 1), "joint 'j1': `lower` is 3"),
    ("negative effort", ARM.replace('effort="30"', 'effort="-3"', 1), "joint 'j1': the limit `eff"),
    ("negative damping", ARM.replace("<limit", '<dynamics damping="-1"/><limit', 1), "`viscous`"),
    ("zero quaternion", version("1.2", ARM).replace("<axis", '<a/><axis').replace(
        '<origin xyz="0 0 0.4"/>', '<origin quat_xyzw="0 0 0 0"/>', 1),
        "`quat_xyzw` in <origin> of joint 'j1' is zero"),
    ("two rotations", version("1.2", ARM).replace(
        '<origin xyz="0 0 0.4"/>', '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>', 1), "remove one"),
    ("a quaternion too early", ARM.replace('xyz="0 0 0.4"', 'quat_xyzw="0 0 0 1"', 1),
        "<origin> of joint 'j1' has `quat_xyzw`, which readers of version 1.0 skip"),
    ("a quaternion in 1.0", version("1.0", ARM).replace(
        'xyz="0 0 0.4"', 'quat_xyzw="0 0 0 1"', 1), 'declare <robot version="1.1">'),
    ("a version of one number", version("1", ARM), "URDF version '1'"),
    ("unknown version", version("9.0", ARM), "URDF version '9.0'; known are 1.0, 1.1, 1.2"),
    ("version of words", version("latest", ARM), "URDF version 'latest'"),
    ("element in capitals", ARM.replace('<axis xyz="0 1 0"/>', '<Axis xyz="0 1 0"/>'),
        "joint 'j2' has a <Axis>, which no reader knows; the element is called <axis>"),
    ("joint in capitals", ARM.replace("joint name", "JOINT name").replace("/joint", "/JOINT"),
        "<robot> has a <JOINT>"),
    ("attribute in capitals", ARM.replace('axis xyz="0 1 0"', 'axis XYZ="0 1 0"'),
        "<axis> of joint 'j2' has an attribute `XYZ`, which no reader knows; it is called `xyz`"),
    ("limit in capitals", ARM.replace("lower=", "Lower=", 1), "<limit> of joint 'j1' has an attr"),
    ("origin of another namespace", ARM.replace('<origin xyz="0 0 0.4"', '<origin xmlns="foo" xyz='
        '"0 0 0.4"', 1), "joint 'j1' has a <origin> of the namespace 'foo', which URDF readers"),
    ("axis of another namespace", ARM.replace("<axis", '<axis xmlns="foo"'), "<axis> of the names"),
    ("inertial of another namespace", ARM.replace("<mass", '<mass xmlns="foo"', 1), "<mass> of"),
    ("links of no namespace", '<u:robot xmlns:u="foo" name="r"><link name="a"/></u:robot>',
        "robot 'r' has no <link>"),
    ("attribute of another namespace", ARM.replace('<axis xyz="0 1 0"/>',
        '<axis xmlns:f="foo" f:xyz="0 1 0"/>'), "`xyz` of another namespace"),
    ("Arabic digits", ARM.replace('"0 0 0.4"', '"0 0 \u0663"', 1), "'\u0663', expected a number"),
    ("wide digits", ARM.replace('mass value="2"', 'mass value="\uff11"'), "`value` in <mass>"),
    ("nested deeply", robot("<a>" * 101 + "</a>" * 101), "nested more than 100 deep, at <a>"),
    ("no mass", ARM.replace('<mass value="2"/>', "", 1), "<inertial> of link 'base' has no <mass>"),
    ("no inertia", ARM.replace(' izz="0.04"', "", 1), "<inertia> of link 'base' has no attribute"),
    ("negative mass", ARM.replace('"2"', '"-2"', 1), "link 'base' has a mass of -2 kg"),
    ("two inertials", robot(links("a", inertial=INERTIAL * 2)), "link 'a' has 2 <inertial>"),
    ("several roots", robot(links("a", "b")), "2 links have no parent: 'a', 'b'"),
    ("two parents", robot(links("a", "b", "c"), joint("1", "a", "c"), joint("2", "b", "c")),
        "link 'c' has two parents, by the joints '1' and '2'"),
    ("a cycle", robot(links("a", "b"), joint("1", "a", "b"), joint("2", "b", "a")), "cycle"),
    ("a cycle beside", robot(links("r", "a", "b"), joint("1", "a", "b"), joint("2", "b", "a")),
        "form a cycle"),
    ("its own parent", robot(links("r", "a"), joint("1", "a", "a")), "'a' form a cycle"),
    ("nothing moves", robot(links("a", "b"), fixed("1", "a", "b")), "no joint moves"),
    ("floating", robot(links("a", "b", "c"), joint("1", "a", "b", "floating"),
        joint("2", "b", "c")), "joint '1' between base 'a' and tip 'c' is of type 'floating'"),
    ("planar", ARM.replace("revolute", "planar", 1), "'planar'"),
    ("mimics itself", ARM.replace("<limit", '<mimic joint="j1"/><limit', 1), "mimics itself"),
    ("no inertial behind a joint", robot(links("base", "a"), '<link name="b"/><link name="t"/>',
        joint("1", "base", "a"), joint("2", "a", "b"), fixed("3", "b", "t")),
        "link 'b', which joint '2' moves, has no <inertial>"),
    ("triangle inequality", ARM.replace(
        '<link name="a">' + INERTIAL, '<link name="a">' + INERTIAL.replace("0.04", "0.4")),
        "link 'a', which joint 'j1' moves: `inertia` has principal moments"),
    ("inertia without mass", ARM.replace(
        '<link name="b">' + INERTIAL, '<link name="b">' + INERTIAL.replace('"2"', '"0"')),
        "link 'b', which joint 'j2' moves: `mass` is zero"),
    ("endless name", ARM.replace('"base"', '"' + "x" * 2000 + '"'), "`name` of a <link> has 2000"),
    ("unknown attribute", ARM.replace("<limit", '<armdyn rotor="1"/><limit', 1), "`rotor`"),
    ("negative rotor", ARM.replace("<limit", '<armdyn rotor_inertia="-1"/><limit', 1), "rotor_in"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), [row[1:] for row in BROKEN], ids=[r[0] for r in BROKEN])
def test_broken_urdf_is_refused_by_name(text: str, words: str) -> None:
    with pytest.raises(FileError, match=re.escape(words)) as caught:
        parse_urdf(text, source="my.urdf")
    assert str(caught.value).startswith("my.urdf: ")
    assert caught.value.path == Path("my.urdf")
    assert str(caught.value).endswith(".")


def test_first_of_repeated_elements_is_taken_where_that_is_asked_for() -> None:
    other = '<origin xyz="0 0 9"/>'
    twice = ARM.replace("<axis", f"{other}<axis", 1)
    with pytest.raises(FileError, match=facts("strict=False", "first")):
        parse_urdf(twice)
    with pytest.warns(RobotWarning, match=facts("2 <origin>", "first")):
        assert parse_urdf(twice, strict=False).joints == parse_urdf(ARM).joints


def test_arm_that_the_broken_ones_are_made_from_is_accepted() -> None:
    assert parse_urdf(ARM).n == 2


@pytest.mark.parametrize(
    ("base", "tip", "words"),
    [
        (None, "tol", ("'tol'", "'tool'")),
        ("zzz", None, ("'zzz'", "'base'", "'a'", "'b'", "'tool'")),
        ("b", "a", ("'a'", "'b'")),
        ("b", "tool", ("'b'", "'tool'")),
    ],
)
def test_wrong_base_or_tip_is_refused(base: str | None, tip: str | None, words: Said) -> None:
    with pytest.raises(FileError, match=facts(words)):
        parse_urdf(ARM, base=base, tip=tip)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        read_urdf(tmp_path / "none.urdf")
    with pytest.raises(FileError, match="cannot be read"):
        read_urdf(tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        read_urdf("nul\0byte")


def test_enormous_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.urdf"
    path.write_bytes(b" " * (LARGEST_FILE + 1))
    with pytest.raises(FileError, match="5 MB"):
        read_urdf(path)
    with pytest.raises(FileError, match="5 MB"):
        parse_urdf(" " * (LARGEST_FILE + 1))


def test_long_chain_is_refused_or_read_without_recursion() -> None:
    names = [f"l{k}" for k in range(3000)]
    chain = [fixed(f"f{k}", a, b) for k, (a, b) in enumerate(zip(names[1:-1], names[2:]))]  # noqa: B905, RUF007
    text = robot(links(*names), joint("j", "l0", "l1"), *chain)
    assert parse_urdf(text).joints[0].mass == 2.0 * 2999
    with pytest.raises(FileError, match="10001 links"):
        parse_urdf(robot(*('<link name="%d"/>' % k for k in range(10001))))  # noqa: UP031


def test_not_strict_turns_impossible_links_into_warnings() -> None:
    massless = robot(links("base", "a"), '<link name="b"/>', joint("1", "base", "a"),
                     joint("2", "a", "b"))  # fmt: skip
    with pytest.warns(RobotWarning, match=facts("'b'", "'2'", "<inertial>")):
        arm = parse_urdf(massless, strict=False)
    assert arm.joints[1].mass == 0.0
    assert (arm.strict, parse_urdf(ARM, strict=False).strict, parse_urdf(ARM).strict) == (0, 0, 1)
    impossible = ARM.replace('izz="0.04"', 'izz="0.4"')
    with pytest.warns(RobotWarning) as warned:
        assert parse_urdf(impossible, strict=False).n == 2
    assert says(warned[0].message, "'a'", "'j1'", "`inertia`")
    assert len(warned) == 1  # not again by the names of joints


def test_impossible_inertia_of_the_base_does_not_matter() -> None:
    base = '<link name="base">' + INERTIAL
    assert parse_urdf(ARM.replace(base, base.replace("0.04", "4"))).n == 2


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_raise_only_our_errors(data: bytes) -> None:
    with pytest.raises(FileError):
        parse_urdf(data)


WORDS = ["nan", "1e400", "-1", "0", "1e-320", "1e12", "", "x", "revolute", "floating", "j1", "a"]


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_urdf_raises_only_our_errors(data: st.DataObject) -> None:
    """Values exchanged, pieces cut out, the end cut off."""
    text = ARM.replace(LIMIT, LIMIT + '<mimic joint="j1" multiplier="2" offset="1"/>', 1)
    values = list(re.finditer('"[^"]*"', text))
    for _ in range(data.draw(st.integers(0, 3))):
        spot = data.draw(st.sampled_from(values))
        word = data.draw(st.sampled_from(WORDS) | st.text(max_size=5) | st.floats().map(str))
        text = text[: spot.start()] + f'"{word}"' + text[spot.end() :]
    start = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.sampled_from([0, 0, 1, 5, 40, len(text)]))
    text = text[:start] + text[start + cut :]
    try:
        parse_urdf(text)
    except ArmdynError as error:
        assert isinstance(error, RobotError)


def test_known_versions_of_the_format_are_accepted() -> None:
    for number in ("1.0", "1.1", "1.2"):
        assert parse_urdf(version(number, ARM)).joints == parse_urdf(ARM).joints


def test_elements_of_other_programs_are_skipped() -> None:
    other = '<f:rotor xmlns:f="foo"/><Gazebo/><limits/>'
    assert parse_urdf(ARM.replace("<axis", f"{other}<axis")).joints == parse_urdf(ARM).joints


def test_file_of_very_many_elements_is_refused_early() -> None:
    with pytest.raises(FileError, match="more than 300000 elements"):
        parse_urdf(robot("<a/>" * 400_000))


def joints_that_follow_the_first(count: int) -> str:
    chain = [f"l{k}" for k in range(count + 1)]
    follow = LIMIT + '<mimic joint="j1"/>'
    joints = [
        joint(f"j{k}", chain[k - 1], chain[k], inside=LIMIT if k == 1 else follow)
        for k in range(1, len(chain))
    ]
    return robot(links(*chain), *joints)


def test_work_does_not_grow_as_the_square_of_joints_that_follow_one() -> None:
    """Every joint of a chain follows the first: a minute when paths to the root were compared."""
    with pytest.warns(RobotWarning, match="and 8993 more"):
        assert parse_urdf(joints_that_follow_the_first(9000)).n == 1
    lines = dict.fromkeys((200, 400), 0)  # of Python, that are run
    before = sys.gettrace()
    for count in lines:
        text = joints_that_follow_the_first(count)

        def counted(frame: object, event: str, value: object, count: int = count) -> object:
            lines[count] += event == "line"
            return counted

        with pytest.warns(RobotWarning, match=f"and {count - 7} more"):
            sys.settrace(counted)
            try:
                parse_urdf(text)
            finally:
                sys.settrace(before)
    assert 1.5 < lines[400] / lines[200] < 2.5
