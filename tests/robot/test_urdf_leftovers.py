"""What public URDFs contain besides an arm: read if no number depends on it, else refused."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn.errors import FileError, RobotWarning
from armdyn.robot.formats.urdf.read import parse_urdf
from support.says import Said, facts, says
from support.urdf_compare import errors
from support.urdf_texts import ARM, LIMIT, fixed, joint, links, robot

XMLNS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
PROPERTY = '<xacro:property name="M_PI" value="${3.14159}"/>'
MACRO = '<xacro:macro name="arm" params="p"><link name="${p}_link"/><xacro:inner/></xacro:macro>'


def with_first(text: str, extra: str) -> str:
    """Return a URDF with elements added at its beginning."""
    return text.replace('<robot name="arm">', f'<robot name="arm">{extra}')


@pytest.mark.parametrize("extra", [PROPERTY, MACRO, '<xacro:arg name="a" default="1"/>'])
@pytest.mark.parametrize("xmlns", [XMLNS, 'xmlns:xacro="http://playerstage.sourceforge.net"', ""])
def test_definitions_of_xacro_that_nothing_uses_are_passed_over(extra: str, xmlns: str) -> None:
    text = with_first(ARM, extra).replace("<robot ", f"<robot {xmlns} ", 1)
    assert parse_urdf(text) == parse_urdf(ARM)


def test_expressions_where_nothing_is_read_are_passed_over() -> None:
    unread = '<visual><origin xyz="${x} 0 0"/></visual><gazebo v="${y}"/>'
    assert parse_urdf(ARM.replace("</link>", f"{unread}</link>")) == parse_urdf(ARM)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ARM.replace('<mass value="2"/>', '<mass value="${m}"/>'), "`value` of <mass> of link"),
        (ARM.replace('"j1"', '"$(arg prefix)j1"'), "`name` of a <joint>"),
        (with_first(ARM, f"{MACRO}<xacro:arm p='a'/>"), ("<xacro:arm>", "macro")),
        (with_first(ARM, "<xacro:if value='1'><link name='x'/></xacro:if>"), "<xacro:if>"),
    ],
)
def test_what_is_used_of_xacro_is_refused(text: str, words: Said) -> None:
    with pytest.raises(FileError, match="run `xacro") as caught:
        parse_urdf(text)
    assert says(caught.value, words)


def test_include_that_was_not_expanded_is_warned_of() -> None:
    text = with_first(ARM, '<xacro:include filename="materials.xacro"/>')
    with pytest.warns(RobotWarning, match=r"materials\.xacro.*are missing"):
        assert parse_urdf(text) == parse_urdf(ARM)


@pytest.mark.parametrize(
    "text",
    [
        f"\n  {ARM}",
        with_first(ARM, "<!-- ------ links ------ -->"),
        with_first(ARM, "<sensor:camera name='c'/>"),
        ARM.replace("<limit", "<safety:controller k='1'/><limit"),
    ],
    ids=["blank line first", "dashes in a comment", "prefix not declared", "in a joint"],
)
def test_sins_against_xml_that_no_number_depends_on_are_passed_over(text: str) -> None:
    found = parse_urdf(text)
    assert found == parse_urdf(ARM)
    assert found.notes[0].startswith("The file is not well-formed XML (")
    data = text.encode()
    assert parse_urdf(data.replace(b"links", b"\xe9\xff")) == found


@pytest.mark.parametrize("encode", ["utf-8-sig", "utf-16", "latin-1"])
def test_marks_line_ends_and_encodings_do_not_matter(encode: str) -> None:
    text = with_first(ARM, "<!-- é -->").replace("\n", "\r\n")
    if encode == "latin-1":
        text = text.replace("?>", ' encoding="ISO-8859-1"?>', 1)
    assert parse_urdf(text.encode(encode)) == parse_urdf(ARM)


DRAKE = """<transmission name="t"><type>SimpleTransmission</type><joint name="{joint}"/>
<actuator name="m"><drake:rotor_inertia value="{inertia}"/>{ratio}</actuator></transmission>"""
RATIO = '<drake:gear_ratio value="100"/>'


def driven(ratio: str = RATIO, inertia: str = "2e-5", name: str = "j2", xmlns: str = "") -> str:
    drive = DRAKE.format(joint=name, inertia=inertia, ratio=ratio)
    text = ARM.replace("</robot>", f"{drive}</robot>")
    return text.replace("<robot ", f"<robot {xmlns} ", 1)


@pytest.mark.parametrize("xmlns", ["", 'xmlns:drake="http://drake.mit.edu"'])
def test_rotor_inertias_of_drake_are_read_on_the_joint_side(xmlns: str) -> None:
    found = parse_urdf(driven(xmlns=xmlns))
    assert [j.rotor_inertia for j in found.joints] == [0.0, pytest.approx(0.2, rel=1e-15)]
    assert any("<drake:rotor_inertia>" in n and "'j2 0.2'" in n for n in found.notes)
    found = parse_urdf(driven(ratio="", xmlns=xmlns))
    assert found.joints[1].rotor_inertia == 2e-5
    own = ARM.replace("<limit", '<armdyn rotor_inertia="7"/><limit').replace("</robot>", "")
    drive = DRAKE.format(joint="j2", inertia="2e-5", ratio=RATIO)
    assert parse_urdf(f"{own}{drive}</robot>").joints[1].rotor_inertia == 7.0


def test_rotor_inertias_that_cannot_be_are_refused() -> None:
    for text, words in (
        (driven(inertia="-1"), "negative"),
        (driven(inertia="x"), "expected a number"),
        (driven(ratio=RATIO * 2), "several <gear_ratio>"),
        (driven(ratio=f'{RATIO}<joint name="j1"/>'), "drives 2 joints"),
    ):
        with pytest.raises(FileError, match=words):
            parse_urdf(text)


TILT = "0.3 -0.7 1.1"


def mounted(kind: str) -> str:
    """An arm on a tilted mount above the root."""
    mount = fixed("m", "world", "mount").replace("<origin xyz=", f'<origin rpy="{TILT}" xyz=')
    top = f'<joint name="t" type="{kind}"><parent link="mount"/><child link="base"/>'
    top += f'<origin xyz="0 0 1" rpy="0.2 0 0"/>{LIMIT}</joint>'
    return ARM.replace("</robot>", links("world", "mount") + mount + top + "</robot>")


def test_gravity_is_carried_to_the_base_through_fixed_joints() -> None:
    text = mounted("fixed")
    model = pin.buildModelFromXML(text)
    arm = parse_urdf(text, base="base")
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    R = data.oMf[model.getFrameId("base", pin.BODY)].rotation
    assert arm.gravity == pytest.approx(R.T @ [0.0, 0.0, -9.81], abs=1e-14)
    assert any("through fixed joints" in note for note in arm.notes)
    assert max(errors(arm, model, "tool", "base").values()) < 1e-12
    moving = parse_urdf(mounted("revolute"), base="base", tip="tool")
    assert moving.gravity == (0.0, 0.0, -9.81)
    assert any("joints 't' lie between" in note for note in moving.notes)


LIMITS = [
    ('lower="-1"', 'lower="3"', "`lower` is 3 and `upper` is 2", ("lower", "upper")),
    ('velocity="3"', 'velocity="-2"', "the limit `velocity` is -2", ("velocity",)),
    ('effort="30"', 'effort="-1"', "the limit `effort` is -1", ("effort",)),
]


@pytest.mark.parametrize(("old", "new", "words", "names"), LIMITS)
def test_limits_are_not_dynamics(old: str, new: str, words: str, names: tuple[str, ...]) -> None:
    text = ARM.replace(old, new, 1)
    with pytest.raises(FileError, match=r'waive=\("limits",\) waives nothing else'):
        parse_urdf(text)
    right = parse_urdf(ARM)
    for given in ({"strict": False}, {"waive": ("limits",)}):
        with pytest.warns(RobotWarning, match="joint 'j1'") as warned:
            arm = parse_urdf(text, **given)  # type: ignore[arg-type]
        assert words in str(warned[0].message) and len(warned) == 1
        for name in ("lower", "upper", "velocity", "effort"):
            value = getattr(arm.joints[0], name)
            assert (value in (np.inf, -np.inf)) == (name in names), name
        assert arm.joints[1] == right.joints[1]


def test_waived_triangle_names_links_and_by_how_much_and_nothing_else_is_waived() -> None:
    """Moments 0.01, 0.02, 0.033: the largest is 9.1 % too large."""
    text = robot(
        links("base", "b", "tool"),
        f'<link name="a">{moments(0.01, 0.02, 0.033)}</link>',
        joint("j1", "base", "a"), joint("j2", "a", "b"), fixed("f", "b", "tool"),
    )  # fmt: skip
    with pytest.raises(FileError, match=r'waive=\("triangle",\)'):
        parse_urdf(text)
    with pytest.warns(RobotWarning, match=facts("'a'", "'j1'", "9.1 %")) as warned:
        arm = parse_urdf(text, waive=("triangle",))
    assert len(warned) == 1
    assert (arm.strict, arm.waive) == (True, ("triangle",))
    assert max(errors(arm, pin.buildModelFromXML(text), "tool").values()) < 1e-12
    worse = text.replace('<mass value="2.0"/>', '<mass value="0"/>', 1)
    with pytest.raises(FileError, match="`mass` is zero"):
        parse_urdf(worse, waive=("triangle", "limits"))


def moments(xx: float, yy: float, zz: float, mass: float = 2.0) -> str:
    return (
        f'<inertial><mass value="{mass}"/><inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" '
        f'izz="{zz}"/></inertial>'
    )


GRIPPER = (
    f'<link name="hand">{moments(1, 1, 9)}</link>'
    '<link name="finger"><inertial><mass value="-3"/></inertial></link>'
    + fixed("h", "b", "hand")
    + '<joint name="g" type="prismatic"><parent link="hand"/><child link="finger"/>'
    '<limit lower="9" upper="1" effort="-1" velocity="nan"/></joint>'
)


def test_gripper_is_left_out_before_anything_in_it_is_checked() -> None:
    text = ARM.replace("</robot>", GRIPPER + "</robot>")
    with pytest.raises(FileError, match="mass of -3 kg"):
        parse_urdf(text, tip="tool")
    arm = parse_urdf(text, without=["hand"])
    assert arm == parse_urdf(ARM)
    assert "Left out, with all that they carry: links 'hand'." in arm.notes
    assert {"hand", "finger", "h", "g"}.isdisjoint(frame.name for frame in arm.frames)
    odd = f'<link name="hand">{moments(1, 1, 9)}</link>{fixed("h", "b", "hand")}</robot>'
    with pytest.raises(FileError, match="link 'hand'"):
        parse_urdf(ARM.replace("</robot>", odd), tip="tool")


@pytest.mark.parametrize(
    ("without", "tip", "words"),
    [
        (["hnd"], None, ("'hnd'", "'hand'")),
        (["base"], None, "every link"),
        (["b"], "tool", ("'tool'", "`without`")),
    ],
)
def test_wrong_links_to_leave_out_are_refused(
    without: list[str], tip: str | None, words: Said
) -> None:
    with pytest.raises(FileError, match=facts(words)):
        parse_urdf(ARM.replace("</robot>", GRIPPER + "</robot>"), without=without, tip=tip)


def test_options_of_load_reach_the_reader(tmp_path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.replace("</robot>", GRIPPER + "</robot>"))
    assert armdyn.load(path, without=["hand"]).n == 2
    with pytest.raises(FileError, match="hand"):
        armdyn.load(path, without=["finger"])
    with pytest.warns(RobotWarning, match="by 78 %"):
        assert armdyn.load(path, without=["finger"], waive=("triangle",)).n == 2
    with pytest.raises(armdyn.InputError, match=facts("`waive`", "'triangles'")):
        armdyn.load(path, waive=("triangles",))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert armdyn.load(path, without=["finger", "hand"]).robot == parse_urdf(ARM)
