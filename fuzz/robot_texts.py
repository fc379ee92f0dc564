"""Texts of robot files: valid ones of each format, and many ways to break them."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import armdyn
from armdyn.robot.formats.toml import toml_text
from armdyn.robot.formats.urdf.write import urdf_text
from armdyn.robot.model import Robot
from support.mjcf_texts import TWO_LINKS, random_mjcf
from support.mutations import mutated
from support.robots import FAMILIES, random_robot
from support.urdf_compare import random_urdf
from support.urdf_texts import ARM
from support.xacro_texts import ROBOT

NUMBER = re.compile(r"(?<![\w.\"'-])-?\d+\.?\d*(?:[eE][-+]?\d+)?(?![\w.])")
QUOTED = re.compile(r"(?<=[\"\s])-?\d+\.?\d*(?:e[-+]?\d+)?(?=[\"\s])")

NUMBERS = (
    "0", "-0.0", "1", "-1", "1e-12", "1e-300", "5e-324", "1e10", "1e155", "1.8e308", "nan", "inf",
    "3.14159", "1.5708", "1.570796", "90", "180", "0.1.2", "1,5", "1_0", "0x1p3", "+1", ".5", "5.",
    "1e", "٣", "1 2", "", "1d0", "TRUE", "-nan", "1e-5", "1000", "0.99999999",
)  # fmt: skip

# Pieces that URDFs have besides those of dynamics, and some that they should not have.
URDF_PIECES = (
    '<material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>', "<gazebo/>", "<!-- -->",
    '<gazebo reference="L1"><mu1>0.2</mu1></gazebo>', "<![CDATA[<x>]]>", "<?pi x?>",
    '<transmission name="t"><type>x</type><joint name="J1"><hardwareInterface>x'
    '</hardwareInterface></joint><actuator name="m"><mechanicalReduction>100</mechanicalReduction>'
    "</actuator></transmission>", '<link name="spare"/>', '<ros2_control name="x" type="system"/>',
    '<joint name="loose" type="fixed"><parent link="L0"/><child link="spare2"/></joint>'
    '<link name="spare2"/>',
)  # fmt: skip
JOINT_PIECES = (
    '<dynamics damping="0.3" friction="0.2"/>',
    '<limit lower="-2" upper="2" effort="9" velocity="3"/>',
    '<mimic joint="J1" multiplier="2" offset="0.1"/>', '<calibration rising="0"/>',
    '<safety_controller k_velocity="1"/>', '<limit effort="0" velocity="0"/>', "<axis/>",
    '<limit lower="2" upper="-2" effort="-9" velocity="3"/>', '<origin xyz="0 0 0"/>',
)  # fmt: skip
LINK_PIECES = (
    '<visual><geometry><box size="1 1 1"/></geometry></visual>', "<visual/>", "<inertial/>",
    '<collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="1"/></geometry>'
    "</collision>", '<visual><geometry><mesh filename="package://x/y.stl"/></geometry></visual>',
    '<collision><geometry><sphere radius="-1"/></geometry></collision>',
)  # fmt: skip

# What an expression of a hostile xacro file may be. None of it may create the file HARM.
HOSTILE = (
    "().__class__.__base__.__subclasses__()", "__import__('os').system('touch HARM')",
    "open('HARM', 'w')", "9**9**9", "'a' * 10**10", "(lambda: 1)()", "[x for x in range(9)]",
    "[g.gi_frame.f_back.f_globals for g in [(x for x in [1])]]", "(x for x in [1]).gi_frame",
    "str(1).format", "'{0.__class__}'.format(1)", "load_yaml('/etc/passwd')", "1/0", "10**-400",
    "(1).bit_length()", "dict(a=1)['a']", "[1][9]", "x", "1 if", "0x10", "1e400", "pi", "xacro.x",
    "math.cos(0)", "sqrt(-1)", "True", "None", "'1'", "-1", "1 < 2 < 3", "python.x", "{}",
    "[[[1]]]",
    "tuple([1] * 10**9)", "sum([1, 2])", "max(1)", "int('9' * 5000)", "radians(90)",
    "range(10**12)",
    "list(range(10**8))", "''.join(['a'] * 10**8)", "abs(-1)", "f'{1}'", "(a := 1)", "~1",
    "1 << 10**6",
)  # fmt: skip


@cache
def _robots() -> list[Robot]:
    names = ("planar2", "scara", "puma560", "stanford")
    return [armdyn.load(name).robot for name in names]


def _robot(rng: random.Random) -> Robot:
    if rng.random() < 0.1:
        return rng.choice(_robots())
    robot = random_robot(rng.choice(FAMILIES), rng.randint(1, 4), rng.randrange(10**6))
    if rng.random() < 0.3:
        joints = [
            replace(joint, lower=-rng.random(), upper=rng.random(), velocity=3 * rng.random(),
                    effort=90 * rng.random(), stribeck=rng.random(), stribeck_velocity=0.1,
                    name=f"axis {k}é\"<&")
            for k, joint in enumerate(robot.joints)
        ]  # fmt: skip
        robot = replace(robot, joints=tuple(joints))
    return robot


def urdf(rng: random.Random) -> str:
    """Return a URDF."""
    match rng.randrange(4):
        case 0:
            text = ARM if rng.random() < 0.2 else urdf_text(_robot(rng))
        case kind:
            nearly = rng.choice([0.0, 0.0, 1e-3, 1e-6, 1e-9])
            text = random_urdf(
                rng.randint(1, 4), rng.randrange(10**6), 0.3, nearly if kind == 1 else 0
            )
    for end, pieces in (
        ("</joint>", JOINT_PIECES),
        ("</link>", LINK_PIECES),
        ("</robot>", URDF_PIECES),
    ):
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            places = [found.start() for found in re.finditer(end, text)]
            if places:
                at = rng.choice(places)
                text = text[:at] + rng.choice(pieces) + text[at:]
    return text


def mjcf(rng: random.Random) -> str:
    """Return an MJCF."""
    return TWO_LINKS if rng.random() < 0.1 else random_mjcf(rng.randrange(10**6))


def toml(rng: random.Random) -> str:
    """Return a table of joints."""
    return toml_text(_robot(rng))


def xacro_of(text: str, rng: random.Random) -> str:
    """Return a xacro file that expands to a URDF: numbers are expressions, some links macros."""
    properties: list[str] = []

    def expression(found: re.Match[str]) -> str:
        x = found[0]
        if rng.random() < 0.6:
            return x
        if rng.random() < 0.2:
            properties.append(f'<xacro:property name="p{len(properties)}" value="{x}"/>')
            return f"${{p{len(properties) - 1}}}"
        return (
            rng.choice(["${%s}", "${1 * %s}", "${(%s) + 0}", "${-(-%s)}", "${max(%s, -1e30)}"]) % x
        )

    head, body = (
        text[: text.index(">", text.index("<robot")) + 1],
        text[text.index(">", text.index("<robot")) + 1 :],
    )
    body = QUOTED.sub(expression, body)
    if rng.random() < 0.5:
        body = '<xacro:if value="${1 > 2}"><link name="never"/></xacro:if>' + body
    return (
        head.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
        + "".join(properties)
        + body
    )


def hostile_xacro(rng: random.Random) -> str:
    """Return a xacro file with an expression that should be refused or come to nothing."""
    where = rng.choice([
        '<link name="base"/><xacro:property name="x" value="%s"/><link name="${x}"/>',
        '<link name="base"/><xacro:if value="%s"><link name="a"/></xacro:if>',
        '<xacro:macro name="m" params="a:=%s"><link name="${a}"/></xacro:macro><xacro:m/>',
        '<link name="base"/><xacro:include filename="%s"/>',
    ])  # fmt: skip
    return f"{ROBOT}{where % ('${' + rng.choice(HOSTILE).replace('<', '&lt;') + '}')}</robot>"


def broken(text: str, rng: random.Random) -> bytes:
    """Return a text with things wrong: bytes, words, lines, numbers, elements, or its encoding."""
    data = text.encode()
    match rng.randrange(8):
        case 0 | 1:
            return mutated(data, rng)
        case 2 | 3:
            for _ in range(rng.randint(1, 3)):
                text = _other_number(text, rng)
        case 4 | 5:
            text = (
                _other_tree(text, rng) if text.lstrip().startswith("<") else _other_lines(text, rng)
            )
        case 6:
            text = _other_lines(text, rng)
        case _:
            encoding = rng.choice(
                ["utf-16", "utf-16-le", "utf-8-sig", "latin-1", "utf-32", "cp1252"]
            )
            if rng.random() < 0.3:
                text = text.replace("\n", rng.choice(["\r\n", "\r", "\n\n", "\x85", "\v"]))
            return text.encode(encoding, "replace")
    return text.encode("utf-8", "replace")


def _other_number(text: str, rng: random.Random) -> str:
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    place = rng.choice(found)
    old = place[0]
    new = rng.choice([
        rng.choice(NUMBERS), repr(float(old) * 10.0 ** rng.randint(-12, 12)), f"-{old}", old[:-1],
        repr(float(old) + rng.choice([1e-9, 1e-6, -1e-3, 1.0])), f"{old}{rng.randrange(10)}",
    ])  # fmt: skip
    return text[: place.start()] + new + text[place.end() :]


def _other_lines(text: str, rng: random.Random) -> str:
    """Delete, repeat or swap lines or words."""
    parts = re.split(r"(\n|(?=<)|(?<=>)|\s)", text)
    for _ in range(rng.randint(1, 4)):
        a, b = rng.randrange(len(parts)), rng.randrange(len(parts))
        match rng.randrange(3):
            case 0:
                parts[a] = ""
            case 1:
                parts[a] += parts[b]
            case _:
                parts[a], parts[b] = parts[b], parts[a]
    return "".join(parts)


def _other_tree(text: str, rng: random.Random) -> str:
    """Delete, repeat, move, rename or empty elements and attributes."""
    root = ET.fromstring(text)
    for _ in range(rng.randint(1, 4)):
        parents = [e for e in root.iter() if len(e)]
        parent = rng.choice(parents or [root])
        if not len(parent):
            break
        child = rng.choice(list(parent))
        others = list(root.iter())
        other = rng.choice(others)
        match rng.randrange(7):
            case 0:
                parent.remove(child)
            case 1:
                parent.insert(rng.randrange(len(parent) + 1), child)  # twice
            case 2 if child not in other.iter() and other not in child.iter():
                parent.remove(child)
                other.append(child)
            case 3 if child.attrib:
                del child.attrib[rng.choice(list(child.attrib))]
            case 4 if child.attrib and other.attrib:
                child.set(rng.choice(list(child.attrib)), rng.choice(list(other.attrib.values())))
            case 5:
                child.tag = other.tag
            case 6 if child.attrib:
                key = rng.choice(list(child.attrib))
                child.set(
                    rng.choice([key.upper(), f" {key}".strip() + "s", key]), rng.choice(NUMBERS)
                )
            case _:
                child.attrib = dict(other.attrib)
    return ET.tostring(root, encoding="unicode")
