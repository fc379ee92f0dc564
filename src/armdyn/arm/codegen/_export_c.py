"""C for controllers: an arm's functions as a header, a source and a self-test in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armdyn._checks import (
    checked_choice,
    checked_flag,
    checked_items,
    checked_mapping,
    checked_path,
    checked_text,
)
from armdyn.algorithms import QUANTITIES
from armdyn.arm._minimal_functions import minimal_program
from armdyn.arm.codegen._header_text import about, minimal_note, notes, table_note
from armdyn.arm.codegen._inverse_kinematics import NAME as INVERSE_KINEMATICS
from armdyn.arm.codegen._inverse_kinematics import inverse_kinematics_function
from armdyn.arm.programs._methods import check_method, row_of
from armdyn.arm.programs._names import AUTO
from armdyn.arm.programs._parametric import INERTIAL, INPUTS, Parametric, parametric, values
from armdyn.arm.programs._programs import cheapest, program
from armdyn.errors import InputError, RobotError, shown
from armdyn.export import MARK, Budget, CFunction, CTable, c_budget, c_package, prefix_of
from armdyn.files._together import write_together
from armdyn.minimal import VALUES
from armdyn.robot import chain_of

if TYPE_CHECKING:
    from armdyn.arm._arm import Arm

FOLDED, NATURAL, MINIMAL = "folded", "natural", "minimal"
"""Which parameters of the links are arguments of the functions: none, all, or minimal ones."""


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
    name = f"{prefix}_{quantity}"
    if arguments == FOLDED:
        check_method(quantity, method, straight=True)
        chain = chain_of(arm.robot)
        method = cheapest(chain, quantity) if method == AUTO else method
        code = program(chain, quantity, method, frame=arm.n + 1, friction=True)
        return CFunction(name, code, tuple(notes(code, method, name, {})))
    tables = {slot: _table_name(prefix, slot) for slot in (*INPUTS, VALUES)}
    if arguments == MINIMAL and row_of(quantity).minimal:
        made = minimal_program(chain_of(arm.robot), arm.minimal, quantity, method)
        return CFunction(name, made.program, tuple(notes(made.program, made.method, name, tables)))
    found = parametric(chain_of(arm.robot), quantity, method)
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
