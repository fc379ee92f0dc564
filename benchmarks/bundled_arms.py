"""Write the files of the bundled arms that people own, from the package example-robot-data.

    python benchmarks/bundled_arms.py [--check]

With --check nothing is written: the exit status is 1 if a file differs from what would be written.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from armdyn.robot.files import read_robot
from armdyn.robot.formats.toml import toml_text
from armdyn.robot.model import Robot
from arms import published

BUNDLED = Path(__file__).parents[1] / "src/armdyn/robot/bundled"
PACKAGE = "example-robot-data 6.0.0 (BSD-2-Clause)"

UR = "ros-industrial/universal_robot, ur_description, kinetic-devel"
UR_DOUBT = (
    "masses are the maker's; inertias are those of solid cylinders (Izz = m r^2 / 2 with r = "
    "0.06 m or so), which its maintainers call approximations. No rotor inertias, no friction."
)
SO = "TheRobotStudio/SO-ARM100"


class Source(NamedTuple):
    """Where an arm comes from, and how far its numbers can be trusted."""

    title: str
    file: str
    tip: str | None
    upstream: str
    licence: str
    trust: str
    doubt: str


ARMS = {
    "ur3": Source(
        "Universal Robots UR3", "ur_description/urdf/ur3_robot.urdf", "tool0", UR, "BSD",
        "doubtful", UR_DOUBT,
    ),
    "ur5": Source(
        "Universal Robots UR5", "ur_description/urdf/ur5_robot.urdf", "tool0", UR, "BSD",
        "doubtful",
        f"{UR_DOUBT} The wrist is wrong: 0.22 kg m^2 for 1.2 kg is a radius of gyration of 0.42 "
        "m, eight times that of the UR3 and the UR10 (corrected upstream later, pull request "
        "426).",
    ),
    "ur10": Source(
        "Universal Robots UR10", "ur_description/urdf/ur10_robot.urdf", "tool0", UR, "BSD",
        "doubtful", UR_DOUBT,
    ),
    "panda": Source(
        "Franka Emika Panda with its hand", "panda_description/urdf/panda.urdf", "panda_hand_tcp",
        "frankaemika/franka_ros, franka_description, noetic-devel", "Apache-2.0", "measured",
        "identified from a robot by C. Gaz, M. Cognetti, A. Oliva, P. Robuffo Giordano and A. "
        "De Luca (IEEE RA-L 4(4), 2019); torques depend on combinations of these numbers, so "
        "that a single one may be off. Viscous friction of 0.003 is a number for simulators. No"
        " rotor inertias.",
    ),
    "xarm7": Source(
        "UFACTORY xArm 7", "xarm_description/urdf/xarm7.urdf", None, "xArm-Developer/xarm_ros2",
        "BSD-3-Clause", "CAD",
        "full tensors as a CAD program gives them; the files do not say how they were found. "
        "Friction, whole numbers from 1 to 10, is for simulators. No rotor inertias.",
    ),
    "z1": Source(
        "Unitree Z1 with its gripper, which is joint 7", "z1_description/urdf/z1.urdf", None,
        "unitreerobotics/unitree_ros, z1_description", "MPL-2.0", "CAD",
        "full tensors as a CAD program gives them; the files do not say how they were found. "
        "Friction, 1 or 2, is for simulators. No rotor inertias.",
    ),
    "so100": Source(
        "Standard Open Arm SO-ARM100; joint 6 is its jaw", "so_arm_description/urdf/so100.urdf",
        None, SO, "Apache-2.0", "doubtful",
        "principal moments without their axes: the MJCF of the same arm in MuJoCo Menagerie has"
        " the same masses and moments, but turned. No rotor inertias, though the gears of its "
        "servos make them large; no friction.",
    ),
    "so101": Source(
        "Standard Open Arm SO-ARM101; joint 6 is its jaw", "so_arm_description/urdf/so101.urdf",
        None, SO, "Apache-2.0", "CAD",
        "written by onshape-to-robot from the drawings. No rotor inertias, though the gears of "
        "its servos make them large; no friction.",
    ),
    "kinova": Source(
        "Kinova Jaco 2 (j2s6s200) with its hand", "kinova_description/robots/kinova.urdf",
        "j2s6s200_end_effector", "Kinovarobotics/kinova-ros, kinova_description, melodic-devel",
        "BSD", "doubtful",
        "inertias are those of solid cylinders (Izz = m r^2 / 2 with r = 0.04 m), and masses do"
        " not add up to the data sheet (issue 442 of the source). No rotor inertias, no "
        "friction.",
    ),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    for name in ARMS:
        path, text = BUNDLED / f"{name}.toml", bundled_text(name)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
    print(f"{len(ARMS)} arms, {'stale' if check else 'written'}: {', '.join(stale) or 'none'}")
    if check and stale:
        sys.exit(1)


def bundled_text(name: str) -> str:
    """The file of an arm: who made it, then its table."""
    source, robot = ARMS[name], described(name)
    head = [
        f"{source.title}, modified DH. SI units.",
        "",
        f"Source: {source.file} of {PACKAGE}, which has it from {source.upstream}. Licence: "
        f"{source.licence}.",
        "",
        f"Known doubt: {source.doubt}",
        "",
        "Written by benchmarks/bundled_arms.py.",
    ]
    lines = [line for part in head for line in (textwrap.wrap(part, 98) or [""])]
    comment = "".join(f"# {line}".rstrip() + "\n" for line in lines)
    table = toml_text(robot)
    return f"{comment}\n{name_first(table, name)}"


def name_first(table: str, name: str) -> str:
    """The table with the name before the notes, without its first line."""
    body = table.split("\n", 1)[1]
    line = f'name = "{name}"\n'
    return line + body.replace(line, "", 1)


def described(name: str) -> Robot:
    source = ARMS[name]
    robot = read_robot(published(source.file), tip=source.tip)
    notes = [
        f"Source: {source.file} of {PACKAGE}, from {source.upstream}.",
        f"Licence: {source.licence}.",
        f"Trust: {source.trust}: {source.doubt}",
        *robot.notes,
    ]
    return replace(robot, name=name, notes=tuple(notes), shapes=())


if __name__ == "__main__":
    main()
