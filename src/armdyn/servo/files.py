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
from armdyn.servo.offsets import LIGHT, SLOWEST
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
        "offsets.py": _python_text(result),
        "identified.toml": toml_text(result.arm.robot),
        **exported,
        f"c/{prefix}_offsets.h": _c_header(result, single),
        f"c/{prefix}_offsets.c": _c_source(result, single),
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


def _python_text(result: ServoResult) -> str:
    """Return a Python file that wraps the actions of a robot in goal offsets."""
    return f'''"""Goal offsets of {result.arm.name}: wrap the actions that you send to its servos.

    wrapper = OffsetAction(rate=30.0)
    robot.send_action(wrapper(action))     # a dictionary "joint.pos" -> degrees, as LeRobot has it
"""
import pathlib

import armdyn
import numpy as np
from armdyn.servo.offsets import Offsets

ARM = armdyn.load(pathlib.Path(__file__).with_name("identified.toml"))
VALUES = {{
{_python_values(result)}
}}


class OffsetAction:
    """Adds droop, friction and lag to every action; unit: radians per unit of the actions."""

    def __init__(self, rate, unit=np.pi / 180.0):
        self.rate, self.unit, self.last = rate, unit, None
        self.offsets = Offsets(ARM, **{{k: np.array(v) for k, v in VALUES.items()}})

    def __call__(self, action):
        q = self.unit * np.array([action[f"{{name}}.pos"] for name in ARM.joint_names])
        qd = np.zeros_like(q) if self.last is None else (q - self.last) * self.rate
        self.last = q
        goal = self.offsets(q, qd) / self.unit
        return {{**action, **{{f"{{n}}.pos": g for n, g in zip(ARM.joint_names, goal.tolist())}}}}
'''


def _python_values(result: ServoResult) -> str:
    tables = result.offsets.tables()
    return "\n".join(f'    "{name}": {values.tolist()!r},' for name, values in tables.items())


def _c_header(result: ServoResult, single: bool) -> str:
    """Return the C header of goal offsets and gravity compensation."""
    prefix, n, real = prefix_of(result.arm.name), result.arm.n, "float" if single else "double"
    unit = "torques [N m]"
    if result.offsets.effort_unit == "duty":
        unit = "duties, from -1 to 1,"
    guard = f"{prefix.upper()}_OFFSETS_H"
    return f"""/* Goal offsets of {result.arm.name}, {real} precision. SI units, radians.
 *
 * Link with {prefix}.c. Functions allocate nothing and keep no state.
 */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

/* Middle of the band in which the servo error q_cmd - q rests at q. */
void {prefix}_gravity_droop(const {real} q[{n}], {real} e[{n}]);

/* Goals q_cmd at which the servos reach q_des. side: signs of the last motions, kept by the caller
 * and 0 at first. */
void {prefix}_command(const {real} q_des[{n}], const {real} qd_des[{n}], {real} side[{n}],
                      {real} q_cmd[{n}]);

/* The {unit} that carry the arm at rest in torque or PWM mode. */
void {prefix}_compensation(const {real} q[{n}], {real} u[{n}]);

#ifdef __cplusplus
}}
#endif

#endif
"""


def _c_source(result: ServoResult, single: bool) -> str:
    """Return the C of goal offsets, beside the exported gravity torques of the arm."""
    made, prefix, n = result.offsets, prefix_of(result.arm.name), result.arm.n
    real, f, absolute = ("float", "f", "fabsf") if single else ("double", "", "fabs")
    tables = "\n".join(
        f"static const {real} {prefix}_{name}[{n}] = {{{numbers}}};"
        for name, values in made.tables().items()
        for numbers in [", ".join(f"{value!r}{f}" for value in map(float, values))]
    )
    return f"""/* Goal offsets of {result.arm.name}, {real} precision: see {prefix}_offsets.h. */
#include "{prefix}_offsets.h"

#include <math.h>

#include "{prefix}.h"

{tables}

void {prefix}_gravity_droop(const {real} q[{n}], {real} e[{n}]) {{
    {real} g[{n}];
    int j;
    {prefix}_gravity(q, g);
    for (j = 0; j < {n}; j++) {{
        const {real} d = {prefix}_compliance[j] * g[j];
        const {real} shift =
            {absolute}(d + {prefix}_still[j]) - {absolute}(d - {prefix}_still[j]);
        e[j] = d + {prefix}_load[j] * shift / 2.0{f} + {prefix}_bias[j];
    }}
}}

void {prefix}_command(const {real} q_des[{n}], const {real} qd_des[{n}], {real} side[{n}],
                      {real} q_cmd[{n}]) {{
    {real} e[{n}];
    int j;
    {prefix}_gravity_droop(q_des, e);
    for (j = 0; j < {n}; j++) {{
        const int moves = {absolute}(qd_des[j]) > {SLOWEST!r}{f};
        {real} friction;
        if (moves) {{
            side[j] = qd_des[j] > 0.0{f} ? 1.0{f} : -1.0{f};
        }}
        friction = {prefix}_moving[j] +
                   {prefix}_load[j] * {absolute}(e[j] + side[j] * {prefix}_moving[j]);
        if (!moves && {absolute}(e[j]) < {LIGHT!r}{f} * friction) {{
            friction /= 2.0{f};
        }}
        q_cmd[j] = q_des[j] + e[j] + side[j] * friction + {prefix}_lag[j] * qd_des[j];
    }}
}}

void {prefix}_compensation(const {real} q[{n}], {real} u[{n}]) {{
    int j;
    {prefix}_gravity(q, u);
    for (j = 0; j < {n}; j++) {{
        u[j] *= {prefix}_effort[j];
    }}
}}
"""
