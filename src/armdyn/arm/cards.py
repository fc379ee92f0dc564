"""Arms and functions as notebooks show them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from armdyn.present.tables import Grid, card, number
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.arm.arm import Arm
    from armdyn.arm.function import Function


def arm_card(arm: Arm) -> str:
    """Return an arm: its joints with limits and masses."""
    joints = arm.robot.joints
    heads = ("joint", "type", "from", "to", "speed", "effort", "mass of link [kg]")
    rows = tuple(
        (
            joint.name,
            joint.kind,
            *(_limit(joint, key) for key in ("lower", "upper", "velocity", "effort")),
            number(joint.mass),
        )
        for joint in joints
    )
    gravity = math.sqrt(sum(x * x for x in arm.robot.gravity))
    facts = {
        "joints": str(arm.n),
        "kg": number(sum(joint.mass for joint in joints)),
        "m/s² gravity": number(gravity),
    }
    return card(f"Arm {arm.name}", facts, Grid("", heads, 2, rows))


def function_card(function: Function) -> str:
    """Return a function: its arguments and results, with shapes."""
    program, counted = function.program, function.operations
    slots = [("takes", slot) for slot in program.inputs]
    slots += [("returns", slot) for slot in program.outputs]
    rows = tuple((role, slot.name, "×".join(map(str, slot.shape)) or "1") for role, slot in slots)
    facts = {"multiplications": str(counted.multiplications), "additions": str(counted.additions)}
    facts |= {"deep": str(function.depth), "method": function.method}
    title = f"Function {function.quantity} of {function.robot}"
    return card(title, facts, Grid("", ("", "name", "shape"), 2, rows))


def _limit(joint: Joint, key: str) -> str:
    value = getattr(joint, key)
    if not math.isfinite(value):
        return "none"
    length = "rad" if joint.is_revolute else "m"
    force = "N m" if joint.is_revolute else "N"
    unit = {"velocity": f"{length}/s", "effort": force}.get(key, length)
    return f"{number(value)} {unit}"
