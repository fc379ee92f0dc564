"""The files of a result of `weigh`: offsets to run, robot files, report and numbers."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING
from xml.etree.ElementTree import SubElement, fromstring, indent, tostring

from armdyn.errors import RobotError
from armdyn.export.c import prefix_of
from armdyn.robot.formats.mjcf.write import mjcf_text
from armdyn.robot.formats.toml import toml_text
from armdyn.robot.formats.urdf.write import urdf_text
from armdyn.robot.model import Robot
from armdyn.servo.offsets import c_header, c_source, python_text
from armdyn.servo.page import report_html
from armdyn.writing import scratch_folder

if TYPE_CHECKING:
    from armdyn.servo.result import ServoResult


def offset_texts(result: ServoResult, single: bool = False) -> dict[str, str]:
    """Return goal offsets as Python and C by the names of their files.

    Args:
        result: of `weigh`.
        single: C in float instead of double.
    """
    prefix = prefix_of(result.arm.name)
    with scratch_folder() as folder:
        paths = result.arm.export_c(folder, ["gravity"], single=single)
        exported = {f"c/{path.name}": path.read_text(encoding="utf-8") for path in paths}
    return {
        "offsets.py": python_text(result),
        "identified.toml": toml_text(result.arm.robot),
        **exported,
        f"c/{prefix}_offsets.h": c_header(result, single),
        f"c/{prefix}_offsets.c": c_source(result, single),
    }


def actuated_mjcf(result: ServoResult) -> str:
    """Return the arm as MJCF with position actuators: kp, damping, frictionloss, armature."""
    root = fromstring(mjcf_text(_with_plain_friction(result)))
    actuator = root.find("actuator")
    assert actuator is not None
    limit = result.torque_limit
    for motor, k in zip(list(actuator), result.stiffness.tolist(), strict=True):
        actuator.remove(motor)
        name = motor.get("name", "")
        made = SubElement(actuator, "position", name=name, joint=name, kp=f"{k:.6g}")
        if math.isfinite(limit):
            made.set("forcerange", f"{-limit:g} {limit:g}")
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def _with_plain_friction(result: ServoResult) -> Robot:
    """Return the robot without friction under load, which these files lack.

    Its Coulomb friction has the part at the root mean square of gravity torques.
    """
    torque = result.evidence.size * result.stiffness
    joints = [
        replace(joint, coulomb=joint.coulomb + joint.load_friction * size, load_friction=0.0)
        for joint, size in zip(result.arm.robot.joints, torque.tolist(), strict=True)
    ]
    return result.arm.robot.with_joints(joints)


def texts_of(result: ServoResult, made: datetime | None) -> dict[str, str]:
    """Return the texts of all files by their names."""
    texts = {
        "result.json": json.dumps(result.to_dict(), indent=2, allow_nan=False) + "\n",
        "report.html": report_html(result, made),
        **offset_texts(result),
    }
    with suppress(RobotError):
        texts["identified.urdf"] = urdf_text(_with_plain_friction(result))
    with suppress(RobotError):
        texts["identified.xml"] = actuated_mjcf(result)
    return texts
