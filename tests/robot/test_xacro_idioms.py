"""What xacro files of real arms use keeps working: idioms of ur, franka, kortex and xarm files."""

from __future__ import annotations

from pathlib import Path

import pytest

from armdyn.robot.formats.xacro.read import expanded
from support.says import facts
from support.xacro_texts import ROBOT


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with tables of joint limits, inertias, kinematics and positions."""
    folder = tmp_path / "my_description"
    (folder / "config").mkdir(parents=True)
    (folder / "urdf").mkdir()
    (folder / "package.xml").write_text("<package><name>my_description</name></package>")
    (folder / "config/limits.yaml").write_text(
        "joint_limits:\n"
        "  shoulder: {max_position: !degrees 360.0, has_limits: true, max_effort: 150.0}\n"
        "  lift: {max_position: !radians pi / 2, reach: !millimeters 425, span: !inches 2}\n"
    )
    (folder / "config/inertials.yaml").write_text(
        "link1:\n  origin: {xyz: 0.1 0 0.2, rpy: 0 0 0}\n  mass: 4.97\n"
        "  inertia: {xx: 0.7, yy: 0.7, zz: 0.009}\nlist: [1.5, -2, [3, 4]]\n"
    )
    return folder


def value(package: Path, inside: str, **arguments: object) -> str:
    """Return the attribute `is` of the element <value> that a file expands to."""
    path = package / "urdf/arm.xacro"
    path.write_text(f'{ROBOT}{inside}<link name="base"/></robot>')
    return expanded(path, arguments).partition('<value is="')[2].partition('"')[0]


FIND = "$(find my_description)/config"
LIMITS = (
    f'<xacro:property name="file" value="{FIND}/limits.yaml"/>'
    '<xacro:property name="config" value="${xacro.load_yaml(file)}"/>'
    '<xacro:property name="limits" value="${config[\'joint_limits\']}"/>'
)
INERTIALS = (
    f'<xacro:property name="file" value="{FIND}/inertials.yaml"/>'
    '<xacro:property name="inertial" value="${load_yaml(file)}"/>'
)

IDIOMS = {
    "tables by key": (LIMITS + "<value is=\"${limits['shoulder']['max_effort']}\"/>", "150.0"),
    "tables by dot": (INERTIALS + '<value is="${inertial.link1.inertia.zz * 2}"/>', "0.018"),
    "text of a table": (INERTIALS + '<value is="${inertial.link1.origin.xyz}"/>', "0.1 0 0.2"),
    "lists of a table": (INERTIALS + '<value is="${inertial.list[2][1] - 1}"/>', "3"),
    "a key in a table": (INERTIALS + "<value is=\"${'link1' in inertial}\"/>", "True"),
    "a key with a default": (INERTIALS + "<value is=\"${inertial.get('none', 3)}\"/>", "3"),
    "keys of a table": (INERTIALS + '<value is="${len(inertial.keys())}"/>', "2"),
    "degrees": (LIMITS + '<value is="${round(limits.shoulder.max_position, 6)}"/>', "6.283185"),
    "an angle with pi": (LIMITS + '<value is="${limits.lift.max_position == pi / 2}"/>', "True"),
    "millimetres": (LIMITS + '<value is="${limits.lift.reach}"/>', "0.425"),
    "inches": (LIMITS + '<value is="${limits.lift.span}"/>', "0.0508"),
    "a flag of a table": (
        LIMITS + '<xacro:if value="${limits.shoulder.has_limits}"><value is="yes"/></xacro:if>',
        "yes",
    ),
    "a table in a macro": (
        INERTIALS + '<xacro:macro name="m" params="name table:=^"><value is="${table[name].mass}"/>'
        '</xacro:macro><xacro:property name="table" value="${inertial}"/><xacro:m name="link1"/>',
        "4.97",
    ),
    "a prefix": (
        '<xacro:arg name="prefix" default="left_"/><xacro:property name="prefix" '
        'value="$(arg prefix)"/><value is="${prefix}joint_1"/>',
        "left_joint_1",
    ),
    "an empty default": (
        "<xacro:macro name=\"m\" params=\"name prefix:='' parent:='base_link'\">"
        '<value is="${prefix}${name}:${parent}"/></xacro:macro><xacro:m name="a"/>',
        "a:base_link",
    ),
    "a condition on text": (
        '<xacro:arg name="parent" default="world"/><xacro:property name="parent" '
        "value=\"$(arg parent)\"/><value is=\"${parent == 'world' and not parent == ''}\"/>",
        "True",
    ),
    "unless": (
        '<xacro:arg name="vision" default="false"/><xacro:unless value="$(arg vision)">'
        '<value is="none"/></xacro:unless>',
        "none",
    ),
    "a choice": ("<value is=\"${'fixed' if 1 &lt; 2 else 'revolute'}\"/>", "fixed"),
    "a path": (
        '<xacro:arg name="dof" default="7"/><xacro:property name="dof" value="$(arg dof)"/>'
        '<value is="package://xarm/meshes/xarm${dof}/link${int(dof) + 1}.stl"/>',
        "package://xarm/meshes/xarm7/link8.stl",
    ),
    "eval with arguments": (
        '<xacro:arg name="dof" default="6"/><value is="$(eval dof == 6 and dof > 5)"/>',
        "True",
    ),
    "eval with text": (
        "<xacro:arg name=\"name\" default=\"ur\"/><value is=\"$(eval name + '_' * 2 + 'e')\"/>",
        "ur__e",
    ),
    "degrees by radians": ('<value is="${radians(180.0) == pi}"/>', "True"),
    "math by name": ('<value is="${math.sqrt(4) + abs(-1.0) + math.floor(2.5)}"/>', "5.0"),
    "inertia of a cylinder": (
        '<xacro:macro name="m" params="r l mass"><value is="${1./12 * mass * (3*r*r + l*l)}"/>'
        '</xacro:macro><xacro:m r="0.5" l="1" mass="12"/>',
        "1.75",
    ),
    "vectors as text": (
        "<xacro:property name=\"xyz\" value=\"1 2 3\"/><value is=\"${xyz.split()[1]}\"/>", "2",
    ),
    "numbers of a vector": (
        "<xacro:property name=\"xyz\" value=\"1 2 3\"/>"
        "<value is=\"${sum(map(float, xyz.split(' ')))}\"/>", "6.0",
    ),
    "a comprehension": ("<value is=\"${' '.join([str(2 * k) for k in range(3) if k])}\"/>", "2 4"),
    "tokens": ("<value is=\"${xacro.tokenize('a,b;c')[2]}\"/>", "c"),
    "a dictionary": ("<value is=\"${dict(a=1, b=2)['b']}\"/>", "2"),
    "a format": ("<value is=\"${'%.3f' % 1.5}\"/>", "1.500"),
    "a type": ("<value is=\"${python.isinstance('x', python.str)}\"/>", "True"),
    "the environment": ('<value is="$(optenv ARMDYN_NOT_SET a b)"/>', "a b"),
    "a global property": (
        '<xacro:macro name="m"><xacro:property name="x" value="${1 + 1}" scope="global"/>'
        '</xacro:macro><xacro:m/><value is="${x}"/>', "2",
    ),
    "a block": (
        '<xacro:macro name="m" params="*origin"><xacro:insert_block name="origin"/></xacro:macro>'
        '<xacro:m><value is="inside"/></xacro:m>', "inside",
    ),
    "many blocks": (
        '<xacro:property name="p"><value is="in"/></xacro:property><xacro:insert_block name="p"/>',
        "in",
    ),
    "a macro by name": (
        '<xacro:macro name="m" params="x"><value is="${x}"/></xacro:macro>'
        "<xacro:call macro=\"${'m'}\" x=\"8\"/>", "8",
    ),
    "an optional include": (
        '<xacro:include filename="none.xacro" optional="true"/><value is="on"/>', "on",
    ),
    "an element by name": ("<xacro:element xacro:name=\"${'value'}\" is=\"x\"/>", "x"),
    "an attribute": ('<value><xacro:attribute name="is" value="a${1 + 2}"/></value>', "a3"),
    "escapes": ('<value is="$${pi}"/>', "${pi}"),
    "truth values": ('<value is="${True and not False}"/>', "True"),
    "a comparison in a row": ('<value is="${0 &lt; 1 &lt;= 1.0}"/>', "True"),
    "a warning": ("<value is=\"${xacro.warning('old')}x\"/>", "x"),
}  # fmt: skip


@pytest.mark.parametrize(("inside", "expected"), IDIOMS.values(), ids=IDIOMS)
def test_idioms_of_real_files(package: Path, inside: str, expected: str) -> None:
    assert value(package, inside) == expected


def test_includes_with_namespaces_and_patterns(package: Path) -> None:
    for name in ("a", "b"):
        (package / f"urdf/part_{name}.xacro").write_text(
            f'{ROBOT}<xacro:property name="{name}" value="{name}{name}"/>'
            f'<xacro:macro name="show_{name}"><value is="${{{name}}}"/></xacro:macro></robot>'
        )
    include = '<xacro:include filename="part_a.xacro" ns="part"/>'
    assert value(package, f'{include}<value is="${{part.a}}"/>') == "aa"
    assert value(package, f"{include}<xacro:part.show_a/>") == "aa"
    assert (
        value(package, '<xacro:include filename="part_*.xacro"/><value is="${a + b}"/>') == "aabb"
    )
    absolute = "$(find my_description)/urdf/part_?.xacro"
    assert value(package, f'<xacro:include filename="{absolute}"/><xacro:show_b/>') == "bb"


def test_the_names_of_a_missing_key_and_property_are_told(package: Path) -> None:
    with pytest.raises(Exception, match=facts("'elbow'", "'shoulder'", "'lift'")):
        value(package, LIMITS + '<value is="${limits.elbow}"/>')
    with pytest.raises(Exception, match=facts("'none'", "defined")):
        value(package, '<value is="${none}"/>')
    with pytest.raises(Exception, match="stop here"):
        value(package, "<value is=\"${xacro.fatal('stop', 'here')}\"/>")
