"""`armdyn minimal`: the minimal parameters of an arm."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer

from armdyn.arm import Arm
from armdyn.cli._console import JsonOption, complain, plain, print_json, show
from armdyn.cli.options.robot import (
    BaseOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    TipOption,
    open_arm,
)
from armdyn.errors import InputError, RobotWarning
from armdyn.minimal import MinimalParameters, written
from armdyn.present import Grid


def minimal(
    robot: RobotArgument,
    rotor: Annotated[bool, typer.Option("--rotor", help="With rotor inertias.")] = False,
    friction: Annotated[bool, typer.Option("--friction", help="With friction.")] = False,
    gravity_only: Annotated[
        bool,
        typer.Option("--gravity-only", help="Only what the arm at rest depends on."),
    ] = False,
    khalil_gautier: Annotated[
        bool, typer.Option("--khalil-gautier", help="The set of Khalil and Gautier instead.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    tip: TipOption = None,
    base: BaseOption = None,
    strict: StrictOption = True,
    snap: SnapOption = True,
    as_json: JsonOption = False,
) -> None:
    """Show the minimal parameters: names, values, what they are made of, what stays unseen."""
    if latex and (as_json or khalil_gautier or gravity_only):
        raise InputError("--latex prints the whole set; it goes with --rotor and --friction only.")
    if khalil_gautier and (gravity_only or rotor or friction):
        raise InputError("--khalil-gautier is the set of the links alone; leave the others out.")
    arm, _ = open_arm(robot, base, tip, strict, snap)
    found = _minimal(arm, rotor, friction)
    if latex:
        show(*found.latex().splitlines())
    elif khalil_gautier:
        _show_other(arm, found, as_json)
    elif as_json:
        print_json(_as_json(arm, found, gravity_only))
    else:
        _show(arm, found, gravity_only)


def _minimal(arm: Arm, rotor: bool, friction: bool) -> MinimalParameters:
    """Return the minimal set; print its warnings, which are also in its notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        found = arm.minimal_with(rotor=rotor, friction=friction)
    for note in found.notes:
        complain(f"warning: {note}")
    return found


def _chosen(found: MinimalParameters, gravity_only: bool) -> list[int]:
    names = found.names
    return [k for k, name in enumerate(names) if not gravity_only or name in found.gravity_only]


def _as_json(arm: Arm, found: MinimalParameters, gravity_only: bool) -> dict[str, Any]:
    chosen = _chosen(found, gravity_only)
    names, units, values = found.names, found.units, found.values.tolist()
    return {
        "name": arm.name,
        "n": arm.n,
        "parameters": found.parameter_names,
        "minimal": [
            {
                "name": names[k],
                "value": values[k],
                "unit": units[k],
                "carrier": found.carriers[k],
                "expression": found.expression(names[k]),
                "coefficients": {
                    p: x
                    for p, x in zip(found.parameter_names, found.matrix[k].tolist(), strict=True)
                    if x
                },
            }
            for k in chosen
        ],
        "invisible": [
            {"link": s.link, "parameters": s.parameters, "seen_in": s.seen_in, "why": s.why}
            for s in found.invisible
        ],
        "gravity_only": found.gravity_only,
        "closed_form": found.closed_form,
        "notes": found.notes,
    }


def _show(arm: Arm, found: MinimalParameters, gravity_only: bool) -> None:
    chosen = _chosen(found, gravity_only)
    what = " that the arm at rest depends on" if gravity_only else ""
    count = len(found.parameter_names)
    show(f"{arm.name}: {len(chosen)} minimal parameters{what}, of {count} parameters")
    rows: list[tuple[str, ...]] = []
    for k in chosen:
        name, unit = found.names[k], found.units[k]
        combination = written(found.matrix[k], found.parameter_names)
        words = found.expression(name).partition("]: ")[2]
        rows.append((name, f"{found.values[k]:.6g}", f" {unit}", f"{combination} ", words))
    heads = ("name", "value", "unit", "combination", "what it is")
    show("", Grid("", heads, 1, tuple(rows), words_after=3), "", "What no torque can tell:")
    show(*(f"  {plain(str(statement))}" for statement in found.invisible))


def _show_other(arm: Arm, found: MinimalParameters, as_json: bool) -> None:
    other = found.khalil_gautier()
    values = other.matrix @ found.parameters
    if as_json:
        triples = zip(other.names, values.tolist(), other.matrix.tolist(), strict=True)
        print_json(
            {
                "name": arm.name,
                "khalil_gautier": [
                    {"name": name, "value": value, "coefficients": row}
                    for name, value, row in triples
                ],
                "parameters": found.parameter_names,
                "minimal": found.names,
                "change": other.change.tolist(),
            }
        )
        return
    show(f"{arm.name}: {len(other.names)} base parameters after Khalil and Gautier")
    rows: list[tuple[str, ...]] = []
    for name, value, row, change in zip(
        other.names, values.tolist(), other.matrix, other.change, strict=True
    ):
        combination = written(row, found.parameter_names)
        rows.append((name, f"{value:.6g} ", f"{combination} ", written(change, found.names)))
    heads = ("name", "value", "combination", "in minimal parameters")
    show("", Grid("", heads, 1, tuple(rows), words_after=2))
