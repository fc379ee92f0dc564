"""The comments in the exported C header: joints, units, orders, methods and contents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.algorithms import PARAMETER_NAMES, SIGNALS
from armdyn.arm.programs._methods import row_of, source
from armdyn.arm.programs._parametric import FRICTION, INERTIAL, ROTOR
from armdyn.graph import Program, Slot, count
from armdyn.minimal import MinimalParameters
from armdyn.robot import FRICTION_TERMS, IDENTITY, Joint, Placement, Robot
from armdyn.robot.friction import coefficients, parameter_terms

GEOMETRY = ("beta", "b", "theta", "d")

CONSTANTS = {
    INERTIAL: "inertial parameters of the links, base first, each "
    f"{', '.join(PARAMETER_NAMES)}: mass [kg], first moments [kg m], inertia tensor about the "
    "origin of the link's frame [kg m^2]",
    ROTOR: "rotor inertias [kg m^2] or [kg]",
}


def about(robot: Robot, single: bool, parametric: bool) -> list[str]:
    """Return the lines at the head of the header."""
    type_name = "float" if single else "double"
    lines = [
        f"Dynamics of the arm {robot.name!r}, {robot.n} joints, in {type_name} precision.",
        "",
        "SI units, angles in radians. Arrays are in the order of the joints, base first; matrices "
        "are row-major. The functions are C99, need only math.h, allocate nothing and keep no "
        "state: they may be interrupted and called from several threads. They read all inputs "
        "before they write, so that an output may be the array of an input; outputs must not "
        "overlap each other.",
        "",
        "Joints by their index in arrays; names of parameters, and what is said of links, count "
        "from 1:",
        *(_joint(i, joint) for i, joint in enumerate(robot.joints)),
        "",
        "Link i is what joint i moves. Its frame stands in that of link i-1 at "
        "Rx(beta) Tx(b) Rz(theta) Tz(d) [rad], [m], where q adds to theta of a revolute joint and "
        "to d of a prismatic one. These frames need not be those that a URDF has.",
        f"Frame of link 0 in the base frame: {_placed(robot.base)}.",
        f"Tip in the frame of link {robot.n}: {_placed(robot.tool)}.",
        f"Gravity in the base frame [m/s^2]: {', '.join(map(_shown, robot.gravity))}.",
    ]
    if parametric:
        return [
            *lines,
            "Geometry and gravity are part of the code. Masses, inertias, rotor inertias and "
            "friction are arguments; their values for this arm are the arrays declared below.",
        ]
    return [
        *lines,
        "Geometry, gravity, masses and inertias are part of the code.",
        f"Rotor inertias: {_given(robot, ('rotor_inertia',))}.",
        f"Friction: {_given(robot, tuple(FRICTION_TERMS))}.",
    ]


def notes(program: Program, method: str, name: str, tables: Mapping[str, str]) -> list[str]:
    """Return the lines above a function; `tables` gives the default array of each input."""
    counted = count(program)
    parts = [_counted(counted.mul, "multiplication"), _counted(counted.add, "addition")]
    parts += [_counted(counted.div, "division")] if counted.div else []
    parts += [_counted(counted.sqrt, "square root")] if counted.sqrt else []
    parts += [f"{counted.trig} sines and cosines"] if counted.trig else []
    quantity = program.name
    lines = [
        f"{name}: {row_of(quantity).sentence}",
        f"Method {method} ({source(quantity, method)}): {', '.join(parts)}.",
    ]
    for slot in program.inputs:
        told = f"as {tables[slot.name]}" if slot.name in tables else SIGNALS.get(slot.name)
        lines.append(f"  in   {_shaped(slot)}" + (f": {told}" if told else ""))
    for slot in program.outputs:
        told = SIGNALS.get(slot.name)
        lines.append(f"  out  {_shaped(slot)}" + (f": {told}" if told else ""))
    return lines


def table_note(robot: Robot, slot: str) -> str:
    """Return the line above an array of values."""
    return f"The arm as described: {_friction(robot) if slot == FRICTION else CONSTANTS[slot]}."


def _friction(robot: Robot) -> str:
    names = parameter_terms(map(coefficients, robot.joints))
    turning, sliding = (
        ", ".join(f"[{FRICTION_TERMS[name].unit(revolute)}]" for name in names)
        for revolute in (True, False)
    )
    each = ", ".join(names)
    return f"friction of the joints, base first, each {each}: {turning} or {sliding}"


def minimal_note(base: MinimalParameters) -> list[str]:
    """Return the lines above the minimal parameters: their order, units and what they are."""
    lines = ["The arm as described: its minimal parameters, which determine all torques:"]
    return lines + [f"  {k}: {base.expression(name)}" for k, name in enumerate(base.names)]


def _joint(i: int, joint: Joint) -> str:
    units = "[rad], [N m]" if joint.is_revolute else "[m], [N]"
    geometry = ", ".join(f"{key} {_shown(getattr(joint, key))}" for key in GEOMETRY)
    return f"  {i}: {joint.name}, {joint.kind} {units}; {geometry}"


def _placed(placement: Placement) -> str:
    """Return the first three rows of a placement, the last column being metres."""
    if placement == IDENTITY:
        return "the same"
    rows = [" ".join(map(_shown, row)) for row in placement[:3]]
    return f"[{'; '.join(rows)}] [m]"


def _shown(x: float) -> str:
    return f"{x + 0.0:.9g}"  # no minus before a zero


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _given(robot: Robot, fields: Sequence[str]) -> str:
    having = [j.name for j in robot.joints if any(getattr(j, field) for field in fields)]
    if not having:
        return "none given, none included"
    return "of all joints" if len(having) == robot.n else f"of {', '.join(having)} only"


def _shaped(slot: Slot) -> str:
    if len(slot.shape) == 2:
        rows, columns = slot.shape
        return (
            f"{slot.name}[{slot.size}], {rows} x {columns}: entry (i, j) is "
            f"{slot.name}[{columns}*i + j]"
        )
    return f"*{slot.name}" if slot.shape == () else f"{slot.name}[{slot.size}]"
