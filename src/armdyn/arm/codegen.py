"""C for controllers: an arm's functions as a header, a source and a self-test in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.algorithms.table import QUANTITIES, SIGNALS
from armdyn.arm.kinematics_code import NAME as INVERSE_KINEMATICS
from armdyn.arm.kinematics_code import inverse_kinematics_function
from armdyn.checks import (
    checked_choice,
    checked_flag,
    checked_items,
    checked_mapping,
    checked_path,
    checked_text,
)
from armdyn.errors import InputError, RobotError, shown
from armdyn.export.budget import Budget, c_budget
from armdyn.export.c import prefix_of
from armdyn.export.c_package import MARK, CFunction, CTable, c_package
from armdyn.graph.count import count
from armdyn.graph.program import Program, Slot
from armdyn.minimal.dynamics import minimal_program
from armdyn.minimal.parameters import MinimalParameters
from armdyn.minimal.programs import VALUES
from armdyn.programs.arguments import AUTO
from armdyn.programs.key import ProgramKey
from armdyn.programs.methods import check_method, row_of, source
from armdyn.programs.parametric import (
    FRICTION,
    INERTIAL,
    INPUTS,
    ROTOR,
    Parametric,
    parametric,
    values,
)
from armdyn.programs.programs import cheapest, program
from armdyn.robot.chain import chain_of
from armdyn.robot.friction import FRICTION_TERMS, coefficients, parameter_terms
from armdyn.robot.joint import Joint
from armdyn.robot.model import IDENTITY, Placement, Robot
from armdyn.writing import write_together

if TYPE_CHECKING:
    from armdyn.arm.arm import Arm

# The comments in the exported C header: joints, units, orders, methods and contents.

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


# Which parameters of the links are arguments of the functions: none, all, or minimal ones.
FOLDED, NATURAL, MINIMAL = "folded", "natural", "minimal"


def export_c(
    arm: Arm,
    folder: str | os.PathLike[str],
    functions: Sequence[str],
    *,
    single: bool = False,
    methods: Mapping[str, str] | None = None,
    parameters: bool | str = False,
    force: bool = False,
) -> tuple[Path, ...]:
    """Write functions of an arm as C99: all files or, on any failure, none.

    Args:
        arm: the arm; its name begins the names of files and functions.
        folder: where to write; created if missing.
        functions: quantities, e.g. ``["mass_matrix", "inverse_dynamics"]``; "pose" and "jacobian"
            are those of the tip, friction is included as in the methods of `Arm`;
            "inverse_kinematics" has all branches of an arm with a closed form.
        single: compute in float instead of double.
        methods: method per quantity; the cheapest is used for the others.
        parameters: make masses, inertias, rotor inertias and friction arguments of the functions,
            so that new values need no new code. True or "natural": ten parameters a link;
            "minimal": the arm's minimal parameters instead; False or "folded": none.
        force: also replace files that armdyn did not write.

    Returns:
        The paths of the header, the source and the self-test.
    """
    force = checked_flag(force, "force")
    target = checked_path(folder, "folder", what="the path of a folder")
    _, texts = _package(arm, functions, single, methods, parameters)
    return write_together(target, texts, None if force else MARK)


def budget_of_c(
    arm: Arm,
    functions: Sequence[str],
    *,
    single: bool = False,
    methods: Mapping[str, str] | None = None,
    parameters: bool | str = False,
) -> Budget:
    """Return what functions cost on microcontrollers; the arguments are those of `export_c`."""
    made, texts = _package(arm, functions, single, methods, parameters)
    return c_budget(made, texts, single)


def _package(
    arm: Arm,
    functions: object,
    single: bool,
    methods: object,
    parameters: object,
) -> tuple[list[CFunction], dict[str, str]]:
    """Return the functions, and the contents of the files by name."""
    single = checked_flag(single, "single")
    arguments = _arguments(parameters)
    quantities = _quantities(functions)
    if single and INVERSE_KINEMATICS in quantities:
        raise InputError(
            "inverse kinematics loses too many digits in float, where branches meet; export "
            "doubles.",
            argument="single",
        )
    chosen = _methods(methods, [x for x in quantities if x != INVERSE_KINEMATICS])
    prefix = prefix_of(arm.name)
    made = [
        inverse_kinematics_function(arm.robot, f"{prefix}_{quantity}")
        if quantity == INVERSE_KINEMATICS
        else _function(arm, quantity, chosen.get(quantity, AUTO), prefix, arguments)
        for quantity in quantities
    ]
    tables = _tables(arm, made, prefix) if arguments != FOLDED else []
    return made, c_package(
        prefix, made, about=about(arm.robot, single, bool(tables)), tables=tables, single=single,
        version=version("armdyn"),
    )  # fmt: skip


def _arguments(parameters: object) -> str:
    """Return which parameters are arguments of the functions."""
    if isinstance(parameters, bool | np.bool_):
        return NATURAL if parameters else FOLDED
    if isinstance(parameters, str) and parameters in (FOLDED, NATURAL, MINIMAL):
        return parameters
    raise InputError(
        f"`parameters` is {shown(parameters)}, expected True or False, or one of {FOLDED!r}, "
        f"{NATURAL!r} and {MINIMAL!r}.",
        argument="parameters",
    )


def _quantities(functions: object) -> list[str]:
    what = "a list such as ['mass_matrix', 'gravity']"
    quantities: list[str] = []
    for quantity in checked_items(functions, "functions", what=what):
        if quantity in quantities:
            raise InputError(
                f"`functions` has {shown(quantity)} twice; name each once.", argument="functions"
            )
        names = (*QUANTITIES, INVERSE_KINEMATICS)
        quantities.append(checked_choice(quantity, "functions", names, what="quantity"))
    if not quantities:
        raise InputError(
            "`functions` is empty; name at least one, e.g. 'mass_matrix'.", argument="functions"
        )
    return quantities


def _methods(methods: object, quantities: Sequence[str]) -> dict[str, str]:
    if methods is None:
        return {}
    what = "a dict such as {'mass_matrix': 'lin_fang_1'}"
    chosen = checked_mapping(methods, "methods", what=what)
    for quantity in chosen:
        checked_choice(quantity, "methods", quantities, what="function to choose a method for")
    return {quantity: checked_text(name, "methods") for quantity, name in chosen.items()}


def _function(arm: Arm, quantity: str, method: str, prefix: str, arguments: str) -> CFunction:
    name, chain = f"{prefix}_{quantity}", chain_of(arm.robot)
    if arguments == FOLDED:
        check_method(quantity, method, straight=True)
        method = cheapest(chain, quantity) if method == AUTO else method
        code = program(ProgramKey(chain, quantity, method))
        return CFunction(name, code, tuple(notes(code, method, name, {})))
    tables = {slot: _table_name(prefix, slot) for slot in (*INPUTS, VALUES)}
    if arguments == MINIMAL and row_of(quantity).minimal:
        made = minimal_program(chain, arm.minimal, quantity, method)
        return CFunction(name, made.program, tuple(notes(made.program, made.method, name, tables)))
    found = parametric(ProgramKey(chain, quantity, method))
    if arguments == MINIMAL and any(slot.name == INERTIAL for slot in found.program.inputs):
        raise InputError(
            f"{quantity} does not follow from minimal parameters: they determine the torques, not "
            "every mass. Leave it out, or take natural parameters."
        )
    lines = notes(found.program, found.method, name, tables)
    if found.divides_by_masses:
        _refuse_missing_mass(arm, quantity, found)
        lines.append("Divides by the masses: no link may have the mass 0.")
    return CFunction(name, found.program, tuple(lines))


def _refuse_missing_mass(arm: Arm, quantity: str, found: Parametric) -> None:
    for joint in arm.robot.joints:
        if joint.mass == 0.0:
            raise RobotError(
                f"{quantity} by {found.method!r} with parameters at run time divides by the "
                f"masses, and the link of joint {joint.name!r} has none; leave {quantity} out, or "
                "fold the parameters in."
            )


def _tables(arm: Arm, functions: Sequence[CFunction], prefix: str) -> list[CTable]:
    """Return the values of this arm for the inputs that are not states."""
    read = {slot.name for f in functions for slot in f.program.inputs}
    tables = [
        CTable(_table_name(prefix, slot), slot, tuple(numbers), (table_note(arm.robot, slot),))
        for slot, numbers in values(chain_of(arm.robot)).items()
        if slot in read
    ]
    if VALUES in read:
        lines, numbers = minimal_note(arm.minimal), arm.minimal.values.tolist()
        tables.insert(0, CTable(_table_name(prefix, VALUES), VALUES, tuple(numbers), tuple(lines)))
    return tables


def _table_name(prefix: str, slot: str) -> str:
    return f"{prefix}_default_{slot}"
